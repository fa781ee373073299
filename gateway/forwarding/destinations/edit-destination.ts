import { type DestinationRules } from '../../http/destination-address';
import { addressInAudit, type Actor } from '../../store/tables/audit';
import { audited, changesIn, type AuditedDeps, type FieldChange } from '../../store/with-audit';
import { destinationOf, type Destination } from '../destination';
import { destinationEntry, type NamedDestination } from './audit-entry';
import { type DestinationInput } from './destination-input';
import { updateDestination } from './destination-rows';

/**
 * Changes a destination.
 * @returns the destination before and after the change; null if it no longer exists
 * @throws Refusal with all issues, by field
 */
export const editDestination = (
  deps: AuditedDeps & { rules: DestinationRules },
  actor: Actor,
  { id }: NamedDestination,
  given: DestinationInput,
): Promise<{ before: Destination; after: Destination } | null> =>
  audited<{ before: Destination; after: Destination } | null>(
    deps,
    actor,
    (edited) =>
      edited && destinationEntry('edited', edited.after, { changes: changesOf(edited.before, edited.after) }),
    async (transaction) => {
      const { destinations } = transaction.store;
      const before = await destinations.find(id);
      await updateDestination({ ...deps, ...transaction }, id, given);
      const after = await destinations.find(id);
      return before && after
        ? { before: destinationOf(before, deps.vault), after: destinationOf(after, deps.vault) }
        : null;
    },
  );

function changesOf(before: Destination, after: Destination): FieldChange[] {
  // Header values may be passwords, so the audit entry contains only names.
  const names = (of: Record<string, string>) => Object.keys(of).toSorted();
  const ofNames = changesIn({ headers: [names(before.headers), names(after.headers)] });
  const areOther = changesIn({ headers: [before.headers, after.headers] }).length > 0;
  return [
    ...changesIn({
      url: [addressInAudit(before.url), addressInAudit(after.url)],
      receives: [before.events, after.events],
      mode: [before.mode, after.mode],
      quietSeconds: [before.quietSeconds, after.quietSeconds],
    }),
    ...(areOther && !ofNames.length ? [{ field: 'headers' }] : ofNames),
  ];
}
