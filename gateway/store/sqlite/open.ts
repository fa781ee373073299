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
import { lockForGateway } from './lock';
import { refuseLost } from './restore';
import { isFaultOfData, lateSqliteThread, startSqliteThread, type SqliteRequest } from './thread';

/** SQLite has no channel between processes: a glance at the revision this often, some microseconds each. */
const SQLITE_GLANCE = SECOND / 4;

export async function openSqlite(path: string, alone: boolean, machine: Clock): Promise<Database> {
  refuseLost(path);
  mkdirSync(dirname(path), { recursive: true });
  // Read by SQLite when it opens its first file. Others may read /tmp, and in a container nobody may write there.
  process.env.SQLITE_TMPDIR ??= resolve(dirname(path));
  const unlock = alone ? lockForGateway(path) : () => {};
  const hot = lateSqliteThread({ path });
  const writer = new SqliteWriter(lateSqliteThread({ path }));
  const reader = lateSqliteThread({ path, readOnly: true }, MINUTE);
  const looking = lateSqliteThread({ path, readOnly: true }, MINUTE);
  const close = async () => {
    // Those that only read come first: the last one that closes writes the log back and removes it, which they cannot.
    for (const thread of [looking, reader, writer.thread, hot]) await thread.close();
    unlock();
  };
  // Makes the file, which those that only read need; and what cannot be written is told at the start.
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
    commit: noted((writes) => hot.ask<WriteResult[]>({ kind: 'writes', writes })),
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

/** How often it is tried to cut the log off; more often once the file was written anew, which is not done again for that. */
const CUTS = { log: 20, file: 200 };
/** Milliseconds for which each try may hold up other writers. */
const LONGEST_CUT = 250;

/** Bytes of a file that is written anew in less than half a second. */
const SMALL_FILE = 50 * 1024 * 1024;

/** On a connection of its own: none of the others waits for this one's answers. */
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
