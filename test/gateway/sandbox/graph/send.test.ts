import {
  bodyOf,
  buttons,
  CONTACT,
  HOUR,
  inside,
  LINE,
  list,
  startObserved,
  startTestSandbox,
  template,
  text,
} from '../support';

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `row-${index}`, title: `Row ${index}` }));

describe('a send', () => {
  it('is answered as the platform answers, with the contact as given and as digits', async () => {
    const sandbox = await startTestSandbox();
    const answer = await sandbox.send({ ...text('Hello'), to: '+1 (202) 555-0147' });
    expect(answer.code).toBe(200);
    expect(answer.json).toEqual({
      messaging_product: 'whatsapp',
      contacts: [{ input: '+1 (202) 555-0147', wa_id: CONTACT }],
      messages: [{ id: expect.stringMatching(/^wamid\.[A-Za-z0-9+/]+=*$/) }],
    });
  });

  it('to a group goes to its id, and reaches it without an open window', async () => {
    const { receiver, sandbox } = await startObserved();
    const to = 'Y2FwaV9ncm91cDoxNTU1MDAwMzAwMDoxMjAzNjM0MDAwMDAwMDAwMDAZD';
    const answer = await sandbox.send({ ...text('Hello'), to, recipient_type: 'group' });
    expect(answer).toMatchObject({ code: 200, json: { contacts: [{ input: to, wa_id: to }] } });
    expect((await receiver.accepted(3)).map(inside)).toMatchObject(
      ['sent', 'delivered', 'read'].map((status) => ({ status, recipient_id: to, recipient_type: 'group' })),
    );
  });

  it('gets an id that holds the number of the contact and is never given twice', async () => {
    const sandbox = await startTestSandbox();
    const [one, two] = [await sandbox.send(text('1')), await sandbox.send(text('2'))];
    const id: string = one.json.messages[0].id;
    expect(Buffer.from(id.slice('wamid.'.length), 'base64').toString('latin1')).toContain(CONTACT);
    expect(two.json.messages[0].id).not.toBe(id);
  });

  it.each(['v13.0', 'v22.0', 'v26.0'])('is accepted under version %s', async (version) => {
    const sandbox = await startTestSandbox();
    const body = { messaging_product: 'whatsapp', to: CONTACT, ...text('Hello') };
    expect((await sandbox.call('POST', `/${version}/${LINE}/messages`, body)).code).toBe(200);
  });

  it.each([
    ['an image', { type: 'image', image: { link: 'https://shop.example/a.jpg' } }],
    ['an audio', { type: 'audio', audio: { link: 'https://example.com/a.ogg' } }],
    ['a document', { type: 'document', document: { link: 'https://shop.example/a.pdf', filename: 'a.pdf' } }],
    ['a location', { type: 'location', location: { latitude: '38.7', longitude: -9.1 } }],
    ['contacts', { type: 'contacts', contacts: [{ name: { formatted_name: 'Ana' } }] }],
    ['a reaction', { type: 'reaction', reaction: { message_id: 'wamid.X', emoji: '👍' } }],
    ['a list', list(rows(10))],
    ['a call to action', { type: 'interactive', interactive: { type: 'cta_url', body: { text: 'See' } } }],
    ['an answer', { ...text('Yes'), context: { message_id: 'wamid.of-before-the-restart' } }],
    ['a text without its type', { text: { body: 'Hello' } }],
  ])('of %s is accepted', async (_kind, body) => {
    const sandbox = await startTestSandbox();
    expect(await sandbox.send(body)).toMatchObject({ code: 200 });
  });
});

