import { clearWhatIsOld } from '../../../gateway/housekeeping/clear-old';
import { editLine, type LineChange } from '../../../gateway/lines/edit-line';
import { commandActor } from '../../../gateway/cli/offline';
import { DAY, HOUR, isoTime } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { rows } from '../../support/rows';
import { call, CONTACT, expectRefusal, freshLineOf, imageTo, sceneOf, type Json } from '../../support/scene';
import { notification, notify, textFrom } from '../../support/test-gateway';

const NOTHING_KEPT = {
  GATEWAY_KEEP_BODIES: null,
  GATEWAY_KEEP_EVENTS: null,
  GATEWAY_KEEP_MESSAGES: null,
  GATEWAY_KEEP_CONTACTS: 1,
  GATEWAY_KEEP_AUDIT: null,
};

describe.each(DATABASES)('a pause of automations ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = freshLineOf(scene);
  let receiver: HttpPeer;
  let status = 200;
  let wamids = 0;

  beforeAll(async () => {
    receiver = await startPeer(() => ({ status }));
  });
  beforeEach(async () => {
    receiver.received.length = 0;
    status = 200;
    scene.clock.now += DAY;
  });
  afterAll(() => receiver.close());

  const as = (method: string, path = '', body?: unknown, token = line.token) =>
    call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/automation-pauses${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const pause = (contact: string, more: object = {}) => as('POST', '', { contact, ...more });
  const resume = (contact: string) => as('DELETE', `/${contact}`);
  const isPaused = async (contact: string) => (await as('GET', `/${contact}`)).body.paused;

  const register = (more: object = {}) =>
    call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/destinations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${receiver.url}/${line.id}`, events: ['messages', 'delivered'], ...more }),
    });
  const tell = async (value: object, field = 'messages') =>
    expect(await notify(scene.gateway, notification(value, line.phoneNumberId, field))).toBe(200);
  const seconds = () => String(Math.floor(scene.clock.now / 1000));
  const writes = (text: string, from = CONTACT) =>
    tell(textFrom(from, text, `wamid.said.${++wamids}`, Number(seconds())));
  const echo = (more: object = {}) => ({
    ...{ from: '15550783881', to: CONTACT, id: `wamid.echo.${++wamids}`, timestamp: seconds() },
    ...{ type: 'text', text: { body: 'I take over' } },
    ...more,
  });
  const answersFromPhone = (more: object = {}) =>
    tell({ message_echoes: [echo(more)] }, 'smb_message_echoes');

  const edit = (change: LineChange) =>
    scene.change(async (world) => {
      const row = await world.store.lines.find(line.id);
      if (row) await editLine(world, commandActor(), null, row, change);
    });

  /** What came, each with the header: the texts of messages, the words of statuses. */
  const came = (): [string, string | undefined][] =>
    receiver.received
      .filter(({ method, url }) => method === 'POST' && url === `/${line.id}`)
      .map(({ body, headers }) => {
        const { messages, statuses } = (JSON.parse(body) as Json).entry[0].changes[0].value;
        const said = (messages ?? statuses).map((one: Json) => one.text?.body ?? one.status).join(' + ');
        return [said, headers['x-gateway-automation'] as string | undefined];
      });
  const untilCame = (count: number) => until(async () => came().length === count);

  test('marks what comes of the contact until it is resumed, and keeps nothing from being sent', async () => {
    await register();
    await writes('before');
    await untilCame(1);
    const since = isoTime(scene.clock.now);
    const paused = { success: true, contact: CONTACT, paused: true, since, until: null };
    expect((await pause(`+${CONTACT}`)).body).toEqual(paused);
    expect((await as('GET', `/${CONTACT}`)).body).toEqual(paused);
    await writes('while paused');
    await writes('of another', '16505550123');
    await untilCame(3);
    expect((await line.send(imageTo(CONTACT))).status).toBe(200);
    const resumed = { success: true, contact: CONTACT, paused: false, since: null, until: null };
    expect((await resume(CONTACT)).body).toEqual(resumed);
    expect((await resume(CONTACT)).body).toEqual(resumed);
    expect((await as('GET', `/${CONTACT}`)).body).toEqual(resumed);
    await writes('after');
    await untilCame(4);
    expect(came().toSorted()).toEqual([
      ['after', undefined],
      ['before', undefined],
      ['of another', undefined],
      ['while paused', 'paused'],
    ]);
  });

  test('ends by itself: after hours, or at a time', async () => {
    const until = isoTime(scene.clock.now + 8 * HOUR);
    expect((await pause(CONTACT, { hours: 8 })).body).toMatchObject({ paused: true, until });
    scene.clock.now += 8 * HOUR - 1;
    expect(await isPaused(CONTACT)).toBe(true);
    scene.clock.now += 1;
    expect((await as('GET', `/${CONTACT}`)).body).toMatchObject({ paused: false, since: null, until: null });
    const at = isoTime(scene.clock.now + 1000);
    expect((await pause(CONTACT, { until: at.replace('Z', '+00:00') })).body).toMatchObject({ until: at });
    expect((await pause(CONTACT, { hours: 1 })).body).toMatchObject({
      until: isoTime(scene.clock.now + HOUR),
    });
  });

  test.each([
    {},
    { contact: 'Ana' },
    { contact: CONTACT, hours: 0 },
    { contact: CONTACT, hours: 8761 },
    { contact: CONTACT, hours: 1.5 },
    { contact: CONTACT, hours: null },
    { contact: CONTACT, until: '2020-01-01T00:00:00Z' },
    { contact: CONTACT, until: '2999-01-01T00:00:00Z' },
    { contact: CONTACT, until: 'tomorrow' },
    { contact: CONTACT, until: '2026-12-24T18:00:00' },
    { contact: CONTACT, hours: 1, until: '2026-12-24T18:00:00Z' },
    { contact: CONTACT, more: 1 },
  ])('refuses %j', async (body) => {
    const reply = await as('POST', '', body);
    expect([reply.status, reply.body.error_code]).toEqual([400, 'invalid_payload']);
    expect(await isPaused(CONTACT)).toBe(false);
  });

  test('is of one line alone, and needs the scopes to read and to send', async () => {
    const other = await scene.line();
    await pause(CONTACT);
    expect((await other.get(`/automation-pauses/${CONTACT}`)).body).toMatchObject({ paused: false });
    expectRefusal(await as('GET', `/${CONTACT}`, undefined, other.token), 401, 'invalid_token', 190);
    const sender = await scene.token(line.id, null, { scopes: ['send'] });
    const reader = await scene.token(line.id, null, { scopes: ['read'] });
    expectRefusal(await as('GET', `/${CONTACT}`, undefined, sender), 403, 'scope_missing', 10);
    expectRefusal(await as('POST', '', { contact: CONTACT }, reader), 403, 'scope_missing', 10);
    expectRefusal(await as('DELETE', `/${CONTACT}`, undefined, reader), 403, 'scope_missing', 10);
    expectRefusal(await as('GET', '/Ana'), 400, 'invalid_query', 100);
  });

  test('goes by every spelling of the number, and by user ids that became known later', async () => {
    const userId = 'BR.13491208655302741918';
    await register();
    await pause('+55 (11) 98765-4321');
    for (const contact of ['5511987654321', '551187654321']) expect(await isPaused(contact)).toBe(true);
    expect(await isPaused(userId)).toBe(false);
    const message = (names: object, text: string) => ({
      messages: [
        {
          ...names,
          ...{ id: `wamid.said.${++wamids}`, timestamp: seconds(), type: 'text', text: { body: text } },
        },
      ],
    });
    await tell(message({ from: '551187654321', from_user_id: userId }, 'both'));
    await tell(message({ from_user_id: userId }, 'user id'));
    await untilCame(2);
    expect(came().toSorted()).toEqual([
      ['both', 'paused'],
      ['user id', 'paused'],
    ]);
    await resume(userId);
    for (const contact of ['5511987654321', '551187654321', userId])
      expect(await isPaused(contact)).toBe(false);
    await tell(message({ from: '551187654321' }, 'after'));
    await untilCame(3);
    expect(came().at(-1)).toEqual(['after', undefined]);
  });

  test('marks a large notification by the contact of each event', async () => {
    await register();
    await pause(CONTACT);
    const contacts = Array.from({ length: 1200 }, (_, index) => `1202555${String(index).padStart(4, '0')}`);
    const messages = [...contacts, CONTACT].map(
      (from) => textFrom(from, from, `wamid.${++wamids}`, Number(seconds())).messages[0],
    );
    await tell({ messages });
    await until(async () => came().length === 1201);
    expect(came().filter(([, header]) => header !== undefined)).toEqual([[CONTACT, 'paused']]);
  });

  test('stays on an event as it was when the event came, however late that is delivered', async () => {
    await register();
    status = 503;
    await pause(CONTACT);
    await writes('while paused');
    await untilCame(1);
    await resume(CONTACT);
    await writes('after');
    status = 200;
    scene.clock.now += HOUR;
    await until(async () => new Set(came().map(([text]) => text)).size === 2);
    expect([...new Set(came().map((one) => one.join(' ')))]).toEqual(['while paused paused', 'after ']);
  });

  test('marks statuses, and of one notification for all only one that is of paused contacts alone', async () => {
    await register({ mode: 'raw' });
    await pause(CONTACT);
    const told = (id: string, contact: string) => ({
      ...{ id, status: 'delivered', timestamp: seconds(), recipient_id: contact },
    });
    await tell({ statuses: [told('wamid.a', CONTACT)] });
    await untilCame(1);
    await tell({ statuses: [told('wamid.b', CONTACT), told('wamid.c', CONTACT)] });
    await untilCame(2);
    await tell({ statuses: [told('wamid.d', CONTACT), told('wamid.e', '16505550123')] });
    await untilCame(3);
    expect(came().map(([, header]) => header)).toEqual(['paused', 'paused', undefined]);
  });

  test('marks what waited for a silence by how it stands when that is over', async () => {
    await register({ events: ['messages'], quiet_seconds: 10 });
    await writes('Hello');
    await pause(CONTACT);
    scene.clock.now += 10_000;
    await untilCame(1);
    expect(came()).toEqual([['Hello', 'paused']]);
  });

  describe('by a colleague’s answer', () => {
    beforeEach(() => edit({ automationPauseHours: 2 }));
    const end = async () => (await as('GET', `/${CONTACT}`)).body.until;
    const afterTwoHours = () => isoTime(Number(seconds()) * 1000 + 2 * HOUR);

    test('begins with a message from the phone app, and goes on for longer with the next', async () => {
      await answersFromPhone();
      expect(await end()).toBe(afterTwoHours());
      scene.clock.now += HOUR;
      await answersFromPhone();
      expect(await end()).toBe(afterTwoHours());
      await register();
      await writes('Thank you');
      await untilCame(1);
      expect(came()).toEqual([['Thank you', 'paused']]);
      scene.clock.now += 2 * HOUR;
      expect(await isPaused(CONTACT)).toBe(false);
    });

    test('ends no pause sooner', async () => {
      await pause(CONTACT);
      scene.clock.now += 1000;
      await answersFromPhone();
      expect(await as('GET', `/${CONTACT}`)).toMatchObject({ body: { paused: true, until: null } });
    });

    test('does not begin again when the platform reports an answer twice', async () => {
      const first = echo();
      await tell({ message_echoes: [first] }, 'smb_message_echoes');
      scene.clock.now += 1000;
      await resume(CONTACT);
      await tell({ message_echoes: [first] }, 'smb_message_echoes');
      expect(await isPaused(CONTACT)).toBe(false);
      scene.clock.now += 1000;
      await answersFromPhone();
      expect(await isPaused(CONTACT)).toBe(true);
    });

    test('does not begin by a message to a group, nor once the line is set otherwise', async () => {
      await answersFromPhone({ group_id: 'Y2FwaV9ncm91cDo' });
      expect(await isPaused(CONTACT)).toBe(false);
      await edit({ automationPauseHours: 0 });
      await answersFromPhone();
      expect(await isPaused(CONTACT)).toBe(false);
    });

    test('goes by what the line is set to, which the audit tells', async () => {
      await edit({ automationPauseHours: 24 });
      await edit({ automationPauseHours: 0 });
      const entries = await scene.change(({ store }) => store.audit.page({ lineId: line.id }, 2));
      expect(entries.map(({ details }) => (JSON.parse(details) as Json).changes)).toEqual([
        [{ field: 'automation pause hours', from: 24, to: null }],
        [{ field: 'automation pause hours', from: 2, to: 24 }],
      ]);
      for (const hours of [-1, 1.5, 8761, Number.NaN])
        await expect(edit({ automationPauseHours: hours })).rejects.toMatchObject({
          error: { error_data: { details: expect.stringContaining('whole hours') } },
        });
    });
  });

  test('is told by the audit, from what to what, without the number', async () => {
    await pause(CONTACT, { hours: 1 });
    const first = isoTime(scene.clock.now + HOUR);
    await pause(CONTACT);
    await resume(CONTACT);
    await resume(CONTACT);
    const entries = await scene.change(({ store }) => store.audit.page({ lineId: line.id }, 3));
    expect(entries.map(({ action, details }) => [action, (JSON.parse(details) as Json).changes])).toEqual([
      ['contact.automation_resumed', [{ field: 'paused until', from: 'resumed', to: null }]],
      ['contact.automation_paused', [{ field: 'paused until', from: first, to: 'resumed' }]],
      ['contact.automation_paused', [{ field: 'paused until', from: null, to: first }]],
    ]);
    expect(JSON.stringify(entries)).not.toContain(CONTACT);
  });

  test('is cleared away once it is over, and keeps the names of a contact until then', async () => {
    const userId = 'US.2';
    const clear = () =>
      scene.change((world) => clearWhatIsOld({ ...world, goesOn: () => true, config: NOTHING_KEPT }));
    await tell({
      messages: [
        {
          ...{ from: CONTACT, from_user_id: userId, id: `wamid.${++wamids}`, timestamp: seconds() },
          ...{ type: 'text', text: { body: 'Hello' } },
        },
      ],
    });
    await pause(CONTACT, { hours: 1 });
    await pause('16505550001');
    await pause('16505550002');
    await resume('16505550002');
    await clear();
    expect(await isPaused(userId)).toBe(true);
    scene.clock.now += 31 * DAY;
    await clear();
    const left = await rows(
      scene.databaseUrl,
      `select contact from automation_pauses where line_id = ${line.id}`,
    );
    expect(left).toEqual([{ contact: '16505550001' }]);
  });

  test('goes with a contact who is forgotten, and with its line', async () => {
    const forgotten = '16505550009';
    await pause(forgotten);
    await pause('16505550001');
    const removed = await scene.change(({ store }) =>
      store.traces.removeRest({ identities: [forgotten], lines: 'all', countryOf: () => '??' }),
    );
    expect(removed.automation_pauses).toBe(1);
    expect([await isPaused(forgotten), await isPaused('16505550001')]).toEqual([false, true]);
    await scene.change(({ store }) => store.traces.removeRest({ lineId: line.id }));
    expect(await isPaused('16505550001')).toBe(false);
  });
});
