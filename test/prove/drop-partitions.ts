import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { eventIds } from '../../gateway/store/event-id';
import { onOwnConnection } from '../../gateway/store/postgres/own-connection';
import { divideEvents, partsOf } from '../../gateway/store/postgres/partitions';
import { openStore } from '../../gateway/store/store';
import { DAY, isoTime, MINUTE, SECOND } from '../../gateway/time';
import { until } from '../support/http-peer';
import { type Proof } from './proof';
import { setUnderLoad } from './under-load';

const WEEKS = 12;
const KEPT_DAYS = 30;
const OF_A_BATCH = 5000;
/** Milliseconds. The first clearing begins a minute after the start. */
const MOST_WAIT = 3 * MINUTE;

export const dropPartitions: Proof<{ events: number; rate: number; held: number }> = {
  name: 'drop-partitions',
  proves:
    'old weeks of events are dropped under load as soon as no other program reads them, and no acknowledged event is lost or late for good',
  on: ['PostgreSQL'],
  // `held`: seconds for which another program reads the tables after the first clearing has begun.
  sizes: { events: 1_000_000, rate: 200, held: 20 },

  async run(stage) {
    const { events, rate, held } = stage.sizes;
    const faults: string[] = [];
    await fillWeeks(stage.databaseUrl, events);
    const partitions = () => onOwnConnection(stage.databaseUrl, 0, (db) => partsOf(db, 'events'));
    const watcher = new Client({ connectionString: stage.databaseUrl });
    await watcher.connect();
    stage.atEnd(() => watcher.end());
    // Needs no lock of the table.
    const count = async () =>
      (await watcher.query(`select from pg_inherits where inhparent = 'events'::regclass`)).rowCount ?? 0;
    const before = await count();
    stage.tell(`${events} events of ${WEEKS} weeks are in ${before} partitions`);
    const reader = new Client({ connectionString: stage.databaseUrl });
    await reader.connect();
    stage.atEnd(() => reader.end());
    // As a dump does.
    await reader.query('begin; lock table events in access share mode');

    const load = await setUnderLoad(stage, rate, { GATEWAY_KEEP_EVENTS: String(KEPT_DAYS) });
    const isWaiting = async () =>
      (
        await watcher.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and query ilike 'lock table%'`,
        )
      ).rowCount !== 0;
    await until(isWaiting, MOST_WAIT, () => 'nothing asked for the lock of the tables');
    stage.tell('the gateway waits for the tables, which another program reads');
    const first = load.producer.took.length;
    await wait(held * SECOND);
    const tookWhileHeld = load.producer.took.slice(first);
    if (tookWhileHeld.length < (held * rate) / 2)
      faults.push(`Only ${tookWhileHeld.length} events were taken while another program read the tables`);
    if ((await count()) !== before) faults.push('A partition was dropped while it was read');
    const second = load.producer.took.length;
    await reader.query('commit');
    const isExpired = ({ to }: { to: string | null }) => to !== null && to < expiredBefore();
    await until(
      async () => !(await partitions()).some(isExpired),
      MOST_WAIT,
      () => ['old partitions were not dropped', ...faults].join('; '),
    );
    await wait(2 * SECOND);
    const whileDropped = longestOf(load.producer.took.slice(second));

    const left = await count();
    const { figures, faults: lost } = await load.finish();
    return {
      figures: {
        ...{ 'partitions before': before, 'partitions after': left },
        'longest answer while another program read, in ms': longestOf(tookWhileHeld),
        'longest answer while they were dropped, in ms': whileDropped,
        ...figures,
      },
      faults: [...faults, ...lost],
    };
  },
};

/** The id before which all partitions must go. */
const expiredBefore = () => eventIds(() => Date.now() - KEPT_DAYS * DAY)();

const longestOf = (took: number[]): number => Math.round(Math.max(0, ...took));

/** Makes the tables as gateways of the last weeks would have divided them, with delivered events of all this time. */
async function fillWeeks(databaseUrl: string, count: number): Promise<void> {
  const store = await openStore(databaseUrl);
  await store.close();
  const now = Date.now();
  const from = now - WEEKS * 7 * DAY;
  await onOwnConnection(databaseUrl, 0, async (db) => {
    for (let at = from; at <= now; at += 7 * DAY) await divideEvents(db, at);
  });
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('set synchronous_commit = off');
  let at = from;
  const eventId = eventIds(() => at);
  for (let first = 0; first < count; first += OF_A_BATCH) {
    const size = Math.min(OF_A_BATCH, count - first);
    const [ids, times] = [new Array<string>(size), new Array<string>(size)];
    for (let index = 0; index < size; index++) {
      at = Math.floor(from + ((now - from) * (first + index)) / count);
      [ids[index], times[index]] = [eventId(), isoTime(at)];
    }
    await client.query(
      `with old as (select * from unnest($1::text[], $2::text[]) as old (id, at)),
        events as (
          insert into events (id, line_id, subject, kind, identity, contact, body, received_at)
          select id, 1, 'message', 'text', 'message:' || id, '16505550000', '{}', at from old),
        deliveries as (
          insert into deliveries (destination_id, event_id, lane, state, attempts, due_at, finished_at)
          select 1, id, '16505550000', 'delivered', 1, at, at from old)
        insert into attempts (destination_id, event_id, number, started_at, duration_ms, http_status, outcome)
        select 1, id, 1, at, 12, 200, 'delivered' from old`,
      [ids, times],
    );
  }
  await client.end();
}
