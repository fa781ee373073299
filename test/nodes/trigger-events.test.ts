import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';

import { gatewayForEach } from './support/gateway';
import { listening, openInbox, type Inbox } from '../support/listening';

const SECRET = 'the secret of the destination';

const gateway = gatewayForEach();
let inbox: Inbox;

const open = async (parameters: INodeParameters = {}) => {
  const workflow = listening(gateway, parameters, {
    'node:n8n-nodes-messaging-gateway.messagingGatewayTrigger': {
      registrations: [{ id: '2', url: 'http://n8n.test/webhook', secret: SECRET, test: false }],
      line: 12,
      lineName: 'Main shop',
    },
  });
  inbox = await openInbox(() => workflow);
};
afterEach(async () => {
  await inbox.close();
});

let events = 0;

/** The headers of an event, as the gateway signs it. */
const sign = (body: string, secret = SECRET): Record<string, string> => {
  const [id, timestamp] = [`evt_${++events}`, String(Math.floor(Date.now() / 1000))];
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
};

const withSignature = (headers: Record<string, string>, change: (signature: string) => string) => ({
  ...headers,
  'webhook-signature': change(headers['webhook-signature']),
});

const post = async (body: string, headers: Record<string, string>) =>
  await fetch(inbox.url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

const deliver = async (event: object) => {
  const body = JSON.stringify(event);
  return await post(body, sign(body));
};

const envelope = <T extends object>(value: T) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '102290129340398',
      changes: [
        {
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '15550783881', phone_number_id: '106540352242922' },
            ...value,
          },
          field: 'messages',
        },
      ],
    },
  ],
});
const CONTACT = { profile: { name: 'Ana' }, wa_id: '5511987654321', user_id: 'BR.123' };
const inbound = (message: object) =>
  envelope({
    contacts: [CONTACT],
    messages: [
      {
        from: '5511987654321',
        id: 'wamid.IN',
        timestamp: '1750025136',
        ...message,
      },
    ],
  });
const statusOf = (status: object) =>
  envelope({
    statuses: [{ id: 'wamid.OUT', timestamp: '1750025136', recipient_id: '5511987654321', ...status }],
  });

const GROUP = 'Y2FwaV9ncm91cDoxNTU1MDc4Mzg4MToxMjAzNjMz';

const NOTHING = {
  groupId: null,
  text: null,
  replyId: null,
  replyTitle: null,
  replyDescription: null,
  questionText: null,
  media: null,
  location: null,
  flowAnswers: null,
  order: null,
  product: null,
  referral: null,
  forwarded: false,
  contextId: null,
  clientRef: null,
  lateAnswerTo: null,
  automationPaused: false,
};

describe('the signature', () => {
  const event = JSON.stringify(inbound({ type: 'text', text: { body: 'Olá' } }));

  test('right, the event starts a run', async () => {
    await open();
    const response = await post(event, sign(event));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ received: 1 });
    expect(inbox.runs).toHaveLength(1);
  });

  test.each([
    ['missing', {}],
    ['of another secret', sign(event, 'another')],
    ['of other bytes', sign(`${event} `)],
    ['without its prefix', withSignature(sign(event), (one) => one.slice('v1,'.length))],
    ['cut short', withSignature(sign(event), (one) => one.slice(0, 20))],
    ['empty', withSignature(sign(event), () => 'v1,')],
    ['not base64', withSignature(sign(event), () => `v1,${'!'.repeat(44)}`)],
    ['of another id', { ...sign(event), 'webhook-id': 'evt_another' }],
    [
      'that of the platform alone, which covers no time',
      { 'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(event).digest('hex')}` },
    ],
  ])('%s, the answer is 401 in JSON and no workflow runs', async (_case, headers) => {
    await open();
    const response = await post(event, headers as Record<string, string>);
    expect(response.status).toBe(401);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toHaveProperty('error');
    expect(inbox.runs).toEqual([]);
  });

  test('is checked over the very bytes, escapes and spaces included', async () => {
    await open();
    const bytes = event
      .replace('wamid.IN', 'wamid.IN.ESCAPED')
      .replace('Olá', 'Ol\\u00e1')
      .replace('{"object"', '{ "object"');
    expect((await post(bytes, sign(event))).status).toBe(401);
    expect((await post(bytes, sign(bytes))).status).toBe(200);
    expect(inbox.runs[0][0][0].json.text).toBe('Olá');
  });

  test('is never right before anything was registered', async () => {
    const workflow = listening(gateway);
    inbox = await openInbox(() => workflow);
    const response = await post(event, sign(event, ''));
    expect(response.status).toBe(401);
    expect(inbox.runs).toEqual([]);
  });
});

