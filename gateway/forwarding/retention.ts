import { type Store } from '../store/database';
import { eventIdBefore } from '../store/event-id';
import { DAY, type Clock } from '../time';

/** How long the bodies of events are kept, after which they cannot be replayed. */
export const BODIES_KEPT = 30 * DAY;
/** How long it is kept that there were events, deliveries and attempts. */
export const RECORDS_KEPT = 90 * DAY;

/** Events of one transaction: it holds up the writes beside it for milliseconds only. */
const A_BATCH = 200;

/**
 * Clears away what has been kept for long enough. What is still owed to someone is kept, however old it is: it waits
 * for a destination that is paused.
 */
export function retention({ store, clock }: { store: Store; clock: Clock }) {
  /** The last event whose body was looked at: those before it need not be looked at again. */
  let emptied = '';

  return {
    /** @param goesOn asked before each batch */
    async clear(goesOn: () => boolean): Promise<void> {
      while (goesOn()) {
        if (!(await store.events.remove(eventIdBefore(clock() - RECORDS_KEPT), A_BATCH))) break;
      }
      while (goesOn()) {
        const last = await store.events.emptyBodies(emptied, eventIdBefore(clock() - BODIES_KEPT), A_BATCH);
        if (last === null) return;
        emptied = last;
      }
    },
  };
}
