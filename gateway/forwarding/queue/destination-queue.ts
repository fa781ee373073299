import { type Store } from '../../store/store';
import {
  DUE_KINDS,
  type DueKind,
  type FirstQueued,
  type Page,
  type QueuedDelivery,
} from '../../store/tables/queued';
import { isoTime, SECOND, type Clock } from '../../time';
import { ContactOrder, holdsContact, MOST_OF_CONTACT } from './contact-order';
import { type Failures } from '../../store/reports/failing-since';
import { type Outcome } from '../deliver';
import { type Destination } from '../destination';
import { type DestinationLeases, type Lease } from '../destination-leases';
import { type DestinationRegistry } from '../destination-registry';
import { failureOf } from '../failures';
import { DestinationHealth, NOTHING_NEW, WORKS, type Fares, type Note, type Verdict } from './health';
import { HeldDeliveries, kindOf, type HeldDelivery, type Memory } from './held-deliveries';
import { type Sender } from './in-flight';
import { type Turn } from './turn';

/** So many of each kind of what waits for its time are in memory, without a body: the first may hold contacts back. */
const MOST_DUE: Record<DueKind, number> = { holding: 20_000, later: 200, replayed: 200 };
/** A page holds no fewer: what waits behind others of its contact takes no room, and may be most of it. */
const LEAST_READ = 200;
/** Contacts of which more is read in one go. */
const MOST_CONTACTS_READ = 20;
/** Answered attempts that are not recorded yet: after a crash they are made again. */
const MOST_UNRECORDED = 64;
/**
 * What waits for its time is read this long before. It is longer than it may hold its contact back, so that nothing of
 * its contact goes out before it, also in another process than the one in which it failed.
 */
export const LOOK_AHEAD = 40 * SECOND;
/** So long before the end of that it is read again. */
const LOOK_AGAIN = 12 * SECOND;
/** After a read that failed, and after a delivery could not be sent after all. */
const TRY_AGAIN = SECOND;

export interface QueueDeps {
  store: Store;
  destinations: Pick<DestinationRegistry, 'byId'>;
  processId: string;
  leases: DestinationLeases;
  /** What all queues hold. */
  memory: Memory;
  /** The queues that have something to send. */
  turn: Turn<DestinationQueue>;
  clock: Clock;
  log: { error(fields: object, message: string): void };
}

/** One read of the database. */
interface Reading {
  /** What has left memory since it began, and after how many attempts: what is read of it may be older. */
  readonly left: Map<string, number>;
  /** What was offered since: in memory, and not in the order yet. */
  readonly beside: Map<string, HeldDelivery>;
  /** Memory was forgotten since it began: what it brings is not taken any more. */
  isStale: boolean;
}

/**
 * What waits for one destination: its beginning in memory, all of it in the database.
 *
 * May it send?
 * - `idle`: another process has the lease, or nobody.
 * - `paused`: a person, or the destination's own answer, wants it so.
 * - `open`: everything fails (`CircuitBreaker`). From time to time one delivery goes out as a probe; few are in memory.
 * - `sending`: all else.
 * When one of the first two begins or ends, and when the breaker opens, all that waits in memory is forgotten.
 *
 * What is in memory?
 * - `caughtUp`: what was never tried (but for what waits behind others of its contact, `ContactOrder`), and what holds
 *   contacts back. Fresh deliveries are taken as they are offered.
 * - `reading`: fresh ones wait beside what is being read, and go behind it.
 * - `behind`: something in the database may be older than what is offered, which is forgotten: it is read later. So it is
 *   at first, when memory is full, when another process has recorded something, while something may still come of
 *   transactions that are older than the lease, and when it is not known what came of a write.
 * What waits for its time is in memory as far as it is due before `#knownUntil`, which is as far as there is room.
 *
 * What it has sent stays known until it is recorded, whatever becomes of the lease meanwhile, so that it is not sent twice.
 */
export class DestinationQueue {
  readonly #deps: QueueDeps;
  readonly #order = new ContactOrder();
  readonly #held: HeldDeliveries;
  /** What is on its way, with what was known of the destination when it was sent: its answer is judged by that alone. */
  readonly #inFlight = new Map<HeldDelivery, DestinationHealth>();
  #unrecorded = 0;

