import { randomBytes } from 'node:crypto';
import { spellingsOf } from '../cloud-api/phone-spellings';
import { type AnswerKind } from '../cloud-api/written-text';
import { questionOpen } from '../errors';
import { type AnsweredKey } from '../store/commit/writes';
import { type Store } from '../store/store';
import { type Vault } from '../store/vault';
import { isoTime, SECOND, type Clock } from '../time';
import { firstSpellings, type Callback } from './question';

/** The question, its contact, and where the answer goes. */
export interface NewQuestion {
  lineId: number;
  /** The token that asks, or the first of those that replaced each other. */
  tokenId: number;
  /** A phone number in digits, or a user id. */
  contact: string;
  /** The message that asks, if it was sent before. */
  messageId: string | null;
  accepts: readonly AnswerKind[];
  /** The reply ids that a tap must have; null for any. */
  choices: readonly string[] | null;
  /** Seconds. */
  expiresIn: number;
  callback: Callback;
  /** The destination through which answers to this callback URL are delivered. */
  destinationId: number;
  /** Whether the answer also goes to the line's destinations. */
  alsoForward: boolean;
  /** Whether it replaces the contact's open question. */
  replaces: boolean;
}

/** The message that asks. */
export interface AskedBy {
  messageId: string;
  /** Names of the contact from the platform's answer. */
  names: string[];
}

interface AskDeps {
  store: Pick<Store, 'questions' | 'windows'>;
  vault: Vault;
  clock: Clock;
  /** Sends the answer to a question that no longer exists to the line's destinations. */
  releaseAnswer(eventId: string): Promise<void>;
}

/**
 * Asks a contact. The question is stored before its message is sent, so that an immediate answer counts. If
 * the message is not sent, there is no question.
 * @param send sends the message of the question with this id, or finds the one that asks
 * @param keyed stored under the idempotency key of the request
 * @returns the id of the question, and the message that asks
 * @throws Refusal if the contact has another open question; everything that `send` throws
 */
export async function askQuestion<Asked extends AskedBy>(
  { store, vault, clock, releaseAnswer }: AskDeps,
  question: NewQuestion,
  send: (id: string) => Promise<Asked>,
  keyed: (id: string, asked: Asked) => AnsweredKey | null,
): Promise<{ id: string; asked: Asked }> {
  const { lineId, contact, choices, replaces } = question;
  const id = `qst_${randomBytes(16).toString('base64url')}`;
  const now = clock();
  const names = firstSpellings(await store.windows.identitiesOf(lineId, [contact], spellingsOf));
  const row = {
    id,
    line_id: lineId,
    token_id: question.tokenId,
    contact,
    message_id: question.messageId,
    accepts: JSON.stringify(question.accepts),
    choices: choices && JSON.stringify(choices),
    also_forward: Number(question.alsoForward),
    callback_sealed: vault.seal('questions.callback', JSON.stringify(question.callback)),
    destination_id: question.destinationId,
    created_at: isoTime(now),
    expires_at: isoTime(now + question.expiresIn * SECOND),
  };
  if (!(await store.questions.begin(row, names, replaces))) throw questionOpen(contact);
  let asked: Asked;
  try {
    asked = await send(id);
  } catch (error) {
    // If the database is away, housekeeping removes it within a minute.
    const answer = await store.questions.drop(id).catch(() => null);
    if (answer !== null) await releaseAnswer(answer).catch(() => undefined);
    throw error;
  }
  const isOpen = await store.questions.open(row, {
    messageId: asked.messageId,
    names: [...new Set([...names, ...firstSpellings(asked.names)])],
    at: isoTime(clock()),
    replaces,
    answered: keyed(id, asked),
  });
  if (!isOpen) throw new Error('A question was removed while its message was being sent');
  return { id, asked };
}
