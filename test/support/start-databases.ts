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
 * More connections than the default 100, because several gateways run in each of the parallel test files.
 * Maintenance for long-lived databases is off, because it costs processor time and each database serves one
 * test.
 */
const FLAGS = ['max_connections=200', 'autovacuum=off', 'jit=off', 'bgwriter_lru_maxpages=0'].flatMap(
  (one) => ['-c', one],
);

/**
 * Starts PostgreSQL for all test files of this run, on a free port and in its own folder. Creates one
 * template per database, so that migrations run only once.
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

/** Uses the build directly, because `runtime.js` redirects only imports in tests. */
async function makeTables(url: string): Promise<void> {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { openStore } = require('../../gateway/build/store/store') as typeof Store;
  await (await openStore(url)).close();
}
