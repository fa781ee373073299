import { DATABASES } from '../../support/databases';
import { CONTACT, expectRefusal, freshLineOf, sceneOf, textTo, type TestLine } from '../../support/scene';
import { notification, notify, textFrom } from '../../support/test-gateway';

describe.each(DATABASES)('the messages of a contact by the API ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = freshLineOf(scene);

  let wamids = 0;
  beforeAll(() => {
    scene.upstream.answers.messages = ({ body }) => {
      const { to } = JSON.parse(body) as { to: string };
      return { body: { contacts: [{ input: to, wa_id: to }], messages: [{ id: `wamid.OUT${++wamids}` }] } };
    };
  });
  beforeEach(() => {
    wamids = 0;
  });

  const listed = (contact: string, query = '') =>
    line.get(`/conversations/${encodeURIComponent(contact)}${query}`);
  const moment = () => (scene.clock.now += 1000);
  const writes = async (body: string, id: string, contact = CONTACT) => {
    moment();
    const sent = notification(textFrom(contact, body, id, scene.clock.now / 1000), line.phoneNumberId);
    expect(await notify(scene.gateway, sent)).toBe(200);
  };
  const sends = async (body: string, to = CONTACT) => {
    moment();
    const message = { ...textTo(to, body), biz_opaque_callback_data: `ref of ${body}` };
    expect((await line.send(message)).status).toBe(200);
  };

  test('are both sides of the conversation, the newest first, with what is stored of them', async () => {
    await writes('Hello', 'wamid.IN1');
    await sends('Not stored');
    await line.edit({ sent_kept_at: new Date(scene.clock.now).toISOString() });
    await sends('Stored');
    await writes('Another contact', 'wamid.IN2', '16505550123');

    const { status, body } = await listed(`+${CONTACT}`);
    expect(status).toBe(200);
    const at = (before: number) => new Date(scene.clock.now - before * 1000).toISOString();
    const none = { name: null, media_id: null, text: null };
    const sent = { ...none, direction: 'sent', contact: CONTACT, type: 'text', state: 'accepted' };
    expect(body).toEqual({
      success: true,
      count: 3,
      data: [
        { ...sent, id: 'wamid.OUT2', text: 'Stored', at: at(1), client_ref: 'ref of Stored' },
        { ...sent, id: 'wamid.OUT1', at: at(2), client_ref: 'ref of Not stored' },
        {
          ...{ ...none, id: 'wamid.IN1', direction: 'received', contact: CONTACT, name: 'Ana', type: 'text' },
          ...{ text: 'Hello', at: at(3), state: null, client_ref: null },
        },
      ],
      next: null,
    });
    expect((await line.get('/messages/wamid.OUT2')).body).toMatchObject({ text: 'Stored' });
    expect((await line.get('/messages/wamid.OUT1')).body).toMatchObject({ text: null });
  });

  test('come in pages, under every spelling of the number', async () => {
    const texts = ['1', '2', '3', '4', '5'];
    for (const text of texts) await writes(text, `wamid.IN-${text}`, '551187654321');
    const pages: string[][] = [];
    let next: string | null = null;
    do {
      const { body } = await listed('5511987654321', `?limit=2${next === null ? '' : `&before=${next}`}`);
      pages.push((body.data as { text: string }[]).map(({ text }) => text));
      ({ next } = body as { next: string | null });
    } while (next !== null);
    expect(pages).toEqual([['5', '4'], ['3', '2'], ['1']]);
  });

  test('are those of the line alone', async () => {
    await writes('Hello', 'wamid.IN1');
    const other = await scene.line();
    expect((await other.get(`/conversations/${CONTACT}`)).body).toMatchObject({ count: 0, data: [] });
  });

  test('are not found by a name of the contact that only another line knows', async () => {
    const userId = 'US.13491208655302741918';
    const wrote = async (of: TestLine, number?: string) => {
      const timestamp = String(scene.clock.now / 1000);
      const message = { id: `wamid.${of.id}`, timestamp, type: 'text', text: { body: 'Hello' } };
      const told = {
        contacts: [{ profile: { name: 'Ana' }, user_id: userId, ...(number && { wa_id: number }) }],
        messages: [{ ...message, from_user_id: userId, ...(number && { from: number }) }],
      };
      expect(await notify(scene.gateway, notification(told, of.phoneNumberId))).toBe(200);
    };
    const other = await scene.line();
    await wrote(line, CONTACT);
    await wrote(other);
    const message = { ...textTo(''), to: undefined, recipient: userId };
    expect((await other.send(message)).status).toBe(200);
    expect((await other.get(`/conversations/${CONTACT}`)).body).toMatchObject({ data: [] });
    expect((await other.get(`/window/${CONTACT}`)).body).toMatchObject({ open: false, last_sent: null });
    expect((await other.get(`/conversations/${userId}`)).body).toMatchObject({ count: 2 });
    expect((await line.get(`/conversations/${userId}`)).body).toMatchObject({ count: 1 });
  });

  test.each([
    ['Ana', '', 'The contact is "Ana"'],
    [CONTACT, '?limit=0', 'limit is "0"'],
    [CONTACT, '?before=yesterday', 'before is not'],
  ])('of %s with "%s" are refused', async (contact, query, details) => {
    expect(expectRefusal(await listed(contact, query), 400, 'invalid_query', 100)).toContain(details);
  });

  test('that were last sent say in the window whether they reached the contact', async () => {
    const lastSent = async () => (await line.get(`/window/${CONTACT}`)).body.last_sent;
    expect(await lastSent()).toBeNull();
    await writes('Hello', 'wamid.IN1');
    await sends('Hi');
    const at = new Date(scene.clock.now).toISOString();
    expect(await lastSent()).toEqual({ id: 'wamid.OUT1', at, state: 'accepted', code: null });
    const failed = {
      ...{ id: 'wamid.OUT1', status: 'failed', timestamp: String(scene.clock.now / 1000) },
      ...{ recipient_id: CONTACT, errors: [{ code: 131026, title: 'Message undeliverable' }] },
    };
    expect(await notify(scene.gateway, notification({ statuses: [failed] }, line.phoneNumberId))).toBe(200);
    expect(await lastSent()).toEqual({ id: 'wamid.OUT1', at, state: 'failed', code: 131026 });
  });
});
