import { nextWait, WAITS } from '../../../gateway/forwarding/retry-schedule';
import { DAY, HOUR, MINUTE, SECOND } from '../../../gateway/time';

describe('the retry schedule', () => {
  const total = WAITS.reduce((sum, wait) => sum + wait, 0);

  test('has 17 attempts over seven days', () => {
    let attempts = 1;
    while (nextWait(attempts, null, 0) !== null) attempts++;
    expect(attempts).toBe(17);
    expect(total).toBeGreaterThan(6.9 * DAY);
    expect(total).toBeLessThan(7.1 * DAY);
  });

  test('is dense in the first three minutes, and waits no longer than a day', () => {
    expect(WAITS.slice(0, 3)).toEqual([5 * SECOND, 30 * SECOND, 2 * MINUTE]);
    expect(Math.max(...WAITS)).toBe(24 * HOUR);
  });

  test('spreads a wait by a fifth to either side, so that all of them take seven days as before', () => {
    WAITS.slice(2).forEach((wait, index) => {
      expect(nextWait(index + 3, null, 0)).toBeCloseTo(wait * 0.8);
      expect(nextWait(index + 3, null, 0.5)).toBe(wait);
      expect(nextWait(index + 3, null, 1)).toBeCloseTo(wait * 1.2);
    });
  });

  test('shortens the waits that hold a contact back, and never makes them longer', () => {
    for (const [index, wait] of WAITS.slice(0, 2).entries()) {
      expect(nextWait(index + 1, null, 0)).toBe(wait);
      expect(nextWait(index + 1, null, 1)).toBeCloseTo(wait * 0.8);
    }
  });

  test('waits as long as a receiver asks where that is longer, up to a day', () => {
    expect(nextWait(1, 90 * SECOND, 0.5)).toBe(90 * SECOND);
    expect(nextWait(1, 1 * SECOND, 0)).toBe(5 * SECOND);
    expect(nextWait(1, 0, 0)).toBe(5 * SECOND);
    expect(nextWait(1, Infinity, 0)).toBe(24 * HOUR);
    expect(nextWait(16, 30 * DAY, 0)).toBe(24 * HOUR);
    expect(nextWait(17, 5 * SECOND, 0)).toBeNull();
  });
});
