import { type ExpressionBuilder, type Insertable, type Kysely, type Selectable } from 'kysely';
import { firstOf } from '../rows';
import { isoTime, SECOND } from '../../time';
import { inOrderOf } from '../../primitives/in-order-of';
import { inTransaction } from '../commit/retry-on-conflict';
import { changeRegistry } from '../processes/registry';
import { type Schema, type TemplateTable } from '../schema';

export type TemplateRow = Selectable<TemplateTable>;

/** A template in the platform's list. */
export type NewTemplate = Omit<TemplateRow, 'line_id' | 'is_starter' | 'category_before' | `${string}_at`>;

/** The business account of a list, and when reading the list began and ended (ISO times). */
export interface SyncedList {
  wabaId: string;
  readAt: string;
  syncedAt: string;
}

/** The changes that one event reports about one template, at the platform's time. */
export interface TemplateChange {
  upstream_id: string | null;
  name: string;
  language: string;
  /** ISO time. */
  at: string;
  upstream_status?: string;
  /** With the status; null if there is no rejection. */
  rejected_reason?: string | null;
  quality_score?: string;
  category?: string;
  /** Computes the new components (JSON) from the stored ones. */
  components?: (stored: string) => string;
}

/** The business account and the customer of a line. */
export interface TemplateOwner {
  wabaId: string;
  customerId: number | null;
}

/** The values of a template that the platform changes, each with the column of its time. */
const FACTS = [
  ['upstream_status', 'status_at'],
  ['quality_score', 'quality_at'],
  ['category', 'category_at'],
  ['components', 'components_at'],
] as const;

const SYNCED_COLUMNS = [
  'upstream_id',
  'parameter_format',
  'rejected_reason',
  'quality_node',
  'category_before',
  'category_changed_at',
  ...FACTS.flat(),
] as const;

/** Rows per insert: well below both databases' limit on parameters. */
const ROWS_A_STATEMENT = 500;

/**
 * The templates of each line, as last synced, and the starter templates that the platform does not have.
 * @param looks the connections for long lists
 */
