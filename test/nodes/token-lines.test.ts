import { LoadOptionsContext } from 'n8n-core';
import type { ILoadOptionsFunctions, INodeParameters } from 'n8n-workflow';

import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';
import { testCredential } from '../support/credential-check';
import { ACTION, additionalData, node, runAction, TOOL, workflow } from '../support/n8n';
import { accepted, gatewayForEach, LINE, MESSAGES, refusal, TEMPLATES } from './support/gateway';

/** A credential with a token of several lines. */
const gateway = gatewayForEach();
const several = (line = '') => ({ baseUrl: gateway.baseUrl, line, token: 'gwa_all' });
const ofOneLine = () => gateway.credentials;

const byId = (value: string) => ({ line: { __rl: true, mode: 'id', value } });
const SEND = { to: '12025550147', text: 'Hello' };
const OTHER = '106540352242900';

/** 450 lines in pages, as the management API lists them. */
const LINES = Array.from({ length: 450 }, (_, index) => ({
  id: index + 1,
  name: index === 449 ? 'Ana’s bakery' : `Client ${index}`,
  phone_number_id: String(106540352242000 + index),
  phone_number: `+1 212-555-${String(index).padStart(4, '0')}`,
  customer_id: null,
}));

beforeEach(() => {
  gateway.on('GET', '/v1/lines', ({ query: { limit, cursor = '0' } }) => {
    const end = Number(cursor) + Number(limit);
    return {
      body: { data: LINES.slice(Number(cursor), end), next: end < LINES.length ? String(end) : null },
    };
  });
  for (const line of [LINE, OTHER])
    gateway.on('POST', MESSAGES.replace(LINE, line), (request) => accepted(request));
});

/** n8n's context for a list in the node's panel. */
const editor = (parameters: INodeParameters, credentials: Record<string, string> = several()) => {
  const action = node(ACTION, { messageType: 'template', ...parameters });
  return new LoadOptionsContext(
    workflow([action]),
    action,
    additionalData(credentials),
    'parameters',
  ) as unknown as ILoadOptionsFunctions;
};
const { searchLines, searchTemplates } = new MessagingGateway().methods.listSearch;
const found = async (filter?: string) => (await searchLines.call(editor({}), filter)).results;

describe('the list of lines', () => {
  test('has every line of the token, by name', async () => {
    const names = (await found()).map(({ name }) => name);
    expect(names).toHaveLength(450);
    expect(names.slice(0, 2)).toEqual(['Ana’s bakery (+1 212-555-0449)', 'Client 0 (+1 212-555-0000)']);
    const pages = gateway.requests('GET', '/v1/lines');
    expect(pages.map(({ query }) => query)).toEqual([
      { limit: '200' },
      { limit: '200', cursor: '200' },
      { limit: '200', cursor: '400' },
    ]);
    expect(pages[0]?.headers.authorization).toBe('Bearer gwa_all');
  });

  test.each(['BAKERY', '555-0449', '2125550449', '106540352242449'])(
    'finds a line by "%s"',
    async (words) => {
      expect(await found(words)).toEqual([
        { name: 'Ana’s bakery (+1 212-555-0449)', value: '106540352242449' },
      ]);
    },
  );

  test('says that the token of one line has no list', async () => {
    await expect(searchLines.call(editor({}, ofOneLine()))).rejects.toMatchObject({
      message: 'The token of this credential is for one line. Leave this field empty.',
    });
    expect(gateway.received).toEqual([]);
  });

  test.each([
    [404, 'not_found', 'This gateway is too old for tokens of several lines'],
    [401, 'invalid_token', 'The gateway does not accept this token'],
    [403, 'permission_missing', 'This token may not list its lines'],
  ])('explains %i %s', async (status, code, message) => {
    gateway.on('GET', '/v1/lines', () => refusal(status, code, 190, 'Upstream words', 'Details.'));
    await expect(found()).rejects.toMatchObject({ message });
  });
});

