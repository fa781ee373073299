import { eventIds, eventTime } from '../../../gateway/store/event-id';
import { DAY } from '../../../gateway/time';

describe('event ids', () => {
  test('sort by arrival, within a millisecond and when the clock steps back', () => {
    let now = Date.parse('2026-03-01T12:00:00.000Z');
    const next = eventIds(() => now);
    const ids = [];
    for (const step of [0, 1, 0, 5, -3600_000, 1, 3600_000]) {
      now += step;
      for (let count = 0; count < 1000; count++) ids.push(next());
    }
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^evt_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  test('have the right time again after a clock that was days ahead', () => {
    let now = Date.parse('2026-03-01T12:00:00.000Z');
    const next = eventIds(() => now);
    const right = now;
    for (const ahead of [30 * DAY, 0]) {
      now = right + ahead;
      expect(eventTime(next())).toBe(now);
    }
  });

  test('of two processes in the same millisecond differ', () => {
    const [one, other] = [eventIds(() => 1), eventIds(() => 1)];
    expect(one()).not.toBe(other());
  });
});
