import { destinationOf, isOfQuestions, type Destination } from '../../forwarding/destination';
import { type LineRow } from '../../store/tables/lines';
import { pageNotFound } from '../ui/frame/error-page';
import { type UserContext } from '../request-context';
import { shownAddress } from '../ui/shown-address';
import { lineOfRoute } from '../ui/frame/line-head';

/**
 * The line and the destination in the address. Hidden destinations for answers to questions are not found.
 */
export async function destinationAt(
  context: UserContext,
): Promise<{ line: LineRow; destination: Destination }> {
  const { deps, params } = context;
  const line = await lineOfRoute(context);
  const id = /^\d{1,9}$/.test(params.destination ?? '') ? Number(params.destination) : 0;
  const row = await deps.store.destinations.find(id);
  if (!row || row.line_id !== line.id || row.removed_at !== null || isOfQuestions(row)) throw pageNotFound();
  return { line, destination: destinationOf(row, deps.vault) };
}

export const backTo = (line: LineRow) => ({ href: `/panel/lines/${line.id}`, label: line.name });

/** The host and path, which tell the destinations of a line apart. */
export const nameOf = (context: UserContext, { lineId, url }: Destination): string =>
  shownAddress(context, lineId, url).replace(/^https?:\/\//, '');
