import { rateLimit, wholeSeconds } from '../../gateway/primitives/rate-limit';

const NOW = Date.parse('2026-03-10T12:00:00.000Z');

/** A limit, and the clock that it goes by. */
function limitOf(burst: number, interval: number) {
  const clock = { now: NOW };
  const limit = rateLimit({ burst, interval }, () => clock.now);
  /** How many of those asked for at this moment are given. */
  const given = (key: string, asked: number) =>
    Array.from({ length: asked }, () => limit.take(key)).filter(({ wait }) => wait === 0).length;
  return { clock, limit, given };
}

describe('a rate limit', () => {
  test.each([
    [160, 12.5],
    [2, 1000],
    [66, 1000 / 33],
    [45, 6000],
    [20, 3000],
    [1, 60_000],
    [200_000, 0.01],
  ])('gives %i at once and then one every %d ms', (burst, interval) => {
    const { clock, given } = limitOf(burst, interval);
    expect(given('a', burst + 5)).toBe(burst);
    for (let turn = 0; turn < 50; turn++) {
      clock.now += Math.max(interval, 1);
      expect(given('a', Math.ceil(1 / interval) + 1)).toBe(Math.max(1, Math.floor(1 / interval)));
    }
    clock.now += burst * interval;
    expect(given('a', burst + 5)).toBe(burst);
  });

  test('tells what is left, when there is one again and when all are', () => {
    const { clock, limit } = limitOf(3, 1000);
    expect(limit.take('a')).toMatchObject({ wait: 0, remaining: 2, fullIn: 1000 });
    expect(limit.take('a')).toMatchObject({ wait: 0, remaining: 1, fullIn: 2000 });
    clock.now += 500;
    expect(limit.take('a')).toMatchObject({ wait: 0, remaining: 0, fullIn: 2500 });
    const { wait, remaining, fullIn } = limit.take('a');
    expect([Math.round(wait / 10), remaining, fullIn]).toEqual([50, 0, 2500]);
  });

  test('gives several at once, all of them or none, and never waits for more than the burst', () => {
    const { clock, limit, given } = limitOf(10, 1000);
    expect(limit.take('a', 4)).toMatchObject({ wait: 0, remaining: 6, fullIn: 4000 });
    expect(Math.round(limit.take('a', 8).wait / 10)).toBe(200);
    expect(given('a', 10)).toBe(6);
    clock.now += 10_000;
    expect(limit.take('a', 1_000)).toMatchObject({ wait: 0, remaining: 0, fullIn: 10_000 });
    expect(given('a', 1)).toBe(0);
  });

  test('is used up by what is given, not by what is refused', () => {
    const { clock, given } = limitOf(2, 1000);
    given('a', 1000);
    clock.now += 1000;
    expect(given('a', 1000)).toBe(1);
  });

  test('counts every key for itself', () => {
    const { given } = limitOf(2, 1000);
    expect(['a', 'b', 'a', '__proto__'].map((key) => given(key, 2))).toEqual([2, 2, 0, 2]);
  });

  test.each([1000, 3000, 3_600_000])(
    'locks nobody out for longer than a burst takes when the clock is set back by %i ms',
    (back) => {
      const { clock, given } = limitOf(3, 1000);
      given('a', 3);
      clock.now -= back;
      given('a', 3);
      clock.now += 3000;
      expect(given('a', 1)).toBe(1);
    },
  );

  test('forgets keys that are full again, so that memory does not grow with those that came once', () => {
    const { clock, limit } = limitOf(45, 6000);
    let most = 0;
    for (let contact = 0; contact < 50_000; contact++) {
      clock.now += 1000;
      limit.take(`1 ${contact}`);
      most = Math.max(most, limit.size());
    }
    // Twice those that come while a burst of 45 comes back.
    expect(most).toBeLessThanOrEqual(2 * 270);
  });

  test('holds a bounded number of keys at once, however many addresses come in one moment', () => {
    const { limit, given } = limitOf(20, 3000);
    let most = 0;
    for (let address = 0; address < 200_000; address++) {
      limit.take(`address ${address}`);
      most = Math.max(most, limit.size());
    }
    expect(most).toBe(50_000);
    expect(given('address 199999', 25)).toBe(19);
  });

  test('keeps what is not full, however long it is used', () => {
    const { clock, given } = limitOf(3, 1000);
    given('a', 3);
    for (let turn = 0; turn < 100; turn++) {
      clock.now += 900;
      given(`other ${turn}`, 1);
      clock.now += 100;
      expect(given('a', 2)).toBe(1);
    }
  });
});

test.each([
  [0.1, 1],
  [12.5, 1],
  [1000, 1],
  [1000.1, 2],
  [6000, 6],
])('%d ms are told as %i whole seconds', (milliseconds, seconds) => {
  expect(wholeSeconds(milliseconds)).toBe(seconds);
});

test('what is given back can be taken again, and no more than that', () => {
  const limit = rateLimit({ burst: 2, interval: 1000 }, () => 0);
  limit.giveBack('nobody');
  limit.take('a');
  limit.giveBack('a');
  expect([limit.take('a').wait, limit.take('a').wait, limit.take('a').wait > 0]).toEqual([0, 0, true]);
});
