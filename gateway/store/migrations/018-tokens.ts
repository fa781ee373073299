import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * A token's name, scopes, lifetime and last use, and the token that added each destination. For existing
 * destinations, the token is only known if their line has had a single one.
 */
export const tokens: Migration = {
  async up(db: Kysely<unknown>) {
    for (const [column, type] of [
      ['name', 'text'],
      ['scopes', 'text'],
      ['lifetime', 'integer'],
      ['first_id', 'integer'],
      ['last_used_from', 'text'],
      ['last_used_by', 'text'],
    ] as const)
      await db.schema.alterTable('tokens').addColumn(column, type).execute();
    await db.schema.alterTable('destinations').addColumn('token_id', 'integer').execute();
    await sql`update destinations set token_id = (select min(id) from tokens where line_id = destinations.line_id)
      where origin = 'token' and 1 = (select count(*) from tokens where line_id = destinations.line_id)`.execute(
      db,
    );
    const { rows } = await sql<{ id: number; created_at: string; expires_at: string }>`
      select id, created_at, expires_at from tokens where expires_at is not null`.execute(db);
    for (const { id, created_at: created, expires_at: expires } of rows) {
      const seconds = Math.round((Date.parse(expires) - Date.parse(created)) / 1000);
      await sql`update tokens set lifetime = ${seconds} where id = ${id}`.execute(db);
    }
  },
};
