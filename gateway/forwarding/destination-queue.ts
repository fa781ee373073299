import { type Store } from '../store/database';
import { type FirstQueued, type Page, type QueuedDelivery } from '../store/queued';
import { isoTime, SECOND, type Clock } from '../time';
import { ContactOrder, MOST_OF_CONTACT, type HeldDelivery } from './contact-order';
import { type Outcome } from './deliver';
import { type Destination } from './destination';
import { type DestinationLeases, type Lease } from './destination-leases';
import { DestinationHealth, type Verdict } from './health';
import { type Sender } from './in-flight';
import { readProbe } from './probe';
import { HOLDING_ATTEMPTS, holdsLane } from './retry-schedule';
import { type Turn } from './turn';

/** Deliveries in memory with their bodies, some 2 KB each, in all and for one destination. */
const MOST_HELD = 20_000;
const MOST_HELD_FOR_ONE = 1_000;
/** Characters of these bodies: most events have 1,000, one may have 3 million. */
const MOST_SIZE = 256 * 1024 * 1024;
const MOST_SIZE_FOR_ONE = 16 * 1024 * 1024;
/** What every destination may hold, however much the others do. */
const FEW_HELD = 16;
/** Without a body, because it waits for its time and may hold its contact back. */
const MOST_HOLDING = 10_000;
/** The same of what holds nobody back: what failed more often, or is replayed. */
const MOST_LATER = 200;
/** Contacts of which more is read in one go. */
const MOST_CONTACTS_READ = 20;
/** Answered attempts that are not recorded yet: after a crash they are made again. */
const MOST_UNRECORDED = 64;
/**
 * What holds its contact back is read this long before it is due. It is longer than it may hold it back, so that nothing
 * of its contact goes out before it, also in another process than the one in which it failed.
 */
export const LOOK_AHEAD = 40 * SECOND;
/** So long before the end of that it is read again. */
const LOOK_AGAIN = 12 * SECOND;
/** While a transaction is open that began before the lease: the wait between two reads grows up to the second. */
const SETTLE_AGAIN = 20;
const SETTLE_SELDOM = SECOND;

/** What all queues hold. */
export interface Memory {
  count: number;
  size: number;
}

export interface QueueDeps {
  store: Store;
  leases: DestinationLeases;
  memory: Memory;
  /** The queues that have something to send. */
  turn: Turn<DestinationQueue>;
  clock: Clock;
  log: { error(fields: object, message: string): void };
}

/** A delivery that was just recorded. */
export type FreshDelivery = Omit<HeldDelivery, 'attempts' | 'attemptsBefore' | 'failedAt'>;

/**
 * What waits for one destination: its beginning in memory, all of it in the database.
 *
 * May it send?
 * - `idle`: another process has the lease, or nobody.
 * - `paused`: a person, or the destination's own answer, wants it so.
 * - `open`: everything fails (`CircuitBreaker`). From time to time one delivery is read and goes out as a probe.
 * - `sending`: all else.
 * Whenever it leaves `sending` it forgets what waits in memory, and begins `behind`.
 *
 * What is in memory?
 * - `caughtUp`: all that is to be sent by now, but for what waits behind others of its contact (`ContactOrder`). Fresh
 *   deliveries are taken as they are offered.
 * - `reading`: fresh ones wait beside what is being read, and go behind it.
 * - `behind`: something in the database may be older than what is offered, which is forgotten: it is read later. So it is
 *   at first, when memory is full, when another process has recorded something, and when it is not known what came of a
 *   write.
 *
 * What it has sent stays known until it is recorded, whatever becomes of the lease meanwhile, so that it is not sent twice.
 */
export class DestinationQueue {
  readonly #deps: QueueDeps;
  readonly #order = new ContactOrder();
  /** All that is in memory, what is in flight or unrecorded included, by event id. */
  readonly #held = new Map<string, HeldDelivery>();
  #withBody = 0;
  #size = 0;
  /** Of these, what holds nobody back, by event id. */
  readonly #later = new Set<string>();
  #inFlight = 0;
  #unrecorded = 0;

  #destination: Destination | null = null;
  #host = '';
  /** It has answered that it is gone, or has failed for too long: until that is known to all it is as if it were paused. */
  #isBeingPaused = false;
  #lease: Lease | null = null;
  /** Whether all can be read that was being recorded when the lease began; if not, when to look again, and how long after. */
  #isSettled = false;
  #settlesAt = Number.NEGATIVE_INFINITY;
  #settleAgain = SETTLE_AGAIN;
  #isStopped = false;
  #health = new DestinationHealth();
  /** Contacts whose events were the last probes, and failed. */
  readonly #probed = new Set<string>();

