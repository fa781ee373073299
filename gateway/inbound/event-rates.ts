import { tooManyEvents } from '../errors';
import { rateLimit, wholeSeconds } from '../primitives/rate-limit';
import { semaphore } from '../primitives/semaphore';
import { SECOND, type Clock } from '../time';

/** Of a notification, about as much as one of its events takes. What is larger takes as much time as more events. */
const BYTES_OF_AN_EVENT = 512;

/** A message has three statuses, and may be answered: five events. The platform may send five times as many. */
const EVENTS_OF_A_SEND = 25;
/** Sends a second: a line that may send fewer still receives as many events. */
const FEWEST_SENDS = 80;
/** At once, events of that many seconds. */
const BURST = 10;

/** A large notification, of which a line has one in work at a time. Few others wait: each holds its bytes. */
const LARGE = 64 * 1024;
const MOST_WAITING = 4;

/**
 * How fast events come to the callback of one line. Whoever knows its app secret can sign as many as he likes, and the
 * platform repeats what is refused. Counted in this process.
 * @param lineRate sends a second on one line; null: any number, and any number of events
 */
export function eventRates(lineRate: number | null, clock: Clock) {
  const perSecond = EVENTS_OF_A_SEND * Math.max(lineRate ?? 0, FEWEST_SENDS);
  const limit =
    lineRate === null ? null : rateLimit({ burst: BURST * perSecond, interval: SECOND / perSecond }, clock);
  const turns = new Map<number, ReturnType<typeof semaphore>>();

  return {
    /** Takes a notification of the line in, when its turn comes. @throws Refusal where there are too many */
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
