import { fact } from '../../../gateway/wording/facts';
import { Refusal } from '../../../gateway/errors';
import { handshake } from '../../../gateway/forwarding/destinations/handshake';
import {
  updateDestination,
  setForwardingUrl,
} from '../../../gateway/forwarding/destinations/destination-rows';
import { verifyTokenOf } from '../../../gateway/forwarding/signatures';
import { destinationRules } from '../../../gateway/http/destination-address';
import { createHttpClient } from '../../../gateway/http/http-client';
import { openStore, type Store } from '../../../gateway/store/store';
import { createVault } from '../../../gateway/store/vault';
import { HOUR, isoTime } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { destinationTo, openForwarding, seedFailing, statesOf, textOf, type Forwarding } from './support';

/** Where the last of all attempts is due in a day. */
const LATE = { due_at: isoTime(Date.now() + 20 * HOUR) };

describe.each(DATABASES)('the destinations of a line ($name)', ({ createUrl }) => {
  let forwarding: Forwarding;
  let before: HttpPeer | undefined;
  let after: HttpPeer | undefined;

  afterEach(async () => {
    await Promise.all([before?.close(), after?.close()]);
    await forwarding.stop();
  });

  const depsOf = (store: Store) => ({
    store,
    vault: createVault('a key for tests, and for nothing else'),
    rules: destinationRules(['127.0.0.1']),
    registry: forwarding.registry,
    clock: Date.now,
  });

  test('are refused at save where their address is not public, with the setting that allows it', async () => {
    forwarding = await openForwarding(await createUrl());
    for (const url of ['http://10.1.2.3/', 'ftp://example.com/', 'https://user:word@example.com/', 'x']) {
      const refused = (await forwarding.addDestination(url).catch((error: unknown) => error)) as Refusal;
      expect(refused).toBeInstanceOf(Refusal);
      expect(refused.status).toBe(400);
    }
    await expect(forwarding.addDestination('http://10.1.2.3/')).rejects.toMatchObject({
      error: { error_data: { details: expect.stringContaining('GATEWAY_ALLOW_DESTINATIONS') } },
    });
    expect(await forwarding.store.destinations.active('')).toEqual([]);
  });

  test('are refused headers that cannot be sent, or that the gateway sends itself', async () => {
    forwarding = await openForwarding(await createUrl());
    for (const headers of [
      { 'webhook-id': 'mine' },
      { 'Content-Type': 'text/plain' },
      { 'X-Gateway-Line': '1' },
      { 'bad name': 'x' },
      { 'X-Own': 'two\r\nX-Lines: x' },
      { 'X-Own': 'é' },
      Object.fromEntries(Array.from({ length: 21 }, (_, number) => [`x-${number}`, ''])),
    ]) {
      await expect(
        forwarding.addDestination('http://127.0.0.1:9/', { headers: headers as Record<string, string> }),
      ).rejects.toMatchObject({ status: 400, errorCode: 'invalid_payload' });
    }
    const { id } = await forwarding.addDestination('http://127.0.0.1:9/', {
      headers: { Authorization: 'Basic secret' },
    });
    expect(forwarding.destinations.byId(id)?.headers).toEqual({ Authorization: 'Basic secret' });
    const [row] = await forwarding.store.destinations.active('');
    expect(JSON.stringify(row)).not.toContain('Basic');
  });

  test('keep their queue and their secret when the forwarding URL moves, and go on if they were paused', async () => {
    before = await startPeer(() => ({ status: 410 }));
    after = await startPeer();
    forwarding = await openForwarding(await createUrl());
    await forwarding.dispatcher.start();
    const deps = depsOf(forwarding.store);
    const first = await setForwardingUrl(deps, 1, null, { url: before.url, secret: null });
    await forwarding.receive('16505551234', 'kept');
    await before.untilReceived(1);
    await until(() => forwarding.destinations.forwardingUrlOf(1)?.pausedAt !== null);
    const paused = forwarding.destinations.forwardingUrlOf(1);
    const moved = await setForwardingUrl(deps, 1, paused, { url: after.url, secret: null });
    expect(moved).toMatchObject({ id: first.id, secret: first.secret, pausedAt: null });
    expect(forwarding.destinations.forwardingUrlOf(1)).toEqual(moved);
    expect(await statesOf(forwarding, first.id)).toEqual(['pending']);
    await forwarding.receive('16505552222', 'fresh');
    await after.untilReceived(1);
    expect(after.received.map(textOf)).toEqual(['fresh']);
  });

  test('are sent at once what waits for a later attempt when they go on, and behind it what was never tried', async () => {
    after = await startPeer();
    forwarding = await openForwarding(await createUrl());
    const { id } = await forwarding.addDestination(after.url);
    await forwarding.pauseDestination(id);
    await seedFailing(forwarding, id, 'b', 2, LATE);
    await seedFailing(forwarding, id, 'a', 1, LATE);
    await seedFailing(forwarding, id, 'c', 0);
    await forwarding.dispatcher.start();
    await forwarding.resumeDestination(id);
    await forwarding.store.wake({ waiting: [id] });
    await after.untilReceived(3);
    const sent = after.received.map(({ headers }) => [headers['webhook-id'], headers['x-gateway-attempt']]);
    expect(sent.toSorted()).toEqual([
      ['evt_a', '2'],
      ['evt_b', '3'],
      ['evt_c', '1'],
    ]);
    // The first that failed holds up what was never tried, and not the other that failed.
    expect(sent.findIndex(([id]) => id === 'evt_a')).toBeLessThan(sent.findIndex(([id]) => id === 'evt_c'));
  });

  test.each<[string, (deps: ReturnType<typeof depsOf>, id: number, url: string) => Promise<unknown>]>([
    ['changes', (deps, id, url) => updateDestination(deps, id, { url })],
    [
      'is set anew',
      (deps, id, url) => setForwardingUrl(deps, 1, forwarding.destinations.byId(id), { url, secret: null }),
    ],
  ])(
    'are sent what waits for a later attempt when their address %s, and nothing at the one before',
    async (...of) => {
      const [, change] = of;
      const url = await createUrl();
      before = await startPeer();
      after = await startPeer();
      forwarding = await openForwarding(url);
      const { id } = await forwarding.addDestination(before.url);
      await seedFailing(forwarding, id, 'a', 16, LATE);
      await forwarding.dispatcher.start();
      const command = await openStore(url);
      await change({ ...depsOf(command), registry: { refresh: async () => undefined } }, id, after.url);
      await command.close();
      // The gateway has not heard of it yet.
      await forwarding.store.wake({ waiting: [id] });
      const [request] = await after.untilReceived(1);
      expect(request?.headers['x-gateway-attempt']).toBe('17');
      expect(before.received).toEqual([]);
    },
  );
});

