import { sql, type ExpressionBuilder, type Kysely } from 'kysely';
import { COUNT } from '../rows';
import { type DeliveryState, type Schema } from '../schema';
import { type TemplateRow } from '../tables/templates';
import { type TokenRow } from '../tables/tokens';

/** Written out, so that the databases see that their partial indexes may be used. */
const state = (word: DeliveryState) => sql.lit<DeliveryState>(word);

/** The count per destination stops here; a check whether there are any stops earlier. */
const LOOKED_AT = 1_000;
const GLANCED_AT = 20;

/**
 * States in which the platform, by its own decision, no longer sends a template; people archive and delete.
 */
const STOPPED_STATES = ['REJECTED', 'PAUSED', 'DISABLED'];

export interface GivenUp {
  destination_id: number;
  count: number;
  /** ISO times of the first and the last of them. */
  first: string;
  latest: string;
}

/**
 * Facts for alerts that no other part needs. They are read every ten seconds, also by an idle gateway: so on
 * the first connection, and each query is bounded (`test/gateway/store/reports`).
 */
export const alertFacts = (db: Kysely<Schema>) => ({
  /**
   * The number of given up deliveries per destination since then. Without removed destinations, whose
   * deliveries cannot be resent, and those of questions, which go to the line's destinations instead.
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
   * Destinations with deliveries that had this many attempts, and their number. The deliveries that are due
   * last had the most attempts.
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

  /** Templates that the platform has stopped. */
  templates: (): Promise<
    Pick<TemplateRow, 'line_id' | 'name' | 'language' | 'upstream_status' | 'status_at'>[]
  > =>
    db
      .selectFrom('templates')
      .select(['line_id', 'name', 'language', 'upstream_status', 'status_at'])
      .where(
        'upstream_status',
        'in',
        STOPPED_STATES.map((word) => sql.lit(word)),
      )
      // In the order of their own index, which any other would keep SQLite from.
      .orderBy('line_id')
      .execute(),

  /** The ids of lines whose templates were read. */
  async syncedLines(): Promise<number[]> {
    const rows = await db
      .selectFrom('lines')
      .select('id')
      .where('templates_read_at', 'is not', null)
      .where('removed_at', 'is', null)
      .execute();
    return rows.map(({ id }) => id);
  },

  /** Tokens that work, or expired after this time. */
  tokens: (expiredAfter: string): Promise<TokenRow[]> =>
    db
      .selectFrom('tokens')
      .selectAll()
      .where('revoked_at', 'is', null)
      .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', expiredAfter)]))
      .orderBy('id')
      .execute(),
});
