import { setTimeout as wait } from 'node:timers/promises';
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteDialect,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
} from 'kysely';
import { groupCommit, type GroupCommit } from '../commit/group-commit';
import { MINUTE } from '../../time';
import { isFaultOfData, type SqliteThread, type Statement } from './thread';

interface QueryReply<Row> {
  rows: Row[];
  changes?: bigint;
  insertId?: bigint;
}

export interface SqliteThreads {
  /** Writes, and all queries within a transaction. */
  writer: SqliteWriter;
  /** Reads, which see the last commit. */
  reader: Pick<SqliteThread, 'ask'>;
}

/** Milliseconds that a read waits for a transaction to end: about as long as a thread takes to start. */
const LONGEST_WAIT = 50;

/**
 * Runs reads on the writer's thread, after a transaction that ends soon, because they must not see its rows. From a long
 * transaction until a while after the last one, reads use a thread of their own, which ends in an idle gateway: it takes
 * 12 MB.
 * @param apart milliseconds
 */
export function sharingReader(
  writer: SqliteWriter,
  own: SqliteThread,
  apart = MINUTE,
): Pick<SqliteThread, 'ask'> {
  let apartUntil = 0;
  return {
    async ask(request) {
      if (performance.now() >= apartUntil) {
        if (writer.isInTransaction())
          await Promise.race([writer.free(), wait(LONGEST_WAIT, null, { ref: false })]);
        if (!writer.isInTransaction()) return writer.thread.ask(request);
      }
      if (writer.isInTransaction(LONGEST_WAIT)) apartUntil = performance.now() + apart;
      return own.ask(request);
    },
  };
}

/** The single writing connection for Kysely, shared by all its users. */
export class SqliteWriter {
  readonly #lock = new WriterLock();
  #transactions = 0;
  /** Milliseconds of `performance.now()`: since when there was always a transaction. */
  #busySince = 0;
  /** Statements outside of a transaction. Parallel ones share one wait for the disk. */
  readonly #commits: GroupCommit<Statement, QueryReply<unknown>>;

  constructor(readonly thread: SqliteThread) {
    this.#commits = groupCommit({
      commit: async (statements) => {
        const letGo = await this.take();
        return thread.ask<QueryReply<unknown>[]>({ kind: 'statements', statements }).finally(letGo);
      },
      sizeOf: () => 0,
      rowsOf: () => 1,
      isFaultOfData,
      transactionsInFlight: 1,
    });
  }

  /**
   * Waits for exclusive use of the connection, for a transaction.
   * @returns releases it
   */
  async take(): Promise<() => void> {
    if (!this.#transactions++) this.#busySince = performance.now();
    const letGo = await this.#lock.take();
    return () => {
      this.#transactions--;
      letGo();
    };
  }

  write(statement: Statement): Promise<QueryReply<unknown>> {
    return this.#commits.write(statement);
  }

  /** Whether a transaction is running or waiting, for so many milliseconds without a pause. */
  isInTransaction(since = 0): boolean {
    return this.#transactions > 0 && performance.now() - this.#busySince >= since;
  }

  /** Resolves when the transactions that are running or waiting now have ended. */
  free(): Promise<void> {
    return this.#lock.free();
  }

  /** Resolves when all statements outside of transactions are committed or have failed. */
  drained(): Promise<void> {
    return this.#commits.drained();
  }
}

/** Kysely's SQLite dialect with the connections on worker threads. */
export class SqliteThreadDialect extends SqliteDialect {
  readonly #threads: SqliteThreads;

  constructor(threads: SqliteThreads) {
    super({
      database: () => {
        throw new Error('This dialect brings its own driver');
      },
    });
    this.#threads = threads;
  }

  override createDriver(): Driver {
    return new ThreadDriver(this.#threads);
  }

  override createAdapter(): SqliteAdapter {
    return new ThreadAdapter();
  }
}

class ThreadAdapter extends SqliteAdapter {
  /**
   * Migrations run in one transaction: an interrupted one leaves no trace, and only one of several processes runs it.
   */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** The driver allows one writer at a time. Kysely's own limit would make reads wait for it as well. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class ThreadDriver implements Driver {
  readonly #threads: SqliteThreads;

  constructor(threads: SqliteThreads) {
    this.#threads = threads;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ThreadConnection> {
    return new ThreadConnection(this.#threads);
  }

  beginTransaction(connection: ThreadConnection): Promise<void> {
    return connection.begin();
  }

  commitTransaction(connection: ThreadConnection): Promise<void> {
    return connection.commit();
  }

  rollbackTransaction(connection: ThreadConnection): Promise<void> {
    return connection.rollback();
  }

  async releaseConnection(): Promise<void> {}

  /** The threads outlive Kysely and are closed by the store. */
  async destroy(): Promise<void> {}
}

const resultOf = <R>({ rows, changes, insertId }: QueryReply<R>): QueryResult<R> => ({
  rows,
  ...(changes !== undefined && { numAffectedRows: changes }),
  ...(insertId !== undefined && { insertId }),
});

/** A lock with a queue. */
class WriterLock {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when the lock is held. @returns releases it */
  async take(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }

  /** Resolves when all current holders and waiters have released the lock. */
  free(): Promise<void> {
    return this.#last;
  }
}

/** The connection of one query or transaction. */
class ThreadConnection implements DatabaseConnection {
  readonly #threads: SqliteThreads;
  /** Releases the lock of the running transaction; null outside of one. */
  #letGo: (() => void) | null = null;

  constructor(threads: SqliteThreads) {
    this.#threads = threads;
  }

  async begin(): Promise<void> {
    this.#letGo = await this.#threads.writer.take();
    await this.#ask(this.#threads.writer.thread, CompiledQuery.raw('begin immediate')).catch(
      (error: unknown) => {
        this.#end();
        throw error;
      },
    );
  }

  async commit(): Promise<void> {
    await this.#ask(this.#threads.writer.thread, CompiledQuery.raw('commit'));
    this.#end();
  }

  /** Called even after a failed commit. */
  async rollback(): Promise<void> {
    await this.#ask(this.#threads.writer.thread, CompiledQuery.raw('rollback')).finally(() => this.#end());
  }

  #end(): void {
    this.#letGo?.();
    this.#letGo = null;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#letGo) return this.#ask<R>(this.#threads.writer.thread, query);
    // In this program, no statement that begins with a CTE writes.
    if (/^\s*(select|with)\b/i.test(query.sql)) return this.#ask<R>(this.#threads.reader, query);
    const { sql, parameters } = query;
    return resultOf((await this.#threads.writer.write({ sql, parameters })) as QueryReply<R>);
  }

  async #ask<R>(
    thread: Pick<SqliteThread, 'ask'>,
    { sql, parameters }: CompiledQuery,
  ): Promise<QueryResult<R>> {
    return resultOf(await thread.ask<QueryReply<R>>({ kind: 'query', sql, parameters }));
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Not streamed: page through the rows instead');
  }
}
