import { resumeAutomation as resume } from '../../messages/automation-pauses';
import { actorOf } from '../access/actor';
import { contactIn, invalidContact } from '../http/contact';
import { operation } from '../operation';
import { pauseAnswer, PauseAnswer } from './pause-answer';

export const resumeAutomation = operation('delete /{tid}/automation-pauses/{contact}', {
  tag: 'Automation pauses',
  id: 'resumeAutomation',
  scope: 'send',
  rate: 'changes',
  summary: 'Resume automations for a contact',
  description:
    'Ends the pause of a contact, by any spelling of the number or the user id. Nothing changes if the contact is not paused.',
  answers: { 200: { description: 'The contact is not paused.', schema: PauseAnswer } },
  refusals: () => [invalidContact('nobody')],
  handler: (deps) => async (request) => {
    const contact = contactIn(request);
    await resume(deps, actorOf(request), request.line, contact);
    return pauseAnswer(contact, null);
  },
});
