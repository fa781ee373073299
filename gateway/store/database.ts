import { type Kysely } from 'kysely';
import { type RateLimits } from '../primitives/rate-limit';
import { type Clock } from '../time';
import { type Write, type WriteResult } from './commit/writes';
import { type Followers } from './processes/followers';
import { type Wake } from './processes/wake';
import { type Schema } from './schema';

/** What each database offers to the tables and to the gateway. */
export interface Database extends Followers {
  dialect: 'sqlite' | 'postgres';
  db: Kysely<Schema>;
  /** For the panel's lists, which may take a while: nothing else waits behind them. */
  looks: Kysely<Schema>;
  /** For the queues: however many of them read, no write waits for a connection. */
  queues: Kysely<Schema>;
  /** Durable once it resolves. */
  write<Of extends Write>(write: Of): Promise<WriteResult<Of['kind']>>;
  /**
   * Resolves if writes succeed, as far as is known (`commit/write-health.ts`).
   * @throws the error of a write
   */
  canWrite(): Promise<void>;
  /** Makes the next `canWrite` write something small first. */
  doubtWrites(): void;
  /** The number and bytes of uncommitted writes, including rate counters. */
  waiting(): { writes: number; bytes: number };
  /** Free bytes where the database is; null for PostgreSQL. */
  freeSpace(): Promise<number | null>;
  /** Used bytes of a SQLite database: as many as `scrub` rewrites; null for PostgreSQL. */
  usedSpace(): Promise<number | null>;
  /**
   * Leaves nothing of deleted rows in the files of a SQLite database. Does nothing on PostgreSQL.
   * @param of `file`: rewrites the file, while every other write waits, and needs twice its size; `log`: truncates the
   *   write-ahead log, and rewrites the file only if it is small. Deleted rows are overwritten in any case, but SQLite
   *   leaves copies of single rows in unused parts of pages when it splits a page.
   * @returns false if somebody read or wrote all the while, so that the log still has deleted rows
   */
  scrub(of: 'log' | 'file'): Promise<boolean>;
  /** Calls the listener whenever another process may have changed the registry. */
  listen(listener: () => void): void;
  /** Calls the listener for each wake of this or another process; with null if one may have been missed. */
  onWake(listener: (wake: Wake | null) => void): void;
  /** Notifies the listeners of all processes; on SQLite this one is the only gateway. */
  wake(wake: Wake): Promise<void>;
  /** Reserves this process's name until it ends. @returns false if another process has the name */
  holdProcessName(): Promise<boolean>;
  /** Called once the tables exist. */
  ready(): Promise<void>;
  /** One clock for all processes on the database. */
  clock: Clock;
  /** Limits that hold for all processes on the database. */
  rateLimits(clock: Clock): RateLimits;
  close(): Promise<void>;
}
