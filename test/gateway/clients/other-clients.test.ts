import { CONTACT, expectRefusal, lineOf, sceneOf } from '../../support/scene';

/**
 * Requests of published clients, as they send them, that differ from the platform's documentation and that the platform
 * accepts.
 */
const scene = sceneOf();
const line = lineOf(scene);

beforeAll(() => line.wrote(CONTACT, 1));

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${scene.gateway.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
  });
async function send(message: object): Promise<{ status: number; forwarded: object }> {
  const body = JSON.stringify({ messaging_product: 'whatsapp', to: CONTACT, ...message });
  const { status } = await ask(`/v22.0/${line.phoneNumberId}/messages`, { method: 'POST', body });
  return { status, forwarded: JSON.parse(line.sent().at(-1) ?? '{}') };
}

describe('Chatwoot', () => {
  const button = { type: 'reply', reply: { id: 'Yes', title: 'Yes' } };
  const section = { rows: [{ id: '1', title: 'Morning' }] };

  test.each([
    ['button', { buttons: [button] }],
    ['list', { button: 'Choose', sections: [section] }],
    ['product_list', { catalog_id: '1', sections: [] }],
  ])(
    'sends the action of a message of kind %s as JSON text; the platform gets the object',
    async (type, action) => {
      const interactive = { type, body: { text: 'Choose' }, action };
      expect(
        await send({ type: 'interactive', interactive: { ...interactive, action: JSON.stringify(action) } }),
      ).toEqual({
        status: 200,
        forwarded: { messaging_product: 'whatsapp', to: CONTACT, type: 'interactive', interactive },
      });
    },
  );

  test('is told what is wrong within that text', async () => {
    const action = JSON.stringify({ buttons: [{ ...button, reply: { id: 'a', title: 'x'.repeat(21) } }] });
    const reply = await line.send({
      to: CONTACT,
      type: 'interactive',
      interactive: { type: 'button', body: { text: 'Choose' }, action },
    });
    expect(expectRefusal(reply, 400, 'invalid_payload', 131009)).toContain(
      'interactive.action.buttons[0].reply.title has 21 characters',
    );
  });

  test.each(['{', '[]', 'null', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`])(
    'is refused for a text that is no object: %s',
    async (action) => {
      const interactive = { type: 'button', body: { text: 'Choose' }, action };
      expectRefusal(
        await line.send({ to: CONTACT, type: 'interactive', interactive }),
        400,
        'invalid_payload',
        131009,
      );
    },
  );
});

test('JSON text stands for any object or list of a message, to the last digit', async () => {
  const { status, forwarded } = await send({
    type: 'template',
    context: '{"message_id":"wamid.1"}',
    template:
      '{"name":"sale","language":"{\\"code\\":\\"en_US\\"}","components":[{"type":"body","parameters":[{"type":"text","text":"{}"},{"type":"currency","currency":{"amount_1000":1.50}}]}]}',
  });
  expect([status, forwarded]).toEqual([
    200,
    {
      messaging_product: 'whatsapp',
      to: CONTACT,
      type: 'template',
      context: { message_id: 'wamid.1' },
      template: {
        name: 'sale',
        language: { code: 'en_US' },
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: '{}' },
              { type: 'currency', currency: { amount_1000: 1.5 } },
            ],
          },
        ],
      },
    },
  ]);
  expect(line.sent().at(-1)).toContain('"amount_1000":1.50');
});

describe('whatsappcloudapi_wrapper', () => {
  const id = 1082962383988208;
  const file = { id: String(id) };

  test.each([
    ['image', { type: 'image', image: { id } }, { image: file }],
    ['sticker', { type: 'sticker', sticker: { id } }, { sticker: file }],
    [
      'template',
      {
        type: 'template',
        template: {
          name: 'sale',
          language: { code: 'en_US' },
          components: [{ type: 'header', parameters: [{ type: 'video', video: { id } }] }],
        },
      },
      { template: { components: [{ parameters: [{ video: file }] }] } },
    ],
    [
      'interactive',
      {
        type: 'interactive',
        interactive: {
          type: 'cta_url',
          header: { type: 'document', document: { id, filename: 'a.pdf' } },
          body: { text: 'See' },
          action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://example.com' } },
        },
      },
      { interactive: { header: { document: { ...file, filename: 'a.pdf' } } } },
    ],
  ])(
    'sends the id of a file as a number; the platform gets the text: %s',
    async (_type, message, forwarded) => {
      expect(await send(message)).toMatchObject({ status: 200, forwarded });
    },
  );

  test('is refused for a number that has lost digits', async () => {
    const reply = await line.send(`{"to":"${CONTACT}","type":"image","image":{"id":12345678901234567890}}`);
    expect(expectRefusal(reply, 400, 'invalid_payload', 131009)).toContain('it must be a text');
  });
});

describe('Tiledesk', () => {
  test.each([
    ['text', { body: 'Hello' }],
    ['image', { link: 'https://example.com/a.png' }],
  ])('is told to add the type of a message that has %s', async (type, part) => {
    const reply = await line.send({ to: CONTACT, [type]: part });
    expect(expectRefusal(reply, 400, 'invalid_payload', 100)).toContain(`add "type": "${type}"`);
  });
});

describe('piusalfred/whatsapp, which refuses fields that it does not know', () => {
  let token: string;
  beforeAll(async () => (token = await scene.token(line.id, null, { answers: 'platform' })));

  const post = async (path: string, body: unknown, key?: string) => {
    const answer = await fetch(`${scene.gateway.url}/v22.0/${line.phoneNumberId}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(key && { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const text = { messaging_product: 'whatsapp', to: CONTACT, type: 'text', text: { body: 'Hello' } };
  const sent = {
    messaging_product: 'whatsapp',
    contacts: [{ input: CONTACT, wa_id: CONTACT }],
    messages: [{ id: `wamid.${CONTACT}` }],
  };

  test('gets the platform’s answer to a send, alone and in a batch, also where another token sent it before', async () => {
    expect(
      (await line.send(text, { 'content-type': 'application/json', 'idempotency-key': 'k' })).body.success,
    ).toBe(true);
    expect(await post('/messages', text, 'k')).toEqual({ status: 200, body: sent });
    expect(await post('/messages', text)).toEqual({ status: 200, body: sent });
    const batch = await post('/messages/batch', {
      messages: [{ message: text }, { message: { to: CONTACT } }],
    });
    expect(batch.body.results).toEqual([
      { status: 200, body: sent },
      { status: 400, body: { error: expect.any(Object) } },
    ]);
  });

  test('gets success for a read mark, as from the platform', async () => {
    expect(await post('/messages', { status: 'read', message_id: 'wamid.1' })).toEqual({
      status: 200,
      body: { success: true },
    });
  });

  test('gets the platform’s error object and nothing beside it', async () => {
    expect(await post('/messages', { to: CONTACT, type: 'text' })).toEqual({
      status: 400,
      body: {
        error: {
          message: '(#100) Invalid parameter',
          type: 'OAuthException',
          code: 100,
          error_data: { messaging_product: 'whatsapp', details: expect.stringContaining('text is missing') },
          fbtrace_id: expect.any(String),
        },
      },
    });
    const before = scene.upstream.answers.messages;
    const error = {
      message: '(#131026) Message undeliverable',
      type: 'OAuthException',
      code: 131026,
      fbtrace_id: 'A',
    };
    scene.upstream.answers.messages = () => ({ status: 400, body: { error } });
    expect(await post('/messages', text)).toEqual({ status: 400, body: { error } });
    scene.upstream.answers.messages = before;
    await line.edit({ api_disabled_at: new Date(scene.clock.now).toISOString() });
    expect(Object.keys((await post('/messages', text)).body)).toEqual(['error']);
    await line.edit({ api_disabled_at: null });
  });
});
