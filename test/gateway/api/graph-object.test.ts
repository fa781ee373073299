import { createServer, request as httpRequest, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { DATABASES } from '../../support/databases';
import { until } from '../../support/http-peer';
import { exchange } from '../../support/raw-http';
import {
  call,
  expectRefusal,
  sceneOf,
  sqliteUrl,
  startScene,
  upstreamError,
  withoutAction,
  type Reply,
  type Scene,
  type TestLine,
} from '../../support/scene';
import { answer, startMediaUpstream, unknownObject, type MediaUpstream } from '../media/support';

const MEDIA = '1227829768162607';
/** An object whose description takes long. */
const SLOW = '1227829768162608';
const BYTES = Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1');

// On one database: none has a part in what becomes of a file.
describe.each(DATABASES.slice(0, 1))('a media file on $name', ({ createUrl }) => {
  let upstream: MediaUpstream;
  let scene: Scene;
  let line: TestLine;
  /** What upstream says that the file's address is. */
  let fileUrl: string;
  let serve: MediaUpstream['onRequest'];

  const node = () => ({
    url: fileUrl,
    mime_type: 'image/png',
    sha256: '72fd8a734216768565faf2b59cec266eea00a78dd039ce84356319fc8c4ad22e',
    file_size: BYTES.length,
    id: MEDIA,
    messaging_product: 'whatsapp',
  });

  beforeAll(async () => {
    upstream = await startMediaUpstream();
    scene = await startScene(await createUrl(), { GATEWAY_UPSTREAM_URL: upstream.url });
    line = await scene.line();
  });
  afterAll(async () => {
    await scene.stop();
    await upstream.close();
  });
  beforeEach(() => {
    upstream.asked.length = 0;
    fileUrl = `${upstream.url}/whatsapp_business/attachments/?mid=1&ext=2&hash=3`;
    serve = (_request, response) => {
      response.writeHead(200, {
        'content-type': 'image/png',
        'content-length': BYTES.length,
        'x-fb-debug': 'x',
      });
      response.end(BYTES);
    };
    upstream.onRequest = (request, response) => {
      const path = request.url ?? '';
      if (path.startsWith('/whatsapp_business/')) return serve(request, response);
      if (!path.startsWith(`/v22.0/${MEDIA}`))
        return answer(response, 400, unknownObject('get', path.slice(7).split('?')[0] ?? ''));
      return answer(response, 200, request.method === 'DELETE' ? { success: true } : node());
    };
  });

  const ask = (path: string, init: RequestInit = {}, token = line.token): Promise<Reply> =>
    call(`${scene.gateway.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
    });
  /** But for the gateway's own look at a line whose credential was refused, which comes a little later. */
  const asked = () =>
    upstream.asked
      .map(({ what }) => what)
      .filter((what) => !what.startsWith(`GET /v22.0/${line.phoneNumberId}?fields=`));
  /** How upstream is asked for the file: always as one of this line's number. */
  const named = () => `/v22.0/${MEDIA}?phone_number_id=${line.phoneNumberId}`;

  test.each(['', '/api'])(
    'is described in upstream\'s shape, with an address here, under "%s"',
    async (prefix) => {
      const reply = await ask(`${prefix}/v22.0/${MEDIA}`);
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({ ...node(), url: `${scene.gateway.url}${prefix}/v22.0/${MEDIA}/content` });
      expect(reply.text).not.toContain(upstream.url);
      expect(upstream.asked[0]?.headers.authorization).toBe('Bearer upstream-access-token');
      // As an upstream client goes on.
      const file = await fetch(reply.body.url, { headers: { authorization: `Bearer ${line.token}` } });
      expect(Buffer.from(await file.arrayBuffer())).toEqual(BYTES);
    },
  );

  test('GET /v22.0/{media_id}; download through the gateway, so that customers need no upstream credentials', async () => {
    for (let times = 0; times < 2; times++) {
      const file = await fetch(`${scene.gateway.url}/v22.0/${MEDIA}/content`, {
        headers: { authorization: `Bearer ${line.token}` },
      });
      expect(file.status).toBe(200);
      expect(Object.fromEntries(file.headers)).toMatchObject({
        'content-type': 'image/png',
        'content-length': String(BYTES.length),
        'x-gateway-version': 'v22.0',
      });
      expect(file.headers.has('x-fb-debug')).toBe(false);
      expect(Buffer.from(await file.arrayBuffer())).toEqual(BYTES);
    }
    const path = '/whatsapp_business/attachments/?mid=1&ext=2&hash=3';
    expect(asked()).toEqual([`GET ${named()}`, `GET ${path}`, `GET ${named()}`, `GET ${path}`]);
    expect(upstream.asked[1]?.headers).toMatchObject({
      authorization: 'Bearer upstream-access-token',
      'user-agent': 'messaging-gateway',
    });
  });

  test('is never shown by a browser, whatever a contact has put into it', async () => {
    serve = (_request, response) => {
      response.writeHead(200, {
        'content-type': 'text/html',
        'content-disposition': 'inline',
        'set-cookie': 'a=b',
      });
      response.end('<script>alert(1)</script>');
    };
    const { headers } = await ask(`/v22.0/${MEDIA}/content?access_token=${line.token}`);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    });
    expect(headers.has('set-cookie')).toBe(false);
  });

  test('is served in part where a part is asked for', async () => {
    serve = (request, response) => {
      expect(request.headers.range).toBe('bytes=0-2');
      response.writeHead(206, {
        'content-range': `bytes 0-2/${BYTES.length}`,
        'content-length': 3,
        'accept-ranges': 'bytes',
      });
      response.end(BYTES.subarray(0, 3));
    };
    const reply = await ask(`/v22.0/${MEDIA}/content`, { headers: { range: 'bytes=0-2' } });
    expect(reply.status).toBe(206);
    expect(reply.headers.get('content-range')).toBe(`bytes 0-2/${BYTES.length}`);
    expect(reply.headers.get('content-type')).toBe('image/png');
  });

  test('is told of without its bytes to HEAD', async () => {
    const reply = await ask(`/v22.0/${MEDIA}/content`, { method: 'HEAD' });
    expect([reply.status, reply.text, reply.headers.get('content-length')]).toEqual([
      200,
      '',
      String(BYTES.length),
    ]);
  });

  test('is told of to HEAD behind a request that is answered later', async () => {
    const began = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const before = upstream.onRequest;
    const isDone = () => upstream.asked.some(({ what }) => what.includes('/whatsapp_business/'));
    upstream.onRequest = async (request, response) => {
      if (request.url?.startsWith(`/v22.0/${SLOW}`)) {
        began.resolve();
        await answered.promise;
      }
      await before(request, response);
    };
    const head = (method: string, path: string, more = '') =>
      `${method} /v22.0/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${line.token}\r\n${more}\r\n`;
    const answers = exchange(
      scene.gateway.url,
      head('GET', SLOW) + head('HEAD', `${MEDIA}/content`, 'Connection: close\r\n'),
    );
    await began.promise;
    await until(isDone);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    answered.resolve();
    expect((await answers).map(({ status }) => status)).toEqual([400, 200]);
  });

  test('of one phone number is asked for with the own number only', async () => {
    expect((await ask(`/v22.0/${MEDIA}?phone_number_id=${line.id}`)).status).toBe(200);
    expect(
      (await ask(`/v22.0/${MEDIA}?phone_number_id=${line.phoneNumberId}`, { method: 'DELETE' })).status,
    ).toBe(200);
    expect(asked()).toEqual([`GET ${named()}`, `GET ${named()}`, `DELETE ${named()}`]);
    const other = await scene.line();
    for (const id of [other.phoneNumberId, '999', 'x'])
      expectRefusal(await ask(`/v22.0/${MEDIA}?phone_number_id=${id}`), 401, 'invalid_token', 190);
    expect(asked()).toHaveLength(3);
  });

  test("of another line is out of reach, though one upstream token opens both lines' files", async () => {
    const other = await scene.line();
    // As upstream does: without a number every file of the credential, with one only those of that number.
    upstream.onRequest = (request, response) => {
      const url = new URL(request.url ?? '', upstream.url);
      if (url.pathname.startsWith('/whatsapp_business/')) return serve(request, response);
      const number = url.searchParams.get('phone_number_id');
      if (number !== null && number !== line.phoneNumberId)
        return answer(response, 400, unknownObject('get', MEDIA));
      return answer(response, 200, request.method === 'DELETE' ? { success: true } : node());
    };
    for (const query of ['', `?phone_number_id=${other.phoneNumberId}`]) {
      const attempts = [
        await ask(`/v22.0/${MEDIA}${query}`, {}, other.token),
        await ask(`/v22.0/${MEDIA}/content${query}`, {}, other.token),
        await ask(`/v22.0/${MEDIA}${query}`, { method: 'DELETE' }, other.token),
      ];
      for (const refused of attempts) {
        expectRefusal(refused, 400, 'upstream_error', 100);
        expect(refused.text).toContain(
          '"action":"Check the id. A file is found by the line that has it alone',
        );
      }
    }
    expect(asked().filter((what) => !what.startsWith('GET /v22.0/'))).toEqual([]);
    expect((await ask(`/v22.0/${MEDIA}`)).status).toBe(200);
    expect((await ask(`/v22.0/${MEDIA}`, { method: 'DELETE' })).status).toBe(200);
  });

  test('is deleted, and nothing else is that an id may name', async () => {
    const reply = await ask(`/v22.0/${MEDIA}`, { method: 'DELETE' });
    expect([reply.status, reply.body]).toEqual([200, { success: true }]);
    // A template, say: an object that is no file.
    upstream.onRequest = (_request, response) =>
      answer(response, 200, { name: 'order_update', id: '5550001' });
    upstream.asked.length = 0;
    expectRefusal(await ask('/v22.0/5550001', { method: 'DELETE' }), 404, 'not_found', 100);
    expectRefusal(await ask('/v22.0/5550001'), 404, 'not_found', 100);
    expectRefusal(await ask('/v22.0/5550001/content'), 404, 'not_found', 100);
    expectRefusal(
      await ask(`/v22.0/${line.phoneNumberId}`, { method: 'DELETE' }),
      405,
      'method_not_allowed',
      2500,
    );
    expect(asked().filter((what) => what.startsWith('DELETE'))).toEqual([]);
  });

  test("passes upstream's error on byte for byte", async () => {
    for (const path of ['/v22.0/454545', '/v22.0/454545/content']) {
      const reply = await ask(path);
      expectRefusal(reply, 400, 'upstream_error', 100);
      expect(withoutAction(reply.text)).toContain(JSON.stringify(unknownObject('get', '454545').error));
    }
    serve = (_request, response) => answer(response, 404, unknownObject('get', '1'));
    expectRefusal(await ask(`/v22.0/${MEDIA}/content`), 404, 'upstream_error', 100);
    serve = (_request, response) => void response.writeHead(401).end('expired');
    expectRefusal(await ask(`/v22.0/${MEDIA}/content`), 502, 'upstream_auth_failed', 2);
  });

  describe('has an address that upstream names, and the credential goes', () => {
    let elsewhere: Server;
    let came: string[];
    beforeAll(async () => {
      elsewhere = createServer((request, response) => {
        came.push(`${request.url} ${request.headers.authorization}`);
        response.end('stolen');
      });
      await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => new Promise((resolve) => void elsewhere.close(resolve)));
    beforeEach(() => {
      came = [];
    });
    const port = () => (elsewhere.address() as AddressInfo).port;

    test.each([
      () => `http://127.0.0.1:${port()}/file`,
      () => `https://127.0.0.1:${port()}/file`,
      () => `http://user:pass@${new URL(upstream.url).host}/whatsapp_business/`,
      () => `${upstream.url}@127.0.0.1:${port()}/file`,
      () => 'file:///etc/passwd',
      () => 'http://169.254.169.254/latest/meta-data',
      () => 'http://lookaside.fbsbx.com/file',
      () => 'https://lookaside.fbsbx.com.evil.example/file',
      () => 'https://evilfbsbx.com/file',
      () => 'https://lookaside.fbsbx.com:8443/file',
      () => 'not an address',
      () => '',
    ])('nowhere but to upstream: %s', async (hostile) => {
      fileUrl = hostile();
      const reply = await ask(`/v22.0/${MEDIA}/content`);
      expect([503, 404]).toContain(reply.status);
      expect(asked()).toEqual([`GET ${named()}`]);
      expect(came).toEqual([]);
    });

    test('nowhere by a redirect', async () => {
      serve = (_request, response) =>
        void response.writeHead(302, { location: `http://127.0.0.1:${port()}/file` }).end();
      expectRefusal(await ask(`/v22.0/${MEDIA}/content`), 502, 'upstream_unavailable', 2);
      expect(came).toEqual([]);
    });
  });

  test('is read from upstream no longer than somebody reads it here', async () => {
    let isClosed = false;
    serve = (_request, response) => {
      response.on('close', () => (isClosed = true));
      response.writeHead(200, { 'content-length': 10_000_000 });
      response.write(Buffer.alloc(100_000));
    };
    await new Promise<void>((resolve, reject) => {
      const download = httpRequest(
        `${scene.gateway.url}/v22.0/${MEDIA}/content`,
        { headers: { authorization: `Bearer ${line.token}` }, agent: false },
        (response) => {
          response.on('error', () => undefined);
          response.once('data', () => {
            download.destroy();
            resolve();
          });
        },
      );
      download.on('error', reject);
      download.end();
    });
    await until(() => isClosed);

    // Nor is upstream waited for by nobody.
    isClosed = false;
    let isAsked = false;
    const logged = scene.gateway.logged().split('\n').length - 1;
    serve = (_request, response) => {
      isAsked = true;
      response.on('close', () => (isClosed = true));
    };
    const leaving = new AbortController();
    const left = ask(`/v22.0/${MEDIA}/content`, { signal: leaving.signal }).catch(() => 'gone');
    await until(() => isAsked);
    leaving.abort();
    expect(await left).toBe('gone');
    await until(() => isClosed);
    // Which is nobody's failure. A request that comes later is logged later.
    serve = (_request, response) => void response.destroy();
    await ask(`/v22.0/${MEDIA}/content`);
    const failures = scene.gateway
      .logged()
      .split('\n')
      .slice(logged)
      .filter((one) => one.includes('request failed'));
    expect(failures).toHaveLength(1);
    expect(scene.gateway.logged()).not.toContain('upstream-access-token');
  });

  test('that breaks off upstream breaks off here', async () => {
    serve = (_request, response) => {
      response.writeHead(200, { 'content-length': 1_000_000 });
      response.write(Buffer.alloc(1000), () => response.destroy());
    };
    await expect(ask(`/v22.0/${MEDIA}/content`)).rejects.toThrow();
  });

  test('is shown to nobody without a token, and to a line without credentials not at all', async () => {
    for (const path of [`/v22.0/${MEDIA}`, `/v22.0/${MEDIA}/content`]) {
      expectRefusal(await call(`${scene.gateway.url}${path}`), 401, 'missing_token', 190);
      const other = await scene.line({ accessToken: null });
      expectRefusal(await ask(path, {}, other.token), 409, 'line_not_configured', 131045);
      await other.edit({ deactivated_at: '2026-01-01T00:00:00.000Z' });
      expectRefusal(await ask(path, {}, other.token), 403, 'line_inactive', 200);
    }
    expectRefusal(await ask('/v22.0/me'), 404, 'not_found', 2500);
    expectRefusal(await ask(`/v22.0/${MEDIA}`, { method: 'PUT' }), 405, 'method_not_allowed', 2500);
    expect(asked()).toEqual([]);
  });
});