export const templateTable = (db: Kysely<Schema>, looks = db) => ({
  /** By name, then language, in code point order on both databases. */
  async ofLine(lineId: number): Promise<TemplateRow[]> {
    const rows = await looks
      .selectFrom('templates')
      .selectAll()
      .where('line_id', '=', lineId)
      .where(isNoOthers)
      .execute();
    return rows.sort(
      (one, other) => inOrderOf(one.name, other.name) || inOrderOf(one.language, other.language),
    );
  },

  find: (lineId: number, name: string, language: string): Promise<TemplateRow | null> =>
    firstOf(
      db
        .selectFrom('templates')
        .selectAll()
        .where('line_id', '=', lineId)
        .where(isNoOthers)
        .where('name', '=', name)
        .where('language', '=', language),
    ),

  /** The platform's templates of these names on several lines, in code point order of their languages. */
  async named(lineIds: readonly number[], names: readonly string[]): Promise<TemplateRow[]> {
    if (!lineIds.length || !names.length) return [];
    const rows = await db
      .selectFrom('templates')
      .selectAll()
      .where('line_id', 'in', lineIds)
      .where('name', 'in', names)
      .where('upstream_id', 'is not', null)
      .where(isNoOthers)
      .execute();
    return rows.sort((one, other) => one.line_id - other.line_id || inOrderOf(one.language, other.language));
  },

  async insertStarters(templates: Insertable<TemplateTable>[]): Promise<void> {
    await db
      .insertInto('templates')
      .values(templates)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },

  /**
   * Replaces all synced templates with the platform's list, completely or not at all. Values from events since the
   * start of reading are newer than the list, and remain. Nothing is replaced if the line has another business
   * account now, or if a list that was read later is already stored.
   */
  replaceSynced: (lineId: number, templates: NewTemplate[], list: SyncedList): Promise<void> =>
    changing(db, lineId, async (trx) => {
      const readAt = beforeSecond(list.readAt);
      // First, so that other changes to this line's templates wait.
      const { numUpdatedRows } = await trx
        .updateTable('lines')
        .set({ templates_synced_at: list.syncedAt, templates_read_at: list.readAt, templates_failures: 0 })
        .where('id', '=', lineId)
        .where('waba_id', '=', list.wabaId)
        .where((line) =>
          line.or([
            line('templates_read_at', 'is', null),
            line('templates_read_at', '<=', list.readAt),
            // Stored with a wrong clock.
            line('templates_read_at', '>', list.syncedAt),
          ]),
        )
        .executeTakeFirst();
      if (!numUpdatedRows) return;
      const before = new Map((await rowsOf(trx, lineId)).map((row) => [keyOf(row), row]));
      // If a page shifts while the list is read, a template appears twice.
      const told = new Map(templates.map((template) => [keyOf(template), template]));
      const rows = [...told].map(([key, template]) => newest(lineId, template, readAt, before.get(key)));
      await trx.deleteFrom('templates').where('line_id', '=', lineId).where('is_starter', '=', 0).execute();
      await trx
        .updateTable('templates')
        .set({
          upstream_status: null,
          upstream_id: null,
          rejected_reason: null,
          quality_score: null,
          quality_node: null,
        })
        .where('line_id', '=', lineId)
        .execute();
      for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
        await trx
          .insertInto('templates')
          .values(rows.slice(from, from + ROWS_A_STATEMENT))
          .onConflict((conflict) =>
            conflict
              .columns(['line_id', 'name', 'language'])
              .doUpdateSet((row) =>
                Object.fromEntries(SYNCED_COLUMNS.map((column) => [column, row.ref(`excluded.${column}`)])),
              ),
          )
          .execute();
      }
    }),

  /**
   * Applies the platform's events about templates of a line. Each value has its own time, so that an older one never
   * replaces a newer one, in any order of arrival.
   * @returns whether the list must be read: the events concern a template that is not stored, or is stored under
   * another id
   */
  applyChanges: (lineId: number, changes: TemplateChange[]): Promise<boolean> =>
    changing(db, lineId, async (trx) => {
      // As in `replaceSynced`: a sync that ends now ends before these changes, or sees them.
      await trx
        .updateTable('lines')
        .set((line) => ({ templates_read_at: line.ref('templates_read_at') }))
        .where('id', '=', lineId)
        .execute();
      const rows = (await rowsOf(trx, lineId)).filter(
        (row) => row.upstream_id !== null || row.upstream_status !== null,
      );
      let isMoreToKnow = false;
      for (const change of changes) {
        const row =
          rows.find((one) => keyOf(one) === keyOf(change)) ??
          rows.find((one) => change.upstream_id !== null && one.upstream_id === change.upstream_id);
        if (row?.upstream_id !== change.upstream_id) isMoreToKnow = true;
        if (!row) continue;
        const set = newerFacts(row, change);
        if (!Object.keys(set).length) continue;
        Object.assign(row, set);
        await trx
          .updateTable('templates')
          .set(set)
          .where('line_id', '=', lineId)
          .where('name', '=', row.name)
          .where('language', '=', row.language)
          .execute();
      }
      return isMoreToKnow;
    }),

  /**
   * Makes a template with this name the customer's. A name that the account's list has is nobody's: it is common to
   * all lines. Lines without a customer own nothing.
   */
  claim: (
    { wabaId, customerId }: TemplateOwner,
    name: string,
  ): Promise<'claimed' | 'own' | 'common' | 'taken'> =>
    inTransaction(db, async (trx) => {
      const owner = await ownerOf(trx, wabaId, name);
      if (owner) return owner.customer_id === customerId ? 'own' : 'taken';
      const known = await trx
        .selectFrom('templates')
        .innerJoin('lines', 'lines.id', 'templates.line_id')
        .select('templates.name')
        .where('lines.waba_id', '=', wabaId)
        .where('templates.name', '=', name)
        .where('templates.upstream_id', 'is not', null)
        .executeTakeFirst();
      if (known) return 'common';
      if (customerId === null) return 'own';
      const { numInsertedOrUpdatedRows: claimed } = await trx
        .insertInto('template_owners')
        .values({ waba_id: wabaId, name, customer_id: customerId })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return claimed ? 'claimed' : 'taken';
    }),

  /** Undoes a claim of a name that was not created. */
  async release({ wabaId }: { wabaId: string }, name: string): Promise<void> {
    await db.deleteFrom('template_owners').where('waba_id', '=', wabaId).where('name', '=', name).execute();
  },

  /** The customer that a template belongs to; null if it is common to all lines of the business account. */
  owner: async (wabaId: string, name: string): Promise<number | null> =>
    (await ownerOf(db, wabaId, name))?.customer_id ?? null,

  /** Whether the template belongs to another customer than the line. */
  async isOthers({ wabaId, customerId }: TemplateOwner, name: string): Promise<boolean> {
    const owner = await ownerOf(db, wabaId, name);
    return owner !== undefined && owner.customer_id !== customerId;
  },

  /** The names on the business account that belong to other customers. */
  async namesOfOthers({ wabaId, customerId }: TemplateOwner): Promise<Set<string>> {
    const rows = await db
      .selectFrom('template_owners')
      .select('name')
      .where('waba_id', '=', wabaId)
      .where('customer_id', 'is distinct from', customerId)
      .execute();
    return new Set(rows.map(({ name }) => name));
  },

  /**
   * Gives templates to another customer.
   * @param from `wabaId` null: on every business account
   * @param to null: the lines without a customer
   */
  async giveTo(from: { wabaId: string | null; customerId: number | null }, to: number | null): Promise<void> {
    let given = db.updateTable('template_owners').set({ customer_id: to });
    if (from.wabaId !== null) given = given.where('waba_id', '=', from.wabaId);
    await given.where('customer_id', from.customerId === null ? 'is' : '=', from.customerId).execute();
  },

  async syncedAt(lineId: number): Promise<string | null> {
    const row = await db
      .selectFrom('lines')
      .select('templates_synced_at')
      .where('id', '=', lineId)
      .executeTakeFirst();
    return row?.templates_synced_at ?? null;
  },
});

