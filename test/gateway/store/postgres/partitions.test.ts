import { Kysely, PostgresDialect } from 'kysely';
import { Client, Pool } from 'pg';
import { clearOldEvents } from '../../../../gateway/forwarding/retention';
import { divideEvents as divideAsLeader } from '../../../../gateway/housekeeping/divide-events';
import { eventIdBefore, eventTime } from '../../../../gateway/store/event-id';
import { onOwnConnection } from '../../../../gateway/store/postgres/own-connection';
import { divideEvents } from '../../../../gateway/store/postgres/partitions';
import { type Schema } from '../../../../gateway/store/schema';
import { openStore, type WholeStore } from '../../../../gateway/store/store';
import { DAY, HOUR } from '../../../../gateway/time';
import { until } from '../../../support/http-peer';
import { createDatabase } from '../../../support/postgres';
import { openStores, owed, record, tried } from '../support';

const WEEK = 7 * DAY;
const open = openStores();
const clients: Client[] = [];
afterEach(() => Promise.all(clients.splice(0).map((client) => client.end())));

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  clients.push(client);
  return client;
}

/** The name of an event of this time, without `evt_`. */
const named = (time: number, name: string): string => `${eventIdBefore(time).slice('evt_'.length)}${name}`;

/** The partitions of a table by name, with their number of rows. */
async function partitions(client: Client, table: string): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = '${table}'::regclass order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows) {
    const of = await client.query<{ count: string }>(`select count(*) from ${name}`);
    counts[name] = Number(of.rows[0]?.count);
  }
  return counts;
}

/** When the last partition of events begins. */
async function lastFrom(client: Client): Promise<number> {
  const { rows } = await client.query<{ bounds: string }>(
    `select pg_get_expr(relpartbound, oid) as bounds from pg_class where relispartition and relname like 'events_2%'`,
  );
  return Math.max(...rows.map(({ bounds }) => eventTime(/'(\w+)'/.exec(bounds)?.[1] ?? '')));
}

/** A database with an event from before it was divided, delivered. */
async function divided() {
  const url = await createDatabase();
  const store = await open(url);
  const client = await connected(url);
  const now = Date.now();
  await record(store, [owed(named(now, 'before'), [1])]);
  await tried(store, 1, named(now, 'before'), { to: 1 }, { state: 'delivered' });
  await store.divideEvents();
  return { url, store, client, next: await lastFrom(client) };
}

const deliver = async (store: WholeStore, name: string): Promise<void> => {
  await record(store, [owed(name, [1])]);
  await tried(store, 1, name, { to: 1 }, { state: 'delivered' });
};

test('a table becomes the first partition, and others follow it in time', async () => {
  const { store, client, next } = await divided();
  const [before = ''] = (await store.deliveries.ofDestination(1)).map(({ event_id: id }) => id);
  await deliver(store, named(next, 'after'));
  for (const table of ['events', 'deliveries', 'attempts']) {
    const of = await partitions(client, table);
    expect(Object.values(of).sort()).toEqual([1, 1]);
    expect(of[`${table}_first`]).toBe(1);
  }
  expect((await store.deliveryList.event(before))?.attempts).toHaveLength(1);
  const sequences = (await store.deliveries.ofDestination(1)).map(({ sequence }) => Number(sequence));
  expect(sequences).toEqual([sequences[0], Number(sequences[0]) + 1]);
  // Divided already.
  await store.divideEvents();
  expect(Object.keys(await partitions(client, 'events'))).toHaveLength(2);
});

test('an event is recorded once, also where the repeat is in the next partition', async () => {
  const { url, store, next } = await divided();
  const [first, repeat] = [owed(named(next - DAY, 'first'), [1]), owed(named(next + DAY, 'repeat'), [1])];
  expect(await record(store, [first])).toEqual([first.id]);
  expect(await record(store, [{ ...repeat, identity: first.identity }])).toEqual([]);
  // Two processes, on both sides of the moment at which the next partition begins.
  const other = await open(url);
  const sides = [-1, 1].map((side) => owed(named(next + side, 'same'), [1]));
  for (let round = 0; round < 20; round++) {
    const identity = `message:round ${round}`;
    const fresh = await Promise.all(
      sides.map((one, index) =>
        record(index ? other : store, [{ ...one, id: `${one.id}${round}`, identity }]),
      ),
    );
    expect([round, fresh.flat().length]).toEqual([round, 1]);
  }
});

