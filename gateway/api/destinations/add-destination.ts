import { type FastifyReply, type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { invalidField, tooManyDestinations } from '../../errors';
import { EVENT_KINDS, LONGEST_QUIET } from '../../forwarding/destination';
import { addDestination as add } from '../../forwarding/destinations/add-destination';
import { handshakeForToken } from '../../forwarding/destinations/handshake';
import { verifyTokenOf } from '../../forwarding/signatures';
import { DESTINATION_MODES } from '../../store/schema';
import { fact } from '../../wording/facts';
import { ExpiresIn, HandshakeAnswer, Receiver, shownHandshake } from '../http/answer-parts';
import { bodyOf, typesOf } from '../http/parse-body';
import { operation, type ApiDeps } from '../operation';
import { actorOf } from '../access/actor';
import { registrantOf } from '../access/registrant';
import { DestinationAnswer, shown } from './destination-answer';

/** The fields of a new destination. */
export const DestinationFields = {
  ...Receiver,
  events: Type.Optional(Type.Array(Type.Enum([...EVENT_KINDS]), { minItems: 1 })),
  mode: Type.Optional(Type.Enum([...DESTINATION_MODES])),
  quiet_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LONGEST_QUIET,
      description:
        'Waits until the contact has been silent for this many seconds, then sends all their messages as one event. Waits at most five times as long for a contact who keeps writing. Not possible with `raw`.',
    }),
  ),
  headers: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      patternProperties: { '^.*$': { type: 'string' } },
    }),
  ),
  expires_in: ExpiresIn,
};

/** The body that a workflow trigger sends to register its URL. */
const NewDestination = Type.Object(DestinationFields, { additionalProperties: false });
const read = bodyOf(typesOf(NewDestination));

const AddedDestinationAnswer = Type.Object({
  success: Type.Literal(true),
  ...DestinationAnswer.properties,
  secret: Type.String(),
  verify_token: Type.String(),
  handshake: HandshakeAnswer,
});

/** The most destinations of a line when a token adds one: each event is stored and sent once per destination. */
const MOST_DESTINATIONS = 100;

export const addDestination = operation('post /{tid}/destinations', {
  tag: 'Destinations',
  id: 'addDestination',
  scope: 'destinations',
  rate: 'changes',
  summary: 'Register a destination for events',
  description:
    'Every new event is sent to this URL with POST, in the format of the platform, signed with the `secret` that only this answer shows. The URL receives a challenge first; `handshake` has the result.',
  body: {
    schema: NewDestination,
    examples: {
      everything: {
        summary: 'Replies and delivery statuses',
        value: { url: 'https://example.com/webhook' },
      },
      pause: {
        summary: 'Messages in quick succession, as one event',
        value: { url: 'https://example.com/webhook', events: ['messages'], quiet_seconds: 10 },
      },
      some: {
        summary: 'Only replies, for one hour',
        value: { url: 'https://example.com/webhook', events: ['messages'], expires_in: 3600 },
      },
      headers: {
        summary: 'To a receiver that requires its own password',
        value: {
          url: 'https://example.com/webhook',
          headers: { Authorization: 'Bearer of-your-receiver' },
        },
      },
    },
  },
  answers: { 201: { description: 'The destination was added.', schema: AddedDestinationAnswer } },
  refusals: () => [
    invalidField('headers', 'headers', fact('header.own', { name: '"Host"' })),
    invalidField('url', 'address', fact('url.invalid', {})),
    tooManyDestinations(MOST_DESTINATIONS),
    invalidField('quiet_seconds', 'mode', fact('raw.waits', {})),
  ],
  handler: addForCustomer,
});

function addForCustomer(deps: ApiDeps) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { expires_in: expiresIn, quiet_seconds: quietSeconds, ...given } = read(request);
    const adding = {
      ...given,
      expiresIn,
      quietSeconds,
      origin: 'token',
      ...registrantOf(request.token),
    } as const;
    const rules = deps.customerRules;
    const destination = await add(
      { ...deps, rules },
      actorOf(request),
      request.line.id,
      adding,
      MOST_DESTINATIONS,
    );
    const answer: Type.Static<typeof AddedDestinationAnswer> = {
      success: true,
      ...shown(destination),
      secret: destination.secret,
      verify_token: verifyTokenOf(destination.secret),
      handshake: shownHandshake(await handshakeForToken(deps.http, destination)),
    };
    return reply.code(201).send(answer);
  };
}
