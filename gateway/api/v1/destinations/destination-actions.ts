import * as Type from 'typebox';
import { destinationNotFound, invalidField } from '../../../errors';
import { SECRET_LENGTH } from '../../../forwarding/destinations/destination-input';
import { pauseDestination } from '../../../forwarding/destinations/pause-destination';
import { resumeDestination } from '../../../forwarding/destinations/resume-destination';
import { rotateSecret } from '../../../forwarding/destinations/rotate-secret';
import { testDestination } from '../../../forwarding/destinations/test-destination';
import { fact } from '../../../wording/facts';
import { HandshakeAnswer, shownHandshake } from '../../http/answer-parts';
import { bodyOf, typesOf } from '../../http/parse-body';
import { act } from '../described';
import { found, type AdminContext } from '../operation';
import { destinationIn, destinationObject, TAG } from './destinations';

const NewSecret = Type.Object(
  {
    secret: Type.Optional(Type.String({ ...SECRET_LENGTH, description: 'Generated if omitted.' })),
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 9999,
        description: 'For how long the previous secret also signs; 24 if omitted.',
      }),
    ),
  },
  { additionalProperties: false },
);
const readSecret = bodyOf(typesOf(NewSecret));

const Rotated = Type.Object({
  secret: Type.Optional(Type.String({ description: 'Shown only in this answer.' })),
  overlap_hours: Type.Integer(),
});

const Tested = Type.Object({
  accepted: Type.Boolean(),
  outcome: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description:
      'As in the attempts of a delivery, such as `timeout`; null after a dry run, which sends nothing.',
  }),
  http_status: Type.Unsafe<number | null>({ type: 'integer', nullable: true }),
  handshake: Type.Optional(HandshakeAnswer),
});

const COMMON = {
  tag: TAG,
  permission: 'destinations.manage',
  refusals: () => [destinationNotFound()],
} as const;

/** The destination after a change; after a dry run, as it is. */
const after = async (context: AdminContext) => found(await destinationObject(context, context.deps.store));

export const pauseDestinationOperation = act('/destinations/{destination_id}/pause', {
  ...COMMON,
  id: 'pauseDestination',
  summary: 'Pause a destination',
  description: 'Its events wait until it is resumed.',
  schema: 'Destination',
  handler: async (context) => {
    const { deps, actor } = context;
    const { destination } = await destinationIn(context, deps.store);
    await pauseDestination(deps, actor, destination, actor.who);
    return after(context);
  },
});

export const resumeDestinationOperation = act('/destinations/{destination_id}/resume', {
  ...COMMON,
  id: 'resumeDestination',
  summary: 'Resume a destination',
  description: 'Its waiting events are sent at once.',
  schema: 'Destination',
  handler: async (context) => {
    const { deps, actor } = context;
    await resumeDestination(deps, actor, (await destinationIn(context, deps.store)).destination);
    return after(context);
  },
});

export const rotateDestinationSecret = act('/destinations/{destination_id}/secret', {
  ...COMMON,
  id: 'rotateDestinationSecret',
  fields: { overlap: 'overlap_hours' },
  summary: 'Replace the secret of a destination',
  description:
    'Events are also signed with the previous secret for a while, so that the receiver can change.',
  body: { schema: NewSecret, examples: { day: { value: { overlap_hours: 24 } } } },
  schema: Rotated,
  refusals: () => [
    ...COMMON.refusals(),
    invalidField(
      'secret',
      'secret',
      fact('secret.length', { least: SECRET_LENGTH.minLength, most: SECRET_LENGTH.maxLength }),
    ),
  ],
  handler: async (context) => {
    const { deps, actor, request, isDryRun } = context;
    const { destination } = await destinationIn(context, deps.store);
    const { secret: given, overlap_hours: overlap } = readSecret(request);
    const { secret, hours } = await rotateSecret(deps, actor, destination, given ?? null, overlap);
    return { ...found({ overlap_hours: hours }), ...(!isDryRun && { secrets: { secret } }) };
  },
});

export const testDestinationOperation = act('/destinations/{destination_id}/test', {
  ...COMMON,
  id: 'testDestination',
  summary: 'Send a test event',
  description:
    'Sends one signed message of a contact, with the header `X-Gateway-Test: 1`, and the challenge.',
  schema: Tested,
  handler: async (context) => {
    const { deps, actor, isDryRun } = context;
    const { destination, line } = await destinationIn(context, deps.store);
    if (isDryRun) return found({ accepted: false, outcome: null, http_status: null });
    const { sent, shaken } = await testDestination(deps, actor, destination, {
      phoneNumberId: line.phone_number_id,
      phoneNumber: line.phone_number,
      wabaId: line.waba_id,
    });
    return found({
      accepted: sent.outcome === 'delivered',
      outcome: sent.outcome,
      http_status: sent.httpStatus,
      handshake: shownHandshake(shaken),
    });
  },
});
