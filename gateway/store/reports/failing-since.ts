import { sql, type Kysely } from 'kysely';
import { DUE } from '../tables/queued';
import { type AttemptRow } from '../tables/deliveries';
import { type Schema } from '../schema';

/** What was accepted last is looked for among so many deliveries, those of the newest events. */
const MOST_LOOKED_AT = 500;
/** Beside them, failures are looked for in so many that wait for another attempt, of each kind. */
const MOST_WAITING = 100;

/** The failures of a destination since it last accepted something. */
export interface Failures extends Pick<AttemptRow, 'outcome' | 'http_status'> {
  /** When the first of them began; ISO time. The rest is of the last. */
  since: string;
}

/** Since when destinations fail of which that is not kept, by what was attempted. */
export const failingSince = (db: Kysely<Schema>) => ({
  /** The ids of those for which something waits that has failed. */
  async suspects(): Promise<number[]> {
    const waits = (kind: 'holding' | 'later') =>
      sql`exists (select 1 from deliveries where destination_id = destinations.id and ${DUE[kind]})`;
    const { rows } = await sql<{ id: number }>`
      select id from destinations where removed_at is null and paused_at is null and failing_since is null
        and (${waits('holding')} or ${waits('later')}) order by id`.execute(db);
    return rows.map(({ id }) => id);
  },

  /** Null where it has accepted something after that, or where so much is newer that nobody can tell. */
  async of(id: number): Promise<Failures | null> {
    const waiting = (kind: 'holding' | 'later') =>
      sql`select event_id from (select event_id from deliveries where destination_id = ${id} and ${DUE[kind]}
        order by due_at limit ${MOST_WAITING}) as ${sql.raw(kind)}`;
    const { rows } = await sql<Failures>`
      with newest as (
        select event_id, state, finished_at from deliveries where destination_id = ${id}
        order by event_id desc limit ${MOST_LOOKED_AT}
      ), known as (
        select count(*) as count, max(case when state = 'delivered' then finished_at end) as accepted_at from newest
      ), failed as (
        select started_at, outcome, http_status from attempts, known
        where destination_id = ${id} and event_id in (
          select event_id from newest where state <> 'delivered'
          union ${waiting('holding')} union ${waiting('later')}
        ) and outcome <> 'delivered' and started_at > coalesce(accepted_at, '')
          and (accepted_at is not null or count < ${MOST_LOOKED_AT})
      )
      select (select min(started_at) from failed) as since, outcome, http_status
      from failed order by started_at desc limit 1`.execute(db);
    return rows[0] ?? null;
  },
});
