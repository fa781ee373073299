import { MESSAGE_TYPES } from '../../../../gateway/cloud-api/validate/message-request';
import { validateMessage } from '../../../../gateway/cloud-api/validate/validate-message';
import { quoted, type ValidationIssue } from '../../../../gateway/errors';
import { samples } from '../../../support/samples';

type Part = Record<string, unknown>;

const TYPES = Object.keys(MESSAGE_TYPES);

const message = (type: string, part: unknown, more: Part = {}): Part => ({
  messaging_product: 'whatsapp',
  to: '5511987654321',
  type,
  [type]: part,
  ...more,
});
const text = (body: unknown, more: Part = {}) => message('text', { body, ...more });

const replyButton = (id: unknown, title: unknown) => ({ type: 'reply', reply: { id, title } });
const buttons = (list: unknown, more: Part = {}) =>
  message('interactive', { type: 'button', body: { text: 'Choose' }, action: { buttons: list }, ...more });
const yes = [replyButton('yes', 'Yes')];

const row = (id: unknown, title: unknown = 'Row', more: Part = {}) => ({ id, title, ...more });
const rowsOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => row(`row ${from + index}`));
const sections = (list: unknown, more: Part = {}, action: Part = {}) =>
  message('interactive', {
    type: 'list',
    body: { text: 'Choose' },
    action: { button: 'Open', sections: list, ...action },
    ...more,
  });
const oneSection = [{ rows: [row('a')] }];

const linkButton = (parameters: unknown, more: Part = {}) =>
  message('interactive', {
    type: 'cta_url',
    body: { text: 'Look' },
    action: { name: 'cta_url', parameters },
    ...more,
  });
const link = { display_text: 'See', url: 'https://example.com' };
const flow = (parameters: unknown, more: Part = {}) =>
  message('interactive', {
    type: 'flow',
    body: { text: 'Book' },
    action: { name: 'flow', parameters },
    ...more,
  });
const oneFlow = { flow_message_version: '3', flow_cta: 'Open', flow_id: '1' };
const locationRequest = (more: Part = {}) =>
  message('interactive', {
    type: 'location_request_message',
    body: { text: 'a' },
    action: { name: 'send_location' },
    ...more,
  });
const contact = (more: Part) => message('contacts', [{ name: { formatted_name: 'Ana' }, ...more }]);
const value = (parameter: Part) => template([{ type: 'header', parameters: [parameter] }]);

const template = (components: unknown, more: Part = {}) =>
  message('template', { name: 'order_update', language: { code: 'en_US' }, components, ...more });

/** Each issue with its sentence, in which … stands for its path. */
const told = (body: Part) =>
  validateMessage(body).map(
    ({ path, rule, message: sentence }) => `${path} | ${rule} | ${sentence.replace(path, '…')}`,
  );
const paths = (faults: ValidationIssue[]) => faults.map(({ path, rule, code }) => [path, rule, code]);

/** A character that a person counts as one and JavaScript as two. */
const EMOJI = '😀';

describe('the longest text that passes, and the first that does not', () => {
  const limits: [field: string, limit: number, body: (value: string) => Part][] = [
    ['text.body', 4096, (value) => text(value)],
    ['template.name', 512, (value) => template([], { name: value })],
    ['biz_opaque_callback_data', 512, (value) => ({ ...text('a'), biz_opaque_callback_data: value })],
    ['image.caption', 1024, (value) => message('image', { id: '1', caption: value })],
    ['document.caption', 1024, (value) => message('document', { id: '1', caption: value })],
    ['interactive.header.text', 60, (value) => buttons(yes, { header: { type: 'text', text: value } })],
    ['interactive.body.text', 1024, (value) => buttons(yes, { body: { text: value } })],
    ['interactive.footer.text', 60, (value) => buttons(yes, { footer: { text: value } })],
    ['interactive.action.buttons[0].reply.id', 256, (value) => buttons([replyButton(value, 'Yes')])],
    ['interactive.action.buttons[0].reply.title', 20, (value) => buttons([replyButton('yes', value)])],
    [
      'interactive.header.text',
      60,
      (value) => sections(oneSection, { header: { type: 'text', text: value } }),
    ],
    ['interactive.body.text', 1024, (value) => sections(oneSection, { body: { text: value } })],
    ['interactive.footer.text', 60, (value) => sections(oneSection, { footer: { text: value } })],
    ['interactive.action.button', 20, (value) => sections(oneSection, {}, { button: value })],
    ['interactive.action.sections[0].title', 24, (value) => sections([{ title: value, rows: [row('a')] }])],
    ['interactive.action.sections[0].rows[0].id', 200, (value) => sections([{ rows: [row(value)] }])],
    ['interactive.action.sections[0].rows[0].title', 24, (value) => sections([{ rows: [row('a', value)] }])],
    [
      'interactive.action.sections[0].rows[0].description',
      72,
      (value) => sections([{ rows: [row('a', 'Row', { description: value })] }]),
    ],
    [
      'interactive.action.parameters.display_text',
      20,
      (value) => linkButton({ ...link, display_text: value }),
    ],
    ['interactive.header.text', 60, (value) => linkButton(link, { header: { type: 'text', text: value } })],
    ['interactive.header.text', 60, (value) => flow(oneFlow, { header: { type: 'text', text: value } })],
    [
      'interactive.body.text',
      1024,
      (value) => message('interactive', { type: 'product', body: { text: value } }),
    ],
    [
      'interactive.footer.text',
      60,
      (value) => message('interactive', { type: 'carousel', footer: { text: value } }),
    ],
    ['video.caption', 1024, (value) => message('video', { id: '1', caption: value })],
  ];

  test.each(limits)('of %s has %i characters, as a person counts them', (field, limit, body) => {
    for (const character of ['x', EMOJI, 'é', '字']) {
      expect(told(body(character.repeat(limit)))).toEqual([]);
      expect(told(body(character.repeat(limit + 1)))).toEqual([
        `${field} | maxLength | … has ${limit + 1} characters; at most ${limit} are possible.`,
      ]);
    }
  });

  test.each(
    limits.filter(
      ([field]) => !/caption|description|title$|biz_opaque/.test(field) || field.endsWith('reply.title'),
    ),
  )('of %s may not be empty', (field, _limit, body) => {
    const [fault, ...others] = validateMessage(body(''));
    expect([fault?.path, others]).toEqual([field, []]);
    expect(fault?.message).toMatch(/is empty\. Fill it in, or leave it out where it is not required\./);
  });
});

