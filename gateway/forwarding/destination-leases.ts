import { performance } from 'node:perf_hooks';
import { type OwnerTable } from '../store/schema';
import { type Store } from '../store/store';
import { SECOND } from '../time';
import { type Fares } from './queue/health';

/** A process that has not said for this long that it lives is taken for gone, and its leases end. */
const LEASE_DURATION = 12 * SECOND;
/** Between two times that it says so; the second is for when the last has failed. */
const HEARTBEAT = 3 * SECOND;
const HEARTBEAT_AGAIN = SECOND;
/** Some time before others take it for gone, a process that could not say that it lives sends nothing more. */
const MARGIN = 3 * SECOND;
/** A process that starts, or could not reach the database, leaves the others this long to say that they live. */
const GRACE = 2 * HEARTBEAT;
/** A process gives some of its destinations up once it owns this many times its share. */
const FAR_MORE = 1.25;

/** After the beginning of a lease: the wait until it is looked again what is still being recorded grows up to the second. */
const SETTLE_AGAIN = 20;
const SETTLE_SELDOM = SECOND;

const NEVER = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };

/** The right to send to a destination: one for each time that a process gets it. */
export interface Lease {
  /**
   * Resolves once every transaction has ended that was recording when it began; null from then on. What those record may
   * still come.
   */
  settling: Promise<void> | null;
  /** How destinations of other processes fared before, by id. */
  readonly health: ReadonlyMap<number, Fares>;
}

export interface LeaseDeps {
  store: Store;
  /** Of this incarnation: each start has another. */
  processId: string;
  log: Record<'error' | 'warn', (fields: object, message: string) => void>;
}

export type DestinationLeases = Pick<SharedLeases, keyof SharedLeases>;

export const destinationLeases = (deps: LeaseDeps): DestinationLeases =>
  deps.store.dialect === 'sqlite' ? new LeasesOfAll(deps) : new SharedLeases(deps);

/** A SQLite file serves one gateway: everything is its own. */
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
 * To which destinations this process sends. Each has one owner among all processes on a database, so that the order of
 * each contact, what is in flight, and the breaker hold across all of them. The lease is the only right to send.
 *
 * A destination is nobody's until something comes for it; the process that finds it so becomes its owner, and stays it
 * until it ends, has been silent for too long, or has far more than its share. Who is alive is told by the database's
 * clock. A process knows by two clocks of its own when it may have been taken for gone: by one that never steps, and by
 * the wall's, which goes on while the machine sleeps.
 */
class SharedLeases implements DestinationLeases {
  readonly #deps: LeaseDeps;
  /** Destinations that somebody is known to own. */
  readonly #owned = new Set<number>();
  readonly #leases = new Map<number, Lease>();
  /** Given up of late, for others to take: they count in the shares all the same. */
  readonly #offered = new Set<number>();
  /** One change after the other. */
  #changing: Promise<void> = Promise.resolve();
  #sureUntil = NEVER;
  /** From then on others that are silent are taken for gone: who has just come cannot know whether they could speak. */
  #judgesFrom = Number.POSITIVE_INFINITY;
  #heartbeat: NodeJS.Timeout | undefined;
  #lastHeartbeat: Promise<void> = Promise.resolve();
  #isLeaving = false;
  /** By which it is known again after a restart. */
  #name = '';

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
  }

  /** The lease that this process has on a destination. */
  of = (destinationId: number): Lease | null => this.#leases.get(destinationId) ?? null;

  /** Whether nobody can have taken this process for gone. */
  isSure = (): boolean => performance.now() < this.#sureUntil.monotonic && Date.now() < this.#sureUntil.wall;

  /** Says that this process lives, and begins to say so from time to time. */
  async start(): Promise<void> {
    const { store, processId } = this.#deps;
    this.#judgesFrom = performance.now() + GRACE;
    // Two processes of one name are two processes: the second is not taken for the first.
    const isAlone = await store.holdProcessName();
    this.#name = isAlone ? store.processName : `${store.processName} ${processId}`;
    await this.#sayAlive();
    if (isAlone) await store.processes.succeed(processId, this.#name);
    this.#sayAliveIn(HEARTBEAT);
  }

  /** Sees to it that each has an owner, where that can be. */
  async settle(destinationIds: number[]): Promise<void> {
    if (destinationIds.every((id) => this.#owned.has(id))) return;
    await this.#change(async () => {
      const ids = destinationIds.filter((id) => !this.#owned.has(id));
      if (!ids.length || !this.isSure()) return;
      await this.#learn(await this.#deps.store.owners.acquire(this.#deps.processId, ids));
    });
  }

  /** Others are known to have become nobody's. */
  forgetOthers(destinationIds: Iterable<number> = this.#owned): void {
    for (const id of destinationIds) if (!this.#leases.has(id)) this.#owned.delete(id);
  }

  /** Ends leases of processes that are silent, and learns who owns what. @param alsoUnknown also of those that nobody knows */
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

  /** Leaves what is idle and beyond its share to others. */
  async shareOut(isIdle: (destinationId: number) => boolean): Promise<void> {
    const { store, processId } = this.#deps;
    const own = [...this.#leases.keys()];
    const all = new Set([...this.#owned, ...this.#offered]).size;
    const share = Math.ceil(all / (await store.processes.count()));
    if (own.length <= share * FAR_MORE + 1) return;
    await this.#change(async () => {
      const excess = own.filter(isIdle).slice(0, own.length - share);
      if (!excess.length) return;
      // Nothing is sent there from now on. Where this fails it is not known who owns them, until it is read again.
      for (const id of excess) [this.#leases, this.#owned].forEach((known) => known.delete(id));
      (await store.owners.giveUp(processId, excess)).forEach((id) => this.#offered.add(id));
    });
  }

  /** Ends all its leases. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    this.#sureUntil = NEVER;
    clearTimeout(this.#heartbeat);
    // Neither may make it known again.
    await Promise.all([this.#lastHeartbeat, this.#changing]);
    await this.#deps.store.processes.leave(this.#deps.processId);
  }

  #change(work: () => Promise<void>): Promise<void> {
    const changed = this.#changing.then(work);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  /** @param rows all that there are */
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

  /** Asked once they are its own: whoever records from now on sees that. */
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
    // What it had may be with others by now; where it was not known any more all of it is.
    if (!wasKnown || monotonic > this.#sureUntil.monotonic + MARGIN)
      await this.#change(async () => this.#learnAll(wasKnown ? await store.owners.all() : []));
    // One that leaves sends nothing more.
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
            'the database was not told that this process lives: nothing is sent once that lasts for 9 seconds',
          );
          this.#deps.store.doubtWrites();
          this.#judgesFrom = performance.now() + GRACE;
          this.#sayAliveIn(HEARTBEAT_AGAIN);
        },
      );
    }, wait).unref();
  }
}
