import { type Actor } from '../../store/tables/audit';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { destinationEntry, type NamedDestination } from './audit-entry';
import { markResumed } from './destination-rows';

/** Resumes a paused destination and sends its waiting events immediately. */
export async function resumeDestination(
  deps: AuditedDeps,
  actor: Actor,
  destination: NamedDestination,
): Promise<void> {
  await audited(deps, actor, destinationEntry('resumed', destination), (transaction) =>
    markResumed({ ...deps, ...transaction }, destination.id),
  );
  await deps.store.wake({ waiting: [destination.id] });
}
