import { SECOND } from '../../../time';
import { type PanelDeps } from '../../dependencies';

/** Open problems, shown in the menu of every page. */
export interface Trouble {
  /** Destinations that aren't accepting events. */
  failing: number;
  /** Open incidents, whether or not a channel was notified. */
  incidents: number;
  /** Given up deliveries, counted up to `MOST_COUNTED` and one more. */
  dead: number;
}

export const NO_TROUBLE: Trouble = { failing: 0, incidents: 0, dead: 0 };

/** Problems are counted at most this often, however many pages are requested. */
const FRESH_FOR = 5 * SECOND;

type Seen = WeakMap<PanelDeps['store'], { at: number; trouble: Promise<Trouble> }>;

/** The counts of each reach, by gateway. */
const gateways = new WeakMap<PanelDeps['registry'], Seen>();

/** Forgets the counts after an action, so that the next pages show its effect. */
export const forgetTrouble = ({ registry }: Pick<PanelDeps, 'registry'>): boolean =>
  gateways.delete(registry);

/** Counts the problems that the reader may see. Never fails, because pages work without the counts. */
export function troubleOf({ store, registry }: Pick<PanelDeps, 'store' | 'registry'>): Promise<Trouble> {
  const seen: Seen = gateways.get(registry) ?? new WeakMap();
  gateways.set(registry, seen);
  const known = seen.get(store);
  const now = performance.now();
  if (known && now - known.at < FRESH_FOR) return known.trouble;
  const trouble = Promise.all([store.destinations.unhealthy(), store.alerts.open(), store.backlog.dead()])
    .then(([unhealthy, open, dead]) => ({
      failing: unhealthy.filter(({ paused_at: pausedAt }) => pausedAt === null).length,
      incidents: open.length,
      dead,
    }))
    .catch(() => NO_TROUBLE);
  seen.set(store, { at: now, trouble });
  return trouble;
}
