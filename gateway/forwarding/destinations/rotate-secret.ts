import { type Actor } from '../../store/tables/audit';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { HOUR } from '../../time';
import { destinationEntry, type NamedDestination } from './audit-entry';
import { replaceSecret, SECRET_OVERLAP } from './destination-rows';

/**
 * Gives a destination another secret, while the one before goes on signing for a while.
 * @param given one is made where none is given
 * @param hours for which the one before signs as well; 0 after a theft
 * @returns the new secret, which is told here and never again
 */
export const rotateSecret = (
  deps: AuditedDeps,
  actor: Actor,
  destination: NamedDestination,
  given: string | null = null,
  hours: number = SECRET_OVERLAP / HOUR,
): Promise<string> =>
  audited(
    deps,
    actor,
    destinationEntry('secret_rotated', destination, { overlap_hours: hours }),
    (transaction) => replaceSecret({ ...deps, ...transaction }, destination.id, given, hours * HOUR),
  );