describe('the number of', () => {
  test('buttons is one to three', () => {
    const some = (count: number) =>
      Array.from({ length: count }, (_, index) => replyButton(`${index}`, `Title ${index}`));
    for (const count of [1, 2, 3]) expect(told(buttons(some(count)))).toEqual([]);
    expect(told(buttons([]))).toEqual([
      'interactive.action.buttons | minItems | … is empty; it needs at least one entry.',
    ]);
    for (const count of [4, 5])
      expect(told(buttons(some(count)))).toEqual([
        `interactive.action.buttons | maxItems | … has ${count} entries; at most 3 are possible.`,
      ]);
  });

  test('sections is one to ten', () => {
    const some = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ title: `Section ${index}`, rows: rowsOf(1, index) }));
    for (const count of [1, 10]) expect(told(sections(some(count)))).toEqual([]);
    expect(told(sections([]))).toEqual([
      'interactive.action.sections | minItems | … is empty; it needs at least one entry.',
    ]);
    expect(told(sections(some(11)))).toContain(
      'interactive.action.sections | maxItems | … has 11 entries; at most 10 are possible.',
    );
  });

  test('rows is ten in all, across the sections', () => {
    const split = (first: number, second: number) => [
      { title: 'One', rows: rowsOf(first) },
      { title: 'Two', rows: rowsOf(second, first) },
    ];
    expect(told(sections([{ rows: rowsOf(10) }]))).toEqual([]);
    expect(told(sections(split(4, 6)))).toEqual([]);
    for (const list of [[{ rows: rowsOf(11) }], split(5, 6)])
      expect(told(sections(list))).toEqual([
        'interactive.action.sections | maxRows | … has 11 rows in all; at most 10 are possible.',
      ]);
    expect(told(sections([{ rows: [] }]))).toEqual([
      'interactive.action.sections[0].rows | minItems | … is empty; it needs at least one entry.',
    ]);
  });
});

describe('what must differ', () => {
  test('is the ids and the titles of buttons', () => {
    expect(told(buttons([replyButton('a', 'Yes'), replyButton('b', 'No'), replyButton('a', 'Yes')]))).toEqual(
      [
        'interactive.action.buttons[2].reply.id | unique | … is "a", as interactive.action.buttons[0].reply.id is already. Give each its own.',
        'interactive.action.buttons[2].reply.title | unique | … is "Yes", as interactive.action.buttons[0].reply.title is already. Give each its own.',
      ],
    );
  });

  test('is the ids of rows, across the sections; their titles may be the same', () => {
    const list = [
      { title: 'One', rows: [row('a')] },
      { title: 'Two', rows: [row('b'), row('a')] },
    ];
    expect(paths(validateMessage(sections(list)))).toEqual([
      ['interactive.action.sections[1].rows[1].id', 'unique', 131009],
    ]);
  });

  test('is told by the titles of sections, which one alone does not need', () => {
    expect(told(sections([{ rows: [row('a')] }]))).toEqual([]);
    expect(
      told(
        sections([{ title: 'One', rows: [row('a')] }, { rows: [row('b')] }, { title: '', rows: [row('c')] }]),
      ),
    ).toEqual([
      'interactive.action.sections[1].title | required | … is missing: a title, because there are several sections.',
      'interactive.action.sections[2].title | required | … is missing: a title, because there are several sections.',
    ]);
  });
});