describe('the handshake', () => {
  const shake = async (query: Record<string, string>) =>
    await fetch(`${inbox.url}?${new URLSearchParams(query).toString()}`);

  test('is answered with the bare challenge as plain text, and starts no run', async () => {
    await open();
    const response = await shake({ 'hub.mode': 'subscribe', 'hub.challenge': '1158201444' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(await response.text()).toBe('1158201444');
    expect(inbox.runs).toEqual([]);
  });

  test.each([
    ['another mode', { 'hub.mode': 'unsubscribe', 'hub.challenge': '1' }],
    ['no challenge', { 'hub.mode': 'subscribe' }],
    ['markup as challenge', { 'hub.mode': 'subscribe', 'hub.challenge': '<script>1</script>' }],
    ['a challenge of 201 characters', { 'hub.mode': 'subscribe', 'hub.challenge': 'x'.repeat(201) }],
  ])('with %s is answered 400 and echoes nothing', async (_case, query) => {
    await open();
    const response = await shake(query as Record<string, string>);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.text()).not.toContain('script');
  });
});

describe('a message becomes a flat item', () => {
  const itemOf = async (message: object) => {
    await open();
    const event = inbound(message);
    await deliver(event);
    const [[messages, statuses]] = inbox.runs;
    expect(statuses).toEqual([]);
    expect(messages).toHaveLength(1);
    return messages[0].json;
  };
  const COMMON = {
    ...NOTHING,
    messageId: 'wamid.IN',
    from: '5511987654321',
    fromUserId: 'BR.123',
    name: 'Ana',
    timestamp: '2025-06-15T22:05:36.000Z',
    line: 12,
    lineName: 'Main shop',
    phoneNumberId: '106540352242922',
  };

  test('with its text', async () => {
    const message = { type: 'text', text: { body: 'Hello' }, context: { id: 'wamid.OUT', from: '1555' } };
    expect(await itemOf(message)).toEqual({
      ...COMMON,
      kind: 'text',
      text: 'Hello',
      contextId: 'wamid.OUT',
      raw: inbound(message).entry[0].changes[0].value.messages[0],
    });
  });

  test('with the fields that the editor offers before the first run', async () => {
    const item = await itemOf({ type: 'text', text: { body: 'Hello' } });
    for (const version of ['v1.0.0', 'v1.1.0', 'v1.2.0']) {
      const { properties } = JSON.parse(
        readFileSync(join(__dirname, `../../nodes/MessagingGateway/__schema__/${version}.json`), 'utf8'),
      ) as { properties: Record<string, { type: string }> };
      expect(Object.keys(item).sort()).toEqual(Object.keys(properties).sort());
      expect(properties.line?.type).toBe('integer');
    }
  });

  test.each([
    [
      'a tapped button',
      {
        type: 'interactive',
        context: { id: 'wamid.OUT' },
        interactive: { type: 'button_reply', button_reply: { id: 'cancel', title: 'Cancel' } },
      },
      {
        kind: 'interactive',
        text: 'Cancel',
        replyId: 'cancel',
        replyTitle: 'Cancel',
        contextId: 'wamid.OUT',
      },
    ],
    [
      'a chosen row',
      {
        type: 'interactive',
        interactive: {
          type: 'list_reply',
          list_reply: { id: 'slot_9', title: '9 to 10', description: 'Two places' },
        },
      },
      {
        kind: 'interactive',
        text: '9 to 10',
        replyId: 'slot_9',
        replyTitle: '9 to 10',
        replyDescription: 'Two places',
      },
    ],
    [
      'a button of a template',
      { type: 'button', button: { payload: 'STOP', text: 'Unsubscribe' } },
      { kind: 'button', text: 'Unsubscribe', replyId: 'STOP', replyTitle: 'Unsubscribe' },
    ],
    [
      'a filled form',
      {
        type: 'interactive',
        interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{}' } },
      },
      { kind: 'interactive', text: 'Sent', flowAnswers: {} },
    ],
    [
      'a filled form with answers',
      {
        type: 'interactive',
        interactive: {
          type: 'nfm_reply',
          nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"guests":4,"day":"Friday"}' },
        },
      },
      { kind: 'interactive', text: 'Sent', flowAnswers: { guests: 4, day: 'Friday' } },
    ],
    [
      'a form whose answers cannot be read',
      { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { response_json: '[4' } } },
      { kind: 'interactive' },
    ],
    ['an interactive answer without content', { type: 'interactive' }, { kind: 'interactive' }],
    [
      'an image with caption',
      { type: 'image', image: { id: '1003', mime_type: 'image/jpeg', sha256: 'abc=', caption: 'Taj' } },
      {
        kind: 'image',
        text: 'Taj',
        media: { id: '1003', mimeType: 'image/jpeg', sha256: 'abc=', fileName: null, voice: false },
      },
    ],
    [
      'a document',
      { type: 'document', document: { id: '7', mime_type: 'application/pdf', filename: 'a.pdf' } },
      {
        kind: 'document',
        media: { id: '7', mimeType: 'application/pdf', sha256: null, fileName: 'a.pdf', voice: false },
      },
    ],
    [
      'a voice message',
      { type: 'audio', audio: { id: '8', mime_type: 'audio/ogg; codecs=opus', voice: true } },
      {
        kind: 'audio',
        media: { id: '8', mimeType: 'audio/ogg; codecs=opus', sha256: null, fileName: null, voice: true },
      },
    ],
    [
      'a location',
      { type: 'location', location: { latitude: 37.4, longitude: -122.1, name: 'Philz Coffee' } },
      {
        kind: 'location',
        text: 'Philz Coffee',
        location: { latitude: 37.4, longitude: -122.1, name: 'Philz Coffee', address: null },
      },
    ],
    [
      'a reaction',
      { type: 'reaction', reaction: { message_id: 'wamid.OUT', emoji: '👍' } },
      { kind: 'reaction', text: '👍', contextId: 'wamid.OUT' },
    ],
    [
      'a reaction that was taken back',
      { type: 'reaction', reaction: { message_id: 'wamid.OUT' } },
      { kind: 'reaction', contextId: 'wamid.OUT' },
    ],
    [
      'shared contacts',
      {
        type: 'contacts',
        contacts: [{ name: { formatted_name: 'Lucía Gómez' } }, { name: { formatted_name: 'Bob' } }],
      },
      { kind: 'contacts', text: 'Lucía Gómez, Bob' },
    ],
    [
      'an order',
      {
        type: 'order',
        order: {
          catalog_id: '194',
          text: 'Fast, please',
          product_items: [
            { product_retailer_id: 'cake', quantity: 2, item_price: 30.5, currency: 'EUR' },
            { product_retailer_id: 'tea', quantity: '1', item_price: '', currency: 'EUR' },
          ],
        },
      },
      {
        kind: 'order',
        text: 'Fast, please',
        order: {
          catalogId: '194',
          items: [
            { productId: 'cake', quantity: 2, price: 30.5, currency: 'EUR' },
            { productId: 'tea', quantity: 1, price: null, currency: 'EUR' },
          ],
        },
      },
    ],
    ['an order without content', { type: 'order' }, { kind: 'order', order: { catalogId: null, items: [] } }],
    [
      'a question about a product, forwarded',
      {
        type: 'text',
        text: { body: 'In blue?' },
        context: { forwarded: true, referred_product: { catalog_id: '194', product_retailer_id: 'cake' } },
      },
      { kind: 'text', text: 'In blue?', product: { catalogId: '194', productId: 'cake' }, forwarded: true },
    ],
    [
      'what was forwarded often',
      { type: 'text', text: { body: 'Look' }, context: { frequently_forwarded: true } },
      { kind: 'text', text: 'Look', forwarded: true },
    ],
    [
      'who came by an advertisement',
      {
        type: 'text',
        text: { body: 'Hi' },
        referral: {
          source_type: 'ad',
          source_id: '120',
          source_url: 'https://fb.me/1',
          headline: 'Cakes',
          ctwa_clid: 'Aff',
        },
      },
      {
        kind: 'text',
        text: 'Hi',
        referral: {
          sourceType: 'ad',
          sourceId: '120',
          sourceUrl: 'https://fb.me/1',
          headline: 'Cakes',
          body: null,
          clickId: 'Aff',
        },
      },
    ],
    ['a notice', { type: 'system', system: { body: 'Ana moved' } }, { kind: 'system', text: 'Ana moved' }],
    ['a kind that nobody knows yet', { type: 'hologram', hologram: { depth: 3 } }, { kind: 'hologram' }],
    ['contacts that are missing', { type: 'contacts' }, { kind: 'contacts', text: '' }],
    ['a time that is none', { timestamp: '1e99' }, { kind: 'unknown', timestamp: null }],
    ['a message without a kind', {}, { kind: 'unknown' }],
  ])('from %s', async (_kind, message, expected) => {
    expect(await itemOf(message)).toMatchObject({ ...COMMON, ...expected });
  });

  test('from a contact without a phone number, known by user id', async () => {
    await open();
    await deliver(
      envelope({
        contacts: [{ profile: { name: 'Sheena' }, user_id: 'US.134' }],
        messages: [
          {
            from_user_id: 'US.134',
            id: 'wamid.U',
            timestamp: '1789416383',
            type: 'text',
            text: { body: 'hi' },
          },
        ],
      }),
    );
    expect(inbox.runs[0][0][0].json).toMatchObject({ from: null, fromUserId: 'US.134', name: 'Sheena' });
  });

  test('as one item with all texts and each message, where the contact is waited for until it pauses', async () => {
    gateway.on('GET', '/v22.0/42', () => ({ body: { id: '42', mime_type: 'image/jpeg', file_size: 5 } }));
    gateway.on('GET', '/v22.0/42/content', () => ({ body: 'first' }));
    gateway.on('GET', '/v22.0/43', () => ({ body: { id: '43', mime_type: 'audio/ogg', file_size: 6 } }));
    gateway.on('GET', '/v22.0/43/content', () => ({ body: 'second' }));
    await open({ downloadFiles: true, options: { waitForPause: 10 } });
    const message = (id: string, more: object) => ({
      ...{ from: '5511987654321', id, timestamp: '1750025136' },
      ...more,
    });
    await deliver(
      envelope({
        contacts: [CONTACT],
        messages: [
          message('wamid.1', { type: 'text', text: { body: 'Hello' } }),
          message('wamid.2', { type: 'image', image: { id: '42', mime_type: 'image/jpeg' } }),
          message('wamid.4', { type: 'audio', audio: { id: '43', mime_type: 'audio/ogg' } }),
          message('wamid.3', { type: 'text', text: { body: 'what is this?' } }),
        ],
      }),
    );
    expect(inbox.runs).toHaveLength(1);
    expect(inbox.runs[0]?.[0]?.map(({ json }) => json)).toEqual([
      expect.objectContaining({
        messageId: 'wamid.3',
        text: 'Hello\nwhat is this?',
        messages: [
          expect.objectContaining({ messageId: 'wamid.1', text: 'Hello' }),
          expect.objectContaining({ messageId: 'wamid.2', kind: 'image', binaryField: 'data' }),
          expect.objectContaining({ messageId: 'wamid.4', kind: 'audio', binaryField: 'data_2' }),
          expect.objectContaining({ messageId: 'wamid.3', text: 'what is this?' }),
        ],
      }),
    ]);
  });

  test('with the name of its own sender when the event holds several', async () => {
    await open();
    await deliver(
      envelope({
        contacts: [
          { wa_id: '1', profile: { name: 'One' } },
          { wa_id: '2', profile: { name: 'Two' } },
          { wa_id: '3' },
        ],
        messages: ['2', '3', '4'].map((from) => ({
          from,
          id: `wamid.${from}`,
          type: 'text',
          text: { body: '' },
        })),
      }),
    );
    expect(inbox.runs[0][0].map(({ json }) => [json.from, json.name, json.timestamp])).toEqual([
      ['2', 'Two', null],
      ['3', null, null],
      ['4', null, null],
    ]);
  });
});

