import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SqliteError } from '../sqlite-error';
import { PROGRAM_FOLDER } from '../../program-folder';

export type SqliteRequest =
  | { kind: 'query'; sql: string; parameters: readonly unknown[] }
  /** @see flatWrites */
  | { kind: 'writes'; writes: unknown[] }
  /** In one transaction. The result has one entry per statement. */
  | { kind: 'statements'; statements: Statement[] }
  | { kind: 'close' };

export interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

export type SqliteReply = { id: number } & (
  { result: unknown } | { error: { message: string; code?: number } }
);

/** SQLite's result codes for invalid data in one statement: ERROR, TOOBIG, CONSTRAINT, MISMATCH. */
const CODES_OF_DATA = [1, 18, 19, 20];

/** Whether an error is caused by the written data rather than by the file or the disk. */
export const isFaultOfData = (error: unknown): boolean =>
  error instanceof SqliteError && CODES_OF_DATA.includes((error.code ?? 0) & 0xff);

/**
 * A worker thread with one connection to the file, which answers requests in order. If it crashes after opening the
 * file, the process crashes too: everything acknowledged is on disk, and a restart continues from there, while a
 * gateway without its database could only refuse requests.
 */
export interface SqliteThread {
  ask<T>(request: SqliteRequest): Promise<T>;
  close(): Promise<void>;
}

export interface SqliteFile {
  path: string;
  /** Requires an existing file. */
  readOnly?: boolean;
}

/** MB of the space for new objects, which hold one commit or one list. */
const YOUNG = 24;

export interface LateSqliteThread extends SqliteThread {
  isStarted(): boolean;
}

/**
 * A thread that starts with the first request and ends after an idle period: each takes 12 MB plus its page cache,
 * and many gateways are idle most of the time.
 * @param restsAfter idle milliseconds; omitted: it never ends
 */
export function lateSqliteThread(file: SqliteFile, restsAfter?: number): LateSqliteThread {
  let starting: Promise<SqliteThread> | null = null;
  let started: SqliteThread | null = null;
  let isClosed = false;
  let resting: NodeJS.Timeout | null = null;
  /** Resolves when all ended threads have closed. */
  let ended: Promise<unknown> = Promise.resolve();

  async function start(): Promise<SqliteThread> {
    const asked = (starting ??= startSqliteThread(file));
    try {
      const thread = await asked;
      if (starting === asked) started = thread;
      if (restsAfter !== undefined && !isClosed) resting ??= setTimeout(rest, restsAfter).unref();
      return thread;
    } catch (error) {
      // Lets the next request try to open the file again.
      if (starting === asked) starting = null;
      throw error;
    }
  }

  /** Keeps a thread that is still starting, because a request is waiting for it. */
  function rest(): void {
    if (started) end();
    else if (starting) resting?.refresh();
  }

  /** Earlier requests are answered first. */
  function end(): void {
    const last = starting;
    [starting, started] = [null, null];
    const close = (thread: SqliteThread) => thread.close();
    ended = Promise.all([ended, last?.then(close, () => null)]);
  }

  return {
    isStarted: () => starting !== null,
    async ask(request) {
      if (isClosed) throw closed();
      resting?.refresh();
      return (started ?? (await start())).ask(request);
    },
    async close() {
      isClosed = true;
      if (resting) clearTimeout(resting);
      end();
      await ended;
    },
  };
}

const closed = (): SqliteError => new SqliteError('The database is closed', undefined);

/** Resolves when the file is open. */
export async function startSqliteThread(file: SqliteFile): Promise<SqliteThread> {
  const worker = new Worker(join(PROGRAM_FOLDER, 'store', 'sqlite', 'worker.js'), {
    workerData: file,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
  });
  await once(worker, 'message');
  const asked = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  let lastId = 0;
  let gone: Error | null = null;

  worker.on('message', (reply: SqliteReply) => {
    const waiting = asked.get(reply.id);
    asked.delete(reply.id);
    if ('error' in reply) waiting?.reject(new SqliteError(reply.error.message, reply.error.code));
    else waiting?.resolve(reply.result);
  });
  const end = (error: Error) => {
    gone ??= error;
    asked.forEach(({ reject }) => reject(error));
    asked.clear();
  };
  worker.on('error', (error) => {
    end(error);
    throw error;
  });
  const exited = new Promise<void>((resolve) =>
    worker.on('exit', () => {
      end(closed());
      resolve();
    }),
  );

  const ask = <T>(request: SqliteRequest): Promise<T> =>
    new Promise((resolve, reject) => {
      if (gone) return reject(gone);
      const id = ++lastId;
      asked.set(id, { resolve: resolve as (value: unknown) => void, reject });
      worker.postMessage({ id, request });
    });

  return {
    ask,
    async close() {
      if (!gone) await ask({ kind: 'close' });
      await exited;
    },
  };
}
