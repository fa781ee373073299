import { destinationNotFound } from '../../errors';
import { resumeDestination as resume } from '../../forwarding/destinations/resume-destination';
import { DoneAnswer } from '../http/answer-parts';
import { operation } from '../operation';
import { actorOf } from '../access/actor';
import { ownDestination } from './own-destination';

export const resumeDestination = operation('delete /{tid}/destinations/{id}/pause', {
  tag: 'Destinations',
  id: 'resumeDestination',
  scope: 'destinations',
  rate: 'changes',
  summary: 'Go on sending to a paused address',
  description:
    'Sends everything that has waited since a destination that was added with a token was paused. Nothing changes for one that is not paused.',
  answers: { 200: { description: 'Events are sent there again.', schema: DoneAnswer } },
  refusals: [destinationNotFound()],
  handler: (deps) => async (request) => {
    const destination = ownDestination(deps, request);
    if (destination.pausedAt !== null) await resume(deps, actorOf(request), destination);
    return { success: true };
  },
});