describe('a status', () => {
  test('leaves by the second output, flat as well', async () => {
    await open({ events: ['delivered'] });
    const status = { status: 'delivered', biz_opaque_callback_data: 'order 1042' };
    await deliver(statusOf(status));
    expect(inbox.runs).toHaveLength(1);
    expect(inbox.runs[0]).toEqual([
      [],
      [
        {
          json: {
            messageId: 'wamid.OUT',
            messageStatus: 'delivered',
            recipient: '5511987654321',
            groupId: null,
            timestamp: '2025-06-15T22:05:36.000Z',
            errorCode: null,
            errorTitle: null,
            errorDetails: null,
            line: 12,
            lineName: 'Main shop',
            phoneNumberId: '106540352242922',
            clientRef: 'order 1042',
            raw: statusOf(status).entry[0].changes[0].value.statuses[0],
          },
        },
      ],
    ]);
  });

  test('failed says why', async () => {
    await open({ events: ['failed'] });
    await deliver(
      statusOf({
        status: 'failed',
        errors: [
          {
            code: 131047,
            title: 'Re-engagement message',
            error_data: { details: 'More than 24 hours have passed.' },
          },
        ],
      }),
    );
    expect(inbox.runs[0][1][0].json).toMatchObject({
      messageStatus: 'failed',
      errorCode: 131047,
      errorTitle: 'Re-engagement message',
      errorDetails: 'More than 24 hours have passed.',
    });
  });

  test('that nobody asked for is answered 200 and starts no run', async () => {
    await open();
    const response = await deliver(statusOf({ status: 'read' }));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ received: 0 });
    expect(inbox.runs).toEqual([]);
  });

  const paymentOf = (order: string) => ({
    type: 'payment',
    status: 'failed',
    payment: { reference_id: order },
  });

  test('of a payment that failed is no message that failed', async () => {
    await open({ events: ['failed'] });
    await deliver(statusOf(paymentOf('order 1')));
    expect(inbox.runs).toEqual([]);
  });

  test('of a payment comes to whoever asked for payments', async () => {
    await open({ events: ['payments'] });
    await deliver(statusOf({ status: 'failed' }));
    await deliver(statusOf(paymentOf('order 2')));
    expect(inbox.runs).toHaveLength(1);
    expect(inbox.runs[0][1][0].json).toMatchObject({
      messageStatus: 'payment_failed',
      raw: paymentOf('order 2'),
    });
  });

  test('of a message to a group names the group', async () => {
    await open({ events: ['sent'] });
    await deliver(statusOf({ status: 'sent', recipient_type: 'group', recipient_id: GROUP }));
    expect(inbox.runs[0][1][0].json).toMatchObject({ recipient: GROUP, groupId: GROUP });
  });

  test('played comes to whoever asked for read', async () => {
    await open({ events: ['read'] });
    await deliver(statusOf({ status: 'played' }));
    expect(inbox.runs[0][1][0].json.messageStatus).toBe('played');
  });
});

