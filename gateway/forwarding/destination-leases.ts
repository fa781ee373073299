import { performance } from 'node:perf_hooks';
import { type OwnerTable } from '../store/schema';
import { type Store } from '../store/store';
import { SECOND } from '../time';
import { type Fares } from './queue/health';

/** A process without a heartbeat for this long counts as gone, and its leases end. */
const LEASE_DURATION = 12 * SECOND;
/** Between two heartbeats; the second after one that failed. */
const HEARTBEAT = 3 * SECOND;
const HEARTBEAT_AGAIN = SECOND;
/** A process whose heartbeats fail stops sending this long before the others count it as gone. */
const MARGIN = 3 * SECOND;
/** A process that has started, or could not reach the database, gives the others this long for a heartbeat. */
const GRACE = 2 * HEARTBEAT;
/** A process gives up destinations if it owns this many times its share. */
const FAR_MORE = 1.25;

/**
 * At the start of a lease: the time between two checks for running transactions, doubled each time up to the
 * second value.
 */
const SETTLE_AGAIN = 20;
const SETTLE_SELDOM = SECOND;

const NEVER = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };

/** The right to send to a destination: a new object each time that a process gets it. */
export interface Lease {
  /**
   * Resolves once every transaction has ended that was recording when the lease began; null from then on. Until then,
   * deliveries may appear that their recorder left to the previous owner.
   */
  settling: Promise<void> | null;
  /** The health of destinations when their last owner stored it, by id. */
  readonly health: ReadonlyMap<number, Fares>;
}

export interface LeaseDeps {
  store: Store;
  /** Another one after each start. */
  processId: string;
  log: Record<'error' | 'warn', (fields: object, message: string) => void>;
}

export type DestinationLeases = Pick<SharedLeases, keyof SharedLeases>;

export const destinationLeases = (deps: LeaseDeps): DestinationLeases =>
  deps.store.dialect === 'sqlite' ? new LeasesOfAll(deps) : new SharedLeases(deps);

/** A SQLite file serves one gateway, which owns everything. */
class LeasesOfAll implements DestinationLeases {
  readonly #deps: LeaseDeps;
  readonly #lease: Lease = { settling: null, health: new Map() };

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
  }

  of = (): Lease => this.#lease;
  isSure = (): boolean => true;
  settle = async (): Promise<void> => undefined;
  forgetOthers = (): void => undefined;
  shareOut = async (): Promise<void> => undefined;
  refresh = async (): Promise<void> => undefined;

  async start(): Promise<void> {
    const { store, processId } = this.#deps;
    await store.processes.removeAll();
    await store.processes.keepAlive(processId, store.processName, 0);
  }

  leave(): Promise<void> {
    return this.#deps.store.processes.leave(this.#deps.processId);
  }
}

/**
 * The destinations that this process sends to. Each destination has one owner among all processes on a
 * database, so that the order of each contact, the limit in flight and the breaker hold across all of them.
 * The lease is the only right to send.
 *
 * The first process that finds something for a destination without an owner becomes its owner. It stays the
 * owner until it ends, misses its heartbeats, or has far more than its share. The database's clock decides
 * which process is alive. A process uses two clocks of its own to know when the others may consider it gone:
 * a monotonic one, and the wall clock, which also runs while the machine sleeps.
 */
