import { LruCache } from '../../../gateway/primitives/lru-cache';

describe('what was used last', () => {
  const filled = (most: number, upTo: number) => {
    const cache = new LruCache<number>(most);
    for (let number = 1; number <= upTo; number++) cache.set(`${number}`, number);
    return cache;
  };
  const held = (cache: LruCache<number>, from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => cache.get(`${from + index}`)).filter(Boolean).length;

  test.each([1, 2, 7, 100])('of %i entries the last half is kept, and never more than all', (most) => {
    const half = Math.floor(most / 2);
    expect(held(filled(most, 1_000), 1_001 - half, 1_000)).toBe(half);
    expect(held(filled(most, 1_000), 1, 1_000)).toBeLessThanOrEqual(most);
  });

  test('what is asked for stays, however much else comes', () => {
    const cache = filled(10, 1);
    for (let number = 2; number <= 100; number++) {
      cache.set(`${number}`, number);
      expect(cache.get('1')).toBe(1);
    }
  });

  test('the newer value of a key counts, and what was cleared is gone', () => {
    const cache = filled(10, 5);
    cache.set('1', 2);
    expect(cache.get('1')).toBe(2);
    cache.clear();
    expect(held(cache, 1, 5)).toBe(0);
  });
});
