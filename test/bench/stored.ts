import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type * as offlineModule from '../../gateway/cli/offline';
import type * as partitionsModule from '../../gateway/store/postgres/partitions';
import type * as retentionModule from '../../gateway/forwarding/retention';
import { eventIds } from '../../gateway/store/event-id';
import { DAY, isoTime } from '../../gateway/time';
import { rows } from '../support/rows';
import { notification, PHONE_NUMBER_ID, textFrom, WABA_ID } from '../support/test-gateway';
import { forwarder, head, row, roundsInTurn, steadyRound, type Forwarder } from './events';
import { loadOn, median, quantile, type Load } from './load';
import { sizesOf, type Options } from './options';
import { addOperator, lists } from './panel';
import { cpuOf, startProgram } from './processes';
import { textOf } from './sends';
import { Ground, loadNow, type Stand } from './stand';
import { type GatewayProcess } from '../support/gateway-process';

const shipped = createRequire(join(__dirname, '../../gateway/build/main.js'));
const { offline } = shipped('./cli/offline') as typeof offlineModule;
const { divideEvents } = shipped('./store/postgres/partitions') as typeof partitionsModule;
const { clearOldEvents } = shipped('./forwarding/retention') as typeof retentionModule;

/** `round` and `steady` in milliseconds. By hand: `--events 10000000`, which needs about 40 GB of disk. */
const USUAL = { events: 200_000, rounds: 5, round: 1500, 'at-once': 64, rate: 100, steady: 10_000 };
type Sizes = typeof USUAL;
const FEW = 1000;
/** The events span 100 days; those older than 90 days are deleted. */
const SPAN = 100 * DAY;
const OF_A_BATCH = 5000;

/** A gateway with stored events, and its measurements. */
interface Laden {
  stand: Stand;
  gateway: GatewayProcess;
  events: Forwarder;
  sends: Load;
  /** Microseconds of CPU time per send, per round. */
  sendCpu: number[];
}

/**
 * Compares few with many stored events and sends, whose IDs are as random as the platform's: the cost of one
 * more, and the time for pages of the panel. Then measures how long a write is delayed while old events are
 * deleted.
 */
export async function benchStored(options: Options): Promise<string[]> {
  const sizes = sizesOf(options, USUAL);
  const all = [];
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    if (options.on && options.on !== database.toLowerCase()) continue;
    const ground = new Ground();
    try {
      const before = loadNow();
      all.push(...(await benchOn(ground, database, sizes)), `(${before} before, ${loadNow()} after)`, '');
    } finally {
      await ground.clear();
    }
  }
  return all;
}

async function benchOn(ground: Ground, database: 'SQLite' | 'PostgreSQL', sizes: Sizes): Promise<string[]> {
  const [upstream, receiver] = [await startProgram('upstream'), await startProgram('receiver')];
  ground.atEnd(upstream.end);
  ground.atEnd(receiver.end);
  const load = async (count: number): Promise<Laden> => {
    const url = database === 'SQLite' ? await ground.sqlite(String(count)) : await ground.postgres();
    const more = { GATEWAY_UPSTREAM_URL: upstream.url, GATEWAY_LOG_IN_LIMIT: 'off' };
    const stand = await ground.prepare(url, [[`${receiver.url}/hook`]], more);
    if (database === 'PostgreSQL') await divide(stand);
    await (database === 'SQLite' ? fillSqlite(url, count) : fillPostgres(url, count));
    await addOperator(stand.env);
    const gateway = await ground.start(stand);
    const events = forwarder(String(count), gateway, sizes['at-once'], randomId);
    const sends = loadOn(gateway.url, sizes['at-once']);
    ground.atEnd(() => Promise.all([events.load.end(), sends.end()]));
    return { stand, gateway, events, sends, sendCpu: [] };
  };
  const began = performance.now();
  const many = await load(sizes.events);
  const filled = (performance.now() - began) / 1000;
  const few = await load(FEW);
  const both = [many, few];

  await roundsInTurn(
    receiver.url,
    both.map(({ events }) => events),
    sizes,
  );
  for (const one of both) await sendRound(one, sizes);
  for (const one of both) one.sendCpu = [];
  for (let round = 0; round < sizes.rounds; round++) for (const one of both) await sendRound(one, sizes);
  const pages = await lists(few, many);
  const cleared = await whileCleared(many, receiver.url, sizes);
  const cpuRow = (name: string, of: (one: Forwarder) => number) => row(many.events, few.events, name, of, 0);
  const sendCpu = new Map(both.map((one) => [one.events, median(one.sendCpu)]));
  return [
    `${database} with ${sizes.events} events and sends stored, of random ids, beside ${FEW}; rounds in turn, medians`,
    `(${await cacheOf(database, many.stand)}; filled in ${filled.toFixed(0)} s)`,
    '',
    head(many.events, few.events),
    cpuRow('µs CPU per event', ({ cpu }) => median(cpu)),
    cpuRow('events received → forwarded /s', ({ forwarded }) => median(forwarded)),
    cpuRow('µs CPU per send', (one) => sendCpu.get(one) ?? Number.NaN),
    '',
    `Panel, ms a page with ${FEW}, with ${sizes.events}:`,
    ...pages,
    '',
    ...cleared,
  ];
}

