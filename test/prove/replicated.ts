import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { until } from '../support/http-peer';
import { createDatabase, postgresServer, type PostgresServer } from '../support/postgres';
import { rows } from '../support/rows';
import { command } from './commands';
import { endAtOnce } from './look-after';
import { type Stage } from './proof';
import { startRelay, type Relay } from './relay';

/** A PostgreSQL server with a streaming replica, and an address that leads to the primary. */
export interface Replicated {
  /** URL of the database at that address. */
  url: string;
  /** Adds a replica, without which no commit is acknowledged from now on. */
  addStandby(): Promise<void>;
  /** Breaks the connection between the primary and its replica. */
  cutReplication(): void;
  /** Kills the primary at once. The address then leads to the replica, which is read-only until it is promoted. */
  losePrimary(): void;
  /** Makes the replica the primary. */
  promote(): Promise<void>;
}

/** @param isSynchronous whether a commit waits for the replica; if not, it only has to wait for the primary's disk */
export async function startReplicated(stage: Stage, isSynchronous: boolean): Promise<Replicated> {
  let primary = await postgresServer({
    folder: join(stage.folder, 'server-0'),
    persistent: true,
    flags: FLAGS,
  });
  await primary.start();
  let standby: PostgresServer | null = null;
  let replication: Relay | null = null;
  let count = 0;
  // Last, because a server that was killed has nothing to stop.
  stage.atEnd(() => [primary, standby].forEach((server) => server && endAtOnce(server)));
  const direct = new URL(await createDatabase(primary.url));
  const address = await startRelay(stage, portOf(primary));
  const url = new URL(direct);
  url.port = String(address.port);
  const name = direct.pathname.slice(1);
  await rows(url.href, `alter database ${name} set synchronous_commit = ${isSynchronous ? 'on' : 'local'}`);

  return {
    url: url.href,
    async addStandby() {
      const folder = join(stage.folder, `server-${++count}`);
      await copyTo(folder, primary);
      replication = await startRelay(stage, portOf(primary));
      const { username, password } = new URL(primary.url);
      const source = `host=127.0.0.1 port=${replication.port} user=${username} password=${password}`;
      const added = await postgresServer({
        folder,
        persistent: true,
        isCopy: true,
        flags: [...FLAGS, '-c', `primary_conninfo=${source}`],
      });
      standby = added;
      // Resolves only after the promotion.
      added.start().catch(() => undefined);
      const replicaIs = (state: string) =>
        until(
          async () => (await rows(primary.url, `select from pg_stat_replication where ${state}`)).length > 0,
          60_000,
          () => `the replica is not: ${state}`,
        );
      await replicaIs(`state = 'streaming'`);
      await rows(primary.url, `alter system set synchronous_standby_names = '*'`);
      await rows(primary.url, 'select pg_reload_conf()');
      await replicaIs(`sync_state = 'sync'`);
    },
    cutReplication: () => replication?.lead(null),
    losePrimary() {
      if (!standby) throw new Error('There is no replica');
      endAtOnce(primary);
      primary = standby;
      standby = null;
      address.lead(portOf(primary));
    },
    async promote() {
      await rows(primary.url, 'select pg_promote()');
    },
  };
}

const FLAGS = ['max_connections=200', 'wal_keep_size=1GB'].flatMap((one) => ['-c', one]);

const portOf = ({ url }: PostgresServer): number => Number(new URL(url).port);

/** Copies the files of a running server for a replica, as `pg_basebackup` does. */
async function copyTo(folder: string, from: PostgresServer): Promise<void> {
  const client = new Client({ connectionString: `${from.url}/postgres` });
  await client.connect();
  await client.query(`select pg_backup_start('copy', true)`);
  // Fails if a temporary file vanishes meanwhile, which a copy does not need.
  spawnSync('cp', ['--archive', from.folder, folder]);
  const { rows: ended } = await client.query<{ labelfile: string }>(
    'select labelfile from pg_backup_stop(false)',
  );
  await client.end();
  writeFileSync(join(folder, 'backup_label'), ended[0]?.labelfile ?? '');
  // Settings of the copied server, which waits for its own replica.
  for (const file of ['postmaster.pid', 'postmaster.opts', 'postgresql.auto.conf'])
    rmSync(join(folder, file), { force: true });
  writeFileSync(join(folder, 'standby.signal'), '');
  // PostgreSQL also writes to the files that this process has added.
  command('chown', '--recursive', `--reference=${from.folder}`, folder);
}
