import { type AnswerKind } from '../cloud-api/written-text';
import { questionNotFound } from '../errors';
import { type QUESTION_STATES } from '../store/schema';
import { type Store } from '../store/store';
import { type QuestionRow } from '../store/questions/question-table';
import { type Vault } from '../store/vault';
import { isoTime, type Clock } from '../time';

/** Where an answer goes, and what signs it. */
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

/** @throws Refusal if the line has no such question */
export async function readQuestion(
  { store, vault, clock }: Deps & { vault: Vault },
  lineId: number,
  id: string,
): Promise<Question> {
  const row = await store.questions.find(lineId, id);
  if (!row) throw questionNotFound();
  return questionOf(row, vault, isoTime(clock()));
}

/** Cancels an open question; one that has ended stays as it is. @throws Refusal if the line has no such question */
export async function cancelQuestion({ store, clock }: Deps, lineId: number, id: string): Promise<void> {
  if (await store.questions.cancel(lineId, id, isoTime(clock()))) return;
  if (!(await store.questions.find(lineId, id))) throw questionNotFound();
}

/** @param now ISO time: a question is expired from its time on, whenever that is noted */
function questionOf(row: QuestionRow, vault: Vault, now: string): Question {
  const isOver = row.state === 'open' && row.expires_at <= now;
  return {
    id: row.id,
    state: isOver || row.state === 'asking' ? 'expired' : row.state,
    contact: row.contact,
    messageId: row.message_id,
    accepts: JSON.parse(row.accepts) as AnswerKind[],
    choices: row.choices === null ? null : (JSON.parse(row.choices) as string[]),
    callback: JSON.parse(vault.open('questions.callback', row.callback_sealed)) as Callback,
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

const AT_ONCE = 500;

/** Ends the questions whose time is over. @param goesOn asked before each batch */
export async function expireQuestions({ store, clock }: Deps, goesOn: () => boolean): Promise<void> {
  for (let ended = AT_ONCE; ended === AT_ONCE && goesOn();)
    ended = await store.questions.endExpired(isoTime(clock()), AT_ONCE);
}
