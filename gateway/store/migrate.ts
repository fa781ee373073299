import { setTimeout as wait } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { SECOND } from '../time';
import { wasRolledBack } from './commit/retry-on-conflict';
import { type Database } from './database';
import { migrations } from './migrations';
import { stepsOf, type Opener } from './migrations/schema-version';
import { buildIndexes } from './postgres/indexes';
import { onOwnConnection } from './postgres/own-connection';
import { type Schema } from './schema';

/** The latest migration step before and after a migration. */
export interface Migrated {
  from: string;
  to: string;
}

/**
 * Creates or upgrades the tables, if the opener may (`migrations/schema-version.ts`).
 * @returns null if nothing changed, or if there were no tables before
 */
export async function migrateIfAllowed(
  { db, dialect }: Pick<Database, 'db' | 'dialect'>,
  url: string,
  opener: Opener,
): Promise<Migrated | null> {
  const { taken, missing } = await stepsOf(db, dialect, opener);
  if (dialect === 'sqlite') await migrate(db, 'sqlite', missing);
  else if (opener === 'gateway' || !taken.length) await migratePostgres(url, missing);
  const from = taken.at(-1);
  const to = [...taken, ...missing].toSorted().at(-1);
  return from !== undefined && to !== undefined && from !== to ? { from, to } : null;
}

async function migrate(db: Kysely<Schema>, dialect: Database['dialect'], missing: string[]): Promise<void> {
  // The migrator reads the columns of all tables first.
  if (!missing.length) return;
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations(dialect) },
    // Parallel branches can add a step after one with a higher number.
    allowUnorderedMigrations: true,
  });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/** SQLSTATE. */
const LOCK_NOT_AVAILABLE = '55P03';

/** The key (any number) of an advisory lock that lets one of several starting processes build the indexes. */
const BUILDING_INDEXES = 7_264_013;

/** How long a migration waits for a table lock, in milliseconds. All later queries on the table wait behind it. */
const LONGEST_IN_THE_WAY = 500;

const migratePostgres = (url: string, missing: string[]): Promise<void> =>
  onOwnConnection(url, LONGEST_IN_THE_WAY, async (db) => {
    while (!(await gotItsLocks(migrate(db, 'postgres', missing)))) await wait(SECOND);
    await sql`set lock_timeout = 0`.execute(db);
    // Polls, because an index build waits for all running queries, including one that waits for its lock.
    while (!(await isFirstToBuild(db))) await wait(SECOND / 5);
    await buildIndexes(db);
  });

/**
 * False if another program, such as a dump, holds the locks. Nothing has changed then, and the migration can be
 * retried.
 */
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
