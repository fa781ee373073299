import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import type * as offlineModule from '../../gateway/cli/offline';
import type * as destinationModule from '../../gateway/forwarding/destinations/destination-rows';
import { rows } from '../support/rows';
import { APP_SECRET } from '../support/test-gateway';
import { loadOn, median, quantile, type Load } from './load';
import { manyWrite, notificationRequest } from './notifications';
import { partsOf, sizesOf, type Options } from './options';
import { cpuOf, cpuOfAll, memoryOf, startProgram, type Program } from './processes';
import { CORES, Ground, loadNow, pin } from './stand';

const shipped = createRequire(join(__dirname, '../../gateway/build/main.js'));
const { offline } = shipped('./cli/offline') as typeof offlineModule;
const { markPaused, markResumed } = shipped(
  './forwarding/destinations/destination-rows',
) as typeof destinationModule;

/** `round` in milliseconds, `rate` per second. */
const USUAL = {
  rounds: 7,
  round: 2000,
  'at-once': 64,
  rate: 200,
  steady: 5000,
  backlog: 30_000,
  contacts: 1000,
};
type Sizes = typeof USUAL;

/** Accepted events must be forwarded within this time, in milliseconds. */
const FORWARDED_WITHIN = 300_000;
/** Messages per notification in the backlog. */
const OF_A_NOTIFICATION = 100;
const DESTINATIONS = 10;

const PARTS = {
  pinned: benchPinned,
  unpinned: benchUnpinned,
  steady: benchSteady,
  postgresql: benchPostgres,
  backlog: benchBacklog,
};

/** Measures notifications from the platform: recorded durably, answered, forwarded to a receiver. */
export async function benchEvents(options: Options): Promise<string[]> {
  const sizes = sizesOf(options, USUAL);
  const lines: string[] = [];
  for (const part of partsOf(options, Object.keys(PARTS) as (keyof typeof PARTS)[])) {
    const ground = new Ground();
    try {
      const before = loadNow();
      lines.push(...(await PARTS[part](ground, sizes)), `(${before} before, ${loadNow()} after)`, '');
    } finally {
      await ground.clear();
    }
  }
  return lines;
}

/** A program that accepts notifications and forwards them to a receiver, with its measurements. */
export interface Forwarder {
  name: string;
  pid: number;
  /** Processes of its database server. */
  database(): number[];
  load: Load;
  /** The ID of a message, by the name of the round and its number. */
  idOf(round: string, index: number): string;
  /** Events per second, per round. */
  accepted: number[];
  forwarded: number[];
  /** Microseconds of CPU time per event, per round, with its database server; and those of the server. */
  cpu: number[];
  databaseCpu: number[];
  /** Resident megabytes after each round. */
  memory: number[];
  /** Sorted milliseconds at the steady rate, of all rounds. */
  acknowledged: number[];
  arrived: number[];
}

export const forwarder = (
  name: string,
  { url, pid }: { url: string; pid: number },
  atOnce: number,
  idOf: Forwarder['idOf'] = (round, index) => `wamid.${name}-${round}-${index}`,
  database: Forwarder['database'] = () => [],
): Forwarder => ({
  name,
  pid,
  database,
  load: loadOn(url, atOnce),
  idOf,
  accepted: [],
  forwarded: [],
  cpu: [],
  databaseCpu: [],
  memory: [],
  acknowledged: [],
  arrived: [],
});

/**
 * Compares a gateway on SQLite with a forwarder that only keeps events in memory and with one that also
 * writes them to disk. Each runs on one core.
 */
