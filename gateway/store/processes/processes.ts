import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely';
import { anyUpdated, COUNT, countOf, firstOf } from '../rows';
import { isPostgres } from '../is-postgres';
import { inTransaction } from '../commit/retry-on-conflict';
import { type OwnerTable, type ProcessTable, type Schema } from '../schema';
import { migrations } from '../migrations';
import { ALL_ROLES, roleText, type ProcessRole, type ProcessRoles } from '../../process-roles';
import { notifyDispatchers } from './wake';

const LATEST_STEP = Object.keys(migrations('sqlite')).at(-1) ?? '';

/** An ISO time this many seconds from now, by the database's clock, so that machines need not agree on the time. */
const databaseTime = (db: Kysely<Schema>, seconds: number): RawBuilder<string> =>
  isPostgres(db)
    ? sql`to_char(clock_timestamp() at time zone 'utc' + make_interval(secs => ${seconds}::float8), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`${seconds} seconds`})`;

/** The kind of marks in `alert_marks` for processes that vanished without being stopped. */
export const GONE_MARK = 'process_gone';

/** A starting process replaces a vanished one: the one with its name, or else the one that vanished first. */
async function takePlace(trx: Kysely<Schema>, name: string): Promise<void> {
  const gone = trx.selectFrom('alert_marks').where('kind', '=', GONE_MARK);
  const own = await gone.select('subject').where('subject', '=', name).executeTakeFirst();
  const oldest = own ?? (await gone.select('subject').orderBy('at').limit(1).executeTakeFirst());
  if (!oldest) return;
  await trx
    .deleteFrom('alert_marks')
    .where('kind', '=', GONE_MARK)
    .where('subject', '=', oldest.subject)
    .execute();
}

/** Seconds within which every process learns about the pause of a destination. */
const JUST_PAUSED = 60;

const tellOwnerless = (trx: Kysely<Schema>, freed: Pick<OwnerTable, 'destination_id'>[]): Promise<void> =>
  notifyDispatchers(trx, { ownerless: freed.map((one) => one.destination_id) });

/** Ends all leases of these processes. */
async function freeLeases(trx: Kysely<Schema>, processIds: string[]): Promise<void> {
  const freed = await trx
    .deleteFrom('owners')
    .where('process_id', 'in', processIds)
    .returning('destination_id')
    .execute();
  await tellOwnerless(trx, freed);
}

