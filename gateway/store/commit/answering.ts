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

/** What the database knows about a message that may be an answer. */
export interface Concerned {
  /** Questions of its contact that are being asked or open. */
  asked: AskedQuestion[];
  /** Questions, in any state, that were asked with the message that this one replies to. */
  aimedAt: AskedQuestion[];
  /** Whether the message it refers to is recorded as sent by the gateway. */
  isToRecorded: boolean;
}

/** The question that a message answers: in time, or `late`. */
export interface Answering {
  question: AskedQuestion;
  isLate: boolean;
}

/**
 * How long a question may be in the state `asking`, in milliseconds: longer than any send. After that, the
 * gateway was killed during the send, and nobody uses the question.
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
 * Decides which question a message answers. The first fitting message answers: a tap only if it is on the question's own
 * message, everything else unless it quotes the message of another question.
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
    // A tap may arrive before the message that asks is recorded. A recorded tapped message is then another one. An
    // unrecorded one may be any message, and only the choices decide.
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
  // A late answer waits for no pause: the header that marks it belongs to one message.
  if (answering.isLate)
    return [...deliveries, ...gathering.map(({ destination_id }) => ({ destination_id, ...delivery }))];
  const { destination_id, also_forward } = answering.question;
  return [{ destination_id, ...delivery }, ...(also_forward ? deliveries : [])];
}

/**
 * The messages that wait at destinations until the contact stops writing, given the question that the event
 * answers.
 */
export const gatheredOf = ({ gathering = [] }: NewEvent, answering: Answering | null): NewGathering[] =>
  !answering || (!answering.isLate && answering.question.also_forward) ? gathering : [];

/** Whether the answer goes to the question alone. */
export const isTaken = (answering: Answering | undefined): boolean =>
  answering !== undefined && !answering.isLate && !answering.question.also_forward;
