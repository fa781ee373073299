import * as Type from 'typebox';
import { ANSWER_KINDS } from '../../cloud-api/written-text';
import { type Question } from '../../questions/question';
import { QUESTION_STATES } from '../../store/schema';
import { TextOrNull, TimeOrNull } from '../http/answer-parts';

export const Accepts = Type.Array(Type.Enum([...ANSWER_KINDS]), { minItems: 1, uniqueItems: true });

export const QuestionAnswer = Type.Object({
  success: Type.Literal(true),
  id: Type.String(),
  state: Type.Enum([...QUESTION_STATES]),
  contact: Type.String(),
  message_id: TextOrNull,
  accepts: Accepts,
  choices: Type.Unsafe<string[] | null>({ type: 'array', items: { type: 'string' }, nullable: true }),
  also_forward: Type.Boolean(),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: Type.String({ format: 'date-time' }),
  ended_at: TimeOrNull,
  answer: Type.Unsafe<{ event_id: string; message_id: string | null } | null>({
    type: 'object',
    nullable: true,
    properties: { event_id: { type: 'string' }, message_id: { type: 'string', nullable: true } },
    required: ['event_id', 'message_id'],
  }),
});

export const shown = (question: Question): Type.Static<typeof QuestionAnswer> => ({
  success: true,
  id: question.id,
  state: question.state,
  contact: question.contact,
  message_id: question.messageId,
  accepts: question.accepts,
  choices: question.choices,
  also_forward: question.alsoForward,
  created_at: question.createdAt,
  expires_at: question.expiresAt,
  ended_at: question.endedAt,
  answer: question.answer && { event_id: question.answer.eventId, message_id: question.answer.messageId },
});
