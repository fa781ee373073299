import { questionNotFound } from '../../errors';
import { cancelQuestion as cancel } from '../../questions/question';
import { actorOf } from '../access/actor';
import { DoneAnswer } from '../http/answer-parts';
import { operation } from '../operation';

export const cancelQuestion = operation('delete /{tid}/questions/{question_id}', {
  tag: 'Questions',
  id: 'cancelQuestion',
  scope: 'send',
  rate: 'sends',
  summary: 'Cancel a question',
  description:
    'Stops waiting for the answer. From now on messages of the contact go to the destinations of your line. A question that has ended stays as it is.',
  answers: { 200: { description: 'The question is not open.', schema: DoneAnswer } },
  refusals: () => [questionNotFound()],
  handler: (deps) => async (request) => {
    const { question_id: id } = request.params as { question_id: string };
    await cancel(deps, actorOf(request), request.line.id, id);
    return { success: true };
  },
});
