import { type Insertable, type Kysely, type Selectable } from 'kysely';
import { type Schema, type TemplateTable } from './schema';

export type TemplateRow = Selectable<TemplateTable>;

/** Rows that one statement inserts: well below both databases' ceiling of parameters. */
const ROWS_A_STATEMENT = 500;

/** The templates of each line, as last synced, and the starter templates that upstream does not have. */
export const templateTable = (db: Kysely<Schema>) => ({
  /** By name, then language, in the order of their code points on either database. */
  async ofLine(lineId: number): Promise<TemplateRow[]> {
    const rows = await db.selectFrom('templates').selectAll().where('line_id', '=', lineId).execute();
    return rows.sort((one, other) => compare(one.name, other.name) || compare(one.language, other.language));
  },

  async find(lineId: number, name: string, language: string): Promise<TemplateRow | null> {
    const row = await db
      .selectFrom('templates')
      .selectAll()
      .where('line_id', '=', lineId)
      .where('name', '=', name)
      .where('language', '=', language)
      .executeTakeFirst();
    return row ?? null;
  },

  async insertStarters(templates: Insertable<TemplateTable>[]): Promise<void> {
    await db
      .insertInto('templates')
      .values(templates)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },

  /** Replaces all that was synced before with what upstream told now: either the whole list, or none of it. */
  replaceSynced: (lineId: number, templates: Insertable<TemplateTable>[], syncedAt: string): Promise<void> =>
    db.transaction().execute(async (trx) => {
      await trx.deleteFrom('templates').where('line_id', '=', lineId).where('is_starter', '=', 0).execute();
      await trx
        .updateTable('templates')
        .set({ upstream_status: null, upstream_id: null, quality_score: null })
        .where('line_id', '=', lineId)
        .execute();
      // A page that shifts while the list is read tells of a template twice.
      const rows = [
        ...new Map(templates.map((template) => [`${template.name} ${template.language}`, template])).values(),
      ];
      for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
        await trx
          .insertInto('templates')
          .values(rows.slice(from, from + ROWS_A_STATEMENT))
          .onConflict((conflict) =>
            conflict.columns(['line_id', 'name', 'language']).doUpdateSet((row) => ({
              upstream_id: row.ref('excluded.upstream_id'),
              category: row.ref('excluded.category'),
              upstream_status: row.ref('excluded.upstream_status'),
              quality_score: row.ref('excluded.quality_score'),
              parameter_format: row.ref('excluded.parameter_format'),
              components: row.ref('excluded.components'),
            })),
          )
          .execute();
      }
      await trx
        .updateTable('lines')
        .set({ templates_synced_at: syncedAt })
        .where('id', '=', lineId)
        .execute();
    }),

  async syncedAt(lineId: number): Promise<string | null> {
    const row = await db
      .selectFrom('lines')
      .select('templates_synced_at')
      .where('id', '=', lineId)
      .executeTakeFirst();
    return row?.templates_synced_at ?? null;
  },
});

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
