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
