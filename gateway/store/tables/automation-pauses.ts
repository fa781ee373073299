import { type Kysely, type Selectable } from 'kysely';
import { countDeleted } from '../rows';
import { type AutomationPauseTable, type Schema } from '../schema';

export type AutomationPauseRow = Selectable<AutomationPauseTable>;

/** Contacts of a line for which automations are paused. A contact has one row, under any of its names. */
export const automationPauseTable = (db: Kysely<Schema>) => ({
  /** Whether any contact of the line is paused at this time. */
  async hasAny(lineId: number, now: string): Promise<boolean> {
    const row = await db
      .selectFrom('automation_pauses')
      .select('contact')
      .where('line_id', '=', lineId)
      .where('state', '=', 'paused')
      .where((one) => one.or([one('until', 'is', null), one('until', '>', now)]))
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  },

  /**
   * The contacts that are paused at this time.
   * @param names of several contacts
   */
  among: (lineId: number, names: string[], now: string): Promise<AutomationPauseRow[]> =>
    db
      .selectFrom('automation_pauses')
      .selectAll()
      .where('line_id', '=', lineId)
      .where('contact', 'in', names)
      .where('state', '=', 'paused')
      .where((row) => row.or([row('until', 'is', null), row('until', '>', now)]))
      .execute(),

  /**
   * The latest pause or resume of a contact; null if there is none.
   * @param names all names of the contact
   */
  async latest(lineId: number, names: string[]): Promise<AutomationPauseRow | null> {
    const row = await db
      .selectFrom('automation_pauses')
      .selectAll()
      .where('line_id', '=', lineId)
      .where('contact', 'in', names)
      .orderBy('at', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row ?? null;
  },

  /**
   * Replaces earlier rows of a contact. A later one remains.
   * @param names all names of the contact
   */
  async set(row: AutomationPauseRow, names: string[]): Promise<void> {
    const { state, at, until } = row;
    await db
      .insertInto('automation_pauses')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['line_id', 'contact'])
          .doUpdateSet({ state, at, until })
          .where('automation_pauses.at', '<=', at),
      )
      .execute();
    await db
      .deleteFrom('automation_pauses')
      .where('line_id', '=', row.line_id)
      .where('contact', 'in', names)
      .where('contact', '<>', row.contact)
      .where('at', '<=', at)
      .execute();
  },

  /** Removes pauses that ended before this time. @returns the number removed */
  removeEndedBefore: (at: string): Promise<number> =>
    countDeleted(
      db
        .deleteFrom('automation_pauses')
        .where((row) =>
          row.or([row('until', '<', at), row.and([row('state', '=', 'resumed'), row('at', '<', at)])]),
        ),
    ),
});
