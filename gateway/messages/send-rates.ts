import { lineRateExceeded, pairLimitExceeded, type Refusal } from '../errors';
import { rateLimit, wholeSeconds } from '../rate-limit';
import { SECOND, type Clock } from '../time';

/** Upstream's own: after that many at once to one contact, one every six seconds. */
const PAIR_INTERVAL = 6 * SECOND;

/** How fast lines may send; null: as fast as they like. Counted in this process alone. */
export interface SendLimits {
  /** Sends a second on one line; twice as many at once. */
  lineRate: number | null;
  /** Messages at once from a line to one contact. */
  pairLimit: number | null;
}

/** What a line may still send. */
export interface LineAllowance {
  /** How many it may send at once, when nothing is used up. */
  limit: number;
  remaining: number;
  /** Seconds until all of it is there again. */
  fullIn: number;
  refused: Refusal | null;
}

export type SendRates = ReturnType<typeof sendRates>;

export function sendRates({ lineRate, pairLimit }: SendLimits, clock: Clock) {
  const ofLines =
    lineRate === null ? null : rateLimit({ burst: 2 * lineRate, interval: SECOND / lineRate }, clock);
  const ofPairs = pairLimit === null ? null : rateLimit({ burst: pairLimit, interval: PAIR_INTERVAL }, clock);

  return {
    /** Counts a request to send, whatever comes of it. Null where lines are not limited. */
    takeLine(lineId: number): LineAllowance | null {
      if (!ofLines) return null;
      const { wait, remaining, fullIn } = ofLines.take(lineId);
      return {
        limit: ofLines.burst,
        remaining,
        fullIn: wholeSeconds(fullIn),
        refused: wait ? lineRateExceeded(ofLines.burst / 2, wholeSeconds(wait)) : null,
      };
    },

    /** Counts a message that is about to be forwarded; refuses the one that upstream would take for too many. */
    takePair(lineId: number, contact: string): Refusal | null {
      if (!ofPairs) return null;
      const { wait } = ofPairs.take(`${lineId} ${contact}`);
      return wait ? pairLimitExceeded(contact, ofPairs.burst, wholeSeconds(wait)) : null;
    },
  };
}
