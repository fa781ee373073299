import { MessagingGatewayApi } from '../../credentials/MessagingGatewayApi.credentials';
import { refusal, startGateway, STATUS, TOKEN, type Answer, type StandInGateway } from './support/gateway';
import { testCredential } from '../support/credential-check';

let gateway: StandInGateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

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
  [429, 'rate_limited', 'too many requests with a wrong one. Check Line and Token'],
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
