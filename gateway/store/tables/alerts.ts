import { sql, type Insertable, type Kysely, type Selectable, type Updateable } from 'kysely';
import { anyDeleted, COUNT, countOf, firstOf } from '../rows';
import { inTransaction } from '../commit/retry-on-conflict';
import {
  type AlertChannelTable,
  type AlertIncidentTable,
  type AlertMarkTable,
  type AlertMuteTable,
  type AlertNoticeTable,
  type AlertRuleTable,
  type AlertToldTable,
  type Schema,
} from '../schema';
import { HOUR, isoTime } from '../../time';

export type IncidentRow = Selectable<AlertIncidentTable>;
export type NewIncident = Omit<Insertable<AlertIncidentTable>, 'closed_at'>;
/** The columns of an incident that can change while it is open. */
export type IncidentChange = Partial<
  Pick<
    IncidentRow,
    'line_id' | 'waba_id' | 'severity' | 'title' | 'text' | 'over' | 'action' | 'path' | 'facts' | 'waiting'
  >
>;
export type ChannelRow = Selectable<AlertChannelTable>;
export type NoticeRow = Selectable<AlertNoticeTable>;
export type NewNotice = Pick<NoticeRow, 'id' | 'channel_id' | 'what' | 'kind' | 'body' | 'created_at'>;
export type ToldRow = Selectable<AlertToldTable>;
export type MuteRow = Selectable<AlertMuteTable>;
export type RuleRow = Selectable<AlertRuleTable>;
export type MarkRow = Selectable<AlertMarkTable>;

/** The kind of marks for changed rules. */
export const RULE_MARK = 'rule';

/** Rows per insert: well below both databases' limit on parameters. */
const ROWS_A_STATEMENT = 500;

const inParts = <Row>(rows: readonly Row[]): Row[][] =>
  Array.from({ length: Math.ceil(rows.length / ROWS_A_STATEMENT) }, (_, part) =>
    rows.slice(part * ROWS_A_STATEMENT, (part + 1) * ROWS_A_STATEMENT),
  );

/** The longest planned wait before a retry. A longer one comes from a wrong clock. */
const LONGEST_WAIT = 2 * HOUR;

const beyondWaits = (now: string): string => isoTime(Date.parse(now) + LONGEST_WAIT);

/** After this many refusals, an alert no longer makes newer ones of its channel wait. */
const ATTEMPTS_IN_ORDER = 4;

