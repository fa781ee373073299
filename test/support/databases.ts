import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from './postgres';

/**
 * Environment variables with the template databases: current tables, no rows. A file for SQLite, a name for
 * PostgreSQL.
 */
export const TEMPLATES = { sqlite: 'TEST_SQLITE_TEMPLATE', postgres: 'TEST_POSTGRES_TEMPLATE' };

/** Creates a folder for one test. `own-folder.ts` deletes it after the test file. */
export const temporaryFolder = (): string =>
  mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), 'gateway-test-'));

function createSqlite(template = process.env[TEMPLATES.sqlite]): string {
  const file = join(temporaryFolder(), 'gateway.db');
  if (template) copyFileSync(template, file);
  return `sqlite:${file}`;
}

/**
 * Both databases, for `describe.each(DATABASES)`. `createUrl` returns the URL of a new database with tables
 * and without rows, `createBareUrl` one without tables.
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
