import { tooManyEvents } from '../errors';
import { rateLimit, wholeSeconds } from '../primitives/rate-limit';
import { semaphore } from '../primitives/semaphore';
import { SECOND, type Clock } from '../time';

/** Bytes of a notification that count as one event, because larger events take more time. */
const BYTES_OF_AN_EVENT = 512;

/** A message normally causes up to five events: three statuses and replies. The limit is five times as many. */
const EVENTS_OF_A_SEND = 25;
/** Sends per second. A line with a lower limit may still receive the events of this many. */
const FEWEST_SENDS = 80;
/** The burst, in seconds of events. */
const BURST = 10;

/**
 * Bytes of a large notification. A line has one of them in progress at a time; few may wait, because each is held in
 * memory.
 */
const LARGE = 64 * 1024;
const MOST_WAITING = 4;

/**
 * Limits the events on one line's callback, because the holder of its app secret can sign any number. The platform
 * resends refused events. Each process counts separately.
 * @param lineRate sends per second on one line; null: no limit, also for events
 */
export function eventRates(lineRate: number | null, clock: Clock) {
  const perSecond = EVENTS_OF_A_SEND * Math.max(lineRate ?? 0, FEWEST_SENDS);
  const limit =
    lineRate === null ? null : rateLimit({ burst: BURST * perSecond, interval: SECOND / perSecond }, clock);
  const turns = new Map<number, ReturnType<typeof semaphore>>();

  return {
    /** Handles a notification of the line in turn. @throws Refusal if there are too many */
    async run<T>(lineId: number, bytes: number, work: () => Promise<T>): Promise<T> {
      const { wait } = limit?.take(lineId, Math.ceil(bytes / BYTES_OF_AN_EVENT)) ?? { wait: 0 };
      if (wait) throw tooManyEvents(perSecond, wholeSeconds(wait));
      if (bytes <= LARGE) return work();
      const turn = turns.get(lineId) ?? semaphore(1);
      turns.set(lineId, turn);
      if (turn.waiting() >= MOST_WAITING) throw tooManyEvents(perSecond, 1);
      return turn.run(work);
    },
  };
}

export type EventRates = ReturnType<typeof eventRates>;
