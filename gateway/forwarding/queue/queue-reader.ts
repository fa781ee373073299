import { type Store } from '../../store/store';
import {
  DUE_KINDS,
  type DueKind,
  type FirstQueued,
  type QueuePage,
  type QueuedDelivery,
} from '../../store/tables/queued';
import { isoTime, SECOND, type Clock } from '../../time';
import { type DestinationLeases } from '../destination-leases';
import { holdsContact, MOST_OF_CONTACT, type ContactOrder } from './contact-order';
import { HeldDeliveries, kindOf, type HeldDelivery, type Memory } from './held-deliveries';

/**
 * The most deliveries of each kind in memory that wait for their due time, without bodies. `holding` may block
 * contacts.
 */
const MOST_DUE: Record<DueKind, number> = { holding: 20_000, later: 200, replayed: 200 };
/** The smallest page: most of its rows may wait behind others of their contact, which takes no room. */
const LEAST_READ = 200;
/** The most contacts in one read. */
const MOST_CONTACTS_READ = 20;
/**
 * How long before their due time deliveries are read. This is longer than a failure blocks its contact, so that the
 * failure is known before the contact's next delivery is sent, even if it failed in another process.
 */
export const LOOK_AHEAD = 40 * SECOND;
/** Deliveries are read again when less than this is left of the time read ahead. */
const LOOK_AGAIN = 12 * SECOND;
/** The wait after a failed read, and after a delivery that could not be sent. */
const TRY_AGAIN = SECOND;

export interface ReaderDeps {
  store: Pick<Store, 'queued'>;
  processId: string;
  leases: Pick<DestinationLeases, 'isSure'>;
  /** The counts of all queues. */
  memory: Memory;
  clock: Clock;
  log: { error(fields: object, message: string): void };
}

/** What a reader needs from its queue. */
export interface Reads {
  /** Whether deliveries are sent, even if only as probes. */
  isActive(): boolean;
  /** Whether the breaker is open, so that a few deliveries are enough. */
  isProbed(): boolean;
  /** Whether the process has the lease, and every transaction older than the lease has ended. */
  isSettled(): boolean;
  /** Called when a read ends. */
  goOn(): void;
}

/** Untried deliveries that are not in memory: all, those from a sequence on, or those listed in `arrivals`. */
type Missing = 'everything' | number | 'arrivals';

/** The states, described at `QueueReader`. */
type Knowledge = { is: 'caughtUp' } | { is: 'settling' } | { is: 'behind'; missing: Missing } | Reading;

/** A read of the database. */
interface Reading {
  readonly is: 'reading';
  /** The deliveries to read after the current page; null: none. */
  missing: Missing | null;
  /**
   * The number of attempts of each delivery that left memory since the read began. A row with fewer attempts is
   * outdated.
   */
  readonly left: Map<string, number>;
  /** Deliveries offered since, by event id. They count as held but are not in the order yet. */
  readonly beside: Map<string, HeldDelivery>;
  /** Memory was cleared since, so the result of the read is dropped. */
  isStale: boolean;
}

const startOf = (missing: Missing | null): number => {
  if (missing === 'everything') return 0;
  return missing === 'arrivals' || missing === null ? Infinity : missing;
};

/**
 * Keeps the beginning of one destination's queue in memory, and reads more of it from the database.
 *
 * The states say which untried deliveries are in memory:
 * - `caughtUp`: all, except those that wait behind others of their contact (`ContactOrder`). Offered deliveries go into
 *   the order.
 * - `reading`: offered deliveries wait beside the read, and go into the order after it.
 * - `behind`: not all. Offered deliveries are dropped and read later, because older ones may be in the database. This is
 *   the state at first, when memory is full, when another process has recorded a delivery, and when the outcome of a
 *   write is unknown.
 * - `settling`: all that a read can find. Transactions older than the lease may still record more. Offered deliveries
 *   are dropped, and everything is read again when those transactions have ended.
 *
 * Every other state becomes `reading` when there is room and deliveries are missing; `reading` ends in one of the other
 * states. `caughtUp` and `settling` become `behind` when a delivery is missing.
 *
 * Deliveries that wait for their time are in memory if they are due before `#knownUntil`.
 */
