import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { Client, Pool } from 'pg';
import { SettingError } from '../errors';
import { rateLimitsInMemory, type RateLimits } from '../primitives/rate-limit';
import { MINUTE, SECOND, type Clock } from '../time';
import { alertFacts } from './reports/alert-facts';
import { alertTable, alertTurns } from './tables/alerts';
import { automationPauseTable } from './tables/automation-pauses';
import { auditTable, type Actor, type AuditEntry } from './tables/audit';
import { deliveriesInAll, deliveryTable } from './tables/deliveries';
import { conversationList } from './reports/conversation-list';
import { deliveryList } from './reports/delivery-list';
import { eventList } from './reports/event-list';
import { searchTables } from './reports/search';
import { destinationReport, lastAttempts, latestAttempts } from './reports/destination-report';
import { destinationTable } from './tables/destinations';
import { eventTable } from './tables/events';
import { gatheringTable } from './tables/gathering';
import { postgresFollowers, sqliteFollowers, type Followers } from './processes/followers';
import { backlogReport } from './reports/backlog';
import { glanceTable } from './reports/glance';
import { groupCommit } from './commit/group-commit';
import { historyTables } from './reports/history';
import { idempotencyKeyTable } from './tables/idempotency-keys';
import { lineTable } from './tables/lines';
import { messageList } from './reports/message-list';
import { messageTable } from './tables/messages';
import { migrations } from './migrations';
import { openingRefused, refuseSeveralHosts } from './opening-refused';
import { arrivalWakes } from './postgres/arrival-wakes';
import { buildIndexes } from './postgres/indexes';
import { ASK_TIME, databaseClock } from './postgres/clock';
import { refuseTransactionPooler } from './postgres/own-session';
import { openPool } from './postgres/pool';
import { askedInTurn, planByIndex, prepareStatements } from './postgres/session';
import { withTlsMode } from './postgres/tls-mode';
import { sharedRates, type SharedRates } from './postgres/rates';
import { commitWrites, isFaultOfData } from './postgres/writes';
import { RepeatingPostgresDialect } from './postgres/dialect';
import { postgresSockets, type PostgresSockets } from './postgres/sockets';
import { ownerTable, processTable } from './processes/processes';
import { registryTable } from './processes/registry';
import { replayTable } from './tables/replays';
import { type Schema } from './schema';
import { latestStep, mayMigrate, type Opener } from './migrations/schema-version';
import { inTransaction, wasRolledBack } from './commit/retry-on-conflict';
import { secretTable } from './tables/secrets';
import { linkTable, sessionTable } from './tables/sessions';
import { sharingReader, SqliteThreadDialect, SqliteWriter } from './sqlite/dialect';
import { lockForGateway } from './sqlite/lock';
import { refuseLost } from './sqlite/restore';
import {
  isFaultOfData as isFaultOfSqliteData,
  lateSqliteThread,
  startSqliteThread,
  type SqliteRequest,
} from './sqlite/thread';
import { templateTable } from './tables/templates';
import { tokenTable } from './tables/tokens';
import { traceTable } from './reports/traces';
import { notifyDispatchers, readWake, WAKE_CHANNEL, type Wake } from './processes/wake';
import { userTable } from './tables/users';
import { type Vault } from './vault';
import { optOutTable } from './tables/opt-outs';
import { failingSince } from './reports/failing-since';
import { queuedTable } from './tables/queued';
import { questionTable } from './tables/questions';
import { windowTable } from './tables/windows';
import { writability } from './commit/write-health';
import { rowsOfWrite, sizeOfWrite, type Write, type Written } from './commit/writes';

