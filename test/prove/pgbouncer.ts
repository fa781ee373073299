import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../support/http-peer';
import { freePort } from '../support/postgres';
import { rows } from '../support/rows';
import { seconds } from './account';
import { command, needs } from './commands';
import { type Proof, type Stage } from './proof';
import { repeatsAfter, setTwoGateways, untilAcknowledged } from './two-gateways';

/** As after an outage of the database (P23), in milliseconds. */
const BACK_WITHIN = 5000;

export const pgbouncer: Proof<{
  seconds: number;
  events: number;
  sends: number;
  servers: number;
  restarts: number;
}> = {
  name: 'pgbouncer',
  proves:
    'two gateways behind PgBouncer in transaction mode, with few connections to the server, lose nothing and keep the order while PgBouncer and a gateway are killed (P1, P10, P16, P22, P23)',
  on: ['PostgreSQL'],
  sizes: { seconds: 60, events: 100, sends: 20, servers: 4, restarts: 4 },

  async run(stage) {
    needs({ pgbouncer: 'pgbouncer' });
    const { sizes, databaseUrl } = stage;
    const pooler = await startPgBouncer(stage, sizes.servers);
    const load = await setTwoGateways(
      stage,
      { GATEWAY_DATABASE_URL: pooler.url, GATEWAY_DATABASE_SESSION_URL: databaseUrl },
      sizes,
    );
    const faults: string[] = [];
    const back: number[] = [];
    let most = 0;
    const pause = (sizes.seconds * 1000) / (2 * sizes.restarts);
    for (let restart = 0; restart < sizes.restarts; restart++) {
      await wait(pause);
      most = Math.max(most, await connectionsOf(stage, pooler));
      await pooler.kill();
      const begun = performance.now();
      await pooler.start();
      back.push(await untilAcknowledged(load, begun));
      await wait(pause);
      await load.killAndRestart(restart % 2);
    }
    await wait(pause);
    const longest = Math.max(...back);
    if (!(longest <= BACK_WITHIN))
      faults.push(`An event was acknowledged only ${seconds(longest)} after PgBouncer's start`);
    if (most > sizes.servers) faults.push(`PgBouncer had ${most} connections to the server`);
    const report = await load.finish(databaseUrl, repeatsAfter(sizes.restarts));
    return {
      figures: {
        ...report.figures,
        'PgBouncer killed, a gateway killed': sizes.restarts,
        "PgBouncer's start → acknowledged again": `${seconds(longest)} at most`,
        'connections of PgBouncer to the server': `${most} at most`,
      },
      faults: [...faults, ...report.faults],
    };
  },
};

interface PgBouncer {
  url: string;
  port: number;
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** @param servers connections to PostgreSQL */
async function startPgBouncer(stage: Stage, servers: number): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, password, pathname } = new URL(stage.databaseUrl);
  const port = await freePort();
  const folder = join(stage.folder, 'pgbouncer');
  mkdirSync(folder);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${serverPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${servers}
max_client_conn = 500
admin_users = postgres
`,
  );
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  command('chmod', '755', stage.folder, folder);
  chmodSync(file, 0o644);
  let child: ChildProcess | null = null;
  let said = '';
  const url = `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`;
  const kill = async () => {
    const running = child;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once('close', resolve));
    running.kill('SIGKILL');
    await ended;
  };
  const start = async () => {
    child = spawn('pgbouncer', [...user, file], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += String(chunk)));
    await until(
      () =>
        rows(url, 'select').then(
          () => true,
          () => false,
        ),
      15_000,
      () => `PgBouncer does not serve: ${said.slice(-2000)}`,
    );
  };
  stage.atEnd(kill);
  await start();
  return { url, port, start, kill };
}

/** Connections of PgBouncer to the server: all but those of this query and the gateways' listening ones. */
async function connectionsOf({ databaseUrl }: Stage, { url }: PgBouncer): Promise<number> {
  const admin = new URL(url);
  admin.pathname = '/pgbouncer';
  const database = new URL(databaseUrl).pathname.slice(1);
  return (await rows(admin.href, 'show servers')).filter((row) => row.database === database).length;
}
