import { destinationNotFound } from '../../errors';
import { removeDestination as remove } from '../../forwarding/destinations/remove-destination';
import { DoneAnswer } from '../http/answer-parts';
import { operation } from '../operation';
import { actorOf } from '../access/actor';
import { ownDestination } from './own-destination';

export const removeDestination = operation('delete /{tid}/destinations/{id}', {
  tag: 'Destinations',
  id: 'removeDestination',
  scope: 'destinations',
  rate: 'changes',
  summary: 'Stop sending events to an address',
  description: 'Removes a destination that was added with a token, and what was still to be sent there.',
  answers: { 200: { description: 'It was removed.', schema: DoneAnswer } },
  refusals: [destinationNotFound()],
  handler: (deps) => async (request) => {
    await remove(deps, actorOf(request), ownDestination(deps, request));
    return { success: true };
  },
});