  /** Grows whenever memory is forgotten: what was asked for before that is not taken any more. */
  #epoch = 0;
  /** Grows whenever what waits to be tried again is changed: the same holds for that. */
  #changes = 0;
  /** From this sequence on something in the database may not be known here; null while it is caught up. */
  #behindFrom: number | null = 0;
  /** The greatest sequence that was read: what is offered below it may have been read, and sent, before. */
  #readTo = 0;
  /** What holds contacts back is known as far as it is due before this time. */
  #holdingUntil = Number.NEGATIVE_INFINITY;
  /** Of what holds nobody back there may be more that is due. */
  readonly #wants = { later: true, replayed: true };
  /** Another process has recorded something: from where on stands in the database. */
  #hasArrivals = true;
  /** Whether it has read what waits since it last forgot everything: before that nothing is sent but a probe. */
  #hasRead = false;
  #reading: Promise<void> | null = null;
  /** A read has failed, or has found nothing to probe with: the next scan allows another. */
  #isReadUseless = false;
  #beside: FreshDelivery[] = [];
  #besideSize = 0;
  /** While something is read: what has left memory since, and after how many attempts. */
  #left: Map<string, number> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly destinationId: number,
    deps: QueueDeps,
  ) {
    this.#deps = deps;
  }

  get state(): 'idle' | 'paused' | 'open' | 'sending' {
    if (!this.#lease || !this.#destination) return 'idle';
    if (this.#destination.pausedAt !== null || this.#isBeingPaused) return 'paused';
    return this.#health.breaker.isOpen ? 'open' : 'sending';
  }

  get memory(): 'caughtUp' | 'reading' | 'behind' {
    if (this.#reading) return 'reading';
    return this.#behindFrom === null && !this.#hasArrivals ? 'caughtUp' : 'behind';
  }

  /** Whether nothing would be lost by forgetting it. */
  get isIdle(): boolean {
    return !this.#held.size && !this.#reading && !this.#health.breaker.isOpen;
  }

  /** Resolves once nothing is being read. */
  get read(): Promise<void> | null {
    return this.#reading;
  }

  /** Learns how its destination is set and who may send to it, before anything else is asked of it. */
  follow(destination: Destination | null, lease: Lease | null): void {
    const before = this.#destination;
    this.#destination = destination;
    const isOther = lease !== this.#lease;
    const isMoved = destination?.url !== before?.url;
    // Somebody has asked for what waits to be tried at once.
    if (before && destination && destination.tryNowAt !== before.tryNowAt) {
      this.#health.breaker.probeNow(this.#deps.clock());
      this.readAnew();
    }
    if (!isOther && !isMoved && destination?.pausedAt === before?.pausedAt) return;
    if (isMoved) this.#host = destination ? new URL(destination.url).host : '';
    if (isOther) {
      [this.#lease, this.#isSettled, this.#settleAgain] = [lease, false, SETTLE_AGAIN];
      this.#settlesAt = Number.NEGATIVE_INFINITY;
    }
    // Who is paused, gets another address, or another process that sends to it, begins anew.
    this.#isBeingPaused = false;
    this.#health = new DestinationHealth(destination?.failingSince);
    this.#probed.clear();
    this.#forget();
  }

  /** What was just recorded. @param isBehind whether the owner has not read yet what other processes recorded before */
  offer(deliveries: FreshDelivery[], isBehind: boolean): void {
    if (isBehind) this.arrived();
    for (const delivery of deliveries) {
      if (this.#held.has(delivery.eventId)) continue;
      const isNew = delivery.sequence > this.#readTo;
      if (this.memory === 'reading' && this.#hasRoomBeside()) {
        this.#beside.push(delivery);
        this.#besideSize += delivery.size;
      } else if (this.memory === 'caughtUp' && isNew && this.#isSending() && this.#room() > 0)
        this.#take({ ...delivery, attempts: 0, attemptsBefore: 0, failedAt: null });
      else this.#isBehind(delivery.sequence);
    }
    this.#goOn();
  }

  /** Another process has recorded something for it. */
  arrived(): void {
    this.#hasArrivals = true;
    this.#goOn();
  }

  /** It is not known what waits in the database. */
  lookAgain(): void {
    this.#knowNothing();
    this.arrived();
  }

  /** What waits to be tried again has been changed in the database, such as when it is due. */
  readAnew(): void {
    this.#changes++;
    this.#order.dropTried(this.#deps.clock()).forEach((delivery) => this.#leave(delivery));
    this.lookAgain();
  }

  /**
   * What a scan has found that comes first; undefined where nothing waits.
   * @param soon by when what may hold its contact back was looked for
   */
  scanned(first: FirstQueued | undefined, soon: number): void {
    this.#isReadUseless = false;
    const isKnown = (id: string | null | undefined) => !id || this.#held.has(id);
    const isBehindOthers = first?.lane && this.#order.hasMore(first.lane);
    if (!isKnown(first?.untried) && !isBehindOthers) [this.#behindFrom, this.#hasArrivals] = [0, true];
    if (!isKnown(first?.holding)) this.#holdingUntil = Number.NEGATIVE_INFINITY;
    // Where it is to be read again, that was found out after the scan began.
    else if (!first?.holding && Number.isFinite(this.#holdingUntil))
      this.#holdingUntil = Math.max(this.#holdingUntil, soon);
    this.#wants.later ||= !isKnown(first?.later);
    this.#wants.replayed ||= !isKnown(first?.replayed);
    this.#goOn();
  }

  /** Whether one more may be sent now. */
  maySend(now: number): boolean {
    const isLimited = this.#inFlight >= this.#health.limit(now) || this.#unrecorded >= MOST_UNRECORDED;
    const isReady = this.state === 'open' || (this.state === 'sending' && this.#hasRead);
    return isReady && !isLimited && this.#order.hasReady;
  }

  /** Who asks for a place for what comes next. */
  sender(): Omit<Sender, 'lineId'> {
    const size = this.#order.first?.size ?? 0;
    return { host: this.#host, inFlight: this.#inFlight, isQuick: this.#health.isQuick, size };
  }

  /** The delivery that goes out now. */
  next(): HeldDelivery | null {
    const next = this.#order.next();
    if (next) this.#inFlight++;
    this.#setTimer(this.#deps.clock());
    return next;
  }

  /** An attempt was answered: its place is free, and its contact waits until it is recorded. */
  answered(delivery: HeldDelivery, outcome: Outcome): Verdict {
    const wasPaused = this.state === 'paused';
    const judged = this.#health.judge(delivery.eventId, outcome, this.#inFlight, this.#deps.clock());
    // What was on its way when it was paused tells nothing new: somebody may let it go on by now.
    const verdict = wasPaused ? { ...judged, pauseBecause: null } : judged;
    this.#inFlight--;
    this.#unrecorded++;
    this.#isBeingPaused ||= verdict.pauseBecause !== null;
    if (verdict.opened || this.#isBeingPaused) this.#forget();
    if (this.#order.hasReady) this.#deps.turn.add(this);
    return verdict;
  }

  /** How it fares could not be kept. */
  notKept(): void {
    this.#health.notKept();
  }

  /** It was paused, or could not be; or somebody has let it go on by now. */
  pausingEnded(): void {
    this.#isBeingPaused = false;
    this.lookAgain();
  }

  /**
   * An attempt was recorded.
   * @param againAt when it is tried again; null where it is over
   * @param moved whether the delivery was as this process knew it
   */
  recorded(delivery: HeldDelivery, attempts: number, againAt: number | null, moved: boolean): void {
    this.#unrecorded--;
    const now = this.#deps.clock();
    delivery.attempts = attempts;
    if (!moved) this.lookAgain();
    const tried = attempts - delivery.attemptsBefore;
    const staysHere = moved && againAt !== null && tried < HOLDING_ATTEMPTS && this.#hasRoomForHolding();
    if (staysHere && holdsLane(tried, againAt - now, now - (delivery.failedAt ?? now))) {
      this.#emptied(delivery);
      this.#order.holdBack(delivery, againAt, now).forEach((other) => this.#leave(other));
    } else {
      this.#leave(delivery);
      this.#order.leave(delivery, now);
      if (staysHere) this.#addTried({ ...delivery, failedAt: null, dueAt: againAt }, false, now);
      else if (againAt !== null && tried < HOLDING_ATTEMPTS) this.#holdingUntil = Number.NEGATIVE_INFINITY;
    }
    this.#goOn();
  }

  /**
   * A delivery stays as it is in the database: it was not sent after all, or was a probe that failed, which is no attempt.
   * The next probe is of another contact, as far as there is one.
   */
  returned(delivery: HeldDelivery, isProbe: boolean): void {
    if (isProbe) {
      this.#unrecorded--;
      this.#probed.add(delivery.orderingKey);
    } else this.#inFlight--;
    this.#leave(delivery);
    this.#order.leave(delivery, this.#deps.clock());
    this.lookAgain();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /**
   * Something has changed: sends what is ready, reads what is wanted, and looks again when the next thing is due.
   * @param at the moment that was waited for
   */
  #goOn(at = Number.NEGATIVE_INFINITY): void {
    if (this.#isStopped) return;
    // What was waited for has come, whatever the clock says that may have been set back meanwhile.
    const now = Math.max(this.#deps.clock(), at);
    this.#order.advance(now);
    if (this.#order.hasReady) this.#deps.turn.add(this);
    if (!this.#reading && this.#wantsToRead(now)) this.#read();
    this.#setTimer(now);
  }

  #setTimer(now: number): void {
    clearTimeout(this.#timer);
    const moments = [this.#order.nextMoment, this.#health.breaker.probesAt, this.#settlesAt];
    const next = Math.min(...moments.filter((at) => at !== null && at > now).map(Number));
    if (Number.isFinite(next)) this.#timer = setTimeout(() => this.#goOn(next), next - now).unref();
  }

  #isBehind(from: number): void {
    this.#behindFrom = Math.min(from, this.#behindFrom ?? from);
  }

  /** Forgets all that waits in memory. What is on its way stays known. */
  #forget(): void {
    this.#epoch++;
    this.#order.drop(this.#deps.clock()).forEach((delivery) => this.#leave(delivery));
    this.#takeBeside();
    this.#hasRead = false;
    this.#knowNothing();
  }

  #knowNothing(): void {
    [this.#behindFrom, this.#holdingUntil] = [0, Number.NEGATIVE_INFINITY];
    this.#wants.later = this.#wants.replayed = true;
  }

  #hasRoomBeside(): boolean {
    return this.#beside.length < MOST_HELD_FOR_ONE && this.#besideSize < MOST_SIZE_FOR_ONE;
  }

  #takeBeside(): FreshDelivery[] {
    this.#besideSize = 0;
    return this.#beside.splice(0);
  }

  /** How many more deliveries with bodies memory takes. */
  #room(): number {
    const { memory } = this.#deps;
    if (this.#size >= MOST_SIZE_FOR_ONE || (memory.size >= MOST_SIZE && this.#withBody > 0)) return 0;
    const inAll = Math.max(MOST_HELD - memory.count, FEW_HELD - this.#withBody);
    return Math.max(0, Math.min(MOST_HELD_FOR_ONE - this.#withBody, inAll));
  }

  #hasRoomForHolding(): boolean {
    return this.#isSending() && this.#held.size - this.#withBody - this.#later.size < MOST_HOLDING;
  }

  #take(delivery: HeldDelivery): void {
    if (this.#held.has(delivery.eventId)) return;
    if (this.#order.add(delivery, this.#deps.clock())) this.#keep(delivery);
  }

  #addTried(delivery: HeldDelivery, holds: boolean, now: number): void {
    this.#keep(delivery);
    this.#order.addTried(delivery, holds, now).forEach((other) => this.#leave(other));
  }

  #keep(delivery: HeldDelivery): void {
    this.#held.set(delivery.eventId, delivery);
    if (isLater(delivery)) this.#later.add(delivery.eventId);
    if (delivery.body !== null) this.#count(delivery.size, 1);
  }

  #leave(delivery: HeldDelivery): void {
    if (this.#held.get(delivery.eventId) !== delivery) return;
    this.#held.delete(delivery.eventId);
    this.#later.delete(delivery.eventId);
    this.#left?.set(delivery.eventId, delivery.attempts);
    this.#emptied(delivery);
  }

  #emptied(delivery: HeldDelivery): void {
    if (delivery.body !== null) this.#count(delivery.size, -1);
    delivery.body = null;
  }

  #count(size: number, by: 1 | -1): void {
    const { memory } = this.#deps;
    this.#withBody += by;
    memory.count += by;
    this.#size += by * size;
    memory.size += by * size;
  }

  #wantsToRead(now: number): boolean {
    const mayRead = this.#lease && this.#destination && this.#deps.leases.isSure() && now >= this.#settlesAt;
    if (!mayRead || this.#isReadUseless) return false;
    if (this.#hasArrivals) return true;
    if (this.state === 'open') return this.#health.limit(now) > 0 && !this.#held.size;
    if (!this.#isSending() || this.#withBody >= MOST_HELD_FOR_ONE / 2 || this.#room() === 0) return false;
    const wantsLater = (this.#wants.later || this.#wants.replayed) && this.#later.size < MOST_LATER / 2;
    const wantsUntried = this.#behindFrom !== null && (this.#holdingUntil > now || this.#hasRoomForHolding());
    return wantsUntried || this.#isHoldingUnknown(now) || wantsLater || this.#order.isHungry;
  }

  #read(): void {
    const left = new Map<string, number>();
    this.#left = left;
    this.#reading = this.#readAll()
      .catch((error: unknown) => {
        this.#isReadUseless = true;
        this.#knowNothing();
        this.#deps.log.error(
          { error, destination: this.destinationId },
          'what waits for a destination was not read: tried again within 5 seconds',
        );
      })
      .then(() => {
        [this.#reading, this.#left] = [null, null];
        // What was read as well, and has been sent meanwhile, is over.
        const beside = this.#takeBeside().filter(({ eventId }) => !left.has(eventId));
        this.offer(beside, false);
      });
  }

  /** What other processes have recorded is taken note of whether it may send or not; the rest is read only where it may. */
  async #readAll(): Promise<void> {
    const { leases, clock } = this.#deps;
    const lease = this.#lease;
    if (!lease) return;
    if (this.#hasArrivals) {
      this.#hasArrivals = false;
      const from = await leases.takeArrivals(this.destinationId);
      if (from !== null) this.#isBehind(from);
    }
    if (this.state === 'open') return this.#readProbe();
    if (!this.#isSending()) return;
    const epoch = this.#epoch;
    const isSettled = this.#isSettled || (await leases.isSettled(lease));
    if (!this.#isSettled) await this.#learnHealth();
    if (this.#isHoldingUnknown(clock())) await this.#readHolding();
    // Nothing goes out before what holds its contact back is known.
    if (this.#holdingUntil > clock()) await this.#readUntried();
    await this.#readContacts();
    await this.#readLater('later');
    await this.#readLater('replayed');
    if (epoch !== this.#epoch || lease !== this.#lease) return;
    this.#hasRead = true;
    this.#isSettled = isSettled;
    if (isSettled) return;
    // What is just being recorded belongs before what comes now.
    this.#isBehind(0);
    this.#settlesAt = clock() + this.#settleAgain;
    this.#settleAgain = Math.min(2 * this.#settleAgain, SETTLE_SELDOM);
  }

  /** @returns null where that is not wanted any more: memory was forgotten meanwhile, or it may not send now */
  async #asked(page: Promise<Page>, isOfTried = false): Promise<Page | null> {
    const [epoch, changes] = [this.#epoch, this.#changes];
    const found = await page;
    const isStale = epoch !== this.#epoch || (isOfTried && changes !== this.#changes);
    return isStale || !this.#isSending() ? null : found;
  }

  /** Another process may have sent to it before, and know since when it fails. */
  async #learnHealth(): Promise<void> {
    const [kept] = await this.#deps.store.destinations.healthOf([this.destinationId]);
    if (this.#isSending() && !this.#held.size) this.#health = new DestinationHealth(kept?.failing_since);
  }

  #isHoldingUnknown(now: number): boolean {
    return this.#holdingUntil < now + LOOK_AGAIN && this.#hasRoomForHolding();
  }

  /** What failed once or twice, and may hold its contact back. */
  async #readHolding(): Promise<void> {
    const { clock, store } = this.#deps;
    const now = clock();
    this.#holdingUntil = now + LOOK_AHEAD;
    const by = isoTime(this.#holdingUntil);
    const asked = store.queued.due('holding', this.destinationId, by, MOST_HOLDING);
    const page = await this.#asked(asked, true);
    if (!page) return;
    for (const row of this.#unknown(page)) {
      const delivery = held(row);
      this.#addTried(delivery, holdsLane(delivery.attempts, delivery.dueAt - now), now);
    }
    if (!page.isLast) this.#holdingUntil = Date.parse(page.rows.at(-1)?.due_at ?? isoTime(now));
  }

  async #readUntried(): Promise<void> {
    while (this.#behindFrom !== null && this.#isSending()) {
      const limit = this.#room();
      if (limit === 0) return;
      const from = this.#behindFrom;
      // Whatever happens while it is being read makes it behind again.
      this.#behindFrom = null;
      const page = await this.#asked(this.#deps.store.queued.untried(this.destinationId, from, limit));
      if (!page) return this.#isBehind(0);
      if (this.#hasMissed(page, from)) return;
      this.#unknown(page).forEach((row) => this.#take(held(row)));
      const last = page.rows.at(-1)?.sequence ?? 0;
      this.#readTo = Math.max(last, this.#readTo);
      if (!page.isLast) this.#isBehind(last + 1);
    }
  }

  /**
   * Whether something was recorded meanwhile, in a transaction that began earlier, which belongs before a page: others of
   * its contact may be on the page, so that is read again, from there on.
   */
  #hasMissed({ toldFrom }: Page, from: number): boolean {
    const told = toldFrom ?? Number.POSITIVE_INFINITY;
    const offered = this.#beside.map(({ sequence }) => sequence);
    const first = Math.min(told, this.#behindFrom ?? told, ...offered);
    if (first >= from) return false;
    this.#isBehind(first);
    this.#hasArrivals = true;
    return true;
  }

  /** More of contacts of which little is left in memory. */
  async #readContacts(): Promise<void> {
    for (const key of this.#order.hungry.slice(0, MOST_CONTACTS_READ)) {
      const room = Math.min(this.#room(), MOST_OF_CONTACT);
      if (room === 0) return;
      const known = this.#order.idsOf(key);
      const asked = this.#deps.store.queued.ofContact(this.destinationId, key, known, room);
      const page = await this.#asked(asked);
      if (!page) return;
      const found = this.#unknown(page).map(held);
      this.#readTo = Math.max(this.#readTo, ...found.map(({ sequence }) => sequence));
      this.#order.refill(key, found, page.isLast, this.#deps.clock()).forEach((one) => this.#keep(one));
    }
  }

  /** What is due and holds nobody back, a little at a time. */
  async #readLater(kind: 'later' | 'replayed'): Promise<void> {
    const room = MOST_LATER - this.#later.size;
    if (!this.#wants[kind] || room <= 0 || !this.#isSending()) return;
    this.#wants[kind] = false;
    const now = this.#deps.clock();
    const limit = MOST_LATER + this.#later.size;
    const asked = this.#deps.store.queued.due(kind, this.destinationId, isoTime(now), limit);
    const page = await this.#asked(asked, true);
    if (!page) return;
    const found = this.#unknown(page).map(held);
    this.#wants[kind] ||= !page.isLast || found.length > room;
    for (const delivery of found.slice(0, room)) {
      if (kind === 'replayed') this.#take(delivery);
      else this.#addTried(delivery, false, now);
    }
  }

  async #readProbe(): Promise<void> {
    const now = this.#deps.clock();
    if (this.#held.size || this.#health.limit(now) === 0) return;
    const epoch = this.#epoch;
    const chosen = await readProbe(this.#deps.store, this.destinationId, this.#probed, now);
    if (epoch !== this.#epoch || this.state !== 'open') return;
    this.#isReadUseless = chosen === null;
    if (!chosen) return;
    const delivery = { ...held(chosen), dueAt: now };
    this.#keep(delivery);
    this.#order.addTried(delivery, false, now);
  }

  /** The rows of a page that are not in memory, and have not left it since the read began. */
  #unknown(page: Page): QueuedDelivery[] {
    return page.rows.filter(
      ({ event_id: id, attempts }) => !this.#held.has(id) && attempts >= (this.#left?.get(id) ?? 0),
    );
  }

  #isSending(): boolean {
    return this.state === 'sending' && !this.#isStopped;
  }
}

const held = (row: QueuedDelivery): HeldDelivery => ({
  eventId: row.event_id,
  orderingKey: row.lane,
  sequence: row.sequence,
  attempts: row.attempts,
  attemptsBefore: row.attempts_before,
  dueAt: Date.parse(row.due_at),
  size: row.size,
  body: row.body,
  failedAt: null,
});

/** Whether it holds nobody back. */
const isLater = ({ attempts, attemptsBefore }: HeldDelivery): boolean =>
  attemptsBefore > 0 || attempts >= HOLDING_ATTEMPTS;
