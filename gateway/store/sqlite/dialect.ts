import {
  CompiledQuery,
  SqliteAdapter,
  SqliteDialect,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
} from 'kysely';
import { type SqliteThread } from './thread';

interface QueryReply<Row> {
  rows: Row[];
  changes?: bigint;
  insertId?: bigint;
}

export interface SqliteThreads {
  /** Writes, and all that a transaction asks. */
  writer: SqliteThread;
  /** Reads, which wait for no writer: the write-ahead log shows them what was committed last. */
  reader: SqliteThread;
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

  /** The driver sees to it that there is one writer at a time; Kysely would have reads wait for it as well. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class ThreadDriver implements Driver {
  readonly #threads: SqliteThreads;
  readonly #writing = new WriterLock();

  constructor(threads: SqliteThreads) {
    this.#threads = threads;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ThreadConnection> {
    return new ThreadConnection(this.#threads, this.#writing);
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
}

/** What one query, or one transaction, is asked on. */
class ThreadConnection implements DatabaseConnection {
  readonly #threads: SqliteThreads;
  readonly #writing: WriterLock;
  /** Of the transaction that runs. */
  #letGo: (() => void) | null = null;

  constructor(threads: SqliteThreads, writing: WriterLock) {
    this.#threads = threads;
    this.#writing = writing;
  }

  async begin(): Promise<void> {
    this.#letGo = await this.#writing.take();
    await this.#ask(this.#threads.writer, CompiledQuery.raw('begin immediate')).catch((error: unknown) => {
      this.#end();
      throw error;
    });
  }

  async commit(): Promise<void> {
    await this.#ask(this.#threads.writer, CompiledQuery.raw('commit'));
    this.#end();
  }

  /** Also where the commit has failed. */
  async rollback(): Promise<void> {
    await this.#ask(this.#threads.writer, CompiledQuery.raw('rollback')).finally(() => this.#end());
  }

  #end(): void {
    this.#letGo?.();
    this.#letGo = null;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#letGo) return this.#ask<R>(this.#threads.writer, query);
    if (/^\s*select\b/i.test(query.sql)) return this.#ask<R>(this.#threads.reader, query);
    const letGo = await this.#writing.take();
    return this.#ask<R>(this.#threads.writer, query).finally(letGo);
  }

  async #ask<R>(thread: SqliteThread, { sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, changes, insertId } = await thread.ask<QueryReply<R>>({ kind: 'query', sql, parameters });
    return {
      rows,
      ...(changes !== undefined && { numAffectedRows: changes }),
      ...(insertId !== undefined && { insertId }),
    };
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Not streamed: page through the rows instead');
  }
}
