import { DestinationHealth } from '../../../../gateway/forwarding/queue/health';
import { type Outcome } from '../../../../gateway/forwarding/deliver';
import { DAY, isoTime, SECOND } from '../../../../gateway/time';

const outcome = (word: Outcome['outcome'], httpStatus: number | null = null): Outcome => ({
  outcome: word,
  httpStatus,
  durationMs: 20 * SECOND,
  startedAt: 0,
  retryAfter: null,
  answer: '',
});

test('a destination that does not answer is told to fail by its first timeout, once, until it answers', () => {
  const health = new DestinationHealth();
  const first = health.judge('evt_1', outcome('timeout'), 1, 20 * SECOND);
  expect(first).toMatchObject({
    opened: false,
    note: { failing_since: isoTime(20 * SECOND), last_failure: 'timeout', next_try_at: null },
    pauseBecause: null,
  });
  expect(health.judge('evt_1', outcome('timeout'), 1, 45 * SECOND).note).toBeNull();
  expect(health.judge('evt_1', outcome('delivered', 200), 1, 50 * SECOND)).toMatchObject({
    note: { failing_since: null },
  });
});

test('a destination that refuses one event is not told to fail by that', () => {
  const health = new DestinationHealth();
  expect(health.judge('evt_1', outcome('http_error', 500), 1, SECOND).note).toBeNull();
  expect(health.judge('evt_2', outcome('delivered', 200), 1, 2 * SECOND).note).toBeNull();
});

test('a destination that refuses all of few events is told to fail with the third attempt of the first', () => {
  const health = new DestinationHealth();
  const refused = (at: number) => health.judge('evt_1', outcome('http_error', 500), 1, at).note;
  // The waits of the schedule, as short as chance makes them.
  expect([refused(0), refused(4 * SECOND)]).toEqual([null, null]);
  expect(refused(28 * SECOND)).toEqual({
    failing_since: isoTime(0),
    last_failure: 'HTTP 500',
    failing_seconds: 0,
    last_tried_at: null,
    next_try_at: null,
  });
});

test('of a destination that is left alone it is kept when it was last tried, until it takes something', () => {
  const health = new DestinationHealth();
  const answered = (event: number, at: number, given = outcome('http_error', 503)) =>
    health.judge(`evt_${event}`, { ...given, startedAt: at }, 1, at + SECOND).note;
  for (let event = 1; event < 5; event++) answered(event, 0);
  expect(answered(5, 2 * SECOND)).toMatchObject({ last_tried_at: isoTime(2 * SECOND) });
  expect(answered(1, 60 * SECOND)).toMatchObject({ last_tried_at: isoTime(60 * SECOND) });
  expect(answered(1, 300 * SECOND, outcome('delivered', 200))).toMatchObject({ last_tried_at: null });
});

test('what could not be kept of a destination is told again with the next outcome, whichever that is', () => {
  const health = new DestinationHealth({
    failing_since: isoTime(0),
    failing_seconds: 0,
    last_tried_at: null,
  });
  const answered = (at: number, word: Outcome['outcome'], httpStatus: number | null) =>
    health.judge('evt_1', outcome(word, httpStatus), 1, at).note;
  health.notKept();
  expect(answered(SECOND, 'delivered', 200)).toMatchObject({ failing_since: null });
  expect(answered(2 * SECOND, 'delivered', 200)).toBeNull();
  expect(answered(3 * SECOND, 'timeout', null)).toMatchObject({ failing_since: isoTime(3 * SECOND) });
  health.notKept();
  expect(answered(4 * SECOND, 'timeout', null)).toMatchObject({ failing_since: isoTime(3 * SECOND) });
});

test('a destination that is gone is to be paused, once, by whichever answer says so first', () => {
  const health = new DestinationHealth();
  const gone = (startedAt: number, at: number) =>
    health.judge(`evt_${at}`, { ...outcome('http_error', 410), startedAt }, 2, at);
  expect(gone(0, SECOND)).toEqual({
    opened: true,
    note: null,
    pauseBecause: { word: 'paused.gone', values: {} },
  });
  expect([health.limit(SECOND), gone(0, 2 * SECOND).pauseBecause]).toEqual([0, null]);
  // It could not be paused: a probe shows that it is still gone.
  expect(health.limit(6 * SECOND)).toBe(1);
  expect(gone(6 * SECOND, 7 * SECOND).pauseBecause).toMatchObject({ word: 'paused.gone' });
});

const refused = outcome('http_error', 500);

/** Noted as failing since day 0. */
const failing = (countedDays: number, triedOnDay: number) => ({
  failing_since: isoTime(0),
  failing_seconds: (countedDays * DAY) / SECOND,
  last_tried_at: isoTime(triedOnDay * DAY),
});

/** Whether a failure on each of these days pauses it. */
const isPausedBy = (health: DestinationHealth, ...days: number[]) =>
  days.map((day) => health.judge('evt_1', refused, 1, day * DAY).pauseBecause !== null);

test('a destination that failed for five days before the restart is to be paused with its next failure', () => {
  const kept = failing(4, 4);
  const health = new DestinationHealth(kept);
  expect(health.judge('evt_1', refused, 1, 4.5 * DAY).pauseBecause).toBeNull();
  expect(health.judge('evt_2', refused, 1, 5 * DAY).pauseBecause).toEqual({
    word: 'paused.undeliverable',
    values: { since: isoTime(0), last: 'HTTP 500' },
  });
  const again = new DestinationHealth(kept);
  again.judge('evt_1', outcome('delivered', 200), 1, 4.5 * DAY);
  expect(again.judge('evt_2', refused, 1, 5 * DAY).pauseBecause).toBeNull();
});

test('days in which nothing was tried do not pause a destination: the gateway was off, or its clock was behind', () => {
  const off = new DestinationHealth(failing(1, 1));
  expect(isPausedBy(off, 10, 11, 12, 13)).toEqual([false, false, false, true]);
  // Whoever asks gives five days, as many of them as the gateway is on.
  const asked = new DestinationHealth(failing(4, 4), isoTime(5 * DAY));
  expect(isPausedBy(asked, 20, 23.8)).toEqual([false, false]);
  const set = new DestinationHealth();
  expect(isPausedBy(set, 0, 0.1, 100, 100.1)).toEqual([false, false, false, false]);
  // A clock that is set back adds nothing, and takes nothing away.
  expect(isPausedBy(set, 50, 51, 52, 53, 54)).toEqual([false, false, false, false, true]);
});

test('days in which nothing was tried do not count after a restart either', () => {
  const health = new DestinationHealth();
  const fails = (event: number, day: number) =>
    health.judge(`evt_${event}`, { ...refused, startedAt: day * DAY }, 1, day * DAY).note;
  for (let event = 1; event < 5; event++) fails(event, 0);
  // The gateway was off for 100 days, or the clock was that far behind. The fifth failure opens the breaker.
  const note = fails(5, 100);
  expect(note).toMatchObject({ failing_since: isoTime(0), last_tried_at: isoTime(100 * DAY) });
  const restarted = new DestinationHealth(note ?? undefined);
  expect(isPausedBy(restarted, 100.1, 101, 102, 103, 104)).toEqual([false, false, false, false, true]);
});
