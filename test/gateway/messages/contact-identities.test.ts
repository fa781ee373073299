import { DATABASES } from '../../support/databases';
import { rows } from '../../support/rows';
import {
  CONTACT,
  expectRefusal,
  imageTo,
  freshLineOf,
  sceneOf,
  startScene,
  textTo,
} from '../../support/scene';
import { notification, notify, startTestGateway } from '../../support/test-gateway';

const USER = 'US.13491208655302741918';
const PARENT = 'US.ENT.11815799212886844830';
const HOUR = 60 * 60 * 1000;

describe.each(DATABASES)('the window of one contact ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = freshLineOf(scene);
  let told = 0;

  const timestamp = (ahead = 0) => String(Math.floor((scene.clock.now + ahead) / 1000));
  const tell = async (value: object, field = 'messages') => {
    const body = notification(value, line.phoneNumberId) as { entry: { changes: { field: string }[] }[] };
    for (const change of body.entry[0]?.changes ?? []) change.field = field;
    expect(await notify(scene.gateway, body)).toBe(200);
  };
  const message = (more: object) => ({
    id: `wamid.identities.${++told}`,
    timestamp: timestamp(),
    type: 'text',
    text: { body: 'Hi' },
    ...more,
  });
  const isOpen = async (to: string): Promise<boolean> => {
    const reply = await line.send(textTo(to));
    if (reply.status !== 200) expectRefusal(reply, 400, 'outside_24h_window', 131047);
    return reply.status === 200;
  };
  const answering = (contacts: object[] | undefined, id = `wamid.answer.${++told}`) => {
    scene.upstream.answers.messages = () => ({ body: { contacts, messages: [{ id }] } });
  };
  afterEach(() => {
    scene.upstream.answers.messages = ({ body }) => {
      const { to } = JSON.parse(body) as { to?: string };
      return { body: { contacts: [{ input: to, wa_id: to }], messages: [{ id: `wamid.${++told}` }] } };
    };
  });

  describe('opens by a message for', () => {
    test('every identity that it carries', async () => {
      await tell({
        contacts: [{ wa_id: '16505550001', user_id: USER, parent_user_id: PARENT }],
        messages: [message({ from: CONTACT, from_user_id: USER })],
      });
      for (const identity of [CONTACT, '16505550001', USER, PARENT])
        expect([identity, await isOpen(identity)]).toEqual([identity, true]);
      const toUser = { type: 'text', text: { body: 'Hello' }, recipient: PARENT };
      expect((await line.send(toUser)).status).toBe(200);
    });

    test('the identities of whoever wrote, and for nobody else in the same notification', async () => {
      await tell({
        contacts: [
          { wa_id: CONTACT, user_id: USER },
          { wa_id: '16505550002', user_id: 'US.2', parent_user_id: PARENT },
        ],
        messages: [message({ from: CONTACT })],
      });
      expect([await isOpen(CONTACT), await isOpen(USER)]).toEqual([true, true]);
      for (const identity of ['16505550002', 'US.2', PARENT]) expect(await isOpen(identity)).toBe(false);
    });

    test('both, where an earlier message carried both and this one the user id alone', async () => {
      const both = { contacts: [{ wa_id: CONTACT, user_id: USER }] };
      const long = timestamp(-30 * HOUR);
      await tell({ ...both, messages: [message({ from: CONTACT, from_user_id: USER, timestamp: long })] });
      expect(await isOpen(CONTACT)).toBe(false);
      await tell({ contacts: [{ user_id: USER }], messages: [message({ from_user_id: USER })] });
      expect(await isOpen(CONTACT)).toBe(true);
    });

    test('a parent user id that stands in the message alone', async () => {
      await tell({ messages: [message({ from_user_id: USER, from_parent_user_id: PARENT })] });
      expect([await isOpen(USER), await isOpen(PARENT), await isOpen(CONTACT)]).toEqual([true, true, false]);
    });

    test.each([
      ['5511987654321', '551187654321'],
      ['551187654321', '5511987654321'],
      ['+52 1 55 1234 5678', '525512345678'],
      ['525512345678', '5215512345678'],
      ['+54 11 15-5874-9895', '5491158749895'],
      ['5491158749895', '541158749895'],
    ])('a number that customers write %s where upstream reports %s', async (written, reported) => {
      expect(await isOpen(written)).toBe(false);
      await tell({ contacts: [{ wa_id: reported }], messages: [message({ from: reported })] });
      expect(await isOpen(written)).toBe(true);
      expect(await isOpen(reported)).toBe(true);
    });
  });

  describe('the latest inbound event: of whatever kind.', () => {
    test.each([
      ['an interactive reply', { type: 'interactive', interactive: {} }],
      ['a reaction', { type: 'reaction', reaction: { message_id: 'wamid.1', emoji: '👍' } }],
      ['a button', { type: 'button', button: { text: 'Yes', payload: 'yes' } }],
      [
        'what the API cannot show',
        { type: 'unsupported', errors: [{ code: 131051, title: 'Message type unknown' }] },
      ],
      ['a message of a type that nobody knows', { type: 'hologram' }],
      ['a message without a type', { type: undefined }],
    ])('%s', async (_name, more) => {
      await tell({ messages: [message({ from: CONTACT, ...more })] });
      expect(await isOpen(CONTACT)).toBe(true);
    });

    test('a call to the line, answered or not', async () => {
      const call = {
        id: 'wacid.1',
        to: '15550783881',
        from: CONTACT,
        from_user_id: USER,
        event: 'connect',
        timestamp: timestamp(-HOUR),
        direction: 'USER_INITIATED',
      };
      await tell({ contacts: [{ wa_id: CONTACT }], calls: [call] }, 'calls');
      expect([await isOpen(CONTACT), await isOpen(USER)]).toEqual([true, true]);
      const { body } = await line.get(`/window/${CONTACT}`);
      expect(body.last_inbound_at).toBe(new Date(Number(call.timestamp) * 1000).toISOString());
    });

    test('a call that the contact accepts, but not one that only rings', async () => {
      const status = (state: string) => ({
        id: 'wacid.2',
        type: 'call',
        status: state,
        timestamp: timestamp(),
        recipient_id: CONTACT,
      });
      await tell({ statuses: [status('RINGING')] }, 'calls');
      await tell({ statuses: [status('REJECTED')] }, 'calls');
      const ours = { from: '15550783881', to: CONTACT, event: 'connect', timestamp: timestamp() };
      await tell({ calls: [{ id: 'wacid.2', ...ours, direction: 'BUSINESS_INITIATED' }] }, 'calls');
      expect(await isOpen(CONTACT)).toBe(false);
      await tell({ statuses: [status('ACCEPTED')] }, 'calls');
      expect(await isOpen(CONTACT)).toBe(true);
    });
  });

  describe('is not opened by', () => {
    test('upstream’s own word that a number has changed', async () => {
      const system = { body: 'User changed', wa_id: '12195555358', type: 'user_changed_number' };
      await tell({ messages: [message({ from: CONTACT, type: 'system', system })] });
      expect([await isOpen(CONTACT), await isOpen('12195555358')]).toEqual([false, false]);
    });

    test('what the contact writes in a group', async () => {
      await tell({ messages: [message({ from: CONTACT, from_user_id: USER, group_id: 'Y2FwaV9ncm91cA' })] });
      expect([await isOpen(CONTACT), await isOpen(USER)]).toEqual([false, false]);
    });

    test('a status of a message, whatever identities it carries', async () => {
      await tell({
        contacts: [{ wa_id: CONTACT, user_id: USER }],
        statuses: [
          {
            id: 'wamid.status',
            status: 'read',
            timestamp: timestamp(),
            recipient_id: CONTACT,
            recipient_user_id: USER,
          },
        ],
      });
      expect([await isOpen(CONTACT), await isOpen(USER)]).toEqual([false, false]);
    });
  });

  describe('counts from the time that upstream gives, and', () => {
    test('where that is ahead of the clock here, from now', async () => {
      await tell({ messages: [message({ from: CONTACT, timestamp: timestamp(48 * HOUR) })] });
      expect(await isOpen(CONTACT)).toBe(true);
      scene.clock.now += 24 * HOUR;
      expect(await isOpen(CONTACT)).toBe(false);
    });

    test.each([
      ['none', undefined],
      ['null', null],
      ['a word', 'soon'],
      ['an object', {}],
      ['nothing written', ''],
      ['zero', '0'],
      ['less than that', -5],
      ['milliseconds', '1773144000000'],
      ['more than any number', '9'.repeat(400)],
    ])('where there is %s, from the arrival', async (_name, garbage) => {
      await tell({ messages: [message({ from: CONTACT, timestamp: garbage })] });
      expect(await isOpen(CONTACT)).toBe(true);
      scene.clock.now += 24 * HOUR;
      expect(await isOpen(CONTACT)).toBe(false);
    });
  });

  describe('whom upstream reports under another identity than the one he is addressed by', () => {
    const ADDRESSED = '16505550100';
    const REPORTED = '16505550199';

    test('is found once an answer has told so, also after a new start', async () => {
      await tell({ messages: [message({ from: REPORTED })] });
      expect(await isOpen(ADDRESSED)).toBe(false);
      answering([{ input: ADDRESSED, wa_id: REPORTED }]);
      expect((await line.send(imageTo('+1 650 555 0100'))).body.contacts).toEqual([
        { input: '+1 650 555 0100', wa_id: REPORTED },
      ]);
      expect(await isOpen(ADDRESSED)).toBe(true);
      expect((await line.get(`/window/${ADDRESSED}`)).body).toMatchObject({ contact: ADDRESSED, open: true });

      // Other lines are told nothing.
      expect((await (await scene.line()).send(textTo(ADDRESSED))).status).toBe(400);

      const { gateway, clock } = scene;
      await scene.stop();
      // For the tests that follow.
      Object.assign(scene, await startScene(await createUrl()));
      const again = await startTestGateway(gateway.env, () => clock.now);
      try {
        const written = Math.floor(clock.now / 1000) * 1000;
        expect(await again.windows.lastInboundAt(line.id, ADDRESSED)).toBe(written);
      } finally {
        await again.stop();
      }
    });

    test('is kept in one row, however often it is told, and none where both are the same', async () => {
      const aliases = () =>
        rows(
          scene.databaseUrl,
          `select contact, identity from aliases where line_id = ${line.id} order by identity`,
        );
      answering([{ input: ADDRESSED, wa_id: ADDRESSED }]);
      await line.send(imageTo(ADDRESSED));
      answering([{ input: '5511987654321', wa_id: '551187654321' }]);
      await line.send(imageTo('5511987654321'));
      answering(undefined);
      await line.send(imageTo(ADDRESSED));
      expect(await aliases()).toEqual([]);

      answering([{ input: ADDRESSED, wa_id: REPORTED, user_id: USER }]);
      await Promise.all(Array.from({ length: 5 }, () => line.send(imageTo(ADDRESSED))));
      await line.send(imageTo(ADDRESSED));
      expect(await aliases()).toEqual([
        { contact: ADDRESSED, identity: REPORTED },
        { contact: ADDRESSED, identity: USER },
      ]);
    });

    test('is told of each contact where an answer has several', async () => {
      answering([
        { input: ADDRESSED, wa_id: REPORTED },
        { input: '16505550101', wa_id: '16505550198' },
      ]);
      const { body } = await line.send(imageTo(`+${ADDRESSED}`));
      expect(body.contacts).toEqual([
        { input: `+${ADDRESSED}`, wa_id: REPORTED },
        { input: '16505550101', wa_id: '16505550198' },
      ]);
      await tell({ messages: [message({ from: '16505550198' })] });
      expect([await isOpen('16505550101'), await isOpen(ADDRESSED)]).toEqual([true, false]);
    });
  });
});
