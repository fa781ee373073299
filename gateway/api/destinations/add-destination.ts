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
import { DestinationAnswer, shown } from './destination-answer';

/** What a workflow trigger sends to register its own address. */
const NewDestination = Type.Object(
  {
    ...Receiver,
    events: Type.Optional(Type.Array(Type.Enum([...EVENT_KINDS]), { minItems: 1 })),
    mode: Type.Optional(Type.Enum([...DESTINATION_MODES])),
    quiet_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LONGEST_QUIET,
        description:
          'A contact has to be silent for so long; then all that it wrote comes as one event. Whoever writes on and on is waited for five times as long at most. Not with `raw`.',
      }),
    ),
    headers: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        patternProperties: { '^.*$': { type: 'string' } },
      }),
    ),
    expires_in: ExpiresIn,
  },
  { additionalProperties: false },
);
const read = bodyOf(typesOf(NewDestination));

const AddedDestinationAnswer = Type.Object({
  success: Type.Literal(true),
  ...DestinationAnswer.properties,
  secret: Type.String(),
  verify_token: Type.String(),
  handshake: HandshakeAnswer,
});

/** What a token may register, with all that the line has: each event is written, and sent, once for each of them. */
const MOST_DESTINATIONS = 100;

export const addDestination = operation('post /{tid}/destinations', {
  tag: 'Destinations',
  id: 'addDestination',
  scope: 'destinations',
  rate: 'changes',
  summary: 'Have events sent to an address of yours',
  description:
    'From now on every event is sent there with POST, as the platform itself sends it, signed with the `secret` that is told only now. It is asked for the challenge first; what came of that stands in `handshake`.',
  body: {
    schema: NewDestination,
    examples: {
      everything: {
        summary: 'What contacts write, and what becomes of your messages',
        value: { url: 'https://example.com/webhook' },
      },
      pause: {
        summary: 'What a contact writes in quick succession, as one event',
        value: { url: 'https://example.com/webhook', events: ['messages'], quiet_seconds: 10 },
      },
      some: {
        summary: 'Only what contacts write, for one hour',
        value: { url: 'https://example.com/webhook', events: ['messages'], expires_in: 3600 },
      },
      headers: {
        summary: 'To a receiver that wants a password of its own',
        value: {
          url: 'https://example.com/webhook',
          headers: { Authorization: 'Bearer of-your-receiver' },
        },
      },
    },
  },
  answers: { 201: { description: 'It was added.', schema: AddedDestinationAnswer } },
  refusals: [
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
      tokenId: request.token.firstId,
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
