import { recordOf } from '../../../gateway/forwarding/attempts';
import { type HeldDelivery } from '../../../gateway/forwarding/queue/held-deliveries';

test('of a failing delivery the first answer is kept whole, and the beginning of those that follow', () => {
  const delivery = { eventId: 'evt_a', attemptsBefore: 0 } as HeldDelivery;
  const outcome = {
    outcome: 'http_error',
    httpStatus: 500,
    answer: 'x'.repeat(16 * 1024),
    startedAt: 0,
    durationMs: 1,
    retryAfter: null,
  } as const;
  const kept = (number: number) => recordOf(1, delivery, number, outcome).answer?.length;
  expect([1, 2, 17].map((number) => kept(number))).toEqual([16 * 1024, 1024, 1024]);
});