  #destination: Destination | null = null;
  #host = '';
  #lease: Lease | null = null;
  #health = new DestinationHealth();
  #isStopped = false;
  /** Resolves once what was to be kept of how it fares is. */
  #kept: Promise<void> = Promise.resolve();

  /** From this sequence on something may not be known here; infinite: from where others tell of in the database; null: nothing. */
  #behindFrom: number | null = 0;
  /** The greatest sequence that was read: what is offered below it may have been read, and sent, before. */
  #readTo = 0;
  /** Of each kind all is in memory that is due before this time. */
  readonly #knownUntil = { holding: 0, later: 0, replayed: 0 };
  #reading: Reading | null = null;
  /** Resolves once that has ended. */
  #read: Promise<void> = Promise.resolve();
  /** Nothing is read before this time, or before a scan. */
  #readsFrom = 0;
  /** By which time what is due was looked for by the last scan. */
  #scannedUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly destinationId: number,
    deps: QueueDeps,
  ) {
    this.#deps = deps;
    this.#held = new HeldDeliveries(deps.memory);
  }

  get state(): 'idle' | 'paused' | 'open' | 'sending' {
    if (!this.#lease || !this.#destination || this.#isStopped) return 'idle';
    if (this.#destination.pausedAt !== null) return 'paused';
    return this.#health.breaker.probesAt === null ? 'sending' : 'open';
  }

  get memory(): 'caughtUp' | 'reading' | 'behind' {
    if (this.#reading) return 'reading';
    const isRead = this.#behindFrom === null && this.#lease?.settling === null;
    return isRead && this.#knownUntil.holding > this.#deps.clock() ? 'caughtUp' : 'behind';
  }

  /** How many of its deliveries are on their way. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Whether nothing would be lost by forgetting it. */
  get isIdle(): boolean {
    return this.#held.isEmpty && !this.#reading && this.#health.breaker.probesAt === null;
  }

  /** Learns how its destination is set and who may send to it, before anything else is asked of it. */
  follow(): Destination | null {
    const before = this.#destination;
    const destination = this.#deps.destinations.byId(this.destinationId);
    const lease = this.#deps.leases.of(this.destinationId);
    this.#destination = destination;
    const isMoved = destination?.url !== before?.url;
    if (isMoved) this.#host = destination ? new URL(destination.url).host : '';
    // Who is paused, gets another address, or another process that sends to it, begins anew.
    if (lease !== this.#lease || isMoved || destination?.pausedAt !== before?.pausedAt) {
      void lease?.settling?.then(() => this.lookAgain());
      // The process that sent to it before may know better than the registry since when it fails.
      const kept = lease !== this.#lease ? lease?.health.get(this.destinationId) : undefined;
      this.#health = new DestinationHealth(kept ?? faresOf(destination), destination?.tryNowAt);
      // A failure from before the pause may be kept only after somebody has ended it.
      if (before?.pausedAt) this.#health.notKept();
      this.#lease = lease;
      this.#forget();
    } else if (destination && destination.tryNowAt !== before?.tryNowAt) {
      // Somebody has asked for what waits to be tried at once. What a test has found out is known to the database alone.
      if (destination.failingSince === null) {
        this.#health = new DestinationHealth(WORKS, destination.tryNowAt);
        this.#health.notKept();
      } else this.#health.asked(this.#deps.clock());
      this.lookAgain();
    }
    return destination;
  }

  /** What was just recorded. @param isBehind whether the owner has not read yet what other processes recorded before */
  offer(deliveries: HeldDelivery[], isBehind: boolean): void {
    if (isBehind) this.#behindFrom ??= Infinity;
    for (const delivery of deliveries) {
      if (this.#held.has(delivery.eventId)) continue;
      const { memory } = this;
      const isBeyond = delivery.sequence <= this.#readTo || !this.#isActive || this.#room === 0;
      if (memory === 'behind' || isBeyond) this.#isBehind(delivery.sequence);
      else if (memory === 'reading') {
        this.#held.add(delivery);
        this.#reading?.beside.set(delivery.eventId, delivery);
      } else this.#take(delivery);
    }
    this.#goOn();
  }

  /** Another process has recorded something for it. */
  arrived(): void {
    this.#behindFrom ??= Infinity;
    this.#goOn();
  }

  /** What waits in the database has been changed, such as when it is due, or nobody knows what it is. */
  lookAgain(): void {
    this.#forget();
    this.#goOn();
  }

  /**
   * What a scan has found that comes first; undefined where nothing waits.
   * @param soon by when what waits for its time was looked for
   */
  scanned(first: FirstQueued | undefined, soon: number): void {
    this.#readsFrom = 0;
    // The clock was set back: all that waits in memory for its time would wait for as much longer.
    if (soon < this.#scannedUntil - SECOND) {
      this.#health.breaker.probeNow(this.#deps.clock());
      this.#forget();
    }
    this.#scannedUntil = soon;
    const isKnown = (id: string | null | undefined) => !id || this.#held.has(id);
    const isBehindOthers = first?.lane && this.#order.hasMore(first.lane);
    if (!isKnown(first?.untried) && !isBehindOthers) this.#behindFrom = 0;
    for (const kind of DUE_KINDS) {
      if (!isKnown(first?.[kind])) this.#knownUntil[kind] = 0;
      // Where it is to be read again, that was found out after the scan began.
      else if (!first?.[kind] && this.#knownUntil[kind] > 0)
        this.#knownUntil[kind] = Math.max(this.#knownUntil[kind], soon);
    }
    this.#goOn();
  }

  /** Who asks for a place for what comes next; null where nothing may be sent now. */
  sender(): Sender | null {
    const destination = this.follow();
    const now = this.#deps.clock();
    const next = this.#order.first(this.state === 'open');
    if (!destination || !this.#isActive || !next || this.#unrecorded >= MOST_UNRECORDED) return null;
    // A probe is chosen among all that there is.
    if (this.state === 'open' && (this.#reading || this.#wantsToRead(now))) return null;
    const [inFlight, { isQuick }] = [this.#inFlight.size, this.#health];
    if (inFlight >= this.#health.limit(now)) return null;
    return { lineId: destination.lineId, host: this.#host, inFlight, isQuick, size: next.size };
  }

  /** The delivery that goes out now. */
  next(): HeldDelivery | null {
    const next = this.#order.next(this.state === 'open');
    if (next) this.#inFlight.set(next, this.#health);
    return next;
  }

  /**
   * An attempt was answered: its place is free, and its contact waits until it is recorded. Where the destination has begun
   * anew since it was sent, it tells nothing of it.
   */
  answered(delivery: HeldDelivery, outcome: Outcome): Verdict {
    this.follow();
    const verdict =
      this.#inFlight.get(delivery) === this.#health
        ? this.#health.judge(delivery.eventId, outcome, this.#inFlight.size, this.#deps.clock())
        : NOTHING_NEW;
    this.#inFlight.delete(delivery);
    this.#unrecorded++;
    if (verdict.opened) this.#forget();
    if (this.#order.first()) this.#deps.turn.add(this);
    return verdict;
  }

  /** Learns from the attempts that are recorded since when it fails, which it may have forgotten, and keeps that. */
  async remember({ since, outcome, http_status: httpStatus }: Failures): Promise<void> {
    const destination = this.follow();
    const reason = failureOf({ outcome, httpStatus });
    const note = this.#isActive ? this.#health.remember(Date.parse(since), reason, this.#deps.clock()) : null;
    if (note && destination) await this.keep(note, destination.url);
  }

  /** Keeps how it fares, one note after the other, so that the last one stays. @param at the address of which it tells */
  keep(note: Note, at: string): Promise<void> {
    const kept = this.#kept.then(() => this.#deps.store.destinations.note(this.destinationId, note, at));
    this.#kept = kept.catch(() => this.#health.notKept());
    return kept;
  }

  /**
   * An attempt was recorded.
   * @param againAt when it is tried again; null where it is over
   * @param moved whether the delivery was as this process knew it
   */
  recorded(delivery: HeldDelivery, attempts: number, againAt: number | null, moved: boolean): void {
    this.#unrecorded--;
    this.#leave(delivery, attempts);
    if (!moved) this.#forget();
    if (!moved || againAt === null || !this.#isActive) this.#order.leave(delivery);
    else this.#tryAgain(Object.assign(delivery, { attempts, dueAt: againAt, body: null }));
    this.#goOn();
  }

  /** A delivery stays as it is in the database: it was a probe that failed, which is no attempt, or was not sent after all. */
  returned(delivery: HeldDelivery): void {
    if (this.#inFlight.delete(delivery)) this.#readsFrom = this.#deps.clock() + TRY_AGAIN;
    else this.#unrecorded--;
    const kind = kindOf(delivery);
    if (kind !== 'untried') this.#knownUntil[kind] = 0;
    // The next probe is of another contact, as far as there is one.
    this.#order.putBack(delivery).forEach((one) => this.#leave(one));
    this.#goOn();
  }

  /** Resolves once nothing is being read. */
  stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    return this.#read;
  }

  /** Whether anything goes out, if only a probe. */
  get #isActive(): boolean {
    return this.state === 'sending' || this.state === 'open';
  }

  get #room(): number {
    return this.#held.room(this.state === 'open');
  }

  /** Something has changed: sends what is ready, reads what is wanted, and looks again when the next thing is due. */
  #goOn(): void {
    if (this.#isStopped) return;
    const now = this.#deps.clock();
    this.#order.advance(now);
    if (this.#order.first()) this.#deps.turn.add(this);
    if (!this.#reading && this.#wantsToRead(now)) this.#read = this.#readAll();
    clearTimeout(this.#timer);
    const moments = [this.#health.breaker.probesAt, this.#order.nextMoment, this.#readsFrom];
    const waits = moments.map((at) => (at ?? 0) - now).filter((wait) => wait > 0);
    // Where the clock was set back by weeks, no timer can wait for so long.
    if (waits.length) this.#timer = setTimeout(() => this.#goOn(), Math.min(...waits, LOOK_AHEAD)).unref();
  }

  /** While something older may come, nothing is known to be the first that is not. */
  #isBehind(from: number): void {
    this.#behindFrom = Math.min(this.#lease?.settling === null ? from : 0, this.#behindFrom ?? from);
  }

  /** Forgets all that waits in memory. What is on its way stays known. */
  #forget(): void {
    if (this.#reading) this.#reading.isStale = true;
    this.#reading?.beside.forEach((delivery) => this.#held.remove(delivery));
    this.#reading?.beside.clear();
    this.#order.drop().forEach((delivery) => this.#leave(delivery));
    this.#behindFrom = 0;
    for (const kind of DUE_KINDS) this.#knownUntil[kind] = 0;
  }

  #take(delivery: HeldDelivery): void {
    if (this.#order.add(delivery)) this.#held.add(delivery);
  }

  #leave(delivery: HeldDelivery, attempts = delivery.attempts): void {
    if (this.#held.remove(delivery)) this.#reading?.left.set(delivery.eventId, attempts);
  }

  /** What has failed stays in memory where it holds its contact back, or is due before what is not known. */
  #tryAgain(failed: HeldDelivery): void {
    const now = this.#deps.clock();
    const kind = kindOf(failed) as DueKind;
    const isKnown = failed.dueAt < this.#knownUntil[kind];
    if (holdsContact(failed, now) || (isKnown && this.#held.count(kind) < MOST_DUE[kind]))
      return this.#addTried(failed, now);
    this.#order.leave(failed);
    if (isKnown) this.#knownUntil[kind] = failed.dueAt;
  }

  #addTried(delivery: HeldDelivery, now: number): void {
    this.#held.add(delivery);
    this.#order.addTried(delivery, now).forEach((other) => this.#leave(other));
  }

  #wantsToRead(now: number): boolean {
    if (!this.#isActive || !this.#deps.leases.isSure() || now < this.#readsFrom) return false;
    if (DUE_KINDS.some((kind) => this.#wantsDue(kind, now))) return true;
    const isMore = this.#behindFrom !== null || this.#order.hungry.size > 0;
    return isMore && this.#held.isLow(this.state === 'open') && this.#knownUntil.holding > now;
  }

  #wantsDue(kind: DueKind, now: number): boolean {
    return this.#knownUntil[kind] < now + LOOK_AGAIN && this.#held.count(kind) < MOST_DUE[kind] / 2;
  }

  async #readAll(): Promise<void> {
    const reading: Reading = { left: new Map(), beside: new Map(), isStale: false };
    this.#reading = reading;
    try {
      for (const kind of DUE_KINDS) await this.#readDue(reading, kind);
      // Of a backlog, however long, half of the room is left to contacts that had to wait.
      await this.#readUntried(reading, this.#order.hungry.size ? Math.floor(this.#room / 2) : 0);
      await this.#readContacts(reading);
    } catch (error) {
      this.#readsFrom = this.#deps.clock() + TRY_AGAIN;
      this.#forget();
      this.#deps.log.error(
        { error, destination: this.destinationId },
        'what waits for a destination was not read: tried again in a second',
      );
    }
    this.#reading = null;
    reading.beside.forEach((delivery) => this.#held.remove(delivery));
    this.offer([...reading.beside.values()], false);
  }

  async #readDue(reading: Reading, kind: DueKind): Promise<void> {
    const now = this.#deps.clock();
    if (reading.isStale || !this.#wantsDue(kind, now)) return;
    const until = now + LOOK_AHEAD;
    this.#knownUntil[kind] = until;
    const limit = MOST_DUE[kind] + this.#held.count(kind);
    const page = await this.#deps.store.queued.due(kind, this.destinationId, isoTime(until), limit);
    if (reading.isStale) return;
    for (const row of this.#unknown(reading, page)) this.#addTried(heldOf(row), now);
    const last = page.isLast ? until : Date.parse(page.rows.at(-1)?.due_at ?? '');
    this.#knownUntil[kind] = Math.min(this.#knownUntil[kind], last);
  }

  /** Nothing goes out before what holds its contact back is known. */
  #mayReadUntried(reading: Reading, left = 0): boolean {
    return !reading.isStale && this.#room > left && this.#knownUntil.holding > this.#deps.clock();
  }

  /** @param left the room that is for others */
  async #readUntried(reading: Reading, left: number): Promise<void> {
    while (this.#behindFrom !== null && this.#mayReadUntried(reading, left)) {
      const from = Number.isFinite(this.#behindFrom) ? this.#behindFrom : null;
      const limit = Math.max(this.#room - left, LEAST_READ);
      // Whatever happens while it is read makes it behind again.
      this.#behindFrom = null;
      const { queued } = this.#deps.store;
      const page = await queued.untried(this.destinationId, from, limit, this.#deps.processId);
      if (reading.isStale) return;
      const offered = [...reading.beside.values()].map(({ sequence }) => sequence);
      const missed = Math.min(this.#behindFrom ?? Infinity, ...offered);
      // Something was recorded meanwhile that belongs before the page, where others of its contact may be.
      if (page.rows.length && missed < page.from) {
        this.#behindFrom = missed;
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
      if (next !== null) this.#behindFrom = Math.min(next, this.#behindFrom ?? Infinity);
    }
  }

  /** More of contacts of which little is left in memory. */
  async #readContacts(reading: Reading): Promise<void> {
    for (const key of [...this.#order.hungry].slice(0, MOST_CONTACTS_READ)) {
      if (!this.#mayReadUntried(reading)) return;
      const limit = Math.min(this.#room, MOST_OF_CONTACT);
      const known = this.#order.idsOf(key);
      const page = await this.#deps.store.queued.ofContact(this.destinationId, key, known, limit);
      if (reading.isStale) return;
      const found = this.#unknown(reading, page).map(heldOf);
      this.#readTo = Math.max(this.#readTo, ...found.map(({ sequence }) => sequence));
      this.#order.refill(key, found, page.isLast).forEach((one) => this.#held.add(one));
    }
  }

  /** The rows that are not in memory, and have not left it since the read began; also those that were offered since. */
  #unknown({ left, beside }: Reading, { rows }: Page): QueuedDelivery[] {
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

/** As the registry knows it. */
const faresOf = (destination: Destination | null): Fares =>
  destination ? { failing_since: destination.failingSince, last_tried_at: destination.lastTriedAt } : WORKS;
