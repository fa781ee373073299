import { performance } from 'node:perf_hooks';
import { type Store } from '../store/database';
import { SECOND } from '../time';

/** A process that has not said for this long that it lives is taken for gone, and others take what it held. */
const ALIVE = 12 * SECOND;
/** Between two times that it says so; the second is for when the last has failed. */
const BEAT = 3 * SECOND;
const BEAT_AGAIN = SECOND;
/** Some time before others take it for gone, a process that could not say that it lives sends nothing more. */
const MARGIN = 3 * SECOND;
/** A process that starts, or could not reach the database, leaves the others this long to say that they live. */
const GRACE = 2 * BEAT;

/** A process gives some of its destinations up once it owns this many times its share. */
const FAR_MORE = 1.25;

/**
 * To which destinations this process sends. Each has one owner among all processes on a database, so that the order of
 * each contact, the places, the breaker and the ramp hold across all of them.
 *
 * A destination is nobody's until something comes for it; the process that finds it so makes itself its owner, and
 * stays it until it ends, has been silent for too long, or has far more than its share. Who is alive is told by the
 * database's clock; a process knows by its own, which never steps, when it may have been taken for gone.
 */
export interface Ownership {
  owns(destinationId: number): boolean;
  /** Whether nobody can have taken this process for gone. */
  isSure(): boolean;
  /** Sees to it that each has an owner, where that can be. Null where nothing is to be waited for. */
  settle(destinationIds: number[]): Promise<void> | null;
  /** Forgets who owns them; all, where none are named. */
  forgetOthers(destinationIds?: number[]): void;
  /** Says that this process lives, and begins to say so from time to time. */
  start(): Promise<void>;
  /** Learns who owns what, and takes from processes that nobody knows what they hold, where that is asked. */
  refresh(alsoUnknown: boolean): Promise<void>;
  /** What this process owns beyond its share, of those that are idle. */
  excess(isIdle: (destinationId: number) => boolean): Promise<number[]>;
  /** Gives up those of which it holds nothing. @param held resolves once what is being recorded or claimed is known */
  giveUp(destinationIds: number[], held: () => Promise<unknown>): Promise<void>;
  /** Gives back all that it holds. */
  leave(): Promise<void>;
}

export interface OwnershipDeps {
  store: Store;
  processId: string;
  /** Told of destinations that have become this process's. */
  acquired(destinationIds: number[]): Promise<void>;
  /** Told of destinations that are its own no longer. */
  lost(destinationIds: number[]): void;
  /** Told once it is known again that nobody can have taken this process for gone. */
  sure(): void;
  log: { error(fields: object, message: string): void };
}

export const createOwnership = (deps: OwnershipDeps): Ownership =>
  deps.store.dialect === 'sqlite' ? ownerOfAll(deps) : ownerAmongOthers(deps);

/** A SQLite file serves one gateway: everything is its own. Whatever holds claims when it starts is gone. */
const ownerOfAll = ({ store, processId }: OwnershipDeps): Ownership => ({
  owns: () => true,
  isSure: () => true,
  settle: () => null,
  forgetOthers: () => undefined,
  async start() {
    await store.processes.removeAll();
    await store.processes.keepAlive(processId, 0);
  },
  refresh: async (alsoUnknown) => {
    if (alsoUnknown) await store.processes.clearUnknown();
  },
  excess: async () => [],
  giveUp: async () => undefined,
  leave: () => store.processes.leave(processId),
});

