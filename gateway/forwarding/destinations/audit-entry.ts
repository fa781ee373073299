import { addressInAudit, type AuditEntry } from '../../store/tables/audit';

/** The fields of a destination that an audit entry names. */
export interface NamedDestination {
  id: number;
  lineId: number;
  url: string;
}

/**
 * @param what the action, such as `destination.paused`
 * @param details never a secret: every user can read them; viewers do not see paths of URLs
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
