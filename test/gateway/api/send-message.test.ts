import { DATABASES } from '../../support/databases';
import { until } from '../../support/http-peer';
import { rows, write } from '../../support/rows';
import {
  call,
  CONTACT,
  expectRefusal,
  freshLineOf,
  imageTo,
  sceneOf,
  startScene,
  textTo,
} from '../../support/scene';

const FIVE_BUTTONS = {
  messaging_product: 'whatsapp',
  to: CONTACT,
  type: 'interactive',
  interactive: {
    type: 'button',
    body: { text: 'Choose' },
    action: {
      buttons: Array.from({ length: 5 }, (_, index) => ({
        type: 'reply',
        reply: { id: `${index}`, title: `Title ${index}` },
      })),
    },
  },
};

describe.each(DATABASES)('a send ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = freshLineOf(scene);

  describe('is answered', () => {
    test('One superset, which satisfies shape A, shape B and every upstream client; a success never has an error key', async () => {
      scene.upstream.answers.messages = () => ({
        body: {
          messaging_product: 'whatsapp',
          contacts: [{ input: '5511987654321', wa_id: '551187654321', user_id: 'BR.1' }],
          messages: [{ id: 'wamid.HBgL', message_status: 'held_for_quality_assessment' }],
          error: null,
          success: false,
        },
      });
      await line.rated('YELLOW');
      const { status, headers, body } = await line.send(imageTo('+55 (11) 98765-4321'));
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(body).toEqual({
        success: true,
        messaging_product: 'whatsapp',
        contacts: [{ input: '+55 (11) 98765-4321', wa_id: '551187654321', user_id: 'BR.1' }],
        messages: [{ id: 'wamid.HBgL', message_status: 'held_for_quality_assessment' }],
        chat_message_id: 'wamid.HBgL',
        gateway: { line: line.id, quality: 'MEDIUM', request_id: expect.stringMatching(/^[\da-f]{32}$/) },
      });
    });

    test('forward, record, answer: accepted, with whom upstream names as its contact', async () => {
      scene.upstream.answers.messages = () => ({
        body: { contacts: [{ input: '1', wa_id: '551187654321' }], messages: [{ id: 'wamid.recorded' }] },
      });
      await line.send({ ...imageTo('5511987654321'), biz_opaque_callback_data: 'order\u0000 7' });
      expect(await rows(scene.databaseUrl, "select * from messages where wamid = 'wamid.recorded'")).toEqual([
        expect.objectContaining({
          line_id: line.id,
          contact: '551187654321',
          type: 'image',
          client_ref: expect.stringMatching(/^order. 7$/s),
          accepted_at: new Date(scene.clock.now).toISOString(),
          sent_at: null,
          failed_at: null,
        }),
      ]);
      expect(scene.gateway.logged()).not.toContain('accepted message not recorded');
    });
  });

  describe('is checked in order:', () => {
    const accepting = () => {
      scene.upstream.answers.messages = () => ({ body: { messages: [{ id: 'wamid.1' }] } });
    };
    /** Everything is wrong with the line and the body at once. */
    const everythingWrong = async () => {
      await line.rated('RED');
      await line.edit({ deactivated_at: new Date(scene.clock.now).toISOString(), access_token_sealed: null });
    };

    test('token and tid → 401; line inactive → 403; quality; body → 400/413/415; credentials; 24-hour window; upstream', async () => {
      accepting();
      const bad = { ...FIVE_BUTTONS, to: 'nobody' };
      await everythingWrong();

      const stranger = await scene.line();
      const byStranger = await call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${stranger.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(bad),
      });
      expectRefusal(byStranger, 401, 'invalid_token', 190);
      expectRefusal(await line.send(bad), 403, 'line_inactive', 200);

      await line.edit({ deactivated_at: null });
      expectRefusal(await line.send(bad), 403, 'line_quality_low', 131048);
      expectRefusal(await line.send('{'), 403, 'line_quality_low', 131048);
      expectRefusal(await line.send('x', { 'content-type': 'text/plain' }), 403, 'line_quality_low', 131048);
      expectRefusal(await line.send(' '.repeat(1_100_000)), 403, 'line_quality_low', 131048);

      await line.edit({ upstream_node: null });
      expectRefusal(await line.send('{'), 400, 'invalid_json', 100);
      expectRefusal(
        await line.send('x', { 'content-type': 'text/plain' }),
        415,
        'unsupported_media_type',
        100,
      );
      expectRefusal(await line.send(bad), 400, 'invalid_payload', 131009);
      expectRefusal(await line.send({ ...textTo(CONTACT), text: {} }), 400, 'invalid_payload', 131008);
      expectRefusal(await line.send(textTo(CONTACT)), 409, 'line_not_configured', 131045);

      await scene.change(({ store, vault }) =>
        store.lines.update(line.id, { access_token_sealed: vault.seal('lines.access_token', 'EAA') }),
      );
      expectRefusal(await line.send(textTo(CONTACT)), 400, 'outside_24h_window', 131047);
      expect(line.sent()).toEqual([]);

      await line.wrote(CONTACT, 0);
      expect((await line.send(textTo(CONTACT))).status).toBe(200);
      expect(line.sent()).toHaveLength(1);
    });

    test('a line without upstream credentials is told what to do about it', async () => {
      const bare = await scene.line({ accessToken: null });
      const details = expectRefusal(await bare.send(imageTo(CONTACT)), 409, 'line_not_configured', 131045);
      expect(details).toContain('messaging-gateway line edit TID --access-token');
      expect(bare.sent()).toEqual([]);
    });
  });

  describe('by the quality of the line', () => {
    beforeEach(() => {
      scene.upstream.answers.messages = () => ({ body: { messages: [{ id: 'wamid.1' }] } });
    });

    test.each([
      ['GREEN', 'HIGH'],
      ['YELLOW', 'MEDIUM'],
      ['UNKNOWN', 'UNKNOWN'],
      ['NA', 'UNKNOWN'],
    ])(
      'HIGH and MEDIUM pass, and a line that upstream has not rated yet: %s, which is called %s',
      async (rating, word) => {
        await line.rated(rating);
        const { status, body } = await line.send(imageTo(CONTACT));
        expect([status, body.gateway.quality]).toEqual([200, word]);
      },
    );

    test('LOW → 403 line_quality_low: Send is blocked before forwarding, reading marks included', async () => {
      await line.rated('RED');
      expect(expectRefusal(await line.send(imageTo(CONTACT)), 403, 'line_quality_low', 131048)).toContain(
        'LOW',
      );
      expectRefusal(
        await line.send({ status: 'read', message_id: 'wamid.1' }),
        403,
        'line_quality_low',
        131048,
      );
      expect(line.sent()).toEqual([]);
    });

    test('Per line: strict, which blocks it before the first rating too', async () => {
      await line.edit({ quality_mode: 'strict' });
      expect(expectRefusal(await line.send(imageTo(CONTACT)), 403, 'line_quality_low', 131048)).toContain(
        'strict',
      );
      await line.rated('NA');
      expectRefusal(await line.send(imageTo(CONTACT)), 403, 'line_quality_low', 131048);
      expect(line.sent()).toEqual([]);
      await line.edit({ upstream_node: JSON.stringify({ id: '1', quality_rating: 'YELLOW' }) });
      expect((await line.send(imageTo(CONTACT))).status).toBe(200);
    });
  });

  describe('with a fault in its body', () => {
    test('names every field with path, rule and a sentence, and counts those beyond the first', async () => {
      const body = { to: CONTACT, type: 'text', text: { body: 'x'.repeat(4097), preview_url: 1 } };
      const reply = await line.send(body);
      expect(expectRefusal(reply, 400, 'invalid_payload', 131009)).toBe(
        'text.body has 4097 characters; at most 4096 are possible. (and 1 more: see error_data.fields)',
      );
      expect(reply.body.error).toEqual({
        message: '(#131009) Invalid parameter',
        type: 'OAuthException',
        code: 131009,
        error_data: {
          messaging_product: 'whatsapp',
          details: expect.any(String),
          fields: [
            {
              path: 'text.body',
              rule: 'maxLength',
              message: 'text.body has 4097 characters; at most 4096 are possible.',
            },
            {
              path: 'text.preview_url',
              rule: 'type',
              message: 'text.preview_url is a number; it must be true or false.',
            },
          ],
        },
        fbtrace_id: reply.body.request_id,
      });
      expect(line.sent()).toEqual([]);
    });

    test.each([
      ['a fifth button', FIVE_BUTTONS, 131009],
      ['an unknown type', { ...textTo(CONTACT), type: 'poem' }, 131051],
      ['no type', { to: CONTACT, text: { body: 'a' } }, 100],
      ['no recipient', { type: 'text', text: { body: 'a' } }, 100],
      ['nothing inside', { to: CONTACT, type: 'text', text: {} }, 131008],
      ['another product', { ...textTo(CONTACT), messaging_product: 'telegram' }, 131009],
      ['an empty object', {}, 100],
    ])('is refused with upstream’s integer: %s', async (_name, body, code) => {
      expectRefusal(await line.send(body), 400, 'invalid_payload', code);
      expect(line.sent()).toEqual([]);
    });
  });

  describe('reaches upstream', () => {
    beforeEach(() => {
      scene.upstream.answers.messages = ({ body }) => ({
        body: { contacts: [{ input: JSON.parse(body).to, wa_id: '1' }], messages: [{ id: 'wamid.1' }] },
      });
    });

    test('byte for byte: The payload format follows the upstream platform’s cloud messaging format.', async () => {
      const body = `{ "to":"${CONTACT}",\n"messaging_product" : "whatsapp","type":"image","later":{"n":1.50,"big":12345678901234567890},\n\t"image":{"id":"1","caption":"caf\\u00e9 😀 \\/"} }\n`;
      expect((await line.send(body)).status).toBe(200);
      expect(line.sent()).toEqual([body]);
    });

    test('with the line’s own credential, at its own address, as JSON, and nothing of the caller’s', async () => {
      const own = await scene.line({ accessToken: 'EAA-of-this-line' });
      await own.send(imageTo(CONTACT), {
        'content-type': 'application/json; charset=UTF-8',
        cookie: 'a=b',
        'x-own': 'c',
      });
      const [request] = scene.upstream.asked('messages', own.phoneNumberId);
      expect(request?.headers).toMatchObject({
        authorization: 'Bearer EAA-of-this-line',
        'content-type': 'application/json',
      });
      expect(JSON.stringify(request?.headers)).not.toMatch(new RegExp(`${own.token}|cookie|x-own`));
      expect(request?.url).toBe(`/v22.0/${own.phoneNumberId}/messages`);
    });

    test.each([
      ['chat', { messaging_product: 'chat' }],
      ['nothing', {}],
      ['null', { messaging_product: null }],
      ['whatsapp', { messaging_product: 'whatsapp' }],
    ])('as whatsapp, where the caller calls the product %s', async (_name, product) => {
      const body = { to: CONTACT, type: 'image', image: { id: '1' } };
      expect((await line.send({ ...product, ...body })).body.messaging_product).toBe('whatsapp');
      expect(line.sent().map((sent) => JSON.parse(sent))).toEqual([
        { ...body, messaging_product: 'whatsapp' },
      ]);
    });

    test.each([
      ['+55 (11) 98765-4321', '5511987654321'],
      [' 55 11 98765 4321 ', '5511987654321'],
      ['00 55 (11) 98765-4321', '5511987654321'],
      ['0055123', '0055123'],
      ['5511987654321', '5511987654321'],
      ['US.13491208655302741918', 'US.13491208655302741918'],
    ])('for %s as %s, and the answer repeats what was given', async (to, forwarded) => {
      const { body } = await line.send(imageTo(to));
      expect(body.contacts).toEqual([{ input: to, wa_id: '1' }]);
      expect(JSON.parse(line.sent()[0] ?? '').to).toBe(forwarded);
    });

    test('for a user id in "recipient", untouched', async () => {
      const body = JSON.stringify({
        messaging_product: 'whatsapp',
        recipient: 'US.1',
        type: 'image',
        image: { id: '1' },
      });
      expect((await line.send(body)).status).toBe(200);
      expect(line.sent()).toEqual([body]);
    });

    test('with unknown fields, odd numbers and odd texts as they were, where the rest had to be rebuilt', async () => {
      await line.send(
        `\ufeff{"messaging_product":"chat","to":"+1 650","type":"image","image":{"id":"1","caption":"\\ud800 \\u0000"},"later":{"big":12345678901234567890,"exact":1.10,"huge":1e999,"none":null,"list":[]}}`,
      );
      expect(line.sent()).toEqual([
        `{"messaging_product":"whatsapp","to":"1650","type":"image","image":{"id":"1","caption":"\\ud800 \\u0000"},"later":{"big":12345678901234567890,"exact":1.10,"huge":1e999,"none":null,"list":[]}}`,
      ]);
    });

    test('to mark a message as read, and is answered with success alone', async () => {
      const body =
        '{"messaging_product":"whatsapp", "status":"read","message_id":"wamid.1","typing_indicator":{"type":"text"}}';
      const reply = await line.send(body);
      expect([reply.status, reply.text]).toEqual([200, '{"success":true}']);
      await line.send({ status: 'read', message_id: 'wamid.2', messaging_product: 'chat' });
      expect(line.sent()).toEqual([
        body,
        '{"status":"read","message_id":"wamid.2","messaging_product":"whatsapp"}',
      ]);
    });
  });

  describe('to a group', () => {
    const GROUP = 'Y2FwaV9ncm91cDoxNTU1MDAwMzAwMDoxMjAzNjM0MDAwMDAwMDAwMDAZD';
    const toGroup = (message: object, to = GROUP) => ({ ...message, to, recipient_type: 'group' });
    const template = {
      messaging_product: 'whatsapp',
      type: 'template',
      template: { name: 'hello_world', language: { code: 'en_US' } },
    };

    test.each([
      ['a text', textTo('')],
      ['a picture', imageTo('')],
      ['a template', template],
    ])(
      '%s is forwarded untouched, without a window, and recorded under the id of the group',
      async (_name, message) => {
        await line.edit({ window_mode: 'all' });
        scene.upstream.answers.messages = ({ body }) => ({
          body: {
            contacts: [{ input: JSON.parse(body).to, wa_id: '120363400000000000' }],
            messages: [{ id: `wamid.group.${line.id}` }],
          },
        });
        const body = JSON.stringify(toGroup(message));
        const reply = await line.send(body);
        expect([reply.status, reply.body.contacts]).toEqual([
          200,
          [{ input: GROUP, wa_id: '120363400000000000' }],
        ]);
        expect(line.sent()).toEqual([body]);
        expect(
          await rows(
            scene.databaseUrl,
            `select contact from messages where wamid = 'wamid.group.${line.id}'`,
          ),
        ).toEqual([{ contact: GROUP }]);
        expect(await rows(scene.databaseUrl, `select * from aliases where line_id = ${line.id}`)).toEqual([]);
      },
    );

    test.each(['120363025246125486@g.us', '16505551234-1612345678@g.us', '16505551234', '+1 650'])(
      'with the id %s, which nobody reads',
      async (id) => {
        await line.send(toGroup(imageTo(''), id));
        expect(line.sent().map((body) => JSON.parse(body).to)).toEqual([id]);
      },
    );

    test('needs an id, and one without "recipient_type" is told to add it', async () => {
      const nobody = { ...toGroup(imageTo('')), to: undefined };
      expect(expectRefusal(await line.send(nobody), 400, 'invalid_payload', 100)).toContain(
        'the id of the group',
      );
      for (const id of ['', 'a\u0000b', 'x'.repeat(513)])
        expectRefusal(await line.send(toGroup(imageTo(''), id)), 400, 'invalid_payload', 131009);
      expect(expectRefusal(await line.send(imageTo(GROUP)), 400, 'invalid_payload', 131009)).toContain(
        'to send to a group, add "recipient_type": "group"',
      );
      expect(line.sent()).toEqual([]);
    });
  });
});

