import { RoutingNode, ExecuteContext } from 'n8n-core';
import {
  createRunExecutionData,
  NodeConnectionTypes,
  type IAuthenticateRuleResponseSuccessBody,
  type ICredentialsDecrypted,
  type INodeType,
} from 'n8n-workflow';

import { MessagingGatewayApi } from '../../credentials/MessagingGatewayApi.credentials';
import { additionalData, node, workflow } from './n8n';

/**
 * What n8n does when a person presses Save or Test in the credential: its own routing sends `test.request`, and the
 * message of the rule that fits the answer is shown. Returns that message, or undefined for "Connection successful".
 */
export async function testCredential(data: Record<string, string>): Promise<string | undefined> {
  const { request } = new MessagingGatewayApi().test;
  const rules = (new MessagingGatewayApi().test.rules ?? []) as IAuthenticateRuleResponseSuccessBody[];
  const tested: INodeType = {
    description: {
      displayName: 'Temp',
      name: 'temp',
      group: ['input'],
      version: 1,
      description: '',
      defaults: { name: 'Temp' },
      inputs: [NodeConnectionTypes.Main],
      outputs: [NodeConnectionTypes.Main],
      credentials: [{ name: 'messagingGatewayApi', required: true }],
      properties: [{ displayName: 'Temp', name: 'temp', type: 'string', routing: { request }, default: '' }],
    },
  };
  const temporary = node('test.temp', { temp: '' });
  const context = new ExecuteContext(
    workflow([temporary], { types: { 'test.temp': tested } }),
    temporary,
    additionalData(data),
    'internal',
    createRunExecutionData(),
    0,
    [],
    { main: [[{ json: {} }]] },
    { node: temporary, data: {}, source: null },
    [],
  );
  const credentials: ICredentialsDecrypted = { id: '1', name: 'Line', type: 'messagingGatewayApi', data };
  const output = await new RoutingNode(context, tested, credentials).runNode();
  const body = output?.[0][0].json;
  return rules.find(({ properties: { key, value } }) => body?.[key] === value)?.properties.message;
}
