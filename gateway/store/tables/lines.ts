import {
  type ExpressionBuilder,
  type Insertable,
  type Kysely,
  type Selectable,
  sql,
  type SqlBool,
  type Updateable,
} from 'kysely';
import { type OwnedLine } from '../../rights/grants';
import { anyUpdated, firstOf } from '../rows';
import { isoTime } from '../../time';
import { inTransaction } from '../commit/retry-on-conflict';
import { changeRegistry } from '../processes/registry';
import { type LineTable, type Schema } from '../schema';
import { type CustomerRow } from './customers';

export interface LineRow extends Selectable<LineTable> {
  /** Since when the line's customer is suspended; null if it is not, or if there is none. */
  customer_suspended_at: string | null;
  /** Null if the line belongs to no customer. */
  customer_name: string | null;
  /** 1: marketing templates are refused, because the customer's budget is reached. */
  customer_holds_marketing: number;
  /** Null: off, or the line belongs to no customer. */
  customer_audit_looks: CustomerRow['audit_looks'];
}

/** The part of a line that decides who may see it. */
export const ownedLine = ({ id, customer_id: customerId }: LineRow): OwnedLine => ({ id, customerId });

/** Data that is read from the platform. */
export type Refreshed = 'status' | 'templates' | 'checks';

/** The origin of a refresh: a user (`refresh=1` or a button) or the gateway itself. */
export type Asker = 'person' | 'gateway';

/** The result of polling a phone number. */
export interface StatusPoll {
  phoneNumberId: string;
  /** JSON. */
  node: string;
  /** ISO times. */
  startedAt: string;
  checkedAt: string;
}

/** What was read from the platform for the checks of a line. */
export interface ChecksPoll {
  /** Of the number that was read. */
  phoneNumberId: string;
  wabaId: string;
  /** JSON: `LineChecks`. */
  checks: string;
  /** IANA; null if it is one that the gateway does not know, undefined if the platform did not tell. */
  timeZone?: string | null | undefined;
}

/** Columns whose change makes earlier data from the platform outdated. */
const IDENTITY = ['access_token_sealed', 'phone_number_id', 'waba_id'] as const;

/** The mark with the time when the platform last verified the callback of all lines. */
const SHARED_CALLBACK = { kind: 'callback', subject: '' };

/** The column with the start of the last refresh, by the origin of the request that must wait. */
const COUNTED_FROM = {
  person: { status: 'status_asked_at', templates: 'templates_asked_at', checks: 'checks_asked_at' },
  gateway: { status: 'status_refresh_at', templates: 'templates_refresh_at', checks: 'checks_refresh_at' },
} as const;

const withCustomer = (db: Kysely<Schema>) =>
  db
    .selectFrom('lines')
    .leftJoin('customers', 'customers.id', 'lines.customer_id')
    .selectAll('lines')
    .select(['customers.suspended_at as customer_suspended_at', 'customers.name as customer_name'])
    .select('customers.audit_looks as customer_audit_looks')
    .select(
      sql<number>`case when customers.budget_holds = 1 and customers.budget_reached_at is not null then 1 else 0 end`.as(
        'customer_holds_marketing',
      ),
    );