async function benchPinned(ground: Ground, sizes: Sizes): Promise<string[]> {
  const { receiver, gateway, bare, durable } = await startForwarders(ground, sizes);
  const all = [gateway, bare, durable];
  const isPinned = CORES > 1;
  if (isPinned) {
    shareCores(ground, all, receiver);
  }
  await roundsInTurn(receiver.url, all, sizes, COMPILED_AFTER);
  return [
    `Events, SQLite: ${sizes.rounds} rounds of ${sizes.round / 1000} s in turn after ${COMPILED_AFTER} events, ${sizes['at-once']} at once, each forwarded to one receiver; medians.`,
    isPinned
      ? 'The gateway, or what stands beside it, has one core, load and receiver have another.'
      : 'There is one core for all of it.',
    '',
    ...report(gateway, bare),
    '',
    ...report(gateway, durable),
    '',
    'in memory: a bare program that checks the signature, answers and sends on; what it holds is lost when it ends.',
    'on disk: the same, which records the event before it answers and the attempt after it, and does nothing else.',
  ];
}

/** Gives one core to the programs that are compared, and another to the load and the receiver. */
export function shareCores(ground: Ground, all: Forwarder[], receiver: Program): void {
  all.flatMap(({ pid, database }) => [pid, ...database()]).forEach((pid) => pin(pid, 0));
  [process.pid, receiver.pid].forEach((pid) => pin(pid, 1));
  ground.atEnd(() => pin(process.pid));
}

/** Measures the gateway without the limit of one core. */
async function benchUnpinned(ground: Ground, sizes: Sizes): Promise<string[]> {
  const { receiver, gateway } = await startForwarders(ground, sizes);
  await roundsInTurn(receiver.url, [gateway], sizes);
  return [`Events, SQLite, on all cores: ${rates(gateway)}`];
}

/** Measures a steady rate at which nothing queues. */
async function benchSteady(ground: Ground, sizes: Sizes): Promise<string[]> {
  const { receiver, gateway, bare, durable } = await startForwarders(ground, sizes);
  const all = [gateway, bare, durable];
  for (const one of all) await fullSpeedRound(receiver.url, one, 'warm-up', sizes);
  for (let round = 0; round < Math.min(3, sizes.rounds); round++)
    for (const one of all) await steadyRound(receiver.url, one, `steady-${round}`, sizes);
  return [
    `Events, SQLite, at ${sizes.rate}/s, ms: from its being posted to`,
    '',
    ...reportSteady(gateway, bare),
    '',
    ...reportSteady(gateway, durable),
  ];
}

async function benchPostgres(ground: Ground, sizes: Sizes): Promise<string[]> {
  const receiver = await startReceivers(ground);
  const stand = await ground.prepare(await ground.postgres(), [[`${receiver.url}/hook`]]);
  const gateway = forwarder('gateway', await ground.start(stand), sizes['at-once']);
  ground.atEnd(() => gateway.load.end());
  await roundsInTurn(receiver.url, [gateway], sizes);
  return [`Events, PostgreSQL, on all cores: ${rates(gateway)}`];
}

/** Measures how fast queued events of paused destinations are delivered after a start. */
async function benchBacklog(ground: Ground, sizes: Sizes): Promise<string[]> {
  const lines = [`A backlog of ${sizes.backlog} deliveries of ${sizes.contacts} contacts drains:`];
  for (const [name, database] of [
    ['SQLite', () => ground.sqlite(`backlog-${lines.length}`)],
    ['PostgreSQL', () => ground.postgres()],
  ] as const)
    for (const destinations of [1, DESTINATIONS]) {
      const drained = await drain(ground, await database(), destinations, sizes);
      lines.push(
        `  ${name}, to ${destinations}: ${drained.aSecond.toFixed(0)}/s, ${drained.cpu.toFixed(0)} µs CPU each`,
      );
    }
  return lines;
}

