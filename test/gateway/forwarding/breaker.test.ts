import { createBreaker, MOST_PLACES, OPEN_FOR } from '../../../gateway/forwarding/breaker';
import { MINUTE, SECOND } from '../../../gateway/time';

const fail = (breaker: ReturnType<typeof createBreaker>, events: number, now: number) =>
  Array.from({ length: events }, (_, number) => breaker.failed(`evt_${now}_${number}`, now, null));

describe('a breaker', () => {
  test('opens once five different events have failed in a row', () => {
    const breaker = createBreaker(null);
    expect(fail(breaker, 4, 0)).toEqual([false, false, false, false]);
    expect(breaker.places(0)).toBe(MOST_PLACES);
    expect(breaker.failed('evt_5', 1, null)).toBe(true);
    expect(breaker.isOpen()).toBe(true);
    expect(breaker.places(1)).toBe(0);
    expect(breaker.probesAt()).toBe(1 + 5 * SECOND);
  });

  test('lets a probe through at once where somebody asks, and waits on if that fails', () => {
    const breaker = createBreaker(null);
    breaker.probeNow(0);
    expect(breaker.places(0)).toBe(MOST_PLACES);
    fail(breaker, 5, 1);
    breaker.probeNow(2);
    expect([breaker.isOpen(), breaker.places(2)]).toEqual([true, 1]);
    // What was on its way before says nothing new.
    expect(breaker.failed('evt_late', 3, null, 1)).toBe(false);
    expect(breaker.places(3)).toBe(1);
    expect(breaker.failed('evt_probe', 4, null, 2)).toBe(true);
    expect(breaker.probesAt()).toBe(4 + 30 * SECOND);
  });

  test('stays closed for one event that its receiver never takes', () => {
    const breaker = createBreaker(null);
    for (let attempt = 0; attempt < 17; attempt++) expect(breaker.failed('evt_1', attempt, null)).toBe(false);
    expect(breaker.isOpen()).toBe(false);
  });

  test('counts anew after a success', () => {
    const breaker = createBreaker(null);
    fail(breaker, 4, 0);
    breaker.succeeded();
    expect(fail(breaker, 4, 1)).not.toContain(true);
    expect(breaker.failingSince()).toBe(1);
  });

  test('lets one probe through after each wait, and waits longer after each that fails', () => {
    const breaker = createBreaker(null);
    fail(breaker, 5, 0);
    let now = 0;
    for (const wait of [...OPEN_FOR, 5 * MINUTE, 5 * MINUTE]) {
      expect(breaker.places(now + wait - 1)).toBe(0);
      now += wait;
      expect(breaker.places(now)).toBe(1);
      expect(breaker.failed('evt_probe', now, null)).toBe(true);
    }
    expect(breaker.failingSince()).toBe(0);
  });

  test('waits no longer because of what fails that was on its way when it opened', () => {
    const breaker = createBreaker(null);
    fail(breaker, 5, 0);
    expect(fail(breaker, 3, 1)).toEqual([false, false, false]);
    expect(breaker.probesAt()).toBe(5 * SECOND);
  });

  test('waits as long as the receiver asks, up to half an hour', () => {
    const breaker = createBreaker(null);
    fail(breaker, 4, 0);
    breaker.failed('evt_5', 0, 10 * MINUTE);
    expect(breaker.probesAt()).toBe(10 * MINUTE);
    breaker.failed('evt_6', 10 * MINUTE, 1000 * MINUTE);
    expect(breaker.probesAt()).toBe(40 * MINUTE);
  });

  test('closes with the first success, and lets one more through at once with each further one', () => {
    const breaker = createBreaker(0);
    fail(breaker, 5, 0);
    const places = Array.from({ length: 10 }, () => {
      breaker.succeeded();
      return breaker.places(0);
    });
    expect(places).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 8, 8]);
    expect([breaker.isOpen(), breaker.probesAt(), breaker.failingSince()]).toEqual([false, null, null]);
  });

  test('remembers since when a destination was failing before the restart', () => {
    const breaker = createBreaker(-5 * MINUTE);
    fail(breaker, 1, 0);
    expect(breaker.failingSince()).toBe(-5 * MINUTE);
  });
});
