import { spellingsOf } from '../cloud-api/phone-spellings';
import { type AnswerKind } from '../cloud-api/written-text';
import { questionNotFound } from '../errors';
import { type QUESTION_STATES } from '../store/schema';
import { type Store } from '../store/store';
import { type QuestionRow } from '../store/tables/questions';
import { type Vault } from '../store/vault';
import { type Actor } from '../store/tables/audit';
import { audited, type AuditedDeps } from '../store/with-audit';
import { isoTime, type Clock } from '../time';

/** Where an answer is sent, and the secret that signs it. */
export interface Callback {
  url: string;
  secret: string;
}

export interface Question {
  id: string;
  state: (typeof QUESTION_STATES)[number];
  contact: string;
  messageId: string | null;
  accepts: AnswerKind[];
  choices: string[] | null;
  callback: Callback;
  alsoForward: boolean;
  createdAt: string;
  expiresAt: string;
  endedAt: string | null;
  answer: { eventId: string; messageId: string | null } | null;
}

interface Deps {
  store: Pick<Store, 'questions'>;
  clock: Clock;
}

/** @throws Refusal if the line does not have the question */
export async function readQuestion(
  { store, vault, clock }: Deps & { vault: Vault },
  lineId: number,
  id: string,
): Promise<Question> {
  const row = await store.questions.find(lineId, id);
  if (!row) throw questionNotFound();
  return questionOf(row, vault, isoTime(clock()));
}

/**
 * Cancels an open question; an ended one stays unchanged.
 * @returns whether the question was open
 * @throws Refusal if the line does not have the question
 */
export const cancelQuestion = async (
  deps: AuditedDeps,
  actor: Actor,
  lineId: number,
  id: string,
): Promise<boolean> => {
  const canceled = await audited<QuestionRow | null>(
    deps,
    actor,
    (question) =>
      question && {
        action: 'question.canceled',
        lineId,
        // A fingerprint, which can be verified with the number and the key.
        details: { contact: deps.vault.fingerprint(spellingsOf(question.contact)[0]) },
      },
    async ({ store: { questions } }) => {
      const wasOpen = await questions.cancel(lineId, id, isoTime(deps.clock()));
      const question = await questions.find(lineId, id);
      if (!question) throw questionNotFound();
      return wasOpen ? question : null;
    },
  );
  return canceled !== null;
};

/** The names under which a question stores its contact: phone numbers in their first spelling, and user ids. */
export const firstSpellings = (names: string[]): string[] => [
  ...new Set(names.map((name) => spellingsOf(name)[0])),
];

/**
 * The open questions of a contact. There are several if they were asked under names that were not known to belong
 * together.
 */
export async function openQuestionsOf(
  { store, clock }: { store: Pick<Store, 'questions' | 'windows'>; clock: Clock },
  lineId: number,
  contact: string,
): Promise<Pick<Question, 'id' | 'expiresAt'>[]> {
  const names = await store.windows.identitiesOf(lineId, [contact], spellingsOf);
  const rows = await store.questions.openOf(lineId, firstSpellings(names), isoTime(clock()));
  return rows.map(({ id, expires_at: expiresAt }) => ({ id, expiresAt }));
}

/** @param now ISO time: a question counts as expired from `expires_at` on, even if that is not stored yet */
function questionOf(row: QuestionRow, vault: Vault, now: string): Question {
  const isOver = row.state === 'open' && row.expires_at <= now;
  return {
    id: row.id,
    state: isOver || row.state === 'asking' ? 'expired' : row.state,
    contact: row.contact,
    messageId: row.message_id,
    accepts: JSON.parse(row.accepts) as AnswerKind[],
    choices: row.choices === null ? null : (JSON.parse(row.choices) as string[]),
    callback: callbackOf(row, vault),
    alsoForward: row.also_forward !== 0,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    endedAt: isOver ? row.expires_at : row.ended_at,
    answer:
      row.answer_event_id === null
        ? null
        : { eventId: row.answer_event_id, messageId: row.answer_message_id },
  };
}

const callbackOf = (row: QuestionRow, vault: Vault): Callback =>
  JSON.parse(vault.open('questions.callback', row.callback_sealed)) as Callback;

/** The servers that receive the answers, such as `https://n8n.example.com`. */
export const callbackOrigins = (rows: QuestionRow[], vault: Vault): string[] => [
  ...new Set(rows.map((row) => new URL(callbackOf(row, vault).url).origin)),
];

const AT_ONCE = 500;

/** Ends expired questions. @param goesOn asked before each batch */
export async function expireQuestions({ store, clock }: Deps, goesOn: () => boolean): Promise<void> {
  for (let ended = AT_ONCE; ended === AT_ONCE && goesOn();)
    ended = await store.questions.endExpired(isoTime(clock()), AT_ONCE);
}
