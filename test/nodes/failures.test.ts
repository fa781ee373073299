import { accepted, gatewayForEach, LINE, MESSAGES, refusal, STATUS, startGateway } from './support/gateway';
import { runAction } from '../support/n8n';

const SEND = { resource: 'message', operation: 'send', to: '5511987654321', messageType: 'text', text: 'Hi' };

const gateway = gatewayForEach();

test.each([
  ['line_inactive', 403, 'This line is switched off'],
  ['customer_suspended', 403, 'The customer of this line is suspended'],
  ['line_quality_low', 403, 'The gateway sends nothing from this line because of its quality'],
  ['rate_limited', 429, 'Too many requests to the gateway in a short time'],
  ['pair_rate_limited', 429, 'Too many messages in a short time to this contact'],
  ['upstream_rate_limited', 429, 'The messaging platform asks to send more slowly'],
  ['template_not_found', 404, 'The gateway knows no template of this name and language'],
  ['stopping', 503, 'The gateway is restarting or stopping'],
  ['upstream_auth_failed', 502, "The messaging platform refuses the gateway's own credentials for this line"],
  [
    'upstream_timeout',
    504,
    'The messaging platform did not answer: it is not known whether the message was sent',
  ],
])('%s is said in words, with what the gateway knows of the case', async (code, statusCode, message) => {
  gateway.on('POST', MESSAGES, () =>
    refusal(statusCode, code, 1, '(#1) Upstream words', 'Details of the case.'),
  );
  const { error } = await runAction(gateway.credentials, SEND);
  expect(error?.name).toBe('NodeApiError');
  expect(error?.message).toBe(message);
  expect(error?.description).toMatch(/^Details of the case\./);
  expect(error?.httpCode).toBe(String(statusCode));
});

test.each([
  [
    131026,
    { details: 'Message Undeliverable.', action: 'Check the number.' },
    'The message cannot be delivered to this contact',
    'Check the number.\nThe messaging platform says: (#131026) In its words\nMessage Undeliverable.',
  ],
  [
    131049,
    { details: 'In its words.', action: 'Try in a day.' },
    'The messaging platform held this marketing message back: the contact gets too many of them',
    'Try in a day.\nThe messaging platform says: (#131049) In its words',
  ],
  [
    888,
    { details: 'Something that nobody knows.' },
    'The messaging platform refused this: In its words',
    'Something that nobody knows.',
  ],
])(
  'a refusal of the platform (%i) says what happened, then what to do',
  async (code, data, message, next) => {
    gateway.on('POST', MESSAGES, () => ({
      statusCode: 400,
      body: {
        success: false,
        error_code: 'upstream_error',
        error: { message: `(#${code}) In its words`, code, error_data: data },
      },
    }));
    const { error } = await runAction(gateway.credentials, SEND);
    expect([error?.message, error?.description]).toEqual([message, next]);
  },
);

test('too many messages to one contact are told as that, by whomever they are counted', async () => {
  gateway.on('POST', MESSAGES, () =>
    refusal(429, 'upstream_rate_limited', 131056, 'Pair limit', 'Slow down.'),
  );
  const { error } = await runAction(gateway.credentials, SEND);
  expect(error?.message).toBe('Too many messages in a short time to this contact');
  expect(error?.description).toMatch(/^Slow down\.\nWait before you send to the same contact again,/);
});

test.each([
  ['get', 'not_found', 'The gateway knows no message with this ID on this line', 'Take the messageId from'],
  [
    'send',
    'idempotency_conflict',
    'This item was already sent with other content',
    'The first try of this run',
  ],
  ['send', 'idempotency_in_progress', 'This item is being sent already', 'Wait for the first try'],
  [
    'send',
    'line_not_configured',
    'The gateway has no access to the messaging',
    'The operator of the gateway enters',
  ],
  ['send', 'not_found', 'The gateway does not know what this asks for', 'Check Base URL'],
])('%s: what %s says to programmers is not shown', async (operation, code, message, description) => {
  const details = 'URL-encode the Idempotency-Key.';
  for (const [method, path] of [
    ['POST', MESSAGES],
    ['GET', `/v22.0/${LINE}/messages/wamid.x`],
  ]) {
    gateway.on(method, path, () => refusal(409, code, 1, '(#1) Words', details));
  }
  const { error } = await runAction(gateway.credentials, { ...SEND, operation, messageId: 'wamid.x' });
  expect(error?.message).toMatch(new RegExp(`^${message}`));
  expect(error?.description).toMatch(new RegExp(`^${description}`));
  expect(error?.description).not.toContain(details);
});

test('a code that is not known yet keeps the words of the gateway', async () => {
  gateway.on('POST', MESSAGES, () => refusal(400, 'brand_new', 9, '(#9) Something new', 'Do this instead.'));
  const { error } = await runAction(gateway.credentials, SEND);
  expect(error?.message).toBe('Something new');
  expect(error?.description).toBe('Do this instead.');
});

