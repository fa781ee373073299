import { type Actor } from '../../store/tables/audit';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { type Tables } from '../../store/store';
import { type FollowedRegistry } from '../../store/follow-registry';
import { isoTime, type Clock } from '../../time';
import { destinationEntry, type NamedDestination } from './audit-entry';

/** Sends the waiting deliveries of a destination now, at a user's request. */
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
 * Makes the waiting deliveries of a destination due now, whichever process owns it. Runs inside a transaction. If the
 * breaker is open, one event is sent as a probe, and the others follow if it is accepted. A failed probe uses up no
 * attempt.
 *
 * The request is stored in the destination's row, so that its owner finds it within seconds even without a
 * notification. To notify the owner at once, call `store.wake({ waiting: [id] })` after the commit.
 */
export async function makeDueNow({ store, registry, clock }: TryNowDeps, id: number): Promise<void> {
  const now = isoTime(clock());
  await store.destinations.update(id, { try_now_at: now, next_try_at: now });
  await store.deliveries.makeDueBy(id, now);
  await registry.refresh();
}
