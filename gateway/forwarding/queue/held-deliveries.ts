import { type DueKind } from '../../store/tables/queued';
import { HOLDING_ATTEMPTS } from '../retry-schedule';

/** A delivery in memory. */
export interface HeldDelivery {
  readonly eventId: string;
  /** Deliveries with the same key go out one after the other: the contact. */
  readonly orderingKey: string;
  /** Its place in that order. */
  readonly sequence: number;
  attempts: number;
  /** How many of the attempts were made before it was last replayed. */
  readonly attemptsBefore: number;
  /** In milliseconds; for an untried delivery, when it arrived. */
  dueAt: number;
  /** The size of its body, in characters or bytes. */
  readonly size: number;
  /** Empty: read when the delivery is sent. Null: the same, and until then the delivery takes no room. */
  body: string | null;
  /** Whether automations paused for the contact when the event was recorded. */
  readonly isAutomationPaused: boolean;
  /** When it began to hold its contact back (milliseconds); null if it does not. */
  failedAt: number | null;
  /** The ended question that it answers; null otherwise. */
  readonly lateAnswerTo: string | null;
}

/** Deliveries in memory with their bodies, some 2 KB each: in all, and for one destination. */
const MOST_HELD = 20_000;
export const MOST_HELD_FOR_ONE = 1_000;
/** Characters of these bodies. Most have 1,000, one may have 3 million. */
const MOST_SIZE = 256 * 1024 * 1024;
const MOST_SIZE_FOR_ONE = 16 * 1024 * 1024;
/** Deliveries that every destination may hold, however many the others do. A destination that is only probed holds no more. */
const FEW_HELD = 16;

/** Deliveries with bodies in memory, of one destination or of all. */
export interface Memory {
  count: number;
  size: number;
}

export const kindOf = ({ attempts, attemptsBefore }: HeldDelivery): 'untried' | DueKind => {
  if (attemptsBefore > 0) return 'replayed';
  if (attempts === 0) return 'untried';
  return attempts < HOLDING_ATTEMPTS ? 'holding' : 'later';
};

/**
 * Counts what one destination has in memory, including what is in flight or unrecorded, and the room that it takes. To
 * change a delivery's attempts or body, remove it and add it again.
 */
export class HeldDeliveries {
  readonly #inAll: Memory;
  readonly #byId = new Map<string, HeldDelivery>();
  readonly #ofKind = { untried: 0, holding: 0, later: 0, replayed: 0 };
  readonly #own: Memory = { count: 0, size: 0 };

  /** @param inAll what all destinations hold, including this one */
  constructor(inAll: Memory) {
    this.#inAll = inAll;
  }

  get isEmpty(): boolean {
    return !this.#byId.size;
  }

  has(eventId: string): boolean {
    return this.#byId.has(eventId);
  }

  count(kind: DueKind): number {
    return this.#ofKind[kind];
  }

  /** How many more deliveries with bodies it may hold. @param isProbed whether a few are enough */
  room(isProbed: boolean): number {
    if (this.#own.size >= MOST_SIZE_FOR_ONE || (this.#inAll.size >= MOST_SIZE && this.#own.count > 0))
      return 0;
    const few = FEW_HELD - this.#own.count;
    const inAll = isProbed ? few : Math.max(MOST_HELD - this.#inAll.count, few);
    return Math.max(0, Math.min(MOST_HELD_FOR_ONE - this.#own.count, inAll));
  }

  /** Whether so few are left that a read is worth it. */
  isLow(isProbed: boolean): boolean {
    return this.#own.count < (isProbed ? FEW_HELD : MOST_HELD_FOR_ONE) / 2 && this.room(isProbed) > 0;
  }

  add(delivery: HeldDelivery): void {
    this.#byId.set(delivery.eventId, delivery);
    this.#count(delivery, 1);
  }

  /** @returns whether it was there */
  remove(delivery: HeldDelivery): boolean {
    if (this.#byId.get(delivery.eventId) !== delivery) return false;
    this.#byId.delete(delivery.eventId);
    this.#count(delivery, -1);
    return true;
  }

  #count(delivery: HeldDelivery, by: 1 | -1): void {
    this.#ofKind[kindOf(delivery)] += by;
    if (delivery.body === null) return;
    for (const memory of [this.#own, this.#inAll]) {
      memory.count += by;
      // 0 for a body that is read later.
      memory.size += by * delivery.body.length;
    }
  }
}
