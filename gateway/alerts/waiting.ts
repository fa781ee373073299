import { type Store } from '../store/store';
import { MOST_WAITING } from './conditions/condition';

/** Conditions of which deliveries wait; their subject is the destination. */
const OF_DESTINATIONS = ['destination_failing', 'destination_paused'];
/** So many destinations are counted by one query. */
const AT_ONCE = 50;
/** Once so many wait, the rest is not counted. */
const MOST = 50_000;

interface OfDestination {
  kind: string;
  subject: string;
}

/**
 * How many deliveries wait because of each, by the id of the destination: counted where it is told or shown, and no
 * further than it says more. The others are not in it.
 */
export async function waitingFor(
  backlog: Store['backlog'],
  incidents: readonly OfDestination[],
): Promise<Map<string, number>> {
  const own = incidents.filter(({ kind }) => OF_DESTINATIONS.includes(kind));
  const ids = [...new Set(own.map(({ subject }) => Number(subject)))];
  const waiting = new Map<string, number>();
  let sum = 0;
  for (let from = 0; from < ids.length && sum < MOST; from += AT_ONCE)
    for (const [id, { count }] of await backlog.of(ids.slice(from, from + AT_ONCE), MOST_WAITING)) {
      waiting.set(String(id), Math.min(count, MOST_WAITING));
      sum += count;
    }
  return waiting;
}

/** How many wait because of it; null where that is not known. */
export const waitingOf = (
  waiting: ReadonlyMap<string, number>,
  { kind, subject }: OfDestination,
): number | null => (OF_DESTINATIONS.includes(kind) ? waiting.get(subject) : null) ?? null;
