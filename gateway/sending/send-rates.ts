import { lineRateExceeded, pairLimitExceeded, type Refusal } from '../errors';
import { takeForRequest, wholeSeconds, type Allowance, type RateLimits } from '../primitives/rate-limit';
import { SECOND } from '../time';

/** The platform's limit to one contact: after a burst, one message every six seconds. */
const PAIR_INTERVAL = 6 * SECOND;

/** Limits on sends; null: unlimited. */
export interface SendLimits {
  /** Sends per second on one line, with bursts of twice as many. */
  lineRate: number | null;
  /** The most messages in a burst from a line to one contact. */
  pairLimit: number | null;
}

/** Bytes of a body that count as one send, because larger bodies take more time. */
const BYTES_OF_A_SEND = 16 * 1024;

/** The number of sends that a body of this size counts as. */
export const sendsIn = (bytes: number): number => Math.max(1, Math.ceil(bytes / BYTES_OF_A_SEND));

export type SendRates = ReturnType<typeof sendRates>;

/** @param limitOf creates limits that apply across all processes on the database */
export function sendRates({ lineRate, pairLimit }: SendLimits, limitOf: RateLimits) {
  const ofLines =
    lineRate === null ? null : limitOf('line', { burst: 2 * lineRate, interval: SECOND / lineRate });
  const ofPairs = pairLimit === null ? null : limitOf('pair', { burst: pairLimit, interval: PAIR_INTERVAL });

  return {
    /**
     * Counts a send request, even if it is refused later. Null if lines are unlimited. @param more an additional
     * amount, for a large body
     */
    async takeLine(lineId: number, more?: number): Promise<Allowance | null> {
      if (!ofLines) return null;
      return takeForRequest(ofLines, lineId, more, (retryAfter) =>
        lineRateExceeded(ofLines.burst / 2, retryAfter),
      );
    },

    /** Counts a message before it is sent, and refuses it if the platform would. */
    async takePair(lineId: number, contact: string): Promise<Refusal | null> {
      if (!ofPairs) return null;
      const { wait } = await ofPairs.take(`${lineId} ${contact}`);
      return wait ? pairLimitExceeded(contact, ofPairs.burst, wholeSeconds(wait)) : null;
    },
  };
}