/** What a database offers beneath the tables. */
interface Database extends Followers {
  dialect: 'sqlite' | 'postgres';
  db: Kysely<Schema>;
  /** For what people look through, which may take its time: all else does not wait behind it. */
  looks: Kysely<Schema>;
  /** For what waits to be delivered: however many queues read it, no write waits for its connection behind them. */
  queues: Kysely<Schema>;
  /** Durable once it resolves. */
  write<Of extends Write>(write: Of): Promise<Written<Of['kind']>>;
  /** Resolves where writes succeed, as far as is known (`commit/write-health.ts`). @throws what is wrong */
  canWrite(): Promise<void>;
  /** Has the next caller of `canWrite` write something small first. */
  doubtWrites(): void;
  /** Writes that are not committed yet, those of rates too, and the size of what they hold. */
  waiting(): { writes: number; bytes: number };
  /** Bytes that are free where the database is; null where only its own server knows. */
  freeSpace(): Promise<number | null>;
  /** Bytes of a SQLite database that are in use: as many as `scrub` writes anew; null for PostgreSQL. */
  usedSpace(): Promise<number | null>;
  /**
   * Leaves nothing of what was removed in the files of a SQLite database. A PostgreSQL sees to its own.
   * @param of `file`: it is written anew, while every other write waits, and takes its size twice more; `log`: only where
   *   it is small, and the log of what was written. What was removed is written over in any case, but SQLite leaves copies
   *   of single rows in unused parts of pages when it divides one.
   * @returns false where somebody read or wrote all the while, so that the log still holds it
   */
  scrub(of: 'log' | 'file'): Promise<boolean>;
  /** Calls the listener whenever another process may have changed the registry. */
  listen(listener: () => void): void;
  /** Calls the listener with what is told of deliveries, here or by other processes; with null where something may have been missed. */
  onWake(listener: (wake: Wake | null) => void): void;
  /** Tells the listeners of all processes; on SQLite that of this one, which is the only gateway. */
  wake(wake: Wake): Promise<void>;
  /** @returns whether no other process bears this one's name, from now until this one ends */
  holdProcessName(): Promise<boolean>;
  /** Once its tables are there. */
  ready(): Promise<void>;
  /** The time, by one clock for all processes on the database. */
  clock: Clock;
  /** Limits that hold for all processes on the database. */
  rateLimits(clock: Clock): RateLimits;
  close(): Promise<void>;
}

export type Store = Awaited<ReturnType<typeof openStore>>;

/**
 * Opens the database, and makes its tables or brings them up to date if the opener may (`migrations/schema-version.ts`).
 * @param url `sqlite:PATH` (made if it is not there) or `postgres://…`
 * @param opener a gateway keeps a SQLite file from other gateways until it is closed
 * @param machine the clock of this machine
 * @param processName by which this process is known again after a restart
 * @throws SettingError when it cannot be opened.
 */
export async function openStore(
  url: string,
  opener: Opener = 'first command',
  machine: Clock = Date.now,
  processName: string = randomUUID(),
) {
  refuseSeveralHosts(url);
  const database = await openDatabase(withTlsMode(url), opener, machine, processName).catch(
    (error: unknown) => {
      throw error instanceof SettingError ? error : openingRefused(url, error);
    },
  );
  const { db, looks, queues, ...offered } = database;
  return {
    ...offered,
    ...tables(db, looks, queues),
    processName,
    /**
     * Makes a change and its entry in the audit in one transaction. Only the tables that `change` is given are in it;
     * SQLite has one connection for all that is not hot, so whoever uses others there waits for himself.
     * @param change may be done more than once
     * @param entry told what the change came to
     */
    audited: <T>(
      vault: Vault,
      at: string,
      actor: Actor,
      entry: (changed: T) => AuditEntry | null,
      change: (inside: Tables) => Promise<T>,
    ): Promise<T> =>
      inTransaction(db, async (trx) => {
        const inside = tables(trx);
        const changed = await change(inside);
        const done = entry(changed);
        if (done) await inside.audit.add(vault, at, actor, done);
        return changed;
      }),
  };
}

export type Tables = ReturnType<typeof tables>;

