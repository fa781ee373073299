import { type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * Contacts for whom automations are paused, whether a colleague's reply pauses them, and which events arrived during
 * a pause.
 */
export const automationPauses: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('lines').addColumn('automation_pause_hours', 'integer').execute();
    await db.schema.alterTable('events').addColumn('automation', 'text').execute();
    await db.schema
      .createTable('automation_pauses')
      .addColumn('line_id', 'integer', (column) => column.notNull())
      .addColumn('contact', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('at', 'text', (column) => column.notNull())
      .addColumn('until', 'text')
      .addPrimaryKeyConstraint('automation_pauses_key', ['line_id', 'contact'])
      .execute();
  },
};
