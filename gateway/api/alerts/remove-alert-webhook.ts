import { removeChannel } from '../../alerts/use-cases/remove-channel';
import { alertWebhookNotFound } from '../../errors';
import { actorOf } from '../access/actor';
import { DoneAnswer } from '../http/answer-parts';
import { operation } from '../operation';

export const removeAlertWebhook = operation('delete /{tid}/alert-webhooks/{id}', {
  tag: 'Alerts',
  id: 'removeAlertWebhook',
  scope: 'destinations',
  rate: 'changes',
  summary: 'Remove a webhook for alerts',
  description: 'Removes a webhook that a token of this line registered.',
  answers: { 200: { description: 'The webhook was removed.', schema: DoneAnswer } },
  refusals: () => [alertWebhookNotFound()],
  handler: (deps) => async (request) => {
    const { id } = request.params as { id: string };
    const channel = /^\d{1,9}$/.test(id) ? await deps.store.alerts.channel(Number(id)) : null;
    if (channel?.origin !== 'token' || channel.scope_id !== String(request.line.id))
      throw alertWebhookNotFound();
    await removeChannel(deps, actorOf(request), null, channel);
    return { success: true };
  },
});
