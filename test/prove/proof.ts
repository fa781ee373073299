/** The database of a proof; one that needs no database runs once. */
export type Ground = 'SQLite' | 'PostgreSQL' | 'no database';

/**
 * A long-running proof of a promise, as a black box: real gateway processes, a real database, real HTTP on
 * both sides, and real faults.
 */
export interface Proof<Sizes extends Record<string, number> = Record<string, number>> {
  /** The name on the command line: `npm run prove -- kill-storm`. */
  name: string;
  /** The proven statement, in one sentence. */
  proves: string;
  on: readonly Ground[];
  /** The full sizes. Each can be reduced: `--events 500`. */
  sizes: Sizes;
  /** @throws CannotRun if this machine lacks a requirement */
  run(stage: Stage<Sizes>): Promise<Report>;
}

/** The environment of a proof. */
export interface Stage<Sizes extends Record<string, number> = Record<string, number>> {
  ground: Ground;
  /** URL of its own empty database. */
  databaseUrl: string;
  /** Its own empty folder. */
  folder: string;
  sizes: Sizes;
  /** Random number from 0 to 1, reproducible by the seed. */
  random: () => number;
  /** Registers clean-up after the proof, in reverse order, even if it fails. */
  atEnd(work: () => unknown): void;
  /** Reports progress. */
  tell(text: string): void;
}

export interface Report {
  /** Measurements, in the order of output. */
  figures: Record<string, string | number>;
  /** One sentence per broken promise; empty if proved. */
  faults: string[];
}

/** This machine lacks a requirement. The message says which one and how to get it. */
export class CannotRun extends Error {}

/** A stage with its clean-up. */
export interface SetStage<Sizes extends Record<string, number>> extends Stage<Sizes> {
  /** Runs the registered clean-up. */
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

/**
 * Mulberry32: small, and the same on every machine.
 * @param seed a whole number
 */
function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
