import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  isOutcomeUnknown,
  UpstreamDeclined,
  UpstreamRefused,
  UpstreamSilent,
  UpstreamUnreachable,
} from '../cloud-api/failures';
import { idempotencyConflict, idempotencyInProgress, invalidIdempotencyKey, Refusal } from '../errors';
import { type TakenKey } from '../store/commit/writes';
import { type Store } from '../store/store';
import { UNKNOWN_OUTCOME } from '../store/tables/idempotency-keys';
import { DAY, isoTime, MINUTE, type Clock } from '../time';

/** How long a key and the response of its send are stored. */
const KEY_LIFE = DAY;

/**
 * Longer than any send takes. A send without a response that began earlier was interrupted by the end of the process.
 */
const LONGEST_SEND = MINUTE;

export const LONGEST_KEY = 255;

/**
 * Reads the `Idempotency-Key` of a request; null if there is none.
 * @param given all values in the request: two are ambiguous
 * @throws Refusal for an invalid value
 */
export function readIdempotencyKey(given: string[] = []): string | null {
  const [key, ...more] = given;
  if (key === undefined) return null;
  if (!more.length && key.length > 0 && key.length <= LONGEST_KEY) return key;
  throw invalidIdempotencyKey(LONGEST_KEY);
}

export interface SendKey {
  lineId: number;
  key: string;
  bodyHash: string;
}

export const sendKey = (lineId: number, key: string, raw: Buffer): SendKey => ({
  lineId,
  key,
  bodyHash: hash('sha256', raw),
});

/**
 * The response to an earlier send with the same key and body; null if there was none.
 * @throws as `sendUnderKey`
 */
export async function earlierAnswer<Answer extends object>(
  { store, clock }: { store: Store; clock: Clock },
  { lineId, key, bodyHash }: SendKey,
): Promise<Answer | null> {
  const now = clock();
  const row = await store.idempotencyKeys.find(lineId, key, isoTime(now - KEY_LIFE));
  return row && answerUnder<Answer>(row, bodyHash, now);
}

/** The response of the send that claimed a key. @throws as `sendUnderKey` */
function answerUnder<Answer extends object>(taken: TakenKey, bodyHash: string, now: number): Answer {
  if (taken.body_hash !== bodyHash) throw idempotencyConflict();
  const isBrokenOff = taken.answer === null && Date.parse(taken.started_at) + LONGEST_SEND < now;
  if (taken.answer === UNKNOWN_OUTCOME || isBrokenOff) {
    throw new UpstreamSilent('The outcome of the first send is not known');
  }
  if (taken.answer === null) throw idempotencyInProgress();
  return JSON.parse(taken.answer) as Answer;
}

/**
 * Sends under a key, or returns the response of the earlier send with that key.
 *
 * A key is free, then claimed during its send, then stores the response for 24 hours. It is freed if the message was
 * certainly not sent: refused, or never handed over. A send with an unknown outcome keeps its key so that it is never
 * repeated; so does one that was interrupted by the end of the process.
 * @param send stores its response under the key, together with the message
 * @param onUnrecorded called if the result of the send could not be stored: the key then belongs to a send with an
 * unknown outcome
 * @throws Refusal for another body under the same key, and while the first send is running
 * @throws UpstreamSilent for a send with an unknown outcome
 */
export async function sendUnderKey<Answer extends object>(
  { store, clock }: { store: Store; clock: Clock },
  { lineId, key, bodyHash }: SendKey,
  send: () => Promise<Answer>,
  onUnrecorded: (error: unknown) => void,
): Promise<{ answer: Answer; isReplayed: boolean }> {
  const now = clock();
  const since = isoTime(now - KEY_LIFE);
  const taken =
    (await store.idempotencyKeys.findForgotten(lineId, key, since)) ??
    (await store.write({
      kind: 'key',
      claim: { line_id: lineId, key, body_hash: bodyHash, started_at: isoTime(now), since },
    }));
  if (taken) return { answer: answerUnder<Answer>(taken, bodyHash, now), isReplayed: true };
  try {
    return { answer: await send(), isReplayed: false };
  } catch (error) {
    const kept = isNotMade(error)
      ? store.idempotencyKeys.release(lineId, key)
      : store.idempotencyKeys.keepUnknown(lineId, key);
    await kept.catch(onUnrecorded);
    throw error;
  }
}

/**
 * Whether the message was certainly not sent, or the change at the platform not made. After an internal error this is unknown, because the platform may have
 * accepted the message first.
 */
export const isNotMade = (error: unknown): boolean =>
  error instanceof UpstreamRefused
    ? !isOutcomeUnknown(error.answer)
    : [Refusal, UpstreamDeclined, UpstreamUnreachable].some((reason) => error instanceof reason);

/** Each batch is followed by a pause of this many times its duration, for other writes. */
const REST = 2;

/** Deletes expired keys in batches. @param goesOn asked before each batch */
export async function forgetOldKeys(
  { idempotencyKeys }: Pick<Store, 'idempotencyKeys'>,
  clock: Clock,
  goesOn = () => true,
): Promise<void> {
  for (let removed = 1; removed > 0 && goesOn();) {
    const began = performance.now();
    removed = await idempotencyKeys.removeBefore(isoTime(clock() - KEY_LIFE));
    await wait(REST * (performance.now() - began), null, { ref: false });
  }
}
