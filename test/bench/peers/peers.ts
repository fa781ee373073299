import { spawn, spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { processesOf } from '../../prove/look-after';
import { freePort } from '../../support/postgres';
import { APP_SECRET } from '../../support/test-gateway';
import { forwarder, roundsInTurn, shareCores, startReceivers, type Forwarder } from '../events';
import { median, medianRatio } from '../load';
import { partsOf, sizesOf, type Options } from '../options';
import { startProgram } from '../processes';
import { CORES, Ground, loadNow } from '../stand';

/** `round` in milliseconds; `warm-up` in events, until V8 has compiled the programs. */
const USUAL = { rounds: 7, round: 2000, 'at-once': 64, 'warm-up': 20_000 };
type Sizes = typeof USUAL;

const PARTS = ['bullmq', 'pg-boss'] as const;

/** The gateway on one database, and what a user would build on the same. */
interface Pair {
  gateway: Forwarder;
  peers: Forwarder[];
}

/**
 * Compares the gateway with what a user would build on a queue: BullMQ on Redis beside the gateway on SQLite, pg-boss
 * beside the gateway on PostgreSQL. Each receives an event, checks its signature, stores it, answers, and delivers it
 * to one receiver. The process and the database server of each share one core, and both count.
 */
export async function benchPeers(options: Options): Promise<string[]> {
  const sizes = sizesOf(options, USUAL);
  const missing = installQueues();
  if (missing) return [missing];
  const told: string[] = [];
  const ground = new Ground();
  try {
    const before = loadNow();
    const receiver = await startReceivers(ground);
    const pairs: Pair[] = [];
    for (const part of partsOf(options, PARTS)) {
      const beside = part === 'bullmq' ? besideBullMq : besidePgBoss;
      const pair = await beside(ground, receiver.url, sizes);
      if (typeof pair === 'string') told.push(pair, '');
      else pairs.push(pair);
    }
    const all = pairs.flatMap(({ gateway, peers }) => [gateway, ...peers]);
    if (CORES > 1) shareCores(ground, all, receiver);
    await roundsInTurn(receiver.url, all, sizes, sizes['warm-up']);
    return [
      `Events beside queues: ${sizes.rounds} rounds of ${sizes.round / 1000} s in turn, ${sizes['at-once']} at once, each delivered to one receiver; medians.`,
      CORES > 1
        ? 'Each program and its database server share one core; load and receiver have another.'
        : 'There is one core for all of it.',
      '',
      ...table(pairs),
      ...told,
      `(${before} before, ${loadNow()} after)`,
    ];
  } finally {
    await ground.clear();
  }
}

function table(pairs: Pair[]): string[] {
  const row = ({ name, accepted, forwarded, cpu, databaseCpu }: Forwarder) =>
    [
      name.padEnd(24),
      ...[accepted, forwarded, cpu, databaseCpu].map((values) => median(values).toFixed(0).padStart(14)),
    ].join('');
  const against = (gateway: Forwarder, peer: Forwarder) =>
    `${gateway.name} ÷ ${peer.name}: delivered/s ${medianRatio(gateway.forwarded, peer.forwarded).toFixed(2)}, CPU ${medianRatio(gateway.cpu, peer.cpu).toFixed(2)}`;
  return [
    `${''.padEnd(24)}${['received/s', 'delivered/s', 'µs CPU/event', 'its database'].map((head) => head.padStart(14)).join('')}`,
    ...pairs.flatMap(({ gateway, peers }) => [gateway, ...peers].map(row)),
    '',
    ...pairs.flatMap(({ gateway, peers }) => peers.map((peer) => against(gateway, peer))),
    '',
  ];
}

/** @returns a sentence if Redis is not installed */
async function besideBullMq(ground: Ground, receiver: string, sizes: Sizes): Promise<Pair | string> {
  const redis = await startRedis(ground);
  if (!redis) return 'BullMQ is missing: it needs redis-server (Debian: apt-get install redis-server).';
  const stand = await ground.prepare(await ground.sqlite('gateway'), [[`${receiver}/hook`]]);
  const gateway = contender(ground, 'gateway, SQLite', await ground.start(stand), sizes);
  const words = [receiver, APP_SECRET, String(redis.port)];
  const bullMq = await startProgram('../peers/bullmq.cjs', ...words);
  ground.atEnd(bullMq.end);
  return { gateway, peers: [contender(ground, 'BullMQ', bullMq, sizes, () => [redis.pid])] };
}

async function besidePgBoss(ground: Ground, receiver: string, sizes: Sizes): Promise<Pair> {
  const ours = await ownPostgres(ground);
  const stand = await ground.prepare(ours.url, [[`${receiver}/hook`]]);
  const gateway = contender(ground, 'gateway, PostgreSQL', await ground.start(stand), sizes, ours.pids);
  const peers: Forwarder[] = [];
  for (const [name, ...words] of [['pg-boss'], ['pg-boss, grouped', 'grouped']] as const) {
    const { url, pids } = await ownPostgres(ground);
    const program = await startProgram('../peers/pg-boss.cjs', receiver, APP_SECRET, url, ...words);
    ground.atEnd(program.end);
    peers.push(contender(ground, name, program, sizes, pids));
  }
  return { gateway, peers };
}

/** Installs the queues beside their programs. @returns a sentence if that failed */
function installQueues(): string | null {
  const words = [
    'ci',
    '--prefix',
    __dirname,
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
  ];
  const run = spawnSync('npm', words, { encoding: 'utf8' });
  return run.status === 0 ? null : `npm could not install the queues:\n${run.stderr || String(run.error)}`;
}

function contender(
  ground: Ground,
  name: string,
  program: { url: string; pid: number },
  { 'at-once': atOnce }: Sizes,
  database?: () => number[],
): Forwarder {
  const one = forwarder(name, program, atOnce, undefined, database);
  ground.atEnd(() => one.load.end());
  return one;
}

/** Starts a PostgreSQL server for one program, so that its CPU time is counted apart. */
async function ownPostgres(ground: Ground): Promise<{ url: string; pids: () => number[] }> {
  const own = new Ground();
  ground.atEnd(() => own.clear());
  const server = await own.postgresServer();
  return { url: await own.postgres(), pids: () => processesOf(server) };
}

/** Starts Redis so that it loses nothing that it acknowledged; null if it is not installed. */
async function startRedis(ground: Ground): Promise<{ port: number; pid: number } | null> {
  if (spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status !== 0) return null;
  const port = await freePort();
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: ground.folder,
    appendonly: 'yes',
    appendfsync: 'always',
    // No snapshots beside the append-only file.
    save: '',
    // BullMQ's documentation requires it.
    'maxmemory-policy': 'noeviction',
  };
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn('redis-server', words, { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  ground.atEnd(() => {
    child.kill('SIGKILL');
    return ended;
  });
  await untilOpen(port);
  return { port, pid: child.pid ?? 0 };
}

async function untilOpen(port: number): Promise<void> {
  for (let turn = 0; ; turn++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    if (turn > 100) throw new Error('Redis does not listen');
    await wait(50);
  }
}