function ownerAmongOthers({ store, processId, log, ...told }: OwnershipDeps): Ownership {
  /** By destination; those that nobody is known to own are not in it. */
  let owners = new Map<number, string>();
  /** Given up of late, for others to take: they count in the shares all the same. */
  const offered = new Set<number>();
  /** One change after the other. */
  let settling: Promise<void> | null = null;
  let sureUntil = Number.NEGATIVE_INFINITY;
  /** From then on others that are silent are taken for gone: who has just come cannot know whether they could speak. */
  let judgesFrom = Number.POSITIVE_INFINITY;
  let beating: NodeJS.Timeout | undefined;
  let lastBeat: Promise<void> = Promise.resolve();
  let clearing: Promise<void> | null = null;
  let stopped = false;

  const isSure = () => performance.now() < sureUntil;
  const own = () => [...owners].flatMap(([id, owner]) => (owner === processId ? [id] : []));

  function change(work: () => Promise<void>): Promise<void> {
    const changed = (settling ?? Promise.resolve()).then(work);
    const settled = changed
      .catch(() => undefined)
      .then(() => {
        if (settling === settled) settling = null;
      });
    settling = settled;
    return changed;
  }

  async function acquire(ids: number[]): Promise<void> {
    const unknown = ids.filter((id) => !owners.has(id));
    if (!unknown.length || !isSure()) return;
    const rows = await store.owners.acquire(processId, unknown);
    const acquired = rows.flatMap(({ destination_id: id, process_id: owner }) =>
      owner === processId ? [id] : [],
    );
    await told.acquired(acquired);
    rows.forEach(({ destination_id: id, process_id: owner }) => owners.set(id, owner));
  }

  function loseAll(): void {
    const lost = own();
    owners = new Map();
    told.lost(lost);
  }

  async function sayAlive(): Promise<void> {
    const began = performance.now();
    const wasKnown = await store.processes.keepAlive(processId, ALIVE / SECOND);
    // What it had is with others by now, and what it asks for just now may be.
    if (!wasKnown) await change(async () => loseAll());
    if (began > sureUntil + MARGIN && wasKnown) await change(learn);
    // One that leaves sends nothing more.
    if (stopped) return;
    const wasSure = isSure();
    sureUntil = began + ALIVE - MARGIN;
    if (!wasSure) told.sure();
    if (performance.now() >= judgesFrom) clearEnded();
  }

  /** Beside the beat: what one that ended has left locked is no reason to be taken for gone as well. */
  function clearEnded(): void {
    clearing ??= store.processes
      .clearEnded()
      .catch((error: unknown) =>
        log.error({ error }, 'what ended processes held is not taken yet: tried again in 3 seconds'),
      )
      .finally(() => {
        clearing = null;
      });
  }

  /** Reads who owns what. */
  async function learn(): Promise<void> {
    const rows = await store.owners.all();
    const before = new Set(own());
    const now = new Map(rows.map(({ destination_id: id, process_id: owner }) => [id, owner]));
    await told.acquired(
      [...now].flatMap(([id, owner]) => (owner === processId && !before.has(id) ? [id] : [])),
    );
    owners = now;
    told.lost([...before].filter((id) => now.get(id) !== processId));
  }

  function beat(): void {
    lastBeat = sayAlive()
      .then(
        () => BEAT,
        (error: unknown) => {
          log.error(
            { error },
            'the database was not told that this process lives: nothing is sent once that lasts for 9 seconds',
          );
          judgesFrom = performance.now() + GRACE;
          return BEAT_AGAIN;
        },
      )
      .then((wait) => {
        if (!stopped) beating = setTimeout(beat, wait).unref();
      });
  }

  return {
    owns: (id) => owners.get(id) === processId,
    isSure,

    settle(ids) {
      if (settling) return change(() => acquire(ids));
      return isSure() && ids.some((id) => !owners.has(id)) ? change(() => acquire(ids)) : null;
    },

    forgetOthers(ids = [...owners.keys()]) {
      for (const id of ids) if (owners.get(id) !== processId) owners.delete(id);
    },

    async start() {
      judgesFrom = performance.now() + GRACE;
      await sayAlive();
      beating = setTimeout(beat, BEAT);
    },

    async refresh(alsoUnknown) {
      if (alsoUnknown) {
        offered.clear();
        await store.processes.clearUnknown();
      }
      await change(learn);
    },

    async excess(isIdle) {
      const mine = own();
      const all = new Set([...owners.keys(), ...offered]).size;
      const share = Math.ceil(all / (await store.processes.count()));
      return mine.length > share * FAR_MORE + 1 ? mine.filter(isIdle).slice(0, mine.length - share) : [];
    },

    giveUp: (ids, held) =>
      change(async () => {
        // From now on nothing fresh is taken into memory for them.
        ids.forEach((id) => owners.delete(id));
        await held();
        // Where this fails it is not known who owns them, until it is read again.
        const given = new Set(await store.owners.giveUp(processId, ids));
        ids.forEach((id) => (given.has(id) ? offered.add(id) : owners.set(id, processId)));
        told.lost([...given]);
      }),

    async leave() {
      stopped = true;
      sureUntil = Number.NEGATIVE_INFINITY;
      clearTimeout(beating);
      // Neither may make it known again.
      await Promise.all([lastBeat, settling, clearing]);
      await store.processes.leave(processId);
    },
  };
}