test('what is older than its retention goes with its partition, except where a delivery is pending', async () => {
  const { url, store, client, next } = await divided();
  const [gone, waits] = [named(next + DAY, 'gone'), named(next + DAY, 'waits')];
  const kept = named(next + WEEK + DAY, 'kept');
  await deliver(store, gone);
  const later = next - HOUR;
  await onOwnConnection(url, 0, (db) => divideEvents(db, later));
  await deliver(store, kept);
  const clear = (now: number) =>
    clearOldEvents({ store, clock: () => now, kept: { bodies: null, events: 30 * DAY } }, () => true);
  const names = async () => Object.keys(await partitions(client, 'events'));
  const ids = async () => (await store.deliveries.ofDestination(1)).map(({ event_id: id }) => id);

  // The first partition has no beginning: its rows are deleted one by one, until it ends.
  await clear(next - 1 + 30 * DAY);
  expect(await ids()).toEqual([`evt_${gone}`, `evt_${kept}`]);
  expect(await names()).toHaveLength(3);
  await clear(next + 32 * DAY);
  expect(await ids()).toEqual([`evt_${gone}`, `evt_${kept}`]);
  expect(await names()).toHaveLength(2);

  await record(store, [owed(waits, [1])]);
  await clear(next + WEEK + 32 * DAY);
  expect(await ids()).toEqual([`evt_${waits}`, `evt_${kept}`]);
  await tried(store, 1, waits, { to: 1 }, { state: 'delivered' });
  await clear(next + WEEK + 32 * DAY);
  expect(await ids()).toEqual([`evt_${kept}`]);
  for (const table of ['events', 'deliveries', 'attempts'])
    expect(Object.values(await partitions(client, table))).toEqual([1]);
});

test.each(['an empty', 'a filled'])(
  'a division that fails leaves %s partition for all later events',
  async (kind) => {
    const { url, store, client, next } = await divided();
    if (kind === 'a filled') await deliver(store, named(next + DAY, 'within'));
    const day = new Date(next + WEEK).toISOString().slice(0, 10).replaceAll('-', '');
    await client.query(`create table events_${day} ()`);
    await expect(onOwnConnection(url, 0, (db) => divideEvents(db, next - HOUR))).rejects.toThrow('exists');
    const later = owed(named(next + WEEK, 'later'), [1]);
    expect(await record(store, [later])).toEqual([later.id]);
  },
);

test('an event of a time to come prevents a division, and no later event', async () => {
  const { url, store, client, next } = await divided();
  const divide = () => onOwnConnection(url, 0, (db) => divideEvents(db, next - HOUR));
  await deliver(store, named(next + 3 * WEEK, 'to come'));
  await divide();
  expect(Object.keys(await partitions(client, 'events'))).toHaveLength(2);
  // Nor does a delivery without its event.
  await client.query(`delete from events where id = 'evt_${named(next + 3 * WEEK, 'to come')}'`);
  await expect(divide()).rejects.toThrow('violated');
  const later = owed(named(next + 2 * WEEK, 'later'), [1]);
  expect(await record(store, [later])).toEqual([later.id]);
});

test('nobody waits while the rows of a filled partition are checked', async () => {
  const { url, store, client, next } = await divided();
  await deliver(store, named(next + DAY, 'within'));
  const { rows } = await client.query<{ name: string }>('select current_database() as name');
  await client.query(`alter database ${rows[0]?.name} set client_min_messages = debug1`);
  const notices: (string | undefined)[] = [];
  const pool = new Pool({ connectionString: url, max: 1 });
  pool.on('connect', (one) => one.on('notice', ({ message }) => notices.push(message)));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  await divideEvents(db, next - HOUR);
  await db.destroy();
  const proved = notices.filter((one) => one?.endsWith('is implied by existing constraints'));
  expect(proved).toHaveLength(3);
});

