import { createHash } from 'node:crypto';
import { type Pool } from 'pg';
import { ROUNDING, takenFrom, type Rate, type RateLimits, type Taken } from '../../primitives/rate-limit';
import { MINUTE, SECOND, type Clock } from '../../time';
import { groupCommit, type GroupCommit } from '../commit/group-commit';
import { retryOnConflict } from '../commit/retry-on-conflict';

/** A caller that asks a limit for `count`. */
interface Ask {
  key: string;
  rate: Rate;
  count: number;
  /** The caller no longer waits. */
  isDropped: boolean;
}

/** The limits, and the callers that wait for an answer. */
export interface SharedRates extends Pick<GroupCommit<Ask, Taken>, 'waiting' | 'drained'> {
  limits: RateLimits;
}

/**
 * After this time, a caller gets the error that the database does not answer. The client may then ask again.
 */
const PATIENCE = 5 * SECOND;

/** Clocks of machines differ by less. A bucket that is further ahead was filled by a clock that was set back since. */
const CLOCKS_DIFFER = MINUTE;

/** Between two times that full buckets are cleared away. */
const CLEARED_EVERY = MINUTE;
const MOST_CLEARED = 10_000;

/**
 * Limits that hold across all processes on one PostgreSQL. Each bucket is a row with the time when it is full
 * again (`rate-limit.ts`). Callers that ask while a statement runs share the next one. A refusal uses nothing
 * up, so the count is exact. If the clocks of machines differ, a bucket moves once by the difference.
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

  /** A full bucket is the same as no bucket. */
  function clear(): void {
    const now = clock();
    if (now - clearedAt < CLEARED_EVERY && now >= clearedAt) return;
    clearedAt = now;
    // The caller is not affected; the next cleanup will come.
    clearAll(now - CLOCKS_DIFFER).catch(() => undefined);
  }

  async function clearAll(fullBefore: number): Promise<void> {
    for (let cleared = MOST_CLEARED; cleared === MOST_CLEARED;) {
      const { rowCount } = await pool.query(CLEAR, [fullBefore, MOST_CLEARED]);
      cleared = rowCount ?? 0;
    }
  }

  /** A request whose caller no longer waits is dropped, unless it has begun. */
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

/** All have the same length, whatever the contact's name, and no address is stored. */
const bucketOf = (name: string, key: string | number): string =>
  `${name} ${createHash('sha256').update(String(key)).digest('base64url').slice(0, 22)}`;

const CLEAR = `delete from rates where key in
  (select key from rates where full_at < $1 limit $2 for update skip locked)`;

const GIVE_BACK = 'update rates set full_at = full_at - $2::float8 where key = $1';

/** The used amounts in turn; then, for each, the smaller of the requested and the available amount. */
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
  // In one order, so that two processes never wait for each other in a circle.
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

  /** The statement used the available amount even for a caller that asked for more and was refused. */
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
