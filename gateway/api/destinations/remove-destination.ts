import { destinationNotFound } from '../../errors';
import { removeDestination as remove } from '../../forwarding/destinations/remove-destination';
import { DoneAnswer } from '../http/answer-parts';
import { operation } from '../operation';
import { actorOf } from '../access/actor';

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
    const { id } = request.params as { id: string };
    const destination = /^\d{1,9}$/.test(id) ? deps.destinations.byId(Number(id)) : null;
    // A token removes what was registered with a token; the forwarding URL is set by the operator.
    if (destination?.lineId !== request.line.id || destination.origin !== 'token')
      throw destinationNotFound();
    await remove(deps, actorOf(request), destination);
    return { success: true };
  },
});
