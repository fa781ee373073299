import { type DestinationRules } from '../../http/destination-address';
import { addressInAudit, type Actor } from '../../store/tables/audit';
import { audited, changesIn, type AuditedDeps } from '../../store/with-audit';
import { type Destination } from '../destination';
import { destinationEntry } from './audit-entry';
import { setForwardingUrl } from './destination-rows';

/**
 * Sets a line's forwarding URL. @param current the line's forwarding destination before the change @throws Refusal if
 * the URL is not allowed
 */
export const changeForwardingUrl = (
  deps: AuditedDeps & { rules: DestinationRules },
  actor: Actor,
  lineId: number,
  current: Destination | null,
  url: string,
): Promise<Destination> =>
  audited<Destination>(
    deps,
    actor,
    (set) =>
      destinationEntry(current ? 'edited' : 'added', set, {
        forwarding: true,
        ...(current && {
          changes: changesIn({ url: [addressInAudit(current.url), addressInAudit(set.url)] }),
        }),
      }),
    (transaction) => setForwardingUrl({ ...deps, ...transaction }, lineId, current, { url, secret: null }),
  );
