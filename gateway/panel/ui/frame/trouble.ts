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

const seen = new WeakMap<PanelDeps['store'], { at: number; trouble: Promise<Trouble> }>();

/** Forgets the count after an action, so that the next page shows its effect. */
export const forgetTrouble = ({ store }: Pick<PanelDeps, 'store'>): boolean => seen.delete(store);

/** Counts the problems. Never fails, because pages work without the counts. */
export function troubleOf({ store }: Pick<PanelDeps, 'store'>): Promise<Trouble> {
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