const randomId = (): string => `wamid.HBgLMTY1MDU1N${randomBytes(12).toString('hex')}`;

async function sendRound({ gateway, stand, sends, sendCpu }: Laden, sizes: Sizes): Promise<void> {
  const before = cpuOf(gateway.pid);
  const sent = await sends.atFullSpeed(textOf(stand.lines[0]?.token ?? ''), sizes.round, sizes['at-once']);
  sendCpu.push(((cpuOf(gateway.pid) - before) * 1000) / sent);
}

/** Measures latency at the steady rate, before and while the oldest events are deleted. */
async function whileCleared({ stand, events }: Laden, receiver: string, sizes: Sizes): Promise<string[]> {
  const told = async (name: string): Promise<string> => {
    Object.assign(events, { acknowledged: [], arrived: [] });
    await steadyRound(receiver, events, name, sizes);
    const [p50, p99, longest] = [0.5, 0.99, 1].map((part) => quantile(events.acknowledged, part).toFixed(1));
    return `answered p50 ${p50} ms, p99 ${p99} ms, longest ${longest} ms`;
  };
  const calm = await told('calm');
  let goesOn = true;
  const took: number[] = [];
  const clearing = offline(stand.env, ({ store, clock }) => {
    const timed =
      <Arguments extends unknown[], Result>(work: (...given: Arguments) => Promise<Result>) =>
      async (...given: Arguments): Promise<Result> => {
        const began = performance.now();
        return work(...given).finally(() => took.push(performance.now() - began));
      };
    const { remove, emptyBodies } = store.events;
    const of = {
      ...store,
      events: { ...store.events, remove: timed(remove), emptyBodies: timed(emptyBodies) },
    };
    return clearOldEvents({ store: of, clock, kept: { bodies: 30 * DAY, events: 90 * DAY } }, () => goesOn);
  });
  const cleared = await told('cleared');
  goesOn = false;
  await clearing;
  const sorted = took.sort((one, other) => one - other);
  return [
    `At ${sizes.rate}/s: ${calm}`,
    `while old ones are cleared away: ${cleared}`,
    `${took.length} batches: p50 ${quantile(sorted, 0.5).toFixed(0)} ms, longest ${quantile(sorted, 1).toFixed(0)} ms`,
  ];
}

async function cacheOf(database: 'SQLite' | 'PostgreSQL', { databaseUrl }: Stand): Promise<string> {
  if (database === 'SQLite') return 'page cache 8 MB a connection, as the gateway sets it';
  const [found] = await rows(databaseUrl, 'show shared_buffers');
  return `shared_buffers ${String(found?.shared_buffers)}`;
}

/** Values of a row, in the order of COLUMNS. */
type Values = (string | number | null)[];
type Table = keyof typeof COLUMNS;

