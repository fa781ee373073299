import { sql, type Kysely } from 'kysely';
import { DUE } from '../tables/queued';
import { type AttemptRow } from '../tables/deliveries';
import { type Schema } from '../schema';

/** The last accepted delivery is searched among this many deliveries of the newest events. */
const MOST_LOOKED_AT = 500;
/** Failures are also searched among this many deliveries of each kind that wait for a retry. */
const MOST_WAITING = 100;

/** The failures of a destination since it last accepted an event. */
export interface Failures extends Pick<AttemptRow, 'outcome' | 'http_status'> {
  /** The start of the first failure (ISO time). The other fields are of the last one. */
  since: string;
}

/** The start of failures, derived from attempts for destinations where it is not stored. */
export const failingSince = (db: Kysely<Schema>) => ({
  /**
   * The ids of destinations with waiting deliveries that have failed. Excludes callback URLs of questions, which have
   * no health.
   */
  async suspects(): Promise<number[]> {
    const waits = (kind: 'holding' | 'later') =>
      sql`exists (select 1 from deliveries where destination_id = destinations.id and ${DUE[kind]})`;
    const { rows } = await sql<{ id: number }>`
      select id from destinations where removed_at is null and origin <> 'question' and paused_at is null and failing_since is null
        and (${waits('holding')} or ${waits('later')}) order by id`.execute(db);
    return rows.map(({ id }) => id);
  },

  /**
   * Null if a later attempt succeeded, or if too many newer ones make it unknown. Attempts before a "try now" or a
   * change of URL do not count. Attempts of a delivery that was resent since count only if they were accepted.
   */
  async of(id: number): Promise<Failures | null> {
    const waiting = (kind: 'holding' | 'later') =>
      sql`select event_id, attempts_before from (select event_id, attempts_before from deliveries
        where destination_id = ${id} and ${DUE[kind]} order by due_at limit ${MOST_WAITING}) as ${sql.raw(kind)}`;
    const { rows } = await sql<Failures>`
      with newest as (
        select event_id, state, finished_at, attempts_before from deliveries where destination_id = ${id}
        order by event_id desc limit ${MOST_LOOKED_AT}
      ), known as (
        select event_id, attempts_before from newest union ${waiting('holding')} union ${waiting('later')}
      ), made as (
        select started_at, outcome, http_status, number, attempts_before
        from attempts join known on known.event_id = attempts.event_id where destination_id = ${id}
      ), accepted as (
        select max(at) as at from (
          select started_at as at from made where outcome = 'delivered'
          union all select finished_at from newest where state = 'delivered'
        ) as successes
      ), failed as (
        select started_at, made.outcome, made.http_status from made, accepted
        where outcome <> 'delivered' and number > attempts_before and started_at > coalesce(accepted.at, '')
          and started_at > coalesce((select try_now_at from destinations where id = ${id}), '')
          and (accepted.at is not null or (select count(*) from newest) < ${MOST_LOOKED_AT})
      )
      select (select min(started_at) from failed) as since, outcome, http_status
      from failed order by started_at desc limit 1`.execute(db);
    return rows[0] ?? null;
  },
});