test('a send is refused while PostgreSQL is read-only, though no limit or key writes before it', async () => {
  const url = await DATABASES.find(({ name }) => name === 'PostgreSQL')!.createUrl();
  const off = { GATEWAY_LINE_RATE: 'off', GATEWAY_PAIR_LIMIT: 'off', GATEWAY_TOKEN_RATE: 'off' };
  const scene = await startScene(url, off);
  // As after a failover: connections break, and new ones find a server that accepts no writes.
  const switchReadOnly = async (to: 'on' | 'off') => {
    const name = new URL(url).pathname.slice(1);
    await write(
      url,
      `set transaction_read_only = off; alter database "${name}" set default_transaction_read_only = ${to}`,
    );
    await write(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  };
  try {
    const line = await scene.line();
    const isRecorded = async (wamid: string) =>
      (await rows(url, `select wamid from messages where wamid = '${wamid}'`)).length === 1;
    await switchReadOnly('on');
    // Until then the operating system may not have told the gateway that its connections broke. A few times say only that
    // of those for reading, of which there are at most six.
    let refused = 0;
    await until(async () => {
      const { status } = await fetch(`${scene.gateway.url}/readyz`);
      refused = status === 503 ? refused + 1 : 0;
      return refused === 10;
    });
    for (let tries = 0; tries < 3; tries++)
      expectRefusal(await line.send(imageTo(CONTACT)), 503, 'database_unavailable', 2);
    expect(line.sent()).toEqual([]);
    await switchReadOnly('off');
    await until(async () => {
      const { status, body } = await line.send(imageTo(CONTACT));
      return status === 200 && isRecorded(body.chat_message_id);
    });
    // Each that was sent is recorded.
    expect(await rows(url, 'select wamid from messages')).toHaveLength(line.sent().length);
    expect(scene.gateway.logged()).not.toContain('accepted message not recorded');
  } finally {
    await scene.stop();
  }
});
