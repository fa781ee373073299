import { oneNotificationOf } from '../cloud-api/gathered-messages';
import { type Store } from '../store/store';
import { type GatheringRow, type Waiting } from '../store/tables/gathering';
import { type NewEvent } from '../store/commit/writes';
import { isoTime, MINUTE, SECOND, type Clock } from '../time';
import { type Destination } from './destination';
import { type DestinationRegistry } from './destination-registry';
import { type Dispatcher } from './dispatcher';

/** The time between checks for contacts that have paused. */
const LOOK = SECOND / 4;
/** The same while no destination in this process groups messages: another process may have left some. */
const LOOK_SELDOM = 10 * SECOND;

/** If a contact keeps writing, its messages wait at most this many times the pause. */
const LONGEST = 5;
/** If the clock is this far behind a message's time, the clock was set back. */
const SET_BACK = MINUTE;
/** The most messages in one event. */
const MOST_MESSAGES = 100;

interface GathererDeps {
  store: Store;
  destinations: DestinationRegistry;
  dispatcher: Pick<Dispatcher, 'processId' | 'settle' | 'offer' | 'lookAgain'>;
  eventId: () => string;
  /** Whether automations of the line are paused for a contact. */
  isAutomationPaused(lineId: number, contact: string): Promise<boolean>;
  clock: Clock;
  log: { error(fields: object, message: string): void };
}

/** Whether the wait for a contact is over. */
function hasPaused({ first, latest, count }: Waiting, { quietSeconds }: Destination, now: number): boolean {
  const quiet = (quietSeconds ?? 0) * SECOND;
  const [since, sinceFirst] = [now - Date.parse(latest), now - Date.parse(first)];
  return since >= quiet || sinceFirst >= LONGEST * quiet || since < -SET_BACK || count >= MOST_MESSAGES;
}

/** Checks whether destinations are removed, with at most one query per destination. */
function removals(store: Store): (destinationId: number) => Promise<boolean> {
  const asked = new Map<number, Promise<boolean>>();
  const isRemoved = async (id: number): Promise<boolean> => {
    const [row] = await store.destinations.some([id]);
    return !row || row.removed_at !== null;
  };
  return (id) => {
    const answer = asked.get(id) ?? isRemoved(id);
    asked.set(id, answer);
    return answer;
  };
}

/**
 * Sends the messages of a contact as one event after the contact has been silent for the destination's
 * `quietSeconds`. Messages wait in the database (`store/tables/gathering.ts`), where they are stored before the
 * platform gets its response. A group takes the id of its event, so that a group sent again after a crash is recorded
 * once. Every process may run this: each message belongs to one group only.
 */
export function gatherer(deps: GathererDeps) {
  const { store, destinations, dispatcher, eventId, clock, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let looking = Promise.resolve();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  async function look(): Promise<void> {
    const now = clock();
    const isGone = removals(store);
    for (const waiting of await store.gathering.waiting()) {
      const destination = destinations.byId(waiting.destination_id);
      const isOver = destination
        ? hasPaused(waiting, destination, now)
        : await isGone(waiting.destination_id);
      if (isOver) await store.gathering.close(waiting, eventId(), MOST_MESSAGES);
    }
    /** Contacts whose groups wait behind a failed group. */
    const held = new Set<string>();
    /** Destinations that this process does not know (yet). Their groups are left to other processes. */
    const unknown = new Set<number>();
    let failure: unknown;
    for (let last: number | null = 0; last !== null;) {
      const rows: GatheringRow[] = await store.gathering.closed(last, [...unknown]);
      const groups = Map.groupBy(rows, ({ group_id: id }) => id ?? '');
      last = null;
      for (const [id, members] of groups) {
        if (isStopped) return;
        const { destination_id: of = 0, contact = '', place = 0 } = members[0] ?? {};
        last = place;
        const whose = `${of} ${contact}`;
        if (!destinations.byId(of) && !(await isGone(of))) unknown.add(of);
        if (unknown.has(of) || held.has(whose)) continue;
        try {
          await send(id, members);
          await store.gathering.done(id, isoTime(clock()));
        } catch (error) {
          held.add(whose);
          failure = error;
        }
      }
    }
    if (failure !== undefined) throw failure;
  }

  async function send(id: string, members: GatheringRow[]): Promise<void> {
    const [first] = members;
    const destination = first && destinations.byId(first.destination_id);
    const bodies = members.map(({ body }) => body).filter((body) => body !== '');
    if (!destination || !bodies.length) return;
    const at = isoTime(clock());
    const isPaused = await deps.isAutomationPaused(destination.lineId, first.contact);
    const event: NewEvent = {
      ...oneNotificationOf(bodies),
      id,
      line_id: destination.lineId,
      subject: 'notification',
      kind: 'gathered',
      identity: `gathered:${id}`,
      contact: first.contact,
      wamid: null,
      received_at: at,
      automation: isPaused ? 'paused' : null,
      deliveries: [{ destination_id: destination.id, lane: first.contact, due_at: at }],
    };
    await dispatcher.settle([destination.id]);
    const recorded = await store
      .write({
        kind: 'notification',
        events: [event],
        messages: [],
        windows: [],
        recorder: dispatcher.processId,
      })
      .catch((error: unknown) => {
        // The transaction may have been committed although it reported an error.
        dispatcher.lookAgain([destination.id]);
        throw error;
      });
    dispatcher.offer([event], recorded);
  }

  return {
    start(): void {
      let isLooking = false;
      timer = setInterval(() => {
        const now = performance.now();
        if (isLooking || (!destinations.someWait() && now - lookedAt < LOOK_SELDOM)) return;
        [isLooking, lookedAt] = [true, now];
        looking = look()
          .catch((error: unknown) =>
            log.error({ error }, 'what waits for contacts to pause was not sent: tried again at once'),
          )
          .finally(() => {
            isLooking = false;
          });
      }, LOOK).unref();
    },

    /** Stops the checks. Waiting messages remain in the database. */
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      await looking;
    },
  };
}
