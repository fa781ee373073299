import { type FastifyRequest } from 'fastify';
import { type Static } from 'typebox';
import { shownAddress } from '../../alerts/channels/channel-kind';
import { settingsOf } from '../../alerts/outbox';
import { isRegisteredBy } from '../access/registrant';
import { listOf } from '../http/answer-parts';
import { operation, type ApiDeps } from '../operation';
import { isoTime } from '../../time';
import { AlertWebhookAnswer, shown } from './alert-webhook-answer';

const AlertWebhooksAnswer = listOf(AlertWebhookAnswer);

export const listAlertWebhooks = operation('get /{tid}/alert-webhooks', {
  tag: 'Alerts',
  id: 'listAlertWebhooks',
  scope: 'destinations',
  rate: 'reads',
  isList: true,
  summary: 'List the webhooks for alerts',
  description:
    'The webhooks that tokens of this line registered. If another token registered one, its address is cut after the host. `failing_since` and `last_failure` are set while a webhook fails.',
  answers: { 200: { description: 'The webhooks.', schema: AlertWebhooksAnswer } },
  refusals: () => [],
  handler: list,
});

function list({ store, vault, clock }: ApiDeps) {
  return async ({ line, token }: FastifyRequest): Promise<Static<typeof AlertWebhooksAnswer>> => {
    const now = isoTime(clock());
    const own = (await store.alerts.channels()).filter(
      ({ origin, scope_id: id, expires_at: end }) =>
        origin === 'token' && id === String(line.id) && (end === null || end > now),
    );
    const data = own.map((row) => {
      const { url = '' } = settingsOf(vault, row);
      const isOwn = isRegisteredBy(token, { tokenId: row.token_id, adminTokenId: row.admin_token_id });
      return shown(row, isOwn ? url : shownAddress(url));
    });
    return { success: true, count: data.length, data };
  };
}
