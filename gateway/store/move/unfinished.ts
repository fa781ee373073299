import { sql, type Kysely } from 'kysely';
import { SettingError } from '../../errors';
import { type Schema } from '../schema';

/** Exists in a PostgreSQL database from the beginning to the end of a move, with one row about the SQLite database. */
export const MOVE_SOURCE = 'move_source';
/** As long: one row per table, with what is copied so far. */
export const MOVE_TABLES = 'move_tables';

/**
 * @throws SettingError if the database has only a part of the rows of a SQLite database. A gateway would deliver and
 * acknowledge without the rest.
 */
export async function refuseUnfinishedMove(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ isThere: boolean }>`
    select to_regclass(${MOVE_SOURCE}) is not null as "isThere"`.execute(db);
  if (rows[0]?.isThere)
    throw new SettingError(
      'The database that GATEWAY_DATABASE_URL names holds an unfinished copy of a SQLite database. Run "migrate-to" again, with GATEWAY_DATABASE_URL of the SQLite database: it continues where it stopped.',
    );
}
