import { FIRST_LIMIT, MOST_LIMIT } from './concurrency-limit';

/** Attempts at once, of all destinations. */
const MOST_IN_FLIGHT = 1024;
/** Characters of their bodies: most have 1,000, one may have 3 million. */
const MOST_SIZE = 64 * 1024 * 1024;
/** Beside them, one at a time for each destination that answers quickly. */
const RESERVE = 256;
/** A body that goes by the reserve has no more characters than this. */
const MOST_SIZE_IN_RESERVE = 64 * 1024;
/** Of these, for destinations of one line that were never asked. */
const RESERVE_FOR_UNKNOWN = 4;

/** Who wants to send. */
export interface Sender {
  lineId: number;
  host: string;
  /** What is in flight to the destination already. */
  inFlight: number;
  /** Whether its last answer came quickly; null where it was never asked. */
  isQuick: boolean | null;
  /** Characters of the body that it sends next. */
  size: number;
}

/** The right to one attempt, until it is released. */
export interface Permit {
  release(): void;
}

/**
 * What is in flight in all, shared out so that no line delays another: a line takes no more than half of what the others
 * leave, and a host no more than 24 beyond the first 8 of each of its destinations. However many destinations of a line
 * hang, one that answers quickly is sent to at once, one event at a time, by a reserve.
 */
export class InFlight {
  #all = 0;
  #size = 0;
  readonly #ofLine = new Map<number, { count: number; size: number }>();
  readonly #beyondFirst = new Map<string, number>();
  readonly #reserved = new Map<number, { count: number; unknown: number }>();
  #reservedInAll = 0;

  /** @returns null where there is no place for it now */
  take(sender: Sender): Permit | null {
    return this.#takeShared(sender) ?? this.#takeReserved(sender);
  }

  #takeShared({ lineId, host, inFlight, size }: Sender): Permit | null {
    const line = this.#ofLine.get(lineId) ?? { count: 0, size: 0 };
    const share = (MOST_IN_FLIGHT - this.#all + line.count) / 2;
    // The second half of it is for one attempt to each destination, so that a few that hang do not take all.
    if (line.count >= (inFlight > 0 ? share / 2 : share)) return null;
    if (line.count > 0 && line.size + size > (MOST_SIZE - this.#size + line.size) / 2) return null;
    const isBeyond = inFlight >= FIRST_LIMIT;
    const beyond = this.#beyondFirst.get(host) ?? 0;
    if (isBeyond && beyond >= MOST_LIMIT - FIRST_LIMIT) return null;
    const change = (by: 1 | -1) => {
      this.#all += by;
      this.#size += by * size;
      line.count += by;
      line.size += by * size;
      if (line.count) this.#ofLine.set(lineId, line);
      else this.#ofLine.delete(lineId);
      if (isBeyond) count(this.#beyondFirst, host, by);
    };
    change(1);
    return { release: () => change(-1) };
  }

  #takeReserved({ lineId, inFlight, isQuick, size }: Sender): Permit | null {
    if (inFlight > 0 || isQuick === false || size > MOST_SIZE_IN_RESERVE) return null;
    const line = this.#reserved.get(lineId) ?? { count: 0, unknown: 0 };
    if (line.count >= (RESERVE - this.#reservedInAll + line.count) / 2) return null;
    if (isQuick === null && line.unknown >= RESERVE_FOR_UNKNOWN) return null;
    const change = (by: 1 | -1) => {
      this.#reservedInAll += by;
      line.count += by;
      if (isQuick === null) line.unknown += by;
      if (line.count) this.#reserved.set(lineId, line);
      else this.#reserved.delete(lineId);
    };
    change(1);
    return { release: () => change(-1) };
  }
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now) counts.set(key, now);
  else counts.delete(key);
}
