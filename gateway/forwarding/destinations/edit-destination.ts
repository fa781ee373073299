import { type DestinationRules } from '../../http/destination-address';
import { addressInAudit, type Actor } from '../../store/tables/audit';
import { audited, changesIn, type AuditedDeps, type FieldChange } from '../../store/with-audit';
import { destinationOf, type Destination } from '../destination';
import { destinationEntry, type NamedDestination } from './audit-entry';
import { updateDestination, type DestinationChange } from './destination-rows';

/** Changes a destination. @throws Refusal for an address that may not be called, or headers that cannot be sent */
export async function editDestination(
  deps: AuditedDeps & { rules: DestinationRules },
  actor: Actor,
  destination: NamedDestination,
  change: DestinationChange,
): Promise<void> {
  const { url = destination.url } = change;
  await audited<FieldChange[]>(
    deps,
    actor,
    (changes) => destinationEntry('edited', { ...destination, url }, { changes }),
    async (transaction) => {
      const before = await transaction.store.destinations.find(destination.id);
      await updateDestination({ ...deps, ...transaction }, destination.id, change);
      return before ? changesOf(destinationOf(before, deps.vault), change) : [];
    },
  );
}

function changesOf(
  before: Destination,
  { url, events, mode, quietSeconds, headers }: DestinationChange,
): FieldChange[] {
  // Their values may be passwords: if only those changed, no more is said than that.
  const names = (of: Record<string, string>) => Object.keys(of).toSorted();
  const ofNames = headers ? changesIn({ headers: [names(before.headers), names(headers)] }) : [];
  const areOther = headers && changesIn({ headers: [before.headers, headers] }).length > 0;
  return [
    ...changesIn({
      ...(url !== undefined && { url: [addressInAudit(before.url), addressInAudit(url)] }),
      ...(events && { receives: [before.events, events] }),
      ...(mode && { mode: [before.mode, mode] }),
      ...(quietSeconds !== undefined && { quietSeconds: [before.quietSeconds, quietSeconds] }),
    }),
    ...(areOther && !ofNames.length ? [{ field: 'headers' }] : ofNames),
  ];
}
