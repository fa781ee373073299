import { type FastifyReply, type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { withSecret } from '../../alerts/channels/webhook';
import { addChannel, REMIND_HOURS } from '../../alerts/use-cases/add-channel';
import { faultOfUrl } from '../../forwarding/destinations/destination-input';
import { handshakeForToken } from '../../forwarding/destinations/handshake';
import { invalidField, tooManyAlertWebhooks } from '../../errors';
import { fact } from '../../wording/facts';
import { actorOf } from '../access/actor';
import { ExpiresIn, HandshakeAnswer, Receiver, shownHandshake } from '../http/answer-parts';
import { bodyOf } from '../http/parse-body';
import { operation, type ApiDeps } from '../operation';
import { AlertWebhookAnswer, NAME, shown } from './alert-webhook-answer';

const NewAlertWebhook = Type.Object({ ...Receiver, expires_in: ExpiresIn }, { additionalProperties: false });
const read = bodyOf(NewAlertWebhook);

const AddedAnswer = Type.Object({
  success: Type.Literal(true),
  ...AlertWebhookAnswer.properties,
  secret: Type.String(),
  handshake: HandshakeAnswer,
});

/** What the tokens of a line may register. */
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
  refusals: [invalidField('url', 'address', fact('url.invalid', {})), tooManyAlertWebhooks(MOST)],
  handler: add,
});

function add(deps: ApiDeps) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { url, secret, expires_in: expiresIn } = read(request);
    const fault = faultOfUrl(deps.customerRules, url);
    if (fault !== null) throw invalidField('url', 'address', fault);
    const settings = withSecret({ url, secret: secret ?? '' });
    const added = await addChannel(
      deps,
      actorOf(request),
      {
        kind: 'webhook',
        settings,
        name: NAME,
        scope: 'line',
        scopeId: String(request.line.id),
        quiet: null,
        timeZone: 'UTC',
        remindHours: REMIND_HOURS,
        language: 'en',
        origin: 'token',
        tokenId: request.token.firstId,
        expiresIn,
      },
      MOST,
    );
    const answer: Type.Static<typeof AddedAnswer> = {
      success: true,
      ...shown(added, url),
      secret: settings.secret ?? '',
      handshake: shownHandshake(
        await handshakeForToken(deps.http, { url, secret: settings.secret ?? '', origin: 'token' }),
      ),
    };
    return reply.code(201).send(answer);
  };
}
