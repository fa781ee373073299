import { automationPauseOf } from '../../messages/automation-pauses';
import { contactIn, invalidContact } from '../http/contact';
import { operation } from '../operation';
import { pauseAnswer, PauseAnswer } from './pause-answer';

export const getAutomationPause = operation('get /{tid}/automation-pauses/{contact}', {
  tag: 'Automation pauses',
  id: 'getAutomationPause',
  scope: 'read',
  rate: 'reads',
  summary: 'Ask whether automations pause for a contact',
  description:
    'Whether automations pause for this contact now, since when, and until when. `until` is null for a pause that lasts until somebody resumes, and for a contact who is not paused.',
  answers: { 200: { description: 'The pause of the contact.', schema: PauseAnswer } },
  refusals: () => [invalidContact('nobody')],
  handler: (deps) => async (request) => {
    const contact = contactIn(request);
    return pauseAnswer(contact, await automationPauseOf(deps, request.line, contact));
  },
});
