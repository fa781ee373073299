import { type Store } from '../store/store';
import { MOST_WAITING } from './conditions/condition';

/** Conditions with waiting deliveries, whose subject is the destination. */
const OF_DESTINATIONS = ['destination_failing', 'destination_paused'];
/** Destinations per query. */
const AT_ONCE = 50;
/** The count stops here. */
const MOST = 50_000;

interface OfDestination {
  kind: string;
  subject: string;
}

/** Counts waiting deliveries by destination id, up to the shown limit. Other conditions are ignored. */
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

/** Deliveries that wait because of the condition; null if unknown. */
export const waitingOf = (
  waiting: ReadonlyMap<string, number>,
  { kind, subject }: OfDestination,
): number | null => (OF_DESTINATIONS.includes(kind) ? waiting.get(subject) : null) ?? null;
