import { createHash } from 'node:crypto';
import { type Pool } from 'pg';
import { ROUNDING, takenFrom, type Rate, type RateLimits, type Taken } from '../../primitives/rate-limit';
import { MINUTE, SECOND, type Clock } from '../../time';
import { groupCommit, type GroupCommit } from '../commit/group-commit';
import { retryOnConflict } from '../commit/retry-on-conflict';

/** A request to a limit, for `count` units. */
interface Ask {
  key: string;
  rate: Rate;
  count: number;
  /** Whether the caller has stopped waiting. */
  isDropped: boolean;
}

/** The limits, and the requests that wait for an answer. */
export interface SharedRates extends Pick<GroupCommit<Ask, Taken>, 'waiting' | 'drained'> {
  limits: RateLimits;
}

/** After this time, the caller gets an error that the database does not answer. The client can then retry. */
const PATIENCE = 5 * SECOND;

/**
 * The largest expected difference between clocks. A bucket that is further ahead was filled by a clock that has been
 * set back.
 */
const CLOCKS_DIFFER = MINUTE;

/** The time between cleanups of full buckets. */
const CLEARED_EVERY = MINUTE;
const MOST_CLEARED = 10_000;

/**
 * Rate limits across all processes on one PostgreSQL server. Each bucket is a row with the time at which it is full
 * again (`rate-limit.ts`). Requests that arrive during a statement share the next one. A refused request uses
 * nothing, so the count is exact. If clocks differ, a bucket shifts once by the difference.
 */
export function sharedRates(pool: Pool, clock: Clock): SharedRates {
  let clearedAt = Number.NEGATIVE_INFINITY;
  const asks = groupCommit<Ask, Taken>({
    commit: (all) => take(pool, all, clock()),
    rowsOf: () => 1,
    sizeOf: ({ key }) => key.length,
    isFaultOfData: () => false,
    transactionsInFlight: 1,
  });

  /** Deletes full buckets: a missing row is a full bucket. */
  function clear(): void {
    const now = clock();
    if (now - clearedAt < CLEARED_EVERY && now >= clearedAt) return;
    clearedAt = now;
    // No caller depends on the cleanup, which runs again later.
    clearAll(now - CLOCKS_DIFFER).catch(() => undefined);
  }

  async function clearAll(fullBefore: number): Promise<void> {
    for (let cleared = MOST_CLEARED; cleared === MOST_CLEARED;) {
      const { rowCount } = await pool.query(CLEAR, [fullBefore, MOST_CLEARED]);
      cleared = rowCount ?? 0;
    }
  }

  /** Drops a request whose caller no longer waits, unless the statement has begun. */
  async function inTime(ask: Ask): Promise<Taken> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const waiting = setTimeout(() => {
      ask.isDropped = true;
      reject(new Error('The database does not answer'));
    }, PATIENCE);
    return Promise.race([asks.write(ask), late]).finally(() => clearTimeout(waiting));
  }

  const limits: RateLimits = (name, rate) => ({
    ...rate,
    async take(key, count = 1) {
      const ask = {
        key: bucketOf(name, key),
        rate,
        count: Math.min(count, Math.floor(rate.burst)),
        isDropped: false,
      };
      const taken = await inTime(ask);
      clear();
      return taken;
    },
    async giveBack(key) {
      await retryOnConflict(() => pool.query(GIVE_BACK, [bucketOf(name, key), rate.interval]));
    },
  });
  return { limits, waiting: asks.waiting, drained: asks.drained };
}

/** A hash, so that all keys have the same length and no address is stored. */
const bucketOf = (name: string, key: string | number): string =>
  `${name} ${createHash('sha256').update(String(key)).digest('base64url').slice(0, 22)}`;

const CLEAR = `delete from rates where key in
  (select key from rates where full_at < $1 limit $2 for update skip locked)`;

const GIVE_BACK = 'update rates set full_at = full_at - $2::float8 where key = $1';

/** Takes the smaller of the requested and the available amount from each bucket. Returns the amounts used before. */
const TAKE = `with given as materialized (
    select * from unnest($1::text[], $2::int[], $3::float8[], $4::float8[]) as given (key, asked, burst, turn)
  )
  insert into rates as r (key, full_at, used_before)
  select key, $5::float8 + least(asked, floor(burst)) * turn, 0 from given
  on conflict (key) do update set (full_at, used_before) = (
    select $5::float8 + (u.used + least(g.asked, greatest(floor(g.burst - u.used + ${ROUNDING}), 0))) * g.turn, u.used
    from given g, lateral (
      select case when r.full_at > $5::float8 + g.burst * g.turn + ${CLOCKS_DIFFER} then 0
        else least(greatest((r.full_at - $5::float8) / g.turn, 0), g.burst) end as used
    ) u
    where g.key = excluded.key
  )
  returning key, used_before`;

async function take(pool: Pool, all: Ask[], now: number): Promise<Taken[]> {
  const byKey = Map.groupBy(
    all.filter(({ isDropped }) => !isDropped),
    ({ key }) => key,
  );
  // In a fixed order, so that two processes cannot deadlock.
  const keys = [...byKey.keys()].sort();
  const of = (key: string) => byKey.get(key) ?? [];
  const values = [
    keys,
    keys.map((key) => of(key).reduce((sum, { count }) => sum + count, 0)),
    keys.map((key) => of(key)[0]?.rate.burst),
    keys.map((key) => of(key)[0]?.rate.interval),
    now,
  ];
  const { rows } = await retryOnConflict(() =>
    pool.query<{ key: string; used_before: number }>({ name: 'take-rates', text: TAKE, values }),
  );
  const used = new Map(rows.map(({ key, used_before: before }) => [key, before]));
  const given = new Map<string, number>();
  const answers = all.map(({ key, rate, count }) => {
    const before = used.get(key) ?? 0;
    const taken = takenFrom(rate, before, count);
    if (taken.wait) return taken;
    used.set(key, before + count);
    given.set(key, (given.get(key) ?? 0) + count);
    return taken;
  });
  for (const { key, used_before: before } of rows) await giveBackRest(key, before);
  return answers;

  /** Returns the available amount that the statement took for a refused request. */
  async function giveBackRest(key: string, before: number): Promise<void> {
    const [first] = of(key);
    if (!first) return;
    const { burst, interval } = first.rate;
    const asked = of(key).reduce((sum, { count }) => sum + count, 0);
    const taken = Math.min(asked, Math.max(Math.floor(burst - before + ROUNDING), 0));
    const rest = taken - (given.get(key) ?? 0);
    if (rest > 0) await retryOnConflict(() => pool.query(GIVE_BACK, [key, rest * interval]));
  }
}
