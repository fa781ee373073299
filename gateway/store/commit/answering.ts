import { type QuestionTable } from '../schema';
import { type NewDelivery, type NewEvent, type NewGathering, type Reply } from './writes';

/** The columns of a question that decide whether a message answers it. */
export const ANSWERED_BY = [
  'id',
  'line_id',
  'state',
  'message_id',
  'accepts',
  'choices',
  'also_forward',
  'destination_id',
  'created_at',
  'expires_at',
] as const satisfies (keyof QuestionTable)[];
export type AskedQuestion = Pick<QuestionTable, (typeof ANSWERED_BY)[number]>;

/** Facts from the database about a message that may answer a question. */
export interface Concerned {
  /** Questions of the message's contact in the state `asking` or `open`. */
  asked: AskedQuestion[];
  /** Questions, in any state, whose own message is quoted or tapped by this one. */
  aimedAt: AskedQuestion[];
  /** Whether the quoted or tapped message is recorded as sent by the gateway. */
  isToRecorded: boolean;
}

/** The question that a message answers, and whether the answer is late. */
export interface Answering {
  question: AskedQuestion;
  isLate: boolean;
}

/**
 * The longest time in the state `asking`, in milliseconds: longer than any send. An older question was abandoned by a
 * gateway that was killed during the send.
 */
export const LONGEST_ASKING = 60_000;

/** @param now ISO time */
export const isWaiting = (
  { state, created_at, expires_at }: Pick<AskedQuestion, 'state' | 'created_at' | 'expires_at'>,
  now: string,
): boolean =>
  state === 'asking'
    ? Date.parse(created_at) + LONGEST_ASKING > Date.parse(now)
    : state === 'open' && expires_at > now;

/**
 * Decides which question a message answers. The first fitting message counts: a tap answers only the question with
 * the tapped message, and other messages answer any question unless they quote another one's message.
 */
export function answeredBy(
  reply: Reply,
  { asked, aimedAt, isToRecorded }: Concerned,
  now: string,
): Answering | null {
  const isTap = reply.kind === 'button' || reply.kind === 'list';
  const fits = (question: AskedQuestion): boolean => {
    if (reply.kind === null || !(JSON.parse(question.accepts) as string[]).includes(reply.kind)) return false;
    if (!isTap) return !aimedAt.length || aimedAt.some(({ id }) => id === question.id);
    const choices = question.choices === null ? null : (JSON.parse(question.choices) as string[]);
    // A tap may arrive before the question's message is recorded. If the tapped message is recorded, it is a
    // different one. If not, it may be any message, and only the choices decide.
    const isOwn =
      question.message_id === null
        ? reply.to !== null && !aimedAt.length && !isToRecorded && choices !== null
        : question.message_id === reply.to;
    return isOwn && (choices === null || choices.includes(reply.choice ?? ''));
  };
  const isOlder = (one: AskedQuestion, other: AskedQuestion) => (one.created_at < other.created_at ? -1 : 1);
  const waiting = asked.filter((question) => isWaiting(question, now)).toSorted(isOlder);
  const question = waiting.find(fits);
  if (question) return { question, isLate: false };
  const latest = aimedAt.toSorted(isOlder).at(-1);
  return latest && !aimedAt.some((one) => isWaiting(one, now)) ? { question: latest, isLate: true } : null;
}

/** The deliveries of an event, given the question that it answers. */
export function owedBy(event: NewEvent, answering: Answering | null): NewDelivery[] {
  const { deliveries, gathering = [] } = event;
  if (!answering) return deliveries;
  const delivery = { lane: event.contact ?? event.id, due_at: event.received_at };
  // A late answer is not grouped with other messages, because its marking header belongs to one message.
  if (answering.isLate)
    return [...deliveries, ...gathering.map(({ destination_id }) => ({ destination_id, ...delivery }))];
  const { destination_id, also_forward } = answering.question;
  return [{ destination_id, ...delivery }, ...(also_forward ? deliveries : [])];
}

/** The messages to group at destinations until the contact pauses, given the question that the event answers. */
export const gatheredOf = ({ gathering = [] }: NewEvent, answering: Answering | null): NewGathering[] =>
  !answering || (!answering.isLate && answering.question.also_forward) ? gathering : [];

/** Whether the answer goes only to the question's callback. */
export const isTaken = (answering: Answering | undefined): boolean =>
  answering !== undefined && !answering.isLate && !answering.question.also_forward;
