import { mkdirSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { rateLimitsInMemory } from '../../primitives/rate-limit';
import { MINUTE, SECOND, type Clock } from '../../time';
import { groupCommit } from '../commit/group-commit';
import { writability } from '../commit/write-health';
import { rowsOfWrite, sizeOfWrite, type Write, type WriteResult } from '../commit/writes';
import { type Database } from '../database';
import { sqliteFollowers } from '../processes/followers';
import { registryTable } from '../processes/registry';
import { type Wake } from '../processes/wake';
import { type Schema } from '../schema';
import { sharingReader, SqliteThreadDialect, SqliteWriter } from './dialect';
import { flatWrites, resultsOf } from './flat-writes';
import { lockForGateway } from './lock';
import { refuseLost } from './restore';
import { isFaultOfData, lateSqliteThread, startSqliteThread, type SqliteRequest } from './thread';

/**
 * The time between checks of the revision, which take microseconds: SQLite has no notifications between processes.
 */
const SQLITE_GLANCE = SECOND / 4;

/** The first event or send after this time waits 0.1 s for the thread to start. An idle gateway uses 12 MB less. */
const HOT_RESTS = 5 * MINUTE;

export async function openSqlite(path: string, alone: boolean, machine: Clock): Promise<Database> {
  refuseLost(path);
  mkdirSync(dirname(path), { recursive: true });
  // SQLite reads this when it opens its first file. /tmp may be readable by other users, and read-only in a
  // container.
  process.env.SQLITE_TMPDIR ??= resolve(dirname(path));
  const unlock = alone ? lockForGateway(path) : () => {};
  const hot = lateSqliteThread({ path }, HOT_RESTS);
  const writer = new SqliteWriter(lateSqliteThread({ path }));
  const reader = lateSqliteThread({ path, readOnly: true }, MINUTE);
  const looking = lateSqliteThread({ path, readOnly: true }, MINUTE);
  const close = async () => {
    // Readers are closed first: the last connection checkpoints and removes the log, which a reader cannot do.
    for (const thread of [looking, reader, writer.thread, hot]) await thread.close();
    unlock();
  };
  // Creates the file, which readers need, and fails at the start if it is not writable.
  await writer.thread.ask(ASK_NOTHING).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const db = new Kysely<Schema>({
    dialect: new SqliteThreadDialect({ writer, reader: sharingReader(writer, reader) }),
  });
  const looks = new Kysely<Schema>({ dialect: new SqliteThreadDialect({ writer, reader: looking }) });
  const { noted, canWrite, doubtWrites } = writability(() => registryTable(db).touch());
  const commits = groupCommit<Write, WriteResult>({
    commit: noted(async (writes) =>
      resultsOf(writes, await hot.ask<unknown[]>({ kind: 'writes', writes: flatWrites(writes) })),
    ),
    sizeOf: sizeOfWrite,
    rowsOf: rowsOfWrite,
    isFaultOfData,
    transactionsInFlight: 1,
  });
  let glance: NodeJS.Timeout | undefined;
  let onWake: (wake: Wake) => void = () => {};
  return {
    dialect: 'sqlite',
    db,
    looks,
    queues: db,
    write: commits.write as Database['write'],
    canWrite,
    doubtWrites,
    waiting: commits.waiting,
    freeSpace: () => statfs(dirname(path)).then(({ bavail, bsize }) => bavail * bsize),
    usedSpace: () => usedSpaceOf(db),
    scrub: (of) => scrubSqlite(path, of),
    divideEvents: async () => undefined,
    listen: (listener) => {
      glance = setInterval(listener, SQLITE_GLANCE).unref();
    },
    ...sqliteFollowers(db, path),
    onWake: (listener) => {
      onWake = listener;
    },
    wake: async (wake) => onWake(wake),
    holdProcessName: async () => true,
    clock: machine,
    ready: async () => undefined,
    rateLimits: rateLimitsInMemory,
    async close() {
      clearInterval(glance);
      await Promise.all([commits.drained(), writer.drained()]);
      await close();
    },
  };
}

async function usedSpaceOf(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ used: number }>`
    select (page_count - freelist_count) * page_size as used
    from pragma_page_count, pragma_freelist_count, pragma_page_size`.execute(db);
  return rows[0]?.used ?? 0;
}

const ASK_NOTHING: SqliteRequest = { kind: 'query', sql: 'select 1', parameters: [] };

/** Attempts to truncate the log; more after a rewrite of the file, which is not repeated for the log. */
const CUTS = { log: 20, file: 200 };
/** Milliseconds for which each attempt may delay other writers. */
const LONGEST_CUT = 250;

/** The largest file, in bytes, that is rewritten in less than half a second. */
const SMALL_FILE = 50 * 1024 * 1024;

/** Uses a separate connection, so that no other query waits. */
async function scrubSqlite(path: string, of: 'log' | 'file'): Promise<boolean> {
  const thread = await startSqliteThread({ path });
  const ask = (sql: string) =>
    thread.ask<{ rows: { busy?: number }[] }>({ kind: 'query', sql, parameters: [] });
  try {
    if (of === 'file' || (await stat(path)).size < SMALL_FILE) await ask('vacuum');
    await ask(`pragma busy_timeout = ${LONGEST_CUT}`);
    for (let tried = 0; tried < CUTS[of]; tried++) {
      const { rows } = await ask('pragma wal_checkpoint(truncate)');
      if (rows[0]?.busy === 0) return true;
      await wait(LONGEST_CUT);
    }
    return false;
  } finally {
    await thread.close();
  }
}
