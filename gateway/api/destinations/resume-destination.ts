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
  summary: 'Resume a paused destination',
  description:
    'Resumes a destination that a token added, and sends the events that waited meanwhile. Changes nothing if it is not paused.',
  answers: { 200: { description: 'The destination receives events again.', schema: DoneAnswer } },
  refusals: () => [destinationNotFound()],
  handler: (deps) => async (request) => {
    const destination = ownDestination(deps, request);
    if (destination.pausedAt !== null) await resume(deps, actorOf(request), destination);
    return { success: true };
  },
});
