import { sql, type Kysely, type RawBuilder, type Selectable, type SqlBool } from 'kysely';
import { inTransaction } from '../commit/retry-on-conflict';
import { eventIdBefore } from '../event-id';
import { USAGE_COUNTS } from '../reports/usage';
import { COUNT, countDeleted } from '../rows';
import { type Schema, type UsageDayTable } from '../schema';
import { isoTime } from '../../time';

export type UsageDayRow = Selectable<UsageDayTable>;

/** A day of a line as rows of `usage_days`, in the order of their key. */
export type UsageDay = Pick<UsageDayRow, 'clock' | 'day'> & { rows: UsageDayRow[] };

/** A marked day, and the marks that were there when it was read. */
export interface MarkedDay {
  lineId: number;
  /** A UTC day. */
  day: string;
  marks: number;
  lastMark: number;
}

/** Messages with the same properties, counted. `number`: a country, or the beginning of the contact. */
export interface SentGroup extends Record<'sent' | 'delivered' | 'read' | 'failed', number> {
  type: string | null;
  template_name: string | null;
  sent_from: string | null;
  pricing: string | null;
  number: string | null;
}

export interface ReceivedGroup {
  kind: string;
  number: string | null;
  received: number;
}

/** The time of a message's first status, as the index of messages that were sent past the gateway has it. */
const TOLD_AT = sql<string>`coalesce(sent_at, delivered_at, read_at, played_at, failed_at)`;

const IS_DELIVERED = sql<SqlBool>`(delivered_at is not null or read_at is not null or played_at is not null)`;

const countIf = (condition: RawBuilder<SqlBool>) =>
  sql<number | string>`sum(case when ${condition} then 1 else 0 end)`;

const numbers = <Row extends object, Key extends keyof Row>(rows: Row[], keys: readonly Key[]): Row[] =>
  rows.map((row) => ({ ...row, ...Object.fromEntries(keys.map((key) => [key, Number(row[key])])) }));

/** Marked days that are read at a time. */
const DAYS_AT_ONCE = 10_000;

