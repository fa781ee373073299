import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type * as Store from '../../gateway/store/store';
import build from './build';
import { DATA_ROOT } from './data-root';
import { TEMPLATES } from './databases';
import { createDatabase, postgresServer, URL_VARIABLE } from './postgres';

export interface Databases {
  stopDatabases?: () => Promise<void>;
}

/**
 * Its own 100 connections are few for several gateways in each of the files that run at once. What it does for large
 * databases over hours costs a processor here, where each of hundreds is filled for one test.
 */
const FLAGS = ['max_connections=200', 'autovacuum=off', 'jit=off', 'bgwriter_lru_maxpages=0'].flatMap(
  (one) => ['-c', one],
);

/**
 * Starts a real PostgreSQL for all test files of this run, on a free port and in a folder of its own, and makes of each
 * database one that is copied for each test: the steps to today's tables are gone through once.
 */
export default async function startDatabases(): Promise<void> {
  build();
  const folder = mkdtempSync(join(DATA_ROOT, 'gateway-databases-'));
  const server = await postgresServer({
    folder: mkdtempSync(join(DATA_ROOT, 'gateway-postgres-')),
    flags: FLAGS,
  });
  await server.start();
  (globalThis as Databases).stopDatabases = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  process.env[URL_VARIABLE] = server.url;
  const [file, url] = [join(folder, 'template.db'), await createDatabase()];
  await makeTables(`sqlite:${file}`);
  await makeTables(url);
  process.env[TEMPLATES.sqlite] = file;
  process.env[TEMPLATES.postgres] = new URL(url).pathname.slice(1);
}

/** With the build: tests that name the sources are led to it by `runtime.js`, and this file is none of them. */
async function makeTables(url: string): Promise<void> {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { openStore } = require('../../gateway/build/store/store') as typeof Store;
  await (await openStore(url)).close();
}
