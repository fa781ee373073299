import { Client } from 'pg';
import { type RateLimit, type Taken } from '../../../../gateway/primitives/rate-limit';
import { HOUR, MINUTE, SECOND } from '../../../../gateway/time';
import { createDatabase } from '../../../support/postgres';
import { until } from '../../../support/http-peer';
import { openStores } from '../support';

const NOW = Date.parse('2026-03-10T12:00:00.000Z');

describe('a rate limit on PostgreSQL', () => {
  const open = openStores();
  let url: string;
  let clock: { now: number };

  beforeEach(async () => {
    url = await createDatabase();
    clock = { now: NOW };
  });

  const limitOf = async (name: string, burst: number, interval: number): Promise<RateLimit> =>
    (await open(url)).rateLimits(() => clock.now)(name, { burst, interval });
  const ask = (limit: RateLimit, key: string, count: number): Promise<Taken[]> =>
    Promise.all(Array.from({ length: count }, () => limit.take(key)));
  const given = async (...asked: Promise<Taken[]>[]): Promise<number> =>
    (await Promise.all(asked)).flat().filter(({ wait }) => wait === 0).length;

  test.each([
    [160, 12.5],
    [2, 1000],
    [45, 6000],
    [20, 3000],
    [1, 60_000],
  ])('gives %i at once to all who ask, and then one every %d ms', async (burst, interval) => {
    const [one, other] = [await limitOf('a', burst, interval), await limitOf('a', burst, interval)];
    expect(await given(ask(one, 'x', burst), ask(other, 'x', burst))).toBe(burst);
    for (let turn = 0; turn < 10; turn++) {
      clock.now += interval;
      expect(await given(ask(one, 'x', 2), ask(other, 'x', 2))).toBe(1);
    }
    clock.now += burst * interval;
    expect(await given(ask(other, 'x', burst + 5))).toBe(burst);
  });

  test('tells the same as one in memory', async () => {
    const limit = await limitOf('a', 3, 1000);
    expect(await limit.take('x')).toMatchObject({ wait: 0, remaining: 2, fullIn: 1000 });
    expect(await limit.take('x')).toMatchObject({ wait: 0, remaining: 1, fullIn: 2000 });
    clock.now += 500;
    expect(await limit.take('x')).toMatchObject({ wait: 0, remaining: 0, fullIn: 2500 });
    const { wait, remaining, fullIn } = await limit.take('x');
    expect([Math.round(wait / 10), remaining, fullIn]).toEqual([50, 0, 2500]);
  });

  test('gives again what was given back, and no more than that', async () => {
    const [one, other] = [await limitOf('a', 2, 1000), await limitOf('a', 2, 1000)];
    await other.giveBack('nobody');
    expect(await given(ask(one, 'nobody', 4))).toBe(2);
    expect(await given(ask(one, 'x', 4))).toBe(2);
    await other.giveBack('x');
    expect(await given(ask(one, 'x', 2), ask(other, 'x', 2))).toBe(1);
    clock.now += HOUR;
    await one.giveBack('x');
    expect(await given(ask(one, 'x', 4))).toBe(2);
  });

  test('counts every key and every limit for itself, whatever they are called', async () => {
    const [one, other] = [await limitOf('a', 2, 1000), await limitOf('b', 2, 1000)];
    const keys = ['x', 'y', "'; drop table rates", '\0', '\ud800', 'x'.repeat(10_000), '__proto__'];
    for (const limit of [one, other]) {
      for (const key of keys) expect(await given(ask(limit, key, 4))).toBe(2);
    }
  });

  test('is exact however many ask for however many keys through several processes', async () => {
    const limits = [await limitOf('a', 7, 1000), await limitOf('a', 7, 1000), await limitOf('a', 7, 1000)];
    const keys = Array.from({ length: 60 }, (_, number) => `key ${number}`);
    const taken = await Promise.all(
      limits.flatMap((limit) =>
        [...keys].sort(() => Math.random() - 0.5).flatMap((key) => [ask(limit, key, 3), ask(limit, key, 3)]),
      ),
    );
    expect(taken.flat().filter(({ wait }) => wait === 0)).toHaveLength(60 * 7);
  });

  test('lets clocks differ, and locks nobody out for long when one is set back', async () => {
    const limit = await limitOf('a', 3, 1000);
    await ask(limit, 'x', 3);
    clock.now -= 500;
    expect(await given(ask(limit, 'x', 3))).toBe(0);
    clock.now -= HOUR;
    expect(await given(ask(limit, 'x', 5))).toBe(3);
  });

  test('keeps no bucket that is full again', async () => {
    const limit = await limitOf('a', 3, SECOND);
    await Promise.all(Array.from({ length: 200 }, (_, number) => limit.take(`caller ${number}`)));
    const client = new Client({ connectionString: url });
    await client.connect();
    const rows = async () => (await client.query('select from rates')).rows.length;
    expect(await rows()).toBe(200);
    clock.now += 3 * MINUTE;
    await limit.take('another');
    await until(async () => (await rows()) === 1);
    await client.end();
  });

  test('fails where the database is away, rather than let everybody through', async () => {
    const store = await open(url);
    const limit = store.rateLimits(() => clock.now)('a', { burst: 3, interval: 1000 });
    await limit.take('x');
    await store.close();
    await expect(limit.take('x')).rejects.toThrow();
  });
});
