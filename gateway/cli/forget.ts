import { type Store } from '../store/database';
import { type Whose } from '../store/traces';
import { isoTime } from '../time';
import { type Offline } from './offline';

/** Events of one transaction: it holds up the writes beside it for milliseconds only. */
const A_BATCH = 200;
/** Bodies that are looked through at once. */
const A_LOOK = 500;

/** What was removed, as it is told and as the audit keeps it. */
export interface Forgotten {
  messages: number;
  /** Emptied, with what is told of their deliveries. */
  events: number;
  deliveries_canceled: number;
  windows: number;
  aliases: number;
  idempotency_answers: number;
}

/** Takes away what the database tells of somebody, but for what is left of it in the files (`store.scrub`). */
export async function emptyEventsOf(
  { store, clock }: Offline,
  whose: Whose,
): Promise<Pick<Forgotten, 'events' | 'deliveries_canceled'>> {
  const done = { events: 0, deliveries_canceled: 0 };
  for (let after: string | null = ''; after !== null;) {
    const page = await store.traces.emptyEvents(whose, after, isoTime(clock()), A_BATCH);
    done.events += page.events;
    done.deliveries_canceled += page.canceled;
    after = page.last;
  }
  return done;
}

/** @returns how many bodies were emptied, and how many are still to be delivered to somebody */
export async function emptyMentionsOf(
  { store }: Offline,
  identities: string[],
): Promise<{ mentions: number; still_owed: number }> {
  const done = { mentions: 0, still_owed: 0 };
  for (let after: string | null = ''; after !== null;) {
    const page = await store.traces.emptyMentions(identities, after, A_LOOK);
    done.mentions += page.emptied;
    done.still_owed += page.owed;
    after = page.last;
  }
  return done;
}

/**
 * Leaves nothing in the files of what was there before.
 * @param what was removed, for the sentence
 * @returns what is said at the end of the command
 */
export async function scrubbed(
  store: Pick<Store, 'dialect' | 'scrub'>,
  what = 'what was removed',
): Promise<string> {
  if (store.dialect === 'postgres')
    return `PostgreSQL keeps ${what} in its files until it needs their room: VACUUM FULL writes the tables anew. Its write-ahead log and archives keep it too.`;
  return (await store.scrub('file'))
    ? `Nothing of ${what} is left in the files of the database.`
    : `The write-ahead log beside the database still holds ${what}, because the gateway was busy. Run this again, or start the gateway again.`;
}
