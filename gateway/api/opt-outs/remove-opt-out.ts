import { setOptOut } from '../../messages/opt-outs';
import { actorOf } from '../access/actor';
import { DoneAnswer } from '../http/answer-parts';
import { contactIn, invalidContact } from '../http/contact';
import { operation } from '../operation';

export const removeOptOut = operation('delete /{tid}/opt-outs/{contact}', {
  tag: 'Opt-outs',
  id: 'removeOptOut',
  scope: 'send',
  rate: 'changes',
  summary: 'Opt a contact back in',
  description:
    'Removes a contact from the opt-out list, by any spelling of the number. Changes nothing if the contact is not on it. Only do this if the contact asked for it.',
  answers: { 200: { description: 'The contact is not on the list.', schema: DoneAnswer } },
  refusals: () => [invalidContact('nobody')],
  handler: (deps) => async (request) => {
    await setOptOut(deps, actorOf(request), request.line, contactIn(request), 'back');
    return { success: true };
  },
});
