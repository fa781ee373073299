import { overlapHours } from '../../primitives/overlap';
import { type Actor } from '../../store/tables/audit';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { HOUR } from '../../time';
import { destinationEntry, type NamedDestination } from './audit-entry';
import { replaceSecret } from './destination-rows';

/**
 * Replaces a destination's secret. The previous secret also signs for a while.
 * @param given the new secret; generated if omitted
 * @param overlap hours for which the previous secret also signs; 0 after a leak
 * @returns the new secret, which is shown only once, and the hours
 * @throws Refusal
 */
export async function rotateSecret(
  deps: AuditedDeps,
  actor: Actor,
  destination: NamedDestination,
  given: string | null = null,
  overlap?: number | string,
): Promise<{ secret: string; hours: number }> {
  const hours = overlapHours(overlap);
  const secret = await audited(
    deps,
    actor,
    destinationEntry('secret_rotated', destination, { overlap_hours: hours }),
    (transaction) => replaceSecret({ ...deps, ...transaction }, destination.id, given, hours * HOUR),
  );
  return { secret, hours };
}
