import { tooManyDestinations } from '../../errors';
import { type DestinationRules } from '../../http/destination-address';
import { type Actor } from '../../store/tables/audit';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { type Destination } from '../destination';
import { destinationEntry } from './audit-entry';
import { insertDestination, type NewDestination } from './destination-rows';

/**
 * Adds a destination to a line; events that come from now on go there.
 * @param most how many the line may have with it
 * @throws Refusal for an address that may not be called, headers that cannot be sent, or one too many
 */
export const addDestination = (
  deps: AuditedDeps & { rules: DestinationRules },
  actor: Actor,
  lineId: number,
  given: NewDestination,
  most = Number.POSITIVE_INFINITY,
): Promise<Destination> =>
  audited<Destination>(
    deps,
    actor,
    (added) => destinationEntry('added', added),
    async (transaction) => {
      const added = await insertDestination({ ...deps, ...transaction }, lineId, given);
      // Another request that adds one now waits until this transaction ends.
      if (Number.isFinite(most) && (await transaction.store.destinations.countOf(lineId)) > most)
        throw tooManyDestinations(most);
      return added;
    },
  );
