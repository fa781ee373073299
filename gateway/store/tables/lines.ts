import {
  type ExpressionBuilder,
  type Insertable,
  type Kysely,
  type Selectable,
  type Updateable,
} from 'kysely';
import { anyUpdated, firstOf } from '../rows';
import { isoTime } from '../../time';
import { changeRegistry } from '../processes/registry';
import { type LineTable, type Schema } from '../schema';

export type LineRow = Selectable<LineTable>;

/** What is asked of the platform again and again. */
export type Refreshed = 'status' | 'templates';

/** Who asks for a refresh: a person, by `refresh=1` or a button, or the gateway by itself. */
export type Asker = 'person' | 'gateway';

/** What a poll told of a phone number. */
export interface StatusPoll {
  phoneNumberId: string;
  /** JSON. */
  node: string;
  /** ISO times. */
  startedAt: string;
  checkedAt: string;
}

/** With another value of these, a line is not the one that the platform was asked about. */
const IDENTITY = ['access_token_sealed', 'phone_number_id', 'waba_id'] as const;

/** When the last refresh began for which each has to wait. */
const COUNTED_FROM = {
  person: { status: 'status_asked_at', templates: 'templates_asked_at' },
  gateway: { status: 'status_refresh_at', templates: 'templates_refresh_at' },
} as const;

/** Lines, in the order in which they were added. */
export const lineTable = (db: Kysely<Schema>) => ({
  /** Those that were removed are none. */
  all: (): Promise<LineRow[]> =>
    db.selectFrom('lines').selectAll().where('removed_at', 'is', null).orderBy('id').execute(),

  /** Of these ids, those that there are. */
  some: async (ids: number[]): Promise<LineRow[]> =>
    ids.length
      ? await db
          .selectFrom('lines')
          .selectAll()
          .where('id', 'in', ids)
          .where('removed_at', 'is', null)
          .orderBy('id')
          .execute()
      : [],

  find: (id: number): Promise<LineRow | null> =>
    firstOf(db.selectFrom('lines').selectAll().where('id', '=', id).where('removed_at', 'is', null)),

  /** One that was removed; null where there is none. */
  findRemoved: (id: number): Promise<LineRow | null> =>
    firstOf(db.selectFrom('lines').selectAll().where('id', '=', id).where('removed_at', 'is not', null)),

  /**
   * Removes a line with its tokens, its templates, its destinations and the channels of its alerts. Of itself and of these there are rows left that
   * hold no credential and no address, because what happened on it refers to them. Its phone number id is free again.
   * @param nothing what a sealed column holds that must hold something
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
          deactivated_at: at,
          removed_at: at,
        })
        .where('id', '=', id)
        .execute();
    }),

  /**
   * Keeps when the platform asked for the handshake: nothing that other processes have to read again. @param id null
   * for all
   */
  async noteHandshake(id: number | null, at: string): Promise<void> {
    await db
      .updateTable('lines')
      .set({ handshake_at: at })
      .$if(id !== null, (update) => update.where('id', '=', id ?? 0))
      .execute();
  },

  /** Null where a line has that phone number id already. */
  insert: (line: Insertable<LineTable>): Promise<LineRow | null> =>
    changeRegistry(db, 'lines', (trx) =>
      firstOf(
        trx
          .insertInto('lines')
          .values(line)
          .onConflict((conflict) => conflict.column('phone_number_id').doNothing())
          .returningAll(),
      ),
    ),

  /**
   * Changes a line. One that is given other credentials, or is another number, is to be asked about anew and soon,
   * however often that failed before.
   */
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
            status_failures: 0,
            templates_failures: 0,
            credentials_refused_at: null,
            credentials_refused_because: null,
          })),
        )
        .where('id', '=', id)
        .execute();
    }),

  /**
   * Starts a refresh unless one started after `since`: of all processes that ask at once, one is told true. A person
   * waits for persons alone, the gateway for both. A start that is further ahead of `at` than `since` is behind it was
   * told by a clock that was wrong, and counts for nothing.
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
   * Counts a refresh that failed. One that did not begins the count anew, with what it stores.
   * @param refused where the platform refused the line's own credentials: when, and in which words
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

  /** Those whose access token the platform refuses, since when, and in which words. */
  refused: () =>
    db
      .selectFrom('lines')
      .select(['id', 'credentials_refused_at', 'credentials_refused_because'])
      .where('credentials_refused_at', 'is not', null)
      .where('removed_at', 'is', null)
      .execute(),

  /** Asks for a refresh that begins after now, by whichever process. */
  async wantRefresh(ids: number[], of: Refreshed, at: string): Promise<void> {
    if (!ids.length) return;
    await db
      .updateTable('lines')
      .set({ [`${of}_wanted_at`]: at })
      .where('id', 'in', ids)
      .execute();
  },

  /**
   * When each line that is active and has credentials was last refreshed, how that went, and whether more is wanted.
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
      ])
      .where('deactivated_at', 'is', null)
      .where('access_token_sealed', 'is not', null)
      .execute(),

  /** What the platform last reported of the phone number and when, and since when it refuses the access token. */
  upstreamStatus: (
    id: number,
  ): Promise<Pick<LineRow, 'upstream_node' | 'status_checked_at' | 'credentials_refused_at'> | null> =>
    firstOf(
      db
        .selectFrom('lines')
        .select(['upstream_node', 'status_checked_at', 'credentials_refused_at'])
        .where('id', '=', id),
    ),

  /**
   * Stores what a poll of the phone number told, unless a later poll was faster, or the line has another number by now.
   * Most polls tell nothing new: then no process has to read its lines again.
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
          // Stored by a clock that was wrong.
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

  /** When the last refresh began for which such an asker has to wait. */
  async refreshedAt(id: number, of: Refreshed, asker: Asker): Promise<string | null> {
    const row = await db
      .selectFrom('lines')
      .select([`${COUNTED_FROM[asker][of]} as at`])
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.at ?? null;
  },
});

/** As far after `at` as `since` is before it. */
const mirrored = (since: string, at: string): string => isoTime(2 * Date.parse(at) - Date.parse(since));