describe('a send that the platform refuses', () => {
  it.each([
    ['no product', { messaging_product: null, ...text('x') }, 100, /messaging_product is required/],
    ['another product', { messaging_product: 'chat', ...text('x') }, 100, /one of \{WHATSAPP\} - got "chat"/],
    ['no destination', { to: undefined, ...text('x') }, 100, /parameter to is required/],
    ['a name as destination', { to: 'Ana', ...text('x') }, 131009, /not valid/],
    ['an unknown type', { type: 'poem', poem: {} }, 100, /type must be one of \{AUDIO, .*got "poem"/],
    ['an inherited name as type', { type: 'constructor' }, 100, /type must be one of/],
    ['a type without its object', { type: 'image' }, 100, /parameter image is required/],
    ['a text that is no object', { type: 'text', text: 'Hello' }, 100, /must be a JSON object/],
    ['an empty text', text(''), 100, /text\['body'\] is required/],
    ['a text of 4097 characters', text('x'.repeat(4097)), 100, /at most 4096/],
    ['a file without a place', { type: 'image', image: {} }, 100, /Invalid parameter/],
    ['a latitude of 91', { type: 'location', location: { latitude: 91, longitude: 0 } }, 131009, /not valid/],
    ['four buttons', buttons('A', 'B', 'C', 'D'), 131009, /not valid/],
    ['no button', buttons(), 131009, /not valid/],
    ['a title of 21 characters', buttons('x'.repeat(21)), 131009, /not valid/],
    ['the same button twice', buttons('Yes', 'Yes'), 131009, /not valid/],
    ['eleven rows', list(rows(11)), 131009, /not valid/],
    ['a row title of 25 characters', list([{ id: '1', title: 'x'.repeat(25) }]), 131009, /not valid/],
    ['a list without a body', { type: 'interactive', interactive: { type: 'list' } }, 131008, /missing/],
  ])('for %s gets the platform’s code and words', async (_fault, body, code, words) => {
    const { receiver, sandbox } = await startObserved();
    const answer = await sandbox.send(body);
    expect(answer).toMatchObject({ code: 400, json: { error: { code, type: 'OAuthException' } } });
    expect(answer.json.error.message).toMatch(words);
    expect(answer.json.error.fbtrace_id).toMatch(/^A[\w-]{22}$/);
    expect((await sandbox.call('GET', `/sandbox/contacts/${CONTACT}/messages`)).json.messages).toEqual([]);
    expect(receiver.received).toEqual([]);
  });

  it('says how many buttons there may be', async () => {
    const sandbox = await startTestSandbox();
    expect((await sandbox.send(buttons('A', 'B', 'C', 'D'))).json.error.error_data).toEqual({
      messaging_product: 'whatsapp',
      details: 'Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3',
    });
  });

  it('counts a text in code points', async () => {
    const sandbox = await startTestSandbox();
    expect((await sandbox.send(text('😀'.repeat(4096)))).code).toBe(200);
  });

  it.each([
    ['broken JSON', '{"messaging_product":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['nothing', ''],
    ['a thousand levels', `${'['.repeat(1000)}${']'.repeat(1000)}`],
    ['a prototype', '{"__proto__":{"messaging_product":"whatsapp"}}'],
  ])('of %s is taken for an empty request', async (_kind, body) => {
    const sandbox = await startTestSandbox();
    const answer = await sandbox.call('POST', `/v22.0/${LINE}/messages`, body);
    expect(answer).toMatchObject({
      code: 400,
      json: { error: { message: '(#100) The parameter messaging_product is required.' } },
    });
  });

  it('is refused when it is larger than any message', async () => {
    const sandbox = await startTestSandbox();
    expect((await sandbox.send(text('x'.repeat(3_000_000)))).code).toBe(413);
  });
});

describe('a template', () => {
  it('that fits is accepted with its status and reads as filled', async () => {
    const sandbox = await startTestSandbox();
    const answer = await sandbox.send(template('order_update', [bodyOf('Ana', 'A-7')]));
    expect(answer.json.messages).toEqual([{ id: expect.any(String), message_status: 'accepted' }]);
    const { messages } = (await sandbox.call('GET', `/sandbox/contacts/${CONTACT}/messages`)).json;
    expect(messages[0].shown).toBe('Hello Ana, your order A-7 is on its way.\n\nThank you for your order');
  });

  it('with named variables takes them in any order', async () => {
    const sandbox = await startTestSandbox();
    const parameters = [
      { type: 'text', parameter_name: 'amount', text: '25.00 USD' },
      { type: 'text', parameter_name: 'customer_name', text: 'Ana' },
    ];
    await sandbox.send(template('payment_received', [{ type: 'body', parameters }]));
    const { messages } = (await sandbox.call('GET', `/sandbox/contacts/${CONTACT}/messages`)).json;
    expect(messages[0].shown).toBe('Hello Ana, we received your payment of 25.00 USD. Thank you!');
  });

  const image = {
    type: 'header',
    parameters: [{ type: 'image', image: { link: 'https://a.example/b.jpg' } }],
  };
  const url = { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'spring' }] };

  it('with an image and a web address takes both', async () => {
    const sandbox = await startTestSandbox();
    expect((await sandbox.send(template('new_collection', [image, bodyOf('Ana'), url]))).code).toBe(200);
  });

  it.each([
    ['that does not exist', template('no_such'), 404, 132001, /no_such\) does not exist in en_US/],
    ['in another language', template('hello_world', [], 'fr'), 404, 132001, /does not exist in fr/],
    ['that is pending', template('delivery_feedback', [bodyOf('Ana')]), 404, 132001, /does not exist/],
    ['that was rejected', template('flash_sale'), 404, 132001, /does not exist/],
    ['with one variable of two', template('order_update', [bodyOf('Ana')]), 400, 132000, /\(1\).*\(2\)/],
    ['with no variable of two', template('order_update'), 400, 132000, /body: .*\(0\).*\(2\)/],
    ['with a header it has not', template('hello_world', [image]), 400, 132000, /header: .*\(1\).*\(0\)/],
    ['without its image', template('new_collection', [bodyOf('Ana'), url]), 400, 132012, /expected IMAGE/],
    [
      'without its address',
      template('new_collection', [image, bodyOf('Ana')]),
      400,
      131008,
      /index 0 of type Url/,
    ],
    ['with unnamed variables', template('payment_received', [bodyOf('A', 'B')]), 400, 100, /name is missing/],
    [
      'with an empty variable',
      template('order_update', [bodyOf('Ana', '')]),
      400,
      100,
      /'text' is mandatory/,
    ],
    [
      'with a body of more than 1,024 characters with its values',
      template('order_update', [bodyOf('x'.repeat(1024 - 36), 'A-1')]),
      400,
      132005,
      /body: .*Too Long/,
    ],
    ['with a button it has not', template('hello_world', [url]), 400, 100, /no button at index 0/],
  ])('%s is refused', async (_fault, body, code, errorCode, details) => {
    const sandbox = await startTestSandbox();
    const answer = await sandbox.send(body);
    expect(answer).toMatchObject({ code, json: { error: { code: errorCode } } });
    expect(answer.json.error.error_data.details).toMatch(details);
  });

  describe.each(['Ana\nMaria', 'Ana\r', 'Ana\tMaria', 'Ana     Maria'])('with the value %j', (value) => {
    const amount = { type: 'text', parameter_name: 'amount', text: value };
    const name = { type: 'text', parameter_name: 'customer_name', text: 'Ana' };

    it.each([
      ['body', template('order_update', [bodyOf(value, 'A-1')])],
      ['body, by its name', template('payment_received', [{ type: 'body', parameters: [amount, name] }])],
      [
        'address of a button',
        template('new_collection', [
          image,
          bodyOf('Ana'),
          { ...url, parameters: [{ type: 'text', text: value }] },
        ]),
      ],
    ])('in its %s is refused', async (_place, body) => {
      const sandbox = await startTestSandbox();
      const answer = await sandbox.send(body);
      expect(answer).toMatchObject({ code: 400, json: { error: { code: 132018 } } });
      expect(answer.json.error.error_data.details).toContain('more than 4 consecutive spaces');
    });
  });

  it('may have four spaces in a row, and a body of exactly 1,024 characters', async () => {
    const sandbox = await startTestSandbox();
    const value = `A    ${'x'.repeat(1024 - 37 - 5)}`;
    const answer = await sandbox.send(template('order_update', [bodyOf(value, 'A-1')]));
    expect(answer.code).toBe(200);
    const { messages } = (await sandbox.call('GET', `/sandbox/contacts/${CONTACT}/messages`)).json;
    expect(messages[0].card.body).toHaveLength(1024);
  });

  it('without a name or language is refused by the parameter that misses', async () => {
    const sandbox = await startTestSandbox();
    const nameless = await sandbox.send({ type: 'template', template: {} });
    expect(nameless.json.error.message).toBe("(#100) The parameter template['name'] is required.");
    const speechless = await sandbox.send({ type: 'template', template: { name: 'x', language: {} } });
    expect(speechless.json.error.message).toBe(
      "(#100) The parameter template['language']['code'] is required.",
    );
  });

  it.each(['PAUSED', 'DISABLED'] as const)('that is %s is refused as such', async (state) => {
    const paused = {
      name: 'sale',
      parameter_format: 'POSITIONAL' as const,
      components: [{ type: 'BODY' as const, text: 'Sale' }],
      language: 'en_US',
      status: state,
      category: 'MARKETING' as const,
      quality_score: { score: 'RED', date: 0 },
      rejected_reason: 'NONE',
      id: '1',
    };
    const sandbox = await startTestSandbox({
      templates: [paused],
    });
    expect(await sandbox.send(template('sale'))).toMatchObject({
      code: 400,
      json: { error: { code: state === 'PAUSED' ? 132015 : 132016 } },
    });
  });
});

