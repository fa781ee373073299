import { type DueKind } from '../../store/tables/queued';
import { HOLDING_ATTEMPTS } from '../retry-schedule';

/** A delivery in memory. */
export interface HeldDelivery {
  readonly eventId: string;
  /** Deliveries with the same key (the contact) are sent one after the other. */
  readonly orderingKey: string;
  /** The position of the delivery in that order. */
  readonly sequence: number;
  attempts: number;
  /** The number of attempts before the last replay. */
  readonly attemptsBefore: number;
  /** In milliseconds; for an untried delivery, when it arrived. */
  dueAt: number;
  /** The size of its body, in characters or bytes. */
  readonly size: number;
  /**
   * Empty or null: read when the delivery is sent. With null, the delivery counts as taking no room in memory until
   * then.
   */
  body: string | null;
  /** Whether automations were paused for the contact when the event was recorded. */
  readonly isAutomationPaused: boolean;
  /** When it began to block its contact (milliseconds); null if it does not. */
  failedAt: number | null;
  /** The id of the ended question that the delivery answers; null if none. */
  readonly lateAnswerTo: string | null;
}

/** The most deliveries with bodies in memory, some 2 KB each: in total, and for one destination. */
const MOST_HELD = 20_000;
const MOST_HELD_FOR_ONE = 1_000;
/** The most characters of these bodies. Most have 1,000, but one may have 3 million. */
const MOST_SIZE = 256 * 1024 * 1024;
const MOST_SIZE_FOR_ONE = 16 * 1024 * 1024;
/**
 * Deliveries that every destination may hold, regardless of the others. A destination that only gets probes holds no
 * more.
 */
const FEW_HELD = 16;

/** Counts of deliveries with bodies in memory, of one destination or of all. */
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
 * Counts the deliveries of one destination in memory, including those in flight or unrecorded, and their size. To
 * change a delivery's attempts or body, remove it and add it again.
 */
export class HeldDeliveries {
  readonly #inAll: Memory;
  readonly #byId = new Map<string, HeldDelivery>();
  readonly #ofKind = { untried: 0, holding: 0, later: 0, replayed: 0 };
  readonly #own: Memory = { count: 0, size: 0 };

  /** @param inAll the counts of all destinations, including this one */
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

  /** How many more deliveries with bodies fit. @param isProbed whether the destination only gets probes */
  room(isProbed: boolean): number {
    if (this.#own.size >= MOST_SIZE_FOR_ONE || (this.#inAll.size >= MOST_SIZE && this.#own.count > 0))
      return 0;
    const few = FEW_HELD - this.#own.count;
    const inAll = isProbed ? few : Math.max(MOST_HELD - this.#inAll.count, few);
    return Math.max(0, Math.min(MOST_HELD_FOR_ONE - this.#own.count, inAll));
  }

  /** Whether so few are left that a read is worthwhile. */
  isLow(isProbed: boolean): boolean {
    return this.#own.count < (isProbed ? FEW_HELD : MOST_HELD_FOR_ONE) / 2 && this.room(isProbed) > 0;
  }

  add(delivery: HeldDelivery): void {
    this.#byId.set(delivery.eventId, delivery);
    this.#count(delivery, 1);
  }

  /** @returns whether the delivery was held */
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
