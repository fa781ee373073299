import { type Actor } from '../../store/tables/audit';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { destinationEntry, type NamedDestination } from './audit-entry';
import { markRemoved } from './destination-rows';

/** Removes a destination. The process that owns it then cancels its pending deliveries. */
export const removeDestination = (
  deps: AuditedDeps,
  actor: Actor,
  destination: NamedDestination,
): Promise<void> =>
  audited(deps, actor, destinationEntry('removed', destination), (transaction) =>
    markRemoved({ ...deps, ...transaction }, destination.id),
  );