describe('a header', () => {
  test.each(['image', 'video', 'document'])(
    'of buttons may be a %s by id or by link, one of the two',
    (kind) => {
      const header = (content: unknown) => told(buttons(yes, { header: { type: kind, [kind]: content } }));
      expect(header({ id: '1' })).toEqual([]);
      expect(header({ link: 'https://example.com/file' })).toEqual([]);
      expect(header(undefined)).toEqual([
        `interactive.header.${kind} | required | … is missing: the ${kind} of the header, with "id" or "link".`,
      ]);
      expect(header({})).toEqual([
        `interactive.header.${kind} | oneOf | … needs "id" (of an uploaded file) or "link" (its web address).`,
      ]);
      expect(header({ id: '1', link: 'https://example.com/file' })).toEqual([
        `interactive.header.${kind} | oneOf | … has both "id" and "link": keep one of them.`,
      ]);
      expect(header({ link: 'file.png' })).toEqual([
        `interactive.header.${kind}.link | pattern | … is "file.png"; it must be a web address that starts with https:// or http://.`,
      ]);
      expect(header('file.png')).toEqual([
        `interactive.header.${kind} | type | … is "file.png"; it must be an object.`,
      ]);
    },
  );

  test('of a list is text and nothing else', () => {
    expect(told(sections(oneSection, { header: { type: 'image', image: { id: '1' } } }))).toEqual([
      'interactive.header.type | enum | … is "image"; possible here: text.',
    ]);
    expect(told(buttons(yes, { header: { type: 'audio', audio: { id: '1' } } }))).toEqual([
      'interactive.header.type | enum | … is "audio"; possible here: text, image, video, document.',
    ]);
  });

  test.each(['cta_url', 'flow'])(
    'of %s is text, image, video or document, as the platform takes it',
    (kind) => {
      const body = (header: unknown) =>
        kind === 'flow' ? flow(oneFlow, { header }) : linkButton(link, { header });
      expect(told(body({ type: 'text', text: 'a' }))).toEqual([]);
      for (const media of ['image', 'video', 'document']) {
        expect(told(body({ type: media, [media]: { id: '1' } }))).toEqual([]);
        expect(told(body({ type: media, [media]: {} }))).toEqual([
          `interactive.header.${media} | oneOf | … needs "id" (of an uploaded file) or "link" (its web address).`,
        ]);
      }
      expect(told(body({ type: 'audio', audio: { id: '1' } }))).toEqual([
        'interactive.header.type | enum | … is "audio"; possible here: text, image, video, document.',
      ]);
    },
  );

  test('may be left out, or be null', () => {
    expect(told(buttons(yes, { header: null, footer: null }))).toEqual([]);
  });
});