/** @param looks through which people look; @param queues through which queues are read; in a transaction the same */
const tables = (db: Kysely<Schema>, looks = db, queues = db) => ({
  lines: lineTable(db),
  tokens: tokenTable(db),
  templates: templateTable(db, looks),
  destinations: destinationTable(db),
  events: eventTable(db),
  messages: messageTable(db),
  windows: windowTable(db),
  optOuts: optOutTable(db, looks),
  automationPauses: automationPauseTable(db),
  questions: questionTable(db),
  gathering: gatheringTable(db),
  deliveries: { ...deliveryTable(db), ...deliveriesInAll(looks) },
  deliveryList: deliveryList(looks),
  eventList: eventList(looks),
  search: searchTables(looks),
  conversationList: conversationList(looks),
  destinationReport: destinationReport(looks),
  lastAttempts: lastAttempts(looks),
  latestAttempts: latestAttempts(looks),
  messageList: messageList(looks),
  history: historyTables(looks),
  processes: processTable(db),
  owners: ownerTable(db),
  queued: queuedTable(queues),
  failingSince: failingSince(queues),
  registry: registryTable(db),
  idempotencyKeys: idempotencyKeyTable(db),
  users: userTable(db),
  sessions: sessionTable(db),
  links: linkTable(db),
  audit: auditTable(looks),
  glance: glanceTable(looks),
  // What alerts ask every ten seconds, of a gateway that rests too, starts no thread of SQLite.
  backlog: { ...backlogReport(looks), oldestDueAt: backlogReport(db).oldestDueAt },
  replays: replayTable(db),
  secrets: secretTable(db),
  traces: traceTable(db),
  alerts: { ...alertTable(db), inTurn: alertTurns(db) },
  alertFacts: alertFacts(db),
});

async function openDatabase(
  url: string,
  opener: Opener,
  machine: Clock,
  processName: string,
): Promise<Omit<Database, 'ready'> & { migrated: Migrated | null }> {
  const alone = opener === 'gateway';
  const { ready, ...database } = url.startsWith('sqlite:')
    ? await openSqlite(url.slice('sqlite:'.length), alone, machine)
    : openPostgres(url, machine, processName);
  try {
    if (alone && database.dialect === 'postgres') await refuseTransactionPooler(url);
    const before = await latestStep(database.db);
    if (await mayMigrate(database.db, database.dialect, opener)) {
      if (database.dialect === 'sqlite') await migrate(database.db, 'sqlite');
      else await migratePostgres(url);
    }
    const after = await latestStep(database.db);
    await ready();
    const migrated =
      before !== null && after !== null && before !== after ? { from: before, to: after } : null;
    return { ...database, migrated };
  } catch (error) {
    await database.close().catch(() => undefined);
    throw error;
  }
}

/** The latest step of the tables before and after they were brought up to date. */
interface Migrated {
  from: string;
  to: string;
}

async function migrate(db: Kysely<Schema>, dialect: Database['dialect']): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations(dialect) },
    // A step may land after one with a higher number.
    allowUnorderedMigrations: true,
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/** SQLSTATE. */
const LOCK_NOT_AVAILABLE = '55P03';

/** Any number, by which processes that start together let one of them build indexes. */
const BUILDING_INDEXES = 7_264_013;

/** A migration that waits for a table has all who come after it wait: in milliseconds, what a commit may take. */
const LONGEST_IN_THE_WAY = 500;

/** On a connection of its own, which may be silent for as long as a large table takes. */
async function migratePostgres(url: string): Promise<void> {
  const pool = new Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: 5 * SECOND,
    // Asked, and no parameter of the connection, which poolers refuse. pg waits for it, though its type does not say so.
    // eslint-disable-next-line @typescript-eslint/no-misused-promises
    onConnect: (client) => client.query(`set lock_timeout = ${LONGEST_IN_THE_WAY}`),
  });
  // One that breaks between two tries is replaced; one that breaks while it is asked fails what was asked.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  try {
    while (!(await gotItsLocks(migrate(db, 'postgres')))) await wait(SECOND);
    await sql`set lock_timeout = 0`.execute(db);
    // Whoever waited within a query would be waited for by the one that builds.
    while (!(await isFirstToBuild(db))) await wait(SECOND / 5);
    await buildIndexes(db);
  } finally {
    await db.destroy();
  }
}

