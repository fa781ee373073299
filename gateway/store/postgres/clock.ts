import { SECOND, type Clock } from '../../time';

/** Synchronized machines differ by milliseconds. If the difference is less than this, the machine's own clock is used. */
const DIFFERS = 2 * SECOND;

/** The query of PostgreSQL for `heard`. */
export const ASK_TIME = 'select extract(epoch from clock_timestamp())::float8 * 1000 as now';

/**
 * The time of the database's clock, one for all processes: a delivery that one process records as due is due
 * for the others, even if their clocks differ.
 */
export function databaseClock(machine: Clock) {
  let ahead = 0;
  return {
    now: (): number => Math.floor(machine() - ahead),

    /** @param asked when it was, by this machine; @param now what the database answered */
    heard(asked: number, now: number): void {
      const answered = machine();
      // A slow answer may be of any moment in between.
      if (answered - asked > DIFFERS) return;
      const difference = (asked + answered) / 2 - now;
      if (Math.abs(difference - ahead) > DIFFERS) ahead = difference;
    },
  };
}
