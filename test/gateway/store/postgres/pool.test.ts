import { rmSync } from 'node:fs';
import { type Socket } from 'node:net';
import { openPool } from '../../../../gateway/store/postgres/pool';
import { postgresSockets } from '../../../../gateway/store/postgres/sockets';
import { openStore } from '../../../../gateway/store/store';
import { until } from '../../../support/http-peer';
import { createDatabase } from '../../../support/postgres';
import { secretFile } from '../../../support/secret-file';

test('a connection at rest is kept, one that stays silent though it was asked is given up', async () => {
  const sockets = postgresSockets();
  const opened: Socket[] = [];
  const open: typeof sockets.open = (isAtRest) => {
    const socket = sockets.open(isAtRest);
    opened.push(socket);
    return socket;
  };
  const pool = openPool({ connectionString: await createDatabase() }, { ...sockets, open }, 2);
  await pool.query('select');
  // As Node tells it once nothing has come or gone for as long as was set.
  opened[0]?.emit('timeout');
  expect([opened[0]?.destroyed, pool.totalCount]).toEqual([false, 1]);
  const answer = pool.query('select pg_sleep(20)').catch(String);
  await until(() => pool.idleCount === 0);
  opened[0]?.emit('timeout');
  expect(await answer).toContain('The database does not answer');
  expect(opened).toHaveLength(1);
  await pool.end();
});

test('the file of a certificate is needed at the start, and not for each connection', async () => {
  const certificate = secretFile('a certificate');
  const store = await openStore(`${await createDatabase()}?sslmode=disable&sslrootcert=${certificate}`);
  rmSync(certificate);
  await Promise.all(Array.from({ length: 6 }, () => store.registry.revision()));
  await store.close();
});
