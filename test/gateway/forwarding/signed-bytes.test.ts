import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { isoTime, MINUTE, SECOND } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type HttpPeer, type Received } from '../../support/http-peer';
import { notification } from '../../support/test-gateway';
import { openForwarding, type Forwarding } from './support';

/** Whoever has this secret takes the request for genuine, by the published library and as clients of upstream do. */
const isGenuine = ({ body, headers }: Received, secret: string) => {
  const hub = createHmac('sha256', secret).update(Buffer.from(body)).digest('hex');
  let byLibrary = true;
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
  } catch {
    byLibrary = false;
  }
  return { byLibrary, asUpstream: headers['x-hub-signature-256'] === `sha256=${hub}` };
};
const BOTH = { byLibrary: true, asUpstream: true };
const BY_LIBRARY = { byLibrary: true, asUpstream: false };
const NEITHER = { byLibrary: false, asUpstream: false };

/** Texts as people and their phones write them, and as nobody does. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('\u2028\u2029', '"\\/\b\f\n\r\t', '\u0000', '👩‍👩‍👧‍👦', '\ud83d', 'é'.repeat(3000), '</script>'),
);

describe.each(DATABASES)('the bytes of an event ($name)', ({ createUrl }) => {
  let forwarding: Forwarding;
  let receiver: HttpPeer;
  let statuses: number[] = [];
  let offset = 0;
  let number = 0;

  beforeEach(async () => {
    statuses = [];
    offset = 0;
    receiver = await startPeer(() => ({
      status: statuses.shift() ?? 200,
      headers: { 'retry-after': '60' },
    }));
    forwarding = await openForwarding(await createUrl(), () => Date.now() + offset);
    await forwarding.dispatcher.start();
  });
  afterEach(async () => {
    await receiver.close();
    await forwarding.stop();
  });

  const messageOf = (body: string) => ({
    from: '16505551111',
    id: `wamid.${++number}`,
    timestamp: String(Math.floor(Date.now() / 1000)),
    type: 'text',
    text: { body, [`unknown ${body.slice(0, 5)}`]: [body, null, 1.5e300] },
  });

  const sent = async () => {
    const before = receiver.received.length;
    await forwarding.notified(notification({ messages: [messageOf('x')] }));
    return (await receiver.untilReceived(before + 1)).at(-1) as Received;
  };

  test('are those that are signed, whatever they hold, alone as they came or rebuilt in ASCII', async () => {
    const { secret } = await forwarding.addDestination(receiver.url);
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 3 }), async (texts) => {
        receiver.received.length = 0;
        const body = notification({ messages: texts.map(messageOf) });
        await forwarding.notified(body);
        const requests = await receiver.untilReceived(texts.length);
        for (const request of requests) {
          expect(isGenuine(request, secret)).toEqual(BOTH);
          expect(request.headers['content-length']).toBe(String(Buffer.byteLength(request.body)));
          // Only one that came alone goes out as it came.
          if (texts.length === 1) expect(request.body).toBe(Buffer.from(JSON.stringify(body)).toString());
          else expect(request.body).toMatch(/^[\x20-\x7e]*$/);
        }
      }),
      { numRuns: 10 },
    );
  });

  test('are signed when there are three million of them', async () => {
    const { secret } = await forwarding.addDestination(receiver.url);
    await forwarding.notified(notification({ messages: [messageOf('é😀'.repeat(400_000))] }));
    const [request] = await receiver.untilReceived(1);
    expect(Buffer.byteLength(request?.body ?? '')).toBeGreaterThan(2_400_000);
    expect(isGenuine(request as Received, secret)).toEqual(BOTH);
  });

  test('are the same on a retry and on a replay, under the same id and signed anew', async () => {
    const { id, secret } = await forwarding.addDestination(receiver.url);
    statuses = [500];
    const message = messageOf('Olá 😀');
    await forwarding.notified(notification({ messages: [message] }));
    const stored = async () => (await forwarding.store.deliveries.ofDestination(id))[0];
    await until(async () => (await stored())?.attempts === 1);
    // An event that is recorded later makes the dispatcher look at what waits.
    offset += 90 * SECOND;
    await forwarding.notified(notification({ messages: [messageOf('later')] }));
    await until(async () => (await stored())?.state === 'delivered');
    await forwarding.replay(id);
    // What is replayed is found by a scan; there is one every 5 seconds.
    await until(async () => (await stored())?.attempts === 3);
    const requests = receiver.received.filter(({ body }) => body.includes(`"${message.id}"`));
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers['webhook-timestamp'])).size).toBeGreaterThan(1);
    expect(requests.map(({ headers }) => headers['x-gateway-attempt'])).toEqual(['1', '2', '3']);
    for (const request of requests) expect(isGenuine(request, secret)).toEqual(BOTH);
  });

  test('are signed with both secrets while one replaces the other, and never after that with the old one', async () => {
    const { id, secret: old } = await forwarding.addDestination(receiver.url);
    expect(isGenuine(await sent(), old)).toEqual(BOTH);
    const fresh = await forwarding.rotateSecret(id, MINUTE);
    const during = await sent();
    expect(isGenuine(during, old)).toEqual(BOTH);
    expect(isGenuine(during, fresh)).toEqual(BY_LIBRARY);
    offset = MINUTE + SECOND;
    const after = await sent();
    expect(isGenuine(after, fresh)).toEqual(BOTH);
    expect(isGenuine(after, old)).toEqual(NEITHER);
    const last = await forwarding.rotateSecret(id, 0);
    const atOnce = await sent();
    expect(isGenuine(atOnce, last)).toEqual(BOTH);
    expect(isGenuine(atOnce, fresh)).toEqual(NEITHER);
  });

  test('are signed with each secret until its overlap ends, however often it is replaced meanwhile', async () => {
    const { id, secret: first } = await forwarding.addDestination(receiver.url);
    const lost = await forwarding.rotateSecret(id, MINUTE);
    offset = 30 * SECOND;
    const last = await forwarding.rotateSecret(id, MINUTE);
    const signers = async () => {
      const request = await sent();
      return [first, lost, last].map((secret) => isGenuine(request, secret));
    };
    expect(await signers()).toEqual([BOTH, BY_LIBRARY, BY_LIBRARY]);
    offset = MINUTE + SECOND;
    expect(await signers()).toEqual([NEITHER, BOTH, BY_LIBRARY]);
    const afterTheft = await forwarding.rotateSecret(id, 0);
    expect(await signers()).toEqual([NEITHER, NEITHER, NEITHER]);
    expect(isGenuine(await sent(), afterTheft)).toEqual(BOTH);
  });

  test('are signed with all three secrets where two of them were made at the same moment', async () => {
    const { id, secret } = await forwarding.addDestination(receiver.url);
    const made = await Promise.all([MINUTE, MINUTE].map((overlap) => forwarding.rotateSecret(id, overlap)));
    const request = await sent();
    expect(isGenuine(request, secret)).toEqual(BOTH);
    for (const one of made) expect(isGenuine(request, one)).toEqual(BY_LIBRARY);
  });

  test('are signed with five earlier secrets at most, those that were replaced last', async () => {
    const { id, secret } = await forwarding.addDestination(receiver.url);
    const secrets = [secret];
    while (secrets.length < 7) secrets.push(await forwarding.rotateSecret(id, MINUTE));
    const request = await sent();
    expect(secrets.map((one) => isGenuine(request, one))).toEqual([
      NEITHER,
      BOTH,
      ...Array<typeof BOTH>(5).fill(BY_LIBRARY),
    ]);
    expect(String(request.headers['webhook-signature']).split(' ')).toHaveLength(6);
  });

  test('are signed with a previous secret that was stored by itself', async () => {
    const { id, secret } = await forwarding.addDestination(receiver.url);
    await forwarding.store.destinations.update(id, {
      previous_secret_sealed: forwarding.vault.seal('destinations.secret', 'stored by itself'),
      previous_secret_until: isoTime(Date.now() + MINUTE),
    });
    await forwarding.registry.refresh();
    const isByItself = ({ body, headers }: Received) =>
      headers['x-hub-signature-256'] ===
      `sha256=${createHmac('sha256', 'stored by itself').update(body).digest('hex')}`;
    const before = await sent();
    expect([isByItself(before), isGenuine(before, secret)]).toEqual([true, BY_LIBRARY]);
    await forwarding.rotateSecret(id, 2 * MINUTE);
    const replaced = await sent();
    expect([isByItself(replaced), isGenuine(replaced, secret)]).toEqual([true, BY_LIBRARY]);
    offset = MINUTE + SECOND;
    expect(isGenuine(await sent(), secret)).toEqual(BOTH);
  });
});