describe('a missing part', () => {
  const missing: [string, Part, number][] = [
    ['type', { to: '1' }, 100],
    ['to', { type: 'text', text: { body: 'a' } }, 100],
    ...TYPES.map((type): [string, Part, number] => [type, { to: '1', type, other: { id: '1' } }, 100]),
    ['image', { to: '1', type: 'image', image: null }, 100],
    ['text.body', message('text', {}), 131008],
    ['template.name', message('template', { language: { code: 'en' } }), 131008],
    ['template.language', message('template', { name: 'a' }), 131008],
    ['template.language.code', message('template', { name: 'a', language: {} }), 131008],
    ['template.components[0].type', template([{ parameters: [] }]), 131008],
    [
      'template.components[0].parameters[0].type',
      template([{ type: 'body', parameters: [{ text: 'a' }] }]),
      131008,
    ],
    [
      'template.components[0].parameters[0].text',
      template([{ type: 'body', parameters: [{ type: 'text' }] }]),
      131008,
    ],
    [
      'template.components[0].parameters[0].image',
      template([{ type: 'HEADER', parameters: [{ type: 'IMAGE' }] }]),
      131008,
    ],
    ['template.components[0].sub_type', template([{ type: 'button', index: 0 }]), 131008],
    ['template.components[0].index', template([{ type: 'BUTTON', sub_type: 'URL' }]), 131008],
    ['interactive.type', message('interactive', { body: { text: 'a' } }), 131008],
    ['interactive.body', message('interactive', { type: 'button', action: { buttons: yes } }), 131008],
    ['interactive.body.text', buttons(yes, { body: {} }), 131008],
    ['interactive.footer.text', buttons(yes, { footer: {} }), 131008],
    ['interactive.header.type', buttons(yes, { header: {} }), 131008],
    ['interactive.header.text', sections(oneSection, { header: { type: 'text' } }), 131008],
    ['interactive.body', locationRequest({ body: undefined }), 131008],
    ['interactive.action', locationRequest({ action: undefined }), 131008],
    ['interactive.action', message('interactive', { type: 'list', body: { text: 'a' } }), 131008],
    ['interactive.action.buttons', buttons(undefined), 131008],
    ['interactive.action.buttons[0].type', buttons([{ reply: { id: 'a', title: 'b' } }]), 131008],
    ['interactive.action.buttons[0].reply', buttons([{ type: 'reply' }]), 131008],
    ['interactive.action.buttons[0].reply.id', buttons([replyButton(undefined, 'a')]), 131008],
    ['interactive.action.buttons[0].reply.title', buttons([replyButton('a', undefined)]), 131008],
    ['interactive.action.button', sections(oneSection, {}, { button: undefined }), 131008],
    ['interactive.action.sections', sections(undefined), 131008],
    ['interactive.action.sections[0].rows', sections([{}]), 131008],
    ['interactive.action.sections[0].rows[0].id', sections([{ rows: [row(undefined)] }]), 131008],
    ['interactive.action.sections[0].rows[0].title', sections([{ rows: [{ id: 'a' }] }]), 131008],
    ['location.latitude', message('location', { longitude: 1 }), 131008],
    ['location.longitude', message('location', { latitude: 1 }), 131008],
    ['reaction.message_id', message('reaction', { emoji: EMOJI }), 131008],
    ['contacts[0].name', message('contacts', [{}]), 131008],
    ['contacts[0].name.formatted_name', message('contacts', [{ name: {} }]), 131008],
    ['interactive.action.name', linkButton(link, { action: { parameters: link } }), 131008],
    ['interactive.action.parameters', linkButton(undefined), 131008],
    ['interactive.action.parameters.display_text', linkButton({ url: link.url }), 131008],
    ['interactive.action.parameters.url', linkButton({ display_text: 'See' }), 131008],
    ['interactive.action.parameters.flow_cta', flow({ flow_message_version: '3', flow_id: '1' }), 131008],
    ['interactive.action.parameters.flow_message_version', flow({ flow_cta: 'a', flow_id: '1' }), 131008],
    ['typing_indicator.type', { status: 'read', message_id: 'wamid.1', typing_indicator: {} }, 131008],
    ['template.components[0].parameters[0].location', value({ type: 'location' }), 131008],
    [
      'template.components[0].parameters[0].location.latitude',
      value({ type: 'location', location: { longitude: 1 } }),
      131008,
    ],
    ['context.message_id', { ...text('a'), context: {} }, 131008],
    ['message_id', { status: 'read' }, 100],
  ];

  test.each(missing)('is named, with what it is for: %s', (path, body, code) => {
    const faults = validateMessage(JSON.parse(JSON.stringify(body)));
    expect(paths(faults)).toEqual([[path, 'required', code]]);
    expect(faults[0]?.message).toMatch(
      new RegExp(`^${path.replace(/[[\].]/g, '\\$&')} is missing: .{8,}\\.$`),
    );
  });
});

