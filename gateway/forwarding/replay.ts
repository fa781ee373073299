import { type DeliveryFilter, type DeliveryKey } from '../store/deliveries';
import { type Store } from '../store/database';
import { eventIdBefore } from '../store/event-id';
import { isoTime, SECOND, type Clock } from '../time';

/** What one replay takes at most. More is a matter of several, or of a smaller range. */
export const MOST_REPLAYED = 100_000;

/**
 * Replayed deliveries come due a few at a time, so that fresh ones go out beside them: so many in each step. 100,000
 * take an hour and twenty minutes.
 */
const A_STEP = 100;
const STEP = 5 * SECOND;

/**
 * Sends again what has been delivered or is dead, under the same event ids; where pending ones are meant, what waits for
 * a later attempt is sent now. What comes in after it has begun is left out, unless the filter says otherwise.
 * @param replayed told after each step how many there are by then; waited for
 * @returns how many there are in all, and whether the filter means more than one replay takes
 */
export async function replay(
  { store, clock }: { store: Store; clock: Clock },
  filter: DeliveryFilter,
  replayed: (count: number) => void | Promise<void> = () => undefined,
): Promise<{ count: number; isAll: boolean }> {
  const now = clock();
  const meant = { ...(filter.eventId === undefined && { to: eventIdBefore(now + 1) }), ...filter };
  let last: DeliveryKey | null = null;
  let count = 0;
  for (;;) {
    const found: DeliveryKey[] = await store.deliveries.meant(meant, last, A_STEP);
    if (!found.length) return { count, isAll: true };
    if (count >= MOST_REPLAYED) return { count, isAll: false };
    // What cannot be replayed any more keeps nothing waiting that can.
    const step = Math.floor(count / A_STEP);
    const changed = await store.deliveries.again(found, isoTime(now + step * STEP));
    // The first are due now; the others come due one scan after the other.
    if (changed && !step)
      await store.wake({ waiting: [...new Set(found.map(({ destination_id: id }) => id))] });
    count += changed;
    last = found.at(-1) ?? null;
    await replayed(count);
  }
}
