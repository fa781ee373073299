import { sql, type ColumnDefinitionBuilder, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * Incidents, channels, and waiting and sent alerts. Also since when the platform has refused a line's access token.
 */
export const alerts = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    const identity = (column: ColumnDefinitionBuilder) =>
      dialect === 'sqlite'
        ? column.primaryKey().autoIncrement()
        : column.primaryKey().generatedAlwaysAsIdentity();
    const required = (column: ColumnDefinitionBuilder) => column.notNull();

    await db.schema
      .createTable('alert_incidents')
      .addColumn('id', 'integer', identity)
      .addColumn('kind', 'text', required)
      .addColumn('subject', 'text', required)
      .addColumn('line_id', 'integer')
      .addColumn('waba_id', 'text')
      .addColumn('process', 'text')
      .addColumn('severity', 'text', required)
      .addColumn('title', 'text', required)
      .addColumn('text', 'text', required)
      .addColumn('over', 'text', required)
      .addColumn('action', 'text', required)
      .addColumn('path', 'text', required)
      .addColumn('waiting', 'integer')
      .addColumn('since', 'text', required)
      .addColumn('opened_at', 'text', required)
      .addColumn('closed_at', 'text')
      .execute();
    await sql`create unique index alert_incidents_open on alert_incidents (kind, subject)
      where closed_at is null`.execute(db);
    await db.schema
      .createIndex('alert_incidents_closed')
      .on('alert_incidents')
      .columns(['closed_at', 'id'])
      .execute();

    await db.schema
      .createTable('alert_channels')
      .addColumn('id', 'integer', identity)
      .addColumn('kind', 'text', required)
      .addColumn('name', 'text', required)
      .addColumn('settings_sealed', 'text', required)
      .addColumn('scope', 'text', required)
      .addColumn('scope_id', 'text')
      .addColumn('origin', 'text', required)
      .addColumn('token_id', 'integer')
      .addColumn('quiet_from', 'text')
      .addColumn('quiet_to', 'text')
      .addColumn('time_zone', 'text', required)
      .addColumn('remind_hours', 'integer')
      .addColumn('created_at', 'text', required)
      .addColumn('paused_at', 'text')
      .addColumn('failing_since', 'text')
      .addColumn('last_failure', 'text')
      .addColumn('last_told_at', 'text')
      .execute();

    await db.schema
      .createTable('alert_notices')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('channel_id', 'integer', required)
      .addColumn('what', 'text', required)
      .addColumn('kind', 'text', required)
      .addColumn('body', 'text', required)
      .addColumn('created_at', 'text', required)
      .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('next_try_at', 'text')
      .addColumn('claimed_until', 'text')
      .addColumn('last_failure', 'text')
      .addColumn('told_at', 'text')
      .execute();
    await sql`create index alert_notices_due on alert_notices (next_try_at) where next_try_at is not null`.execute(
      db,
    );
    await db.schema
      .createIndex('alert_notices_of_channel')
      .on('alert_notices')
      .columns(['channel_id', 'created_at'])
      .execute();

    await db.schema
      .createTable('alert_told')
      .addColumn('channel_id', 'integer', required)
      .addColumn('kind', 'text', required)
      .addColumn('subject', 'text', required)
      .addColumn('incident_id', 'integer', required)
      .addColumn('state', 'text', required)
      .addColumn('told_at', 'text', required)
      .addColumn('times', 'text', required)
      .addPrimaryKeyConstraint('alert_told_key', ['channel_id', 'kind', 'subject'])
      .execute();

    await db.schema
      .createTable('alert_mutes')
      .addColumn('id', 'integer', identity)
      .addColumn('kind', 'text')
      .addColumn('subject', 'text')
      .addColumn('line_id', 'integer')
      .addColumn('what', 'text', required)
      .addColumn('who', 'text', required)
      .addColumn('created_at', 'text', required)
      .addColumn('until', 'text', required)
      .execute();

    await db.schema
      .createTable('alert_rules')
      .addColumn('kind', 'text', (column) => column.primaryKey())
      .addColumn('is_on', 'integer', required)
      .addColumn('threshold', 'integer')
      .execute();

    await db.schema
      .createTable('alert_marks')
      .addColumn('kind', 'text', required)
      .addColumn('subject', 'text', required)
      .addColumn('value', 'text', required)
      .addColumn('at', 'text', required)
      .addPrimaryKeyConstraint('alert_marks_key', ['kind', 'subject'])
      .execute();

    // One row. Changing it makes a transaction the only one that checks incidents and channels until its commit.
    await db.schema
      .createTable('alert_turns')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('turn', 'integer', required)
      .execute();
    await sql`insert into alert_turns (id, turn) values (1, 0)`.execute(db);

    for (const column of ['credentials_refused_at', 'credentials_refused_because'])
      await db.schema.alterTable('lines').addColumn(column, 'text').execute();
  },
});
