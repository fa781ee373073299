import {
  ConcurrencyLimit,
  FIRST_LIMIT,
  MOST_LIMIT,
  SLOW,
} from '../../../../gateway/forwarding/queue/concurrency-limit';
import { MINUTE, SECOND } from '../../../../gateway/time';

/** Quick successes, one after the other, each while all that may be is in flight. @returns the limit after each */
const keepsUp = (limit: ConcurrencyLimit, successes: number, now = 0): number[] =>
  Array.from({ length: successes }, () => {
    limit.succeeded(5, limit.now(now), now);
    return limit.now(now);
  });

describe('how much may be in flight to a destination', () => {
  test('is eight at first, and one more with each quick success while all of it is in use, up to 32', () => {
    const limit = new ConcurrencyLimit();
    expect(limit.now(0)).toBe(8);
    expect(keepsUp(limit, 3)).toEqual([9, 10, 11]);
    expect(Math.max(...keepsUp(limit, 100))).toBe(MOST_LIMIT);
    expect(MOST_LIMIT).toBe(32);
  });

  test('does not grow while less is in flight: whether it would keep up is not known', () => {
    const limit = new ConcurrencyLimit();
    for (let count = 0; count < 100; count++) limit.succeeded(5, 7, 0);
    expect(limit.now(0)).toBe(FIRST_LIMIT);
    limit.succeeded(5, 8, 0);
    expect(limit.now(0)).toBe(9);
  });

  test('falls back with a slow answer, and does not grow by it', () => {
    const limit = new ConcurrencyLimit();
    keepsUp(limit, 20);
    limit.succeeded(SLOW, 28, 0);
    expect(limit.now(0)).toBe(29);
    limit.succeeded(SLOW + 1, 29, 0);
    expect(limit.now(0)).toBe(FIRST_LIMIT);
    limit.succeeded(SLOW + 1, 8, 0);
    expect(limit.now(0)).toBe(FIRST_LIMIT);
  });

  test('falls back with a failure', () => {
    const limit = new ConcurrencyLimit();
    keepsUp(limit, 20);
    limit.failed();
    expect(limit.now(0)).toBe(FIRST_LIMIT);
  });

  test('falls back where nothing came for half a minute', () => {
    const limit = new ConcurrencyLimit();
    keepsUp(limit, 20, MINUTE);
    expect(limit.now(MINUTE + 30 * SECOND)).toBe(28);
    expect(limit.now(MINUTE + 31 * SECOND)).toBe(FIRST_LIMIT);
  });

  test('begins at one after an outage, and grows from there; neither failure, slowness nor silence raises it', () => {
    const limit = new ConcurrencyLimit();
    keepsUp(limit, 20);
    limit.recovered(SECOND);
    expect(limit.now(SECOND)).toBe(1);
    limit.failed();
    expect(limit.now(SECOND)).toBe(1);
    limit.succeeded(SLOW + 1, 1, SECOND);
    expect(limit.now(SECOND)).toBe(1);
    expect(limit.now(MINUTE)).toBe(1);
    expect(keepsUp(limit, 9, MINUTE)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});
