import { hash } from 'node:crypto';
import { type FollowedRegistry } from '../store/follow-registry';
import { type OfferedEvent, type Recorded } from '../store/commit/writes';
import { type Store } from '../store/store';
import { type Vault } from '../store/vault';
import { DAY, isoTime, type Clock } from '../time';
import { type Outcome } from './deliver';
import { wants, type Destination } from './destination';
import { type DestinationRegistry } from './destination-registry';
import { HOLDING_ATTEMPTS, nextWait } from './retry-schedule';
import { createSecret } from './signatures';

/**
 * Delivers answers to questions. Each server of callback URLs has its own destination (origin `question`), so that an
 * outage of one server delays no other. Each answer is sent to the URL of its question, signed with the question's
 * secret.
 */

/**
 * The number of callback servers per line that get their own destination. Further servers share one of these, which
 * limits memory.
 */
const MOST_SERVERS = 16;

interface ServerDeps {
  store: Store;
  vault: Vault;
  registry: Pick<FollowedRegistry, 'refresh'>;
  destinations: Pick<DestinationRegistry, 'ofQuestions'>;
  clock: Clock;
}

/** @returns the id of the destination that delivers answers to this callback URL */
export async function destinationOfCallback(
  { store, vault, registry, destinations, clock }: ServerDeps,
  lineId: number,
  callbackUrl: string,
): Promise<number> {
  const url = new URL('/', callbackUrl).href;
  const known = destinations.ofQuestions(lineId);
  const found =
    known.find((one) => one.url === url) ?? (known.length < MOST_SERVERS ? null : known[slotOf(url)]);
  if (found) return found.id;
  const { id } = await store.destinations.ofQuestions({
    line_id: lineId,
    url,
    // Never used: each question has its own secret.
    secret_sealed: vault.seal('destinations.secret', createSecret()),
    created_at: isoTime(clock()),
  });
  await registry.refresh();
  return id;
}

const slotOf = (url: string): number => Number.parseInt(hash('sha256', url).slice(0, 8), 16) % MOST_SERVERS;

/** The callback URL of the question that an event answers, its secret and its headers; null if the question is gone. */
export async function callbackOf(
  { store, vault }: { store: Store; vault: Vault },
  eventId: string,
): Promise<Pick<Destination, 'url' | 'secret' | 'headers'> | null> {
  const question = await store.questions.ofAnswer(eventId);
  if (!question) return null;
  const callback = JSON.parse(vault.open('questions.callback', question.callback_sealed)) as Pick<
    Destination,
    'url' | 'secret'
  >;
  return { ...callback, headers: { 'x-gateway-answer-to': question.id } };
}

/**
 * Whether the response is a web page: n8n returns a page with status 200 for an execution that has ended. A program
 * that accepts the answer returns none.
 */
const isPage = ({ answer }: Outcome): boolean => /^\s*<(?:!doctype html|html)\b/i.test(answer);

/** The outcome of delivering an answer: a web page in response counts as an HTTP error. */
export const outcomeOfAnswer = (outcome: Outcome): Outcome =>
  outcome.outcome === 'delivered' && isPage(outcome) ? { ...outcome, outcome: 'http_error' } : outcome;

/** Whether the server works but rejects the answer permanently. */
const isOver = (outcome: Outcome): boolean =>
  outcome.httpStatus === 410 || (outcome.httpStatus === 200 && isPage(outcome));

/**
 * Whether the server rejects the answer, perhaps temporarily: 404 and 409 can mean that the answer arrived too early.
 */
export const isUnwanted = (outcome: Outcome): boolean =>
  isOver(outcome) || outcome.httpStatus === 404 || outcome.httpStatus === 409;

/** Like `nextWait`, for a failed delivery of an answer. */
export function nextWaitOfAnswer(attempts: number, outcome: Outcome, random: number): number | null {
  if (isOver(outcome) || (isUnwanted(outcome) && attempts >= HOLDING_ATTEMPTS)) return null;
  return nextWait(attempts, outcome.retryAfter, random);
}

interface ReleaseDeps {
  store: Store;
  destinations: Pick<DestinationRegistry, 'ofLine'>;
  dispatcher: {
    processId: string;
    settle(destinationIds: number[]): Promise<void>;
    offer(events: OfferedEvent[], recorded: Recorded): void;
    lookAgain(destinationIds: number[]): void;
  };
  clock: Clock;
}

/** Sends an answer that its callback URL rejects to the line's destinations, once, marked as late. */
export async function releaseAnswer(
  { store, destinations, dispatcher, clock }: ReleaseDeps,
  eventId: string,
): Promise<void> {
  const answer = await store.questions.ofAnswer(eventId);
  if (answer?.answer_over_at !== null) return;
  const at = isoTime(clock());
  const receivers = destinations
    .ofLine(answer.line_id)
    .filter((one) => wants(one, { subject: 'message', kind: answer.kind }))
    .map(({ id }) => id);
  const ids = answer.also_forward ? [] : receivers;
  const release = {
    question_id: answer.id,
    event_id: eventId,
    destination_id: answer.destination_id,
    deliveries: ids.map((id) => ({ destination_id: id, lane: answer.from ?? eventId, due_at: at })),
    at,
    recorder: dispatcher.processId,
  };
  await dispatcher.settle(ids);
  const recorded = await store.write({ kind: 'release', release }).catch((error: unknown) => {
    // The transaction may have been committed although it reported an error.
    dispatcher.lookAgain(ids);
    throw error;
  });
  const { from: contact, body, automation } = answer;
  const event = { id: eventId, contact, body, automation, received_at: at };
  if (recorded) dispatcher.offer([event], recorded);
}

/**
 * The longest time an answer waits before it is released, even if the open breaker of its server prevented every
 * attempt.
 */
const LONGEST_WAIT_FOR_CALLBACK = 7 * DAY;
const AT_ONCE = 200;

/** Marks delivered answers, and releases answers whose delivery was given up. */
export async function settleAnswers(deps: ReleaseDeps, goesOn: () => boolean): Promise<void> {
  const { store, clock } = deps;
  const now = clock();
  await store.questions.endDelivered(isoTime(now));
  const before = isoTime(now - LONGEST_WAIT_FOR_CALLBACK);
  for (let found = AT_ONCE; found === AT_ONCE && goesOn();) {
    const ids = await store.questions.givenUp(before, AT_ONCE);
    for (const id of ids) await releaseAnswer(deps, id);
    found = ids.length;
  }
}
