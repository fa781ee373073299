import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';

import { meeting } from '../support/http-peer';
import { runAction } from '../support/n8n';
import { NODE_MESSAGES, NODE_TYPES } from '../support/node-messages';
import { accepted, gatewayForEach, MEDIA, MESSAGES, refusal, TEMPLATES } from './support/gateway';

const gateway = gatewayForEach();
beforeEach(() => {
  gateway.on('POST', MESSAGES, (request) => accepted(request));
});

const SEND = { resource: 'message', operation: 'send', to: '5511987654321' };
const bodies = () => gateway.requests('POST', MESSAGES).map(({ body }) => body as Record<string, unknown>);
const LINK = 'https://shop.example/file';

test('a message of every type that the node offers is tried here, and of no other', () => {
  expect([...Object.keys(NODE_MESSAGES), 'file'].toSorted()).toEqual(NODE_TYPES.toSorted());
});

test.each(Object.entries(NODE_MESSAGES))(
  'the type %s sends what is entered',
  async (messageType, message) => {
    const template = { name: 'order_update', language: 'en_US', body: '{{1}}: {{2}}', buttons: null };
    gateway.on('GET', TEMPLATES, () => ({ body: { data: [template] } }));
    const parameters = { ...SEND, messageType, ...message.entered };
    const { error, items } = await runAction(gateway.credentials, parameters);
    expect(error).toBeUndefined();
    expect(bodies()).toEqual([
      { messaging_product: 'whatsapp', recipient_type: 'individual', to: SEND.to, ...message.sent },
    ]);
    expect(items[0].json).toMatchObject({ messageId: 'wamid.1', messageType });
  },
);

test('an image is sent by its media ID', async () => {
  const parameters = { ...SEND, messageType: 'image', mediaSource: 'id', mediaId: ' 42 ' };
  expect((await runAction(gateway.credentials, parameters)).error).toBeUndefined();
  expect(bodies()).toMatchObject([{ type: 'image', image: { id: '42' } }]);
});

describe.each<[string, INodeParameters, { type: string; body?: object; action: object }]>([
  [
    'products',
    { productsShown: 'one', catalogId: '194', productId: 'cake' },
    { type: 'product', action: { catalog_id: '194', product_retailer_id: 'cake' } },
  ],
  [
    'products',
    { productsShown: 'catalogue', body: 'All', pictureProductId: 'pie' },
    {
      type: 'catalog_message',
      body: { text: 'All' },
      action: { name: 'catalog_message', parameters: { thumbnail_product_retailer_id: 'pie' } },
    },
  ],
])('the type %s', (messageType, parameters, interactive) => {
  test(`sends a ${interactive.type}`, async () => {
    const { error, items } = await runAction(gateway.credentials, { ...SEND, messageType, ...parameters });
    expect(error).toBeUndefined();
    expect(bodies()[0]).toMatchObject({ type: 'interactive', interactive });
    expect(bodies()[0].interactive).toEqual(interactive);
    expect(items[0].json.messageType).toBe(messageType);
  });
});

/** Filled in by an expression that comes to nothing. */
const EMPTY = '={{ $json.missing }}';