/** What lines sent and received each day, and which days must be rebuilt (`usage/rebuild.ts`). */
export const usageTable = (db: Kysely<Schema>, looks: Kysely<Schema>) => ({
  /** Marks a UTC day of all lines. */
  async mark(day: string): Promise<void> {
    await db
      .insertInto('usage_marks')
      .columns(['line_id', 'day'])
      .expression((row) =>
        row
          .selectFrom('lines')
          .select(['id', sql<string>`cast(${day} as text)`.as('day')])
          .where('removed_at', 'is', null),
      )
      .execute();
  },

  /** Marks UTC days of one line. */
  async markOf(lineId: number, days: string[]): Promise<void> {
    if (days.length)
      await db
        .insertInto('usage_marks')
        .values(days.map((day) => ({ line_id: lineId, day })))
        .execute();
  },

  /** The lines that sent or received something since this time, in milliseconds. */
  async activeSince(at: number): Promise<number[]> {
    const rows = await db
      .selectFrom('lines')
      .select('id')
      .where('removed_at', 'is', null)
      .where((row) =>
        row.or([
          row.exists(
            row
              .selectFrom('messages')
              .select('wamid')
              .whereRef('messages.line_id', '=', 'lines.id')
              .where('accepted_at', '>=', isoTime(at)),
          ),
          row.exists(
            row
              .selectFrom('events')
              .select('id')
              .whereRef('events.line_id', '=', 'lines.id')
              .where('id', '>=', eventIdBefore(at)),
          ),
        ]),
      )
      .execute();
    return rows.map(({ id }) => id);
  },

  /** The latest marked days. @param lineId only of this line @returns also whether there are more */
  async marked(lineId?: number): Promise<{ marked: MarkedDay[]; isMore: boolean }> {
    const rows = await db
      .selectFrom('usage_marks')
      .select(['line_id as lineId', 'day', COUNT, sql<number | string>`max(id)`.as('last')])
      .$if(lineId !== undefined, (query) => query.where('line_id', '=', lineId ?? 0))
      .groupBy(['line_id', 'day'])
      .orderBy('day', 'desc')
      .orderBy('line_id')
      .limit(DAYS_AT_ONCE)
      .execute();
    const marked = rows.map(({ lineId: id, day, count, last }) => ({
      ...{ lineId: id, day },
      ...{ marks: Number(count), lastMark: Number(last) },
    }));
    return { marked, isMore: rows.length === DAYS_AT_ONCE };
  },

  /** The first UTC day with messages or events; null if there are none. */
  async firstDay(): Promise<string | null> {
    const [message, event] = await Promise.all([
      db
        .selectFrom('messages')
        .select('accepted_at as at')
        .where('accepted_at', 'is not', null)
        .orderBy('accepted_at')
        .limit(1)
        .executeTakeFirst(),
      db.selectFrom('events').select('received_at as at').orderBy('id').limit(1).executeTakeFirst(),
    ]);
    return [message?.at, event?.at].flatMap((at) => at?.slice(0, 10) ?? []).sort()[0] ?? null;
  },

  /** What a line sent from one time until another, in milliseconds. */
  async sent(lineId: number, from: number, to: number): Promise<SentGroup[]> {
    const groups = (at: RawBuilder<string>, isAccepted: RawBuilder<SqlBool>, ofLine: RawBuilder<SqlBool>) =>
      looks
        .selectFrom('messages')
        .select([
          'type',
          'template_name',
          'sent_from',
          'pricing',
          sql<string | null>`coalesce(country, substr(contact, 1, 7))`.as('number'),
          sql<number>`count(*)`.as('sent'),
          countIf(IS_DELIVERED).as('delivered'),
          countIf(sql`read_at is not null or played_at is not null`).as('read'),
          countIf(sql`failed_at is not null and not ${IS_DELIVERED}`).as('failed'),
        ])
        .where(ofLine)
        .where(isAccepted)
        .where(at, '>=', isoTime(from))
        .where(at, '<', isoTime(to))
        .groupBy(['type', 'template_name', 'sent_from', 'pricing', 'number'])
        .execute();
    const found = await Promise.all([
      groups(sql.ref('accepted_at'), sql`accepted_at is not null`, sql`line_id = ${lineId}`),
      // With the plus, SQLite reads the few messages of the index by this time, and not all of the line.
      groups(TOLD_AT, sql`accepted_at is null`, sql`+line_id = ${lineId}`),
    ]);
    return numbers(found.flat(), ['sent', 'delivered', 'read', 'failed']) as SentGroup[];
  },

  /** What a line's contacts sent from one time until another, in milliseconds. */
  async received(lineId: number, from: number, to: number): Promise<ReceivedGroup[]> {
    const rows = await looks
      .selectFrom('events')
      .select([
        'kind',
        sql<string | null>`coalesce(country, substr(contact, 1, 7))`.as('number'),
        sql<number>`count(*)`.as('received'),
      ])
      .where('line_id', '=', lineId)
      .where('subject', '=', 'message')
      .where('id', '>=', eventIdBefore(from))
      .where('id', '<', eventIdBefore(to))
      .groupBy(['kind', 'number'])
      .execute();
    return numbers(rows, ['received']);
  },

  /** The stored rows of a day, in the order of their key. */
  day: (lineId: number, { clock, day }: Pick<UsageDayRow, 'clock' | 'day'>): Promise<UsageDayRow[]> =>
    looks
      .selectFrom('usage_days')
      .selectAll()
      .where('line_id', '=', lineId)
      .where('clock', '=', clock)
      .where('day', '=', day)
      .execute(),

  /**
   * Replaces days of a line and removes the marks that were there before the days were read.
   * @returns false, with nothing changed, if some of these marks are gone: then another rebuild was faster, and may
   * have seen more
   */
  replace: ({ lineId, day: markedDay, marks, lastMark }: MarkedDay, days: UsageDay[]): Promise<boolean> =>
    inTransaction(db, async (trx) => {
      const removed = await countDeleted(
        trx
          .deleteFrom('usage_marks')
          .where('line_id', '=', lineId)
          .where('day', '=', markedDay)
          .where('id', '<=', lastMark),
      );
      if (removed < marks) throw new Outrun();
      // An earlier mark was committed late: what it stands for may not have been read.
      if (removed > marks)
        await trx.insertInto('usage_marks').values({ line_id: lineId, day: markedDay }).execute();
      const isThere = await trx
        .selectFrom('lines')
        .select('id')
        .where('id', '=', lineId)
        .where('removed_at', 'is', null)
        .executeTakeFirst();
      // Removed since the days were read, and perhaps its messages too.
      if (!isThere) return true;
      for (const { clock, day, rows } of days) {
        await trx
          .deleteFrom('usage_days')
          .where('line_id', '=', lineId)
          .where('clock', '=', clock)
          .where('day', '=', day)
          .execute();
        for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
          await trx
            .insertInto('usage_days')
            .values(rows.slice(from, from + ROWS_AT_ONCE))
            .execute();
      }
      const months = Map.groupBy(days, ({ clock, day }) => `${clock} ${day.slice(0, 7)}`);
      for (const [{ clock, day }] of months.values() as Iterable<[UsageDay]>)
        await addUpMonth(trx, lineId, clock, day.slice(0, 7));
      return true;
    }).catch((error: unknown) => {
      if (error instanceof Outrun) return false;
      throw error;
    }),

  /** How far days were settled, and before when they are frozen (`RegistryTable`). */
  async progress(): Promise<{ settled: string | null; frozenBefore: string | null }> {
    const row = await db
      .selectFrom('registry')
      .select(['usage_settled as settled', 'usage_frozen_before as frozenBefore'])
      .executeTakeFirstOrThrow();
    return row;
  },

  async settled(day: string): Promise<void> {
    await db.updateTable('registry').set({ usage_settled: day }).execute();
  },

  /** Freezes the days that begin before this time; earlier ones stay frozen. */
  async freeze(before: string): Promise<void> {
    await db
      .updateTable('registry')
      .set({ usage_frozen_before: before })
      .where((row) =>
        row.or([row('usage_frozen_before', 'is', null), row('usage_frozen_before', '<', before)]),
      )
      .execute();
  },
});

// prettier-ignore
const DIMENSIONS = ['line_id', 'clock', 'direction', 'kind', 'template', 'category', 'type', 'country'] as const;

async function addUpMonth(
  trx: Kysely<Schema>,
  lineId: number,
  clock: UsageDayRow['clock'],
  month: string,
): Promise<void> {
  await trx
    .deleteFrom('usage_months')
    .where('line_id', '=', lineId)
    .where('clock', '=', clock)
    .where('month', '=', month)
    .execute();
  await trx
    .insertInto('usage_months')
    .columns([...DIMENSIONS, ...USAGE_COUNTS, 'month'])
    .expression((row) =>
      row
        .selectFrom('usage_days')
        .select(DIMENSIONS)
        .select(USAGE_COUNTS.map((count) => sql<number>`sum(${sql.ref(count)})`.as(count)))
        .select(sql<string>`cast(${month} as text)`.as('month'))
        .where('line_id', '=', lineId)
        .where('clock', '=', clock)
        .where('day', '>=', `${month}-01`)
        .where('day', '<=', `${month}-31`)
        .groupBy(DIMENSIONS),
    )
    .execute();
}

/** Parameters of one statement stay below SQLite's limit. */
const ROWS_AT_ONCE = 500;

class Outrun extends Error {}
