import { meeting } from '../support/http-peer';
import { runAction } from '../support/n8n';
import { gatewayForEach, LINE, MESSAGES, refusal, STATUS } from './support/gateway';

const gateway = gatewayForEach();

describe('Message: Mark as Read', () => {
  const MARK = { resource: 'message', operation: 'markAsRead', messageId: ' wamid.in ' };
  beforeEach(() => gateway.on('POST', MESSAGES, () => ({ body: { success: true } })));

  test('marks the message, without typing unless asked', async () => {
    const { items } = await runAction(gateway.credentials, MARK);
    expect(gateway.received[0].body).toEqual({
      messaging_product: 'whatsapp',
      status: 'read',
      message_id: 'wamid.in',
    });
    expect(items[0].json).toEqual({ messageId: 'wamid.in', read: true, typing: false });
  });

  test('refuses an empty ID before anything is sent', async () => {
    const { error } = await runAction(gateway.credentials, { ...MARK, messageId: '={{ $json.missing }}' });
    expect(error?.message).toBe('Message ID is empty');
    expect(gateway.received).toEqual([]);
  });

  test.each(['nope', '12025550147', 'wamid.'])(
    'refuses %s, which is no ID of a message',
    async (messageId) => {
      const { error } = await runAction(gateway.credentials, { ...MARK, messageId });
      expect(error?.message).toBe(`Message ID is "${messageId}", which is no message ID`);
      expect(gateway.received).toEqual([]);
    },
  );
});

describe('Message: Get', () => {
  const GET = { resource: 'message', operation: 'get', messageId: 'wamid.a/b=' };
  const PATH = `/v22.0/${LINE}/messages/wamid.a%2Fb%3D`;
  const ANSWER = {
    success: true,
    id: 'wamid.a/b=',
    state: 'failed',
    contact: '5511987654321',
    type: 'text',
    client_ref: 'order 1',
    accepted_at: '2026-11-20T10:00:00.000Z',
    sent_at: null,
    delivered_at: null,
    read_at: null,
    played_at: null,
    failed_at: '2026-11-20T10:00:02.000Z',
    failure: {
      error_code: 'outside_24h_window',
      code: 131047,
      reason: 'Too late.',
      action: 'Send a template.',
      errors: [],
    },
  };

  test('gives out state, times and the reason of a failure under the names that Send uses', async () => {
    gateway.on('GET', PATH, () => ({ body: ANSWER }));
    const { items, error } = await runAction(gateway.credentials, GET);
    expect(error).toBeUndefined();
    expect(items[0].json).toEqual({
      messageId: 'wamid.a/b=',
      messageStatus: 'failed',
      to: '5511987654321',
      messageType: 'text',
      clientRef: 'order 1',
      acceptedAt: '2026-11-20T10:00:00.000Z',
      sentAt: null,
      deliveredAt: null,
      readAt: null,
      playedAt: null,
      failedAt: '2026-11-20T10:00:02.000Z',
      failure: {
        reason: 'Too late.',
        whatToDo: 'Send a template.',
        errorCode: 'outside_24h_window',
        code: 131047,
      },
      raw: ANSWER,
    });
  });

  test('says so when the gateway does not know the message', async () => {
    gateway.on('GET', PATH, () => refusal(404, 'not_found', 100, 'Unknown', 'No such message.'));
    const { error } = await runAction(gateway.credentials, GET);
    expect(error?.message).toBe('The gateway knows no message with this ID on this line');
  });
});

describe('Message: Get Many', () => {
  const GET_MANY = { resource: 'message', operation: 'getAll', to: '+55 11 98765-4321' };
  const PATH = `/v22.0/${LINE}/conversations/${encodeURIComponent('+55 11 98765-4321')}`;
  const row = (id: string) => ({
    ...{
      id,
      direction: 'received',
      contact: '5511987654321',
      name: 'Ana',
      type: 'text',
      text: `This is ${id}`,
    },
    ...{ media_id: null, at: '2026-11-20T10:00:00.000Z', state: null, client_ref: null },
  });

  test('gives out the conversation in flat items, page after page up to the limit', async () => {
    const pages: Record<string, object> = {
      '': { data: [row('wamid.3'), row('wamid.2')], next: '17' },
      '17': { data: [row('wamid.1'), row('wamid.0')], next: '5' },
    };
    gateway.on('GET', PATH, ({ query }) => ({ body: pages[String(query.before ?? '')] }));
    const { items, error } = await runAction(gateway.credentials, { ...GET_MANY, limit: 3 });
    expect(error).toBeUndefined();
    expect(items.map(({ json }) => json.messageId)).toEqual(['wamid.3', 'wamid.2', 'wamid.1']);
    expect(items[0].json).toEqual({
      ...{ messageId: 'wamid.3', direction: 'received', text: 'This is wamid.3', kind: 'text', name: 'Ana' },
      ...{ contact: '5511987654321', timestamp: '2026-11-20T10:00:00.000Z', messageStatus: null },
      ...{ mediaId: null, clientRef: null },
    });
    expect(gateway.received.map(({ query }) => query)).toEqual([
      { limit: '3' },
      { limit: '1', before: '17' },
    ]);
  });

  test('ends with an error where something on the way has every page be the first', async () => {
    gateway.on('GET', PATH, () => ({
      body: { data: [row('wamid.3')], next: gateway.received.length < 9 ? '17' : null },
    }));
    const { error } = await runAction(gateway.credentials, { ...GET_MANY, returnAll: true });
    expect(error?.message).toBe('The gateway answered the same page of messages twice');
    expect(gateway.received).toHaveLength(2);
  });

  test('says so when the gateway is too old for it, or the contact is none', async () => {
    gateway.on('GET', PATH, () => refusal(404, 'not_found', 2500, 'Unknown path', 'No such path.'));
    const old = await runAction(gateway.credentials, GET_MANY);
    expect(old.error?.message).toBe('This gateway is too old to list messages');
    const none = await runAction(gateway.credentials, { ...GET_MANY, to: 'Ana' });
    expect(none.error?.message).toBe('Contact is "Ana", which is no telephone number');
  });
});

