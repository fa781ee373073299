import { CONTACT, expectRefusal, imageTo, lineOf, sceneOf, withoutAction } from '../../support/scene';

describe('the answer to a send', () => {
  const scene = sceneOf();
  const line = lineOf(scene);

  const answered = async (body: object | string, request: object = imageTo(CONTACT), status = 200) => {
    scene.upstream.answers.messages = () => ({ status, body });
    return line.send(request);
  };
  const kept = async (wamid: string) => (await line.get(`/messages/${wamid}`)).body;

  const around = (wamid: string) => ({
    success: true,
    messaging_product: 'whatsapp',
    chat_message_id: wamid,
    gateway: { line: line.id, quality: expect.any(String), request_id: expect.any(String) },
  });
  const sample = { messaging_product: 'whatsapp', messages: [{ id: 'wamid.1' }] };

  test('A | success (boolean), chat_message_id, gateway (line, quality); B | success (boolean), messages (id)', async () => {
    const contacts = [{ input: CONTACT, wa_id: CONTACT }];
    const { status, body, headers } = await answered({ ...sample, contacts }, imageTo(`+${CONTACT}`));
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      ...around('wamid.1'),
      contacts: [{ input: `+${CONTACT}`, wa_id: CONTACT }],
      messages: [{ id: 'wamid.1' }],
    });
    expect(body).not.toHaveProperty('error');
  });

  test.each(['accepted', 'held_for_quality_assessment', 'paused'])(
    'has the status of the message where upstream gives one: %s',
    async (status) => {
      const messages = [{ id: 'wamid.2', message_status: status }];
      expect((await answered({ ...sample, messages })).body).toEqual({ ...around('wamid.2'), messages });
    },
  );

  test('has the user id, and no phone number, where the message went to one', async () => {
    const contacts = [{ input: 'US.13491208655302741918', user_id: 'US.13491208655302741918' }];
    const request = { type: 'image', image: { id: '1' }, recipient: 'US.13491208655302741918' };
    const messages = [{ id: 'wamid.3' }];
    expect((await answered({ contacts, messages }, request)).body).toEqual({
      ...around('wamid.3'),
      contacts,
      messages,
    });
    expect(await kept('wamid.3')).toMatchObject({ contact: 'US.13491208655302741918', type: 'image' });
    // With both, upstream takes the phone number.
    const both = { ...request, to: `+${CONTACT}` };
    const phone = [{ input: CONTACT, wa_id: CONTACT }];
    expect((await answered({ contacts: phone, messages }, both)).body.contacts).toEqual([
      { input: `+${CONTACT}`, wa_id: CONTACT },
    ]);
  });

  test('has every contact and every message that upstream names, with what nobody knows in them', async () => {
    const contacts = [
      { input: CONTACT, wa_id: CONTACT, later: { x: 1 } },
      { input: '16505550002', wa_id: '16505550002' },
    ];
    const messages = [{ id: 'wamid.4', later: [] }, { id: 'wamid.5' }];
    const { body } = await answered({ contacts, messages }, imageTo(`+${CONTACT}`));
    expect(body).toEqual({
      ...around('wamid.4'),
      contacts: [{ ...contacts[0], input: `+${CONTACT}` }, contacts[1]],
      messages,
    });
    expect([await kept('wamid.4'), await kept('wamid.5')]).toMatchObject([
      { state: 'accepted' },
      { state: 'accepted' },
    ]);
  });

  test.each([
    ['no contacts', undefined],
    ['null', null],
    ['an empty list', []],
    ['no list', { wa_id: 'x' }],
    ['a text', 'x'],
    ['contacts that are none', [null, 7, 'x']],
    ['a contact that holds nothing', [{}]],
  ])('is given all the same with %s, and the message is kept', async (_name, contacts) => {
    const wamid = `wamid.odd.${String(_name).replaceAll(' ', '-')}`;
    const { status, body } = await answered({ contacts, messages: [{ id: wamid }, null, { id: 7 }] });
    expect([status, body]).toMatchObject([200, around(wamid)]);
    expect(body).not.toHaveProperty('error');
    expect(await kept(wamid)).toMatchObject({ state: 'accepted', contact: CONTACT, type: 'image' });
  });

  test.each([1, 2])(
    'is given all the same with %i contacts of a kind that upstream does not describe',
    async (count) => {
      const contacts = Array.from({ length: count }, () => ({ input: 7, wa_id: { x: 1 }, user_id: null }));
      const id = `wamid.odd.${count}`;
      scene.upstream.answers.messages = () => ({ body: { contacts, messages: [{ id }] } });
      const answer = await fetch(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(imageTo(CONTACT)),
      });
      expect([answer.status, await answer.json()]).toMatchObject([200, around(id)]);
      expect(await kept(id)).toMatchObject({ state: 'accepted', contact: CONTACT, type: 'image' });
    },
  );

  test.each([
    ['no message', { messages: [] }],
    ['a message without an id', { messages: [{ message_status: 'accepted' }] }],
    ['messages that are no list', { messages: { 0: { id: 'wamid.x' } } }],
  ])('is that the outcome is unknown with %s', async (_name, body) => {
    const reply = await answered(body);
    expectRefusal(reply, 504, 'upstream_timeout', 2);
    expect(reply.body.outcome).toBe('unknown');
  });

  test('An upstream error keeps its error object byte for byte, where one stands in place of an answer', async () => {
    const error = '{ "message":"(#131026) N\\u00e3o","type":"x","code": 131026, "n":1.0 }';
    const reply = await answered(`{"error":${error}}`);
    expectRefusal(reply, 400, 'upstream_error', 131026);
    expect(withoutAction(reply.text)).toContain(`"error":${error},"request_id"`);
    expect(reply.body).not.toHaveProperty('outcome');
  });

  test('is that upstream did not send it where upstream says so, and its key is free again', async () => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'declined' };
    scene.upstream.answers.messages = () => ({ body: { success: false } });
    const reply = await line.send(imageTo(CONTACT), headers);
    expect(expectRefusal(reply, 502, 'upstream_unavailable', 2)).toContain('Try again');
    expect(reply.body).not.toHaveProperty('outcome');
    scene.upstream.answers.messages = () => ({ body: { ...sample, messages: [{ id: 'wamid.after' }] } });
    expect((await line.send(imageTo(CONTACT), headers)).body).toEqual({
      ...around('wamid.after'),
      messages: [{ id: 'wamid.after' }],
    });
  });

  test('Two shapes are published; a client must accept both: neither where upstream refuses, whatever stands in its answer', async () => {
    const reply = await answered(
      { messages: [{ id: 'wamid.x' }], contacts: [], error: { message: 'x', type: 'y', code: 131026 } },
      imageTo(CONTACT),
      400,
    );
    expectRefusal(reply, 400, 'upstream_error', 131026);
    expect(reply.body).not.toHaveProperty('contacts');
  });
});
