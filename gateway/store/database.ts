import { type Kysely } from 'kysely';
import { type RateLimits } from '../primitives/rate-limit';
import { type Clock } from '../time';
import { type Write, type WriteResult } from './commit/writes';
import { type Followers } from './processes/followers';
import { type Wake } from './processes/wake';
import { type Schema } from './schema';

/** The interface of both databases to the tables and the gateway. */
export interface Database extends Followers {
  dialect: 'sqlite' | 'postgres';
  db: Kysely<Schema>;
  /** Connections for the panel's lists, which can be slow and must not delay other queries. */
  looks: Kysely<Schema>;
  /** Connections for the queues, so that their reads never delay writes. */
  queues: Kysely<Schema>;
  /** Resolves when the write is durable. */
  write<Of extends Write>(write: Of): Promise<WriteResult<Of['kind']>>;
  /**
   * Resolves if writes are known to succeed (`commit/write-health.ts`).
   * @throws the error of a write
   */
  canWrite(): Promise<void> | void;
  /** Makes the next `canWrite` try a small write first. */
  doubtWrites(): void;
  /** The number and bytes of uncommitted writes, including rate counters. */
  waiting(): { writes: number; bytes: number };
  /** Free bytes on the database's disk; null for PostgreSQL. */
  freeSpace(): Promise<number | null>;
  /** Bytes used by a SQLite database, which `scrub` would rewrite; null for PostgreSQL. */
  usedSpace(): Promise<number | null>;
  /**
   * Removes the remains of deleted rows from the files of a SQLite database. Does nothing on PostgreSQL.
   * @param of `file`: rewrites the file, which blocks all other writes and needs twice its size; `log`: truncates the
   * write-ahead log, and rewrites the file only if it is small. Deleted rows are always overwritten, but SQLite
   * leaves copies of single rows in unused parts of pages when it splits a page.
   * @returns false if other connections were busy all the time, so that the log still contains deleted rows
   */
  scrub(of: 'log' | 'file'): Promise<boolean>;
  /**
   * Divides the tables of events into partitions, and makes the next one (`postgres/partitions.ts`). Does nothing on
   * SQLite.
   */
  divideEvents(): Promise<void>;
  /** Calls the listener when another process may have changed the registry. */
  listen(listener: () => void): void;
  /** Calls the listener for each wake of any process, and with null when wakes may have been lost. */
  onWake(listener: (wake: Wake | null) => void): void;
  /** Notifies the listeners of all processes; on SQLite, of this process only. */
  wake(wake: Wake): Promise<void>;
  /** Reserves this process's name until it ends. @returns false if another process has reserved it */
  holdProcessName(): Promise<boolean>;
  /** Called when the tables exist. */
  ready(): Promise<void>;
  /** The common clock of all processes on the database. */
  clock: Clock;
  /** Rate limits across all processes on the database. */
  rateLimits(clock: Clock): RateLimits;
  close(): Promise<void>;
}
