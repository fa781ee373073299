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

/** Kysely over a worker thread: the dialect is Kysely's own, only the connection is elsewhere. */
export class SqliteThreadDialect extends SqliteDialect {
  readonly #thread: SqliteThread;

  constructor(thread: SqliteThread) {
    super({
      database: () => {
        throw new Error('This dialect brings its own driver');
      },
    });
    this.#thread = thread;
  }

  override createDriver(): Driver {
    return new ThreadDriver(this.#thread);
  }

  override createAdapter(): SqliteAdapter {
    return new MigratingAdapter();
  }
}

/** Migrations run in one transaction: one that breaks off leaves nothing behind, and of several processes one makes it. */
class MigratingAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class ThreadDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(thread: SqliteThread) {
    this.#connection = new ThreadConnection(thread);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async releaseConnection(): Promise<void> {}

  /** The thread outlives Kysely: the store closes it. */
  async destroy(): Promise<void> {}
}

class ThreadConnection implements DatabaseConnection {
  readonly #thread: SqliteThread;

  constructor(thread: SqliteThread) {
    this.#thread = thread;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, changes, insertId } = await this.#thread.ask<QueryReply<R>>({
      kind: 'query',
      sql,
      parameters,
    });
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
