import { questionNotFound } from '../../errors';
import { readQuestion } from '../../questions/question';
import { operation } from '../operation';
import { QuestionAnswer, shown } from './question-answer';

export const getQuestion = operation('get /{tid}/questions/{question_id}', {
  tag: 'Questions',
  id: 'getQuestion',
  scope: 'read',
  rate: 'reads',
  summary: 'Look up a question',
  description:
    'Whether a question is still open, and which event answered it. Questions that ended are kept as long as messages.',
  answers: { 200: { description: 'The question.', schema: QuestionAnswer } },
  refusals: () => [questionNotFound()],
  handler: (deps) => async (request) => {
    const { question_id: id } = request.params as { question_id: string };
    return shown(await readQuestion(deps, request.line.id, id));
  },
});
