import { CONTACT, textTo } from '../../support/scene';
import {
  askedForStatus,
  askedForTemplates,
  button,
  buttons,
  HOUR,
  list,
  message,
  onEachDatabase,
  passes,
  refuses,
  refusesField,
  row,
  rowsOf,
  SECOND,
  synced,
  upstreamTemplate,
  WITHOUT_WINDOW,
} from './support';

const x = (length: number) => 'x'.repeat(length);
const quickReplies = (count: number) => {
  const made = Array.from({ length: count }, (_, index) => button(`${index}`, `Title ${index}`));
  return buttons({ action: { buttons: made } });
};
const quickReply = (id: string, title: string) => buttons({ action: { buttons: [button(id, title)] } });
const titled = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ title: `Section ${index}`, rows: rowsOf(1, index) }));
const ofRow = (more: object) => list([{ rows: [row('0', more)] }]);
const twoSections = (first: number, second: number) =>
  list([
    { title: 'One', rows: rowsOf(first) },
    { title: 'Two', rows: rowsOf(second, first) },
  ]);
const SECTIONS = 'interactive.action.sections';
const BUTTONS = 'interactive.action.buttons';

onEachDatabase(
  'Limits',
  (world) => {
    /** The last value that passes, the first that does not, and the field that is named then. */
    test.each<[string, object, object, string]>([
      [
        'text.body length | send, type text | 4096 characters',
        message('text', { body: x(4096) }),
        message('text', { body: x(4097) }),
        'text.body',
      ],
      [
        'text.body length | send, type text | 4096 characters (each a person’s, beyond 16 bits)',
        message('text', { body: '😀'.repeat(4096) }),
        message('text', { body: '😀'.repeat(4097) }),
        'text.body',
      ],
      ['Buttons | interactive button | 1 to 3 (least)', quickReplies(1), quickReplies(0), BUTTONS],
      ['Buttons | interactive button | 1 to 3 (most)', quickReplies(3), quickReplies(4), BUTTONS],
      [
        'Buttons | interactive button | id up to 256 characters',
        quickReply(x(256), 'Yes'),
        quickReply(x(257), 'Yes'),
        `${BUTTONS}[0].reply.id`,
      ],
      [
        'Buttons | interactive button | title up to 20 characters',
        quickReply('yes', x(20)),
        quickReply('yes', x(21)),
        `${BUTTONS}[0].reply.title`,
      ],
      [
        'body.text | interactive | up to 1024 characters (button)',
        buttons({ body: { text: x(1024) } }),
        buttons({ body: { text: x(1025) } }),
        'interactive.body.text',
      ],
      [
        'body.text | interactive | up to 1024 characters (list)',
        list([{ rows: rowsOf(1) }], { body: { text: x(1024) } }),
        list([{ rows: rowsOf(1) }], { body: { text: x(1025) } }),
        'interactive.body.text',
      ],
      [
        'footer.text | interactive | up to 60 characters (button)',
        buttons({ footer: { text: x(60) } }),
        buttons({ footer: { text: x(61) } }),
        'interactive.footer.text',
      ],
      [
        'footer.text | interactive | up to 60 characters (list)',
        list([{ rows: rowsOf(1) }], { footer: { text: x(60) } }),
        list([{ rows: rowsOf(1) }], { footer: { text: x(61) } }),
        'interactive.footer.text',
      ],
      ['List sections | interactive list | 1 to 10 (least)', list(titled(1)), list(titled(0)), SECTIONS],
      ['List sections | interactive list | 1 to 10 (most)', list(titled(10)), list(titled(11)), SECTIONS],
      [
        'List rows | interactive list | at most 10 in total across sections',
        twoSections(9, 1),
        twoSections(9, 2),
        SECTIONS,
      ],
      [
        'List rows | interactive list | id up to 200 characters',
        ofRow({ id: x(200) }),
        ofRow({ id: x(201) }),
        `${SECTIONS}[0].rows[0].id`,
      ],
      [
        'List rows | interactive list | title up to 24 characters',
        ofRow({ title: x(24) }),
        ofRow({ title: x(25) }),
        `${SECTIONS}[0].rows[0].title`,
      ],
      [
        'List rows | interactive list | description up to 72 characters',
        ofRow({ description: x(72) }),
        ofRow({ description: x(73) }),
        `${SECTIONS}[0].rows[0].description`,
      ],
      [
        'Section title, list button label | interactive list | 24 and 20 characters (section title)',
        list([{ title: x(24), rows: rowsOf(1) }]),
        list([{ title: x(25), rows: rowsOf(1) }]),
        `${SECTIONS}[0].title`,
      ],
      [
        'Section title, list button label | interactive list | 24 and 20 characters (list button label)',
        list([{ rows: rowsOf(1) }], {}, x(20)),
        list([{ rows: rowsOf(1) }], {}, x(21)),
        'interactive.action.button',
      ],
    ])('%s', async (_row, last, first, path) => {
      await passes(world, last);
      await refusesField(world, first, path);
    });

    test('limit | templates | 1 to 500, default 200', async () => {
      await synced(
        world,
        ...Array.from({ length: 500 }, (_, index) => upstreamTemplate(`t_${String(index)}`)),
      );
      const count = async (query: string) => (await world.line.get(`/templates${query}`)).body.count;
      expect([await count(''), await count('?limit=1'), await count('?limit=500')]).toEqual([200, 1, 500]);
      for (const beyond of [0, 501])
        refuses(world, await world.line.get(`/templates?limit=${beyond}`), 400, 'invalid_query', 100);
    });

    test.each(['templates', 'status'])(
      'refresh cooldown | templates, status | 60 seconds between refreshes (Cloud API lines only). %s',
      async (operation) => {
        const asked = () => (operation === 'status' ? askedForStatus(world) : askedForTemplates(world));
        await world.line.get(`/${operation}?refresh=1`);
        world.scene.clock.now += 60 * SECOND - 1;
        await world.line.get(`/${operation}?refresh=1`);
        expect(asked()).toHaveLength(1);
        world.scene.clock.now += 1;
        await world.line.get(`/${operation}?refresh=1`);
        expect(asked()).toHaveLength(2);
      },
    );
  },
  { line: WITHOUT_WINDOW },
);

onEachDatabase('Limits', (world) => {
  test('Free-form text window | send, type text | Recipient must have written within the last 24 hours', async () => {
    await world.line.wrote(CONTACT, 0);
    world.scene.clock.now += 24 * HOUR - 1;
    await passes(world, textTo(CONTACT));
    world.scene.clock.now += 1;
    refuses(world, await world.line.send(textTo(CONTACT)), 400, 'outside_24h_window', 131047, 1);
  });
});
