import { SECOND } from '../../../time';
import { type PanelDeps } from '../../dependencies';

/** Open problems, which every page shows in its menu. */
export interface Trouble {
  /** Destinations that take nothing. */
  failing: number;
  /** Open incidents, whether or not a channel was notified. */
  incidents: number;
  /** Deliveries that were given up, counted up to `MOST_COUNTED` and one more. */
  dead: number;
}

export const NO_TROUBLE: Trouble = { failing: 0, incidents: 0, dead: 0 };

/** It is counted this often, however many pages are requested. */
const FRESH_FOR = 5 * SECOND;

const seen = new WeakMap<PanelDeps['store'], { at: number; trouble: Promise<Trouble> }>();

/** Forgets the count after an action, so that the next page shows its effect. */
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
