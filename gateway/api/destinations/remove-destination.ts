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
  summary: 'Remove a destination',
  description: 'Removes a destination that a token added, and cancels its deliveries.',
  answers: { 200: { description: 'The destination was removed.', schema: DoneAnswer } },
  refusals: () => [destinationNotFound()],
  handler: (deps) => async (request) => {
    await remove(deps, actorOf(request), ownDestination(deps, request));
    return { success: true };
  },
});
