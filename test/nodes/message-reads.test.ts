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