export class QueueReader {
  readonly #destinationId: number;
  readonly #deps: ReaderDeps;
  readonly #order: ContactOrder;
  readonly #queue: Reads;
  readonly #held: HeldDeliveries;

  #memory: Knowledge = { is: 'behind', missing: 'everything' };
  /** The greatest sequence read. A delivery offered below it may already have been read and sent. */
  #readTo = 0;
  /** Memory has all deliveries of each kind that are due before this time (milliseconds). */
  readonly #knownUntil = { holding: 0, later: 0, replayed: 0 };
  /** Resolves when the last read has ended. */
  #read: Promise<void> = Promise.resolve();
  /** No read begins before this time (milliseconds), unless a scan requests one. */
  #readsFrom = 0;

  constructor(destinationId: number, deps: ReaderDeps, order: ContactOrder, queue: Reads) {
    this.#destinationId = destinationId;
    this.#deps = deps;
    this.#order = order;
    this.#queue = queue;
    this.#held = new HeldDeliveries(deps.memory);
  }

  /** Whether nothing is in memory, in flight or being read. */
  get isIdle(): boolean {
    return this.#held.isEmpty && this.#memory.is !== 'reading';
  }

  get readsFrom(): number {
    return this.#readsFrom;
  }

  /** Resolves when no read is running. */
  stopped(): Promise<void> {
    return this.#read;
  }