describe('a value that cannot be', () => {
  const wrong: [Part, string, number?][] = [
    [{ ...text('a'), type: 'poem' }, `type | enum | … is "poem"; possible: ${TYPES.join(', ')}.`, 131051],
    [{ ...text('a'), type: 'TEXT' }, `type | enum | … is "TEXT"; possible: ${TYPES.join(', ')}.`, 131051],
    [{ ...text('a'), type: 7 }, `type | enum | … is a number; possible: ${TYPES.join(', ')}.`, 131051],
    [
      { ...text('a'), messaging_product: 'sms' },
      'messaging_product | enum | … is "sms"; possible: chat, whatsapp.',
    ],
    [{ ...text('a'), to: 5511987654321 }, 'to | type | … is a number; it must be a text.'],
    [
      { ...text('a'), to: '' },
      'to | pattern | … is ""; it must be a phone number with country code, for example 5511987654321, or a user id of the platform.',
    ],
    [
      { ...text('a'), to: 'Ana' },
      'to | pattern | … is "Ana"; it must be a phone number with country code, for example 5511987654321, or a user id of the platform.',
    ],
    [
      { ...text('a'), recipient: '5511987654321' },
      'recipient | pattern | … is "5511987654321"; it must be a user id of the platform, for example US.13491208655302741918.',
    ],
    [text(7), 'text.body | type | … is a number; it must be a text.'],
    [text(null), 'text.body | type | … is null; it must be a text.'],
    [text('a', { preview_url: 'yes' }), 'text.preview_url | type | … is "yes"; it must be true or false.'],
    [message('text', 'Hello'), 'text | type | … is "Hello"; it must be an object.'],
    [message('text', ['Hello']), 'text | type | … is a list; it must be an object.'],
    [
      message('template', { name: 'a', language: 'en' }),
      'template.language | type | … is "en"; it must be an object.',
    ],
    [
      template([], { name: 'a\u0000b' }),
      'template.name | pattern | … is "a\ufffdb"; it must be the name of a template, in one line.',
    ],
    [
      template([], { language: { code: 'en\n' } }),
      'template.language.code | pattern | … is "en\ufffd"; it must be the code of a language, for example en_US.',
    ],
    [template({}), 'template.components | type | … is an object; it must be a list.'],
    [
      template([{ type: 'body', parameters: [{ type: 'text', text: {} }] }]),
      'template.components[0].parameters[0].text | type | … is an object; it must be a text, a number or true or false.',
    ],
    [
      template([{ type: 'header', parameters: [{ type: 'image', image: 'https://example.com' }] }]),
      'template.components[0].parameters[0].image | type | … is "https://example.com"; it must be an object.',
    ],
    [
      template([{ type: 'button', sub_type: 'url', index: -1 }]),
      'template.components[0].index | minimum | … is -1; it must be 0 or more.',
    ],
    [
      template([{ type: 'button', sub_type: 'url', index: 'first' }]),
      'template.components[0].index | pattern | … is "first"; it must be the number of the button, from 0.',
    ],
    [
      buttons([{ type: 'call', reply: { id: 'a', title: 'b' } }]),
      'interactive.action.buttons[0].type | pattern | … is "call"; it must be "reply".',
    ],
    [buttons('none'), 'interactive.action.buttons | type | … is "none"; it must be a list.'],
    [buttons(yes, { type: 7 }), 'interactive.type | type | … is a number; it must be a text.'],
    [buttons(yes, { body: 'Choose' }), 'interactive.body | type | … is "Choose"; it must be an object.'],
    [
      message('image', { link: 'ftp://example.com/a.png' }),
      'image.link | pattern | … is "ftp://example.com/a.png"; it must be a web address that starts with https:// or http://.',
    ],
    [
      message('image', {}),
      'image | oneOf | … needs "id" (of an uploaded file) or "link" (its web address).',
      131008,
    ],
    [
      message('sticker', { id: '1', link: 'https://example.com/a.webp' }),
      'sticker | oneOf | … has both "id" and "link": keep one of them.',
    ],
    [
      message('audio', { id: '1', caption: 'Song' }),
      'audio.caption | unexpected | audio takes no caption. Send the text as a message of its own.',
    ],
    [
      linkButton({ ...link, url: 'example.com' }),
      'interactive.action.parameters.url | pattern | … is "example.com"; it must be a web address that starts with https:// or http://.',
    ],
    [
      linkButton(link, { action: { name: 'flow', parameters: link } }),
      'interactive.action.name | enum | … is "flow"; it must be "cta_url".',
    ],
    [
      flow({ ...oneFlow, flow_name: 'a' }),
      'interactive.action.parameters | oneOf | … has both "flow_id" and "flow_name": keep one of them.',
    ],
    [
      flow({ flow_message_version: '3', flow_cta: 'Open' }),
      'interactive.action.parameters | oneOf | … needs "flow_id" or "flow_name", which names the flow to open.',
      131008,
    ],
    [
      value({ type: 'image', image: {} }),
      'template.components[0].parameters[0].image | oneOf | … needs "id" (of an uploaded file) or "link" (its web address).',
      131008,
    ],
    [
      value({ type: 'document', document: { link: 'a.pdf' } }),
      'template.components[0].parameters[0].document.link | pattern | … is "a.pdf"; it must be a web address that starts with https:// or http://.',
    ],
    [
      value({ type: 'location', location: { latitude: '91', longitude: '0' } }),
      'template.components[0].parameters[0].location.latitude | range | … is "91"; it goes from -90 to 90.',
    ],
    [
      value({ type: 'currency', currency: { code: 'EUR', amount_1000: '1000' } }),
      'template.components[0].parameters[0].currency.amount_1000 | type | … is "1000"; it must be a number.',
    ],
    [
      value({ type: 'text', text: 'a', parameter_name: 7 }),
      'template.components[0].parameters[0].parameter_name | type | … is a number; it must be a text.',
    ],
    [
      template([{ type: 'button', sub_type: 'url', index: 1.5 }]),
      'template.components[0].index | type | … is a number; it must be a whole number or a text.',
    ],
    [
      contact({ birthday: '31.12.1990' }),
      'contacts[0].birthday | pattern | … is "31.12.1990"; it must be a date like 1990-12-31.',
    ],
    [
      contact({ phones: [{ phone: 5511987654321 }] }),
      'contacts[0].phones[0].phone | type | … is a number; it must be a text.',
    ],
    [contact({ org: 'Example' }), 'contacts[0].org | type | … is "Example"; it must be an object.'],
    [
      message('location', { latitude: Infinity, longitude: 0 }),
      'location.latitude | type | … is a number out of range; it must be a number or a text.',
    ],
    [
      message('location', { latitude: null, longitude: 0 }),
      'location.latitude | type | … is null; it must be a number or a text.',
    ],
    [
      message('location', { latitude: 90.1, longitude: 0 }),
      'location.latitude | maximum | … is 90.1; it must be 90 or less.',
    ],
    [
      message('location', { latitude: '0', longitude: '-180.5' }),
      'location.longitude | range | … is "-180.5"; it goes from -180 to 180.',
    ],
    ...[
      ['https://example.com/my invoice.pdf', 'it contains a space: write %20 instead'],
      [' https://example.com/a.pdf', 'it begins or ends with a space or a line break: remove that'],
      ['https://example.com/a.pdf\n', 'it begins or ends with a space or a line break: remove that'],
      ['https://example.com/a\tb.pdf', 'it contains a line break, a tab or a special space: remove that'],
      ['https:///a.pdf', 'the name of the host is missing after "://"'],
      ['https:/example.com/a.pdf', 'it needs a colon and two slashes, as in https://'],
      ['http//example.com/a.pdf', 'it needs a colon and two slashes, as in https://'],
    ].flatMap<[Part, string]>(([address = '', fault]) => [
      [
        message('document', { link: address }),
        `document.link | pattern | … is ${quoted(address)}; ${fault}.`,
      ],
      [
        linkButton({ ...link, url: address }),
        `interactive.action.parameters.url | pattern | … is ${quoted(address)}; ${fault}.`,
      ],
    ]),
    ...['data:image/png;base64,AAAA', 'C:\\a.pdf', 'file:///a.pdf', '/home/a.pdf'].map<[Part, string]>(
      (file) => [
        value({ type: 'document', document: { link: file } }),
        `template.components[0].parameters[0].document.link | pattern | … is ${quoted(file)}; the platform cannot open it: upload the file, and send its "id" instead.`,
      ],
    ),
    [
      { ...text('a'), to: '120363025246125486@g.us' },
      'to | pattern | … is "120363025246125486@g.us"; to send to a group, add "recipient_type": "group".',
    ],
    [
      message('location', { latitude: 'north', longitude: 0 }),
      'location.latitude | pattern | … is "north"; it must be a number from -90 to 90.',
    ],
    [message('contacts', []), 'contacts | minItems | … is empty; it needs at least one entry.'],
    [{ status: 'delivered', message_id: 'wamid.1' }, 'status | enum | … is "delivered"; it must be "read".'],
    [
      { status: 'read', message_id: 'wamid.1', typing_indicator: { type: 'audio' } },
      'typing_indicator.type | enum | … is "audio"; it must be "text".',
    ],
  ];

  test.each(wrong)('is named, with what it may be: %#', (body, sentence, code = 131009) => {
    expect(told(body)).toEqual([sentence]);
    expect(validateMessage(body)[0]?.code).toBe(code);
  });
});

