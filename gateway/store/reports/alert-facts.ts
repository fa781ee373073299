import { sql, type ExpressionBuilder, type Kysely } from 'kysely';
import { COUNT } from '../rows';
import { type DeliveryState, type Schema } from '../schema';
import { type CustomerRow } from '../tables/customers';
import { isNoOthers, type TemplateRow } from '../tables/templates';
import { type TokenRow } from '../tables/tokens';

/** A literal, so that the databases can use their partial indexes. */
const state = (word: DeliveryState) => sql.lit<DeliveryState>(word);

/** The highest count per destination; a check for existence stops earlier. */
const LOOKED_AT = 1_000;
const GLANCED_AT = 20;

/** Statuses in which the platform itself stopped a template. Archiving and deleting are done by people. */
const STOPPED_STATES = ['REJECTED', 'PAUSED', 'DISABLED'];

/** A template that the platform stopped. */
export type StoppedTemplate = Pick<
  TemplateRow,
  'line_id' | 'name' | 'language' | 'upstream_status' | 'status_at'
> & {
  /** The customer that it belongs to; null if it is common to all lines of its business account. */
  owner: number | null;
};

/** A template whose category the platform changed. */
export interface RecategorisedTemplate extends Pick<
  TemplateRow,
  'line_id' | 'name' | 'language' | 'category' | 'category_before' | 'category_changed_at'
> {
  /** As of a stopped template. */
  owner: number | null;
}

export interface GivenUp {
  destination_id: number;
  count: number;
  /** ISO times of the first and last. */
  first: string;
  latest: string;
}

/** The customer that a template belongs to. */
const ownerOf = (row: ExpressionBuilder<Schema, 'templates'>) =>
  row
    .selectFrom('template_owners')
    .innerJoin('lines', 'lines.waba_id', 'template_owners.waba_id')
    .select('template_owners.customer_id')
    .whereRef('lines.id', '=', 'templates.line_id')
    .whereRef('template_owners.name', '=', 'templates.name');

/**
 * Facts that only alerts need. They are read every ten seconds even in an idle gateway, so each query is bounded
 * (`test/gateway/store/reports`).
 */
export const alertFacts = (db: Kysely<Schema>) => ({
  /**
   * Given-up deliveries per destination since a time. Excludes removed destinations, whose deliveries cannot be
   * resent, and answers to questions, which go to the line's destinations instead.
   */
  async givenUp(since: string): Promise<GivenUp[]> {
    const dead = (row: ExpressionBuilder<Schema, 'destinations'>) =>
      row
        .selectFrom('deliveries')
        .whereRef('destination_id', '=', 'destinations.id')
        .where('state', '=', state('dead'))
        .where('finished_at', '>=', since);
    const rows = await db
      .selectFrom((from) =>
        from
          .selectFrom('destinations')
          .select((row) => [
            'id',
            dead(row).select('finished_at').orderBy('finished_at', 'desc').limit(1).as('latest'),
            dead(row).select('finished_at').orderBy('finished_at').limit(1).as('first'),
            row
              .selectFrom(dead(row).select('finished_at').limit(LOOKED_AT).as('some'))
              .select(COUNT)
              .as('count'),
          ])
          .where('removed_at', 'is', null)
          .where('origin', '<>', 'question')
          .as('each'),
      )
      .selectAll()
      .where('latest', 'is not', null)
      .execute();
    return rows.map(({ id, count, first, latest }) => ({
      destination_id: id,
      count: Number(count),
      first: first ?? '',
      latest: latest ?? '',
    }));
  },

  /**
   * Destinations with pending deliveries that had this many attempts, with their number. These deliveries are due
   * last.
   */
  async lastAttempts(attempts: number): Promise<{ id: number; count: number }[]> {
    const lastDue = (row: ExpressionBuilder<Schema, 'destinations'>, most: number) =>
      row
        .selectFrom((some) =>
          some
            .selectFrom('deliveries')
            .select('attempts')
            .whereRef('destination_id', '=', 'destinations.id')
            .where('state', '=', state('pending'))
            .where('attempts', '>', sql.lit(2))
            .where('attempts_before', '=', sql.lit(0))
            .orderBy('due_at', 'desc')
            .limit(most)
            .as('some'),
        )
        .select(COUNT)
        .where('some.attempts', '>=', attempts);
    const rows = await db
      .selectFrom('destinations')
      .select((row) => ['id', lastDue(row, LOOKED_AT).as('count')])
      .where('removed_at', 'is', null)
      .where('origin', '<>', 'question')
      .where('paused_at', 'is', null)
      .where((row) => row(lastDue(row, GLANCED_AT), '>', 0))
      .execute();
    return rows.map(({ id, count }) => ({ id, count: Number(count) }));
  },

  /** Templates stopped by the platform, each only on lines that may use it. */
  templates: (): Promise<StoppedTemplate[]> =>
    db
      .selectFrom('templates')
      .select(['line_id', 'name', 'language', 'upstream_status', 'status_at'])
      .select((row) => ownerOf(row).as('owner'))
      .where(isNoOthers)
      .where(
        'upstream_status',
        'in',
        STOPPED_STATES.map((word) => sql.lit(word)),
      )
      // The order of the partial index, so that SQLite uses it.
      .orderBy('line_id')
      .execute(),

  /** Templates whose category the platform changed since a time, each only on lines that may use it. */
  recategorised: (since: string): Promise<RecategorisedTemplate[]> =>
    db
      .selectFrom('templates')
      .select(['line_id', 'name', 'language', 'category', 'category_before', 'category_changed_at'])
      .select((row) => ownerOf(row).as('owner'))
      .where(isNoOthers)
      .where('category_changed_at', '>', since)
      .orderBy('category_changed_at')
      .execute(),

  /** The ids of lines whose templates have been read. */
  async syncedLines(): Promise<number[]> {
    const rows = await db
      .selectFrom('lines')
      .select('id')
      .where('templates_read_at', 'is not', null)
      .where('removed_at', 'is', null)
      .execute();
    return rows.map(({ id }) => id);
  },

  /** Tokens that are valid, or expired after this time. */
  tokens: (expiredAfter: string): Promise<TokenRow[]> =>
    db
      .selectFrom('tokens')
      .selectAll()
      .where('revoked_at', 'is', null)
      .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', expiredAfter)]))
      .orderBy('id')
      .execute(),

  /** Customers whose budgets are nearly used up. */
  budgets: (): Promise<CustomerRow[]> =>
    db.selectFrom('customers').selectAll().where('budget_warned_at', 'is not', null).orderBy('id').execute(),
});
