import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { inspect, types } from 'node:util';
import { gzipSync } from 'node:zlib';
import { destinationRules } from '../../../gateway/http/destination-address';
import { createHttpClient, type HttpClient, type HttpClientOptions } from '../../../gateway/http/http-client';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';

const LIMIT = 16 * 1024;

/** Both ways to ask: axios, and the exchange of sends and deliveries. */
const WAYS = {
  axios: (http: HttpClient) => (asked: Asked) => http.axios.request<Buffer>(asked),
  exchange:
    (http: HttpClient) =>
    ({ method = 'get', headers = {}, data, timeout = 20_000, url }: Asked) =>
      http.exchange({ method: method.toUpperCase(), url, headers, body: data ?? null, timeout }),
};

interface Asked {
  url: string;
  method?: 'get' | 'post';
  headers?: Record<string, string>;
  data?: Buffer;
  timeout?: number;
}

describe.each(['axios', 'exchange'] as const)('the HTTP client by %s', (way) => {
  let peers: HttpPeer[] = [];
  let clients: HttpClient[] = [];

  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(peers.map((peer) => peer.close()));
    [peers, clients] = [[], []];
  });

  async function peer(...answer: Parameters<typeof startPeer>): Promise<HttpPeer> {
    const started = await startPeer(...answer);
    peers.push(started);
    return started;
  }

  function client(options: Partial<HttpClientOptions> = {}): {
    request: ReturnType<(typeof WAYS)[typeof way]>;
  } {
    const created = createHttpClient({
      rules: destinationRules(['127.0.0.1', '::1']),
      maxAnswerBytes: LIMIT,
      brokenBody: 'ignored',
      ...options,
    });
    clients.push(created);
    return { request: WAYS[way](created) };
  }

  test('sends method, path, headers and bytes as they are given, and nothing of its own in the body', async () => {
    const receiver = await peer();
    const bytes = Buffer.from('{"a":1}\n');
    await client().request({
      method: 'post',
      url: `${receiver.url}/path%20x?q=a%2Bb`,
      data: bytes,
      headers: { 'content-type': 'application/json', 'x-one': '1' },
    });
    const [request] = receiver.received;
    expect(request).toMatchObject({ method: 'POST', url: '/path%20x?q=a%2Bb', body: '{"a":1}\n' });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '8',
      'x-one': '1',
    });
    expect(request?.headers['transfer-encoding']).toBeUndefined();
  });

  test('gives every status back as an answer, with headers and a Buffer that is not parsed', async () => {
    const receiver = await peer(({ url }) => ({
      status: Number(url.slice(1)),
      headers: { 'x-answer': 'yes' },
      body: '{"not":"parsed"}',
    }));
    for (const status of [200, 400, 404, 500, 503]) {
      const answer = await client().request({ method: 'get', url: `${receiver.url}/${status}` });
      expect(answer.status).toBe(status);
      expect(answer.headers['x-answer']).toBe('yes');
      expect(Buffer.isBuffer(answer.data)).toBe(true);
      expect(answer.data.toString()).toBe('{"not":"parsed"}');
    }
  });

  test('fails with an error on which no header of the request hangs', async () => {
    const silent = await peer(() => 'handled');
    const failed: unknown = await client()
      .request({ url: silent.url, headers: { authorization: 'Bearer a-secret' }, timeout: 100 })
      .catch((error: unknown) => error);
    expect(types.isNativeError(failed)).toBe(true);
    expect(inspect(failed, { depth: null, showHidden: true })).not.toContain('a-secret');
  });

  test('follows no redirect', async () => {
    const elsewhere = await peer();
    const receiver = await peer(() => ({ status: 302, headers: { location: elsewhere.url } }));
    const answer = await client().request({ method: 'get', url: receiver.url });
    expect(answer.status).toBe(302);
    expect(elsewhere.received).toEqual([]);
  });

  test('decompresses nothing', async () => {
    const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024));
    const receiver = await peer((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(bomb);
      return 'handled';
    });
    const answer = await client().request({ method: 'get', url: receiver.url });
    expect(answer.data.equals(bomb.subarray(0, LIMIT))).toBe(true);
  });

  test('reads of an answer what it may keep, and hangs up on one that does not end', async () => {
    let sent = 0;
    let hungUp = false;
    const flood = await peer((_, response) => {
      const chunk = Buffer.alloc(1024, 'x');
      const pour = () => {
        if (response.destroyed) return;
        sent += chunk.length;
        if (response.write(chunk)) setImmediate(pour);
        else response.once('drain', pour);
      };
      response.on('close', () => (hungUp = true));
      response.writeHead(200);
      pour();
      return 'handled';
    });
    const answer = await client().request({ method: 'get', url: flood.url, timeout: 5000 });
    expect(answer.data).toHaveLength(LIMIT);
    await until(() => hungUp);
    expect(sent).toBeLessThan(50 * 1024 * 1024);
  });

  describe('ends an exchange when its time is up:', () => {
    const timed = (url: string, options: Partial<HttpClientOptions> = {}, timeout = 250) =>
      client(options).request({ method: 'get', url, timeout });
    const timeout = { name: 'TimeoutError' };

    test('one that is not answered', async () => {
      let hungUp = false;
      const silent = await peer((_, response) => {
        response.on('close', () => (hungUp = true));
        return 'handled';
      });
      await expect(timed(silent.url)).rejects.toMatchObject(timeout);
      await until(() => hungUp);
    });

    test('one whose answer drips: broken where the whole is wanted, kept from its status line where not', async () => {
      const dripping = await peer((_, response) => {
        response.writeHead(202);
        const drip = setInterval(() => response.write('.'), 20);
        response.on('close', () => clearInterval(drip));
        return 'handled';
      });
      await expect(timed(dripping.url, { brokenBody: 'fails' })).rejects.toMatchObject(timeout);
      // Its first bytes have to come within this; it would go on for ever.
      const answer = await timed(dripping.url, { brokenBody: 'ignored' }, 2000);
      expect(answer.status).toBe(202);
      expect(answer.data.toString()).toMatch(/^\.+$/);
    });

    test('one that is only ever told to go on', async () => {
      const flood = await peer((_, response) => {
        const hints = setInterval(() => response.writeEarlyHints({ link: '</x>; rel=preload' }), 20);
        response.on('close', () => clearInterval(hints));
        return 'handled';
      });
      await expect(timed(flood.url)).rejects.toMatchObject(timeout);
    });

    test('one whose headers never end', async () => {
      const endless = await peer((_, response) => {
        response.socket?.write('HTTP/1.1 200 OK\r\n');
        const drip = setInterval(() => response.socket?.write('x-h: 1\r\n'), 20);
        response.on('close', () => clearInterval(drip));
        return 'handled';
      });
      await expect(timed(endless.url)).rejects.toMatchObject(timeout);
    });
  });

  test('has no answer where the connection breaks before its status line', async () => {
    const rude = await peer((_, response) => {
      response.socket?.destroy();
      return 'handled';
    });
    await expect(client().request({ method: 'get', url: rude.url })).rejects.toThrow();
  });

  test('keeps an answer whose body breaks off, or fails, as it was told', async () => {
    const broken = await peer((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.socket?.destroy());
      return 'handled';
    });
    const kept = await client({ brokenBody: 'ignored' }).request({ method: 'get', url: broken.url });
    expect([kept.status, kept.data.toString()]).toEqual([200, 'half']);
    await expect(
      client({ brokenBody: 'fails' }).request({ method: 'get', url: broken.url }),
    ).rejects.toThrow();
  });

  test('uses a connection again, and not the one of a request that timed out', async () => {
    const ports: (number | undefined)[] = [];
    const receiver = await peer(({ url }, response) => {
      ports.push(response.socket?.remotePort);
      return url === '/silent' ? 'handled' : {};
    });
    const axios = client();
    const ask = (path: string, timeout = 20_000) =>
      axios.request({ method: 'get', url: receiver.url + path, timeout });
    for (let number = 0; number < 6; number++) await ask(`/${number}`);
    expect(new Set(ports).size).toBeLessThanOrEqual(2);
    await expect(ask('/silent', 200)).rejects.toThrow();
    const silent = ports.at(-1);
    for (let number = 0; number < 6; number++) await ask(`/${number}`);
    expect(ports.slice(-6)).not.toContain(silent);
  });

  describe('connects to no address that its rules refuse:', () => {
    test('a literal, IPv4 or IPv6, in any spelling', async () => {
      const receiver = await peer();
      const { port } = new URL(receiver.url);
      const axios = client({ rules: destinationRules([]) });
      for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0']) {
        await expect(axios.request({ method: 'get', url: `http://${host}:${port}/` })).rejects.toMatchObject({
          name: 'AddressRefused',
          message: expect.stringContaining('GATEWAY_ALLOW_DESTINATIONS'),
        });
      }
      expect(receiver.received).toEqual([]);
    });

    test('a name that leads there, unless the name or the address is allowed', async () => {
      const receiver = await peer();
      const url = receiver.url.replace('127.0.0.1', 'localhost');
      await expect(
        client({ rules: destinationRules([]) }).request({ method: 'get', url }),
      ).rejects.toMatchObject({ name: 'AddressRefused' });
      expect(receiver.received).toEqual([]);
      for (const allowed of [['localhost'], ['127.0.0.0/8', '::1']]) {
        const answer = await client({ rules: destinationRules(allowed) }).request({ method: 'get', url });
        expect(answer.status).toBe(200);
      }
    });

    test('one that its name led to only after it was looked at', async () => {
      const receiver = await peer();
      const url = receiver.url.replace('127.0.0.1', 'rebinding.example');
      const rules = destinationRules([]);
      // A resolver that lies: it looks up something else than what was judged.
      const axios = client({
        rules: {
          ...rules,
          lookupAt: () => (_host, options, done) =>
            options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
        },
      });
      await expect(axios.request({ method: 'get', url })).rejects.toMatchObject({
        name: 'AddressRefused',
        message: expect.stringContaining('rebinding.example (127.0.0.1)'),
      });
      expect(receiver.received).toEqual([]);
    });
  });

  test('connects to an IPv6 address that is allowed', async () => {
    const server: Server = createServer((_, response) => response.end('six'));
    await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
    const { port } = server.address() as AddressInfo;
    const answer = await client().request({ method: 'get', url: `http://[::1]:${port}/` });
    expect(answer.data.toString()).toBe('six');
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  });

  test('without rules, as the platform is called, connects anywhere', async () => {
    const receiver = await peer();
    const axios = client({ rules: undefined, brokenBody: 'fails' });
    expect((await axios.request({ method: 'get', url: receiver.url })).status).toBe(200);
  });
});