const COLUMNS = {
  events: [
    ...['id', 'line_id', 'subject', 'kind', 'identity', 'contact', 'wamid', 'phone_number_id', 'waba_id'],
    ...['body', 'received_at'],
  ],
  deliveries: ['destination_id', 'event_id', 'lane', 'state', 'attempts', 'due_at', 'finished_at'],
  attempts: [
    ...['destination_id', 'event_id', 'number', 'started_at', 'duration_ms', 'http_status', 'outcome'],
    'answer',
  ],
  messages: ['line_id', 'wamid', 'contact', 'type', 'accepted_at'],
};

/**
 * Generates events with random contacts and IDs in order of time, delivered immediately, each with a send.
 */
function* stored(count: number): Generator<Record<Table, Values[]>> {
  const from = Date.now() - SPAN;
  let at = from;
  const eventId = eventIds(() => at);
  const body = JSON.stringify(
    notification(textFrom('16505550000', 'Is my order ready?', 'wamid.HBgLMTY1MDU1N')),
  );
  for (let first = 0; first < count; first += OF_A_BATCH) {
    const batch: Record<Table, Values[]> = { events: [], deliveries: [], attempts: [], messages: [] };
    for (let index = first; index < Math.min(count, first + OF_A_BATCH); index++) {
      at = Math.floor(from + (SPAN * index) / count);
      const [id, wamid, time] = [eventId(), randomId(), isoTime(at)];
      const contact = String(16505550000 + Math.floor((Math.random() * count) / 20));
      const identity = `message:${PHONE_NUMBER_ID}:${wamid}`;
      batch.events.push([
        ...[id, 1, 'message', 'text', identity, contact, wamid, PHONE_NUMBER_ID, WABA_ID, body, time],
      ]);
      batch.deliveries.push([1, id, contact, 'delivered', 1, time, time]);
      batch.attempts.push([1, id, 1, time, 12, 200, 'delivered', '']);
      batch.messages.push([1, randomId(), contact, 'text', time]);
    }
    yield batch;
  }
}

async function fillSqlite(databaseUrl: string, count: number): Promise<void> {
  const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length));
  database.exec('pragma journal_mode = off');
  database.exec('pragma synchronous = off');
  database.exec('pragma cache_size = -4000000');
  // Indexes are created at the end: with random IDs, inserting would rewrite them again and again.
  const indexes = database
    .prepare("select name, sql from sqlite_master where type = 'index' and sql is not null")
    .all();
  for (const { name } of indexes) database.exec(`drop index ${String(name)}`);
  for (const batch of stored(count)) {
    database.exec('begin');
    for (const [table, all] of Object.entries(batch) as [Table, Values[]][]) {
      const columns = COLUMNS[table];
      const insert = database.prepare(
        `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
      );
      for (const values of all) insert.run(...values);
    }
    database.exec('commit');
  }
  for (const { sql } of indexes) database.exec(String(sql));
  database.exec('pragma journal_mode = wal');
  database.close();
}

/** Divides the tables as a gateway does that has run for the whole span. */
const divide = (stand: Stand): Promise<void> =>
  offline(stand.env, ({ store }) =>
    store.db.connection().execute(async (one) => {
      for (let at = Date.now() - SPAN; at < Date.now(); at += 7 * DAY) await divideEvents(one, at);
    }),
  );

async function fillPostgres(databaseUrl: string, count: number): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('set synchronous_commit = off');
  await client.query("set maintenance_work_mem = '1GB'");
  const { rows: indexes } = await client.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes
      where schemaname = 'public' and indexname not in (select conname from pg_constraint)
        and tablename not in (select inhrelid::regclass::text from pg_inherits)`,
  );
  for (const { indexname } of indexes) await client.query(`drop index ${indexname}`);
  for (const batch of stored(count))
    for (const [table, all] of Object.entries(batch) as [Table, Values[]][]) {
      const columns = COLUMNS[table];
      const asRows = all.map((values) =>
        Object.fromEntries(columns.map((column, index) => [column, values[index]])),
      );
      await client.query(
        `insert into ${table} (${columns.join(', ')})
          select ${columns.join(', ')} from json_populate_recordset(null::${table}, $1)`,
        [JSON.stringify(asRows)],
      );
    }
  // `only` would leave the partitions without it.
  for (const { indexdef } of indexes) await client.query(indexdef.replace(' ON ONLY ', ' ON '));
  await client.query('vacuum analyze');
  await client.end();
}