/** Incidents, channels, and alerts. */
export const alertTable = (db: Kysely<Schema>) => ({
  // Incidents

  open: (): Promise<IncidentRow[]> =>
    db.selectFrom('alert_incidents').selectAll().where('closed_at', 'is', null).orderBy('id').execute(),

  /** @returns the newly opened incidents, without those that were already open */
  async openIncidents(rows: NewIncident[]): Promise<IncidentRow[]> {
    const opened: IncidentRow[] = [];
    for (const part of inParts(rows))
      opened.push(
        ...(await db
          .insertInto('alert_incidents')
          .values(part)
          .onConflict((conflict) => conflict.doNothing())
          .returningAll()
          .execute()),
      );
    return opened;
  },

  async updateIncident(id: number, change: IncidentChange): Promise<void> {
    await db.updateTable('alert_incidents').set(change).where('id', '=', id).execute();
  },

  /** @param endings the reason for each incident that ended unexpectedly, by id */
  async closeIncidents(
    ids: number[],
    at: string,
    endings: ReadonlyMap<number, Pick<IncidentRow, 'over' | 'facts'>> = new Map(),
  ): Promise<void> {
    for (const part of inParts(ids))
      await db.updateTable('alert_incidents').set({ closed_at: at }).where('id', 'in', part).execute();
    for (const id of ids) {
      const ending = endings.get(id);
      if (ending) await db.updateTable('alert_incidents').set(ending).where('id', '=', id).execute();
    }
  },

  async incidents(ids: number[]): Promise<IncidentRow[]> {
    const found: IncidentRow[] = [];
    for (const part of inParts(ids))
      found.push(...(await db.selectFrom('alert_incidents').selectAll().where('id', 'in', part).execute()));
    return found;
  },

  /**
   * Ended incidents, latest first.
   * @param before end and id of the last incident on the previous page
   */
  closed: (limit: number, before: { closedAt: string; id: number } | null = null): Promise<IncidentRow[]> =>
    db
      .selectFrom('alert_incidents')
      .selectAll()
      .where('closed_at', 'is not', null)
      .$if(before !== null, (query) =>
        query.where((row) =>
          row.or([
            row('closed_at', '<', before?.closedAt ?? ''),
            row.and([row('closed_at', '=', before?.closedAt ?? ''), row('id', '<', before?.id ?? 0)]),
          ]),
        ),
      )
      .orderBy('closed_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),

  async removeBefore(at: string): Promise<void> {
    await db.deleteFrom('alert_incidents').where('closed_at', '<', at).execute();
    await db
      .deleteFrom('alert_notices')
      .where('created_at', '<', at)
      .where('next_try_at', 'is', null)
      .execute();
    await db.deleteFrom('alert_mutes').where('until', '<', at).execute();
  },

  // Channels

  channels: (): Promise<ChannelRow[]> => db.selectFrom('alert_channels').selectAll().orderBy('id').execute(),

  channel: (id: number): Promise<ChannelRow | null> =>
    firstOf(db.selectFrom('alert_channels').selectAll().where('id', '=', id)),

  insertChannel: (row: Insertable<AlertChannelTable>): Promise<ChannelRow> =>
    db.insertInto('alert_channels').values(row).returningAll().executeTakeFirstOrThrow(),

  async updateChannel(id: number, change: Updateable<AlertChannelTable>): Promise<void> {
    await db.updateTable('alert_channels').set(change).where('id', '=', id).execute();
  },

  /**
   * Removes the channel with its sent and waiting alerts.
   * @returns whether the channel existed
   */
  removeChannel: (id: number): Promise<boolean> =>
    inTransaction(db, async (trx) => {
      for (const table of ['alert_notices', 'alert_told'] as const)
        await trx.deleteFrom(table).where('channel_id', '=', id).execute();
      return anyDeleted(trx.deleteFrom('alert_channels').where('id', '=', id));
    }),

  async removeExpiredChannels(now: string): Promise<void> {
    const over = await db.selectFrom('alert_channels').select('id').where('expires_at', '<=', now).execute();
    for (const { id } of over) await this.removeChannel(id);
  },

  // Alerts

  told: (): Promise<ToldRow[]> => db.selectFrom('alert_told').selectAll().execute(),

  async storeTold(rows: ToldRow[]): Promise<void> {
    for (const part of inParts(rows))
      await db
        .insertInto('alert_told')
        .values(part)
        .onConflict((conflict) =>
          conflict.columns(['channel_id', 'kind', 'subject']).doUpdateSet((row) => ({
            incident_id: row.ref('excluded.incident_id'),
            state: row.ref('excluded.state'),
            told_at: row.ref('excluded.told_at'),
            times: row.ref('excluded.times'),
            notice_id: row.ref('excluded.notice_id'),
            severity: row.ref('excluded.severity'),
          })),
        )
        .execute();
  },

  async forgetTold(rows: Pick<ToldRow, 'channel_id' | 'kind' | 'subject'>[]): Promise<void> {
    const groups = Map.groupBy(rows, ({ channel_id: channel, kind }) => `${channel} ${kind}`);
    for (const group of groups.values())
      for (const part of inParts(group))
        await db
          .deleteFrom('alert_told')
          .where('channel_id', '=', part[0]?.channel_id ?? 0)
          .where('kind', '=', part[0]?.kind ?? '')
          .where(
            'subject',
            'in',
            part.map(({ subject }) => subject),
          )
          .execute();
  },

  async insertNotices(rows: NewNotice[]): Promise<void> {
    for (const part of inParts(rows))
      await db
        .insertInto('alert_notices')
        .values(part.map((row) => ({ ...row, next_try_at: row.created_at })))
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
  },

  /** The times of alerts since a time, by channel and condition. */
  noticesSince: (
    at: string,
    channelIds: number[],
  ): Promise<Pick<NoticeRow, 'channel_id' | 'what' | 'kind' | 'created_at'>[]> =>
    db
      .selectFrom('alert_notices')
      .select(['channel_id', 'what', 'kind', 'created_at'])
      .where('created_at', '>', at)
      .where('channel_id', 'in', channelIds)
      .orderBy('created_at')
      .execute(),

  /**
   * Leases due alerts without a lease: the oldest one of each channel that has none leased. Alerts that were refused
   * often let newer ones pass. Tests do not wait for other alerts, or the reverse. Alerts for operators come before
   * those for customers, even if many receivers of customers hang.
   */
  async claim(now: string, until: string, limit: number): Promise<NoticeRow[]> {
    const due = await db
      .selectFrom('alert_notices as one')
      .select('id')
      .where((row) => row.or([row('next_try_at', '<=', now), row('next_try_at', '>', beyondWaits(now))]))
      .where((row) => row.or([row('claimed_until', 'is', null), row('claimed_until', '<=', now)]))
      .where((row) =>
        row.or([
          row('what', '=', 'test'),
          row.not(
            row.exists(
              row
                .selectFrom('alert_notices as other')
                .select('other.id')
                .whereRef('other.channel_id', '=', 'one.channel_id')
                .whereRef('other.id', '<>', 'one.id')
                .where('other.next_try_at', 'is not', null)
                .where('other.what', '<>', 'test')
                .where((before) =>
                  before.or([
                    before('other.claimed_until', '>', now),
                    before.and([
                      sql<boolean>`(other.created_at, other.id) < (one.created_at, one.id)`,
                      before.or([
                        before('other.attempts', '<', ATTEMPTS_IN_ORDER),
                        before('other.next_try_at', '<=', now),
                      ]),
                    ]),
                  ]),
                ),
            ),
          ),
        ]),
      )
      .orderBy((row) =>
        row.exists(
          row
            .selectFrom('alert_channels')
            .select('alert_channels.id')
            .whereRef('alert_channels.id', '=', 'one.channel_id')
            .where('origin', '=', 'token'),
        ),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .execute();
    const claimed: NoticeRow[] = [];
    for (const { id } of due) {
      const row = await this.claimOne(id, now, until);
      if (row) claimed.push(row);
    }
    return claimed;
  },

  /** Leases one alert, regardless of others; null if it is not due or already leased. */
  claimOne: (id: string, now: string, until: string): Promise<NoticeRow | null> =>
    firstOf(
      db
        .updateTable('alert_notices')
        .set({ claimed_until: until })
        .where('id', '=', id)
        .where((row) => row.or([row('next_try_at', '<=', now), row('next_try_at', '>', beyondWaits(now))]))
        .where((row) => row.or([row('claimed_until', 'is', null), row('claimed_until', '<=', now)]))
        .returningAll(),
    ),

  /** Waiting alerts without a lease about open incidents. */
  waitingNotices: (now: string): Promise<Pick<NoticeRow, 'id' | 'what'>[]> =>
    db
      .selectFrom('alert_notices')
      .select(['id', 'what'])
      .where('next_try_at', 'is not', null)
      .where('what', 'in', ['opened', 'escalated', 'reminder'])
      .where((row) => row.or([row('claimed_until', 'is', null), row('claimed_until', '<=', now)]))
      .execute(),

  /** Gives up alerts without a lease. */
  async dropNotices(ids: string[], now: string, because: string): Promise<void> {
    for (const part of inParts(ids))
      await db
        .updateTable('alert_notices')
        .set({ next_try_at: null, last_failure: because })
        .where('id', 'in', part)
        .where((row) => row.or([row('claimed_until', 'is', null), row('claimed_until', '<=', now)]))
        .execute();
  },

  /**
   * Gives up an alert. Its channel is then notified again of the current state of the subjects that only this alert
   * reported.
   */
  giveUpNotice: (id: string, change: Updateable<AlertNoticeTable>): Promise<void> =>
    inTransaction(db, async (trx) => {
      const { what } = await trx
        .updateTable('alert_notices')
        .set({ ...change, next_try_at: null, claimed_until: null })
        .where('id', '=', id)
        .returning('what')
        .executeTakeFirstOrThrow();
      if (what === 'opened') await trx.deleteFrom('alert_told').where('notice_id', '=', id).execute();
      if (what === 'recovered')
        await trx.updateTable('alert_told').set({ state: 'open' }).where('notice_id', '=', id).execute();
      if (what === 'escalated')
        await trx
          .updateTable('alert_told')
          .set({ severity: 'warning' })
          .where('notice_id', '=', id)
          .execute();
    }),

  /** Makes waiting alerts due when their channel accepts alerts again. */
  async hurryNotices(channelId: number, now: string): Promise<void> {
    await db
      .updateTable('alert_notices')
      .set({ next_try_at: now })
      .where('channel_id', '=', channelId)
      .where('next_try_at', '>', now)
      .execute();
  },

  /** The number of alerts since a time that were given up for this reason. */
  countDropped: (channelId: number, since: string, because: string): Promise<number> =>
    countOf(
      db
        .selectFrom('alert_notices')
        .select(COUNT)
        .where('channel_id', '=', channelId)
        .where('created_at', '>=', since)
        .where('next_try_at', 'is', null)
        .where('told_at', 'is', null)
        .where('last_failure', '=', because),
    ),

  async updateNotice(id: string, change: Updateable<AlertNoticeTable>): Promise<void> {
    await db.updateTable('alert_notices').set(change).where('id', '=', id).execute();
  },

  notice: (id: string): Promise<NoticeRow | null> =>
    firstOf(db.selectFrom('alert_notices').selectAll().where('id', '=', id)),

  /** Ends all leases on alerts, for a database that only one process uses. */
  async releaseClaims(): Promise<void> {
    await db
      .updateTable('alert_notices')
      .set({ claimed_until: null })
      .where('claimed_until', 'is not', null)
      .execute();
  },

  // Rules, mutes, marks

  rules: (): Promise<RuleRow[]> => db.selectFrom('alert_rules').selectAll().execute(),

  async storeRule(row: RuleRow): Promise<void> {
    const { is_on, threshold } = row;
    await db
      .insertInto('alert_rules')
      .values(row)
      .onConflict((conflict) => conflict.column('kind').doUpdateSet({ is_on, threshold }))
      .execute();
  },

  /** Mutes that are still active. */
  mutes: (now: string): Promise<MuteRow[]> =>
    db.selectFrom('alert_mutes').selectAll().where('until', '>', now).orderBy('until').execute(),

  insertMute: (row: Insertable<AlertMuteTable>): Promise<MuteRow> =>
    db.insertInto('alert_mutes').values(row).returningAll().executeTakeFirstOrThrow(),

  /** @returns the mute that ended */
  endMute: (id: number): Promise<MuteRow | null> =>
    firstOf(db.deleteFrom('alert_mutes').where('id', '=', id).returningAll()),

  /** @param subject only marks of this subject */
  marks: (subject?: string): Promise<MarkRow[]> =>
    db
      .selectFrom('alert_marks')
      .selectAll()
      .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? ''))
      .execute(),

  /** When each changed rule was last changed by an operator. */
  ruleChanges: (): Promise<MarkRow[]> =>
    db.selectFrom('alert_marks').selectAll().where('kind', '=', RULE_MARK).execute(),

  async storeMark(row: MarkRow): Promise<void> {
    const { value, at } = row;
    await db
      .insertInto('alert_marks')
      .values(row)
      .onConflict((conflict) => conflict.columns(['kind', 'subject']).doUpdateSet({ value, at }))
      .execute();
  },

  async removeMark({ kind, subject }: Pick<MarkRow, 'kind' | 'subject'>): Promise<void> {
    await db.deleteFrom('alert_marks').where('kind', '=', kind).where('subject', '=', subject).execute();
  },
});

export type AlertTable = ReturnType<typeof alertTable>;

/** Runs a change that depends on incidents and channels, in one process at a time. */
export const alertTurns =
  (db: Kysely<Schema>) =>
  <T>(work: (table: AlertTable) => Promise<T>): Promise<T> =>
    inTransaction(db, async (trx) => {
      await trx
        .updateTable('alert_turns')
        .set((row) => ({ turn: row('turn', '+', 1) }))
        .execute();
      return work(alertTable(trx));
    });