describe('after a send', () => {
  it.each([
    ['2026-09-30T23:00:00Z', false, 'free_customer_service'],
    ['2026-10-01T01:00:00Z', true, 'regular'],
  ])('a reply inside the window at %s is billable: %s', async (time, billable, type) => {
    const { receiver, sandbox } = await startObserved();
    sandbox.later(Date.parse(time) - sandbox.now().getTime());
    await sandbox.contact({ text: 'Hi' });
    await sandbox.send(text('Hello'));
    const [, sent] = (await receiver.accepted(2)).map(inside);
    expect(sent.pricing).toEqual({ billable, pricing_model: 'PMP', type, category: 'service' });
  });

  it('to a contact who wrote, sent, delivered and read are reported in that order', async () => {
    const { receiver, sandbox } = await startObserved();
    await sandbox.contact({ text: 'Hi' });
    const id = (await sandbox.send({ ...text('Hello'), biz_opaque_callback_data: 'order 7' })).json
      .messages[0].id;
    const [, sent, delivered, read] = (await receiver.accepted(4)).map(inside);
    const common = {
      id,
      recipient_id: CONTACT,
      timestamp: '1772445600',
      biz_opaque_callback_data: 'order 7',
    };
    const pricing = {
      billable: false,
      pricing_model: 'PMP',
      type: 'free_customer_service',
      category: 'service',
    };
    const origin = { type: 'service' };
    expect(sent).toEqual({
      ...common,
      status: 'sent',
      conversation: {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        expiration_timestamp: '1772532000',
        origin,
      },
      pricing,
    });
    expect(delivered).toEqual({
      ...common,
      status: 'delivered',
      conversation: { id: sent.conversation.id, origin },
      pricing,
    });
    expect(read).toEqual({ ...common, status: 'read' });
    expect(receiver.received[1].json).toMatchObject({
      object: 'whatsapp_business_account',
      entry: [
        {
          id: '102748391650274',
          changes: [
            {
              field: 'messages',
              value: {
                messaging_product: 'whatsapp',
                metadata: { display_phone_number: '12025550123', phone_number_id: LINE },
              },
            },
          ],
        },
      ],
    });
  });

  it('of free-form to a contact who never wrote, it has failed with 131047 and nothing else follows', async () => {
    const { receiver, sandbox } = await startObserved();
    expect((await sandbox.send(text('Hello'))).code).toBe(200);
    expect(inside((await receiver.accepted(1))[0])).toMatchObject({
      status: 'failed',
      errors: [{ code: 131047, title: 'Re-engagement message' }],
    });
    await sandbox.send(template('hello_world'));
    expect((await receiver.accepted(4)).map((each) => inside(each).status)).toEqual([
      'failed',
      'sent',
      'delivered',
      'read',
    ]);
  });

  it('the window of a contact closes 24 hours after its last message', async () => {
    const { receiver, sandbox } = await startObserved();
    await sandbox.contact({ text: 'Hi' });
    sandbox.later(24 * HOUR - 1000);
    await sandbox.send(text('just in time'));
    expect(inside((await receiver.accepted(4))[3]).status).toBe('read');
    sandbox.later(1000);
    await sandbox.send(text('too late'));
    expect(inside((await receiver.accepted(5))[4]).status).toBe('failed');
  });

  it('of a template outside the window, it is billed by its category', async () => {
    const { receiver, sandbox } = await startObserved();
    await sandbox.send(template('hello_world'));
    expect(inside((await receiver.accepted(1))[0])).toMatchObject({
      status: 'sent',
      conversation: { origin: { type: 'utility' } },
      pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' },
    });
  });
});

