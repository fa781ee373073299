import { type Tables } from '../store/database';
import { type FollowedRegistry } from '../store/follow-registry';
import { isoTime, type Clock } from '../time';

export interface TryNowDeps {
  store: Pick<Tables, 'destinations' | 'deliveries'>;
  registry: Pick<FollowedRegistry, 'refresh'>;
  clock: Clock;
}

/**
 * Has what waits for a destination go out at once, whoever sends to it. What waits for a later attempt is due now; where
 * the destination is left alone because everything fails, one event goes out now, and the rest follows once that one is
 * accepted. If it is not, nothing has used up an attempt.
 *
 * The request stands in the destination's row, so that its owner comes across it within seconds even if nobody tells
 * it. To have it heed the request at once, wake it when this is committed: `store.wake({ waiting: [id] })`.
 */
export async function tryNow({ store, registry, clock }: TryNowDeps, id: number): Promise<void> {
  const now = isoTime(clock());
  await store.destinations.update(id, { try_now_at: now, next_try_at: now });
  await store.deliveries.hasten(id, now);
  await registry.refresh();
}