describe('Contact', () => {
  const of = (operation: string, more: object = {}) => ({
    ...{ resource: 'contact', operation, to: '+55 11 98765-4321' },
    ...more,
  });
  const CONTACT = encodeURIComponent('+55 11 98765-4321');
  const OPT_OUTS = `/v22.0/${LINE}/opt-outs`;

  test('is put on the opt-out list and taken off it', async () => {
    gateway.on('POST', OPT_OUTS, () => ({ body: { success: true } }));
    gateway.on('DELETE', `${OPT_OUTS}/${CONTACT}`, () => ({ body: { success: true } }));
    const out = await runAction(gateway.credentials, of('optOut'));
    const back = await runAction(gateway.credentials, of('optIn'));
    expect([...out.items, ...back.items].map(({ json }) => json.hasOptedOut)).toEqual([true, false]);
    expect(gateway.received.map(({ method, body }) => [method, body])).toEqual([
      ['POST', { contact: '+55 11 98765-4321' }],
      ['DELETE', undefined],
    ]);
  });

  test('who has opted out is listed, all of them where that is asked for', async () => {
    const contact = (number: string) => ({
      contact: number,
      since: '2026-11-20T10:00:00.000Z',
      word: 'STOP',
    });
    gateway.on('GET', OPT_OUTS, ({ query }) => ({
      body: query.after
        ? { data: [contact('2')], next: null }
        : { data: [contact('1')], next: '1', words: { out: ['STOP'], back: [] } },
    }));
    const { items } = await runAction(gateway.credentials, of('getOptedOut', { returnAll: true }));
    expect(items.map(({ json }) => json)).toEqual([contact('1'), contact('2')]);
    expect(gateway.received.map(({ query }) => query)).toEqual([
      { limit: '200' },
      { limit: '200', after: '1' },
    ]);
  });

  const sent = (state: string, code: number | null = null) => ({
    at: '2026-11-20T10:00:00.000Z',
    state,
    code,
  });
  test.each([
    ['never written to', { last_inbound_at: null, last_sent: null }, null],
    ['whose message is on its way', { last_inbound_at: null, last_sent: sent('sent') }, null],
    ['whose message was delivered', { last_inbound_at: null, last_sent: sent('delivered') }, true],
    ['that wrote', { last_inbound_at: '2026-11-20T10:00:00.000Z', last_sent: null }, true],
    ['not on WhatsApp', { last_inbound_at: null, last_sent: sent('failed', 131026) }, false],
    [
      'whose message failed for another reason',
      { last_inbound_at: null, last_sent: sent('failed', 131047) },
      null,
    ],
    ['at an older gateway', { last_inbound_at: null }, null],
  ])('%s: whether messages reach the number, as far as that is known', async (_what, answer, isReached) => {
    gateway.on('GET', `/v22.0/${LINE}/window/${CONTACT}`, () => ({ body: { success: true, ...answer } }));
    const { items } = await runAction(gateway.credentials, of('getWindow'));
    expect(items[0].json).toMatchObject({ isReached });
  });
});

describe('what is read of many items', () => {
  const ids = Array.from({ length: 30 }, (_, index) => String(12025550100 + index));
  const described = (id: string) => ({
    success: true,
    id,
    contact: id,
    mime_type: 'text/plain',
    file_size: 1,
  });

  test.each([
    ['message', 'get', (id: string) => `/v22.0/${LINE}/messages/${id}`, 'messageId'],
    ['contact', 'getWindow', (id: string) => `/v22.0/${LINE}/window/${id}`, 'contact'],
    ['media', 'download', (id: string) => `/v22.0/${id}`, 'mediaId'],
    ['line', 'getStatus', () => STATUS, 'contact'],
  ])('%s %s: several at the same time, not all, in order', async (resource, operation, path, name) => {
    const { pass, most } = meeting(10);
    // It goes ahead alone: a file is two requests.
    const ofFirst = resource === 'media' ? 2 : 1;
    const slow = (answer: object | string) => async () => {
      if (gateway.received.length > ofFirst) await pass();
      return { body: answer };
    };
    for (const id of ids) {
      gateway.on('GET', path(id), slow(described(id)));
      gateway.on('GET', `${path(id)}/content`, slow('x'));
    }
    const each = '={{ $json.id }}';
    const { items, error } = await runAction(
      gateway.credentials,
      { resource, operation, messageId: each, to: each, mediaId: each, outputField: 'data' },
      ids.map((id) => ({ id })),
    );
    expect(error).toBeUndefined();
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual(ids.map((_, item) => ({ item })));
    if (resource !== 'line') expect(items.map(({ json }) => json[name])).toEqual(ids);
    expect(most()).toBe(10);
  });
});