describe('the handshake with a destination', () => {
  const http = createHttpClient({
    rules: destinationRules(['127.0.0.1']),
    maxAnswerBytes: 16 * 1024,
    brokenBody: 'ignored',
  });
  afterAll(() => http.close());

  const destination = (url: string) => destinationTo(url, { secret: 'a secret of its own', events: [] });

  test('succeeds where the bare challenge is answered, and keeps the address’ own query', async () => {
    const receiver = await startPeer(({ url }) => ({
      headers: { 'content-type': 'text/plain' },
      body: new URL(url, 'http://x').searchParams.get('hub.challenge') ?? '',
    }));
    expect(await handshake(http, destination(`${receiver.url}/hook?key=1`))).toEqual({
      ok: true,
      said: fact('handshake.done', {}),
      connection: 'made',
    });
    const asked = new URL(receiver.received[0]?.url ?? '', 'http://x').searchParams;
    expect(asked.get('key')).toBe('1');
    expect(asked.get('hub.mode')).toBe('subscribe');
    expect(asked.get('hub.verify_token')).toBe(verifyTokenOf('a secret of its own'));
    expect(receiver.received[0]?.url).not.toContain('secret');
    await receiver.close();
  });

  test('reports what came instead, and never fails', async () => {
    const receiver = await startPeer(() => ({ status: 404, body: 'not here' }));
    expect(await handshake(http, destination(receiver.url))).toEqual({
      ok: false,
      said: fact('handshake.ignored', { status: 404 }),
      connection: 'made',
    });
    await receiver.close();
    expect(await handshake(http, destination(receiver.url))).toMatchObject({
      ok: false,
      said: fact('handshake.failed', { message: expect.stringContaining('ECONNREFUSED') }),
      connection: 'failed',
    });
  });
});
