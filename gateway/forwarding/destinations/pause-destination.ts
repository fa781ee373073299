import { type Actor } from '../../store/tables/audit';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { destinationEntry, type NamedDestination } from './audit-entry';
import { markPaused } from './destination-rows';

/** Holds events back for a destination; they wait until it is resumed. @param reason a sentence for people */
export const pauseDestination = (
  deps: AuditedDeps,
  actor: Actor,
  destination: NamedDestination,
  reason: string,
): Promise<void> =>
  audited(deps, actor, destinationEntry('paused', destination), (transaction) =>
    markPaused({ ...deps, ...transaction }, destination.id, reason),
  );
