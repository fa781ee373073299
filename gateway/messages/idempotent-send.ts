import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  isOutcomeUnknown,
  UpstreamDeclined,
  UpstreamRefused,
  UpstreamSilent,
  UpstreamUnreachable,
} from '../cloud-api/failures';
import { idempotencyConflict, idempotencyInProgress, invalidIdempotencyKey, Refusal } from '../errors';
import { type Store } from '../store/store';
import { DAY, isoTime, MINUTE, type Clock } from '../time';

/** How long a key stands for the send that was made under it. */
const KEY_LIFE = DAY;

/** Longer than any send takes. One that began before that and has no answer was broken off by the gateway's own end. */
const LONGEST_SEND = MINUTE;

const LONGEST_KEY = 255;

/**
 * The `Idempotency-Key` of a request: null where none is given.
 * @param given every one that came; of two, nobody can tell which is meant
 * @throws Refusal for one that cannot be used
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
  bodyHash: createHash('sha256').update(raw).digest('hex'),
});

/**
 * What was answered to an earlier send with the same key and body, or null where there was none.
 *
 * A key is free, then taken while its send is made, then holds the answer for 24 hours. It is freed again by a send
 * that was certainly not made: refused, or not handed over. A send whose outcome nobody knows keeps its key, so that
 * it is never repeated; one that the gateway's own end broke off is of that kind.
 *
 * @throws Refusal for another body under the same key, and while the first send is still being made
 * @throws UpstreamSilent for a send whose outcome is unknown
 */
export async function earlierAnswer(
  { store, clock }: { store: Store; clock: Clock },
  { lineId, key, bodyHash }: SendKey,
): Promise<object | null> {
  const now = clock();
  const row = await store.idempotencyKeys.find(lineId, key, isoTime(now - KEY_LIFE));
  if (!row) return null;
  if (row.body_hash !== bodyHash) throw idempotencyConflict();
  if (row.answer === UNKNOWN || (row.answer === null && Date.parse(row.started_at) + LONGEST_SEND < now)) {
    throw new UpstreamSilent('The outcome of the first send is not known');
  }
  if (row.answer === null) throw idempotencyInProgress();
  return JSON.parse(row.answer) as object;
}

/** In place of the answer that never came. */
const UNKNOWN = 'unknown';

/**
 * Makes a send under its key, and keeps its answer.
 * @param onUnrecorded told when the answer could not be kept: the customer gets it all the same, and the key then
 *   stands for a send of unknown outcome
 */
export async function sendUnderKey<Answer extends object>(
  { store, clock }: { store: Store; clock: Clock },
  { lineId, key, bodyHash }: SendKey,
  send: () => Promise<Answer>,
  onUnrecorded: (error: unknown) => void,
): Promise<Answer> {
  const now = clock();
  const claimed = await store.idempotencyKeys.claim(
    lineId,
    key,
    bodyHash,
    isoTime(now),
    isoTime(now - KEY_LIFE),
  );
  if (!claimed) throw idempotencyInProgress();
  const keep = (answer: string) => store.idempotencyKeys.complete(lineId, key, answer).catch(onUnrecorded);
  try {
    const answer = await send();
    await keep(JSON.stringify(answer));
    return answer;
  } catch (error) {
    if (isNotMade(error)) await store.idempotencyKeys.release(lineId, key).catch(onUnrecorded);
    else await keep(UNKNOWN);
    throw error;
  }
}

/** Whether the message was certainly not sent. Of a fault of ours nobody knows: upstream may have taken the message before. */
const isNotMade = (error: unknown): boolean =>
  error instanceof UpstreamRefused
    ? !isOutcomeUnknown(error.answer)
    : [Refusal, UpstreamDeclined, UpstreamUnreachable].some((reason) => error instanceof reason);

/** As long as a batch took, times this, the database belongs to all others. */
const REST = 2;

/** Clears away the keys that no longer stand for anything, a few at a time. @param goesOn asked before each batch */
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
