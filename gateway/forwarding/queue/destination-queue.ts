import { type Store } from '../../store/store';
import { type FirstQueued } from '../../store/tables/queued';
import { SECOND } from '../../time';
import { ContactOrder } from './contact-order';
import { type Failures } from '../../store/reports/failing-since';
import { type Outcome } from '../deliver';
import { type Destination } from '../destination';
import { type DestinationLeases, type Lease } from '../destination-leases';
import { type DestinationRegistry } from '../destination-registry';
import { failureOf } from '../failures';
import { DestinationHealth, NOTHING_NEW, WORKS, type Fares, type Note, type Verdict } from './health';
import { type HeldDelivery } from './held-deliveries';
import { type Sender } from './in-flight';
import { LOOK_AHEAD, QueueReader, type ReaderDeps } from './queue-reader';
import { type Turn } from './turn';

/** The most answered attempts that are not recorded yet. After a crash they are repeated. */
const MOST_UNRECORDED = 64;

export interface QueueDeps extends ReaderDeps {
  store: Store;
  destinations: Pick<DestinationRegistry, 'byId'>;
  leases: DestinationLeases;
  /** The queues that have deliveries to send. */
  turn: Turn<DestinationQueue>;
}

/**
 * The queue of one destination. Its beginning is in memory, all of it in the database (`QueueReader`).
 *
 * Its states:
 * - `idle`: this process does not have the lease, or the destination was removed.
 * - `paused`: by a user, or automatically.
 * - `open`: every attempt fails (`CircuitBreaker`). Occasional deliveries are sent as probes; few are in memory.
 * - `sending`: otherwise.
 * When `idle` or `paused` begins or ends, and when the breaker opens, all waiting deliveries in memory are forgotten.
 *
 * A sent delivery stays known until its attempt is recorded, even if the lease ends meanwhile, so that it is not sent
 * twice.
 */
export class DestinationQueue {
  readonly #deps: QueueDeps;
  readonly #order = new ContactOrder();
  readonly #reader: QueueReader;
  /** Deliveries in flight, each with the health object at the time it was sent: its response changes no other one. */
  readonly #inFlight = new Map<HeldDelivery, DestinationHealth>();
  #unrecorded = 0;

  #destination: Destination | null = null;
  #host = '';
  #lease: Lease | null = null;
  #health = new DestinationHealth();
  #isStopped = false;
  /** Resolves when the last note is stored. */
  #kept: Promise<void> = Promise.resolve();