describe.each(DATABASES)("in upstream's own shape on $name", ({ createUrl }) => {
  const scene = sceneOf(createUrl);

  const get = (path: string, token: string): Promise<Reply> =>
    call(`${scene.gateway.url}/v22.0${path}`, { headers: { authorization: `Bearer ${token}` } });

  test('a phone number is told as upstream last told it, and asked for once where it never did', async () => {
    const line = await scene.line();
    scene.upstream.answers.phoneNumber = () => ({
      body: {
        verified_name: 'Lucky Shrub',
        display_phone_number: '+1 555-078-3881',
        quality_rating: 'GREEN',
        code_verification_status: 'VERIFIED',
        platform_type: 'CLOUD_API',
        throughput: { level: 'STANDARD' },
        status: 'CONNECTED',
        id: line.phoneNumberId,
      },
    });
    const reply = await get(`/${line.phoneNumberId}`, line.token);
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        verified_name: 'Lucky Shrub',
        code_verification_status: 'VERIFIED',
        display_phone_number: '+1 555-078-3881',
        quality_rating: 'GREEN',
        platform_type: 'CLOUD_API',
        throughput: { level: 'STANDARD' },
        id: line.phoneNumberId,
      },
    ]);
    // By its own id too; a field that upstream left out is left out.
    const some = await get(`/${line.id}?fields=status,throughput{level},name_status`, line.token);
    expect(some.text).toBe(
      `{"status":"CONNECTED","throughput":{"level":"STANDARD"},"id":"${line.phoneNumberId}"}`,
    );
    expect(scene.upstream.asked('phoneNumber', line.phoneNumberId)).toHaveLength(1);
  });

  test('a field that upstream does not have is refused as upstream refuses it', async () => {
    const line = await scene.line();
    const error = {
      message: '(#100) Tried accessing nonexisting field (colour) on node type (WhatsAppBusinessPhoneNumber)',
      type: 'OAuthException',
      code: 100,
      fbtrace_id: 'AbC',
    };
    scene.upstream.answers.phoneNumber = () => ({ status: 400, body: { error } });
    const reply = await get(`/${line.phoneNumberId}?fields=id,colour`, line.token);
    expectRefusal(reply, 400, 'upstream_error', 100);
    expect(withoutAction(reply.text)).toContain(JSON.stringify(error));
    expect(scene.upstream.asked('phoneNumber', line.phoneNumberId)).toHaveLength(1);
    // What is no field is not asked for.
    for (const field of ['__proto__', 'toString', 'name.limit(5)', 'a/../b'])
      expectRefusal(
        await get(`/${line.phoneNumberId}?fields=${field}`, line.token),
        400,
        'invalid_query',
        100,
      );
  });

  test('a field that is not kept is asked of upstream, and answered as upstream tells it', async () => {
    const line = await scene.line();
    scene.upstream.answers.phoneNumber = ({ url }) =>
      url.includes('messaging_limit_tier')
        ? upstreamError(400, 100, {
            message: '(#100) Tried accessing nonexisting field (messaging_limit_tier)',
          })
        : {
            body: {
              status: 'CONNECTED',
              country_code: 'BR',
              health_status: { entities: [{ id: '1', note: 'upstream-access-token' }] },
              unasked: 'x',
              certificate: 'secret',
              id: 'as upstream has it',
            },
          };
    const fields =
      'status,messaging_limit_tier,country_code,health_status{entities},is_pin_enabled,certificate';
    const reply = await get(`/${line.id}?fields=${fields}`, line.token);
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        status: 'CONNECTED',
        country_code: 'BR',
        health_status: { entities: [{ id: '1', note: '[access token]' }] },
        id: line.phoneNumberId,
      },
    ]);
    expect(scene.upstream.asked('phoneNumber', line.phoneNumberId).at(-1)?.url).toBe(
      `/v22.0/${line.phoneNumberId}?fields=status,country_code,health_status,is_pin_enabled`,
    );
    // A certificate is told to nobody, and asked for by nobody.
    const kept = await get(`/${line.phoneNumberId}?fields=certificate`, line.token).then(({ body }) => body);
    expect(kept).toEqual({ id: line.phoneNumberId });

    scene.upstream.answers.phoneNumber = () => upstreamError(503, 2);
    const ask = () => get(`/${line.id}?fields=country_code`, line.token);
    expectRefusal(await ask(), 502, 'upstream_unavailable', 2);
    scene.upstream.answers.phoneNumber = (_request, response) => {
      response.destroy();
      return 'handled';
    };
    expectRefusal(await ask(), 503, 'upstream_unavailable', 2);
    const bare = await scene.line({ accessToken: null });
    const refused = await get(`/${bare.id}?fields=country_code`, bare.token);
    expectRefusal(refused, 409, 'line_not_configured', 131045);
  });

  test('an account is its id, and what is of another line is refused as everywhere', async () => {
    const [line, other] = [await scene.line(), await scene.line()];
    const waba = (one: TestLine) => `/1022901293403${one.phoneNumberId.slice(-2)}`;
    expect((await get(waba(line), line.token)).body).toEqual({ id: waba(line).slice(1) });
    for (const path of [
      `/${other.phoneNumberId}`,
      `/${other.id}`,
      waba(other),
      `${waba(other)}/message_templates`,
    ]) {
      expectRefusal(await get(path, line.token), 401, 'invalid_token', 190);
    }
    expect(scene.upstream.received.filter(({ url }) => url.includes(waba(other)))).toEqual([]);
  });

  test('what upstream never told is an error, not an empty answer', async () => {
    const line = await scene.line();
    const bare = await scene.line({ accessToken: null });
    scene.upstream.answers.phoneNumber = () => ({ status: 500, body: {} });
    expectRefusal(await get(`/${line.phoneNumberId}`, line.token), 502, 'upstream_unavailable', 2);
    const again = await get(`/${line.phoneNumberId}`, line.token);
    expect(expectRefusal(again, 503, 'upstream_unavailable', 2)).toContain('Ask again in 60 seconds');
    expect(again.headers.get('retry-after')).toBe('60');
    expectRefusal(await get(`/${bare.phoneNumberId}`, bare.token), 409, 'line_not_configured', 131045);
  });
});

test('links lead to the public address where one is set, and else to the host that the request names', async () => {
  const upstream = await startMediaUpstream();
  upstream.onRequest = (_request, response) =>
    answer(response, 200, { url: `${upstream.url}/file`, mime_type: 'image/png' });
  const port = await freePort();
  const scene = await startScene(await sqliteUrl(), {
    GATEWAY_UPSTREAM_URL: upstream.url,
    GATEWAY_PORT: String(port),
    GATEWAY_PUBLIC_URL: 'https://gateway.example.com/of/ours/',
  });
  const { token } = await scene.line();
  const { body } = await call(`http://127.0.0.1:${port}/api/v19.0/${MEDIA}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(body.url).toBe(`https://gateway.example.com/of/ours/api/v22.0/${MEDIA}/content`);
  await scene.stop();
  await upstream.close();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
}
