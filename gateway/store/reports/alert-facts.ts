import { sql, type Kysely } from 'kysely';
import { type DeliveryState, type Schema } from '../schema';
import { type TemplateRow } from '../tables/templates';
import { type TokenRow } from '../tables/tokens';
import { MOST_COUNTED } from './backlog';

/** Written out, so that the databases see that their partial indexes may be used. */
const state = (word: DeliveryState) => sql.lit<DeliveryState>(word);

/** Of one destination, so many of those that are due last are looked at. */
const LOOKED_AT = 1_000;

export interface GivenUp {
  destination_id: number;
  count: number;
  /** ISO times of the first and the last of them. */
  first: string;
  latest: string;
}

/** What alerts are made of, where no other part asks for it: each query has a bound, however much there is. */
export const alertFacts = (db: Kysely<Schema>) => ({
  /** How many deliveries to each destination were given up; those of removed ones cannot be sent again. */
  async givenUp(): Promise<GivenUp[]> {
    const rows = await db
      .selectFrom(
        db
          .selectFrom('deliveries')
          .select(['destination_id', 'finished_at'])
          .where('state', '=', state('dead'))
          .where('destination_id', 'in', (row) =>
            row.selectFrom('destinations').select('id').where('removed_at', 'is', null),
          )
          .limit(MOST_COUNTED + 1)
          .as('dead'),
      )
      .select((row) => [
        'destination_id',
        row.fn.countAll<number | string>().as('count'),
        row.fn.min('finished_at').as('first'),
        row.fn.max('finished_at').as('latest'),
      ])
      .groupBy('destination_id')
      .execute();
    return rows.map(({ destination_id, count, first, latest }) => ({
      destination_id,
      count: Number(count),
      first: first ?? '',
      latest: latest ?? '',
    }));
  },

  /** Which destinations have deliveries that were tried so often, and how many. What is due last was tried most often. */
  async lastAttempts(attempts: number): Promise<{ id: number; count: number }[]> {
    const rows = await db
      .selectFrom('destinations')
      .select((row) => [
        'id',
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
              .limit(LOOKED_AT)
              .as('some'),
          )
          .select((one) => one.fn.countAll<number | string>().as('count'))
          .where('some.attempts', '>=', attempts)
          .as('count'),
      ])
      .where('removed_at', 'is', null)
      .where('paused_at', 'is', null)
      .execute();
    return rows.map(({ id, count }) => ({ id, count: Number(count) })).filter(({ count }) => count > 0);
  },

  /** Templates that the platform has of these states. */
  templates: (
    states: string[],
  ): Promise<Pick<TemplateRow, 'line_id' | 'name' | 'language' | 'upstream_status' | 'status_at'>[]> =>
    db
      .selectFrom('templates')
      .select(['line_id', 'name', 'language', 'upstream_status', 'status_at'])
      .where('upstream_status', 'in', states)
      .orderBy('line_id')
      .orderBy('name')
      .orderBy('language')
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