test('a division that waits for another program ends when the store is closed', async () => {
  const url = await createDatabase();
  const store = await openStore(url);
  const [client, reader] = [await connected(url), await connected(url)];
  await reader.query('begin; select from events limit 1');
  const dividing = expect(store.divideEvents()).rejects.toThrow();
  // Between two tries.
  const pausing = `select from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory'
    and datname = current_database() and state = 'idle' and query = 'rollback'`;
  await until(async () => (await client.query(pausing)).rows.length > 0);
  await store.close();
  await dividing;
});

test('events that are kept for years are in no more than 60 partitions', async () => {
  const { url, client, next } = await divided();
  await onOwnConnection(url, 0, async (db) => {
    for (let week = 0; week < 62; week++) await divideEvents(db, next + week * WEEK);
  });
  expect(Object.keys(await partitions(client, 'deliveries'))).toHaveLength(60);
});

test('a missing index of a divided table is built in each partition', async () => {
  const { url, client } = await divided();
  const definitions = `select indexdef from pg_indexes where tablename like 'events%' and indexdef like '%(line_id, id)%'
    order by tablename`;
  const before = await client.query(definitions);
  expect(before.rows).toHaveLength(3);
  await client.query('drop index events_line');
  await (await openStore(url, 'gateway')).close();
  const after = await client.query<{ indexdef: string }>(definitions);
  expect(after.rows).toHaveLength(3);
  expect(after.rows[0]).toEqual(before.rows[0]);
});

test('nothing is divided beside a process of an earlier version, nor by a clock that is ahead', async () => {
  const url = await createDatabase();
  const store = await open(url);
  const client = await connected(url);
  const names = async () => Object.keys(await partitions(client, 'events'));
  await store.processes.keepAlive('a', 'one', 60);
  await store.processes.keepAlive('b', 'other', 60);
  await client.query(`update processes set step = '061-process-roles' where id = 'b'`);
  const divide = (processId: string, told = Date.now()) =>
    divideAsLeader({ store, clock: Date.now, cloudApi: { time: async () => told } }, processId);
  await divide('a');
  expect(await names()).toEqual([]);
  await client.query(`update processes set step = '062-partitions' where id = 'b'`);
  await divide('b');
  expect(await names()).toEqual([]);
  await divide('a', Date.now() - WEEK);
  expect(await names()).toEqual([]);
  await divide('a');
  expect(await names()).toHaveLength(2);
});

test('a partition that became longer than a week does not keep what is too old', async () => {
  const { store, client, next } = await divided();
  const [old, recent] = [named(next + DAY, 'old'), named(next + 5 * WEEK, 'recent')];
  await deliver(store, old);
  await deliver(store, recent);
  const now = next + 40 * DAY;
  await clearOldEvents({ store, clock: () => now, kept: { bodies: null, events: 30 * DAY } }, () => true);
  expect((await store.deliveries.ofDestination(1)).map(({ event_id: id }) => id)).toEqual([`evt_${recent}`]);
  expect(Object.keys(await partitions(client, 'events'))).toHaveLength(1);
});

test('beside a program that keeps a table locked, old rows are deleted one by one, and a stop does not wait', async () => {
  const { url, store, client, next } = await divided();
  await onOwnConnection(url, 0, (db) => divideEvents(db, next - HOUR));
  await deliver(store, named(next + DAY, 'old'));
  await client.query('begin; select from events limit 1');
  const kept = { bodies: null, events: 30 * DAY };
  let asked = 0;
  const wait = () => ++asked > 1;
  await clearOldEvents({ store, clock: () => next + WEEK + 32 * DAY, kept }, wait);
  expect(await store.deliveries.ofDestination(1)).toEqual([]);
  await client.query('commit');
  expect(Object.values(await partitions(client, 'events'))).toEqual([0, 0, 0]);
});
