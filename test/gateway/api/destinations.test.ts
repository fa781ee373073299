import { hostname } from 'node:os';
import { openStore } from '../../../gateway/store/store';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type Answer, type HttpPeer, type Received } from '../../support/http-peer';
import { rows } from '../../support/rows';
import {
  call,
  CONTACT,
  expectRefusal,
  freshLineOf,
  inTheEnd,
  sceneOf,
  type Json,
  type Reply,
  type TestLine,
} from '../../support/scene';

/** Answers the handshake as an upstream client does, and takes events. */
const SPACED_SECRET = 'The signing secret has a space at an end';

const echoing = ({ url }: Received): Answer => {
  const challenge = new URL(url, 'http://receiver').searchParams.get('hub.challenge');
  return { headers: { 'content-type': 'text/plain' }, body: challenge ?? 'ok' };
};

describe.each(DATABASES)('the destinations of a line ($name)', ({ createUrl }) => {
  // Higher, because what a busy machine answers with 503 is asked again.
  const scene = sceneOf(createUrl, { GATEWAY_TOKEN_RATE: '600' });
  const line = freshLineOf(scene);
  let receiver: HttpPeer;

  beforeAll(async () => {
    receiver = await startPeer(echoing);
  });
  beforeEach(() => {
    receiver.received.length = 0;
  });
  afterAll(() => receiver.close());

  const ask = (method: string, path = '', body?: unknown, of: TestLine = line): Promise<Reply> =>
    call(`${scene.gateway.url}/v22.0/${of.phoneNumberId}/destinations${path}`, {
      method,
      headers: {
        authorization: `Bearer ${of.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const add = (more: object = {}) => ask('POST', '', { url: `${receiver.url}/hook?own=1`, ...more });
  const listed = async (of: TestLine = line): Promise<Json[]> =>
    (await ask('GET', '', undefined, of)).body.data;

  test('are a hundred at most, also where many are added at once', async () => {
    const replies = await Promise.all(Array.from({ length: 110 }, () => inTheEnd(add)));
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(10);
    for (const reply of refused)
      expect(expectRefusal(reply, 409, 'too_many_registrations', 100)).toContain(
        'This line has 100 destinations',
      );
    const own = await listed();
    expect(own).toHaveLength(100);
    expect((await add()).status).toBe(409);
    expect((await ask('DELETE', `/${own[0].id}`)).status).toBe(200);
    expect((await add()).status).toBe(201);
  });

  test('POST with {url, secret?, events?, mode?, expires_in?} → 201 {id, url, …, secret} (the secret only here)', async () => {
    const { status, body } = await add();
    expect(status).toBe(201);
    expect(body).toEqual({
      success: true,
      id: expect.any(Number),
      url: `${receiver.url}/hook?own=1`,
      events: ['messages', 'sent', 'delivered', 'read', 'failed'],
      mode: 'split',
      quiet_seconds: null,
      origin: 'token',
      created_at: new Date(scene.clock.now).toISOString(),
      expires_at: null,
      paused_at: null,
      paused_because: null,
      failing_since: null,
      last_failure: null,
      secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
      verify_token: expect.stringMatching(/^[\da-f]{32}$/),
      handshake: { ok: true, detail: 'It answered the challenge.' },
    });
    const asked = new URL(receiver.received[0]?.url ?? '', 'http://receiver').searchParams;
    expect([asked.get('own'), asked.get('hub.mode'), asked.get('hub.verify_token')]).toEqual([
      '1',
      'subscribe',
      body.verify_token,
    ]);

    const list = await ask('GET');
    expect(list.body).toMatchObject({ success: true, count: 1, data: [{ id: body.id, url: body.url }] });
    expect(list.text).not.toContain(body.secret);
    expect(list.text).not.toContain(body.verify_token);
    expect(scene.gateway.logged()).not.toContain(body.secret);
    expect(JSON.stringify(await rows(scene.databaseUrl, 'select * from destinations'))).not.toContain(
      body.secret,
    );
  });

  test('keep the secret, the events and the mode that are given', async () => {
    const secret = 'a secret of sixteen';
    const { body } = await add({ secret, events: ['failed', 'account'], mode: 'split' });
    expect(body).toMatchObject({ secret, events: ['failed', 'account'], mode: 'split' });
    expect((await add({ secret: null })).body.secret).toMatch(/^whsec_/);
  });

  test('send the headers that are given with every event, and show them to nobody', async () => {
    const { status, text } = await add({ headers: { 'X-Password': 'planted-in-a-header' } });
    expect(status).toBe(201);
    await line.wrote(CONTACT, 0);
    await until(() => receiver.received.some(({ method }) => method === 'POST'));
    const event = receiver.received.find(({ method }) => method === 'POST');
    expect(event?.headers['x-password']).toBe('planted-in-a-header');
    const stored = JSON.stringify(await rows(scene.databaseUrl, 'select * from destinations'));
    for (const told of [text, (await ask('GET')).text, stored, scene.gateway.logged()])
      expect(told).not.toContain('planted-in-a-header');
  });

  test('tell since when they fail and of what, as soon as that is known', async () => {
    const { body } = await add();
    const failing = { failing_since: '2026-01-31T08:00:00.000Z', last_failure: 'HTTP 503' };
    // As another process does that finds it failing.
    const store = await openStore(scene.databaseUrl);
    const note = { ...failing, failing_seconds: 0, last_tried_at: null, next_try_at: null };
    await store.destinations.note(body.id, note, `${receiver.url}/hook?own=1`);
    await store.close();
    expect(await listed()).toMatchObject([{ id: body.id, paused_at: null, ...failing }]);
  });

  test('are added even where the handshake fails, which is reported', async () => {
    const deaf = await startPeer(() => ({ status: 404, body: 'no' }));
    const answered = await add({ url: deaf.url });
    await deaf.close();
    expect([answered.status, answered.body.handshake.ok]).toEqual([201, false]);
    expect(answered.body.handshake.detail).toContain('HTTP 404');
    // A customer does not get to know what there is in the gateway's network.
    const said = new Set(
      await Promise.all(
        [deaf.url, 'http://no-such-name.invalid/', `http://${hostname()}:9/`].map(async (url) => {
          const { status, body } = await add({ url });
          return JSON.stringify([status, body.handshake]);
        }),
      ),
    );
    expect([...said]).toEqual([
      JSON.stringify([
        201,
        {
          ok: false,
          detail:
            'The gateway cannot reach this address. If the address is private, for example n8n on the same Docker network, the operator of the gateway has to allow it with GATEWAY_ALLOW_DESTINATIONS. Events are sent all the same.',
        },
      ]),
    ]);
    const unreachable = await add({ url: deaf.url });
    expect([unreachable.status, unreachable.body.handshake.ok]).toEqual([201, false]);
    expect(await listed()).toHaveLength(5);
  });

  test('receive what contacts write, until they are removed', async () => {
    const { body } = await add();
    await line.wrote(CONTACT, 0);
    const [, event] = await receiver.untilReceived(2);
    expect(JSON.parse(event?.body ?? '').entry[0].changes[0].value.messages[0].from).toBe(CONTACT);

    expect((await ask('DELETE', `/${body.id}`)).body).toEqual({ success: true });
    await line.wrote(CONTACT, 0);
    expect(await listed()).toEqual([]);
    expect(receiver.received).toHaveLength(2);
  });

  test('DELETE …/{id}/pause: one that was paused gets what has waited', async () => {
    const { body } = await add();
    await scene.change(({ store }) =>
      store.destinations.update(body.id, {
        paused_at: new Date(scene.clock.now).toISOString(),
        paused_because: 'It answered 410 Gone.',
      }),
    );
    await line.wrote(CONTACT, 0);
    expect(await listed()).toMatchObject([{ id: body.id, paused_at: expect.any(String) }]);
    expect(receiver.received).toHaveLength(1); // the handshake
    const other = await scene.line();
    expectRefusal(await ask('DELETE', `/${body.id}/pause`, undefined, other), 404, 'not_found', 100);
    for (let times = 0; times < 2; times++)
      expect((await ask('DELETE', `/${body.id}/pause`)).body).toEqual({ success: true });
    const [, event] = await receiver.untilReceived(2);
    expect(JSON.parse(event?.body ?? '').entry[0].changes[0].value.messages[0].from).toBe(CONTACT);
    expect(await listed()).toMatchObject([{ id: body.id, paused_at: null, paused_because: null }]);
    const resumed = await rows(
      scene.databaseUrl,
      `select number from audit where action = 'destination.resumed'`,
    );
    expect(resumed).toHaveLength(1);
  });

  test('expire after the seconds given: then they are gone and receive nothing', async () => {
    const { body } = await add({ expires_in: 60 });
    expect(body.expires_at).toBe(new Date(scene.clock.now + 60_000).toISOString());
    scene.clock.now += 59_999;
    expect(await listed()).toHaveLength(1);
    scene.clock.now += 1;
    expect(await listed()).toEqual([]);
    await line.wrote(CONTACT, 0);
    expectRefusal(await ask('DELETE', `/${body.id}`), 404, 'not_found', 100);
    expect(receiver.received).toHaveLength(1);
  });

  test('DELETE …/{id}: by the own line alone, and only those that a token added; the forwarding URL is set in a control panel', async () => {
    const other = await scene.line();
    const { body } = await add();
    expectRefusal(await ask('DELETE', `/${body.id}`, undefined, other), 404, 'not_found', 100);
    expect(await listed(other)).toEqual([]);
    await scene.change(async ({ store, vault }) => {
      await store.destinations.insert({
        line_id: line.id,
        url: `${receiver.url}/crm`,
        secret_sealed: vault.seal('destinations.secret', 'a secret of the operator'),
        origin: 'forwarding',
        mode: 'split',
        events: '["messages"]',
        created_at: new Date(scene.clock.now).toISOString(),
      });
    });
    const forwarding = (await listed()).find(({ origin }) => origin === 'forwarding');
    expectRefusal(await ask('DELETE', `/${forwarding.id}`), 404, 'not_found', 100);
    expectRefusal(await ask('DELETE', `/${forwarding.id}/pause`), 404, 'not_found', 100);
    expect(await listed()).toHaveLength(2);
    expect((await ask('DELETE', `/${body.id}`)).status).toBe(200);
    expectRefusal(await ask('DELETE', `/${body.id}`), 404, 'not_found', 100);
  });

  test.each(['0', '-1', 'abc', '99999999999999999999', '1e1', '%00', "1'--"])(
    'are not found by an id that is none: %s',
    async (id) => {
      expectRefusal(await ask('DELETE', `/${id}`), 404, 'not_found', 100);
    },
  );

  test('are removed by a client that announces JSON and sends none', async () => {
    const { body } = await add();
    const reply = await call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/destinations/${body.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
    });
    expect([reply.status, reply.body]).toEqual([200, { success: true }]);
  });

  test.each([
    ['no address at all', { url: undefined }, 'url is missing'],
    ['a number for the address', { url: 7 }, 'url is a number; it must be a text.'],
    ['an empty address', { url: '' }, 'Enter a full address'],
    ['no address', { url: 'example.com' }, 'Enter a full address, such as https://example.com/webhook'],
    [
      'another scheme',
      { url: 'ftp://example.com' },
      'A destination starts with https:// or http://, not ftp://',
    ],
    [
      'a long address',
      { url: `https://example.com/${'x'.repeat(2048)}` },
      'A URL has up to 2048 characters.',
    ],
    ['a short secret', { secret: 'short' }, 'secret'],
    ['a secret with a line break', { secret: 'a secret of sixteen\n' }, SPACED_SECRET],
    ['a secret with a space before it', { secret: ' a secret of sixteen' }, SPACED_SECRET],
    ['a secret with a tab', { secret: 'a secret of\tsixteen' }, SPACED_SECRET],
    ['a secret with an invisible character', { secret: 'a secret\u200b of sixteen' }, SPACED_SECRET],
    ['a header with a space at its end', { headers: { 'x-key': 'value ' } }, 'has a space at an end'],
    [
      'unknown events',
      { events: ['replies'] },
      'events[0]: "replies" is not possible here. Choose messages, sent, delivered, read, failed, echoes, account.',
    ],
    ['no events', { events: [] }, 'events: Choose at least one.'],
    ['events that are no list', { events: 'messages' }, 'events is "messages"; it must be a list.'],
    ['an unknown mode', { mode: 'batch' }, 'mode: "batch" is not possible here. Choose split, raw.'],
    [
      'an end at once',
      { expires_in: 0 },
      'expires_in: Enter a whole number of seconds from 1 to 31,622,400.',
    ],
    ['half a second', { expires_in: 0.5 }, 'expires_in'],
    ['headers that are no object', { headers: 'a: b' }, 'headers'],
    ['a header of the gateway', { headers: { Host: 'a' } }, 'sent by the gateway'],
    ['a field that nobody knows', { event: [] }, 'event is not known here'],
  ])('are not added with %s', async (_name, body, told) => {
    const reply = await ask('POST', '', { url: 'https://example.com', ...body });
    expect([reply.status, reply.body.error_code]).toEqual([400, 'invalid_payload']);
    expect(reply.body.error.error_data.details).toContain(told);
    expect(reply.body.error.error_data.fields).toEqual([
      expect.objectContaining({
        path: expect.stringMatching(/^(url|secret|events?(\[0\])?|mode|headers|expires_in)$/),
      }),
    ]);
    expect(await listed()).toEqual([]);
  });

  test('are not added by a body that is no JSON', async () => {
    expectRefusal(await ask('POST', '', '{'), 400, 'invalid_json', 100);
    expectRefusal(await ask('POST'), 400, 'invalid_json', 100);
    expect(await listed()).toEqual([]);
  });

  test('are not added at an address that is not public, and the setting that allows it is named', async () => {
    const reply = await ask('POST', '', { url: 'http://10.0.0.1/' });
    expect(expectRefusal(reply, 400, 'invalid_payload', 131009)).toContain('GATEWAY_ALLOW_DESTINATIONS');
    expect(await listed()).toEqual([]);
  });
});
