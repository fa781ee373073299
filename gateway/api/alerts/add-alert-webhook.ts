import { type FastifyReply, type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { settingsOf } from '../../alerts/outbox';
import { addChannel, REMIND_HOURS } from '../../alerts/use-cases/add-channel';
import { handshakeForToken } from '../../forwarding/destinations/handshake';
import { invalidField, tooManyAlertWebhooks } from '../../errors';
import { fact } from '../../wording/facts';
import { actorOf } from '../access/actor';
import { registrantOf } from '../access/registrant';
import { ExpiresIn, HandshakeAnswer, Receiver, shownHandshake } from '../http/answer-parts';
import { bodyOf, typesOf } from '../http/parse-body';
import { operation, type ApiDeps } from '../operation';
import { AlertWebhookAnswer, NAME, shown } from './alert-webhook-answer';

const NewAlertWebhook = Type.Object({ ...Receiver, expires_in: ExpiresIn }, { additionalProperties: false });
const read = bodyOf(typesOf(NewAlertWebhook));

const AddedAnswer = Type.Object({
  success: Type.Literal(true),
  ...AlertWebhookAnswer.properties,
  secret: Type.String(),
  handshake: HandshakeAnswer,
});

/** The most webhooks that the tokens of a line may register. */
const MOST = 10;

export const addAlertWebhook = operation('post /{tid}/alert-webhooks', {
  tag: 'Alerts',
  id: 'addAlertWebhook',
  scope: 'destinations',
  rate: 'changes',
  summary: 'Register a webhook for alerts',
  description:
    'Alerts about your line, its templates and its destinations are sent to this URL, and a message when an incident ends. They are signed as Standard Webhooks describe, with the `secret` that only this answer shows. `docs/alerts.md` explains the fields. The URL receives a challenge first (`handshake`), as a destination does. Registering the same URL again replaces its webhook.',
  body: {
    schema: NewAlertWebhook,
    examples: { own: { summary: 'Your URL', value: { url: 'https://example.com/alerts' } } },
  },
  answers: { 201: { description: 'The webhook was added.', schema: AddedAnswer } },
  refusals: () => [invalidField('url', 'address', fact('url.invalid', {})), tooManyAlertWebhooks(MOST)],
  handler: add,
});

function add(deps: ApiDeps) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { url, secret, expires_in: expiresIn } = read(request);
    const added = await addChannel(
      { ...deps, rules: deps.customerRules },
      actorOf(request),
      null,
      {
        kind: 'webhook',
        settings: { url, secret: secret ?? '' },
        name: NAME,
        scope: 'line',
        scopeId: String(request.line.id),
        quiet: null,
        timeZone: 'UTC',
        remindHours: REMIND_HOURS,
        language: 'en',
        origin: 'token',
        ...registrantOf(request.token),
        expiresIn,
      },
      MOST,
    );
    const { secret: signedWith = '' } = settingsOf(deps.vault, added);
    const answer: Type.Static<typeof AddedAnswer> = {
      success: true,
      ...shown(added, url),
      secret: signedWith,
      handshake: shownHandshake(
        await handshakeForToken(deps.http, { url, secret: signedWith, origin: 'token' }),
      ),
    };
    return reply.code(201).send(answer);
  };
}
