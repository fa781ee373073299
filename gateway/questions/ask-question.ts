import { randomBytes } from 'node:crypto';
import { spellingsOf } from '../cloud-api/phone-spellings';
import { type AnswerKind } from '../cloud-api/written-text';
import { questionOpen } from '../errors';
import { type AnsweredKey } from '../store/commit/writes';
import { type Store } from '../store/store';
import { type Vault } from '../store/vault';
import { isoTime, SECOND, type Clock } from '../time';
import { firstSpellings, type Callback } from './question';

/** The question, its contact, and where the answer is sent. */
export interface NewQuestion {
  lineId: number;
  /** The line token that asks, or the first token of its chain of replacements; null if an admin token asks. */
  tokenId: number | null;
  adminTokenId?: number | null;
  /** A phone number in digits, or a user id. */
  contact: string;
  /** An earlier message with the question; null to send one. */
  messageId: string | null;
  accepts: readonly AnswerKind[];
  /** The reply ids that a tap can have; null for any. */
  choices: readonly string[] | null;
  /** Seconds. */
  expiresIn: number;
  callback: Callback;
  /** The destination through which answers to this callback URL are delivered. */
  destinationId: number;
  /** Whether the answer also goes to the line's destinations. */
  alsoForward: boolean;
  /** Whether to replace the contact's open question. */
  replaces: boolean;
}

/** The message with the question. */
export interface AskedBy {
  messageId: string;
  /** The contact's names in the platform's response. */
  names: string[];
}

interface AskDeps {
  store: Pick<Store, 'questions' | 'windows'>;
  vault: Vault;
  clock: Clock;
  /** Sends the answer to a removed question to the line's destinations. */
  releaseAnswer(eventId: string): Promise<void>;
}

/**
 * Asks a contact a question, which is stored before its message is sent so that an immediate answer counts. If the
 * message is not sent, the question is removed.
 * @param send sends the message of the question with this id, or finds the earlier message
 * @param keyed stored under the request's Idempotency-Key
 * @returns the id of the question, and its message
 * @throws Refusal if the contact has another open question; any error of `send`
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
    admin_token_id: question.adminTokenId ?? null,
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
    // If the database is unavailable, housekeeping removes the question within a minute.
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
