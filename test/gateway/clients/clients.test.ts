import { DATABASES } from '../../support/databases';
import { startPeer, type HttpPeer } from '../../support/http-peer';
import { SCOPES } from '../../../gateway/store/schema';
import { call, CONTACT, lineOf, sceneOf, type TestLine } from '../../support/scene';
import { notification, notify } from '../../support/test-gateway';
import { greatDetail } from './great-detail';
import { kapso } from './kapso';
import { type Address, type ManagingClient } from './published-client';
import { whatsappApiJs } from './whatsapp-api-js';
import { whatsappBusiness } from './whatsapp-business';
import { wsCloudApi } from './ws-cloud-api';

const CLIENTS = [whatsappApiJs, kapso, greatDetail, whatsappBusiness];
const SECRET = 'the secret of a receiver';
const NOBODY: Address = {
  url: 'http://127.0.0.1',
  phoneNumberId: '1',
  accountId: '2',
  token: 'none',
  to: CONTACT,
};

const template = (name: string, text: string) => ({
  id: name,
  name,
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [{ type: 'BODY', text }],
});

/** As upstream writes JSON. */
const ascii = (value: object): string =>
  JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

describe.each(DATABASES)('clients from npm, unmodified ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_PAIR_LIMIT: 'off' });
  const line = lineOf(scene);
  let receiver: HttpPeer;

  beforeAll(async () => {
    scene.upstream.answers.templates = () => ({
      body: {
        data: [
          template('hello_world', 'Welcome!'),
          template('order_update', 'Hello {{1}}, your order {{2}} is on its way.'),
        ],
      },
    });
    await line.wrote(CONTACT, 1);
    receiver = await startPeer();
    const { status } = await call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/destinations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiver.url, secret: SECRET }),
    });
    expect(status).toBe(201);
  });
  afterAll(() => receiver.close());

  const addressOf = (more: Partial<Address> = {}): Address => ({
    url: scene.gateway.url,
    phoneNumberId: line.phoneNumberId,
    accountId: 'none',
    token: line.token,
    to: CONTACT,
    ...more,
  });

  describe.each(CLIENTS)('$name', (published) => {
    test.each(Object.keys(published.connect(NOBODY).messages))(
      'sends what it builds and reads the answer: %s',
      async (name) => {
        const before = line.sent().length;
        const id = await published.connect(addressOf()).messages[name]?.();
        expect(id).toBe(`wamid.${CONTACT}`);
        const [body] = line.sent().slice(before);
        expect(JSON.parse(body ?? '')).toMatchObject({ messaging_product: 'whatsapp', to: CONTACT });
        expect(line.sent()).toHaveLength(before + 1);
      },
    );

    test('marks a message as read', async () => {
      expect(await published.connect(addressOf()).markAsRead('wamid.in.1')).toBe(true);
      expect(JSON.parse(line.sent().at(-1) ?? '')).toMatchObject({
        status: 'read',
        message_id: 'wamid.in.1',
      });
    });

    test("tells a refusal in its own form, with upstream's number", async () => {
      const before = line.sent().length;
      const outside = await published.connect(addressOf()).refused('16505550000');
      expect(outside.code).toBe(131047);
      expect(outside.details).toContain('16505550000');
      const mistyped = await published.connect(addressOf({ token: 'gwl_wrong' })).refused(CONTACT);
      expect(mistyped.code).toBe(190);
      const empty = await published.connect(addressOf()).refused('nobody');
      expect(empty.code).toBe(131009);
      expect(line.sent()).toHaveLength(before);
    });

    test('accepts and parses the events that are forwarded', async () => {
      receiver.received.length = 0;
      const wamid = `wamid.${published.name}.${scene.databaseUrl.length}`;
      const written = (id: string, body: string) => ({
        from: CONTACT,
        id,
        timestamp: '1773140000',
        type: 'text',
        text: { body },
      });
      const contacts = [{ profile: { name: 'João' }, wa_id: CONTACT }];
      const status = {
        id: `${wamid}.out`,
        status: 'delivered',
        timestamp: '1773140001',
        recipient_id: CONTACT,
      };
      // One alone, which goes out as it came, and a batch, which is taken apart.
      const bodies = [
        { contacts, messages: [written(`${wamid}.1`, 'Olá, tudo bem? 👋')] },
        {
          contacts,
          messages: [written(`${wamid}.2`, 'É já!'), written(`${wamid}.3`, 'a/b')],
          statuses: [status],
        },
      ];
      for (const value of bodies)
        expect(await notify(scene.gateway, ascii(notification(value, line.phoneNumberId)))).toBe(200);
      const events = await receiver.untilReceived(4);
      const read = await Promise.all(events.map((event) => published.read(event, SECRET)));
      expect(read).toHaveLength(4);
      expect(read).toEqual(
        expect.arrayContaining([
          { from: CONTACT, text: 'Olá, tudo bem? 👋' },
          { from: CONTACT, text: 'É já!' },
          { from: CONTACT, text: 'a/b' },
          { id: `${wamid}.out`, status: 'delivered' },
        ]),
      );
      if (!published.verifies) return;
      for (const event of events) await expect(published.read(event, 'another secret')).rejects.toThrow();
    });

    test('answers the handshake that is made when its address is registered', async () => {
      const asked: Record<string, string>[] = [];
      let verifyToken = '';
      const own = await startPeer(async ({ url }) => {
        const query = Object.fromEntries(new URL(url, 'http://receiver').searchParams);
        asked.push(query);
        verifyToken = query['hub.verify_token'] ?? '';
        return {
          headers: { 'content-type': 'text/plain' },
          body: await published.challenge(query, verifyToken),
        };
      });
      const { body } = await call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/destinations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: own.url, expires_in: 1 }),
      });
      await own.close();
      scene.clock.now += 1000;
      expect(asked).toHaveLength(1);
      expect([body.verify_token, body.handshake.ok]).toEqual([verifyToken, true]);
    });
  });
});