describe('a read receipt', () => {
  it('puts the ticks to the message of the contact', async () => {
    const sandbox = await startTestSandbox();
    const { id } = (await sandbox.contact({ text: 'Hi' })).json;
    const receipt = { status: 'read', message_id: id, to: undefined, typing_indicator: { type: 'text' } };
    expect(await sandbox.send(receipt)).toMatchObject({ code: 200, json: { success: true } });
    const { messages } = (await sandbox.call('GET', `/sandbox/contacts/${CONTACT}/messages`)).json;
    expect(messages).toHaveLength(1);
    expect(messages[0].statuses).toEqual([{ status: 'read', at: '2026-03-02T10:00:00.000Z' }]);
  });

  it('of a message from before a restart is accepted too', async () => {
    const before = await startTestSandbox();
    const { id } = (await before.contact({ text: 'Hi' })).json;
    const sandbox = await startTestSandbox();
    expect((await sandbox.send({ status: 'read', message_id: id })).json).toEqual({ success: true });
    expect((await sandbox.send({ status: 'read' })).json.error.code).toBe(100);
    expect((await sandbox.send({ status: 'unread', message_id: id })).json.error.code).toBe(131009);
  });

  it('of no message, or of one that the line sent, is refused', async () => {
    const sandbox = await startTestSandbox();
    const sent = (await sandbox.send({ to: CONTACT, text: { body: 'Hi' } })).json.messages[0].id;
    for (const id of ['7', 'wamid.', 'wamid.nope', 'wamid.HBgL', sent]) {
      const { code, json } = await sandbox.send({ status: 'read', message_id: id });
      expect([id, code, json.error?.code]).toEqual([id, 400, 131009]);
    }
  });
});
