import { isOfDestination } from '../../alerts/kinds';
import { addressWithoutPath } from '../../store/tables/audit';
import { type DestinationRow } from '../../store/tables/destinations';
import { type PanelDeps } from '../dependencies';
import { type RequestContext } from '../request-context';

/**
 * A receiver's URL without its query, which may contain a password. The path is only shown to users who
 * manage destinations: anyone who knows the path of an n8n or Slack URL can post there.
 * @param lineId of the destination; null if unknown
 */
export function shownAddress(
  { may }: Pick<RequestContext, 'may'>,
  lineId: number | null,
  address: string,
): string {
  const url = URL.parse(address);
  return url && may('destinations.manage', lineId)
    ? `${url.origin}${url.pathname}`
    : addressWithoutPath(address);
}

/** Shortens a URL, keeping its beginning and end. */
export function shortAddress(
  context: Pick<RequestContext, 'may'>,
  lineId: number | null,
  address: string,
): string {
  const text = shownAddress(context, lineId, address).replace(/^https?:\/\//, '');
  return text.length > 60 ? `${text.slice(0, 36)}…${text.slice(-20)}` : text;
}

/** The subject of an incident, a condition or a mute. */
interface About {
  kind: string | null;
  subject: string | null;
}

/** @returns null if the subject is not a destination */
export const destinationIdOf = ({ kind, subject }: About): number | null =>
  kind !== null && subject !== null && isOfDestination(kind) ? Number(subject) : null;

/** The destinations of incidents, conditions or mutes, by id. */
export async function destinationsOf(
  { store }: Pick<PanelDeps, 'store'>,
  all: About[],
): Promise<Map<number, DestinationRow>> {
  const ids = new Set(all.map(destinationIdOf).filter((id) => id !== null));
  return new Map((await store.destinations.some([...ids])).map((row) => [row.id, row]));
}
