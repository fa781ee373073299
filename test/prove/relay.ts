import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { type Stage } from './proof';

/** An address whose connections lead to a port of this machine, which can change. */
export interface Relay {
  port: number;
  /** Breaks all connections. Later ones lead to this port of loopback; null: they are refused. */
  lead(port: number | null): void;
}

export async function startRelay(stage: Pick<Stage, 'atEnd'>, to: number | null): Promise<Relay> {
  const sockets = new Set<Socket>();
  let target = to;
  const known = (socket: Socket) => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    known(socket);
    if (target === null) return void socket.destroy();
    const other = known(connect(target, '127.0.0.1'));
    socket.pipe(other).pipe(socket);
    socket.on('close', () => other.destroy());
    other.on('close', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const lead = (port: number | null) => {
    target = port;
    for (const socket of sockets) socket.destroy();
  };
  stage.atEnd(() => {
    lead(null);
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, lead };
}
