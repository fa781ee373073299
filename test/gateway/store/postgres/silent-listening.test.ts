import { connect, createServer, type AddressInfo } from 'node:net';
import { createDatabase } from '../../../support/postgres';
import { until } from '../../../support/http-peer';
import { openStores } from '../support';

const openedStore = openStores();

test('a connection that falls silent before it listens is given up, and another one listens', async () => {
  const database = new URL(await createDatabase());
  let silenced = 0;
  const proxy = createServer((client) => {
    const server = connect(Number(database.port), database.hostname);
    server.on('error', () => undefined).on('close', () => client.destroy());
    client.on('error', () => undefined).on('close', () => server.destroy());
    let isSilent = false;
    client.on('data', (bytes) => {
      if (!silenced && bytes.includes('listen registry')) {
        isSilent = true;
        silenced++;
      }
      if (!isSilent) server.write(bytes);
    });
    server.on('data', (bytes) => client.write(bytes));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = new URL(database);
  url.port = String((proxy.address() as AddressInfo).port);
  const store = await openedStore(url.href);
  const woken: unknown[] = [];
  store.onWake((wake) => woken.push(wake));
  await until(() => silenced > 0);
  // A connection that has begun to listen looks for what it may have missed.
  await until(() => woken.length > 0);
  await store.wake({ waiting: [7] });
  await until(() => woken.length > 1);
  expect(woken).toEqual([null, { waiting: [7] }]);
  proxy.close();
});
