import { DATABASES } from '../../support/databases';
import { call, expectRefusal, freshLineOf, imageTo, sceneOf } from '../../support/scene';

describe.each(DATABASES)('the opt-out list by the API ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = freshLineOf(scene);

  const as = (method: string, path = '', body?: unknown, token = line.token) =>
    call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/opt-outs${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  test('adds a contact, tells who is on the list, refuses to send, and takes the contact off again', async () => {
    expect((await as('GET')).body).toEqual({
      success: true,
      words: { out: [], back: [] },
      count: 0,
      data: [],
      next: null,
    });
    for (const contact of ['+55 (11) 98765-4321', '551187654321'])
      expect((await as('POST', '', { contact })).body).toEqual({ success: true });
    const since = new Date(scene.clock.now).toISOString();
    expect((await as('GET')).body).toMatchObject({
      count: 1,
      data: [{ contact: '551187654321', since, word: null }],
    });
    expectRefusal(await line.send(imageTo('5511987654321')), 403, 'contact_opted_out', 131050);
    expect(line.sent()).toEqual([]);
    expect((await line.get('/window/5511987654321')).body).toMatchObject({ opted_out: true });

    expect((await as('DELETE', '/5511987654321')).body).toEqual({ success: true });
    expect((await as('DELETE', '/5511987654321')).body).toEqual({ success: true });
    expect((await line.send(imageTo('5511987654321'))).status).toBe(200);
    expect((await line.get('/window/5511987654321')).body).toMatchObject({ opted_out: false });
  });

  test('is read in pages', async () => {
    const contacts = ['12025550141', '12025550142', '12025550143'];
    for (const contact of contacts) await as('POST', '', { contact });
    const first = (await as('GET', '?limit=2')).body;
    expect(first.next).toBe('12025550142');
    const second = (await as('GET', `?limit=2&after=${first.next}`)).body;
    expect([...first.data, ...second.data].map(({ contact }) => contact)).toEqual(contacts);
    expect(second.next).toBeNull();
    expectRefusal(await as('GET', '?limit=0'), 400, 'invalid_query', 100);
  });

  test.each([{}, { contact: '' }, { contact: 'Ana' }, { contact: 7 }, { contact: '12025550147', more: 1 }])(
    'refuses %j',
    async (body) => {
      const reply = await as('POST', '', body);
      expect([reply.status, reply.body.error_code]).toEqual([400, 'invalid_payload']);
      expect((await as('GET')).body.count).toBe(0);
    },
  );

  test('refuses to take off what is no contact', async () => {
    expectRefusal(await as('DELETE', '/Ana'), 400, 'invalid_query', 100);
  });

  test('is of one line alone, and needs the scopes to read and to send', async () => {
    const other = await scene.line();
    await as('POST', '', { contact: '12025550147' });
    expect((await other.send(imageTo('12025550147'))).status).toBe(200);
    expectRefusal(await as('GET', '', undefined, other.token), 401, 'invalid_token', 190);
    const sender = await scene.token(line.id, null, { scopes: ['send'] });
    const reader = await scene.token(line.id, null, { scopes: ['read'] });
    expectRefusal(await as('GET', '', undefined, sender), 403, 'scope_missing', 10);
    expectRefusal(await as('DELETE', '/12025550147', undefined, reader), 403, 'scope_missing', 10);
  });
});