test('every invalid field is named, once', async () => {
  gateway.on('POST', MESSAGES, () =>
    refusal(
      400,
      'invalid_payload',
      131009,
      '(#131009) Parameter value is not valid',
      'to is "Ana"; it must be a phone number. (and 1 more: see error_data.fields)',
      [
        { path: 'to', rule: 'pattern', message: 'to is "Ana"; it must be a phone number.' },
        {
          path: 'text.body',
          rule: 'minLength',
          message: 'text.body is empty. Fill it in, or leave it out where it is not required.',
        },
      ],
    ),
  );
  const { error } = await runAction(gateway.credentials, SEND);
  expect(error?.message).toBe('The gateway does not accept this message as it is');
  expect(error?.description).toBe(
    [
      'to is "Ana"; it must be a phone number.',
      'text.body is empty. Fill it in, or leave it out where it is not required.',
      'Look at the fields that are named, and at the expressions that fill them.',
    ].join('\n'),
  );
});

test('a gateway that is not running is named by its address', async () => {
  await gateway.close();
  const { error } = await runAction(gateway.credentials, SEND);
  expect(error?.message).toBe(`No gateway answers at ${gateway.baseUrl}`);
  expect(error?.description).toMatch(
    /^Nothing listens there: .*\. Check that the gateway is running, .*\. If n8n runs in a container, this address/,
  );
  expect(error?.description).not.toContain('ECONN');
  await gateway.close();
});

test.each([
  ['http://gateway.invalid', 'No machine of this name is known to n8n.'],
  ['https://127.0.0.1', 'It does not support https: use http://.'],
])('why nothing answers at %s is said in words', async (address, cause) => {
  const { port } = new URL(gateway.baseUrl);
  const { error } = await runAction({ ...gateway.credentials, baseUrl: `${address}:${port}` }, SEND);
  expect(error?.message).toBe(`No gateway answers at ${address}:${port}`);
  expect(error?.description?.startsWith(cause)).toBe(true);
  expect(error?.description?.includes('in a container')).toBe(address.includes('127.0.0.1'));
});

test.each(['', '/', '///', ' '])('an address that ends with "%s" is the same address', async (end) => {
  gateway.on('POST', MESSAGES, (request) => accepted(request));
  const baseUrl = gateway.baseUrl + end;
  const { error } = await runAction({ ...gateway.credentials, baseUrl }, SEND);
  expect(error).toBeUndefined();
});

test('an address with a path is used as it is: the gateway may stand behind one', async () => {
  gateway.on('POST', `/gateway${MESSAGES}`, (request) => accepted(request));
  const baseUrl = `${gateway.baseUrl}/gateway/`;
  expect((await runAction({ ...gateway.credentials, baseUrl }, SEND)).error).toBeUndefined();
  const wrong = { ...gateway.credentials, baseUrl: `${gateway.baseUrl}/docs` };
  const { error } = await runAction(wrong, SEND);
  expect(error?.message).toBe('The gateway does not know what this asks for');
  expect(error?.description).toContain('Check Base URL');
});

test.each(['gateway.example.com', 'localhost:8080', ''])('"%s" is told to be no address', async (baseUrl) => {
  const { error } = await runAction({ ...gateway.credentials, baseUrl }, SEND);
  expect(error?.message).toBe(`Base URL is no web address: "${baseUrl}"`);
  expect(error?.description).toContain('with https:// or http:// in front');
});

test('a proxy that lets no more through is no wrong address', async () => {
  gateway.on('GET', STATUS, () => ({ statusCode: 429, body: '<html>429 Too Many Requests</html>' }));
  const { error } = await runAction(gateway.credentials, { resource: 'line', operation: 'getStatus' });
  expect(error?.message).toBe(
    `The proxy in front of the gateway at ${gateway.baseUrl} lets no more requests through at the moment`,
  );
});

test('a page in place of an answer is not taken for a success', async () => {
  gateway.on('GET', STATUS, () => ({ body: '<html>Welcome</html>' }));
  const { items, error } = await runAction(gateway.credentials, { resource: 'line', operation: 'getStatus' });
  expect(items).toEqual([]);
  expect(error?.message).toBe(`What answers at ${gateway.baseUrl} is not a Messaging Gateway`);
});

test('a proxy that reports the gateway as down is told from a wrong address', async () => {
  gateway.on('POST', MESSAGES, () => ({ statusCode: 502, body: '<html>Bad Gateway</html>' }));
  const { error } = await runAction(gateway.credentials, SEND);
  expect(error?.message).toBe(`The gateway at ${gateway.baseUrl} is not available at the moment`);
});

test('a redirect is not followed: the token stays here, and the address is named', async () => {
  const elsewhere = await startGateway();
  gateway.on('POST', MESSAGES, () => ({
    statusCode: 301,
    headers: { location: `${elsewhere.baseUrl}${MESSAGES}` },
    body: '',
  }));
  const { error } = await runAction(gateway.credentials, SEND);
  expect(error?.message).toBe(`${gateway.baseUrl} redirects to another address`);
  expect(error?.description).toContain(elsewhere.baseUrl);
  expect(elsewhere.received).toEqual([]);
  await elsewhere.close();
});

test('never repeats the token', async () => {
  gateway.on('POST', MESSAGES, () => refusal(401, 'invalid_token', 190, 'Invalid token', 'Revoked.'));
  const { run } = await runAction(gateway.credentials, SEND);
  expect(JSON.stringify(run)).not.toContain(gateway.credentials.token);
});
