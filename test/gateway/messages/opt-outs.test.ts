import { setOptOut, setOptOutWords } from '../../../gateway/messages/opt-outs';
import { USUAL_WORDS } from '../../../gateway/messages/opt-out-words';
import { lineOf } from '../../../gateway/lines/line';
import { commandActor } from '../../../gateway/cli/offline';
import { clearWhatIsOld } from '../../../gateway/housekeeping/clear-old';
import { DATABASES } from '../../support/databases';
import { CONTACT, expectRefusal, freshLineOf, imageTo, sceneOf, textTo } from '../../support/scene';
import { notification, notify, textFrom } from '../../support/test-gateway';

const DAY = 24 * 60 * 60 * 1000;

const KEPT_FOR_A_DAY = {
  GATEWAY_KEEP_BODIES: null,
  GATEWAY_KEEP_EVENTS: null,
  GATEWAY_KEEP_MESSAGES: null,
  GATEWAY_KEEP_CONTACTS: DAY,
  GATEWAY_KEEP_AUDIT: null,
};

describe.each(DATABASES)('the opt-out list of a line ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = freshLineOf(scene);
  let wamids = 0;

  beforeEach(() => useWords());

  const useWords = (words = USUAL_WORDS) =>
    scene.change((world) => setOptOutWords(world, commandActor(), { id: line.id, name: 'Test line' }, words));

  /** @param ago seconds */
  const writes = async (text: string, ago = 0, contact = CONTACT) => {
    const at = Math.floor(scene.clock.now / 1000) - ago;
    expect(await deliver(textFrom(contact, text, `wamid.said.${++wamids}`, at))).toBe(200);
  };
  const deliver = (value: object) => notify(scene.gateway, notification(value, line.phoneNumberId));

  const noted = (state: 'out' | 'back', contact: string) =>
    scene.change(async (world) => {
      const row = await world.store.lines.find(line.id);
      if (!row) throw new Error('no line');
      return setOptOut(world, commandActor(), lineOf(row, world.vault), contact, state);
    });
  const listed = () => scene.change(({ store }) => store.optOuts.page(line.id, '', 10));

  const expectOptedOut = async (message: object) => {
    const before = line.sent().length;
    const details = expectRefusal(await line.send(message), 403, 'contact_opted_out', 131050);
    expect(line.sent()).toHaveLength(before);
    return details;
  };

  test('takes a contact who writes such a word, refuses to send anything, and takes it off by another word', async () => {
    await writes('Sair!', 2);
    expect(await expectOptedOut(textTo(CONTACT))).toContain(`${CONTACT} wants no more messages`);
    await expectOptedOut(imageTo(`+${CONTACT}`));
    expect(await listed()).toEqual([
      {
        line_id: line.id,
        contact: CONTACT,
        state: 'out',
        at: new Date(scene.clock.now - 2000).toISOString(),
        word: 'SAIR',
      },
    ]);
    await writes('Voltar', 1);
    expect((await line.send(textTo(CONTACT))).status).toBe(200);
    expect(await listed()).toEqual([]);
  });

  test('takes the tap on a button that says it', async () => {
    const at = String(Math.floor(scene.clock.now / 1000));
    const tapped = {
      ...{ from: CONTACT, id: 'wamid.tapped', timestamp: at, type: 'button' },
      button: { text: 'Stop', payload: 'no-more' },
    };
    expect(await deliver({ contacts: [{ wa_id: CONTACT }], messages: [tapped] })).toBe(200);
    await expectOptedOut(textTo(CONTACT));
  });

  test('also refuses a number that is called a group', async () => {
    await writes('STOP');
    const toGroup = (to: string) => ({ ...imageTo(to), recipient_type: 'group' });
    for (const to of [CONTACT, `+${CONTACT}`]) await expectOptedOut(toGroup(to));
    expect((await line.send(toGroup('120363025246125486@g.us'))).status).toBe(200);
  });

  test.each(['Please stop by', 'ok', 'START'])('is left alone by %j', async (text) => {
    await writes(text);
    expect((await line.send(textTo(CONTACT))).status).toBe(200);
    expect(await listed()).toEqual([]);
  });

  test('does not listen before words are set, and keeps who is on it once there are none any more', async () => {
    const other = await scene.line();
    const said = textFrom(CONTACT, 'STOP', `wamid.said.${++wamids}`, Math.floor(scene.clock.now / 1000));
    expect(await notify(scene.gateway, notification(said, other.phoneNumberId))).toBe(200);
    expect((await other.send(textTo(CONTACT))).status).toBe(200);

    await writes('STOP', 1);
    await useWords({ out: [], back: [] });
    await writes('START');
    await expectOptedOut(textTo(CONTACT));
  });

  test('is not turned back by what the platform tells again, or late', async () => {
    const at = Math.floor(scene.clock.now / 1000);
    const stop = textFrom(CONTACT, 'STOP', 'wamid.stop', at - 60);
    expect(await deliver(stop)).toBe(200);
    await writes('START', 30);
    expect(await deliver(stop)).toBe(200);
    await writes('STOP', 45);
    expect((await line.send(textTo(CONTACT))).status).toBe(200);
  });

  test('knows a contact in every spelling of the number, and by the user id that the platform gave', async () => {
    const [long, short, userId] = ['5511987654321', '551187654321', 'BR.13491208655302741918'];
    const at = String(Math.floor(scene.clock.now / 1000));
    const message = {
      ...{ from: short, from_user_id: userId, id: 'wamid.brazil', timestamp: at },
      ...{ type: 'text', text: { body: 'SAIR' } },
    };
    expect(await deliver({ contacts: [{ wa_id: short, user_id: userId }], messages: [message] })).toBe(200);
    await expectOptedOut(textTo(long));
    await expectOptedOut(imageTo(short));
    await expectOptedOut({ ...imageTo(''), to: undefined, recipient: userId });
    expect(await noted('back', '+55 (11) 98765-4321')).toBe(true);
    expect((await line.send(imageTo(short))).status).toBe(200);
    expect(await noted('back', short)).toBe(false);
  });

  describe('of a contact with a user id', () => {
    const userId = 'BR.13491208655302741918';
    const toUserId = { ...imageTo(''), to: undefined, recipient: userId };

    const writesAs = async (names: { from?: string; from_user_id?: string }, text: string, ago: number) => {
      const timestamp = String(Math.floor(scene.clock.now / 1000) - ago);
      const message = {
        ...names,
        id: `wamid.said.${++wamids}`,
        timestamp,
        type: 'text',
        text: { body: text },
      };
      expect(await deliver({ messages: [message] })).toBe(200);
    };
    const isOut = async (contact: string) => (await line.get(`/window/${contact}`)).body.opted_out;

    test.each([
      ['a number that is spelled in one way', '12025550147', '12025550147'],
      ['the longer spelling', '5511987654321', '551187654321'],
      ['the shorter spelling', '551187654321', '5511987654321'],
    ])('goes by number and user id: %s', async (_, number, other) => {
      await writesAs({ from: number, from_user_id: userId }, 'STOP', 60);
      for (const message of [imageTo(number), imageTo(other), toUserId, { ...imageTo(userId) }])
        await expectOptedOut(message);
      for (const contact of [number, other, userId]) expect(await isOut(contact)).toBe(true);
      expect(await noted('out', userId)).toBe(false);
      expect(await listed()).toHaveLength(1);

      expect(await noted('back', userId)).toBe(true);
      for (const contact of [number, other, userId]) expect(await isOut(contact)).toBe(false);
      expect((await line.send(toUserId)).status).toBe(200);
    });

    test('goes by identities that became known after the opt-out', async () => {
      expect(await noted('out', '+55 11 98765-4321')).toBe(true);
      expect((await line.send(toUserId)).status).toBe(200);
      await writesAs({ from: '5511987654321', from_user_id: userId }, 'Hello', 30);
      await expectOptedOut(toUserId);
    });

    test('goes by what the platform answered to a send', async () => {
      scene.upstream.answers.messages = () => ({
        body: {
          contacts: [{ input: '12025550147', wa_id: '12025550147', user_id: userId }],
          messages: [{ id: 'wamid.answered' }],
        },
      });
      expect((await line.send(imageTo('12025550147'))).status).toBe(200);
      expect(await noted('out', '12025550147')).toBe(true);
      await expectOptedOut(toUserId);
    });

    test.each<[string, string, string, object]>([
      [
        'the status of a message',
        '12025550147',
        'US.2',
        {
          statuses: [{ status: 'delivered', recipient_id: '12025550147', recipient_user_id: 'US.2' }],
        },
      ],
      [
        'the contacts beside a status',
        '12025550147',
        'US.2',
        {
          contacts: [{ wa_id: '12025550147', user_id: 'US.2' }],
          statuses: [{ status: 'read', recipient_id: '12025550147' }],
        },
      ],
      [
        'a message from the phone app',
        '12025550147',
        'US.2',
        {
          contacts: [{ wa_id: '15550783881' }, { wa_id: '12025550147' }],
          message_echoes: [{ from: '15550783881', to: '12025550147', to_user_id: 'US.2', type: 'text' }],
        },
      ],
      [
        'a message in a group',
        '12025550147',
        'US.2',
        {
          messages: [
            { from: '12025550147', from_user_id: 'US.2', group_id: 'Y2FwaV9ncm91cDo', type: 'text' },
          ],
        },
      ],
      [
        'the status of a participant of a group',
        '12025550147',
        'US.2',
        {
          statuses: [
            {
              ...{ status: 'read', recipient_type: 'group', recipient_id: 'Y2FwaV9ncm91cDo' },
              ...{ recipient_participant_id: '12025550147', recipient_participant_user_id: 'US.2' },
            },
          ],
        },
      ],
      [
        'a changed user id',
        'US.1',
        'US.2',
        {
          messages: [
            {
              from_user_id: 'US.1',
              type: 'system',
              system: { type: 'user_changed_user_id', user_id: 'US.2' },
            },
          ],
        },
      ],
      [
        'a changed number',
        '12025550147',
        '12025550148',
        {
          messages: [
            {
              from: '12025550147',
              type: 'system',
              system: { type: 'user_changed_number', wa_id: '12025550148' },
            },
          ],
        },
      ],
      [
        'the account’s word of a changed user id',
        'US.1',
        'US.2',
        {
          user_id_update: [{ wa_id: '12025550147', user_id: { previous: 'US.1', current: 'US.2' } }],
        },
      ],
    ])('goes by identities that were told by %s', async (_, known, other, value) => {
      const timestamp = String(Math.floor(scene.clock.now / 1000));
      const told = JSON.parse(JSON.stringify(value), (key, one) =>
        ['statuses', 'messages', 'message_echoes'].includes(key)
          ? one.map((item: object) => ({ id: `wamid.told.${++wamids}`, timestamp, ...item }))
          : one,
      );
      expect(await noted('out', known)).toBe(true);
      const [field] = ['user_id_update'].filter((name) => name in value);
      expect(await notify(scene.gateway, notification(told, line.phoneNumberId, field))).toBe(200);
      await expectOptedOut(imageTo(other));
      expect(await isOut('15550783881')).toBe(false);
      expect(await isOut('16505550199')).toBe(false);
    });

    test('does not take those who call at one moment for one contact', async () => {
      const calls = ['12025550147', '12025550148'].map((from) => ({ from, direction: 'USER_INITIATED' }));
      expect(await notify(scene.gateway, notification({ calls }, line.phoneNumberId, 'calls'))).toBe(200);
      expect(await noted('out', '12025550147')).toBe(true);
      expect(await isOut('12025550148')).toBe(false);
    });

    test('ends by the word of the very message that tells both identities', async () => {
      expect(await noted('out', userId)).toBe(true);
      await writesAs({ from: '5511987654321', from_user_id: userId }, 'START', 0);
      expect(await listed()).toEqual([]);
      expect((await line.send(toUserId)).status).toBe(200);
    });

    test('is not turned back by a late word under the other identity', async () => {
      await writesAs({ from: CONTACT, from_user_id: userId }, 'STOP', 60);
      await writesAs({ from: CONTACT }, 'START', 30);
      await writesAs({ from_user_id: userId }, 'STOP', 45);
      expect((await line.send(toUserId)).status).toBe(200);
    });

    test('is kept when all else of the contact is cleared away', async () => {
      await writesAs({ from: '5511987654321', from_user_id: userId }, 'STOP', 0);
      scene.clock.now += 3 * DAY;
      await scene.change((world) => clearWhatIsOld({ ...world, goesOn: () => true, config: KEPT_FOR_A_DAY }));
      await expectOptedOut(toUserId);
    });

    test('is of one line alone', async () => {
      const other = await scene.line();
      await writesAs({ from: CONTACT, from_user_id: userId }, 'STOP', 60);
      expect((await other.send(toUserId)).status).toBe(200);
    });
  });

  test('takes whom a person puts on it, on a line that never had words, and tells the audit without the number', async () => {
    Object.assign(line, await scene.line());
    expect(await noted('out', `+${CONTACT}`)).toBe(true);
    expect(await noted('out', CONTACT)).toBe(false);
    await expectOptedOut(imageTo(CONTACT));
    expect(await noted('back', CONTACT)).toBe(true);
    expect((await line.send(imageTo(CONTACT))).status).toBe(200);
    const entries = await scene.change(({ store }) => store.audit.page({ lineId: line.id }, 10));
    expect(entries.map(({ action }) => action)).toEqual(['contact.opted_in', 'contact.opted_out']);
    expect(JSON.stringify(entries)).not.toContain(CONTACT);
  });

  test('lets through the code that a contact asks for to log in, and no other template', async () => {
    const template = (name: string, category: string) => ({
      ...{ id: name, name, language: 'en_US', status: 'APPROVED', category },
      components: [{ type: 'BODY', text: 'Hello' }],
    });
    scene.upstream.answers.templates = () => ({
      body: { data: [template('code', 'AUTHENTICATION'), template('news', 'MARKETING')] },
    });
    await line.get('/templates?refresh=1');
    await writes('STOP');
    const named = (name: string) => ({
      messaging_product: 'whatsapp',
      to: CONTACT,
      type: 'template',
      template: { name, language: { code: 'en_US' } },
    });
    expect((await line.send(named('code'))).status).toBe(200);
    await expectOptedOut(named('news'));
    await expectOptedOut(named('unknown'));
  });

  test('still marks messages as read', async () => {
    await writes('STOP');
    const read = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.x' };
    expect((await line.send(read)).status).toBe(200);
  });

  test('frees the key of a send that it refuses', async () => {
    await writes('STOP', 1);
    const send = () =>
      line.send(imageTo(CONTACT), { 'content-type': 'application/json', 'idempotency-key': 'a' });
    expectRefusal(await send(), 403, 'contact_opted_out', 131050);
    await writes('START');
    expect((await send()).status).toBe(200);
  });

  test('is kept for as long as nobody takes a contact off; who came back is known for 30 days more', async () => {
    await writes('STOP', 20);
    await writes('STOP', 20, '16505550000');
    await writes('START', 10);
    const clear = () =>
      scene.change((world) => clearWhatIsOld({ ...world, goesOn: () => true, config: KEPT_FOR_A_DAY }));
    const toldAgain = textFrom(CONTACT, 'STOP', 'wamid.late', Math.floor(scene.clock.now / 1000) - 20);
    await clear();
    expect(await deliver(toldAgain)).toBe(200);
    expect((await listed()).map(({ contact }) => contact)).toEqual(['16505550000']);

    scene.clock.now += 31 * DAY;
    await clear();
    expect(await deliver({ ...toldAgain, messages: [{ ...toldAgain.messages[0], id: 'wamid.later' }] })).toBe(
      200,
    );
    expect((await listed()).map(({ contact }) => contact)).toEqual(['16505550000', CONTACT]);
  });

  test('forgets whoever is forgotten, and goes with its line', async () => {
    const forgotten = '16505550001';
    await writes('STOP', 1, forgotten);
    await writes('STOP', 1, '16505550000');
    const removed = await scene.change(({ store }) =>
      store.traces.removeRest({ identities: [forgotten], lines: 'all', countryOf: () => '??' }),
    );
    expect(removed.opt_outs).toBe(1);
    expect((await listed()).map(({ contact }) => contact)).toEqual(['16505550000']);
    await scene.change(({ store }) => store.traces.removeRest({ lineId: line.id }));
    expect(await listed()).toEqual([]);
  });
});
