import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * The template of a sent message, and whether it was sent from the phone app. Destinations that received such
 * messages as account events still receive them.
 */
export const sentTemplates: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['template_name', 'template_language', 'sent_from'])
      await db.schema.alterTable('messages').addColumn(column, 'text').execute();
    await sql`update destinations set events = replace(events, '"account"', '"account","echoes"')
      where events like '%"account"%' and events not like '%"echoes"%'`.execute(db);
  },
};
