import { tooManyAtOnce, tooManyTransfers, type Refusal } from '../../errors';
import { type RequestCheck } from '../access/authenticate-line';

/** Seconds until a slot may be free. */
const RETRY = 5;

/** Uploads and downloads of a line: each uses two connections while it runs. */
export const TRANSFERS = { atOnce: 20, waiting: 0, refusal: () => tooManyTransfers(20, RETRY) };
/** List requests of a line: a response may have megabytes. */
export const LISTS = { atOnce: 4, waiting: 400, refusal: () => tooManyAtOnce('requests for lists', RETRY) };
/** Request bodies of a line that are larger than the limit of one message. */
export const LARGE_BODIES = { atOnce: 2, waiting: 16, refusal: () => tooManyAtOnce('large batches', RETRY) };

/**
 * Limits concurrent requests of a kind per line in this process. Further requests queue with their bodies unread;
 * when the queue is full, they are refused. A request counts until its response has ended.
 */
export function slotsOfLines({ atOnce, waiting, refusal }: Bounds): RequestCheck {
  const ofLine = new Map<number, Slots>();
  return async ({ line }, { raw }) => {
    // The client disconnected during an earlier check, so no event would release the slot.
    if (raw.closed) throw refusal();
    const slots = ofLine.get(line.id) ?? { taken: 0, next: new Set() };
    ofLine.set(line.id, slots);
    if (slots.taken < atOnce) slots.taken++;
    else if (slots.next.size < waiting) await turnIn(slots, raw);
    else throw refusal();
    raw.once('close', () => {
      // Deferred, because an immediate refusal would release the next slot within the same turn.
      setImmediate(() => {
        const [next] = slots.next;
        if (next) next();
        else if (--slots.taken === 0) ofLine.delete(line.id);
      });
    });
  };
}

interface Bounds {
  atOnce: number;
  waiting: number;
  refusal: () => Refusal;
}

interface Slots {
  taken: number;
  /** Called in order, to assign a free slot. */
  next: Set<() => void>;
}

/** Resolves with a slot; never if the client disconnects first. */
function turnIn({ next }: Slots, answer: Parameters<RequestCheck>[1]['raw']): Promise<void> {
  return new Promise((resolve) => {
    const leave = () => next.delete(take);
    function take(): void {
      leave();
      answer.off('close', leave);
      resolve();
    }
    next.add(take);
    answer.once('close', leave);
  });
}
