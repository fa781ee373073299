import { FIRST_LIMIT, MOST_LIMIT } from './concurrency-limit';

/** The most attempts in flight, to all destinations together. */
const MOST_IN_FLIGHT = 1024;
/** The most characters of their bodies. Most have 1,000, but one may have 3 million. */
const MOST_SIZE = 64 * 1024 * 1024;
/** Additional places: one per destination that responds quickly. */
const RESERVE = 256;
/** The most characters of a body in the reserve. */
const MOST_SIZE_IN_RESERVE = 64 * 1024;
/** Places in the reserve for those destinations of a line that were never called. */
const RESERVE_FOR_UNKNOWN = 4;

/** A destination with a delivery to send. */
export interface Sender {
  lineId: number;
  host: string;
  /** Attempts already in flight to the destination. */
  inFlight: number;
  /** Whether the last response was quick; null if the destination was never called. */
  isQuick: boolean | null;
  /** Characters of the next body. */
  size: number;
}

/** Frees the place of one attempt. */
export type Release = () => void;

/** Attempts in flight for one line. */
interface OfLine {
  count: number;
  size: number;
  reserved: number;
  /** Attempts in the reserve to destinations that were never called. */
  unknown: number;
}

/**
 * Shares the places in flight so that no line delays another: a line gets at most half of what the others leave, and
 * a host at most 24 beyond the first 8 of each of its destinations. However many destinations hang, a reserve lets
 * one that responds quickly get its events immediately, one at a time.
 */
export class InFlight {
  #all = 0;
  #size = 0;
  #reserved = 0;
  readonly #lines = new Map<number, OfLine>();
  readonly #beyondFirst = new Map<string, number>();

  /** @returns null if no place is free */
  take(sender: Sender): Release | null {
    const line = this.#lines.get(sender.lineId) ?? { count: 0, size: 0, reserved: 0, unknown: 0 };
    this.#lines.set(sender.lineId, line);
    return this.#takeShared(line, sender) ?? this.#takeReserved(line, sender);
  }

  #takeShared(line: OfLine, { host, inFlight, size }: Sender): Release | null {
    const share = (MOST_IN_FLIGHT - this.#all + line.count) / 2;
    // The second half allows one attempt per destination, so that a few hanging destinations do not use everything.
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
      if (isBeyond) count(this.#beyondFirst, host, by);
    };
    change(1);
    return () => change(-1);
  }

  #takeReserved(line: OfLine, { inFlight, isQuick, size }: Sender): Release | null {
    if (inFlight > 0 || isQuick === false || size > MOST_SIZE_IN_RESERVE) return null;
    if (line.reserved >= (RESERVE - this.#reserved + line.reserved) / 2) return null;
    if (isQuick === null && line.unknown >= RESERVE_FOR_UNKNOWN) return null;
    const change = (by: 1 | -1) => {
      this.#reserved += by;
      line.reserved += by;
      if (isQuick === null) line.unknown += by;
    };
    change(1);
    return () => change(-1);
  }
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now) counts.set(key, now);
  else counts.delete(key);
}
