import { SECOND } from '../../../time';
import { type PanelDeps } from '../../dependencies';

/** What is wrong now, as every page tells it in its side. */
export interface Trouble {
  /** Destinations that take nothing. */
  failing: number;
  /** Incidents that are open, whoever is told of them. */
  incidents: number;
  /** Deliveries that were given up, counted up to `MOST_COUNTED` and one more. */
  dead: number;
}

export const NO_TROUBLE: Trouble = { failing: 0, incidents: 0, dead: 0 };

/** However many pages are asked for, it is looked up this often. */
const FRESH_FOR = 5 * SECOND;

const seen = new WeakMap<PanelDeps['store'], { at: number; trouble: Promise<Trouble> }>();

/** After something was done about it, which the next page tells. */
export const forgetTrouble = ({ store }: Pick<PanelDeps, 'store'>): boolean => seen.delete(store);

/** Never fails: a page does not need it. */
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