  /** Takes newly recorded deliveries. Those that do not fit are read later. */
  offer(deliveries: HeldDelivery[]): void {
    for (const delivery of deliveries) {
      if (this.#held.has(delivery.eventId)) continue;
      const memory = this.#memory;
      const fits = delivery.sequence > this.#readTo && this.#queue.isActive() && this.#room > 0;
      if (fits && memory.is === 'reading') {
        this.#held.add(delivery);
        memory.beside.set(delivery.eventId, delivery);
      } else if (fits && memory.is === 'caughtUp' && this.#knowsHolding(this.#deps.clock()))
        this.#take(delivery);
      // While older deliveries may still appear, the first missing sequence is unknown.
      else this.#miss(this.#queue.isSettled() ? delivery.sequence : 'everything');
    }
  }

  /** Called when another process has recorded a delivery. */
  arrived(): void {
    this.#miss('arrivals');
  }

  /** Forgets all waiting deliveries in memory, but not those in flight. */
  forget(): void {
    if (this.#memory.is === 'reading') {
      this.#memory.isStale = true;
      this.#memory.beside.forEach((delivery) => this.#held.remove(delivery));
      this.#memory.beside.clear();
    }
    this.#order.drop().forEach((delivery) => this.leave(delivery));
    this.#miss('everything');
    for (const kind of DUE_KINDS) this.#knownUntil[kind] = 0;
  }

  /**
   * Compares the result of a scan with memory.
   * @param first undefined if no delivery is waiting
   * @param soon the time up to which the scan looked for due deliveries
   */
  scanned(first: FirstQueued | undefined, soon: number): void {
    this.#readsFrom = 0;
    const isKnown = (id: string | null | undefined) => !id || this.#held.has(id);
    const isBehindOthers = first?.lane && this.#order.hasMore(first.lane);
    if (!isKnown(first?.untried) && !isBehindOthers) this.#miss('everything');
    for (const kind of DUE_KINDS) {
      if (!isKnown(first?.[kind])) this.#knownUntil[kind] = 0;
      // 0: a reason to read again came up after the scan began.
      else if (!first?.[kind] && this.#knownUntil[kind] > 0)
        this.#knownUntil[kind] = Math.max(this.#knownUntil[kind], soon);
    }
  }

  /** Removes a delivery from memory. @param attempts the number of attempts so far */
  leave(delivery: HeldDelivery, attempts = delivery.attempts): void {
    if (this.#held.remove(delivery) && this.#memory.is === 'reading')
      this.#memory.left.set(delivery.eventId, attempts);
  }

  /** Keeps a failed delivery in memory if it blocks its contact, or is due before the known time. */
  tryAgain(failed: HeldDelivery): void {
    const now = this.#deps.clock();
    const kind = kindOf(failed) as DueKind;
    const isKnown = failed.dueAt < this.#knownUntil[kind];
    if (holdsContact(failed, now) || (isKnown && this.#held.count(kind) < MOST_DUE[kind]))
      return this.#addTried(failed, now);
    this.#order.leave(failed);
    if (isKnown) this.#knownUntil[kind] = failed.dueAt;
  }

  /**
   * Returns a delivery to the database. @param isUnsent whether it was not sent: the next read then waits a second
   */
  putBack(delivery: HeldDelivery, isUnsent: boolean): void {
    if (isUnsent) this.#readsFrom = this.#deps.clock() + TRY_AGAIN;
    const kind = kindOf(delivery);
    if (kind !== 'untried') this.#knownUntil[kind] = 0;
    this.#order.putBack(delivery).forEach((one) => this.leave(one));
  }

  /** Whether a read is running, or would begin now. */
  mayFindMore(now: number): boolean {
    return this.#memory.is === 'reading' || this.#wantsToRead(now);
  }

  /** Begins a read if there is room and deliveries are missing. */
  readMore(now: number): void {
    if (this.#memory.is !== 'reading' && this.#wantsToRead(now)) this.#read = this.#readAll();
  }

  /** How many more deliveries with bodies fit in memory. */
  get #room(): number {
    return this.#held.room(this.#queue.isProbed());
  }

  /** The only place that changes the state in `#memory`. */
  #become(memory: Knowledge): void {
    this.#memory = memory;
  }

  /** Notes that deliveries are missing in memory. An earlier start includes a later one. */
  #miss(missing: Missing): void {
    const memory = this.#memory;
    if (memory.is !== 'reading' && memory.is !== 'behind') this.#become({ is: 'behind', missing });
    else if (memory.missing === null || startOf(missing) < startOf(memory.missing)) memory.missing = missing;
  }

  #take(delivery: HeldDelivery): void {
    if (this.#order.add(delivery)) this.#held.add(delivery);
  }

  #addTried(delivery: HeldDelivery, now: number): void {
    this.#held.add(delivery);
    this.#order.addTried(delivery, now).forEach((other) => this.leave(other));
  }

  /** Whether all failures that block contacts are known, which must precede reading untried deliveries. */
  #knowsHolding(now: number): boolean {
    return this.#knownUntil.holding > now;
  }

  #wantsToRead(now: number): boolean {
    if (!this.#queue.isActive() || !this.#deps.leases.isSure() || now < this.#readsFrom) return false;
    if (DUE_KINDS.some((kind) => this.#wantsDue(kind, now))) return true;
    const isMore = this.#memory.is === 'behind' || this.#order.hungry.size > 0;
    return isMore && this.#held.isLow(this.#queue.isProbed()) && this.#knowsHolding(now);
  }

  #wantsDue(kind: DueKind, now: number): boolean {
    return this.#knownUntil[kind] < now + LOOK_AGAIN && this.#held.count(kind) < MOST_DUE[kind] / 2;
  }

  async #readAll(): Promise<void> {
    const missing = this.#memory.is === 'behind' ? this.#memory.missing : null;
    const reading: Reading = {
      is: 'reading',
      missing,
      left: new Map(),
      beside: new Map(),
      isStale: false,
    };
    this.#become(reading);
    try {
      for (const kind of DUE_KINDS) await this.#readDue(reading, kind);
      // During a backlog, half of the room is left for contacts that had to wait.
      await this.#readUntried(reading, this.#order.hungry.size ? Math.floor(this.#room / 2) : 0);
      await this.#readContacts(reading);
    } catch (error) {
      this.#readsFrom = this.#deps.clock() + TRY_AGAIN;
      this.forget();
      this.#deps.log.error(
        { error, destination: this.#destinationId },
        'what waits for a destination was not read: tried again in a second',
      );
    }
    if (reading.missing !== null) this.#become({ is: 'behind', missing: reading.missing });
    else this.#become({ is: this.#queue.isSettled() ? 'caughtUp' : 'settling' });
    reading.beside.forEach((delivery) => this.#held.remove(delivery));
    this.offer([...reading.beside.values()]);
    this.#queue.goOn();
  }

  async #readDue(reading: Reading, kind: DueKind): Promise<void> {
    const now = this.#deps.clock();
    if (reading.isStale || !this.#wantsDue(kind, now)) return;
    const until = now + LOOK_AHEAD;
    this.#knownUntil[kind] = until;
    const limit = MOST_DUE[kind] + this.#held.count(kind);
    const page = await this.#deps.store.queued.due(kind, this.#destinationId, isoTime(until), limit);
    if (reading.isStale) return;
    for (const row of this.#unknown(reading, page)) this.#addTried(heldOf(row), now);
    const last = page.isLast ? until : Date.parse(page.rows.at(-1)?.due_at ?? '');
    this.#knownUntil[kind] = Math.min(this.#knownUntil[kind], last);
  }

  /** @param left the room to leave for others */
  #mayReadUntried(reading: Reading, left = 0): boolean {
    return !reading.isStale && this.#room > left && this.#knowsHolding(this.#deps.clock());
  }

  /** @param left the room to leave for others */
  async #readUntried(reading: Reading, left: number): Promise<void> {
    const { queued } = this.#deps.store;
    while (reading.missing !== null && this.#mayReadUntried(reading, left)) {
      const start = startOf(reading.missing);
      const limit = Math.max(this.#room - left, LEAST_READ);
      // Deliveries missed during the read set it again.
      reading.missing = null;
      const from = Number.isFinite(start) ? start : null;
      const page = await queued.untried(this.#destinationId, from, limit, this.#deps.processId);
      if (reading.isStale) return;
      const offered = [...reading.beside.values()].map(({ sequence }) => sequence);
      const missed = Math.min(startOf(reading.missing), ...offered);
      // Meanwhile a delivery was recorded that belongs before the page, perhaps for one of its contacts.
      if (page.rows.length && missed < page.from) {
        this.#miss(missed);
        continue;
      }
      const last = page.rows.at(-1)?.sequence ?? 0;
      this.#readTo = Math.max(last, this.#readTo);
      let next = page.isLast ? null : last + 1;
      for (const row of this.#unknown(reading, page)) {
        if (this.#room <= left) {
          next = row.sequence;
          break;
        }
        this.#take(heldOf(row));
      }
      if (next !== null) this.#miss(next);
    }
  }

  /** Reads more deliveries of contacts with few left in memory. */
  async #readContacts(reading: Reading): Promise<void> {
    for (const key of [...this.#order.hungry].slice(0, MOST_CONTACTS_READ)) {
      if (!this.#mayReadUntried(reading)) return;
      const limit = Math.min(this.#room, MOST_OF_CONTACT);
      const known = this.#order.idsOf(key);
      const page = await this.#deps.store.queued.ofContact(this.#destinationId, key, known, limit);
      if (reading.isStale) return;
      const found = this.#unknown(reading, page).map(heldOf);
      this.#readTo = Math.max(this.#readTo, ...found.map(({ sequence }) => sequence));
      this.#order.refill(key, found, page.isLast).forEach((one) => this.#held.add(one));
    }
  }

  /** The rows that are not in memory and did not leave it since the read began, plus the deliveries offered since. */
  #unknown({ left, beside }: Reading, { rows }: QueuePage): QueuedDelivery[] {
    return rows.filter(({ event_id: id, attempts }) => {
      const offered = beside.get(id);
      if (offered && beside.delete(id)) this.#held.remove(offered);
      return !this.#held.has(id) && attempts >= (left.get(id) ?? 0);
    });
  }
}

const heldOf = (row: QueuedDelivery): HeldDelivery => ({
  eventId: row.event_id,
  orderingKey: row.lane,
  sequence: row.sequence,
  attempts: row.attempts,
  attemptsBefore: row.attempts_before,
  dueAt: Date.parse(row.due_at),
  size: row.size,
  body: row.body,
  isAutomationPaused: row.automation === 'paused',
  failedAt: row.failed_at,
  lateAnswerTo: row.late_answer_to,
});