test('a message from a group has the group beside its sender', async () => {
  await open();
  await deliver(inbound({ type: 'text', text: { body: 'Hi' }, group_id: GROUP }));
  expect(inbox.runs[0][0][0].json).toMatchObject({ from: '5511987654321', groupId: GROUP, text: 'Hi' });
});

test('a message starts no run when only statuses are wanted', async () => {
  await open({ events: ['read'] });
  await deliver(inbound({ type: 'text', text: { body: 'Hi' } }));
  expect(inbox.runs).toEqual([]);
});

test('several events in one POST become several items, each on its output', async () => {
  await open({ events: ['messages', 'sent'] });
  const event = {
    object: 'whatsapp_business_account',
    entry: [
      ...inbound({ type: 'text', text: { body: 'one' } }).entry,
      ...inbound({ type: 'text', text: { body: 'two' } }).entry,
      ...statusOf({ status: 'sent' }).entry,
    ],
  };
  await deliver(event);
  expect(inbox.runs).toHaveLength(1);
  const [messages, statuses] = inbox.runs[0];
  expect(messages.map(({ json }) => json.text)).toEqual(['one', 'two']);
  expect(statuses.map(({ json }) => json.messageStatus)).toEqual(['sent']);
});

test.each([
  ['an event of another kind', envelope({ event: 'APPROVED' })],
  ['an envelope without changes', { object: 'x', entry: [{ id: '1' }] }],
  ['an empty object', {}],
])('%s is answered 200 and starts no run', async (_what, event) => {
  await open();
  expect((await deliver(event)).status).toBe(200);
  expect(inbox.runs).toEqual([]);
});
