import { RoutingNode, ExecuteContext } from 'n8n-core';
import {
  createRunExecutionData,
  NodeConnectionTypes,
  type IAuthenticateRuleResponseSuccessBody,
  type ICredentialsDecrypted,
  type INodeType,
} from 'n8n-workflow';

import { MessagingGatewayApi } from '../../credentials/MessagingGatewayApi.credentials';
import { refusal, startGateway, STATUS, TOKEN, type Answer, type StandInGateway } from './support/gateway';
import { additionalData, node, workflow } from './support/n8n';

let gateway: StandInGateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

/**
 * What n8n does when a person presses Save or Test in the credential: its own routing sends `test.request`, and the
 * message of the rule that fits the answer is shown. Returns that message, or undefined for "Connection successful".
 */
async function testCredential(data: Record<string, string>): Promise<string | undefined> {
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

const answer = (given: Answer) => gateway.on('GET', STATUS, () => given);

test('is tested by reading the status of the line with the token', async () => {
  answer({ body: { success: true, connected: true } });
  expect(await testCredential(gateway.credentials)).toBeUndefined();
  expect(gateway.received).toHaveLength(1);
  expect(gateway.received[0]).toMatchObject({
    method: 'GET',
    path: STATUS,
    headers: { authorization: `Bearer ${TOKEN}` },
  });
});

test('forgives spaces and slashes around what was pasted', async () => {
  answer({ body: { success: true } });
  const { baseUrl, line, token } = gateway.credentials;
  expect(
    await testCredential({ baseUrl: ` ${baseUrl}/ `, line: `${line} `, token: ` ${token}` }),
  ).toBeUndefined();
  expect(gateway.received[0]).toMatchObject({ path: STATUS, headers: { authorization: `Bearer ${TOKEN}` } });
});

test.each([
  [401, 'invalid_token', 'The gateway does not accept this token for this line'],
  [401, 'missing_token', 'The token is empty'],
  [403, 'line_inactive', 'The token is right, but this line is switched off'],
  [403, 'api_disabled', 'The token is right, but the API of this line is disabled'],
  [429, 'rate_limited', 'too many requests'],
  [503, 'upstream_unavailable', 'The gateway answered, but could not tell'],
])('tells by a sentence what %i %s means', async (statusCode, code, sentence) => {
  answer(refusal(statusCode, code, 190, 'Upstream words', 'Details.'));
  expect(await testCredential(gateway.credentials)).toContain(sentence);
});

test('says that another server answers at this address', async () => {
  answer({ statusCode: 404, body: '<html>Not found</html>' });
  expect(await testCredential(gateway.credentials)).toContain('it is not a Messaging Gateway');
  answer({ body: '<html>Welcome</html>' });
  expect(await testCredential(gateway.credentials)).toContain('it is not a Messaging Gateway');
  answer({ body: { hello: 'from another service' } });
  expect(await testCredential(gateway.credentials)).toContain('it is not a Messaging Gateway');
});

test('hides the token as a password', () => {
  const token = new MessagingGatewayApi().properties.find(({ name }) => name === 'token');
  expect(token?.typeOptions?.password).toBe(true);
});
