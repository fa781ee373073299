import { PostgresAdapter, type Kysely } from 'kysely';
import { type Schema } from './schema';

/** For the few questions that the two databases are asked in different words. */
export const isPostgres = (db: Kysely<Schema>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;
