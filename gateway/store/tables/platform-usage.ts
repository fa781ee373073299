import { type Kysely, type Selectable } from 'kysely';
import { inTransaction } from '../commit/retry-on-conflict';
import { type PlatformUsageTable, type Schema } from '../schema';

export type PlatformUsageRow = Selectable<PlatformUsageTable>;

/** Parameters of one statement stay below SQLite's limit. */
const ROWS_AT_ONCE = 500;

/** What the platform counted for lines. */
export const platformUsageTable = (db: Kysely<Schema>) => ({
  /** Replaces the days of a line from `from` until `to`. @param from, to first and last day */
  replace: (lineId: number, from: string, to: string, rows: PlatformUsageRow[]): Promise<void> =>
    inTransaction(db, async (trx) => {
      await trx
        .deleteFrom('platform_usage')
        .where('line_id', '=', lineId)
        .where('day', '>=', from)
        .where('day', '<=', to)
        .execute();
      for (let start = 0; start < rows.length; start += ROWS_AT_ONCE)
        await trx
          .insertInto('platform_usage')
          .values(rows.slice(start, start + ROWS_AT_ONCE))
          .execute();
    }),

  async removeBefore(day: string): Promise<void> {
    await db.deleteFrom('platform_usage').where('day', '<', day).execute();
  },

  /** The rows of all lines since a day, in the order of lines and days. */
  since: (day: string): Promise<PlatformUsageRow[]> =>
    db
      .selectFrom('platform_usage')
      .selectAll()
      .where('day', '>=', day)
      .orderBy('line_id')
      .orderBy('day')
      .execute(),
});