test.each<[Part, string, number?]>([
  [{ ...text('a'), to: '+' }, 'to'],
  [{ ...text('a'), to: '1650555CALL' }, 'to'],
  [{ ...text('a'), to: 'us.1' }, 'to'],
  [{ ...text('a'), to: `US.${'x'.repeat(129)}` }, 'to'],
  [{ ...text('a'), recipient_type: 1 }, 'recipient_type'],
  [{ ...text('a'), context: 'wamid.1' }, 'context'],
  [message('image', { link: 'https://files.example/a b' }), 'image.link'],
  [message('document', { link: 7 }), 'document.link'],
  [message('document', { id: '1', filename: 7 }), 'document.filename'],
  [message('document', { id: '1', caption: 7 }), 'document.caption'],
  [message('sticker', { id: '1', caption: 'Look' }), 'sticker.caption'],
  [message('audio', { id: '1', voice: 'yes' }), 'audio.voice'],
  [message('location', { latitude: -90.1, longitude: 0 }), 'location.latitude'],
  [message('location', { latitude: 0, longitude: 180.1 }), 'location.longitude'],
  [message('location', { latitude: 0, longitude: -180.1 }), 'location.longitude'],
  [message('template', { name: 7, language: { code: 'en' } }), 'template.name'],
  [message('template', { name: 'a', language: { code: 7 } }), 'template.language.code'],
  [template(['body']), 'template.components[0]'],
  [template([{ type: 'body', parameters: {} }]), 'template.components[0].parameters'],
  [value({ type: 'currency', currency: '1 USD' }), 'template.components[0].parameters[0].currency'],
  [sections([{ title: 7, rows: [row('a')] }]), 'interactive.action.sections[0].title'],
  [sections(oneSection, { type: null }), 'interactive.type'],
  [linkButton(link, { body: { text: 'x'.repeat(1025) } }), 'interactive.body.text'],
  [locationRequest({ action: { name: 'flow' } }), 'interactive.action.name'],
  [flow(undefined), 'interactive.action.parameters', 131008],
])('nor can %j, for its %s', (body, path, code = 131009) => {
  expect(validateMessage(body)).toEqual([expect.objectContaining({ path, code })]);
});

