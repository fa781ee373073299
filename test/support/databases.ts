import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from './postgres';

/** Under which the tests find databases that have the tables of this version and hold nothing: a file, and a name. */
export const TEMPLATES = { sqlite: 'TEST_SQLITE_TEMPLATE', postgres: 'TEST_POSTGRES_TEMPLATE' };

/** A folder of its own for one test. It goes with its test file's (`own-folder.ts`). */
export const temporaryFolder = (): string =>
  mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), 'gateway-test-'));

function createSqlite(template = process.env[TEMPLATES.sqlite]): string {
  const file = join(temporaryFolder(), 'gateway.db');
  if (template) copyFileSync(template, file);
  return `sqlite:${file}`;
}

/**
 * Both databases, for `describe.each(DATABASES)`: each call of `createUrl` gives the address of one that has the tables
 * and holds nothing, of `createBareUrl` of one without tables.
 */
export const DATABASES = [
  {
    name: 'SQLite',
    createUrl: async () => createSqlite(),
    createBareUrl: async () => createSqlite(''),
  },
  {
    name: 'PostgreSQL',
    createUrl: () => createDatabase(undefined, process.env[TEMPLATES.postgres]),
    createBareUrl: () => createDatabase(),
  },
];
