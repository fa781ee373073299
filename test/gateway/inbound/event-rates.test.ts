import { eventRates } from '../../../gateway/inbound/event-rates';
import { turns } from '../../support/http-peer';

const KILOBYTE = 1024;
const done = async () => 'done';

test('events of a line are counted by their bytes: 20,000 at once, then 2,000 a second', async () => {
  let now = 0;
  const rates = eventRates(80, () => now);
  const take = (line: number, events: number) =>
    rates.run(line, 512 * events, done).catch((refused) => refused.retryAfter);
  expect(await take(1, 15_000)).toBe('done');
  expect(await take(1, 7_000)).toBe(1);
  expect(await take(1, 5_000)).toBe('done');
  expect(await take(1, 6_000)).toBe(3);
  expect(await take(2, 6_000)).toBe('done');
  now += 3_000;
  expect(await take(1, 6_000)).toBe('done');
  expect(await take(1, 1)).toBe(1);
});

test('a line that may send slowly receives as much; where sends have no rate, events have none', async () => {
  const most = 10 * 2_000 * 512;
  for (const rate of [1, 80]) {
    const rates = eventRates(rate, () => 0);
    expect(await rates.run(1, most, done)).toBe('done');
    await expect(rates.run(1, 1, done)).rejects.toMatchObject({ status: 429 });
  }
  const free = eventRates(null, () => 0);
  for (let times = 0; times < 10; times++) expect(await free.run(1, most, done)).toBe('done');
});

test('one large notification of a line is in work at a time, few wait; small ones and other lines go on', async () => {
  const rates = eventRates(null, () => 0);
  const ends: (() => void)[] = [];
  let here = 0;
  let most = 0;
  const held = async () => {
    most = Math.max(most, ++here);
    await new Promise<void>((end) => ends.push(end));
    here--;
    return 'done';
  };
  const large = Array.from({ length: 5 }, () => rates.run(1, 65 * KILOBYTE, held));
  await turns(2);
  expect(ends).toHaveLength(1);
  await expect(rates.run(1, 65 * KILOBYTE, held)).rejects.toMatchObject({ status: 429, retryAfter: 1 });
  expect(await rates.run(1, KILOBYTE, done)).toBe('done');
  expect(await rates.run(2, 65 * KILOBYTE, done)).toBe('done');
  for (let ended = 0; ended < 5; ended++) {
    ends[ended]?.();
    await turns(1);
  }
  expect(await Promise.all(large)).toEqual(Array(5).fill('done'));
  expect(most).toBe(1);
});
