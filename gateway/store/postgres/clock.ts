import { SECOND, type Clock } from '../../time';

/** Machines that keep their time differ by milliseconds: by less than this, each keeps its own. */
const DIFFERS = 2 * SECOND;

/** What is asked of PostgreSQL for `heard`. */
export const ASK_TIME = 'select extract(epoch from clock_timestamp())::float8 * 1000 as now';

/**
 * The time by the database's clock, which is one for all processes on it: what one of them records as due is due for
 * another, whatever their machines think.
 */
export function databaseClock(machine: Clock) {
  let ahead = 0;
  return {
    now: (): number => Math.floor(machine() - ahead),

    /** @param asked when it was, by this machine; @param now what the database answered */
    heard(asked: number, now: number): void {
      const answered = machine();
      // So slow an answer may speak of any moment in between.
      if (answered - asked > DIFFERS) return;
      const difference = (asked + answered) / 2 - now;
      if (Math.abs(difference - ahead) > DIFFERS) ahead = difference;
    },
  };
}