async function drain(
  ground: Ground,
  databaseUrl: string,
  destinations: number,
  { backlog, contacts }: Sizes,
): Promise<{ aSecond: number; cpu: number }> {
  const receiver = await startReceivers(ground, destinations);
  const stand = await ground.prepare(databaseUrl, [receiver.urls.map((url) => `${url}/hook`)]);
  const ids = (await rows(databaseUrl, 'select id from destinations')).map(({ id }) => Number(id));
  await offline(stand.env, async (world) => {
    for (const id of ids) await markPaused(world, id, 'bench');
  });
  const recording = await ground.start(stand);
  const load = loadOn(recording.url, 4);
  const events = Math.ceil(backlog / destinations);
  let next = 0;
  const post = async () => {
    while (next < events) {
      const first = next;
      next += OF_A_NOTIFICATION;
      await load.post(manyWrite('backlog', first, Math.min(OF_A_NOTIFICATION, events - first), contacts));
    }
  };
  await Promise.all(Array.from({ length: 4 }, post));
  await load.end();
  await recording.end();
  await offline(stand.env, async (world) => {
    for (const id of ids) await markResumed(world, id);
  });

  const gateway = await ground.start(stand);
  await untilForwarded(receiver.url, 1);
  const [begun, cpu] = [performance.now(), cpuOf(gateway.pid)];
  const already = await countOf(receiver.url);
  await untilForwarded(receiver.url, events * destinations);
  const count = events * destinations - already;
  const result = {
    aSecond: (count * 1000) / (performance.now() - begun),
    cpu: ((cpuOf(gateway.pid) - cpu) * 1000) / count,
  };
  await gateway.end();
  return result;
}

/**
 * Events of one process until V8 has compiled its code. Two processes that share the events need twice as
 * many.
 */
export const COMPILED_AFTER = 30_000;

export async function startReceivers(ground: Ground, count = 1): Promise<Program> {
  const receiver = await startProgram('receiver', String(count));
  ground.atEnd(receiver.end);
  return receiver;
}

/** A gateway on SQLite, and the programs to compare it with. */
async function startForwarders(
  ground: Ground,
  sizes: Sizes,
): Promise<{ receiver: Program; gateway: Forwarder; bare: Forwarder; durable: Forwarder }> {
  const receiver = await startReceivers(ground);
  const stand = await ground.prepare(await ground.sqlite('gateway'), [[`${receiver.url}/hook`]]);
  const gateway = forwarder('gateway', await ground.start(stand), sizes['at-once']);
  const beside = async (name: string, program: string, ...more: string[]) => {
    const started = await startProgram(program, receiver.url, APP_SECRET, ...more);
    ground.atEnd(started.end);
    return forwarder(name, started, sizes['at-once']);
  };
  const bare = await beside('in memory', 'forwarder');
  const durable = await beside('on disk', 'durable-forwarder.cjs', join(ground.folder, 'durable.db'));
  for (const { load } of [gateway, bare, durable]) ground.atEnd(() => load.end());
  return { receiver, gateway, bare, durable };
}

type Rounds = Pick<Sizes, 'rounds' | 'round' | 'at-once'>;

/**
 * Runs rounds at full speed, with all forwarders in turn.
 * @param warmUp events of each before the first round; at least one round
 */
export async function roundsInTurn(
  receiver: string,
  all: Forwarder[],
  sizes: Rounds,
  warmUp = 0,
): Promise<void> {
  for (const one of all) {
    let events = 0;
    do events += await fullSpeedRound(receiver, one, `warm-up-${events}`, sizes);
    while (events < warmUp);
  }
  for (const one of all)
    Object.assign(one, { accepted: [], forwarded: [], cpu: [], databaseCpu: [], memory: [] });
  for (let round = 0; round < sizes.rounds; round++) {
    for (const one of all) await fullSpeedRound(receiver, one, `round-${round}`, sizes);
  }
}

const rates = ({ accepted, forwarded, cpu }: Forwarder): string =>
  `accepted ${median(accepted).toFixed(0)}/s, received → forwarded ${median(forwarded).toFixed(0)}/s, ${median(cpu).toFixed(0)} µs CPU each`;

export const row = (
  one: Forwarder,
  other: Forwarder,
  name: string,
  of: (of: Forwarder) => number,
  digits: number,
) => {
  const [first, second] = [of(one), of(other)];
  return [
    name.padEnd(34),
    first.toFixed(digits).padStart(12),
    second.toFixed(digits).padStart(12),
    (first / second).toFixed(2).padStart(8),
  ].join('');
};

