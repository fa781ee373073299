import { type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { enteredRecipient } from '../../cloud-api/validate/message-request';
import { contactInvalid } from '../../errors';
import { pauseAutomation as pause } from '../../messages/automation-pauses';
import { LONGEST_PAUSE_HOURS } from '../../store/schema';
import { HOUR, isoTime } from '../../time';
import { actorOf } from '../access/actor';
import { bodyOf } from '../http/parse-body';
import { operation, type ApiDeps } from '../operation';
import { badPayload } from '../refusals';
import { pauseAnswer, PauseAnswer } from './pause-answer';

const NewPause = Type.Object(
  {
    contact: Type.String({ minLength: 1 }),
    hours: Type.Optional(Type.Integer({ minimum: 1, maximum: LONGEST_PAUSE_HOURS })),
    until: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
const read = bodyOf(NewPause);

export const pauseAutomation = operation('post /{tid}/automation-pauses', {
  tag: 'Automation pauses',
  id: 'pauseAutomation',
  scope: 'send',
  rate: 'changes',
  summary: 'Pause automations for a contact',
  description:
    'Give `hours`, or `until` as a time, or neither: the pause then lasts until somebody resumes. Events of the contact still go to your destinations, with the header `X-Gateway-Automation: paused`, so that a workflow can leave them to a person. Messages to the contact are still sent. A contact who is paused already gets the new end.',
  body: {
    schema: NewPause,
    examples: {
      hours: { summary: 'For 8 hours', value: { contact: '12025550147', hours: 8 } },
      released: { summary: 'Until somebody resumes', value: { contact: '12025550147' } },
    },
  },
  answers: { 200: { description: 'The contact is paused.', schema: PauseAnswer } },
  refusals: [contactInvalid(), noEnd()],
  handler: add,
});

function noEnd() {
  return badPayload(
    'until',
    'pattern',
    'until takes a time within the next 8760 hours, with its zone, such as 2026-12-24T18:00:00Z, and no hours beside it.',
  );
}

function add(deps: ApiDeps) {
  return async (request: FastifyRequest): Promise<PauseAnswer> => {
    const given = read(request);
    const contact = enteredRecipient(given.contact);
    const until = endOf(given, deps.clock());
    return pauseAnswer(contact, await pause(deps, actorOf(request), request.line, contact, until));
  };
}

/** An ISO time with a time zone; without one, the gateway's own zone would apply. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** @throws Refusal */
function endOf({ hours, until }: Type.Static<typeof NewPause>, now: number): string | null {
  if (until === undefined) return hours === undefined ? null : isoTime(now + hours * HOUR);
  const at = TIME.test(until) ? Date.parse(until) : Number.NaN;
  if (hours === undefined && at > now && at <= now + LONGEST_PAUSE_HOURS * HOUR) return isoTime(at);
  throw noEnd();
}
