import { createQueue } from '../../../gateway/forwarding/queue';
import { isoTime, SECOND } from '../../../gateway/time';
import { ANA } from './support';

describe('a delivery that is claimed again while it waits', () => {
  const now = Date.now();
  const deliveryOf = (event_id: string, attempts: number) => ({
    destination_id: 1,
    event_id,
    lane: ANA,
    attempts,
    attempts_before: 0,
    due_at: isoTime(now + attempts * 30 * SECOND),
    body: '{}',
  });
  const waiting = deliveryOf('evt_1', 1);
  const queueOf = () =>
    createQueue(
      1,
      {},
      { held: new Set(), size: 0 },
      () => now,
      () => undefined,
    );

  test('holds its contact back', () => {
    const queue = queueOf();
    queue.accept([waiting, deliveryOf('evt_2', 0)]);
    expect(queue.hasReady()).toBe(false);
    queue.stop();
  });

  test('holds nobody back where it has let the others pass before', () => {
    const queue = queueOf();
    queue.letOthersPass(waiting);
    queue.accept([waiting, deliveryOf('evt_2', 0)]);
    expect(queue.next()?.delivery.event_id).toBe('evt_2');
    expect(queue.next()).toBeNull();
    queue.stop();
  });
});

describe('a delivery that failed and is on its way again', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const deliveryOf = (event_id: string) => ({
    destination_id: 1,
    event_id,
    lane: ANA,
    attempts: 0,
    attempts_before: 0,
    due_at: isoTime(Date.now()),
    body: '{}',
  });

  test('holds its contact back until 35 seconds after its first failure, also where no answer comes', () => {
    const queue = createQueue(1, {}, { held: new Set(), size: 0 }, Date.now, () => undefined);
    const [first, second, third] = [deliveryOf('evt_1'), deliveryOf('evt_2'), deliveryOf('evt_3')];
    queue.accept([first, second, third]);
    const failing = queue.next();
    jest.advanceTimersByTime(20 * SECOND);
    expect(queue.next()).toBeNull();
    if (failing) queue.ran(failing.lane, first, Date.now() + 5 * SECOND);
    jest.advanceTimersByTime(5 * SECOND);
    const again = queue.next();
    expect(again?.delivery).toBe(first);
    jest.advanceTimersByTime(29 * SECOND);
    expect(queue.next()).toBeNull();
    jest.advanceTimersByTime(SECOND);
    const passing = queue.next();
    expect(passing?.delivery).toBe(second);
    // What comes of it concerns it alone.
    if (again) queue.ran(again.lane, first, null);
    expect(queue.next()).toBeNull();
    if (passing) queue.ran(passing.lane, second, null);
    expect(queue.next()?.delivery).toBe(third);
    queue.stop();
  });
});