describe('several faults', () => {
  test('are told all at once, in the order of the fields', () => {
    const body = {
      messaging_product: 'sms',
      type: 'interactive',
      interactive: {
        type: 'button',
        header: { type: 'text', text: 'x'.repeat(61) },
        body: { text: '' },
        footer: { text: 'x'.repeat(61) },
        action: {
          buttons: [
            replyButton('a', 'x'.repeat(21)),
            replyButton('a', 'No'),
            { type: 'reply' },
            replyButton('d', 'D'),
          ],
        },
      },
    };
    expect(
      paths(validateMessage(body))
        .map(([path, rule]) => `${path} ${rule}`)
        .sort(),
    ).toEqual(
      [
        'to required',
        'messaging_product enum',
        'interactive.header.text maxLength',
        'interactive.body.text minLength',
        'interactive.footer.text maxLength',
        'interactive.action.buttons maxItems',
        'interactive.action.buttons[0].reply.title maxLength',
        'interactive.action.buttons[1].reply.id unique',
        'interactive.action.buttons[2].reply required',
      ].sort(),
    );
  });

  test('of an unknown type are told with those of the base', () => {
    expect(paths(validateMessage({ type: 'poem', messaging_product: 'sms' }))).toEqual(
      expect.arrayContaining([
        ['type', 'enum', 131051],
        ['to', 'required', 100],
        ['messaging_product', 'enum', 131009],
      ]),
    );
  });
});

describe('what real clients send passes', () => {
  const passing: Record<string, Part> = {
    'no product': { to: '1', type: 'text', text: { body: 'a' } },
    'the product of the specification': { ...text('a'), messaging_product: 'chat' },
    'null for the product': { ...text('a'), messaging_product: null },
    'a plus sign, spaces, hyphens and brackets': { ...text('a'), to: ' +55 (11) 98765-4321 ' },
    'a plus sign in brackets': { ...text('a'), to: '(+55) 11 98765 4321' },
    'fifteen digits': { ...text('a'), to: '123456789012345' },
    'a user id in "to"': { ...text('a'), to: 'US.13491208655302741918' },
    'a user id in "recipient"': {
      type: 'text',
      text: { body: 'a' },
      recipient: 'US.ENT.11815799212886844830',
    },
    'null for "to" beside a recipient': { ...text('a'), to: null, recipient: 'US.1' },
    'unknown fields at every level': { ...text('a', { tone: 1 }), later: { a: [1] } },
    'a reply': { ...text('a'), context: { message_id: 'wamid.1' } },
    'no context': { ...text('a'), context: null },
    'empty parts of a template': template([], { language: { code: 'en', policy: 'deterministic' } }),
    'no components': template(null),
    'parameters that are empty': template([{ type: 'body', parameters: [] }]),
    'values that are true, or a number': template([
      {
        type: 'body',
        parameters: [
          { type: 'text', text: true },
          { type: 'text', text: 7 },
        ],
      },
    ]),
    'named parameters': template([
      { type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'Ana' }] },
    ]),
    'every kind of parameter': template([
      { type: 'header', parameters: [{ type: 'document', document: { link: 'https://example.com/a.pdf' } }] },
      {
        type: 'body',
        parameters: [
          { type: 'currency', currency: { code: 'EUR' } },
          { type: 'date_time', date_time: {} },
          { type: 'constructor' },
          { type: 'new kind' },
        ],
      },
      { type: 'button', sub_type: 'QUICK_REPLY', index: 0, parameters: [{ type: 'payload', payload: 'a' }] },
      {
        type: 'button',
        sub_type: 'copy_code',
        index: '1',
        parameters: [{ type: 'coupon_code', coupon_code: 'a' }],
      },
      { type: 'button', sub_type: 'flow', index: '2', parameters: [{ type: 'action', action: {} }] },
      { type: 'carousel', cards: [] },
    ]),
    'a caption that is null or empty': message('image', { link: 'HTTPS://example.com/a.png', caption: null }),
    'an id beside a link that is null': message('video', { id: '1', link: null, caption: '' }),
    'a file of the web, without encryption': message('video', {
      link: 'http://files.example/a',
      caption: 'b',
    }),
    'a sticker': message('sticker', { id: '1' }),
    'an image': message('image', { id: '1' }),
    'a location with its name': message('location', {
      latitude: 1.5,
      longitude: '2.5',
      name: 'Shop',
      address: '1 Main Street',
    }),
    'no preview, to an individual': { ...text('a', { preview_url: false }), recipient_type: 'individual' },
    'rows of one title': sections([{ rows: [row('a', 'Same'), row('b', 'Same')] }]),
    'a component without values, and every other kind of value': template([
      { type: 'header' },
      {
        type: 'body',
        parameters: [
          { type: 'image', image: { id: '1' } },
          { type: 'video', video: { id: '1' } },
          { type: 'location', location: { latitude: '1', longitude: '2' } },
        ],
      },
      { type: 'button', sub_type: 'url', index: 0 },
    ]),
    'a flow with what it begins with': flow({
      ...oneFlow,
      flow_token: 'token',
      flow_action: 'navigate',
      flow_action_payload: { screen: 'WELCOME', data: { product: '1234' } },
    }),
    'a voice note': message('audio', { id: '1', voice: true, caption: '' }),
    'a document with its name': message('document', { id: '1', filename: 'a.pdf', caption: 'b' }),
    'coordinates at their ends': message('location', { latitude: -90, longitude: 180 }),
    'coordinates as text': message('location', { latitude: '-90', longitude: '+180.000', name: null }),
    'a reaction that is taken back': message('reaction', { message_id: 'wamid.1', emoji: '' }),
    'a contact': message('contacts', [{ name: { formatted_name: 'Ana' } }]),
    'capitals in an interactive type': buttons([{ type: 'REPLY', reply: { id: 'a', title: 'b' } }], {
      type: 'BUTTON',
    }),
    'another interactive type': message('interactive', { type: 'product', action: { catalog_id: '1' } }),
    'a link button': message('interactive', {
      type: 'cta_url',
      body: { text: 'a' },
      action: { name: 'cta_url', parameters: { display_text: 'See', url: 'HTTPS://example.com' } },
    }),
    'a flow by its name': flow({ flow_message_version: 3, flow_cta: 'Open', flow_name: 'a', flow_id: null }),
    'a request for a location': locationRequest(),
    'an interactive type that needs no body': message('interactive', {
      type: 'call_permission_request',
      body: null,
      action: { name: 'call_permission_request' },
    }),
    'a whole contact': message('contacts', [
      {
        name: { formatted_name: 'Ana Silva', first_name: 'Ana', last_name: null },
        birthday: '1990-12-31',
        phones: [{ phone: '+55 11 98765-4321', wa_id: '5511987654321', type: 'CELL' }],
        emails: [{ email: 'ana@example.com', type: null }],
        urls: [{ url: 'https://example.com' }],
        addresses: [{ street: '1 Main St', city: 'Rio', zip: '20000', country_code: 'br' }],
        org: { company: 'Example', title: '' },
      },
    ]),
    'a contact with empty parts': message('contacts', [
      { name: { formatted_name: 'Ana' }, birthday: '', phones: [], emails: null, org: {} },
    ]),
    'a type that is null, when a message is marked as read': {
      status: 'read',
      message_id: 'wamid.1',
      type: null,
    },
    'a status that is null, when a message is sent': { ...text('a'), status: null },
    'mark as read': { messaging_product: 'chat', status: 'read', message_id: 'wamid.1' },
    'mark as read, typing': { status: 'read', message_id: 'wamid.1', typing_indicator: { type: 'text' } },
  };

  test.each(Object.entries(passing))('%s', (_name, body) => {
    expect(told(body)).toEqual([]);
  });

  test('every real request that is at hand, if it has a type', () => {
    for (const { file, payload } of samples('send')) {
      const expected = payload.type || payload.status ? [] : ['type'];
      expect([file, ...validateMessage(payload).map(({ path }) => path)]).toEqual([file, ...expected]);
    }
  });
});