export const head = (one: Forwarder, other: Forwarder): string =>
  `${''.padEnd(34)}${one.name.padStart(12)}${other.name.padStart(12)}${'ratio'.padStart(8)}`;

/** Shows two forwarders side by side, and the first as a multiple of the second. */
export const report = (one: Forwarder, other: Forwarder): string[] => [
  head(one, other),
  row(one, other, 'in /s', ({ accepted }) => median(accepted), 0),
  row(one, other, 'out /s', ({ forwarded }) => median(forwarded), 0),
  row(one, other, 'µs CPU per event', ({ cpu }) => median(cpu), 0),
  row(one, other, 'MB of memory', ({ memory }) => median(memory), 0),
];

export const reportSteady = (one: Forwarder, other: Forwarder): string[] => [
  head(one, other),
  row(one, other, 'its answer: p50', ({ acknowledged }) => quantile(acknowledged, 0.5), 2),
  row(one, other, '            p99', ({ acknowledged }) => quantile(acknowledged, 0.99), 2),
  row(one, other, 'first byte out: p50', ({ arrived }) => quantile(arrived, 0.5), 2),
  row(one, other, '                p99', ({ arrived }) => quantile(arrived, 0.99), 2),
];

/** @returns the number of events */
async function fullSpeedRound(
  receiver: string,
  one: Forwarder,
  name: string,
  sizes: Rounds,
): Promise<number> {
  await request(receiver, { method: 'DELETE' });
  const cpu = () => [cpuOf(one.pid), cpuOfAll(one.database())] as const;
  const before = cpu();
  const begun = performance.now();
  const posted = await one.load.atFullSpeed(
    (index) => notificationRequest(one.idOf(name, index), index),
    sizes.round,
    sizes['at-once'],
  );
  one.accepted.push((posted * 1000) / (performance.now() - begun));
  await untilForwarded(receiver, posted);
  one.forwarded.push((posted * 1000) / (performance.now() - begun));
  const after = cpu();
  const database = ((after[1] - before[1]) * 1000) / posted;
  one.cpu.push(((after[0] - before[0]) * 1000) / posted + database);
  one.databaseCpu.push(database);
  one.memory.push(memoryOf(one.pid));
  return posted;
}

/** Runs a round at a steady rate, at which nothing queues. */
export async function steadyRound(
  receiver: string,
  one: Forwarder,
  name: string,
  { rate, steady }: Pick<Sizes, 'rate' | 'steady'>,
): Promise<void> {
  await request(receiver, { method: 'DELETE' });
  const postedAt = new Map<string, number>();
  const acknowledged = await one.load.atRate(
    (index) => {
      const wamid = one.idOf(name, index);
      const made = notificationRequest(wamid, index);
      postedAt.set(wamid, Number(process.hrtime.bigint()));
      return made;
    },
    rate,
    steady,
  );
  await untilForwarded(receiver, acknowledged.length);
  const arrivals = (await (await request(`${receiver}/arrivals`)).body.json()) as Record<string, number>;
  const arrived = [...postedAt].map(([wamid, at]) => ((arrivals[wamid] ?? Number.NaN) - at) / 1e6);
  one.acknowledged = sorted([...one.acknowledged, ...acknowledged]);
  one.arrived = sorted([...one.arrived, ...arrived]);
}

const sorted = (numbers: number[]): number[] => numbers.sort((one, other) => one - other);

const countOf = async (receiver: string): Promise<number> =>
  ((await (await request(receiver)).body.json()) as { count: number }).count;

export async function untilForwarded(receiver: string, count: number): Promise<void> {
  const end = performance.now() + FORWARDED_WITHIN;
  for (;;) {
    const came = await countOf(receiver);
    if (came >= count) return;
    if (performance.now() > end) throw new Error(`Only ${came} of ${count} events were forwarded`);
    await wait(20);
  }
}
