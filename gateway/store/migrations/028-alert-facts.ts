import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * The last alert and its severity for each channel and subject, and indexes for the facts that alerts read every ten
 * seconds.
 */
export const alertFactsIndexed = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const column of ['notice_id', 'severity'])
      await db.schema.alterTable('alert_told').addColumn(column, 'text').execute();
    await sql`create index alert_notices_waiting on alert_notices (channel_id, created_at)
      where next_try_at is not null`.execute(db);
    await sql`create index destinations_unhealthy on destinations (id)
      where removed_at is null and (paused_at is not null or failing_since is not null)`.execute(db);
    await sql`create index templates_stopped on templates (line_id)
      where upstream_status in ('REJECTED', 'PAUSED', 'DISABLED')`.execute(db);
    // On PostgreSQL, `buildIndexes` builds it.
    if (dialect === 'sqlite') await sql.raw(`create index ${GIVEN_UP_INDEX}`).execute(db);
  },
});

export const GIVEN_UP_INDEX =
  "deliveries_given_up on deliveries (destination_id, finished_at) where state = 'dead'";
