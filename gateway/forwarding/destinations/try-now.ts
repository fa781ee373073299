import { type Actor } from '../../store/tables/audit';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { type Tables } from '../../store/store';
import { type FollowedRegistry } from '../../store/follow-registry';
import { isoTime, type Clock } from '../../time';
import { destinationEntry, type NamedDestination } from './audit-entry';

/** Has what waits for a destination go out now, because a person asks for it. */
export async function tryNow(deps: AuditedDeps, actor: Actor, destination: NamedDestination): Promise<void> {
  await audited(deps, actor, destinationEntry('tried_now', destination), (transaction) =>
    makeDueNow({ ...deps, ...transaction }, destination.id),
  );
  await deps.store.wake({ waiting: [destination.id] });
}

export interface TryNowDeps {
  store: Pick<Tables, 'destinations' | 'deliveries'>;
  registry: Pick<FollowedRegistry, 'refresh'>;
  clock: Clock;
}

/**
 * Has what waits for a destination go out at once, whoever sends to it, inside a transaction. What waits for a later
 * attempt is due now; where the destination is left alone because everything fails, one event goes out now, and the
 * rest follows once that one is accepted. If it is not, nothing has used up an attempt.
 *
 * The request stands in the destination's row, so that its owner comes across it within seconds even if nobody tells
 * it. To have it heed the request at once, wake it when this is committed: `store.wake({ waiting: [id] })`.
 */
export async function makeDueNow({ store, registry, clock }: TryNowDeps, id: number): Promise<void> {
  const now = isoTime(clock());
  await store.destinations.update(id, { try_now_at: now, next_try_at: now });
  await store.deliveries.makeDueBy(id, now);
  await registry.refresh();
}
