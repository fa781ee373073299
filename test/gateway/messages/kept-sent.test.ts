import { clearWhatIsOld } from '../../../gateway/housekeeping/clear-old';
import { editLine } from '../../../gateway/lines/edit-line';
import { sentText } from '../../../gateway/cloud-api/sent-text';
import { DAY } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { rows } from '../../support/rows';
import { CONTACT, startScene, textTo, type Scene, type TestLine } from '../../support/scene';

const OTHER = '16505550123';

describe.each(DATABASES)('what is sent ($name)', ({ createUrl }) => {
  let scene: Scene;
  let line: TestLine;
  beforeEach(async () => {
    scene = await startScene(await createUrl());
    line = await scene.line();
    await line.wrote(CONTACT, 1);
    await line.wrote(OTHER, 1);
  });
  afterEach(() => scene.stop());

  const kept = async () =>
    (await rows(scene.databaseUrl, 'select body from sent_bodies')).map(({ body }) => sentText(String(body)));

  const keep = (keepsSent: boolean) =>
    scene.change(async (world) => {
      const row = await world.store.lines.find(line.id);
      const actor = { who: 'ana', through: 'command', address: null } as const;
      if (row) await editLine(world, actor, null, row, { keepsSent });
    });

  test('is kept from when the line says so until it says no, but for codes, and is cleared and forgotten', async () => {
    scene.upstream.answers.templates = () => ({
      body: {
        data: ['AUTHENTICATION', 'UTILITY'].map((category) => ({
          ...{ id: category, name: category.toLowerCase(), language: 'en_US', status: 'APPROVED', category },
          components: [{ type: 'BODY', text: 'Your code or order is {{1}}.' }],
        })),
      },
    });
    let count = 0;
    scene.upstream.answers.messages = ({ body }) => ({
      body: {
        messaging_product: 'whatsapp',
        contacts: [{ input: (JSON.parse(body) as { to: string }).to }],
        messages: [{ id: `wamid.${++count}` }],
      },
    });
    await line.get('/templates?refresh=1');
    const template = (name: string) => ({
      messaging_product: 'whatsapp',
      to: CONTACT,
      type: 'template',
      template: {
        name,
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: '4711' }] }],
      },
    });
    const send = async (body: object) => expect((await line.send(body)).status).toBe(200);

    await send(textTo(CONTACT, 'Before'));
    expect(await kept()).toEqual([]);
    await keep(true);
    await send(textTo(CONTACT, 'Hello'));
    await send(textTo(OTHER, `Call ${CONTACT}`));
    await send(textTo(OTHER, 'Other'));
    await send(template('authentication'));
    await send(template('utility'));
    expect((await kept()).toSorted()).toEqual(['Call 16505551234', 'Hello', 'Other', 'utility \u00b7 4711']);
    const named = await rows(
      scene.databaseUrl,
      "select template_name, template_language from messages where type = 'template' order by template_name",
    );
    expect(named.map((row) => Object.values(row).join(' '))).toEqual([
      'authentication en_US',
      'utility en_US',
    ]);
    const [entry] = await rows(scene.databaseUrl, "select details from audit where action = 'line.edited'");
    expect(String(entry?.details)).toContain('"what is sent is kept"');

    await scene.change(({ store }) =>
      store.traces.removeRest({ identities: [CONTACT], lines: 'all', countryOf: () => '??' }),
    );
    expect(await kept()).toEqual(['Other']);
    await keep(false);
    await send(textTo(OTHER, 'After'));
    expect(await kept()).toEqual(['Other']);
    scene.clock.now += 2 * DAY;
    const config = {
      GATEWAY_KEEP_BODIES: DAY,
      GATEWAY_KEEP_EVENTS: null,
      GATEWAY_KEEP_MESSAGES: null,
      GATEWAY_KEEP_CONTACTS: null,
      GATEWAY_KEEP_AUDIT: null,
    };
    await scene.change((world) => clearWhatIsOld({ ...world, goesOn: () => true, config }));
    expect(await kept()).toEqual([]);
  });
});
