import { tooManyAtOnce, tooManyTransfers, type Refusal } from '../../errors';
import { type RequestCheck } from '../access/authenticate-line';

/** In seconds: when a slot may be free. */
const RETRY = 5;

/** Uploads and downloads of a line: each holds two connections for as long as it takes. */
export const TRANSFERS = { atOnce: 20, waiting: 0, refusal: () => tooManyTransfers(20, RETRY) };
/** Lists that a line asks for: an answer may have megabytes. */
export const LISTS = { atOnce: 4, waiting: 400, refusal: () => tooManyAtOnce('requests for lists', RETRY) };
/** Bodies of a line that are larger than a message may be. */
export const LARGE_BODIES = { atOnce: 2, waiting: 16, refusal: () => tooManyAtOnce('large batches', RETRY) };

/**
 * Limits the requests of a kind that a line has in progress in this process. Further requests wait in turn with
 * their bodies unread, and beyond that they are refused. A request counts until its answer has ended.
 */
export function slotsOfLines({ atOnce, waiting, refusal }: Bounds): RequestCheck {
  const ofLine = new Map<number, Slots>();
  return async ({ line }, { raw }) => {
    // The client left during an earlier check: nothing would give the slot back.
    if (raw.closed) throw refusal();
    const slots = ofLine.get(line.id) ?? { taken: 0, next: new Set() };
    ofLine.set(line.id, slots);
    if (slots.taken < atOnce) slots.taken++;
    else if (slots.next.size < waiting) await turnIn(slots, raw);
    else throw refusal();
    raw.once('close', () => {
      // In its own turn: an immediate refusal would otherwise pass the slot on again within this one.
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
  /** Called, in their order, to hand a slot over. */
  next: Set<() => void>;
}

/** Resolves with a slot; never if the client leaves before. */
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
