import { sql, type ColumnDefinitionBuilder, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/** The first tables. `schema.ts` explains each column. */
export function initial(dialect: 'sqlite' | 'postgres'): Migration {
  const identity = (column: ColumnDefinitionBuilder) =>
    dialect === 'sqlite'
      ? column.primaryKey().autoIncrement()
      : column.primaryKey().generatedAlwaysAsIdentity();
  const required = (column: ColumnDefinitionBuilder) => column.notNull();
  const line = (column: ColumnDefinitionBuilder) => column.notNull().references('lines.id');

  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('lines')
        .addColumn('id', 'integer', identity)
        .addColumn('name', 'text', required)
        .addColumn('phone_number_id', 'text', (column) => column.notNull().unique())
        .addColumn('phone_number', 'text', required)
        .addColumn('waba_id', 'text', required)
        .addColumn('access_token_sealed', 'text')
        .addColumn('app_secret_sealed', 'text')
        .addColumn('verify_token', 'text', required)
        .addColumn('window_mode', 'text', required)
        .addColumn('quality_mode', 'text', required)
        .addColumn('deactivated_at', 'text')
        .addColumn('api_disabled_at', 'text')
        .addColumn('created_at', 'text', required)
        .addColumn('upstream_node', 'text')
        .addColumn('status_checked_at', 'text')
        .addColumn('status_refresh_at', 'text')
        .addColumn('templates_synced_at', 'text')
        .addColumn('templates_refresh_at', 'text')
        .execute();

      await db.schema
        .createTable('tokens')
        .addColumn('id', 'integer', identity)
        .addColumn('line_id', 'integer', line)
        .addColumn('hash', 'text', (column) => column.notNull().unique())
        .addColumn('last_four', 'text', required)
        .addColumn('created_at', 'text', required)
        .addColumn('last_used_at', 'text')
        .addColumn('expires_at', 'text')
        .addColumn('revoked_at', 'text')
        .execute();

      await db.schema
        .createTable('templates')
        .addColumn('line_id', 'integer', line)
        .addColumn('name', 'text', required)
        .addColumn('language', 'text', required)
        .addColumn('upstream_id', 'text')
        .addColumn('category', 'text', required)
        .addColumn('upstream_status', 'text')
        .addColumn('quality_score', 'text')
        .addColumn('parameter_format', 'text', required)
        .addColumn('components', 'text', required)
        .addColumn('is_starter', 'integer', required)
        .addPrimaryKeyConstraint('templates_key', ['line_id', 'name', 'language'])
        .execute();

      await db.schema
        .createTable('destinations')
        .addColumn('id', 'integer', identity)
        .addColumn('line_id', 'integer', line)
        .addColumn('url', 'text', required)
        .addColumn('secret_sealed', 'text', required)
        .addColumn('origin', 'text', required)
        .addColumn('mode', 'text', required)
        .addColumn('events', 'text', required)
        .addColumn('created_at', 'text', required)
        .addColumn('expires_at', 'text')
        .addColumn('paused_at', 'text')
        .addColumn('paused_because', 'text')
        .addColumn('removed_at', 'text')
        .execute();

      await db.schema
        .createTable('messages')
        .addColumn('line_id', 'integer', required)
        .addColumn('wamid', 'text', required)
        .addColumn('contact', 'text')
        .addColumn('type', 'text')
        .addColumn('client_ref', 'text')
        .addColumn('accepted_at', 'text')
        .addColumn('sent_at', 'text')
        .addColumn('delivered_at', 'text')
        .addColumn('read_at', 'text')
        .addColumn('played_at', 'text')
        .addColumn('failed_at', 'text')
        .addColumn('failure', 'text')
        .addPrimaryKeyConstraint('messages_key', ['line_id', 'wamid'])
        .execute();

      await db.schema
        .createTable('windows')
        .addColumn('line_id', 'integer', required)
        .addColumn('contact', 'text', required)
        .addColumn('last_inbound_at', 'text', required)
        .addPrimaryKeyConstraint('windows_key', ['line_id', 'contact'])
        .execute();

      await db.schema
        .createTable('events')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('line_id', 'integer')
        .addColumn('subject', 'text', required)
        .addColumn('kind', 'text', required)
        .addColumn('identity', 'text', (column) => column.notNull().unique())
        .addColumn('contact', 'text')
        .addColumn('wamid', 'text')
        .addColumn('phone_number_id', 'text')
        .addColumn('waba_id', 'text')
        .addColumn('body', 'text', required)
        .addColumn('received_at', 'text', required)
        .execute();

      await db.schema
        .createTable('deliveries')
        .addColumn('destination_id', 'integer', required)
        .addColumn('event_id', 'text', required)
        .addColumn('lane', 'text', required)
        .addColumn('state', 'text', required)
        .addColumn('attempts', 'integer', required)
        .addColumn('due_at', 'text', required)
        .addColumn('claimed_by', 'text')
        .addColumn('finished_at', 'text')
        .addPrimaryKeyConstraint('deliveries_key', ['destination_id', 'event_id'])
        .execute();
      // The index for scans of due deliveries only contains pending ones, so that it stays small however many were
      // delivered.
      await db.schema
        .createIndex('deliveries_due')
        .on('deliveries')
        .column('due_at')
        .where(sql.ref('state'), '=', sql.lit('pending'))
        .execute();

      await db.schema
        .createTable('attempts')
        .addColumn('destination_id', 'integer', required)
        .addColumn('event_id', 'text', required)
        .addColumn('number', 'integer', required)
        .addColumn('started_at', 'text', required)
        .addColumn('duration_ms', 'integer', required)
        .addColumn('http_status', 'integer')
        .addColumn('outcome', 'text', required)
        .addColumn('answer', 'text')
        .addPrimaryKeyConstraint('attempts_key', ['destination_id', 'event_id', 'number'])
        .execute();

      await db.schema
        .createTable('processes')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('alive_until', 'text', required)
        .execute();

      await db.schema
        .createTable('registry')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('revision', 'integer', required)
        .execute();
      await sql`insert into registry (id, revision) values (1, 0)`.execute(db);
    },
  };
}
