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

/** Migrations by name, in order. None was taken in an empty database. */
export interface Steps {
  taken: string[];
  missing: string[];
}

/**
 * The migrations of a database. Missing ones run when a gateway starts, but not in a command, because the running
 * gateway may be of the previous version. An empty database has no gateway.
 * @throws SettingError if the program is older than the database, if a command is newer, or if a command finds no
 * tables
 */
export async function stepsOf(
  db: Kysely<Schema>,
  dialect: 'sqlite' | 'postgres',
  opener: Opener,
): Promise<Steps> {
  const known = Object.keys(migrations(dialect));
  const taken = await stepsTaken(db, dialect, opener);
  const missing = known.filter((name) => !taken.includes(name));
  const strange = taken.filter((name) => !known.includes(name));
  if (strange.length)
    throw new SettingError(
      `The database is of a newer version of this program, which took the step ${strange.at(-1)}. Run that version or a later one, or put back a backup from before the upgrade.`,
    );
  if (opener === 'command' && !taken.length)
    throw new SettingError(
      'The database that GATEWAY_DATABASE_URL names has no tables of a gateway. Set GATEWAY_DATABASE_URL to the database of the gateway, or start the gateway first, which makes the tables.',
    );
  if (opener !== 'gateway' && taken.length && missing.length)
    throw new SettingError(
      'The database is of an older version of this program. Start the gateway first: that brings it up to date. Then repeat this command.',
    );
  return { taken, missing };
}

async function stepsTaken(
  db: Kysely<Schema>,
  dialect: 'sqlite' | 'postgres',
  opener: Opener,
): Promise<string[]> {
  const { rows: tables } =
    dialect === 'sqlite'
      ? await sql`select 1 from sqlite_schema where name = 'kysely_migration'`.execute(db)
      : await sql`select 1 where to_regclass('kysely_migration') is not null`.execute(db);
  if (!tables.length) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  const taken = rows.map(({ name }) => name);
  const renamed = Object.entries(RENAMED).filter(
    ([before]) => opener === 'gateway' && taken.includes(before),
  );
  for (const [before, name] of renamed)
    await sql`update kysely_migration set name = ${name} where name = ${before}`.execute(db);
  return renamed.length ? stepsTaken(db, dialect, opener) : taken;
}
