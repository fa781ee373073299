import { CONTACT, type Json } from '../../support/scene';
import {
  button,
  buttons,
  list,
  message,
  onEachDatabase,
  passes,
  refuses,
  refusesField,
  row,
  rowsOf,
  template,
  WITHOUT_WINDOW,
} from './support';

const LINK = 'https://files.example/file';
const ANY = { id: '1' };
const x = (length: number) => 'x'.repeat(length);
const image = (more: object = {}) => message('image', ANY, more);
const media = (type: string, part: object) => message(type, part);
const place = (latitude: unknown, longitude: unknown, more: object = {}) =>
  message('location', { latitude, longitude, ...more });
const other = (type: string, more: object = {}) =>
  message('interactive', { type, body: { text: 'Look' }, action: { name: 'x' }, ...more });
const pair = (first: object, second: object) => buttons({ action: { buttons: [first, second] } });
const sections = (...given: object[]) => list(given);
const component = (more: object) => template('greeting', [more]);
const parameter = (more: object) => component({ type: 'body', parameters: [more] });
const SECTIONS = 'interactive.action.sections';
const COMPONENT = 'template.components[0]';
const PARAMETER = `${COMPONENT}.parameters[0]`;

/** What passes, and reaches upstream as it is. */
const PASSES: Record<string, Record<string, Json>> = {
  type: {
    'the upstream’s sticker': message('sticker', ANY),
    'the upstream’s contacts': message('contacts', [{ name: { formatted_name: 'Ana' } }]),
    'the upstream’s reaction': message('reaction', { message_id: 'wamid.1', emoji: '😀' }),
  },
  'image, video, audio, document, sticker': {
    'id of an image': media('image', ANY),
    'link of an image (https)': media('image', { link: LINK }),
    'link of an image (http)': media('image', { link: 'http://files.example/file' }),
    'link of a video': media('video', { link: LINK }),
    'link of an audio': media('audio', { link: LINK }),
    'link of a document': media('document', { link: LINK }),
    'link of a sticker': media('sticker', { link: LINK }),
    'caption of 1024': media('image', { ...ANY, caption: x(1024) }),
    'caption of a video': media('video', { ...ANY, caption: 'Look' }),
    'caption of a document': media('document', { ...ANY, caption: 'Look' }),
    'filename on document': media('document', { ...ANY, filename: 'Invoice.pdf' }),
    'voice on audio': media('audio', { ...ANY, voice: true }),
  },
  location: {
    '-90 and -180': place(-90, -180),
    '90 and 180': place(90, 180),
    'numeric strings': place('-37.4421', '180.0'),
    'name, address': place(1.5, 2.5, { name: 'Shop', address: '1 Main Street' }),
  },
  interactive: {
    'header text of 60': buttons({ header: { type: 'text', text: x(60) } }),
    'header image by id': buttons({ header: { type: 'image', image: ANY } }),
    'header video by link': buttons({ header: { type: 'video', video: { link: LINK } } }),
    'header document by link': buttons({ header: { type: 'document', document: { link: LINK } } }),
    'list with header text': list([{ rows: rowsOf(1) }], { header: { type: 'text', text: x(60) } }),
    'one section without a title': sections({ rows: rowsOf(3) }),
    'equal row titles': sections({ rows: [row('a', { title: 'Same' }), row('b', { title: 'Same' })] }),
    'other interactive types pass through': other('product', { action: { catalog_id: '1', later: [1] } }),
    'other interactive types without body': other('catalog_message', { body: undefined }),
  },
  template: {
    'component types header, body': template('greeting', [{ type: 'header' }, { type: 'body' }]),
    'button (sub_type, index number)': component({ type: 'button', sub_type: 'url', index: 0 }),
    'button (sub_type, index string)': component({ type: 'button', sub_type: 'quick_reply', index: '1' }),
    'other components pass through': component({ type: 'carousel', cards: [{ card_index: 0 }] }),
    'parameter type text': parameter({ type: 'text', text: 'Ana' }),
    'parameter type currency': parameter({ type: 'currency', currency: { amount_1000: 1 } }),
    'parameter type date_time': parameter({ type: 'date_time', date_time: { fallback_value: 'May' } }),
    'parameter type image': parameter({ type: 'image', image: ANY }),
    'parameter type video': parameter({ type: 'video', video: ANY }),
    'parameter type document': parameter({ type: 'document', document: ANY }),
    'parameter type location': parameter({ type: 'location', location: { latitude: '1', longitude: '2' } }),
    'parameter type payload': parameter({ type: 'payload', payload: 'a' }),
    'parameter type coupon_code': parameter({ type: 'coupon_code', coupon_code: 'SAVE' }),
    'parameter type action': parameter({ type: 'action', action: { flow_token: 'a' } }),
    'parameter_name for named templates': parameter({ type: 'text', parameter_name: 'name', text: 'Ana' }),
  },
  context: { '{message_id} passes': image({ context: { message_id: 'wamid.1' } }) },
  biz_opaque_callback_data: { '≤ 512': image({ biz_opaque_callback_data: x(512) }) },
  'empty optional parts': {
    'caption: null': media('image', { ...ANY, caption: null }),
    'caption: ""': media('image', { ...ANY, caption: '' }),
    'components: []': template('greeting', []),
    'no recipient_type': image(),
    'language.policy': message('template', {
      name: 'greeting',
      language: { code: 'en_US', policy: 'deterministic' },
    }),
    'preview_url: false': message('text', { body: 'Hello', preview_url: false }),
  },
  'other top-level fields': {
    'pass through untouched': image({ later: { list: [1, null, 'x'] }, category: 'utility', x: null }),
  },
};