describe('the list of templates', () => {
  test('is that of the chosen line', async () => {
    const body = {
      success: true,
      data: [{ name: 'hello', language: 'en_US', body: 'Hello from the other line!' }],
    };
    gateway.on('GET', TEMPLATES.replace(LINE, OTHER), () => ({ body }));
    const { results } = await searchTemplates.call(editor(byId(OTHER), several(LINE)));
    expect(results).toMatchObject([{ value: 'hello|en_US' }]);
  });

  test('says what to do if each item names its line', async () => {
    await expect(searchTemplates.call(editor(byId('={{ $json.line }}')))).rejects.toMatchObject({
      message:
        'The expression in Line has no value here. Choose a line for now, or enter the template By Name.',
    });
  });
});

test('the node names another line than the credential, and no line means that of the credential', async () => {
  const [named, unnamed] = [
    await runAction(several(LINE), { ...SEND, ...byId(OTHER) }),
    await runAction(several(LINE), SEND),
  ];
  expect([named.items[0]?.json.phoneNumberId, unnamed.items[0]?.json.phoneNumberId]).toEqual([OTHER, LINE]);
});

test.each([null, '', {}, '   '])(
  'an item without a line (%j) is not sent by the line of the credential',
  async (line) => {
    const { items, errorItems } = await runAction(
      several(LINE),
      { ...SEND, ...byId('={{ $json.line }}') },
      [{ line: OTHER }, { line }],
      { onError: 'continueErrorOutput' },
    );
    expect(items.map(({ json }) => json.phoneNumberId)).toEqual([OTHER]);
    expect(errorItems.map(({ json }) => json.error)).toMatchObject([
      { message: 'Line has no value for this item' },
    ]);
    expect(gateway.received).toHaveLength(1);
  },
);

test('the number of a line in the gateway names it as well', async () => {
  gateway.on('POST', MESSAGES.replace(LINE, '12'), (request) => accepted(request));
  const { items } = await runAction(several(), { ...SEND, ...byId('={{ $json.line }}') }, [{ line: 12 }]);
  expect(items[0]?.json).toMatchObject({ line: 12, phoneNumberId: null });
});

test('without a line, nothing is sent, and the error says where to choose one', async () => {
  const { error } = await runAction(several(), SEND);
  expect(error).toMatchObject({
    message: 'No line is chosen',
    description: expect.stringContaining('Choose the Line in this node'),
  });
  expect(gateway.received).toEqual([]);
});

test('a line outside the token is named, and what a model reads says what to do', async () => {
  gateway.on('POST', MESSAGES.replace(LINE, OTHER), () =>
    refusal(401, 'invalid_token', 190, 'Invalid token', 'No such token.'),
  );
  const { error } = await runAction(several(), { ...SEND, ...byId(OTHER) }, [{}], { type: TOOL });
  expect(error?.message).toMatch(
    `The gateway does not accept this token for the line ${OTHER}. Choose a line of this token`,
  );
  const ofLine = await runAction(ofOneLine(), { ...SEND, ...byId(OTHER) });
  expect(ofLine.error?.message).toBe('The gateway does not accept this token for this line');
});

describe('the test of the credential', () => {
  test('without a line, lists the lines of the token', async () => {
    expect(await testCredential(several())).toBeUndefined();
    expect(gateway.received.map(({ path, query }) => [path, query])).toEqual([['/v1/lines', { limit: '1' }]]);
  });

  test('a token without lines is useless', async () => {
    gateway.on('GET', '/v1/lines', () => ({ body: { data: [], next: null } }));
    expect(await testCredential(several())).toContain('it includes no line');
  });

  test('the token of one line needs its line', async () => {
    expect(await testCredential({ ...ofOneLine(), line: ' ' })).toMatch(
      /^Line is empty\. Enter the phone number ID/,
    );
    expect(gateway.received).toEqual([]);
  });

  test.each([
    [401, 'invalid_token', 'does not accept this token. Check that it was copied whole'],
    [404, 'not_found', 'too old for tokens of several lines'],
    [403, 'permission_missing', 'may not list its lines. Create a token with the scopes send, read'],
  ])('explains %i %s', async (status, code, sentence) => {
    gateway.on('GET', '/v1/lines', () => refusal(status, code, 190, 'Upstream words', 'Details.'));
    expect(await testCredential(several())).toContain(sentence);
  });
});
