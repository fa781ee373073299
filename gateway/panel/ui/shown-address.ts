import { isOfDestination } from '../../alerts/kinds';
import { addressWithoutPath } from '../../store/tables/audit';
import { type DestinationRow } from '../../store/tables/destinations';
import { type PanelDeps } from '../dependencies';
import { type RequestContext } from '../request-context';

/**
 * An address of a receiver, without its query, which may hold a password. Only who manages destinations sees its path:
 * whoever knows that of n8n or Slack can write there.
 */
export function shownAddress({ may }: Pick<RequestContext, 'may'>, address: string): string {
  const url = URL.parse(address);
  return url && may('destinations.manage') ? `${url.origin}${url.pathname}` : addressWithoutPath(address);
}

/** Enough of the URL to distinguish it, including the path. */
export function shortAddress(context: Pick<RequestContext, 'may'>, address: string): string {
  const text = shownAddress(context, address).replace(/^https?:\/\//, '');
  return text.length > 60 ? `${text.slice(0, 36)}…${text.slice(-20)}` : text;
}

/** An incident, a condition or a mute. */
interface About {
  kind: string | null;
  subject: string | null;
}

/** @returns null if it is not about a destination */
export const destinationIdOf = ({ kind, subject }: About): number | null =>
  kind !== null && subject !== null && isOfDestination(kind) ? Number(subject) : null;

/** The destinations that they are about, by their ids. */
export async function destinationsOf(
  { store }: Pick<PanelDeps, 'store'>,
  all: About[],
): Promise<Map<number, DestinationRow>> {
  const ids = new Set(all.map(destinationIdOf).filter((id) => id !== null));
  return new Map((await store.destinations.some([...ids])).map((row) => [row.id, row]));
}
