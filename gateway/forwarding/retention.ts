import { setTimeout as wait } from 'node:timers/promises';
import { type Store } from '../store/store';
import { eventIdBefore } from '../store/event-id';
import { DAY, isoTime, type Clock } from '../time';

/** How long events are stored, in milliseconds; null: forever. */
export interface EventsKept {
  /** Events without a body cannot be replayed. */
  bodies: number | null;
  /** The rows of events, deliveries and attempts. */
  events: number | null;
}

/** Events in the first transaction, and in the largest. */
const FIRST_BATCH = 50;
const MOST_IN_A_BATCH = 500;
/**
 * Milliseconds for which a transaction may delay other writes. After a longer one, the next batch is half the size.
 */
const LONGEST_BATCH = 20;

/** Each batch is followed by a pause of this many times its duration: SQLite allows one writer at a time. */
const REST = 2;

/**
 * Deletes events after their retention, in the background; a million take some minutes. Events with a pending
 * delivery stay, however old: they may wait for a paused destination.
 * @param goesOn asked before each batch
 */
export async function clearOldEvents(
  { store, clock, kept }: { store: Store; clock: Clock; kept: EventsKept },
  goesOn: () => boolean,
): Promise<void> {
  const { dropBefore, remove, emptyBodies } = store.events;
  for (const [upTo, clear, keptFor] of [
    [dropBefore, remove, kept.events],
    [async (before: string) => before, emptyBodies, kept.bodies],
  ] as const) {
    if (keptFor === null) continue;
    let batch = FIRST_BATCH;
    const before = await upTo(eventIdBefore(clock() - keptFor), goesOn);
    for (let after: string | null = ''; after !== null && goesOn();) {
      const began = performance.now();
      after = await clear(after, before, batch);
      const took = performance.now() - began;
      batch = took > LONGEST_BATCH ? Math.ceil(batch / 2) : Math.min(2 * batch, MOST_IN_A_BATCH);
      await wait(REST * took, null, { ref: false });
    }
  }
}

const DESTINATIONS_AT_ONCE = 500;
/** For this long after a removal, a process that has not heard of it may still record deliveries. */
const HEARD_OF = DAY;

/** Deletes removed destinations when no event refers to them any more. */
export async function clearRemovedDestinations(
  { store, clock }: { store: Store; clock: Clock },
  goesOn: () => boolean,
): Promise<void> {
  const before = isoTime(clock() - HEARD_OF);
  for (let after: number | null = 0; after !== null && goesOn();)
    after = await store.destinations.clearRemoved(after, before, DESTINATIONS_AT_ONCE);
}
