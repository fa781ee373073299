import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { postgresSockets } from '../../../../gateway/store/postgres/sockets';
import { until } from '../../../support/http-peer';

let server: Server;
let taken: Socket[];

beforeEach(async () => {
  taken = [];
  server = createServer((socket) => taken.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  taken.forEach((socket) => socket.destroy());
  await new Promise((resolve) => server.close(resolve));
});

test('connections to a database that fell silent are given up, those on which something came or that are new are not', async () => {
  const sockets = postgresSockets();
  const faults = new Map<Socket, string>();
  const connect = async () => {
    const socket = sockets.open();
    socket.on('error', ({ message }) => faults.set(socket, message)).on('data', () => undefined);
    const { port } = server.address() as AddressInfo;
    const known = taken.length;
    socket.connect(port, '127.0.0.1');
    await until(() => taken.length > known && !socket.connecting);
    return socket;
  };
  const [silent, answered] = [await connect(), await connect()];
  taken[0]?.write('before');
  await until(() => silent.bytesRead > 0);
  const giveUpSilent = sockets.sinceNow();
  const fresh = await connect();
  taken[1]?.write('since');
  await until(() => answered.bytesRead > 0);
  giveUpSilent();
  await until(() => faults.size > 0);
  expect([[...faults.values()], silent.destroyed]).toEqual([['The database does not answer'], true]);
  expect([answered.destroyed, fresh.destroyed]).toEqual([false, false]);
  [answered, fresh].forEach((socket) => socket.destroy());
});