describe('what clients from npm manage is the same through the gateway and at the platform', () => {
  const scene = sceneOf(undefined, { GATEWAY_UPSTREAM_URL: 'sandbox', GATEWAY_TOKEN_RATE: 'off' });
  const ACCOUNTS = { own: '402290129340398', direct: '502290129340398' };
  const own = lineOf(scene, { accessToken: 'EAAown', wabaId: ACCOUNTS.own });
  const direct = lineOf(scene, { accessToken: 'EAAdirect', wabaId: ACCOUNTS.direct });

  let gateways: Address;
  let platforms: Address;
  beforeAll(async () => {
    const of = ({ phoneNumberId }: TestLine) => ({ phoneNumberId, to: CONTACT });
    const token = await scene.token(own.id, null, { scopes: [...SCOPES], answers: 'platform' });
    gateways = { ...of(own), url: scene.gateway.url, accountId: ACCOUNTS.own, token };
    platforms = {
      ...of(direct),
      url: scene.gateway.sandboxUrl ?? '',
      accountId: ACCOUNTS.direct,
      token: 'EAAdirect',
    };
  });

  /** Lists by name: the platform documents no order of templates. */
  const byName = (_: string, value: unknown): unknown =>
    Array.isArray(value)
      ? value.toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)))
      : value;

  /** Without what differs between two lines: ids, and addresses of files and pages. */
  const alike = (returned: unknown): string =>
    [own, direct]
      .reduce(
        (text, { phoneNumberId }) => text.replaceAll(phoneNumberId, 'PHONE'),
        JSON.stringify(returned, byName) ?? 'nothing',
      )
      .replaceAll(/[45]02290129340398/g, 'ACCOUNT')
      .replaceAll(/https?:\/\/127\.0\.0\.1:\d+[^"]*/g, 'ADDRESS')
      .replaceAll(/\b\d{15,16}\b/g, 'ID')
      .replaceAll(/\b[0-9A-F]{14}\b/g, 'CODE')
      .replaceAll(/"cursors":\{[^}]*\}/g, '"cursors":{}');

  describe.each<ManagingClient>([...CLIENTS, wsCloudApi])('$name', (published) => {
    type Calls = ReturnType<ManagingClient['manage']>;
    let throughGateway: Calls;
    let atPlatform: Calls;
    beforeAll(() => {
      throughGateway = published.manage(gateways);
      atPlatform = published.manage(platforms);
    });

    test.each(Object.keys(published.manage(NOBODY)))('%s', async (name) => {
      const expected = await atPlatform[name]?.();
      const returned = await throughGateway[name]?.();
      expect(alike(returned)).toBe(alike(expected));
      expect(alike(expected)).not.toMatch(/^(nothing|false|"")$|"error"|"success":false|"data":\[\]/);
    });
  });
});
