import {
  ask,
  button,
  buttons,
  list,
  message,
  onEachDatabase,
  passes,
  post,
  refusesField,
  row,
  rowsOf,
  template,
  values,
  WITHOUT_WINDOW,
} from './support';

const LINK = 'https://files.example/file';
const ANY = { id: '2762702990552401' };
/** A message that passes, for each type. */
const OF_TYPE: Record<string, object> = {
  template: template('greeting'),
  text: message('text', { body: 'Hello' }),
  image: message('image', ANY),
  video: message('video', ANY),
  audio: message('audio', ANY),
  document: message('document', ANY),
  location: message('location', { latitude: 37.44, longitude: -122.16 }),
  interactive: buttons(),
};
const without = (body: object, field: string): object =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
const text = (more: object) => message('text', { body: 'Hello', ...more });
const header = (value: object) => buttons({ header: value });
const one = (title: string, id = 'yes') => buttons({ action: { buttons: [button(id, title)] } });

onEachDatabase(
  'Resources and their fields',
  (world) => {
    describe('Line addressing', () => {
      test('tid | string (path parameter) | The line’s upstream Phone Number ID, or the line’s internal id.', async () => {
        for (const tid of [world.line.phoneNumberId, world.line.id]) {
          const reply = await post(world, `/v22.0/${tid}/messages`, OF_TYPE.image ?? {});
          expect([reply.status, reply.body.gateway.line]).toEqual([200, world.line.id]);
        }
        expect((await ask(world, `/v22.0/${world.line.id}0/status`)).status).toBe(401);
      });
    });

    describe('Message request (body of the send operation)', () => {
      test('messaging_product | string | required per the base-field table | Constant product word, written chat.', async () => {
        expect(await passes(world, message('image', ANY, { messaging_product: 'chat' }))).toMatchObject({
          messaging_product: 'whatsapp',
        });
        await refusesField(world, message('image', ANY, { messaging_product: 'mail' }), 'messaging_product');
      });

      test('messaging_product | The formal request schema lists only to and type as required.', async () => {
        expect(await passes(world, without(message('image', ANY), 'messaging_product'))).toMatchObject({
          messaging_product: 'whatsapp',
        });
      });

      test('to | string | required | Destination number in E.164 format without a leading plus sign.', async () => {
        await refusesField(world, without(message('image', ANY), 'to'), 'to', 100);
        await refusesField(world, message('image', ANY, { to: 16505551234 }), 'to');
        await refusesField(world, message('image', ANY, { to: 'Ana' }), 'to');
        expect(await passes(world, message('image', ANY, { to: '5511987654321' }))).toMatchObject({
          to: '5511987654321',
        });
      });

      test.each(Object.keys(OF_TYPE))(
        'type | string | required | One of: template, text, image, video, audio, document, location, interactive. %s',
        async (type) => {
          expect(await passes(world, OF_TYPE[type] ?? {})).toEqual({
            ...OF_TYPE[type],
            messaging_product: 'whatsapp',
          });
        },
      );

      test('type | required: without it, with another word and with another kind of value nothing is sent', async () => {
        const body = OF_TYPE.image ?? {};
        await refusesField(world, without(body, 'type'), 'type', 100);
        await refusesField(world, { ...body, type: 'poll' }, 'type', 131051);
        await refusesField(world, { ...body, type: 7 }, 'type', 131051);
      });

      test('recipient_type | string | optional | Default individual.', async () => {
        expect(await passes(world, message('image', ANY))).not.toHaveProperty('recipient_type', 'group');
        const given = message('image', ANY, { recipient_type: 'individual' });
        expect(await passes(world, given)).toMatchObject({ recipient_type: 'individual' });
        await refusesField(world, { ...given, recipient_type: 1 }, 'recipient_type');
      });

      test.each([
        ['text', 'text | object | required when type = text'],
        ['template', 'template | object | required when type = template'],
        ['document', 'document | object | required when type = document'],
        ['image', 'image, video, audio | object | required when the type has the same name'],
        ['video', 'image, video, audio | object | required when the type has the same name'],
        ['audio', 'image, video, audio | object | required when the type has the same name'],
        ['location', 'location | object | required when type = location'],
        ['interactive', 'interactive | object | required when type = interactive'],
      ])('Each type value requires its like-named object next to the base fields: %s (%s)', async (type) => {
        const body = OF_TYPE[type] ?? {};
        await refusesField(world, without(body, type), type, 100);
        await refusesField(world, { ...body, [type]: 'Hello' }, type);
        await refusesField(world, { ...without(body, type), other: ANY }, type, 100);
      });
    });

    describe('text object', () => {
      test('body | string | required | Maximum 4096 characters. Emojis and chat formatting allowed. (text.body length | send, type text | 4096 characters)', async () => {
        await refusesField(world, message('text', {}), 'text.body', 131008);
        await refusesField(world, text({ body: '' }), 'text.body');
        await refusesField(world, text({ body: 7 }), 'text.body');
        await refusesField(world, text({ body: 'x'.repeat(4097) }), 'text.body');
        await passes(world, text({ body: 'x'.repeat(4096) }));
        await passes(world, text({ body: '😀'.repeat(4096) }));
      });

      test('preview_url | boolean | optional | When true and body holds a URL, a link preview is generated.', async () => {
        const withLink = text({ body: `See ${LINK}`, preview_url: true });
        await refusesField(world, text({ preview_url: 'true' }), 'text.preview_url');
        expect((await passes(world, withLink)).text).toEqual({ body: `See ${LINK}`, preview_url: true });
        await passes(world, text({ preview_url: false }));
        await passes(world, text({}));
      });

      test.each([
        ['*text* | bold', '*text*'],
        ['_text_ | italic', '_text_'],
        ['~text~ | strikethrough', '~text~'],
        ['three backticks around text | monospace', '```text```'],
        ['\\n | line break', 'one\ntwo'],
      ])('Formatting syntax inside body: %s', async (_row, body) => {
        expect((await passes(world, text({ body }))).text.body).toBe(body);
      });
    });

    describe('template object', () => {
      test('name | string | Name of a registered template.', async () => {
        await refusesField(world, message('template', { language: { code: 'en' } }), 'template.name', 131008);
        await refusesField(
          world,
          message('template', { name: 7, language: { code: 'en' } }),
          'template.name',
        );
        expect((await passes(world, template('greeting'))).template.name).toBe('greeting');
      });

      test('language | object | Has code (string, language code).', async () => {
        await refusesField(world, message('template', { name: 'greeting' }), 'template.language', 131008);
        const coded = (language: unknown) => message('template', { name: 'greeting', language });
        await refusesField(world, coded({}), 'template.language.code', 131008);
        await refusesField(world, coded('pt_BR'), 'template.language');
        await refusesField(world, coded({ code: 7 }), 'template.language.code');
        expect((await passes(world, coded({ code: 'pt_BR' }))).template.language).toEqual({ code: 'pt_BR' });
      });

      test('components | array of objects | Each has type (string; body is the type shown) and parameters (array of objects, each with type string, text being the type shown, and text string). Parameters fill the body variables positionally.', async () => {
        const components = (...given: unknown[]) => template('greeting', given as object[]);
        const at = 'template.components[0]';
        await refusesField(world, components('body'), at);
        await refusesField(world, components({ parameters: [] }), `${at}.type`, 131008);
        await refusesField(world, components({ type: 'body', parameters: {} }), `${at}.parameters`);
        const parameter = (given: object) => components({ type: 'body', parameters: [given] });
        await refusesField(world, parameter({ text: 'Ana' }), `${at}.parameters[0].type`, 131008);
        await refusesField(world, parameter({ type: 'text' }), `${at}.parameters[0].text`, 131008);
        await refusesField(world, parameter({ type: 'text', text: {} }), `${at}.parameters[0].text`);
        const sent = await passes(world, components(values('body', 'Ana', '7')));
        expect(sent.template.components).toEqual([values('body', 'Ana', '7')]);
      });
    });

    describe('document object', () => {
      test('link | string | Publicly reachable URL of the file.', async () => {
        await refusesField(world, message('document', { link: 'file.pdf' }), 'document.link');
        await refusesField(world, message('document', { link: 7 }), 'document.link');
        expect((await passes(world, message('document', { link: LINK }))).document.link).toBe(LINK);
      });

      test('filename | string | File name shown to the recipient.', async () => {
        await refusesField(world, message('document', { link: LINK, filename: 7 }), 'document.filename');
        const sent = await passes(world, message('document', { link: LINK, filename: 'Invoice 7.pdf' }));
        expect(sent.document.filename).toBe('Invoice 7.pdf');
      });

      test('caption | string | Caption text.', async () => {
        await refusesField(world, message('document', { link: LINK, caption: 7 }), 'document.caption');
        const sent = await passes(world, message('document', { link: LINK, caption: 'Your invoice' }));
        expect(sent.document.caption).toBe('Your invoice');
      });
    });

    describe('interactive object, type button (quick replies)', () => {
      test('type | string | required | Constant button.', async () => {
        await refusesField(world, buttons({ type: undefined }), 'interactive.type', 131008);
        await refusesField(world, buttons({ type: 7 }), 'interactive.type');
        expect((await passes(world, buttons())).interactive.type).toBe('button');
      });

      test('header | object | optional | Text, image, video or document header. For text: type = text and text string.', async () => {
        await refusesField(world, header({ type: 'text' }), 'interactive.header.text', 131008);
        await refusesField(world, header({ text: 'Order' }), 'interactive.header.type', 131008);
        await refusesField(world, header({ type: 'audio', audio: ANY }), 'interactive.header.type');
        await passes(world, header({ type: 'text', text: 'Order' }));
        for (const kind of ['image', 'video', 'document'])
          await passes(world, header({ type: kind, [kind]: { link: LINK } }));
      });

      test('body.text | string | required | Maximum 1024 characters. (body.text | interactive | up to 1024 characters)', async () => {
        await refusesField(world, buttons({ body: undefined }), 'interactive.body', 131008);
        await refusesField(world, buttons({ body: {} }), 'interactive.body.text', 131008);
        await refusesField(world, buttons({ body: { text: 'x'.repeat(1025) } }), 'interactive.body.text');
        await passes(world, buttons({ body: { text: 'x'.repeat(1024) } }));
      });

      test('footer.text | string | optional | Maximum 60 characters. (footer.text | interactive | up to 60 characters)', async () => {
        await refusesField(world, buttons({ footer: { text: 'x'.repeat(61) } }), 'interactive.footer.text');
        await passes(world, buttons({ footer: { text: 'x'.repeat(60) } }));
        await passes(world, buttons());
      });

      test('action.buttons | array | required | 1 to 3 items. Each item: type = reply and reply object with id (string, maximum 256 characters) and title (string, maximum 20 characters).', async () => {
        const made = (...given: unknown[]) => buttons({ action: { buttons: given } });
        const at = 'interactive.action.buttons';
        await refusesField(world, buttons({ action: undefined }), 'interactive.action', 131008);
        await refusesField(world, buttons({ action: {} }), at, 131008);
        await refusesField(world, made(), at);
        const four = ['a', 'b', 'c', 'd'].map((id) => button(id, id));
        await refusesField(world, made(...four), at);
        await refusesField(world, made({ reply: { id: 'a', title: 'a' } }), `${at}[0].type`, 131008);
        await refusesField(world, made({ type: 'url', reply: { id: 'a', title: 'a' } }), `${at}[0].type`);
        await refusesField(world, made({ type: 'reply' }), `${at}[0].reply`, 131008);
        await refusesField(world, one('Yes', 'x'.repeat(257)), `${at}[0].reply.id`);
        await refusesField(world, one('x'.repeat(21)), `${at}[0].reply.title`);
        await passes(world, one('x'.repeat(20), 'x'.repeat(256)));
        await passes(world, made(...four.slice(1)));
      });
    });

    describe('interactive object, type list', () => {
      const sections = 'interactive.action.sections';
      const ofRow = (more: object) => list([{ rows: [row('0', more)] }]);

      test('type | string | required | Constant list.', async () => {
        await refusesField(world, list([{ rows: rowsOf(1) }], { type: null }), 'interactive.type');
        expect((await passes(world, list([{ rows: rowsOf(1) }]))).interactive.type).toBe('list');
      });

      test('header, body.text, footer.text | as for button | as for button | Same rules as for the button kind; the shown header is type text.', async () => {
        const around = (more: object) => list([{ rows: rowsOf(1) }], more);
        await refusesField(world, around({ header: { type: 'text' } }), 'interactive.header.text', 131008);
        await refusesField(world, around({ body: undefined }), 'interactive.body', 131008);
        await refusesField(world, around({ body: { text: 'x'.repeat(1025) } }), 'interactive.body.text');
        await refusesField(world, around({ footer: { text: 'x'.repeat(61) } }), 'interactive.footer.text');
        await passes(
          world,
          around({
            header: { type: 'text', text: 'Menu' },
            body: { text: 'x'.repeat(1024) },
            footer: { text: 'x'.repeat(60) },
          }),
        );
      });

      test('action.button | string | required | Label of the button that opens the list. Maximum 20 characters.', async () => {
        const path = 'interactive.action.button';
        const unlabelled = list([], { action: { sections: [{ rows: rowsOf(1) }] } });
        await refusesField(world, unlabelled, path, 131008);
        await refusesField(world, list([{ rows: rowsOf(1) }], {}, 'x'.repeat(21)), path);
        await passes(world, list([{ rows: rowsOf(1) }], {}, 'x'.repeat(20)));
      });

      test('action.sections | array | required | 1 to 10 sections. (List sections | interactive list | 1 to 10)', async () => {
        const made = (count: number) =>
          list(Array.from({ length: count }, (_, index) => ({ title: `${index}`, rows: rowsOf(1, index) })));
        await refusesField(world, list([], { action: { button: 'Choose' } }), sections, 131008);
        await refusesField(world, made(0), sections);
        await refusesField(world, made(11), sections);
        await passes(world, made(1));
        await passes(world, made(10));
      });

      test('sections[].title | string | optional | Maximum 24 characters. (Section title, list button label | interactive list | 24 and 20 characters)', async () => {
        const titled = (title: unknown) => list([{ title, rows: rowsOf(1) }]);
        await refusesField(world, titled('x'.repeat(25)), `${sections}[0].title`);
        await refusesField(world, titled(7), `${sections}[0].title`);
        await passes(world, titled('x'.repeat(24)));
        await passes(world, titled(undefined));
      });

      test('sections[].rows | array | required | Selectable rows. At most 10 rows in total across all sections. (List rows | interactive list | at most 10 in total across sections)', async () => {
        const two = (first: number, second: number) =>
          list([
            { title: 'One', rows: rowsOf(first) },
            { title: 'Two', rows: rowsOf(second, first) },
          ]);
        await refusesField(world, list([{}]), `${sections}[0].rows`, 131008);
        await refusesField(world, list([{ rows: [] }]), `${sections}[0].rows`);
        await refusesField(world, list([{ rows: rowsOf(11) }]), sections);
        await refusesField(world, two(5, 6), sections);
        await passes(world, two(5, 5));
        await passes(world, list([{ rows: rowsOf(10) }]));
      });

      test('rows[].id | string | required | Maximum 200 characters. Returned in the inbound event. (List rows | interactive list | id up to 200, title up to 24, description up to 72 characters)', async () => {
        await refusesField(world, ofRow({ id: undefined }), `${sections}[0].rows[0].id`, 131008);
        await refusesField(world, ofRow({ id: 'x'.repeat(201) }), `${sections}[0].rows[0].id`);
        const id = 'x'.repeat(200);
        expect((await passes(world, ofRow({ id }))).interactive.action.sections[0].rows[0].id).toBe(id);
      });

      test('rows[].title | string | required | Maximum 24 characters.', async () => {
        await refusesField(world, ofRow({ title: undefined }), `${sections}[0].rows[0].title`, 131008);
        await refusesField(world, ofRow({ title: 'x'.repeat(25) }), `${sections}[0].rows[0].title`);
        await passes(world, ofRow({ title: 'x'.repeat(24) }));
      });

      test('rows[].description | string | optional | Maximum 72 characters.', async () => {
        await refusesField(
          world,
          ofRow({ description: 'x'.repeat(73) }),
          `${sections}[0].rows[0].description`,
        );
        await passes(world, ofRow({ description: 'x'.repeat(72) }));
        await passes(world, ofRow({ description: undefined }));
      });
    });
  },
  { line: WITHOUT_WINDOW },
);