test.each<[string, INodeParameters, string]>([
  ['image', { mediaLink: EMPTY }, 'Web Address is empty'],
  ['image', { mediaLink: 'cake.jpg' }, 'Web Address is no web address: "cake.jpg"'],
  ['image', { mediaSource: 'id', mediaId: EMPTY }, 'Media ID is empty'],
  [
    'image',
    { mediaLink: LINK, caption: 'x'.repeat(1025) },
    'Caption is 1025 characters long, 1 more than the 1024 allowed',
  ],
  ['location', { latitude: '91', longitude: '0' }, 'Latitude is "91"'],
  ['location', { latitude: '1', longitude: EMPTY }, 'Longitude is empty'],
  ['contacts', { contacts: {} }, 'There are no contact cards'],
  ['contacts', { contacts: { contact: [{ name: ' ' }] } }, 'Name of contact card 1 is empty'],
  ['reaction', { reactTo: EMPTY }, 'Message ID is empty'],
  ['reaction', { reactTo: 'wamid.in', emoji: 'nice' }, 'Emoji is "nice"'],
  [
    'linkButton',
    { body: 'See', linkLabel: 'x'.repeat(21), linkUrl: LINK },
    'Button Label is 21 characters long, 1 more than the 20 allowed',
  ],
  ['linkButton', { body: 'See', linkLabel: 'Open', linkUrl: 'shop' }, 'Link is no web address: "shop"'],
  ['flow', { body: 'a', flowLabel: 'b', flow: EMPTY }, 'Flow ID or Name is empty'],
  [
    'flow',
    { body: 'a', flowLabel: 'b', flow: '1', options: { flowData: '{"a":1}' } },
    'Flow Data has no screen to go to',
  ],
  [
    'buttons',
    { body: 'a', buttons: { button: [{ title: 'b' }] }, options: { header: 'c', headerImage: LINK } },
    'There are several headers',
  ],
  ['text', { text: 'Hi', to: 'Ana' }, 'To is "Ana", which is no telephone number'],
  ['text', { text: 'Hi', to: '5' }, 'To is "5", which is no telephone number'],
  ['text', { text: 'Hi', to: '+55 119' }, 'To is "+55 119", which is no telephone number'],
  ['text', { text: 'Hi', to: '0012' }, 'To is "0012", which is no telephone number'],
  ...['5,51E+12', '5.51E+12', '5.51e+12', '5,51 E+12', '5E12', ' 5,51E+12 '].map(
    (to): [string, INodeParameters, string] => [
      'text',
      { text: 'Hi', to },
      `To is "${to.trim()}", a spreadsheet's number format`,
    ],
  ),
  ['text', { text: 'Hi', to: '={{ 5.51e22 }}' }, `To is "5.51e+22", a spreadsheet's number format`],
  [
    'contacts',
    { contacts: { contact: [{ name: 'Ana', phone: '5,51E+12' }] } },
    `Phone of contact card 1 is "5,51E+12", a spreadsheet's number format`,
  ],
])(
  'of %s, what the service would refuse is refused before anything is sent: %p',
  async (messageType, parameters, message) => {
    const { error } = await runAction(gateway.credentials, { ...SEND, messageType, ...parameters });
    expect(error?.message).toBe(message);
    expect(error?.description).not.toBe('');
    expect(gateway.received).toEqual([]);
  },
);

describe('choices from data', () => {
  const TIMES = [
    { name: '9 to 10', key: 'slot_9', left: 'Two places', part: 'Morning' },
    { name: '14 to 15', key: 'slot_14', left: 'One place', part: 'Afternoon' },
    { name: '10 to 11', key: 'slot_10', part: 'Morning' },
  ];
  const FIELDS = { titleField: 'name', idField: 'key', descriptionField: 'left', sectionField: 'part' };
  const LIST = { ...SEND, messageType: 'list', body: 'Choose a time', listButton: 'See times' };
  const sections = () =>
    (bodies()[0] as { interactive: { action: { sections: object[] } } }).interactive.action.sections;
  const EXPECTED = [
    {
      title: 'Morning',
      rows: [
        { id: 'slot_9', title: '9 to 10', description: 'Two places' },
        { id: 'slot_10', title: '10 to 11' },
      ],
    },
    { title: 'Afternoon', rows: [{ id: 'slot_14', title: '14 to 15', description: 'One place' }] },
  ];

  test('all input items make the rows of one list, which comes from all of them', async () => {
    const { items, error } = await runAction(
      gateway.credentials,
      { ...LIST, choicesFrom: 'items', ...FIELDS },
      TIMES,
    );
    expect(error).toBeUndefined();
    expect(bodies()).toHaveLength(1);
    expect(sections()).toEqual(EXPECTED);
    expect(items).toHaveLength(1);
    expect(items[0].pairedItem).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
  });

  test('an array in the item makes the rows of its list', async () => {
    const { error } = await runAction(
      gateway.credentials,
      { ...LIST, choicesFrom: 'array', choicesArray: '={{ $json.times }}', ...FIELDS },
      [{ times: TIMES }, { times: TIMES.slice(0, 1) }],
    );
    expect(error).toBeUndefined();
    expect(bodies()).toHaveLength(2);
    expect(sections()).toEqual(EXPECTED);
  });

  test('plain texts become buttons', async () => {
    await runAction(gateway.credentials, {
      ...SEND,
      messageType: 'buttons',
      body: 'When?',
      choicesFrom: 'array',
      choicesArray: '["Today", "Tomorrow"]',
    });
    expect(bodies()[0]).toMatchObject({
      interactive: { action: { buttons: [{ reply: { id: 'Today' } }, { reply: { title: 'Tomorrow' } }] } },
    });
  });

  test.each([
    [{ choicesFrom: 'array', choicesArray: 'Today' }, 'Array holds no array but "Today"'],
    [{ choicesFrom: 'array', choicesArray: '={{ $json.missing }}' }, 'Array holds no array but nothing'],
    [{ choicesFrom: 'array', choicesArray: '[{"name": "a"}]' }, 'Title of row 1 in section 1 is empty'],
    [
      { choicesFrom: 'array', choicesArray: JSON.stringify('abcdefghijk'.split('')) },
      'There are 11 rows in all sections together, 1 more than the 10 allowed',
    ],
  ])('%p is refused before anything is sent', async (parameters, message) => {
    const { error } = await runAction(gateway.credentials, { ...LIST, ...parameters });
    expect(error?.message).toBe(message);
    expect(gateway.received).toEqual([]);
  });
});