/** False where others, such as a dump, hold on to what it needs: nothing has changed, and it may be tried again. */
async function gotItsLocks(migrating: Promise<void>): Promise<boolean> {
  try {
    await migrating;
    return true;
  } catch (error) {
    if (wasRolledBack(error) || (error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

async function isFirstToBuild(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ isFirst: boolean }>`
    select pg_try_advisory_lock(${BUILDING_INDEXES}) as "isFirst"`.execute(db);
  return rows[0]?.isFirst ?? false;
}

/** SQLite has no channel between processes: a glance at the revision this often, some microseconds each. */
const SQLITE_GLANCE = SECOND / 4;
/** On PostgreSQL a notification tells at once; the glance finds what was missed while the connection was away. */
const POSTGRES_GLANCE = 2 * SECOND;

async function openSqlite(path: string, alone: boolean, machine: Clock): Promise<Database> {
  refuseLost(path);
  mkdirSync(dirname(path), { recursive: true });
  // Read by SQLite when it opens its first file. Others may read /tmp, and in a container nobody may write there.
  process.env.SQLITE_TMPDIR ??= resolve(dirname(path));
  const unlock = alone ? lockForGateway(path) : () => {};
  const hot = lateSqliteThread({ path });
  const writer = new SqliteWriter(lateSqliteThread({ path }));
  const reader = lateSqliteThread({ path, readOnly: true }, MINUTE);
  const looking = lateSqliteThread({ path, readOnly: true }, MINUTE);
  const close = async () => {
    // Those that only read come first: the last one that closes writes the log back and removes it, which they cannot.
    for (const thread of [looking, reader, writer.thread, hot]) await thread.close();
    unlock();
  };
  // Makes the file, which those that only read need; and what cannot be written is told at the start.
  await writer.thread.ask(ASK_NOTHING).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const db = new Kysely<Schema>({
    dialect: new SqliteThreadDialect({ writer, reader: sharingReader(writer, reader) }),
  });
  const looks = new Kysely<Schema>({ dialect: new SqliteThreadDialect({ writer, reader: looking }) });
  const { noted, canWrite, doubtWrites } = writability(() => registryTable(db).touch());
  const commits = groupCommit<Write, Written>({
    commit: noted((writes) => hot.ask<Written[]>({ kind: 'writes', writes })),
    sizeOf: sizeOfWrite,
    rowsOf: rowsOfWrite,
    isFaultOfData: isFaultOfSqliteData,
    transactionsInFlight: 1,
  });
  let glance: NodeJS.Timeout | undefined;
  let onWake: (wake: Wake) => void = () => {};
  return {
    dialect: 'sqlite',
    db,
    looks,
    queues: db,
    write: commits.write as Database['write'],
    canWrite,
    doubtWrites,
    waiting: commits.waiting,
    freeSpace: () => statfs(dirname(path)).then(({ bavail, bsize }) => bavail * bsize),
    usedSpace: () => usedSpaceOf(db),
    scrub: (of) => scrubSqlite(path, of),
    listen: (listener) => {
      glance = setInterval(listener, SQLITE_GLANCE).unref();
    },
    ...sqliteFollowers(db, path),
    onWake: (listener) => {
      onWake = listener;
    },
    wake: async (wake) => onWake(wake),
    holdProcessName: async () => true,
    clock: machine,
    ready: async () => undefined,
    rateLimits: rateLimitsInMemory,
    async close() {
      clearInterval(glance);
      await Promise.all([commits.drained(), writer.drained()]);
      await close();
    },
  };
}

async function usedSpaceOf(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ used: number }>`
    select (page_count - freelist_count) * page_size as used
    from pragma_page_count, pragma_freelist_count, pragma_page_size`.execute(db);
  return rows[0]?.used ?? 0;
}

const ASK_NOTHING: SqliteRequest = { kind: 'query', sql: 'select 1', parameters: [] };

/** How often it is tried to cut the log off; more often once the file was written anew, which is not done again for that. */
const CUTS = { log: 20, file: 200 };
/** Milliseconds for which each try may hold up other writers. */
const LONGEST_CUT = 250;

/** Bytes of a file that is written anew in less than half a second. */
const SMALL_FILE = 50 * 1024 * 1024;

/** On a connection of its own: none of the others waits for this one's answers. */
async function scrubSqlite(path: string, of: 'log' | 'file'): Promise<boolean> {
  const thread = await startSqliteThread({ path });
  const ask = (sql: string) =>
    thread.ask<{ rows: { busy?: number }[] }>({ kind: 'query', sql, parameters: [] });
  try {
    if (of === 'file' || (await stat(path)).size < SMALL_FILE) await ask('vacuum');
    await ask(`pragma busy_timeout = ${LONGEST_CUT}`);
    for (let tried = 0; tried < CUTS[of]; tried++) {
      const { rows } = await ask('pragma wal_checkpoint(truncate)');
      if (rows[0]?.busy === 0) return true;
      await wait(LONGEST_CUT);
    }
    return false;
  } finally {
    await thread.close();
  }
}

/**
 * Connections of one process, beside the one on which it listens; for what people look through; for what it writes and
 * takes from limits; and for its queues.
 */
const MOST_CONNECTIONS = 6;
const MOST_LOOKS = 3;
const MOST_FOR_WRITES = 3;
const MOST_FOR_QUEUES = 3;

function openPostgres(url: string, machine: Clock, processName: string): Database {
  const clock = databaseClock(machine);
  const sockets = postgresSockets();
  const pool = openPool(url, sockets, MOST_CONNECTIONS);
  const ofLooks = openPool(url, sockets, MOST_LOOKS);
  const ofWrites = openPool(url, sockets, MOST_FOR_WRITES, planByIndex, true, () => doubtWrites());
  const ofQueues = openPool(url, sockets, MOST_FOR_QUEUES, prepareStatements);
  const on = (one: Pool) => new Kysely<Schema>({ dialect: new RepeatingPostgresDialect({ pool: one }) });
  const [db, looks, queues] = [on(pool), on(ofLooks), on(ofQueues)];
  const { noted, canWrite, doubtWrites } = writability(() => registryTable(db).touch());
  const commits = groupCommit<Write, Written>({
    commit: noted((writes) => commitWrites(ofWrites, wakes.tell, writes)),
    sizeOf: sizeOfWrite,
    rowsOf: rowsOfWrite,
    isFaultOfData,
    transactionsInFlight: 2,
  });
  const wakes = arrivalWakes(pool);
  const rates: SharedRates[] = [];
  async function keepTime(connection: Pick<Client, 'query'>): Promise<void> {
    const asked = machine();
    const { rows } = await connection.query<{ now: number }>(ASK_TIME);
    clock.heard(asked, rows[0]?.now ?? asked);
  }
  const { sayOn, ...followers } = postgresFollowers(db);
  const listening = listenToPostgres(url, sockets, keepTime, sayOn, processName);
  return {
    dialect: 'postgres',
    db,
    looks,
    queues,
    write: commits.write as Database['write'],
    canWrite,
    doubtWrites,
    waiting: () =>
      [commits, ...rates].reduce(
        (all, one) => {
          const { writes, bytes } = one.waiting();
          return { writes: all.writes + writes, bytes: all.bytes + bytes };
        },
        { writes: 0, bytes: 0 },
      ),
    freeSpace: async () => null,
    usedSpace: async () => null,
    scrub: async () => true,
    listen: listening.toRegistry,
    ...followers,
    onWake: listening.toWakes,
    wake: (wake) => notifyDispatchers(db, wake),
    holdProcessName: listening.holdProcessName,
    clock: clock.now,
    ready: () => keepTime(pool),
    rateLimits(by) {
      const shared = sharedRates(ofWrites, by);
      rates.push(shared);
      return shared.limits;
    },
    async close() {
      listening.stop();
      await Promise.all([commits, ...rates].map((one) => one.drained()));
      await wakes.drained();
      await Promise.all([db, looks, queues].map((one) => one.destroy()));
      // Kysely leaves alone what it has never used.
      await Promise.all([pool, ofLooks, ofWrites, ofQueues].map((one) => (one.ending ? null : one.end())));
    },
  };
}

/** A server that has not answered the simplest question for this long is away, whatever else it was asked. */
const POSTGRES_AWAY = 4 * SECOND;

/**
 * Holds one connection that is told of changes; where it breaks, the next glance opens it again. Each glance also asks
 * on it whether the server is there: what it answers at once however busy it is.
 */
function listenToPostgres(
  url: string,
  sockets: PostgresSockets,
  ask: (connection: Client) => Promise<void>,
  greet: (connection: Client) => Promise<void>,
  processName: string,
) {
  let client: Client | null = null;
  /** The same, once it is connected. */
  let connected: Client | null = null;
  let stopped = false;
  let glance: NodeJS.Timeout | undefined;
  let onRegistry = () => {};
  let onWake: (wake: Wake | null) => void = () => {};

  /** Whether the lock on this process's name is held; told once it was tried. */
  const holdsName = Promise.withResolvers<boolean>();

  /** The lock lasts as long as the connection does: whoever finds it free knows that nobody else bears the name. */
  async function lockName(opened: Client): Promise<void> {
    const { rows } = await opened.query<{ held: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as held',
      [`messaging-gateway ${processName}`],
    );
    holdsName.resolve(rows[0]?.held ?? false);
  }

  const forget = (broken: Client) => {
    if (client === broken) client = connected = null;
    broken.end().catch(() => undefined);
  };

  function askWhetherThere(asked: Client): void {
    const giveUpSilent = sockets.sinceNow();
    let isAnswered = false;
    // Judged after what has arrived while this process was busy is read.
    const judge = () => {
      if (isAnswered || client !== asked) return;
      giveUpSilent();
      forget(asked);
    };
    const late = setTimeout(() => setImmediate(judge), POSTGRES_AWAY).unref();
    ask(asked)
      .catch(() => forget(asked))
      .finally(() => {
        isAnswered = true;
        clearTimeout(late);
      });
  }

  async function connect(): Promise<void> {
    const opened = askedInTurn(
      new Client({
        connectionString: url,
        connectionTimeoutMillis: 5 * SECOND,
        stream: () => sockets.open(),
      }),
    );
    const began = performance.now();
    const giveUpSilent = sockets.sinceNow();
    client = opened;
    opened.on('error', () => forget(opened));
    opened.on('notification', ({ channel, payload }) =>
      channel === WAKE_CHANNEL ? onWake(readWake(payload)) : onRegistry(),
    );
    try {
      await opened.connect();
      await opened.query(`listen registry; listen ${WAKE_CHANNEL}`);
      await greet(opened);
      if (stopped) return forget(opened);
      await lockName(opened);
      connected = opened;
      // What changed while nobody listened.
      onRegistry();
      onWake(null);
    } catch {
      forget(opened);
      if (performance.now() - began > POSTGRES_AWAY) giveUpSilent();
    }
  }

  /** From the first listener on: commands that only edit need no connection for it. */
  function start(): void {
    if (glance) return;
    glance = setInterval(() => {
      if (connected) askWhetherThere(connected);
      else if (!client) void connect();
      onRegistry();
    }, POSTGRES_GLANCE).unref();
    void connect();
  }

  return {
    toRegistry(listener: () => void): void {
      onRegistry = listener;
      start();
    },
    toWakes(listener: (wake: Wake | null) => void): void {
      onWake = listener;
      start();
    },
    /** Waits for the connection. */
    holdProcessName(): Promise<boolean> {
      start();
      return holdsName.promise;
    },
    stop(): void {
      stopped = true;
      clearInterval(glance);
      if (client) forget(client);
    },
  };
}
