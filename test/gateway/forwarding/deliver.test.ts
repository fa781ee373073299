import { Webhook } from 'standardwebhooks';
import { deliver } from '../../../gateway/forwarding/deliver';
import { createSecret } from '../../../gateway/forwarding/signatures';
import { destinationRules } from '../../../gateway/http/destination-address';
import { createHttpClient, type HttpClient } from '../../../gateway/http/http-client';
import { DAY, MINUTE } from '../../../gateway/time';
import { startPeer, type HttpPeer } from '../../support/http-peer';
import { destinationTo } from './support';

const SECRET = createSecret();
const BODY = '{"text":"Olá 😀"}';

const http = createHttpClient({
  rules: destinationRules(['127.0.0.1', 'localhost']),
  maxAnswerBytes: 16 * 1024,
  brokenBody: 'ignored',
});
let peers: HttpPeer[] = [];

afterEach(async () => {
  await Promise.all(peers.map((peer) => peer.close()));
  peers = [];
});
afterAll(() => http.close());

async function peer(...answer: Parameters<typeof startPeer>): Promise<HttpPeer> {
  const started = await startPeer(...answer);
  peers.push(started);
  return started;
}

const to = (url: string) => destinationTo(url, { secret: SECRET });

/** Waits for no more than so many milliseconds. */
const impatiently = (client: HttpClient, timeout: number): HttpClient => ({
  ...client,
  exchange: (question) => client.exchange({ ...question, timeout }),
});

const attemptAt = (url: string, client = http, clock = Date.now) =>
  deliver(client, to(url), { eventId: 'evt_1', body: BODY, attempt: 3, line: '106540352242922' }, clock);

describe('one attempt to deliver', () => {
  test('sends the bytes as they are, with their length, both signatures and the attempt', async () => {
    const receiver = await peer();
    const outcome = await attemptAt(`${receiver.url}/hook?key=1`);
    expect(outcome).toMatchObject({ outcome: 'delivered', httpStatus: 200, answer: '{}', retryAfter: null });
    const [request] = receiver.received;
    expect(request).toMatchObject({ method: 'POST', url: '/hook?key=1', body: BODY });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(BODY)),
      'user-agent': 'Messaging-Gateway',
      'webhook-id': 'evt_1',
      'x-gateway-line': '106540352242922',
      'x-gateway-attempt': '3',
      'x-hub-signature-256': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    });
    expect(request?.headers['transfer-encoding']).toBeUndefined();
    expect(new Webhook(SECRET).verify(BODY, request?.headers as Record<string, string>)).toEqual({
      text: 'Olá 😀',
    });
  });

  test.each([200, 201, 204, 299])('is delivered when it is answered %d', async (status) => {
    const receiver = await peer(() => ({ status }));
    expect(await attemptAt(receiver.url)).toMatchObject({ outcome: 'delivered', httpStatus: status });
  });

  test.each([301, 302, 307, 308, 400, 401, 403, 404, 410, 429, 500, 503])(
    'is not delivered when it is answered %d',
    async (status) => {
      const elsewhere = await peer();
      const receiver = await peer(() => ({ status, headers: { location: elsewhere.url }, body: 'why' }));
      expect(await attemptAt(receiver.url)).toMatchObject({
        outcome: 'http_error',
        httpStatus: status,
        answer: 'why',
      });
      expect(elsewhere.received).toEqual([]);
    },
  );

  test('reads how long it is asked to wait, in seconds or as a date', async () => {
    const now = Date.parse('2026-03-01T12:00:00Z');
    const asked = async (header: string) => {
      const receiver = await peer(() => ({ status: 429, headers: { 'retry-after': header } }));
      return (await attemptAt(receiver.url, http, () => now)).retryAfter;
    };
    expect(await asked('120')).toBe(120_000);
    expect(await asked('Sun, 01 Mar 2026 12:01:30 GMT')).toBe(90_000);
    expect(await asked('Sun, 01 Mar 2026 11:00:00 GMT')).toBe(0);
    for (const senseless of ['soon', 'soon, in 3000', '-1', '1.5', '3000-01-01'])
      expect(await asked(senseless)).toBeNull();
    expect(await asked('9'.repeat(400))).toBe(Infinity);
  });

  test('tells in a word why no answer came', async () => {
    const silent = await peer(() => 'handled');
    expect(await attemptAt(silent.url, impatiently(http, 200))).toMatchObject({
      outcome: 'timeout',
      httpStatus: null,
    });

    expect(await attemptAt('http://127.0.0.1:1/')).toMatchObject({ outcome: 'connection', httpStatus: null });
    expect(await attemptAt('http://localhost:1/')).toMatchObject({ outcome: 'connection' });
    expect(await attemptAt('http://does-not-exist.invalid/')).toMatchObject({ outcome: 'dns' });
    expect(await attemptAt('http://10.0.0.1/')).toMatchObject({
      outcome: 'address_refused',
      answer: expect.stringContaining('GATEWAY_ALLOW_DESTINATIONS'),
    });

    const plain = await peer();
    expect(await attemptAt(plain.url.replace('http:', 'https:'))).toMatchObject({ outcome: 'tls' });

    const rude = await peer((_, response) => {
      response.socket?.end('this is no HTTP\r\n\r\n');
      return 'handled';
    });
    const outcome = await attemptAt(rude.url);
    expect(outcome.outcome).toBe('connection');
    expect(outcome.answer).not.toBe('');
  });

  test('took what it took, however the clock is set meanwhile', async () => {
    const { url } = await peer();
    for (const by of [DAY, -DAY]) {
      const times = [0, by];
      const { durationMs } = await attemptAt(url, http, () => times.shift() ?? by);
      expect(durationMs).toBeGreaterThanOrEqual(0);
      expect(durationMs).toBeLessThan(MINUTE);
    }
  });

  test('counts a status line that says success, although the answer never ends', async () => {
    const endless = await peer((_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
      return 'handled';
    });
    const outcome = await attemptAt(endless.url, impatiently(http, 2000));
    expect(outcome).toMatchObject({ outcome: 'delivered', httpStatus: 200 });
    expect(outcome.answer).toMatch(/^\.+$/);
    // Without that time an exchange has 20 seconds.
    expect(outcome.durationMs).toBeLessThan(20_000);
  });
});