describe('a file that n8n has', () => {
  const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const file = (content: Buffer, mimeType = 'image/png', fileName = 'cake "1".png') => ({
    data: { data: content.toString('base64'), mimeType, fileName, fileExtension: 'png' },
  });
  const IMAGE = { ...SEND, messageType: 'image', mediaSource: 'binary', binaryPropertyName: 'data' };
  let uploads = 0;
  beforeEach(() => {
    uploads = 0;
    gateway.on('POST', MEDIA, () => ({ body: { success: true, id: `media-${++uploads}` } }));
  });

  test('is uploaded through the gateway and sent by its id', async () => {
    const { error } = await runAction(gateway.credentials, IMAGE, [{}], { binary: [file(PNG)] });
    expect(error).toBeUndefined();
    const [upload] = gateway.requests('POST', MEDIA);
    expect(upload.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(Number(upload.headers['content-length'])).toBeGreaterThan(PNG.length);
    expect(upload.body).toContain('name="messaging_product"\r\n\r\nwhatsapp\r\n');
    expect(upload.body).toContain('filename="cake %221%22.png"\r\nContent-Type: image/png\r\n');
    expect(bodies()[0]).toMatchObject({ type: 'image', image: { id: 'media-1' } });
  });

  test('keeps its name as a document', async () => {
    const parameters = { ...IMAGE, messageType: 'document' };
    await runAction(gateway.credentials, parameters, [{}], {
      binary: [file(Buffer.from('%PDF-1.7'), 'application/pdf', 'invoice.pdf')],
    });
    expect(bodies()[0]).toMatchObject({ document: { id: 'media-1', filename: 'invoice.pdf' } });
  });

  test('is uploaded once when n8n tries the item again, so that the second try is the same message', async () => {
    let tries = 0;
    gateway.on('POST', MESSAGES, (request) =>
      ++tries === 1
        ? { statusCode: 503, body: { error_code: 'upstream_unavailable', error: {} } }
        : accepted(request),
    );
    const { error } = await runAction(gateway.credentials, IMAGE, [{}], {
      binary: [file(PNG)],
      retryOnFail: true,
      maxTries: 2,
    });
    expect(error).toBeUndefined();
    expect(uploads).toBe(1);
    expect(bodies()).toHaveLength(2);
    expect(bodies()[0]).toEqual(bodies()[1]);
  });

  test('is uploaded once per item, also where several contacts get it at the same time', async () => {
    gateway.on('POST', MEDIA, async () => {
      await sleep(20);
      return { body: { success: true, id: `media-${++uploads}` } };
    });
    const { error } = await runAction(
      gateway.credentials,
      { ...IMAGE, to: '={{ $json.to }}' },
      [{ to: '5511987654300' }, { to: '5511987654301, 5511987654302, 5511987654303' }],
      { binary: [file(PNG), file(PNG)] },
    );
    expect(error).toBeUndefined();
    expect(uploads).toBe(2);
    const ids = bodies().map((body) => (body as { image: { id: string } }).image.id);
    expect(ids).toEqual(['media-1', 'media-2', 'media-2', 'media-2']);
  });

  test('is uploaded anew after an upload that was told to wait', async () => {
    gateway.on('POST', MEDIA, () =>
      ++uploads === 1
        ? { ...refusal(429, 'rate_limited', 130429, 'Too many', 'Wait.'), headers: { 'retry-after': '1' } }
        : { body: { success: true, id: `media-${uploads}` } },
    );
    const { error } = await runAction(gateway.credentials, IMAGE, [{}], { binary: [file(PNG)] });
    expect(error).toBeUndefined();
    expect(bodies()).toMatchObject([{ image: { id: 'media-2' } }]);
  });

  test('waits for its turn where many are uploaded: the gateway takes only so many at once', async () => {
    const { pass, most } = meeting(10);
    gateway.on('POST', MEDIA, async () => {
      const id = `media-${++uploads}`;
      // The first item goes ahead alone.
      if (uploads > 1) await pass();
      return { body: { success: true, id } };
    });
    const contacts = Array.from({ length: 60 }, (_, i) => ({
      to: `55119876543${String(i).padStart(2, '0')}`,
    }));
    const { error } = await runAction(gateway.credentials, { ...IMAGE, to: '={{ $json.to }}' }, contacts, {
      binary: contacts.map(() => file(PNG)),
    });
    expect(error).toBeUndefined();
    expect(uploads).toBe(60);
    expect(most()).toBe(10);
  });

  test.each([
    [
      'of another type',
      file(PNG, 'image/gif'),
      'The file in "data" is of the type image/gif, which cannot be sent as an image',
    ],
    [
      'that is too large',
      file(Buffer.alloc(5 * 1024 * 1024 + 1)),
      'The file in "data" has 5.01 MB, 0.01 MB more than the 5 MB allowed',
    ],
    ['that is empty', file(Buffer.alloc(0)), 'The file in "data" is empty'],
    ['that is missing', undefined, 'The item has no file in "data"'],
    ['in another field', { photo: file(PNG).data }, 'The item has no file in "data"'],
  ])('%s is refused before anything is uploaded', async (_case, binary, message) => {
    const { error } = await runAction(gateway.credentials, IMAGE, [{}], { binary: [binary] });
    expect(error?.message).toBe(message);
    expect(gateway.received).toEqual([]);
  });
});

describe('a file', () => {
  let forms: string[];
  beforeEach(() => {
    forms = [];
    gateway.on('POST', MEDIA, ({ body }) => {
      forms.push(String(body));
      return { body: { id: 'media-1' } };
    });
  });
  const content = (bytes: string) => Buffer.from(bytes, 'latin1').toString('base64');
  const PNG_BYTES = '\x89PNG\r\n\x1a\n and so on';
  const sends = (messageType: string, binaryPropertyName: string, file: object) =>
    runAction(
      gateway.credentials,
      { ...SEND, messageType, mediaSource: 'binary', binaryPropertyName },
      [{}],
      { binary: [{ data: file as never }] },
    );

  test.each([
    ['{{ $binary.data }}', '={{ $binary.data }}'],
    ["{{ $('test.items').item.binary.data }}", '={{ $("test.items").item.binary.data }}'],
    ['data', 'data'],
  ])('is taken where the field holds %s', async (_what, field) => {
    const file = { data: content(PNG_BYTES), mimeType: 'image/png', fileName: 'cake.png' };
    const { error } = await sends('image', field, file);
    expect(error).toBeUndefined();
    expect(forms).toEqual([expect.stringMatching(/filename="cake\.png"\r\nContent-Type: image\/png/)]);
    const uploaded = await runAction(
      gateway.credentials,
      { resource: 'media', operation: 'upload', binaryPropertyName: field },
      [{}],
      { binary: [{ data: file as never }] },
    );
    expect(uploaded.items[0]?.json).toMatchObject({ mediaId: 'media-1', messageType: 'image' });
  });

  test('above a template is taken where its variable holds the file itself', async () => {
    const header = { type: 'document', text: null };
    gateway.on('GET', TEMPLATES, () => ({
      body: { data: [{ name: 'invoice', language: 'en_US', body: 'Yours', header, buttons: null }] },
    }));
    const { error } = await runAction(
      gateway.credentials,
      {
        ...SEND,
        messageType: 'template',
        template: { __rl: true, mode: 'list', value: 'invoice|en_US' },
        templateVariables: {
          mappingMode: 'defineBelow',
          value: { 'header-document-link': '={{ $binary.data }}' },
          schema: [],
        },
      } as INodeParameters,
      [{}],
      { binary: [{ data: { data: content('%PDF-1.7'), mimeType: 'application/pdf', fileName: 'a.pdf' } }] },
    );
    expect(error).toBeUndefined();
    expect(bodies()).toMatchObject([
      {
        template: {
          components: [
            {
              type: 'header',
              parameters: [{ type: 'document', document: { id: 'media-1', filename: 'a.pdf' } }],
            },
          ],
        },
      },
    ]);
  });

  test('is not mistaken for another one of the same name in one message', async () => {
    gateway.on('POST', MEDIA, ({ body }) => ({
      body: { id: `media-of-${/cake|bread/.exec(String(body))}` },
    }));
    gateway.on('GET', TEMPLATES, () => ({ body: { data: [] } }));
    const photo = (of: string) => ({ data: content(of), mimeType: 'image/png', fileName: 'photo.png' });
    const sendsBoth = (files: string) => {
      const value = {
        'card-0-header-image-link': `={{ ${files}.one }}`,
        'card-1-header-image-link': `={{ ${files}.two }}`,
      };
      const parameters = {
        ...SEND,
        messageType: 'template',
        template: { __rl: true, mode: 'list', value: 'offer|en_US' },
        templateVariables: { mappingMode: 'defineBelow', value, schema: [] },
      } as INodeParameters;
      const binary = [{ one: photo('cake'), two: photo('bread') }];
      return runAction(gateway.credentials, parameters, [{}], { binary });
    };
    expect((await sendsBoth('$("test.items").item.binary')).error).toBeUndefined();
    expect(JSON.stringify(bodies()).match(/media-of-\w+/g)).toEqual(['media-of-cake', 'media-of-bread']);
    // Without the content, both are described alike.
    expect((await sendsBoth('$binary')).error?.message).toBe(
      'The expression describes the file "photo.png" without its content',
    );
  });

  test.each([
    ['image', 'pic.png', 'xx', 'image/png'],
    ['image', 'pic', PNG_BYTES, 'image/png'],
    ['image', 'blob.bin', '\xff\xd8\xff\xe0 and so on', 'image/jpeg'],
    ['sticker', 'file', 'RIFF\x10\x00\x00\x00WEBPVP8 ', 'image/webp'],
    ['audio', 'note.OGG', 'xx', 'audio/ogg'],
    ['audio', 'note', 'OggS\x00\x02', 'audio/ogg'],
    ['audio', 'note', 'ID3\x04', 'audio/mpeg'],
    ['video', 'clip', '\x00\x00\x00\x18ftypmp42', 'video/mp4'],
    ['document', 'invoice.pdf', 'xx', 'application/pdf'],
    ['document', 'invoice', '%PDF-1.7', 'application/pdf'],
  ])(
    'sent as %s, of no known type and named %s, has the type that it shows',
    async (kind, name, bytes, type) => {
      const file = { data: content(bytes), mimeType: 'application/octet-stream', fileName: name };
      const { error } = await sends(kind, 'data', file);
      expect(error).toBeUndefined();
      expect(forms).toEqual([expect.stringContaining(`filename="${name}"\r\nContent-Type: ${type}\r\n`)]);
    },
  );

  test.each(['image', 'document'])(
    'sent as %s, that shows no type is refused with what to do',
    async (kind) => {
      const file = { data: content('\0\x01'), mimeType: 'application/octet-stream', fileName: 'blob' };
      const { error } = await sends(kind, 'data', file);
      expect(error?.message).toBe('The type of the file in "data" is not known');
      expect(error?.description).toContain('a name with an ending');
      expect(gateway.received).toEqual([]);
    },
  );
});

test.each(['{ name: Ana }', 'Ana', '[1]', '"Ana"', '{"name":'])(
  'Flow Data that is no JSON object is refused in a sentence: %s',
  async (flowData) => {
    const options = { flowScreen: 'WELCOME', flowData };
    const flow = { messageType: 'flow', body: 'Book', flowLabel: 'Book', flow: '1234', options };
    const { error } = await runAction(gateway.credentials, { ...SEND, ...flow });
    expect(error?.message).toBe('Flow Data is no JSON object');
    expect(error?.description).toBe('Enter an object, such as { "name": "Ana" }.');
    expect(gateway.received).toEqual([]);
  },
);

test.each([
  ['document', 'image/png', 'a document', 'Send it as Image, or convert the file.'],
  ['audio', 'video/mp4', 'an audio file', 'Send it as Video, or convert the file.'],
  ['image', 'text/plain', 'an image', 'Send it as Document, or convert the file.'],
  ['image', 'model/stl', 'an image', 'Convert the file, or send its web address in a text.'],
])(
  'as %s, a file of the type %s is refused with what takes it',
  async (messageType, mimeType, name, next) => {
    const binary = [{ data: { data: 'AAAA', mimeType, fileName: 'file' } }];
    const parameters = { ...SEND, messageType, mediaSource: 'binary', binaryPropertyName: 'data' };
    const { error } = await runAction(gateway.credentials, parameters, [{}], { binary });
    expect(error?.message).toBe(
      `The file in "data" is of the type ${mimeType}, which cannot be sent as ${name}`,
    );
    expect(error?.description).toMatch(/^An? /);
    expect(error?.description?.endsWith(next)).toBe(true);
  },
);

test.each([
  ['00 1 (202) 555-0147', '12025550147'],
  ['0012025550147', '12025550147'],
  ['+00 55 11 98765-4321', '5511987654321'],
  ['+55 11 98765-4321', '+55 11 98765-4321'],
  ['000123456789', '000123456789'],
])('the 00 of %s is no part of the number', async (to, sent) => {
  await runAction(gateway.credentials, { ...SEND, to, messageType: 'text', text: 'Hi' });
  expect(bodies()).toEqual([expect.objectContaining({ to: sent })]);
});

test.each([
  ['\u202a+55 11 98765\u20114321\u202c', '+55 11 98765-4321'],
  ['+44 (0)20 7946 0018', '+44 20 7946 0018'],
  ['0044 (0)20 7946 0018', '442079460018'],
])('%s, as it was pasted, is sent as it is dialled', async (to, sent) => {
  await runAction(gateway.credentials, { ...SEND, to, messageType: 'text', text: 'Hi' });
  expect(bodies()).toEqual([expect.objectContaining({ to: sent })]);
});

describe('the type json', () => {
  const sends = (messageJson: unknown, more: INodeParameters = {}) =>
    runAction(gateway.credentials, {
      ...SEND,
      messageType: 'json',
      messageJson: messageJson as string,
      ...more,
    });

  test('sends what was pasted, to whom the node says', async () => {
    const pasted = {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '15550000000',
      type: 'interactive',
      interactive: { type: 'call_permission_request', action: { name: 'call_permission_request' } },
    };
    for (const given of [pasted, JSON.stringify(pasted)]) {
      const { error, items } = await sends(given, { options: { clientRef: 'order 1' } });
      expect(error).toBeUndefined();
      expect(items[0]!.json).toMatchObject({ messageType: 'json', text: null });
    }
    const { interactive } = pasted;
    expect(bodies()).toEqual(
      Array(2).fill({
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: SEND.to,
        type: 'interactive',
        interactive,
        biz_opaque_callback_data: 'order 1',
      }),
    );
  });

  test('is sent, and no failure, where the template that it names cannot be looked up for its text', async () => {
    gateway.on('GET', TEMPLATES, () => refusal(403, 'scope_missing', 10, 'Scope', 'It may not read.'));
    const named = { name: 'hello', language: { code: 'en_US' } };
    const { error, items } = await sends({ type: 'template', template: named });
    expect(error).toBeUndefined();
    expect(items.map(({ json }) => json)).toEqual([
      expect.objectContaining({ messageType: 'json', text: null }),
    ]);
  });

  test('repeats what the gateway says about it', async () => {
    gateway.on('POST', MESSAGES, () =>
      refusal(400, 'invalid_payload', 100, 'Invalid parameter', 'text.body is missing.', [
        { path: 'text.body', rule: 'required', message: 'text.body is missing.' },
      ]),
    );
    const { error } = await sends({ type: 'text', text: {} });
    expect(error?.description).toContain('text.body is missing.');
  });

  test.each([
    ['{ "type": "text", }', 'Message (JSON) is no JSON object'],
    ['[]', 'Message (JSON) is no JSON object'],
    ['{ "text": { "body": "Hi" } }', 'Message (JSON) has no "type"'],
    [
      '{ "type": "text", "txt": { "body": "Hi" } }',
      'Message (JSON) has the type "text", but no "text" with what is to be sent',
    ],
  ])('refuses %s in words', async (messageJson, message) => {
    const { error } = await sends(messageJson);
    expect(error?.message).toBe(message);
    expect(bodies()).toEqual([]);
  });
});

test.each<[INodeParameters, string]>([
  [{ messageType: 'addressRequest', body: 'Where?', addressCountry: 'India' }, 'Country Code is "INDIA"'],
  [{ messageType: 'products', catalogId: ' ', productId: 'cake' }, 'Catalogue ID is empty'],
  [
    {
      messageType: 'products',
      productsShown: 'several',
      body: 'Look',
      productsHeader: 'Cakes',
      catalogId: '194',
      productIds: Array.from({ length: 31 }, (_, index) => `p${index}`).join(),
    },
    'There are 31 products, 1 more than the 30 allowed',
  ],
])('refuses what the platform would refuse (%#)', async (parameters, message) => {
  const { error } = await runAction(gateway.credentials, { ...SEND, ...parameters });
  expect(error?.message).toBe(message);
  expect(bodies()).toEqual([]);
});
