import { type Kysely } from 'kysely';
import { type RateLimits } from '../primitives/rate-limit';
import { type Clock } from '../time';
import { type Write, type WriteResult } from './commit/writes';
import { type Followers } from './processes/followers';
import { type Wake } from './processes/wake';
import { type Schema } from './schema';

/** What a database offers beneath the tables. */
export interface Database extends Followers {
  dialect: 'sqlite' | 'postgres';
  db: Kysely<Schema>;
  /** For what people look through, which may take its time: all else does not wait behind it. */
  looks: Kysely<Schema>;
  /** For what waits to be delivered: however many queues read it, no write waits for its connection behind them. */
  queues: Kysely<Schema>;
  /** Durable once it resolves. */
  write<Of extends Write>(write: Of): Promise<WriteResult<Of['kind']>>;
  /** Resolves where writes succeed, as far as is known (`commit/write-health.ts`). @throws what is wrong */
  canWrite(): Promise<void>;
  /** Has the next caller of `canWrite` write something small first. */
  doubtWrites(): void;
  /** Writes that are not committed yet, those of rates too, and the size of what they hold. */
  waiting(): { writes: number; bytes: number };
  /** Bytes that are free where the database is; null where only its own server knows. */
  freeSpace(): Promise<number | null>;
  /** Bytes of a SQLite database that are in use: as many as `scrub` writes anew; null for PostgreSQL. */
  usedSpace(): Promise<number | null>;
  /**
   * Leaves nothing of what was removed in the files of a SQLite database. A PostgreSQL sees to its own.
   * @param of `file`: it is written anew, while every other write waits, and takes its size twice more; `log`: only where
   *   it is small, and the log of what was written. What was removed is written over in any case, but SQLite leaves copies
   *   of single rows in unused parts of pages when it divides one.
   * @returns false where somebody read or wrote all the while, so that the log still holds it
   */
  scrub(of: 'log' | 'file'): Promise<boolean>;
  /** Calls the listener whenever another process may have changed the registry. */
  listen(listener: () => void): void;
  /** Calls the listener with what is told of deliveries, here or by other processes; with null where something may have been missed. */
  onWake(listener: (wake: Wake | null) => void): void;
  /** Tells the listeners of all processes; on SQLite that of this one, which is the only gateway. */
  wake(wake: Wake): Promise<void>;
  /** @returns whether no other process bears this one's name, from now until this one ends */
  holdProcessName(): Promise<boolean>;
  /** Once its tables are there. */
  ready(): Promise<void>;
  /** The time, by one clock for all processes on the database. */
  clock: Clock;
  /** Limits that hold for all processes on the database. */
  rateLimits(clock: Clock): RateLimits;
  close(): Promise<void>;
}
