import { type FastifyRequest } from 'fastify';
import { callbackIsTheGateways } from '../../errors';
import { lastOf, type Query } from '../http/graph-read';
import { type ParsedBody } from '../http/parse-body';
import { operation } from '../operation';
import { forwarded, NODE, NODES, SUCCESS } from './forward';

export const listSubscribedApps = forwarded('get /{account_id}/subscribed_apps', {
  id: 'listSubscribedApps',
  isList: true,
  summary: 'List the subscribed apps',
  description: 'The apps at the platform that receive the events of the business account.',
  isOfAccount: true,
  answer: { description: 'The apps.', schema: NODES },
  refusals: () => [],
});

export const subscribeApp = forwarded('post /{account_id}/subscribed_apps', {
  id: 'subscribeApp',
  summary: 'Subscribe the app',
  description:
    'Subscribes the app of the line’s access token to the events of the business account. Events arrive at the gateway: to receive them too, add a destination.',
  body: { schema: NODE, isOptional: true, examples: { plain: { value: {} } } },
  isOfAccount: true,
  check: refuseOverride,
  answer: { description: 'The app is subscribed.', schema: SUCCESS },
  refusals: () => [callbackIsTheGateways()],
});

export const unsubscribeApp = operation('delete /{account_id}/subscribed_apps', {
  tag: 'Management',
  id: 'unsubscribeApp',
  scope: 'manage',
  rate: 'changes',
  summary: 'Refused: unsubscribe the app',
  description: 'Without its subscription the gateway would receive no events, so this is always refused.',
  answers: {},
  refusals: () => [callbackIsTheGateways()],
  handler: () => async () => {
    throw callbackIsTheGateways();
  },
});

/** A callback of the customer's own would take the events away from the gateway. */
function refuseOverride(_: unknown, { query, body }: FastifyRequest): void {
  const { value = {} } = (body ?? {}) as Partial<ParsedBody>;
  const names = ['override_callback_uri', 'verify_token'];
  if (names.some((name) => value[name] !== undefined || lastOf((query as Query)[name]) !== undefined))
    throw callbackIsTheGateways();
}
