import { performance } from 'node:perf_hooks';
import { type ProcessRoles } from '../process-roles';
import { type OwnerTable } from '../store/schema';
import { type Store } from '../store/store';
import { SECOND } from '../time';
import { type Fares } from './queue/health';

/** A process without a heartbeat for this long counts as dead, and its leases end. */
const LEASE_DURATION = 12 * SECOND;
/** The time between heartbeats; the second value applies after a failed heartbeat. */
const HEARTBEAT = 3 * SECOND;
const HEARTBEAT_AGAIN = SECOND;
/** A process whose heartbeats fail stops sending this long before others count it as dead. */
const MARGIN = 3 * SECOND;
/**
 * How long a process that started, or lost the database, waits for heartbeats of others before it counts them as
 * dead.
 */
const GRACE = 2 * HEARTBEAT;
/** A process releases destinations if it owns this many times its share. */
const FAR_MORE = 1.25;

/**
 * The time between checks for running transactions at the start of a lease, doubled after each check up to the second
 * value.
 */
const SETTLE_AGAIN = 20;
const SETTLE_SELDOM = SECOND;

const NEVER = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };

/** The right to send to a destination. Each acquisition creates a new object. */
export interface Lease {
  /**
   * Resolves when every transaction that was recording at the start of the lease has ended; null afterwards. Until
   * then, deliveries may appear that were recorded for the previous owner.
   */
  settling: Promise<void> | null;
  /** The health that the last owner of each destination stored, by destination id. */
  readonly health: ReadonlyMap<number, Fares>;
}

export interface LeaseDeps {
  store: Store;
  /** New after each start. */
  processId: string;
  /** Without `deliver`, the process gets no lease. */
  roles: ProcessRoles;
  log: Record<'error' | 'warn', (fields: object, message: string) => void>;
}

export type DestinationLeases = Pick<SharedLeases, keyof SharedLeases>;

export const destinationLeases = (deps: LeaseDeps): DestinationLeases =>
  deps.store.dialect === 'sqlite' ? new LeasesOfAll(deps) : new SharedLeases(deps);

const SETTLED = Promise.resolve();

/** The leases on SQLite: a database file serves one gateway, which owns every destination. */
class LeasesOfAll implements DestinationLeases {
  readonly #deps: LeaseDeps;
  readonly #lease: Lease = { settling: null, health: new Map() };

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
  }

  of = (): Lease => this.#lease;
  isSure = (): boolean => true;
  settle = (): Promise<void> => SETTLED;
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
 * The destinations that this process sends to. Each destination has one owner among all processes on a database, so
 * that contact order, the in-flight limit and the breaker hold across processes. The lease is the only right to send.
 *
 * The first process that finds a delivery for a destination without an owner becomes its owner. It remains the owner
 * until it stops, misses its heartbeats, or owns far more than its share. The database's clock decides which process
 * is alive. A process uses two local clocks to know when others may consider it dead: the monotonic clock, and the
 * wall clock, which also runs while the machine sleeps.
 */
