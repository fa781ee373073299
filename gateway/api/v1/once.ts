import { type FastifyRequest } from 'fastify';
import { idempotencyConflict, idempotencyInProgress, Refusal, requestOutcomeUnknown } from '../../errors';
import { isNotMade, readIdempotencyKey } from '../../sending/idempotent-send';
import { type Store } from '../../store/store';
import { type AdminRequestRow } from '../../store/tables/admin-requests';
import { type Vault } from '../../store/vault';
import { DAY, isoTime, MINUTE, type Clock } from '../../time';
import { type ParsedBody } from '../http/parse-body';
import { type AdminAnswer } from './operation';

/** How long a key and its answer are stored. */
const KEY_LIFE = DAY;
/** A request that began earlier and has no answer was interrupted by the end of its process. */
const LONGEST_REQUEST = MINUTE;

interface KeyDeps {
  store: Pick<Store, 'adminRequests'>;
  vault: Vault;
  clock: Clock;
}

/**
 * Processes a request under its `Idempotency-Key`, if it has one: only once, and every repeat gets the same answer. The
 * key is freed if the request changed nothing.
 * @param process the request
 * @throws Refusal for another request under the key, while the first is running, and if its outcome is unknown
 */
export async function once(
  { store: { adminRequests }, vault, clock }: KeyDeps,
  request: FastifyRequest,
  process: () => Promise<AdminAnswer>,
): Promise<{ outcome: AdminAnswer; isReplayed: boolean }> {
  const key = readIdempotencyKey(request.raw.headersDistinct['idempotency-key']);
  if (key === null) return { outcome: await process(), isReplayed: false };
  const { id: tokenId } = request.adminToken;
  const now = clock();
  const claim = {
    token_id: tokenId,
    key,
    request_hash: hashOfRequest(request, vault),
    started_at: isoTime(now),
  };
  const taken = await adminRequests.claim(claim, isoTime(now - KEY_LIFE));
  if (taken) return { outcome: answerOf(taken, claim.request_hash, vault, now), isReplayed: true };
  try {
    const outcome = await process();
    await adminRequests.answered(tokenId, key, vault.seal('admin_requests.answer', JSON.stringify(outcome)));
    return { outcome, isReplayed: false };
  } catch (error) {
    if (isNotMade(error) && !(error instanceof Refusal && error.outcome))
      await adminRequests.release(tokenId, key);
    throw error;
  }
}

function answerOf(taken: AdminRequestRow, requestHash: string, vault: Vault, now: number): AdminAnswer {
  if (taken.request_hash !== requestHash) throw idempotencyConflict();
  if (taken.answer_sealed !== null)
    return JSON.parse(vault.open('admin_requests.answer', taken.answer_sealed)) as AdminAnswer;
  throw Date.parse(taken.started_at) + LONGEST_REQUEST < now
    ? requestOutcomeUnknown()
    : idempotencyInProgress();
}

/** With the key of the vault: a plain hash of a body with a PIN would tell the PIN. */
const hashOfRequest = ({ method, url, body }: FastifyRequest, vault: Vault): string =>
  vault.fingerprint(`${method} ${url}\n${(body as ParsedBody | undefined)?.raw.toString('base64') ?? ''}`);
