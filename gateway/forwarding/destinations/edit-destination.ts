import { type DestinationRules } from '../../http/destination-address';
import { type Actor } from '../../store/tables/audit';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { destinationEntry, type NamedDestination } from './audit-entry';
import { updateDestination, type DestinationChange } from './destination-rows';

/** Changes a destination. @throws Refusal for an address that may not be called, or headers that cannot be sent */
export async function editDestination(
  deps: AuditedDeps & { rules: DestinationRules },
  actor: Actor,
  destination: NamedDestination,
  change: DestinationChange,
): Promise<void> {
  const { url = destination.url, events, mode, quietSeconds, headers } = change;
  const details = {
    ...(events && { receives: events }),
    ...(mode && { mode }),
    ...(quietSeconds !== undefined && { quietSeconds }),
    // Their values may be passwords.
    ...(headers && { headers: Object.keys(headers) }),
  };
  await audited(deps, actor, destinationEntry('edited', { ...destination, url }, details), (transaction) =>
    updateDestination({ ...deps, ...transaction }, destination.id, change),
  );
}
