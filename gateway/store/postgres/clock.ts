import { SECOND, type Clock } from '../../time';

/** Synchronized machines differ by milliseconds. Below this difference, the local clock is used. */
const DIFFERS = 2 * SECOND;

/** The query whose result is passed to `heard`. */
export const ASK_TIME = 'select extract(epoch from clock_timestamp())::float8 * 1000 as now';

/**
 * The database's time, common to all processes: a delivery that one process records as due is due for the others,
 * even if their clocks differ.
 */
export function databaseClock(machine: Clock) {
  let ahead = 0;
  return {
    now: (): number => Math.floor(machine() - ahead),

    /** @param asked local time of the query; @param now the database's answer */
    heard(asked: number, now: number): void {
      const answered = machine();
      // A slow answer may be from any moment in between.
      if (answered - asked > DIFFERS) return;
      const difference = (asked + answered) / 2 - now;
      if (Math.abs(difference - ahead) > DIFFERS) ahead = difference;
    },
  };
}
