import {
  PostgresDialect,
  PostgresDriver,
  type DatabaseConnection,
  type Driver,
  type PostgresDialectConfig,
} from 'kysely';
import { retryOnConflict } from '../commit/retry-on-conflict';

/** Kysely's dialect, extended to repeat statements that fall victim to a deadlock. */
export class RepeatingPostgresDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): Driver {
    return new RepeatingDriver(this.#config);
  }
}

class RepeatingDriver extends PostgresDriver {
  readonly #known = new WeakSet<DatabaseConnection>();
  /**
   * Connections in a transaction, whose statements are not repeated: the caller repeats the whole transaction
   * (`commit/retry-on-conflict.ts`).
   */
  readonly #inTransaction = new WeakSet<DatabaseConnection>();

  override async acquireConnection(...options: Parameters<PostgresDriver['acquireConnection']>) {
    const connection = await super.acquireConnection(...options);
    this.#inTransaction.delete(connection);
    if (this.#known.has(connection)) return connection;
    this.#known.add(connection);
    const once = connection.executeQuery.bind(connection);
    connection.executeQuery = ((...query: Parameters<DatabaseConnection['executeQuery']>) =>
      this.#inTransaction.has(connection)
        ? once(...query)
        : retryOnConflict(() => once(...query))) as DatabaseConnection['executeQuery'];
    return connection;
  }

  override beginTransaction(...of: Parameters<PostgresDriver['beginTransaction']>): Promise<void> {
    this.#inTransaction.add(of[0]);
    return super.beginTransaction(...of);
  }
}
