import { sql, type Kysely } from 'kysely';
import { SettingError } from '../../errors';
import { migrations } from '.';
import { type Schema } from '../schema';

/** Migrations that briefly had another name, before they were numbered in the order of landing. */
export const RENAMED = { '009-handshake': '008-handshake', '010-lists': '009-lists' };

/**
 * Who opens a database. A gateway upgrades it, the first command of a new gateway may create its tables, and every
 * other command needs existing tables.
 */
export type Opener = 'gateway' | 'first command' | 'command';

/**
 * Whether missing migrations may run now. They run when a gateway starts, but not in a command, because the running
 * gateway may be of the previous version. An empty database has no gateway.
 * @throws SettingError if the program is older than the database, if a command is newer, or if a command finds no
 * tables
 */
export async function mayMigrate(
  db: Kysely<Schema>,
  dialect: 'sqlite' | 'postgres',
  opener: Opener,
): Promise<boolean> {
  if (opener === 'gateway') await rename(db);
  const taken = await stepsTaken(db);
  const known = Object.keys(migrations(dialect));
  const strange = taken.filter((name) => !known.includes(name));
  if (strange.length)
    throw new SettingError(
      `The database is of a newer version of this program, which took the step ${strange.at(-1)}. Run that version or a later one, or put back a backup from before the upgrade.`,
    );
  if (opener === 'command' && !taken.length)
    throw new SettingError(
      'The database that GATEWAY_DATABASE_URL names has no tables of a gateway. Set GATEWAY_DATABASE_URL to the database of the gateway, or start the gateway first, which makes the tables.',
    );
  if (opener === 'gateway' || !taken.length) return true;
  if (known.some((name) => !taken.includes(name)))
    throw new SettingError(
      'The database is of an older version of this program. Start the gateway first: that brings it up to date. Then repeat this command.',
    );
  return false;
}

/** Null if the database is empty. */
export const latestStep = async (db: Kysely<Schema>): Promise<string | null> =>
  (await stepsTaken(db)).at(-1) ?? null;

/** In order; empty if the database is empty. */
async function stepsTaken(db: Kysely<Schema>): Promise<string[]> {
  if (!(await isThere(db))) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

async function rename(db: Kysely<Schema>): Promise<void> {
  if (!(await isThere(db))) return;
  for (const [before, name] of Object.entries(RENAMED))
    await sql`update kysely_migration set name = ${name} where name = ${before}`.execute(db);
}

async function isThere(db: Kysely<Schema>): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return tables.some(({ name }) => name === 'kysely_migration');
}