/** What does not: the field that is named, and upstream’s integer. */
const REFUSED: Record<string, Record<string, [Json, string, (100 | 131008 | 131009 | 131051)?]>> = {
  to: {
    'no digits': [image({ to: '+' }), 'to'],
    letters: [image({ to: '1650555CALL' }), 'to'],
    'a user id in small letters': [image({ to: 'us.1' }), 'to'],
    'a user id of 129': [image({ to: `US.${x(129)}` }), 'to'],
    'a phone number in recipient': [image({ to: undefined, recipient: CONTACT }), 'recipient'],
    'neither to nor recipient': [image({ to: undefined }), 'to', 100],
  },
  type: {
    'Missing → 400': [{ to: CONTACT, text: { body: 'Hello' } }, 'type', 100],
    'unknown → 400': [message('order', {}), 'type', 131051],
  },
  'image, video, audio, document, sticker': {
    'neither id nor link': [media('image', {}), 'image', 131008],
    'both id and link': [media('video', { ...ANY, link: LINK }), 'video'],
    'link of another scheme': [media('image', { link: 'ftp://files.example/file' }), 'image.link'],
    'link with a space': [media('image', { link: 'https://files.example/a b' }), 'image.link'],
    'caption of 1025': [media('image', { ...ANY, caption: x(1025) }), 'image.caption'],
    'caption of 1025 on document': [media('document', { ...ANY, caption: x(1025) }), 'document.caption'],
    'caption on audio': [media('audio', { ...ANY, caption: 'Listen' }), 'audio.caption'],
    'caption on sticker': [media('sticker', { ...ANY, caption: 'Look' }), 'sticker.caption'],
    'voice that is no yes or no': [media('audio', { ...ANY, voice: 'yes' }), 'audio.voice'],
  },
  location: {
    'latitude 90.1': [place(90.1, 0), 'location.latitude'],
    'latitude -90.1': [place(-90.1, 0), 'location.latitude'],
    'longitude 180.1': [place(0, 180.1), 'location.longitude'],
    'longitude -180.1': [place(0, -180.1), 'location.longitude'],
    'latitude "90.1"': [place('90.1', 0), 'location.latitude'],
    'longitude "-180.1"': [place(0, '-180.1'), 'location.longitude'],
    'latitude "north"': [place('north', 0), 'location.latitude'],
    'no latitude': [place(undefined, 0), 'location.latitude', 131008],
    'no longitude': [place(0, undefined), 'location.longitude', 131008],
  },
  interactive: {
    'header text of 61': [buttons({ header: { type: 'text', text: x(61) } }), 'interactive.header.text'],
    'header media without id or link': [
      buttons({ header: { type: 'image', image: {} } }),
      'interactive.header.image',
      131008,
    ],
    'header media with both': [
      buttons({ header: { type: 'image', image: { ...ANY, link: LINK } } }),
      'interactive.header.image',
    ],
    'list with header media (list: text only)': [
      list([{ rows: rowsOf(1) }], { header: { type: 'image', image: ANY } }),
      'interactive.header.type',
    ],
    'equal button titles': [
      pair(button('a', 'Same'), button('b', 'Same')),
      'interactive.action.buttons[1].reply.title',
    ],
    'equal button ids': [
      pair(button('same', 'A'), button('same', 'B')),
      'interactive.action.buttons[1].reply.id',
    ],
    'no section title where there are several': [
      sections({ title: 'One', rows: rowsOf(1) }, { rows: rowsOf(1, 1) }),
      `${SECTIONS}[1].title`,
      131008,
    ],
    'equal row ids in one section': [sections({ rows: [row('a'), row('a')] }), `${SECTIONS}[0].rows[1].id`],
    'equal row ids in two sections': [
      sections({ title: 'One', rows: [row('a')] }, { title: 'Two', rows: [row('a')] }),
      `${SECTIONS}[1].rows[0].id`,
    ],
    'other interactive types: body of 1025': [
      other('product', { body: { text: x(1025) } }),
      'interactive.body.text',
    ],
    'other interactive types: footer of 61': [
      other('product', { footer: { text: x(61) } }),
      'interactive.footer.text',
    ],
  },
  template: {
    'no name': [message('template', { language: { code: 'en_US' } }), 'template.name', 131008],
    'no language.code': [
      message('template', { name: 'greeting', language: {} }),
      'template.language.code',
      131008,
    ],
    'button without sub_type': [component({ type: 'button', index: 0 }), `${COMPONENT}.sub_type`, 131008],
    'button without index': [component({ type: 'button', sub_type: 'url' }), `${COMPONENT}.index`, 131008],
    'button index "first"': [
      component({ type: 'button', sub_type: 'url', index: 'first' }),
      `${COMPONENT}.index`,
    ],
    'button index -1': [component({ type: 'button', sub_type: 'url', index: -1 }), `${COMPONENT}.index`],
    'text without its value': [parameter({ type: 'text' }), `${PARAMETER}.text`, 131008],
    'currency that is no object': [
      parameter({ type: 'currency', currency: '1 USD' }),
      `${PARAMETER}.currency`,
    ],
  },
  context: {
    'without message_id': [image({ context: {} }), 'context.message_id', 131008],
    'no object': [image({ context: 'wamid.1' }), 'context'],
  },
  biz_opaque_callback_data: {
    513: [image({ biz_opaque_callback_data: x(513) }), 'biz_opaque_callback_data'],
  },
  'mark as read': {
    'another status': [{ status: 'delivered', message_id: 'wamid.1' }, 'status'],
    'without message_id': [{ status: 'read' }, 'message_id', 100],
    'another typing_indicator': [
      { status: 'read', message_id: 'wamid.1', typing_indicator: { type: 'audio' } },
      'typing_indicator.type',
    ],
  },
};