class SharedLeases implements DestinationLeases {
  readonly #deps: LeaseDeps;
  /** Destinations that are known to have an owner. */
  readonly #owned = new Set<number>();
  readonly #leases = new Map<number, Lease>();
  /** Recently given up for others to take. They still count in the shares. */
  readonly #offered = new Set<number>();
  /** Resolves after the last change: changes run one after the other. */
  #changing: Promise<void> = Promise.resolve();
  #sureUntil = NEVER;
  /** From then on, silent processes count as gone. Before, the database may have been away for them as well. */
  #judgesFrom = Number.POSITIVE_INFINITY;
  #heartbeat: NodeJS.Timeout | undefined;
  #lastHeartbeat: Promise<void> = Promise.resolve();
  #isLeaving = false;
  /** The name by which the others know this process again after a restart. */
  #name = '';

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
  }

  /** The lease that this process has on a destination. */
  of = (destinationId: number): Lease | null => this.#leases.get(destinationId) ?? null;

  /** Whether no other process can count this one as gone. */
  isSure = (): boolean => performance.now() < this.#sureUntil.monotonic && Date.now() < this.#sureUntil.wall;

  /** Makes the first heartbeat and plans the next. */
  async start(): Promise<void> {
    const { store, processId } = this.#deps;
    this.#judgesFrom = performance.now() + GRACE;
    // Two processes may have one name: the second must not take over from the first.
    const isAlone = await store.holdProcessName();
    this.#name = isAlone ? store.processName : `${store.processName} ${processId}`;
    await this.#sayAlive();
    if (isAlone) await store.processes.succeed(processId, this.#name);
    this.#sayAliveIn(HEARTBEAT);
  }

  /** Makes this process the owner of destinations that have none, if it may be. */
  async settle(destinationIds: number[]): Promise<void> {
    if (destinationIds.every((id) => this.#owned.has(id))) return;
    await this.#change(async () => {
      const ids = destinationIds.filter((id) => !this.#owned.has(id));
      if (!ids.length || !this.isSure()) return;
      await this.#learn(await this.#deps.store.owners.acquire(this.#deps.processId, ids));
    });
  }

  /** Destinations of other processes no longer have an owner. */
  forgetOthers(destinationIds: Iterable<number> = this.#owned): void {
    for (const id of destinationIds) if (!this.#leases.has(id)) this.#owned.delete(id);
  }

  /** Ends leases of silent processes and reads who owns what. @param alsoUnknown ends leases of unknown processes too */
  async refresh(alsoUnknown: boolean): Promise<void> {
    const { processes, owners } = this.#deps.store;
    if (this.isSure() && performance.now() >= this.#judgesFrom)
      for (const process of await processes.clearEnded())
        this.#deps.log.warn({ process }, 'a process is gone without having been stopped: others take over');
    if (alsoUnknown) {
      this.#offered.clear();
      await processes.clearUnknown();
    }
    await this.#change(async () => this.#learnAll(await owners.all()));
  }

  /** Gives up idle destinations beyond its share. */
  async shareOut(isIdle: (destinationId: number) => boolean): Promise<void> {
    const { store, processId } = this.#deps;
    const own = [...this.#leases.keys()];
    const all = new Set([...this.#owned, ...this.#offered]).size;
    const share = Math.ceil(all / (await store.processes.count()));
    if (own.length <= share * FAR_MORE + 1) return;
    await this.#change(async () => {
      const excess = own.filter(isIdle).slice(0, own.length - share);
      if (!excess.length) return;
      // Nothing is sent there from now on. If this fails, the owner is unknown until the next read.
      for (const id of excess) [this.#leases, this.#owned].forEach((known) => known.delete(id));
      (await store.owners.giveUp(processId, excess)).forEach((id) => this.#offered.add(id));
    });
  }

  /** Ends all its leases. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    this.#sureUntil = NEVER;
    clearTimeout(this.#heartbeat);
    // Neither may register this process again.
    await Promise.all([this.#lastHeartbeat, this.#changing]);
    await this.#deps.store.processes.leave(this.#deps.processId);
  }

  #change(work: () => Promise<void>): Promise<void> {
    const changed = this.#changing.then(work);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  /** @param rows all owners */
  async #learnAll(rows: OwnerTable[]): Promise<void> {
    const own = new Set(this.#ownOf(rows));
    for (const id of this.#leases.keys()) if (!own.has(id)) this.#leases.delete(id);
    this.#owned.clear();
    await this.#learn(rows);
  }

  async #learn(rows: OwnerTable[]): Promise<void> {
    const fresh = this.#ownOf(rows).filter((id) => !this.#leases.has(id));
    const lease = fresh.length ? await this.#leaseOn(fresh) : null;
    rows.forEach(({ destination_id: id }) => this.#owned.add(id));
    if (lease) fresh.forEach((id) => this.#leases.set(id, lease));
  }

  #ownOf(rows: OwnerTable[]): number[] {
    return rows.flatMap((row) => (row.process_id === this.#deps.processId ? row.destination_id : []));
  }

  /** Called once the destinations are its own, so that processes that record from now on see it. */
  async #leaseOn(destinationIds: number[]): Promise<Lease> {
    const { owners, destinations } = this.#deps.store;
    const open = await owners.openRecordings();
    const health = await destinations.healthOf(destinationIds);
    const lease: Lease = { settling: null, health: new Map(health.map((one) => [one.id, one])) };
    if (open.length) lease.settling = this.#ended(open).then(() => void (lease.settling = null));
    return lease;
  }

  /** Resolves once these transactions have ended. */
  async #ended(transactions: string[]): Promise<void> {
    let open = transactions;
    for (let wait = SETTLE_AGAIN; open.length; wait = Math.min(2 * wait, SETTLE_SELDOM)) {
      await new Promise((resolve) => setTimeout(resolve, wait).unref());
      if (this.#isLeaving) return;
      const now = new Set(await this.#deps.store.owners.openRecordings().catch(() => open));
      open = open.filter((one) => now.has(one));
    }
  }

  async #sayAlive(): Promise<void> {
    const { store, processId } = this.#deps;
    const [monotonic, wall] = [performance.now(), Date.now()];
    const wasKnown = await store.processes.keepAlive(processId, this.#name, LEASE_DURATION / SECOND);
    // Others may have taken over its destinations; all of them if the process was no longer known.
    if (!wasKnown || monotonic > this.#sureUntil.monotonic + MARGIN)
      await this.#change(async () => this.#learnAll(wasKnown ? await store.owners.all() : []));
    // A process that leaves sends nothing more.
    if (this.#isLeaving) return;
    const lasts = LEASE_DURATION - MARGIN;
    this.#sureUntil = { monotonic: monotonic + lasts, wall: wall + lasts };
  }

  #sayAliveIn(wait: number): void {
    if (this.#isLeaving) return;
    this.#heartbeat = setTimeout(() => {
      this.#lastHeartbeat = this.#sayAlive().then(
        () => this.#sayAliveIn(HEARTBEAT),
        (error: unknown) => {
          this.#deps.log.error(
            { error },
            'heartbeat not stored: after 9 seconds without one nothing is sent',
          );
          this.#deps.store.doubtWrites();
          this.#judgesFrom = performance.now() + GRACE;
          this.#sayAliveIn(HEARTBEAT_AGAIN);
        },
      );
    }, wait).unref();
  }
}