/** Lines, in the order in which they were added. */
export const lineTable = (db: Kysely<Schema>) => ({
  /** All lines except removed ones. */
  all: (): Promise<LineRow[]> =>
    withCustomer(db).where('removed_at', 'is', null).orderBy('lines.id').execute(),

  /** The existing lines with these ids. */
  some: async (ids: number[]): Promise<LineRow[]> =>
    ids.length
      ? await withCustomer(db)
          .where('lines.id', 'in', ids)
          .where('removed_at', 'is', null)
          .orderBy('lines.id')
          .execute()
      : [],

  find: (id: number): Promise<LineRow | null> =>
    firstOf(withCustomer(db).where('lines.id', '=', id).where('removed_at', 'is', null)),

  /** A removed line; null if there is none. */
  findRemoved: (id: number): Promise<LineRow | null> =>
    firstOf(withCustomer(db).where('lines.id', '=', id).where('removed_at', 'is not', null)),

  /**
   * Removes a line with its tokens, templates, destinations and alert channels. Rows without credentials and URLs
   * remain, because events and audit entries refer to them. The phone number id can be used again.
   * @param nothing a sealed placeholder for columns that cannot be null
   */
  remove: (id: number, at: string, nothing: string): Promise<void> =>
    changeRegistry(db, null, async (trx) => {
      await trx.deleteFrom('tokens').where('line_id', '=', id).execute();
      await trx.deleteFrom('templates').where('line_id', '=', id).execute();
      const channels = trx
        .selectFrom('alert_channels')
        .select('id')
        .where('scope', '=', 'line')
        .where('scope_id', '=', String(id));
      for (const table of ['alert_notices', 'alert_told'] as const)
        await trx.deleteFrom(table).where('channel_id', 'in', channels).execute();
      await trx.deleteFrom('alert_channels').where('id', 'in', channels).execute();
      await trx
        .updateTable('destinations')
        .set((row) => ({
          removed_at: row.fn.coalesce('removed_at', row.val(at)),
          url: '',
          secret_sealed: nothing,
          previous_secret_sealed: null,
          previous_secret_until: null,
          headers_sealed: null,
        }))
        .where('line_id', '=', id)
        .execute();
      await trx
        .updateTable('lines')
        .set({
          phone_number_id: `removed-${id}`,
          phone_number: '',
          waba_id: '',
          access_token_sealed: null,
          app_secret_sealed: null,
          verify_token: '',
          upstream_node: null,
          checks: null,
          deactivated_at: at,
          removed_at: at,
        })
        .where('id', '=', id)
        .execute();
    }),

  /**
   * Stores when the platform verified the callback. Other processes need not read it.
   * @param id null for the callback of all lines, also of those that are added later
   */
  async noteHandshake(id: number | null, at: string): Promise<void> {
    if (id === null)
      await db
        .insertInto('alert_marks')
        .values({ ...SHARED_CALLBACK, value: '', at })
        .onConflict((conflict) => conflict.columns(['kind', 'subject']).doUpdateSet({ at }))
        .execute();
    await db
      .updateTable('lines')
      .set({ handshake_at: at })
      .$if(id !== null, (update) => update.where('id', '=', id ?? 0))
      .execute();
  },

  /** @returns null if another line has the phone number id */
  insert: (line: Insertable<LineTable>): Promise<LineRow | null> =>
    changeRegistry(db, 'lines', async (trx) => {
      const added = await firstOf(
        trx
          .insertInto('lines')
          .values((values) => ({
            handshake_at: values
              .selectFrom('alert_marks')
              .select('at')
              .where('kind', '=', SHARED_CALLBACK.kind)
              .where('subject', '=', SHARED_CALLBACK.subject),
            ...line,
            checks_wanted_at: line.created_at,
          }))
          .onConflict((conflict) => conflict.column('phone_number_id').doNothing())
          .returning('id'),
      );
      return added && firstOf(withCustomer(trx).where('lines.id', '=', added.id));
    }),

  /** Changes a line. New credentials or a new number cause a refresh soon, regardless of earlier failures. */
  update: (id: number, change: Updateable<LineTable>): Promise<void> =>
    changeRegistry(db, ['lines', id], async (trx) => {
      const isAnother = IDENTITY.some((column) => change[column] !== undefined);
      await trx
        .updateTable('lines')
        .set(change)
        .$if(isAnother, (update) =>
          update.set((line) => ({
            status_wanted_at: line.ref('created_at'),
            templates_wanted_at: line.ref('created_at'),
            checks_wanted_at: line.ref('created_at'),
            status_failures: 0,
            templates_failures: 0,
            checks_failures: 0,
            checks: null,
            credentials_refused_at: null,
            credentials_refused_because: null,
          })),
        )
        .$if(change.app_secret_sealed !== undefined, (update) => update.set({ signature_failed_at: null }))
        .where('id', '=', id)
        .execute();
    }),

  /**
   * Stores whether the notifications to a line's own callback have a wrong signature.
   * @param failedAt since when; null if the last one was right
   */
  noteSignature: (id: number, failedAt: string | null): Promise<void> =>
    changeRegistry(db, ['lines', id], async (trx) => {
      await trx.updateTable('lines').set({ signature_failed_at: failedAt }).where('id', '=', id).execute();
    }),

  /**
   * Starts a refresh unless one started after `since`. If several processes call it at once, one gets true. A user's
   * request waits only for other users' refreshes, the gateway's for all. A start further in the future than `since`
   * is in the past comes from a wrong clock, and is ignored.
   * @param at, since ISO times
   */
  startRefresh(id: number, of: Refreshed, asker: Asker, at: string, since: string): Promise<boolean> {
    const column = COUNTED_FROM[asker][of];
    return anyUpdated(
      db
        .updateTable('lines')
        .set({ [COUNTED_FROM.gateway[of]]: at, [column]: at, [`${of}_wanted_at`]: null })
        .where('id', '=', id)
        .where((row) =>
          row.or([row(column, 'is', null), row(column, '<=', since), row(column, '>', mirrored(since, at))]),
        ),
    );
  },

  /**
   * Counts a failed refresh. A successful one resets the count when it stores its result.
   * @param refused when the platform refused the line's credentials, and its error message
   */
  async refreshFailed(
    id: number,
    of: Refreshed,
    refused: { at: string; because: string } | null = null,
  ): Promise<void> {
    const column = `${of}_failures` as const;
    await db
      .updateTable('lines')
      .set((line) => ({
        [column]: line(column, '+', 1),
        ...(refused && {
          credentials_refused_at: line.fn.coalesce('credentials_refused_at', line.val(refused.at)),
          credentials_refused_because: refused.because,
        }),
      }))
      .where('id', '=', id)
      .execute();
  },

  /**
   * Lines whose access token the platform refuses, since when, and the error message.
   * @param id only this line
   */
  refused: (id?: number) =>
    db
      .selectFrom('lines')
      .select(['id', 'credentials_refused_at', 'credentials_refused_because'])
      .where('credentials_refused_at', 'is not', null)
      .where('removed_at', 'is', null)
      .$if(id !== undefined, (query) => query.where('id', '=', id ?? 0))
      .execute(),

  /** Requests a refresh that begins after now, in any process. */
  async wantRefresh(ids: number[], of: Refreshed, at: string): Promise<void> {
    if (!ids.length) return;
    await db
      .updateTable('lines')
      .set({ [`${of}_wanted_at`]: at })
      .where('id', 'in', ids)
      .execute();
  },

  /**
   * For each active line with credentials: its last refresh, the result, and whether another is wanted.
   */
  refreshes: () =>
    db
      .selectFrom('lines')
      .select([
        'id',
        'waba_id',
        'status_refresh_at',
        'status_wanted_at',
        'status_failures',
        'templates_refresh_at',
        'templates_wanted_at',
        'templates_failures',
        'checks_refresh_at',
        'checks_wanted_at',
        'checks_failures',
      ])
      .where('deactivated_at', 'is', null)
      .where('access_token_sealed', 'is not', null)
      .execute(),

  /** The platform's last data about the phone number, and its time. */
  upstreamStatus: (id: number): Promise<Pick<LineRow, 'upstream_node' | 'status_checked_at'> | null> =>
    firstOf(db.selectFrom('lines').select(['upstream_node', 'status_checked_at']).where('id', '=', id)),

  /**
   * Stores the result of polling a phone number, unless a later poll was faster or the line has another number now.
   * If nothing changed, processes need not reload their lines.
   */
  async storeStatus(id: number, poll: StatusPoll): Promise<void> {
    const told = {
      status_checked_at: poll.checkedAt,
      status_failures: 0,
      credentials_refused_at: null,
      credentials_refused_because: null,
    };
    const ofLine = (row: ExpressionBuilder<Schema, 'lines'>) =>
      row.and([
        row('id', '=', id),
        row('phone_number_id', '=', poll.phoneNumberId),
        row.or([
          row('status_checked_at', 'is', null),
          row('status_checked_at', '<=', poll.startedAt),
          // Stored with a wrong clock.
          row('status_checked_at', '>', poll.checkedAt),
        ]),
      ]);
    const isKnown = db.updateTable('lines').set(told).where(ofLine).where('upstream_node', '=', poll.node);
    if (await anyUpdated(isKnown)) return;
    await changeRegistry(db, ['lines', id], (trx) =>
      trx
        .updateTable('lines')
        .set({ ...told, upstream_node: poll.node })
        .where(ofLine)
        .execute(),
    );
  },

  /**
   * Stores what was read for the checks of a line, unless the line has another number or account now. If its time zone
   * changed, all its days are marked to be rebuilt.
   */
  storeChecks: (id: number, { phoneNumberId, wabaId, checks, timeZone }: ChecksPoll): Promise<void> =>
    inTransaction(db, async (trx) => {
      const ofLine = trx
        .updateTable('lines')
        .where('id', '=', id)
        .where('phone_number_id', '=', phoneNumberId)
        .where('waba_id', '=', wabaId);
      await ofLine.set({ checks, checks_failures: 0 }).execute();
      if (timeZone === undefined) return;
      const isOther = sql<SqlBool>`time_zone is distinct from ${timeZone}`;
      if (!(await anyUpdated(ofLine.set({ time_zone: timeZone }).where(isOther)))) return;
      await trx
        .insertInto('usage_marks')
        .columns(['line_id', 'day'])
        .expression((row) =>
          row.selectFrom('usage_days').select(['line_id', 'day']).distinct().where('line_id', '=', id),
        )
        .execute();
    }),

  /**
   * What was last read for the checks of each active line (JSON: `LineChecks`).
   * @param id only this line
   */
  checks: async (id?: number): Promise<{ id: number; checks: string }[]> =>
    db
      .selectFrom('lines')
      .select(['id', 'checks'])
      .$if(id !== undefined, (query) => query.where('id', '=', id ?? 0))
      .where('checks', 'is not', null)
      .where('deactivated_at', 'is', null)
      .orderBy('id')
      .$narrowType<{ checks: string }>()
      .execute(),

  /** The start of the last refresh that counts for requests from this origin. */
  async refreshedAt(id: number, of: Refreshed, asker: Asker): Promise<string | null> {
    const row = await db
      .selectFrom('lines')
      .select([`${COUNTED_FROM[asker][of]} as at`])
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.at ?? null;
  },
});

/** The time as far after `at` as `since` is before it. */
const mirrored = (since: string, at: string): string => isoTime(2 * Date.parse(at) - Date.parse(since));