/** The running processes. */
export const processTable = (db: Kysely<Schema>) => ({
  /**
   * Stores a heartbeat.
   * @param name by which the process is recognised after a restart
   * @param roles stored with the first heartbeat
   * @returns false if the process was not known, or no longer: others may then have its leases
   */
  async keepAlive(
    id: string,
    name: string,
    seconds: number,
    roles: ProcessRoles = ALL_ROLES,
  ): Promise<boolean> {
    const until = databaseTime(db, seconds);
    const known = db.updateTable('processes').set({ alive_until: until }).where('id', '=', id);
    if (await anyUpdated(known)) return true;
    await inTransaction(db, async (trx) => {
      await trx
        .insertInto('processes')
        .values({ id, name, alive_until: until, step: LATEST_STEP, roles: roleText(roles) })
        .execute();
      await takePlace(trx, name);
    });
    return false;
  },

  /**
   * Transfers the leases of earlier processes with the same name. Only for a process that has reserved the name.
   * @param mayOwn false for a process that does not deliver: others get the leases
   */
  succeed: (id: string, name: string, mayOwn = true): Promise<void> =>
    inTransaction(db, async (trx) => {
      const before = await trx
        .deleteFrom('processes')
        .where('name', '=', name)
        .where('id', '<>', id)
        .returning('id')
        .execute();
      if (!before.length) return;
      const ids = before.map((one) => one.id);
      if (!mayOwn) return freeLeases(trx, ids);
      await trx.updateTable('owners').set({ process_id: id }).where('process_id', 'in', ids).execute();
    }),

  /** Whether this process is the leader (lowest id), which runs the jobs that only one process may run. */
  async isFirst(id: string): Promise<boolean> {
    const first = await db.selectFrom('processes').select('id').orderBy('id').limit(1).executeTakeFirst();
    return first?.id === id;
  },

  /** The names and roles of all running processes, the leader first. */
  all: (): Promise<Pick<Selectable<ProcessTable>, 'id' | 'name' | 'roles'>[]> =>
    db.selectFrom('processes').select(['id', 'name', 'roles']).orderBy('id').execute(),

  /** The number of running processes with a role. */
  count: (role: ProcessRole): Promise<number> =>
    countOf(
      db
        .selectFrom('processes')
        .select(COUNT)
        .where((row) => row.or([row('roles', 'is', null), row('roles', 'like', `%${role}%`)])),
    ),

  /** Whether a process is running that does not know a migration. @param step the name of the migration */
  async isAnyBefore(step: string): Promise<boolean> {
    const alive = db.selectFrom('processes').select('id').where('alive_until', '>', databaseTime(db, 0));
    const before = alive.where((row) => row.or([row('step', 'is', null), row('step', '<', step)]));
    return (await firstOf(before.limit(1))) !== null;
  },

  /** Ends the leases of processes whose heartbeats stopped. @returns the names of these processes */
  clearEnded: (): Promise<string[]> =>
    inTransaction(db, async (trx) => {
      const ended = await trx
        .deleteFrom('processes')
        .where('alive_until', '<', databaseTime(db, 0))
        .returning(['id', 'name'])
        .execute();
      const names = ended.flatMap(({ name }) => name ?? []);
      if (!ended.length) return names;
      if (names.length)
        await trx
          .insertInto('alert_marks')
          .values(names.map((subject) => ({ kind: GONE_MARK, subject, value: '', at: databaseTime(db, 0) })))
          .onConflict((conflict) => conflict.columns(['kind', 'subject']).doNothing())
          .execute();
      await freeLeases(
        trx,
        ended.map(({ id }) => id),
      );
      return names;
    }),

  /**
   * Ends leases of unknown processes and on removed destinations. Also deletes the `arrivals` of removed and paused
   * destinations, because the owner reads everything after a resume. The rows of a recently paused destination stay:
   * its owner may not know about the pause yet, or miss a short one, and still relies on them.
   */
  clearUnknown: (): Promise<void> =>
    inTransaction(db, async (trx) => {
      const known = trx.selectFrom('processes').select('id');
      const freed = await trx
        .deleteFrom('owners')
        .where((row) =>
          row.or([
            row('process_id', 'not in', known),
            row(
              'destination_id',
              'in',
              row.selectFrom('destinations').select('id').where('removed_at', 'is not', null),
            ),
          ]),
        )
        .returning('destination_id')
        .execute();
      await trx
        .deleteFrom('arrivals')
        .where('destination_id', 'in', (row) =>
          row
            .selectFrom('destinations')
            .select('id')
            .where((one) =>
              one.or([
                one('removed_at', 'is not', null),
                one('paused_at', '<', databaseTime(trx, -JUST_PAUSED)),
              ]),
            ),
        )
        .execute();
      if (freed.length) await tellOwnerless(trx, freed);
    }),

  /** Removes a stopping process and its leases. */
  leave: (id: string): Promise<void> =>
    inTransaction(db, async (trx) => {
      await trx.deleteFrom('processes').where('id', '=', id).execute();
      await freeLeases(trx, [id]);
    }),

  /** Removes all processes, for a database that only one process uses. */
  async removeAll(): Promise<void> {
    await db.deleteFrom('processes').execute();
  },
});

/** The leases: which process sends to which destination. */
export const ownerTable = (db: Kysely<Schema>) => ({
  all: (): Promise<OwnerTable[]> => db.selectFrom('owners').selectAll().execute(),

  /** Makes a process the owner of those destinations that have none. @returns the owners of all of them */
  async acquire(processId: string, destinationIds: number[]): Promise<OwnerTable[]> {
    const ids = [...destinationIds].sort((one, other) => one - other);
    await db
      .insertInto('owners')
      .values(ids.map((destination_id) => ({ destination_id, process_id: processId })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return db.selectFrom('owners').selectAll().where('destination_id', 'in', ids).execute();
  },

  /**
   * Ends leases of a process.
   * @returns the destinations whose leases ended
   */
  giveUp: (processId: string, destinationIds: number[]): Promise<number[]> =>
    inTransaction(db, async (trx) => {
      const freed = await trx
        .deleteFrom('owners')
        .where('process_id', '=', processId)
        .where('destination_id', 'in', destinationIds)
        .returning('destination_id')
        .execute();
      await tellOwnerless(trx, freed);
      return freed.map((one) => one.destination_id);
    }),

  /** Other transactions that are recording deliveries now. PostgreSQL only. */
  async openRecordings(): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      select distinct virtualtransaction as id from pg_locks
      where relation = 'deliveries'::regclass and mode = 'RowExclusiveLock' and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())`.execute(db);
    return rows.map(({ id }) => id);
  },
});
