import { signatureOf } from '../../../gateway/cloud-api/signature';
import { DATABASES } from '../../support/databases';
import { rows } from '../../support/rows';
import {
  call,
  CONTACT,
  expectRefusal,
  freshLineOf,
  sceneOf,
  startScene,
  type TestLine,
} from '../../support/scene';
import { APP_SECRET, notification, notify, textFrom, VERIFY_TOKEN } from '../../support/test-gateway';

const MEGABYTE = 1024 * 1024;
const LINE_SECRET = 'app-secret-of-this-line';

describe.each(DATABASES)('upstream’s callback ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = freshLineOf(scene);
  let verifyToken: string;

  beforeEach(async () => {
    verifyToken = await scene.change(
      async ({ store }) => (await store.lines.all()).at(-1)?.verify_token ?? '',
    );
  });

  const shake = (query: Record<string, string>, path = '') =>
    call(`${scene.gateway.url}/webhooks/platform${path}?${new URLSearchParams(query).toString()}`);
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>, path = '') =>
    call(`${scene.gateway.url}/webhooks/platform${path}`, { method: 'POST', headers, body });
  const eventsOf = async (of: TestLine = line) =>
    rows(scene.databaseUrl, `select * from events where phone_number_id = '${of.phoneNumberId}' order by id`);
  const written = (wamid: string, of: TestLine = line) =>
    JSON.stringify(notification(textFrom(CONTACT, 'Hello', wamid, scene.clock.now / 1000), of.phoneNumberId));

  describe('in its handshake', () => {
    const right = {
      'hub.mode': 'subscribe',
      'hub.verify_token': VERIFY_TOKEN,
      'hub.challenge': '1158201444',
    };

    test('answers the bare challenge to the right verify token', async () => {
      const reply = await shake(right);
      expect([reply.status, reply.text]).toEqual([200, '1158201444']);
      expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    });

    test('answers the verify token of one line at the address of that line, by either of its ids', async () => {
      const own = { ...right, 'hub.verify_token': verifyToken };
      for (const path of [`/${line.phoneNumberId}`, `/${line.id}`])
        expect((await shake(own, path)).text).toBe('1158201444');
      expectRefusal(await shake(right, `/${line.phoneNumberId}`), 403, 'wrong_verify_token', 200);
      expectRefusal(await shake(own), 403, 'wrong_verify_token', 200);
    });

    test.each([
      ['another token', { ...right, 'hub.verify_token': `${VERIFY_TOKEN}x` }],
      ['a token as long', { ...right, 'hub.verify_token': VERIFY_TOKEN.replace('v', 'w') }],
      ['an empty token', { ...right, 'hub.verify_token': '' }],
      ['no token', { 'hub.mode': 'subscribe', 'hub.challenge': '1' }],
      ['another mode', { ...right, 'hub.mode': 'unsubscribe' }],
      ['no mode', { 'hub.verify_token': VERIFY_TOKEN, 'hub.challenge': '1' }],
      ['nothing', {}],
    ])('is refused with %s, and repeats nothing', async (_name, query) => {
      const reply = await shake(query as Record<string, string>);
      expectRefusal(reply, 403, 'wrong_verify_token', 200);
      expect(reply.text).not.toContain('1158201444');
      expect(reply.text).not.toContain(VERIFY_TOKEN);
    });

    test('is refused where a part comes twice', async () => {
      const twice = `hub.mode=subscribe&hub.verify_token=${VERIFY_TOKEN}&hub.verify_token=${VERIFY_TOKEN}&hub.challenge=1`;
      expectRefusal(
        await call(`${scene.gateway.url}/webhooks/platform?${twice}`),
        403,
        'wrong_verify_token',
        200,
      );
    });

    test('never answers a page, whatever the challenge holds', async () => {
      const reply = await shake({ ...right, 'hub.challenge': '<script>alert(1)</script>' });
      expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      expect(reply.text).toBe('<script>alert(1)</script>');
    });
  });

  describe('by its signature', () => {
    test('takes what is signed over exactly these bytes', async () => {
      const body = written('wamid.signed');
      expect(await notify(scene.gateway, body)).toBe(200);
      expect(await eventsOf()).toEqual([
        expect.objectContaining({
          line_id: line.id,
          subject: 'message',
          kind: 'text',
          contact: CONTACT,
          wamid: 'wamid.signed',
          body,
        }),
      ]);
    });

    test.each([
      ['none', () => undefined],
      ['that of another secret', (body: string) => signatureOf(Buffer.from(body), 'another secret')],
      ['that of the line’s own secret', (body: string) => signatureOf(Buffer.from(body), LINE_SECRET)],
      ['that of another body', (body: string) => signatureOf(Buffer.from(`${body} `), APP_SECRET)],
      [
        'one without its scheme',
        (body: string) => signatureOf(Buffer.from(body), APP_SECRET).slice('sha256='.length),
      ],
      ['one that is cut short', (body: string) => signatureOf(Buffer.from(body), APP_SECRET).slice(0, -1)],
      ['one that is too long', (body: string) => `${signatureOf(Buffer.from(body), APP_SECRET)}0`],
      ['one in capitals', (body: string) => signatureOf(Buffer.from(body), APP_SECRET).toUpperCase()],
      ['an older one, SHA-1', () => `sha1=${'0'.repeat(40)}`],
      ['an empty one', () => ''],
    ])('refuses %s with 401, and stores nothing', async (_name, sign) => {
      const body = written('wamid.unsigned');
      const signature = sign(body);
      const headers = {
        'content-type': 'application/json',
        ...(signature !== undefined && { 'x-hub-signature-256': signature }),
      };
      const reply = await post(body, headers as Record<string, string>);
      expectRefusal(reply, 401, 'wrong_signature', 200);
      expect(await eventsOf()).toEqual([]);
      expect(reply.text).not.toContain(signatureOf(Buffer.from(body), APP_SECRET).slice(7));
    });

    test('is over the bytes: escapes, spaces and order do not have to be those of JSON.stringify', async () => {
      const body = written('wamid.bytes')
        .replace('Hello', 'Zo\\u00eb \\/ \\ud83d\\ude00')
        .replaceAll(',"', ' ,\n "');
      expect(await notify(scene.gateway, body)).toBe(200);
      expect((await eventsOf())[0]?.body).toBe(body);
    });

    test('does not depend on the content type', async () => {
      for (const type of ['text/plain', 'application/octet-stream', '']) {
        const body = written(`wamid.type.${type}`);
        const bytes = new TextEncoder().encode(body);
        const headers = {
          'x-hub-signature-256': signatureOf(Buffer.from(body), APP_SECRET),
          ...(type && { 'content-type': type }),
        };
        expect((await post(bytes, headers as Record<string, string>)).status).toBe(200);
      }
      expect(await eventsOf()).toHaveLength(3);
    });
  });

  describe('of one line', () => {
    test('takes what is signed with that line’s secret, and not with that of all lines', async () => {
      expect(await notify(scene.gateway, written('wamid.own'), LINE_SECRET, `/${line.phoneNumberId}`)).toBe(
        200,
      );
      expect(await notify(scene.gateway, written('wamid.own.2'), LINE_SECRET, `/${line.id}`)).toBe(200);
      expect(await notify(scene.gateway, written('wamid.common'), APP_SECRET, `/${line.phoneNumberId}`)).toBe(
        401,
      );
      expect((await eventsOf()).map(({ wamid }) => wamid)).toEqual(['wamid.own', 'wamid.own.2']);
    });

    test('takes events of other lines with the same secret, as they belong to one upstream app', async () => {
      const sister = await scene.line();
      expect(
        await notify(scene.gateway, written('wamid.sister', sister), LINE_SECRET, `/${line.phoneNumberId}`),
      ).toBe(200);
      expect(await eventsOf(sister)).toEqual([expect.objectContaining({ line_id: sister.id })]);
    });

    test('takes no event of a number that nobody has yet: it could be kept in the place of the real one', async () => {
      const coming = { phoneNumberId: '106540352242998' };
      const forged = written('wamid.before', coming as TestLine);
      expect(await notify(scene.gateway, forged, LINE_SECRET, `/${line.phoneNumberId}`)).toBe(200);
      expect(await rows(scene.databaseUrl, "select * from events where wamid = 'wamid.before'")).toEqual([]);
      await scene.line({ ...coming, appSecret: 'app-secret-of-a-stranger' });
      expect(await notify(scene.gateway, forged)).toBe(200);
      expect(await rows(scene.databaseUrl, "select * from events where wamid = 'wamid.before'")).toHaveLength(
        1,
      );
    });

    test('takes no event of a line with another secret: whoever knows one cannot make up the other’s', async () => {
      const stranger = await scene.line({ appSecret: 'app-secret-of-a-stranger' });
      const path = `/${line.phoneNumberId}`;
      expect(await notify(scene.gateway, written('wamid.forged', stranger), LINE_SECRET, path)).toBe(200);
      expect(await eventsOf(stranger)).toEqual([]);
      expectRefusal(
        await stranger.send({ to: CONTACT, type: 'text', text: { body: 'a' } }),
        400,
        'outside_24h_window',
        131047,
      );
      expect(scene.gateway.logged()).toContain(
        'events of lines with another app secret, or of no line here, refused',
      );
      // The real one is no repeat of it.
      expect(await notify(scene.gateway, written('wamid.forged', stranger), APP_SECRET)).toBe(200);
      expect(await eventsOf(stranger)).toHaveLength(1);
    });

    test('is not there without a secret, nor for a line that nobody knows', async () => {
      const bare = await scene.line({ appSecret: null });
      expect(await notify(scene.gateway, written('wamid.1', bare), '', `/${bare.phoneNumberId}`)).toBe(404);
      expect(await notify(scene.gateway, written('wamid.1', bare), LINE_SECRET, '/404404')).toBe(404);
      const reply = await shake(
        { 'hub.mode': 'subscribe', 'hub.verify_token': '', 'hub.challenge': '1' },
        '/404404',
      );
      expectRefusal(reply, 404, 'not_found', 2500);
      expect(await eventsOf(bare)).toEqual([]);
    });
  });

  test('of one line has a rate; other lines and the callback for all lines go on', async () => {
    const other = await scene.line();
    const padded = (wamid: string, of = line) => written(wamid, of).padEnd(2.8 * MEGABYTE);
    const send = (body: string, path: string, secret = LINE_SECRET) =>
      post(body, { 'x-hub-signature-256': signatureOf(Buffer.from(body), secret) }, path);
    const statuses: number[] = [];
    let reply = await send(padded('wamid.0'), `/${line.phoneNumberId}`);
    for (let count = 1; reply.status === 200 && count < 10; count++) {
      statuses.push(reply.status);
      reply = await send(padded(`wamid.${count}`), `/${line.phoneNumberId}`);
    }
    expect(statuses.length).toBe(3);
    expectRefusal(reply, 429, 'rate_limited', 130429);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    // Unsigned ones use nothing up.
    expect((await send(padded('wamid.x', other), `/${other.phoneNumberId}`, 'no secret')).status).toBe(401);
    expect((await send(written('wamid.other', other), `/${other.phoneNumberId}`)).status).toBe(200);
    expect((await send(padded('wamid.all'), '', APP_SECRET)).status).toBe(200);
    expect(await eventsOf()).toHaveLength(4);
    scene.clock.now += 60_000;
    expect((await send(padded('wamid.3'), `/${line.phoneNumberId}`)).status).toBe(200);
  });

  test('for all lines is not there where it is not set up, and says what it needs', async () => {
    const bare = await startScene(await createUrl(), { GATEWAY_APP_SECRET: '', GATEWAY_VERIFY_TOKEN: '' });
    try {
      const details = expectRefusal(
        await call(`${bare.gateway.url}/webhooks/platform`),
        404,
        'not_found',
        2500,
      );
      expect(details).toContain('GATEWAY_APP_SECRET');
      expect(await notify(bare.gateway, written('wamid.1'), '')).toBe(404);
    } finally {
      await bare.stop();
    }
  });

  describe('with a body', () => {
    const signed = (body: string | Uint8Array<ArrayBuffer>) =>
      post(body, {
        'content-type': 'application/json',
        'x-hub-signature-256': signatureOf(Buffer.from(body), APP_SECRET),
      });

    test.each(['', '{', 'hello', '[]', '"text"', 'null', '7', '\ufeff{}'])(
      'that is no JSON object answers 400: %j',
      async (body) => {
        expectRefusal(await signed(body), 400, 'invalid_json', 100);
      },
    );

    test('up to 3 MB is taken, and beyond is refused with 413', async () => {
      const body = (size: number) => {
        const start = written('wamid.large').slice(0, -1);
        return `${start}${' '.repeat(size - start.length - 1)}}`;
      };
      const largest = body(3 * MEGABYTE);
      expect(largest).toHaveLength(3 * MEGABYTE);
      expect((await signed(largest)).status).toBe(200);
      expect(await eventsOf()).toHaveLength(1);
      const details = expectRefusal(await signed(body(3 * MEGABYTE + 1)), 413, 'payload_too_large', 100);
      expect(details).toContain('3 MB');
    });

    test('of more than 10,000 events is refused with 413, and nothing of it is kept', async () => {
      const entry = Array.from({ length: 10_001 }, (_, index) => ({ id: `${line.id} ${index}` }));
      const details = expectRefusal(await signed(JSON.stringify({ entry })), 413, 'payload_too_large', 100);
      expect(details).toContain('10,000 events');
      expect(await eventsOf()).toEqual([]);
    });

    test.each([
      ['nothing', {}],
      ['no entries', { object: 'whatsapp_business_account', entry: [] }],
      ['entries without changes', { entry: [{ id: '1', messaging: [{ message: 'later' }] }] }],
      ['a page', { object: 'page', entry: [{ id: '1', changes: [{ field: 'feed', value: 7 }] }] }],
      ['entries that are no objects', { entry: [1, null, 'x', []] }],
      ['changes that are no objects', { entry: [{ id: 7, changes: [1, null] }] }],
      [
        'messages that are no objects',
        { entry: [{ changes: [{ field: 'messages', value: { messages: [1, 'x'], statuses: 'y' } }] }] },
      ],
    ])('that nobody understands is kept, never refused, and kept once: %s', async (_name, body) => {
      const text = JSON.stringify({ ...body, own: line.id });
      expect((await signed(text)).status).toBe(200);
      expect((await signed(text)).status).toBe(200);
      const kept = await rows(scene.databaseUrl, "select * from events where subject = 'account'");
      expect(kept.filter((event) => event.body === text)).toEqual([
        expect.objectContaining({ line_id: null }),
      ]);
    });
  });
});