  /** The time up to which the last scan looked for due deliveries. */
  #scannedUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly destinationId: number,
    deps: QueueDeps,
  ) {
    this.#deps = deps;
    this.#reader = new QueueReader(destinationId, deps, this.#order, {
      isActive: () => this.#isActive,
      isProbed: () => this.state === 'open',
      isSettled: () => this.#lease?.settling === null,
      goOn: () => this.#goOn(),
    });
  }

  get state(): 'idle' | 'paused' | 'open' | 'sending' {
    if (!this.#lease || !this.#destination || this.#isStopped) return 'idle';
    if (this.#destination.pausedAt !== null) return 'paused';
    return this.#health.breaker.probesAt === null ? 'sending' : 'open';
  }

  /** Deliveries in flight to the destination. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Whether the queue can be forgotten without losing anything. */
  get isIdle(): boolean {
    return this.#reader.isIdle && this.#health.breaker.probesAt === null;
  }

  /** Reads the destination's settings and lease, on which all other methods rely. */
  follow(): Destination | null {
    const before = this.#destination;
    const destination = this.#deps.destinations.byId(this.destinationId);
    const lease = this.#deps.leases.of(this.destinationId);
    this.#destination = destination;
    const isMoved = destination?.url !== before?.url;
    if (isMoved) this.#host = destination ? new URL(destination.url).host : '';
    // The queue starts again when the destination is paused or resumed, or changes its URL or owner.
    if (lease !== this.#lease || isMoved || destination?.pausedAt !== before?.pausedAt) {
      void lease?.settling?.then(() => this.lookAgain());
      // The previous owner may know an earlier start of the failure than the registry.
      const kept = lease !== this.#lease ? lease?.health.get(this.destinationId) : undefined;
      this.#health = new DestinationHealth(kept ?? faresOf(destination), destination?.tryNowAt);
      // The failure from before the pause may be stored only after a user has ended it.
      if (before?.pausedAt) this.#health.notKept();
      this.#lease = lease;
      this.#reader.forget();
    } else if (destination && destination.tryNowAt !== before?.tryNowAt) {
      // A user requested a try now. Only the database knows the result of a test event.
      if (destination.failingSince === null) {
        this.#health = new DestinationHealth(WORKS, destination.tryNowAt);
        this.#health.notKept();
      } else this.#health.asked(this.#deps.clock());
      this.lookAgain();
    }
    return destination;
  }

  /**
   * Takes newly recorded deliveries. @param isBehind whether earlier ones, recorded by other processes, are still
   * unread
   */
  offer(deliveries: HeldDelivery[], isBehind: boolean): void {
    if (isBehind) this.#reader.arrived();
    this.#reader.offer(deliveries);
    this.#goOn();
  }

  /** Called when another process has recorded a delivery for this destination. */
  arrived(): void {
    this.#reader.arrived();
    this.#goOn();
  }

  /**
   * Reads the waiting deliveries again, because their rows have changed (for example their due time) or are unknown.
   */
  lookAgain(): void {
    this.#reader.forget();
    this.#goOn();
  }

  /**
   * Compares the result of a scan with memory.
   * @param first undefined if no delivery is waiting
   * @param soon the time up to which the scan looked for due deliveries
   */
  scanned(first: FirstQueued | undefined, soon: number): void {
    // The clock was set back, and deliveries in memory would wait that much longer.
    if (soon < this.#scannedUntil - SECOND) {
      this.#health.breaker.probeNow(this.#deps.clock());
      this.#reader.forget();
    }
    this.#scannedUntil = soon;
    this.#reader.scanned(first, soon);
    this.#goOn();
  }

  /** Describes the next delivery; null if none may be sent now. */
  sender(): Sender | null {
    const destination = this.follow();
    const now = this.#deps.clock();
    const next = this.#order.first(this.state === 'open');
    if (!destination || !this.#isActive || !next || this.#unrecorded >= MOST_UNRECORDED) return null;
    // A probe is chosen after everything is read.
    if (this.state === 'open' && this.#reader.mayFindMore(now)) return null;
    const [inFlight, { isQuick }] = [this.#inFlight.size, this.#health];
    if (inFlight >= this.#health.limit(now)) return null;
    return { lineId: destination.lineId, host: this.#host, inFlight, isQuick, size: next.size };
  }

  /** Removes and returns the delivery to send now. */
  next(): HeldDelivery | null {
    const next = this.#order.next(this.state === 'open');
    if (next) this.#inFlight.set(next, this.#health);
    return next;
  }

  /**
   * Called on the response to an attempt: its place is free, and its contact waits until it is recorded. If the queue
   * has started again since, the response does not change the destination's health.
   */
  answered(delivery: HeldDelivery, outcome: Outcome): Verdict {
    this.follow();
    const verdict =
      this.#inFlight.get(delivery) === this.#health
        ? this.#health.judge(delivery.eventId, outcome, this.#inFlight.size, this.#deps.clock())
        : NOTHING_NEW;
    this.#inFlight.delete(delivery);
    this.#unrecorded++;
    if (verdict.opened) this.#reader.forget();
    if (this.#order.first()) this.#deps.turn.add(this);
    return verdict;
  }

  /** Derives the start of the failure from recorded attempts, and stores it if it is new. */
  async remember({ since, outcome, http_status: httpStatus }: Failures): Promise<void> {
    const destination = this.follow();
    const reason = failureOf({ outcome, httpStatus });
    const note = this.#isActive ? this.#health.remember(Date.parse(since), reason, this.#deps.clock()) : null;
    if (note && destination) await this.keep(note, destination.url);
  }

  /** Stores notes one after the other, so that the last one stays. @param at the URL that the note concerns */
  keep(note: Note, at: string): Promise<void> {
    const kept = this.#kept.then(() => this.#deps.store.destinations.note(this.destinationId, note, at));
    this.#kept = kept.catch(() => this.#health.notKept());
    return kept;
  }

  /**
   * Called when an attempt is recorded.
   * @param againAt when it is retried; null if never
   * @param moved whether the stored delivery had the state that this process knew
   */
  recorded(delivery: HeldDelivery, attempts: number, againAt: number | null, moved: boolean): void {
    this.#unrecorded--;
    this.#reader.leave(delivery, attempts);
    if (!moved) this.#reader.forget();
    if (!moved || againAt === null || !this.#isActive) this.#order.leave(delivery);
    else this.#reader.tryAgain(Object.assign(delivery, { attempts, dueAt: againAt, body: null }));
    this.#goOn();
  }

  /** Returns a delivery to the database unchanged: it was a failed probe, or was not sent. */
  returned(delivery: HeldDelivery): void {
    const isUnsent = this.#inFlight.delete(delivery);
    if (!isUnsent) this.#unrecorded--;
    // The next probe then takes another contact, if there is one.
    this.#reader.putBack(delivery, isUnsent);
    this.#goOn();
  }

  /** Resolves when no read is running. */
  stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    return this.#reader.stopped();
  }

  /** Whether deliveries are sent, even if only as probes. */
  get #isActive(): boolean {
    return this.state === 'sending' || this.state === 'open';
  }

  /** Sends ready deliveries, reads more if needed, and sets the timer for the next due time. */
  #goOn(): void {
    if (this.#isStopped) return;
    const now = this.#deps.clock();
    this.#order.advance(now);
    if (this.#order.first()) this.#deps.turn.add(this);
    this.#reader.readMore(now);
    clearTimeout(this.#timer);
    let wait = Infinity;
    for (const at of [this.#health.breaker.probesAt, this.#order.nextMoment, this.#reader.readsFrom])
      if (at !== null && at > now) wait = Math.min(wait, at - now);
    // After the clock was set back by weeks, the wait would exceed the range of timers.
    if (wait < Infinity) this.#timer = setTimeout(() => this.#goOn(), Math.min(wait, LOOK_AHEAD)).unref();
  }
}

/** The health as the registry knows it. */
const faresOf = (destination: Destination | null): Fares =>
  destination
    ? {
        failing_since: destination.failingSince,
        failing_seconds: destination.failingSeconds,
        last_tried_at: destination.lastTriedAt,
      }
    : WORKS;
