import { CircuitBreaker, OPEN_FOR } from '../../../../gateway/forwarding/queue/circuit-breaker';
import { MINUTE, SECOND } from '../../../../gateway/time';

const fail = (breaker: CircuitBreaker, events: number, now: number) =>
  Array.from({ length: events }, (_, number) => breaker.failed(`evt_${now}_${number}`, now, null));

describe('a circuit breaker', () => {
  test('opens once five different events have failed in a row', () => {
    const breaker = new CircuitBreaker();
    expect(fail(breaker, 4, 0)).toEqual([false, false, false, false]);
    expect(breaker.probesAt).toBeNull();
    expect(breaker.failed('evt_5', 1, null)).toBe(true);
    expect(breaker.probesAt).toBe(1 + 5 * SECOND);
  });

  test('lets a probe through at once where somebody asks, and waits no longer if that fails', () => {
    const breaker = new CircuitBreaker();
    breaker.probeNow(0);
    expect(breaker.probesAt).toBeNull();
    fail(breaker, 5, 1);
    breaker.probeNow(2);
    expect(breaker.probesAt).toBe(2);
    // What was on its way before says nothing new.
    expect(breaker.failed('evt_late', 3, null, 1)).toBe(false);
    expect(breaker.probesAt).toBe(2);
    expect(breaker.failed('evt_probe', 3, null)).toBe(true);
    expect(breaker.probesAt).toBe(3 + 5 * SECOND);
    breaker.failed('evt_probe', 10 * SECOND, null);
    for (const asked of [12 * SECOND, 20 * SECOND]) {
      breaker.probeNow(asked);
      breaker.failed('evt_probe', asked + 1, null);
      expect(breaker.probesAt).toBe(40 * SECOND);
    }
    breaker.failed('evt_probe', 40 * SECOND, null);
    expect(breaker.probesAt).toBe(40 * SECOND + MINUTE);
    // A receiver that asks for more is given it.
    breaker.probeNow(50 * SECOND);
    breaker.failed('evt_probe', 50 * SECOND, 4 * MINUTE);
    expect(breaker.probesAt).toBe(50 * SECOND + 4 * MINUTE);
  });

  test('stays closed for one event that its receiver never takes', () => {
    const breaker = new CircuitBreaker();
    for (let attempt = 0; attempt < 17; attempt++) expect(breaker.failed('evt_1', attempt, null)).toBe(false);
    expect(breaker.probesAt).toBeNull();
  });

  test('counts anew after a success', () => {
    const breaker = new CircuitBreaker();
    fail(breaker, 4, 0);
    breaker.succeeded();
    expect(fail(breaker, 4, 1)).not.toContain(true);
  });

  test('waits longer after each probe that fails', () => {
    const breaker = new CircuitBreaker();
    fail(breaker, 5, 0);
    let now = 0;
    for (const wait of [...OPEN_FOR, 5 * MINUTE, 5 * MINUTE]) {
      now += wait;
      expect(breaker.probesAt).toBe(now);
      expect(breaker.failed('evt_probe', now, null)).toBe(true);
    }
  });

  test('waits no longer because of what fails that was on its way when it opened', () => {
    const breaker = new CircuitBreaker();
    fail(breaker, 5, 0);
    expect(fail(breaker, 3, 1)).toEqual([false, false, false]);
    // It is heard of after the probe is due.
    expect(breaker.failed('evt_slow', 9 * SECOND, null, 4 * SECOND)).toBe(false);
    expect(breaker.probesAt).toBe(5 * SECOND);
  });

  test('waits as long as the receiver asks, up to half an hour', () => {
    const breaker = new CircuitBreaker();
    fail(breaker, 4, 0);
    breaker.failed('evt_5', 0, 10 * MINUTE);
    expect(breaker.probesAt).toBe(10 * MINUTE);
    breaker.failed('evt_6', 10 * MINUTE, 1000 * MINUTE);
    expect(breaker.probesAt).toBe(40 * MINUTE);
  });

  test('closes with the first success, and begins with the shortest wait again', () => {
    const breaker = new CircuitBreaker();
    fail(breaker, 5, 0);
    breaker.failed('evt_probe', 5 * SECOND, null);
    breaker.succeeded();
    expect(breaker.probesAt).toBeNull();
    fail(breaker, 5, MINUTE);
    expect(breaker.probesAt).toBe(MINUTE + 5 * SECOND);
  });

  test('opens by one failure that is enough, and opens again by whatever fails after that', () => {
    const breaker = new CircuitBreaker();
    expect(breaker.failed('evt_1', 0, null, 0, true)).toBe(true);
    expect(breaker.failed('evt_2', 1, null, 0, true)).toBe(false);
    expect(breaker.failed('evt_3', 5 * SECOND, null)).toBe(true);
    expect(breaker.probesAt).toBe(35 * SECOND);
  });
});
