/** What a proof runs on; one that needs no database runs once. */
export type Ground = 'SQLite' | 'PostgreSQL' | 'no database';

/**
 * One long proof of a promise. It is a black box to itself: real gateway processes, a real database, real HTTP on both
 * sides, and faults that a machine really has.
 */
export interface Proof<Sizes extends Record<string, number> = Record<string, number>> {
  /** By which it is asked for: `npm run prove -- kill-storm`. */
  name: string;
  /** What holds once it has passed, in one sentence. */
  proves: string;
  on: readonly Ground[];
  /** Its full figures. Each can be given smaller: `--events 500`. */
  sizes: Sizes;
  /** @throws CannotRun where this machine lacks something that it needs */
  run(stage: Stage<Sizes>): Promise<Report>;
}

/** What a proof is given to work with. */
export interface Stage<Sizes extends Record<string, number> = Record<string, number>> {
  ground: Ground;
  /** Of an empty database of its own. */
  databaseUrl: string;
  /** Its own, empty. */
  folder: string;
  sizes: Sizes;
  /** From 0 to 1, the same for the same seed. */
  random: () => number;
  /** Done when the proof is over, however it ends, the last one first. */
  atEnd(work: () => unknown): void;
  /** Says how far it is. */
  tell(text: string): void;
}

export interface Report {
  /** What was seen, in the order in which it is printed. */
  figures: Record<string, string | number>;
  /** Each sentence a promise that did not hold; none: proved. */
  faults: string[];
}

/** Something is missing on this machine. The message says what, and how to get it. */
export class CannotRun extends Error {}

/** A stage of which someone keeps the end. */
export interface SetStage<Sizes extends Record<string, number>> extends Stage<Sizes> {
  /** Does what was asked for at the end. */
  clear(): Promise<void>;
}

export function setStage<Sizes extends Record<string, number>>(
  given: Pick<Stage<Sizes>, 'ground' | 'databaseUrl' | 'folder' | 'sizes' | 'tell'> & { seed: number },
): SetStage<Sizes> {
  const { seed, ...stage } = given;
  const last: (() => unknown)[] = [];
  return {
    ...stage,
    random: randomOf(seed),
    atEnd: (work) => void last.unshift(work),
    async clear() {
      for (const work of last.splice(0)) await work();
    },
  };
}

/** Mulberry32: small, and the same everywhere. @param seed a whole number */
function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