/** Templates are cached in memory (`templates/known-templates.ts`), so every process is notified of changes. */
const changing = <T>(
  db: Kysely<Schema>,
  lineId: number,
  change: (trx: Kysely<Schema>) => Promise<T>,
): Promise<T> => changeRegistry(db, ['lines', lineId], change);

const ownerOf = (db: Kysely<Schema>, wabaId: string, name: string) =>
  db
    .selectFrom('template_owners')
    .select('customer_id')
    .where('waba_id', '=', wabaId)
    .where('name', '=', name)
    .executeTakeFirst();

/** Whether a row of `templates` belongs to no other customer than its line. */
export const isNoOthers = ({ not, exists, selectFrom }: ExpressionBuilder<Schema, 'templates'>) =>
  not(
    exists(
      selectFrom('template_owners')
        .innerJoin('lines', 'lines.waba_id', 'template_owners.waba_id')
        .select('template_owners.name')
        .whereRef('lines.id', '=', 'templates.line_id')
        .whereRef('template_owners.name', '=', 'templates.name')
        .whereRef('template_owners.customer_id', 'is distinct from', 'lines.customer_id'),
    ),
  );

const rowsOf = (db: Kysely<Schema>, lineId: number): Promise<TemplateRow[]> =>
  db.selectFrom('templates').selectAll().where('line_id', '=', lineId).execute();

const keyOf = ({ name, language }: { name: string; language: string }): string =>
  JSON.stringify([name, language]);

/**
 * The time of a list's values: one millisecond before the second in which the list was read. The platform's times are
 * whole seconds, so an event of that second may be newer than the list. Of two lists, the later one is newer.
 * @param time ISO time
 */
const beforeSecond = (time: string): string => isoTime(Math.floor(Date.parse(time) / SECOND) * SECOND - 1);

/**
 * The row of a template in a list, with newer values from the stored row. An event has only some of the components,
 * and causes the list to be read for the rest: if both are from the same second, the list is newer.
 * @param readAt the time of the list's values
 */
function newest(
  lineId: number,
  template: NewTemplate,
  readAt: string,
  stored: TemplateRow | undefined,
): Insertable<TemplateTable> {
  const row: Insertable<TemplateTable> = { ...template, line_id: lineId, is_starter: 0 };
  for (const [fact, at] of FACTS) {
    const since = stored?.[at] ?? null;
    const newerThan = fact === 'components' ? isoTime(Date.parse(readAt) + 1) : readAt;
    const isNewer = stored !== undefined && since !== null && since > newerThan;
    Object.assign(row, isNewer ? { [fact]: stored[fact], [at]: since } : { [at]: readAt });
    if (isNewer && fact === 'quality_score') row.quality_node = stored.quality_node;
    if (isNewer && fact === 'upstream_status') row.rejected_reason = stored.rejected_reason;
  }
  return { ...row, ...(stored && recategorised(stored, row.category, row.category_at ?? readAt)) };
}

/** The columns about the last change of a template's category. The category of a starter is not the platform's. */
function recategorised(
  stored: TemplateRow,
  category: string,
  at: string,
): Pick<TemplateRow, 'category_before' | 'category_changed_at'> {
  const isKnown = stored.upstream_id !== null && stored.category !== '' && category !== '';
  const isChanged = isKnown && stored.category !== category;
  return isChanged
    ? { category_before: stored.category, category_changed_at: at }
    : { category_before: stored.category_before, category_changed_at: stored.category_changed_at };
}

/** The columns to set for those values of a change that are not older than the stored ones. */
function newerFacts(stored: TemplateRow, change: TemplateChange): Partial<TemplateRow> {
  const told = {
    upstream_status: change.upstream_status,
    quality_score: change.quality_score,
    category: change.category,
    components: change.components?.(stored.components),
  };
  const isNew = ([fact, at]: (typeof FACTS)[number]): boolean =>
    told[fact] !== undefined && (stored[at] === null || stored[at] <= change.at);
  const set: Partial<TemplateRow> = Object.fromEntries(
    FACTS.filter(isNew).flatMap(([fact, at]) => [
      [fact, told[fact]],
      [at, change.at],
    ]),
  );
  return {
    ...set,
    ...(set.upstream_status !== undefined && { rejected_reason: change.rejected_reason ?? null }),
    ...(set.quality_score !== undefined && { quality_node: null }),
    ...(set.category !== undefined && recategorised(stored, set.category, change.at)),
  };
}