describe('the entries of all lists of a message', () => {
  const phones = (count: number) => Array.from({ length: count }, () => ({}));
  const faultsOf = (counts: number[]) =>
    validateMessage({
      to: '16505551234',
      type: 'contacts',
      contacts: counts.map((count) => ({ name: { formatted_name: 'Ana' }, phones: phones(count) })),
    });

  test('are 2,000 at most', () => {
    expect(faultsOf([999, 999])).toEqual([]);
    const faults = [
      {
        path: 'contacts',
        rule: 'maxItems',
        message: 'contacts has lists of more than 2000 entries in all. Send fewer.',
        code: 131009,
      },
    ];
    expect(faultsOf([999, 1000])).toEqual(faults);
    expect(faultsOf([100_000])).toEqual(faults);
  });

  test('are judged in full, of which the first issues are told', () => {
    const contact = { name: { formatted_name: 'Ana' } };
    const pathsOf = (contacts: unknown[]) =>
      validateMessage({ to: '16505551234', type: 'contacts', contacts }).map(({ path }) => path);
    const late = [...Array.from({ length: 500 }, () => contact), {}];
    expect(pathsOf(late)).toEqual(['contacts[500].name']);
    const many = Array.from({ length: 500 }, () => ({}));
    expect(pathsOf(many)).toEqual(many.slice(0, 20).map((_, index) => `contacts[${index}].name`));
  });

  test('are counted in a list that came as JSON text, and faults around them are told all the same', () => {
    const contacts = JSON.stringify(phones(2_001));
    expect(validateMessage({ type: 'contacts', contacts }).map(({ path, rule }) => [path, rule])).toEqual([
      ['to', 'required'],
      ['contacts', 'maxItems'],
    ]);
  });
});
