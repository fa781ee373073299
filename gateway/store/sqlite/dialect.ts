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
import { isFaultOfData, type LateSqliteThread, type SqliteThread, type Statement } from './thread';

interface QueryReply<Row> {
  rows: Row[];
  changes?: bigint;
  insertId?: bigint;
}

export interface SqliteThreads {
  /** Writes, and all queries of a transaction. */
  writer: SqliteWriter;
  /** Reads, which wait for no writer: the write-ahead log shows them the last commit. */
  reader: Pick<SqliteThread, 'ask'>;
}

/** Milliseconds for which a read waits for a transaction to end: about as long as a thread takes to start. */
const LONGEST_WAIT = 50;

/**
 * Reads on the writer's thread, behind a transaction that is soon over, whose rows they may not see; from the first one on
 * that lasts, on a thread of their own. A gateway at rest, which writes now and then, has one thread less: 12 MB.
 */
export const sharingReader = (writer: SqliteWriter, own: LateSqliteThread): Pick<SqliteThread, 'ask'> => ({
  async ask(request) {
    if (!own.isStarted() && writer.isInTransaction())
      await Promise.race([writer.free(), wait(LONGEST_WAIT, null, { ref: false })]);
    return (own.isStarted() || writer.isInTransaction() ? own : writer.thread).ask(request);
  },
});

/** The one connection that writes for Kysely, shared by all that use it. */
export class SqliteWriter {
  readonly #lock = new WriterLock();
  #transactions = 0;
  /** Statements outside of a transaction: many parallel ones share one wait for the disk. */
  readonly #commits: GroupCommit<Statement, QueryReply<unknown>>;

  constructor(readonly thread: SqliteThread) {
    this.#commits = groupCommit({
      commit: async (statements) => {
        const letGo = await this.#lock.take();
        return thread.ask<QueryReply<unknown>[]>({ kind: 'statements', statements }).finally(letGo);
      },
      sizeOf: () => 0,
      rowsOf: () => 1,
      isFaultOfData,
      transactionsInFlight: 1,
    });
  }

  /**
   * For a transaction. Resolves when there is no other writer.
   * @returns releases it for the next writer
   */
  async take(): Promise<() => void> {
    this.#transactions++;
    const letGo = await this.#lock.take();
    return () => {
      this.#transactions--;
      letGo();
    };
  }

  write(statement: Statement): Promise<QueryReply<unknown>> {
    return this.#commits.write(statement);
  }

  /** Whether one runs, or waits for its turn. */
  isInTransaction(): boolean {
    return this.#transactions > 0;
  }

  /** Resolves when the transactions that run or wait now have ended. */
  free(): Promise<void> {
    return this.#lock.free();
  }

  /** Resolves once everything that was written alone is committed or failed. */
  drained(): Promise<void> {
    return this.#commits.drained();
  }
}

/** Kysely over worker threads: the dialect is Kysely's own, only the connections are elsewhere. */
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
  /** Migrations run in one transaction: one that breaks off leaves nothing behind, and of several processes one makes it. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** The driver allows one writer at a time; with Kysely, reads would wait for it as well. */
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

  /** The threads outlive Kysely: the store closes them. */
  async destroy(): Promise<void> {}
}

const resultOf = <R>({ rows, changes, insertId }: QueryReply<R>): QueryResult<R> => ({
  rows,
  ...(changes !== undefined && { numAffectedRows: changes }),
  ...(insertId !== undefined && { insertId }),
});

/** One writer after the other. */
class WriterLock {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is held. @returns lets go of it */
  async take(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }

  /** Resolves when all that hold it or wait for it now have released it. */
  free(): Promise<void> {
    return this.#last;
  }
}

/** The connection of one query, or of one transaction. */
class ThreadConnection implements DatabaseConnection {
  readonly #threads: SqliteThreads;
  /** The running transaction. */
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

  /** Even if the commit has failed. */
  async rollback(): Promise<void> {
    await this.#ask(this.#threads.writer.thread, CompiledQuery.raw('rollback')).finally(() => this.#end());
  }

  #end(): void {
    this.#letGo?.();
    this.#letGo = null;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#letGo) return this.#ask<R>(this.#threads.writer.thread, query);
    // No statement here that begins with a CTE writes.
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
