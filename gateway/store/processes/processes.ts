import { sql, type Kysely, type RawBuilder } from 'kysely';
import { anyUpdated, COUNT, countOf } from '../rows';
import { isPostgres } from '../is-postgres';
import { inTransaction } from '../commit/retry-on-conflict';
import { type OwnerTable, type Schema } from '../schema';
import { notifyDispatchers } from './wake';

/** ISO time so many seconds from now, by the database's clock: machines need not agree about who is alive. */
const databaseTime = (db: Kysely<Schema>, seconds: number): RawBuilder<string> =>
  isPostgres(db)
    ? sql`to_char(clock_timestamp() at time zone 'utc' + make_interval(secs => ${seconds}::float8), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`${seconds} seconds`})`;

/** Marks of processes that are gone without having been stopped, in `alert_marks`. */
export const GONE_MARK = 'process_gone';

/** A process that starts takes the place of one that is gone: its own of before, or the one that is gone for longest. */
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

/** Seconds within which every process has heard that a destination is paused. */
const JUST_PAUSED = 60;

const tellOwnerless = (trx: Kysely<Schema>, freed: Pick<OwnerTable, 'destination_id'>[]): Promise<void> =>
  notifyDispatchers(trx, { ownerless: freed.map((one) => one.destination_id) });

/** The running processes, and to which destinations each of them sends. */
export const processTable = (db: Kysely<Schema>) => ({
  /**
   * @param name by which it is known again after a restart
   * @returns false where it was not known, or not any more: its leases have been given to others by then
   */
  async keepAlive(id: string, name: string, seconds: number): Promise<boolean> {
    const until = databaseTime(db, seconds);
    const known = db.updateTable('processes').set({ alive_until: until }).where('id', '=', id);
    if (await anyUpdated(known)) return true;
    await inTransaction(db, async (trx) => {
      await trx.insertInto('processes').values({ id, name, alive_until: until }).execute();
      await takePlace(trx, name);
    });
    return false;
  },

  /** Gives a process the leases of those that had its name before it. To be asked only by who alone bears it now. */
  succeed: (id: string, name: string): Promise<void> =>
    inTransaction(db, async (trx) => {
      const before = await trx
        .deleteFrom('processes')
        .where('name', '=', name)
        .where('id', '<>', id)
        .returning('id')
        .execute();
      if (!before.length) return;
      const ids = before.map((one) => one.id);
      await trx.updateTable('owners').set({ process_id: id }).where('process_id', 'in', ids).execute();
    }),

  /** Whether it is the one, of all that run, which does what one of them has to do. */
  async isFirst(id: string): Promise<boolean> {
    const first = await db.selectFrom('processes').select('id').orderBy('id').limit(1).executeTakeFirst();
    return first?.id === id;
  },

  /** All that run, by which name each is known again after a restart; what one of them has to do, the first does. */
  all: (): Promise<{ id: string; name: string | null }[]> =>
    db.selectFrom('processes').select(['id', 'name']).orderBy('id').execute(),

  count: (): Promise<number> => countOf(db.selectFrom('processes').select(COUNT)),

  /** Ends the leases of processes that have not said for too long that they live. @returns their names */
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
      const ids = ended.map(({ id }) => id);
      const freed = await trx
        .deleteFrom('owners')
        .where('process_id', 'in', ids)
        .returning('destination_id')
        .execute();
      await tellOwnerless(trx, freed);
      return names;
    }),

  /**
   * The same of processes that are in no list, and for destinations that are removed. What was told to the owners of those,
   * and of the ones that are paused, goes: who lets one go on reads all that waits for it. One that was paused just now is
   * left: its owner may not have heard of that yet, nor hear of it where it ends at once, and goes by what it is told.
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

  /** Ends all leases of a process, because it ends. */
  leave: (id: string): Promise<void> =>
    inTransaction(db, async (trx) => {
      const freed = await trx
        .deleteFrom('owners')
        .where('process_id', '=', id)
        .returning('destination_id')
        .execute();
      await trx.deleteFrom('processes').where('id', '=', id).execute();
      await tellOwnerless(trx, freed);
    }),

  /** Forgets all processes: for a database that one process has to itself. */
  async removeAll(): Promise<void> {
    await db.deleteFrom('processes').execute();
  },
});

/** Which process sends to which destination. */
export const ownerTable = (db: Kysely<Schema>) => ({
  all: (): Promise<OwnerTable[]> => db.selectFrom('owners').selectAll().execute(),

  /** Makes a process the owner of those that have none. @returns who owns each of them now */
  async acquire(processId: string, destinationIds: number[]): Promise<OwnerTable[]> {
    const ids = [...destinationIds].sort((one, other) => one - other);
    await db
      .insertInto('owners')
      .values(ids.map((destination_id) => ({ destination_id, process_id: processId })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return db.selectFrom('owners').selectAll().where('destination_id', 'in', ids).execute();
  },

  /** Ends leases of a process. @returns which it had */
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

  /** The transactions that change deliveries at this moment, other than this one. PostgreSQL only. */
  async openRecordings(): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      select distinct virtualtransaction as id from pg_locks
      where relation = 'deliveries'::regclass and mode = 'RowExclusiveLock' and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())`.execute(db);
    return rows.map(({ id }) => id);
  },
});
