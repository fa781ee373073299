import { PostgresAdapter, type Kysely } from 'kysely';
import { type Schema } from './schema';

/** For the few queries that differ between SQLite and PostgreSQL. */
export const isPostgres = (db: Kysely<Schema>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;
