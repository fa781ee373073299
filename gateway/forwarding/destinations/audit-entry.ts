import { addressInAudit, type AuditEntry } from '../../store/tables/audit';

/** What an entry in the audit names of a destination. */
export interface NamedDestination {
  id: number;
  lineId: number;
  url: string;
}

/**
 * @param what the action, as in `destination.paused`
 * @param details never a secret: every user reads them; viewers see no path of a URL
 */
export const destinationEntry = (
  what: string,
  { id, lineId, url }: NamedDestination,
  details: Record<string, unknown> = {},
): AuditEntry => ({
  action: `destination.${what}`,
  lineId,
  details: { destination: id, url: addressInAudit(url), ...details },
});
