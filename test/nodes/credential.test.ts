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
  [403, 'customer_suspended', 'The token is right, but the customer of this line is suspended'],
  [403, 'api_disabled', 'The token is right, but the API of this line is disabled'],
  [403, 'scope_missing', 'The token is right, but it may not read'],
  [503, 'upstream_unavailable', 'The gateway answered, but could not read'],
])('tells by a sentence what %i %s means', async (statusCode, code, sentence) => {
  answer(refusal(statusCode, code, 190, 'Upstream words', 'Details.'));
  expect(await testCredential(gateway.credentials)).toContain(sentence);
});

test('tells a wrong token that was tried too often from a right one that asks too often', async () => {
  answer(
    refusal(429, 'rate_limited', 130429, '(#130429) Too many requests without the right token', 'Wait.'),
  );
  expect(await testCredential(gateway.credentials)).toContain('does not accept this token for this line');
  answer(refusal(429, 'rate_limited', 130429, '(#130429) Rate limit hit', 'Wait.'));
  expect(await testCredential(gateway.credentials)).toContain('Test again in a minute');
});

test('says that nobody answers, and what that is inside a container', async () => {
  const { baseUrl } = gateway;
  await gateway.close();
  const sentence = await testCredential(gateway.credentials);
  expect(sentence).toMatch(
    /^No gateway answers at http:\/\/127\.0\.0\.1:\d+\. Nothing listens there: .* If n8n runs in a container, this address is the container itself: /,
  );
  expect(sentence).not.toContain('ECONNREFUSED');
  const elsewhere = await testCredential({ ...gateway.credentials, baseUrl: 'http://gateway.invalid' });
  expect(elsewhere).toMatch(
    /^No gateway answers at http:\/\/gateway\.invalid\. No machine of this name is known/,
  );
  expect(elsewhere).not.toContain('container');
  gateway = await startGateway();
  expect(gateway.baseUrl).not.toBe(baseUrl);
});

test.each(['gateway.example.com', 'localhost:8080', ''])('says that "%s" lacks https://', async (baseUrl) => {
  const sentence = await testCredential({ ...gateway.credentials, baseUrl });
  expect(sentence).toBe(
    `Base URL is no web address: "${baseUrl}". Enter the address of the gateway in the credential, with https:// or http:// in front, such as https://gateway.example.com.`,
  );
});

test('names the address that a redirect leads to, and does not take the token there', async () => {
  answer({ statusCode: 301, headers: { location: 'https://elsewhere.example' }, body: '' });
  expect(await testCredential(gateway.credentials)).toContain(
    'redirects to another address. Put the address',
  );
  expect(gateway.received).toHaveLength(1);
});

test('says that another server answers at this address', async () => {
  answer({ statusCode: 404, body: '<html>Not found</html>' });
  expect(await testCredential(gateway.credentials)).toContain('is not a Messaging Gateway');
  answer({ body: '<html>Welcome</html>' });
  expect(await testCredential(gateway.credentials)).toContain('is not a Messaging Gateway');
  answer({ body: { hello: 'from another service' } });
  expect(await testCredential(gateway.credentials)).toContain('is not a Messaging Gateway');
});

test('hides the token as a password', () => {
  const token = new MessagingGatewayApi().properties.find(({ name }) => name === 'token');
  expect(token?.typeOptions?.password).toBe(true);
});
