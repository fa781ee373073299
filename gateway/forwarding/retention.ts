import { setTimeout as wait } from 'node:timers/promises';
import { type Store } from '../store/store';
import { eventIdBefore } from '../store/event-id';
import { DAY, isoTime, type Clock } from '../time';

/** How long events are kept, in milliseconds; null: for ever. */
export interface EventsKept {
  /** Their bodies, without which they cannot be replayed. */
  bodies: number | null;
  /** That there were events, deliveries and attempts. */
  events: number | null;
}

/** Events of the first transaction, and of the largest. */
const FIRST_BATCH = 50;
const MOST_IN_A_BATCH = 500;
/** Milliseconds for which one may hold up the writes beside it: where it takes longer, the next is of half as many. */
const LONGEST_BATCH = 20;

/** As long as a batch took, times this, the database belongs to all others: on SQLite only one can write at a time. */
const REST = 2;

/**
 * Clears away what has been kept for long enough. What is still owed to someone is kept, however old it is: it waits
 * for a destination that is paused. It takes its time: a million events take some minutes, for which nobody waits.
 * @param goesOn asked before each batch
 */
export async function clearOldEvents(
  { store, clock, kept }: { store: Store; clock: Clock; kept: EventsKept },
  goesOn: () => boolean,
): Promise<void> {
  const { remove, emptyBodies } = store.events;
  for (const [clear, keptFor] of [
    [remove, kept.events],
    [emptyBodies, kept.bodies],
  ] as const) {
    if (keptFor === null) continue;
    let batch = FIRST_BATCH;
    for (let after: string | null = ''; after !== null && goesOn();) {
      const began = performance.now();
      after = await clear(after, eventIdBefore(clock() - keptFor), batch);
      const took = performance.now() - began;
      batch = took > LONGEST_BATCH ? Math.ceil(batch / 2) : Math.min(2 * batch, MOST_IN_A_BATCH);
      await wait(REST * took, null, { ref: false });
    }
  }
}

const DESTINATIONS_AT_ONCE = 500;
/** Until then a process that has not heard of the removal may still write down that something is owed there. */
const HEARD_OF = DAY;

/** Removes what is kept of removed destinations, once nothing tells of them any more. */
export async function clearRemovedDestinations(
  { store, clock }: { store: Store; clock: Clock },
  goesOn: () => boolean,
): Promise<void> {
  const before = isoTime(clock() - HEARD_OF);
  for (let after: number | null = 0; after !== null && goesOn();)
    after = await store.destinations.clearRemoved(after, before, DESTINATIONS_AT_ONCE);
}