const tableOf = <T>(table: Record<string, Record<string, T>>): [string, string, T][] =>
  Object.entries(table).flatMap(([part, rules]) =>
    Object.entries(rules).map(([rule, value]): [string, string, T] => [part, rule, value]),
  );

onEachDatabase(
  'Request rules beyond the specification',
  (world) => {
    test.each(tableOf(PASSES))('%s passes: %s', async (_part, _rule, body) => {
      const forwarded = await passes(world, body);
      expect(forwarded).toEqual(JSON.parse(JSON.stringify({ ...body, messaging_product: 'whatsapp' })));
    });

    test.each(tableOf(REFUSED))('%s is refused: %s', async (_part, _rule, [body, path, code]) => {
      await refusesField(world, body, path, code);
    });

    test.each([
      ['5511987654321', '5511987654321'],
      ['+5511987654321', '5511987654321'],
      ['005511987654321', '5511987654321'],
      ['00 55 (11) 98765-4321', '5511987654321'],
      ['0055123', '0055123'],
      ['+55 (11) 98765-4321', '5511987654321'],
      [' 55 11 98765 4321 ', '5511987654321'],
    ])(
      'to | digits with country code; +, spaces, -, (, ) are accepted and normalised to digits; forwarded as digits; echoed as given in contacts[].input. %s',
      async (to, digits) => {
        const { status, body } = await world.line.send(image({ to }));
        expect([status, body.contacts]).toEqual([200, [{ input: to, wa_id: digits }]]);
        expect(JSON.parse(world.line.sent()[0] ?? '').to).toBe(digits);
      },
    );

    test.each([
      ['to', 'US.13491208655302741918'],
      ['to', `BR.${x(128)}`],
      ['recipient', 'US.A.b.9'],
    ])('An upstream user id, there or in recipient, passes untouched. %s %s', async (field, id) => {
      const forwarded = await passes(world, image({ to: undefined, [field]: id }));
      expect(forwarded).toMatchObject({ [field]: id });
    });

    test.each([
      ['{messaging_product, status: "read", message_id}', {}],
      ['optionally typing_indicator: {type: "text"}', { typing_indicator: { type: 'text' } }],
    ])('mark as read | %s: no to, no type; answers {"success": true}', async (_rule, more) => {
      const mark = { messaging_product: 'chat', status: 'read', message_id: 'wamid.1', ...more };
      const reply = await world.line.send(mark);
      expect([reply.status, reply.text]).toEqual([200, '{"success":true}']);
      expect(world.line.sent().map((text) => JSON.parse(text))).toEqual([
        { ...mark, messaging_product: 'whatsapp' },
      ]);
    });

    test('size | body ≤ 1 MB', async () => {
      const body = (bytes: number) => {
        const empty = JSON.stringify(image({ padding: '' }));
        return JSON.stringify(image({ padding: x(bytes - empty.length) }));
      };
      expect((await world.line.send(body(1024 * 1024))).status).toBe(200);
      const reply = await world.line.send(body(1024 * 1024 + 1));
      refuses(world, reply, 413, 'payload_too_large', 100, 1);
    });

    test('size | strings are counted in characters as a person counts code points', async () => {
      const titled = (title: string) => buttons({ action: { buttons: [button('yes', title)] } });
      await passes(world, titled('😀'.repeat(20)));
      await refusesField(world, titled('😀'.repeat(21)), 'interactive.action.buttons[0].reply.title');
      await passes(world, buttons({ header: { type: 'text', text: '😀'.repeat(60) } }));
      await refusesField(
        world,
        buttons({ header: { type: 'text', text: '😀'.repeat(61) } }),
        'interactive.header.text',
      );
    });
  },
  { line: WITHOUT_WINDOW },
);
