import fc from 'fast-check';
import { DAY, HOUR, MINUTE, SECOND } from '../../../../gateway/time';
import { MANNERS, type ModelDestination } from './receivers';
import { openWorld, type Trap, type World } from './world';

type Nothing = object;

/** One thing that happens; afterwards nothing may be found that must not be. */
class Happening implements fc.AsyncCommand<Nothing, World> {
  constructor(
    private readonly words: string,
    private readonly happens: (world: World) => Promise<unknown>,
  ) {}

  check = (): boolean => true;

  async run(_: Nothing, world: World): Promise<void> {
    await this.happens(world);
    await world.settled();
    world.check();
  }

  toString = (): string => this.words;
}

const at =
  (which: number, happens: (world: World, destination: ModelDestination) => Promise<unknown> | void) =>
  async (world: World): Promise<void> => {
    const all = world.active();
    const destination = all[which % all.length];
    if (destination) await happens(world, destination);
  };

const index = fc.nat({ max: 2 });
const TRAPS: Trap[] = (['attempt', 'notification', 'read'] as const).flatMap((place) =>
  (['before', 'after'] as const).map((when) => ({ at: place, when })),
);

const writes = fc
  .tuple(fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 }), index)
  .map(
    ([contacts, process]) =>
      new Happening(`write(${contacts.join()})`, (world) => world.write(contacts, process)),
  );
const manner = fc.tuple(index, fc.constantFrom(...MANNERS)).map(
  ([which, word]) =>
    new Happening(
      `${which} ${word}`,
      at(which, (world, destination) => world.setManner(destination, word)),
    ),
);
const passes = fc
  .constantFrom(SECOND, 4 * SECOND, 20 * SECOND, 40 * SECOND, 2 * MINUTE)
  .map((wait) => new Happening(`pass(${wait / SECOND} s)`, (world) => world.pass(wait)));
const leaps = fc
  .constantFrom(12 * MINUTE, HOUR, 5 * HOUR, 25 * HOUR, 3 * DAY)
  .map((wait) => new Happening(`leap(${wait / MINUTE} min)`, (world) => world.leap(wait)));
const crash = fc
  .tuple(index, fc.constantFrom(null, ...TRAPS))
  .map(
    ([which, trap]) =>
      new Happening(`crash ${which} ${trap ? `${trap.when} ${trap.at}` : 'now'}`, (world) =>
        world.crash(which, trap),
      ),
  );
const others = fc
  .tuple(
    index,
    fc.constantFrom('pause', 'resume', 'replay', 'rotate', 'rotate twice', 'switch', 'restart', 'repeat'),
  )
  .map(([which, word]) => {
    const toDestination = at(which, async (world, destination) => {
      if (word === 'pause') return world.pause(destination);
      if (word === 'resume') return world.resume(destination);
      if (word === 'replay') return world.replay(destination);
      if (word === 'rotate twice') await world.rotate(destination, HOUR);
      return world.rotate(destination, word === 'switch' ? 0 : HOUR);
    });
    return new Happening(`${word} ${which}`, async (world) => {
      if (word === 'restart') return world.restart(which);
      if (word === 'repeat') return world.repeat(which, which);
      return toDestination(world);
    });
  });
const removes = index.map(
  (which) =>
    new Happening(
      `remove ${which}`,
      at(which, async (world, destination) => {
        await world.remove(destination);
        await world.addDestination();
      }),
    ),
);

const happenings = (most: number) =>
  fc.commands([writes, writes, writes, manner, manner, passes, passes, leaps, crash, others, removes], {
    maxCommands: most,
    size: 'max',
  });

/** What came of all runs together. */
export interface ModelFigures {
  runs: number;
  happenings: number;
  totals: Record<string, number>;
}

/**
 * Lets anything happen, in any order, to the real forwarding on a real database, and looks after every step whether a
 * promise was broken. On a failure it tells seed, path and the shortest list of happenings that it found.
 */
export async function runModel({
  createUrl,
  runs,
  processes = 1,
  most = 40,
  seed,
  path,
  asItIs = false,
  told = () => undefined,
}: {
  createUrl(): Promise<string>;
  runs: number;
  processes?: number;
  most?: number;
  seed?: number;
  /** As a failure told it: begins with that run. */
  path?: string;
  /** Tells the first failure as it is, without looking for a shorter one. */
  asItIs?: boolean;
  told?(figures: ModelFigures): void;
}): Promise<ModelFigures> {
  const figures: ModelFigures = { runs: 0, happenings: 0, totals: {} };
  await fc.assert(
    fc.asyncProperty(happenings(most), async (all) => {
      const world = await openWorld(await createUrl(), processes);
      try {
        await world.start();
        await world.addDestination();
        await world.addDestination();
        await fc.asyncModelRun(() => ({ model: {}, real: world }), all);
        await world.drain();
        await world.account();
      } finally {
        await world.close();
      }
      figures.runs++;
      figures.happenings += [...all].length;
      for (const [name, count] of Object.entries(world.counts())) {
        const before = figures.totals[name] ?? 0;
        figures.totals[name] = name.startsWith('most') ? Math.max(before, count) : before + count;
      }
      told(figures);
    }),
    { numRuns: runs, ...(seed !== undefined && { seed }), ...(path && { path }), endOnFailure: asItIs },
  );
  return figures;
}
