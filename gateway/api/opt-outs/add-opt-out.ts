import { type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { contactInvalid } from '../../errors';
import { setOptOut } from '../../messages/opt-outs';
import { actorOf } from '../access/actor';
import { DoneAnswer } from '../http/answer-parts';
import { bodyOf, typesOf } from '../http/parse-body';
import { operation, type ApiDeps } from '../operation';

const NewOptOut = Type.Object({ contact: Type.String({ minLength: 1 }) }, { additionalProperties: false });
const read = bodyOf(typesOf(NewOptOut));

export const addOptOut = operation('post /{tid}/opt-outs', {
  tag: 'Opt-outs',
  id: 'addOptOut',
  scope: 'send',
  rate: 'changes',
  summary: 'Opt a contact out',
  description:
    'Messages to this contact are refused with `contact_opted_out` from now on, except authentication templates. Changes nothing if the contact is on the list already.',
  body: {
    schema: NewOptOut,
    examples: { contact: { summary: 'A phone number', value: { contact: '12025550147' } } },
  },
  answers: { 200: { description: 'The contact is on the list.', schema: DoneAnswer } },
  refusals: () => [contactInvalid()],
  handler: add,
});

function add(deps: ApiDeps) {
  return async (request: FastifyRequest): Promise<Type.Static<typeof DoneAnswer>> => {
    const { contact } = read(request);
    await setOptOut(deps, actorOf(request), request.line, contact, 'out');
    return { success: true };
  };
}
