import { tooManyDestinations } from '../../errors';
import { type DestinationRules } from '../../http/destination-address';
import { type Actor } from '../../store/tables/audit';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { type Destination } from '../destination';
import { destinationEntry } from './audit-entry';
import { insertDestination, type NewDestination } from './destination-rows';

/**
 * Adds a destination to a line. It receives the events that arrive from then on.
 * @param most how many destinations the line may have, including the new one
 * @throws Refusal if the URL is not allowed, a header cannot be sent, or the line has too many destinations
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
      // Counted after the insert, so that concurrent requests wait for this transaction.
      if (Number.isFinite(most) && (await transaction.store.destinations.countOf(lineId)) > most)
        throw tooManyDestinations(most);
      return added;
    },
  );