class SharedLeases implements DestinationLeases {
  readonly #deps: LeaseDeps;
  /** Destinations that are known to have an owner, in any process. */
  readonly #owned = new Set<number>();
  readonly #leases = new Map<number, Lease>();
  /** Recently released for other processes. They still count toward the shares. */
  readonly #offered = new Set<number>();
  /** Resolves after the last change. Changes run one after the other. */
  #changing: Promise<void> = Promise.resolve();
  #sureUntil = NEVER;
  /** From this time on, silent processes count as dead. Before, they may have lost the database as well. */
  #judgesFrom = Number.POSITIVE_INFINITY;
  #heartbeat: NodeJS.Timeout | undefined;
  #lastHeartbeat: Promise<void> = Promise.resolve();
  #isLeaving = false;
  /** A stable name by which other processes recognise this one after a restart. */
  #name = '';

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
  }

  /** This process's lease on a destination; null if it has none. */
  of = (destinationId: number): Lease | null => this.#leases.get(destinationId) ?? null;

  /** Whether no other process can count this one as dead. */
  isSure = (): boolean => performance.now() < this.#sureUntil.monotonic && Date.now() < this.#sureUntil.wall;

  /** Sends the first heartbeat and schedules the next. */
  async start(): Promise<void> {
    const { store, processId, roles } = this.#deps;
    this.#judgesFrom = performance.now() + GRACE;
    // Two processes may share a name, and the second must not take over the leases of the first.
    const isAlone = await store.holdProcessName();
    this.#name = isAlone ? store.processName : `${store.processName} ${processId}`;
    await this.#sayAlive();
    if (isAlone) await store.processes.succeed(processId, this.#name, roles.has('deliver'));
    this.#sayAliveIn(HEARTBEAT);
  }

  /** Makes this process the owner of those destinations that have none, if it may send. */
  async settle(destinationIds: number[]): Promise<void> {
    if (destinationIds.every((id) => this.#owned.has(id))) return;
    await this.#change(async () => {
      const ids = destinationIds.filter((id) => !this.#owned.has(id));
      if (!ids.length || !this.isSure()) return;
      await this.#learn(await this.#deps.store.owners.acquire(this.#deps.processId, ids));
    });
  }

  /** Forgets the owners of destinations that belong to other processes. */
  forgetOthers(destinationIds: Iterable<number> = this.#owned): void {
    for (const id of destinationIds) if (!this.#leases.has(id)) this.#owned.delete(id);
  }

  /**
   * Ends leases of silent processes and reads all owners. @param alsoUnknown also ends leases of unknown processes
   */
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

  /** Releases idle destinations beyond this process's share. */
  async shareOut(isIdle: (destinationId: number) => boolean): Promise<void> {
    const { store, processId } = this.#deps;
    const own = [...this.#leases.keys()];
    const all = new Set([...this.#owned, ...this.#offered]).size;
    const share = Math.ceil(all / (await store.processes.count('deliver')));
    if (own.length <= share * FAR_MORE + 1) return;
    await this.#change(async () => {
      const excess = own.filter(isIdle).slice(0, own.length - share);
      if (!excess.length) return;
      // Stop sending before the release. If the release fails, the owner is unknown until the next read.
      for (const id of excess) [this.#leases, this.#owned].forEach((known) => known.delete(id));
      (await store.owners.giveUp(processId, excess)).forEach((id) => this.#offered.add(id));
    });
  }

  /** Ends all leases of this process. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    this.#sureUntil = NEVER;
    clearTimeout(this.#heartbeat);
    // A heartbeat or change still running could register this process again.
    await Promise.all([this.#lastHeartbeat, this.#changing]);
    await this.#deps.store.processes.leave(this.#deps.processId);
  }

  #change(work: () => Promise<void>): Promise<void> {
    const changed = this.#changing.then(work);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  /** @param rows the owners of all destinations */
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

  /** Called after the ownership is stored, so that processes that record later see the new owner. */
  async #leaseOn(destinationIds: number[]): Promise<Lease> {
    const { owners, destinations } = this.#deps.store;
    const open = await owners.openRecordings();
    const health = await destinations.healthOf(destinationIds);
    const lease: Lease = { settling: null, health: new Map(health.map((one) => [one.id, one])) };
    if (open.length) lease.settling = this.#ended(open).then(() => void (lease.settling = null));
    return lease;
  }

  /** Resolves when these transactions have ended. */
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
    const { store, processId, roles } = this.#deps;
    const [monotonic, wall] = [performance.now(), Date.now()];
    const wasKnown = await store.processes.keepAlive(processId, this.#name, LEASE_DURATION / SECOND, roles);
    // Others may have taken over destinations of this process; all of them if they no longer knew it.
    if (!wasKnown || monotonic > this.#sureUntil.monotonic + MARGIN)
      await this.#change(async () => this.#learnAll(wasKnown ? await store.owners.all() : []));
    // A process that is leaving sends no more heartbeats.
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
