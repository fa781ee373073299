import { DATABASES } from '../../support/databases';
import { call, CONTACT, expectRefusal, freshLineOf, sceneOf } from '../../support/scene';
import { notification, notify, settings, startTestGateway, textFrom } from '../../support/test-gateway';

const HOUR = 60 * 60 * 1000;

describe.each(DATABASES)('GET window ($name)', ({ name, createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = freshLineOf(scene);

  const iso = (hoursAgo: number) => new Date(scene.clock.now - hoursAgo * HOUR).toISOString();
  const windowOf = (contact: string) => line.get(`/window/${encodeURIComponent(contact)}`);

  test('tells of a contact who never wrote', async () => {
    const { status, body, headers } = await windowOf(CONTACT);
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        contact: CONTACT,
        open: false,
        last_inbound_at: null,
        expires_at: null,
        opted_out: false,
        last_sent: null,
      },
    ]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('GET /v22.0/{tid}/window/{contact} → open, expires_at, to the millisecond', async () => {
    await line.wrote(CONTACT, 23);
    const open = {
      ...{ success: true, contact: CONTACT, last_inbound_at: iso(23), expires_at: iso(-1) },
      opted_out: false,
      last_sent: null,
    };
    expect((await windowOf(CONTACT)).body).toEqual({ ...open, open: true });
    scene.clock.now += HOUR - 1;
    expect((await windowOf(CONTACT)).body).toEqual({ ...open, open: true });
    scene.clock.now += 1;
    expect((await windowOf(CONTACT)).body).toEqual({ ...open, open: false });
  });

  test.each([
    ['+55 (11) 98765-4321', '5511987654321'],
    ['55 11 8765-4321', '551187654321'],
    ['US.13491208655302741918', 'US.13491208655302741918'],
    ['US.ENT.11815799212886844830', 'US.ENT.11815799212886844830'],
  ])('takes the contact as "to" does: %s', async (written, contact) => {
    await line.wrote('551187654321', 1);
    const { status, body } = await windowOf(written);
    expect([status, body.contact, body.open]).toEqual([200, contact, contact.startsWith('55')]);
    // "+" and brackets may also stand in a path as they are.
    const bare = await line.get(`/window/${written.replaceAll(' ', '%20')}`);
    expect(bare.body).toEqual(body);
  });

  test.each([
    '',
    '0x10',
    'abc',
    '12345678901234567890',
    '+',
    'us.1',
    'US.',
    '16505551234\0',
    '../1',
    'ü',
    '😀',
  ])('refuses what is no contact: %j', async (contact) => {
    const reply = await windowOf(contact);
    if (contact === '') return expectRefusal(reply, 404, 'not_found', 2500);
    const details = expectRefusal(reply, 400, 'invalid_query', 100);
    expect(details).toContain('it takes a phone number with country code');
    return undefined;
  });

  test('is the same under /api, and knows only the line of the token', async () => {
    await line.wrote(CONTACT, 1);
    const other = await scene.line();
    const path = `/v22.0/${line.phoneNumberId}/window/${CONTACT}`;
    const as = (token: string, prefix = '') =>
      call(`${scene.gateway.url}${prefix}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const mine = await as(line.token);
    expect((await as(line.token, '/api')).body).toEqual(mine.body);
    expect(mine.body.open).toBe(true);
    expectRefusal(await as(other.token), 401, 'invalid_token', 190);
    expect((await other.get(`/window/${CONTACT}`)).body.open).toBe(false);
    await line.edit({ api_disabled_at: iso(0) });
    expectRefusal(await as(line.token), 403, 'api_disabled', 200);
    expectRefusal(
      await call(`${scene.gateway.url}${path}`, { method: 'POST', body: '{}' }),
      405,
      'method_not_allowed',
      2500,
    );
  });

  // A SQLite file serves one gateway.
  if (name === 'PostgreSQL')
    test('tells what another process took', async () => {
      await line.wrote(CONTACT, 2);
      expect((await windowOf(CONTACT)).body.last_inbound_at).toBe(iso(2));
      const other = await startTestGateway(
        settings(scene.databaseUrl, { GATEWAY_UPSTREAM_URL: scene.upstream.url }),
        () => scene.clock.now,
      );
      try {
        const written = textFrom(CONTACT, 'Hi', 'wamid.elsewhere', Math.floor(scene.clock.now / 1000) - 3600);
        expect(await notify(other, notification(written, line.phoneNumberId))).toBe(200);
      } finally {
        await other.stop();
      }
      expect((await windowOf(CONTACT)).body).toMatchObject({
        open: true,
        last_inbound_at: new Date((Math.floor(scene.clock.now / 1000) - 3600) * 1000).toISOString(),
      });
    });

  test('does not depend on which messages the line lets through', async () => {
    await line.edit({ window_mode: 'upstream' });
    expect((await windowOf(CONTACT)).body.open).toBe(false);
  });
});
