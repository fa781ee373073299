import { connect } from 'node:net';
import { until } from '../support/http-peer';
import {
  call,
  CONTACT,
  expectRefusal,
  imageTo,
  lineOf,
  sceneOf,
  sqliteUrl,
  startScene,
  textTo,
} from '../support/scene';

const scene = sceneOf();
const line = lineOf(scene);

/** Sends bytes as they are and gives back all that is answered until the gateway closes the connection. */
function exchange(bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(scene.gateway.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () =>
      socket.write(bytes),
    );
    socket.setTimeout(30_000, () => socket.destroy(new Error(`Not closed; answered so far: ${answer}`)));
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', reject);
    socket.on('end', () => {
      socket.destroy();
      resolve(answer);
    });
  });
}

/** What stands in a raw answer: its status and its JSON body, which its own header must have announced. */
function read(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head.toLowerCase()).toContain('content-type: application/json; charset=utf-8');
  expect(Number(/content-length: (\d+)/i.exec(head)?.[1])).toBe(Buffer.byteLength(body));
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), body: JSON.parse(body) };
}

test('every error has one body, of its own request, with what to do where the gateway knows it', async () => {
  const { url } = scene.gateway;
  const replies = [
    await call(`${url}/<script>`),
    await call(`${url}/v22.0/1/messages`),
    await call(`${url}/v22.0/1/messages`, { method: 'POST' }),
    await call(`${url}/webhooks/platform`, { method: 'POST', body: 'x' }),
    await call(`${url}/webhooks/platform`),
    await line.send('<html>'),
    await line.send(textTo('5511900000009')),
    await line.get('/templates?limit=<b>'),
  ];
  for (const { status, headers, body } of replies) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toEqual({
      success: false,
      error_code: expect.stringMatching(/^[a-z0-9_]+$/),
      error: {
        message: expect.any(String),
        type: 'OAuthException',
        code: expect.any(Number),
        error_data: expect.objectContaining({ messaging_product: 'whatsapp', details: expect.any(String) }),
        fbtrace_id: body.request_id,
      },
      request_id: expect.any(String),
    });
    const { details, action } = body.error.error_data;
    if (action)
      expect([details, action]).toEqual([
        expect.stringContaining(` ${action}`),
        expect.stringMatching(/^[A-Z].*\.$/),
      ]);
  }
  expect(new Set(replies.map(({ body }) => body.request_id)).size).toBe(replies.length);
  expect(replies.filter(({ body }) => body.error.error_data.action).length).toBeGreaterThanOrEqual(5);
});

describe('an unknown path', () => {
  test.each([
    '/v22.0',
    '/api/v22.0/messages',
    '/favicon.ico',
    '/v22.0/messages/',
    '/unknown/1',
    '/109351478203615/unknown',
    '/api',
    '/%00',
    '//',
    '/v22.0/1/%2e%2e',
  ])('is answered 404 in the error shape: %s', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const reply = await call(scene.gateway.url + path, { method });
      expect(expectRefusal(reply, 404, 'not_found', 2500)).toContain('GET /docs shows every operation');
    }
  });

  test.each([
    ['/v12.0/109351478203615/messages', 'one from v13.0 to v26.0, as "/v22.0/…"'],
    ['/api/v22/109351478203615/messages', 'one from v13.0 to v26.0, as "/v22.0/…"'],
    ['/V22.0/109351478203615/messages', 'one from v13.0 to v26.0, as "/v22.0/…"'],
    ['//v22.0/109351478203615/messages', 'two slashes in a row: end the base address without one'],
    ['/v22.0//109351478203615/messages', 'two slashes in a row: end the base address without one'],
  ])('says what is wrong with the address before the id in it: %s', async (path, sentence) => {
    const reply = await call(scene.gateway.url + path, { method: 'POST' });
    expect(expectRefusal(reply, 404, 'not_found', 2500)).toContain(sentence);
  });

  test('is answered 404 whatever body comes with it', async () => {
    for (const [type, body] of [
      ['application/json', '{'],
      ['text/xml', '<a/>'],
      ['', 'x'],
      ['application/json', ' '.repeat(2_000_000)],
    ]) {
      const reply = await call(`${scene.gateway.url}/nothing`, {
        method: 'POST',
        headers: { 'content-type': type ?? '' },
        body: body ?? '',
      });
      expectRefusal(reply, 404, 'not_found', 2500);
    }
  });

  test('is not repeated with its query, nor at length', async () => {
    const reply = await call(`${scene.gateway.url}/${'x'.repeat(5000)}?access_token=gwl_secret`);
    expectRefusal(reply, 404, 'not_found', 2500);
    expect(reply.text).not.toContain('gwl_secret');
    expect(reply.text.length).toBeLessThan(1000);
  });

  test('is answered 404 where its escapes are broken', async () => {
    expectRefusal(await call(`${scene.gateway.url}/v22.0/%zz/messages`), 404, 'not_found', 2500);
    expectRefusal(
      await call(`${scene.gateway.url}/v22.0/${'9'.repeat(2000)}/status`),
      404,
      'not_found',
      2500,
    );
  });
});

describe('an operation', () => {
  const headers = () => ({ authorization: `Bearer ${line.token}`, 'content-type': 'application/json' });

  test.each(['/v13.0', '/v26.0', '/api/v22.0', '', '/api'])(
    'is served below "%s", with and without a slash at its end',
    async (prefix) => {
      for (const slash of ['', '/']) {
        const at = (path: string) => `${scene.gateway.url}${prefix}/${line.phoneNumberId}${path}${slash}`;
        const sent = await call(at('/messages'), {
          method: 'POST',
          headers: headers(),
          body: JSON.stringify(imageTo(CONTACT)),
        });
        expect([sent.status, sent.headers.get('x-gateway-version')]).toEqual([200, 'v22.0']);
        expect((await call(at(''), { headers: headers() })).body.id).toBe(line.phoneNumberId);
        expect((await call(at('/message_templates'), { headers: headers() })).body.data).toEqual([]);
        expect((await call(at(`/window/${CONTACT}`), { headers: headers() })).body.contact).toBe(CONTACT);
        const none = await call(at('/messages'), { method: 'PUT' });
        expect(none.headers.get('x-gateway-version')).toBe('v22.0');
        expectRefusal(none, 405, 'method_not_allowed', 2500);
      }
    },
  );

  test('needs no less of a token where the version is left out', async () => {
    expectRefusal(await call(`${scene.gateway.url}/${line.phoneNumberId}`), 401, 'missing_token', 190);
  });
});

describe('a method that a path does not have', () => {
  test.each([
    ['/messages', ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'], 'POST'],
    ['/templates', ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], 'GET'],
    ['/status', ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], 'GET'],
    ['/destinations', ['PUT', 'PATCH', 'DELETE', 'OPTIONS'], 'GET, POST'],
    ['/destinations/1', ['GET', 'POST', 'PUT', 'PATCH', 'OPTIONS'], 'DELETE'],
  ])('is answered 405 at …%s, with what it has', async (path, methods, allowed) => {
    for (const prefix of ['/v22.0/1', '/api/v15.0/1']) {
      for (const method of methods) {
        const reply = await call(scene.gateway.url + prefix + path, { method });
        expect([method, reply.status]).toEqual([method, 405]);
        expect(reply.headers.get('allow')).toBe(allowed);
        expect(reply.headers.get('x-gateway-version')).toBe('v22.0');
        if (method !== 'HEAD') expectRefusal(reply, 405, 'method_not_allowed', 2500);
      }
    }
  });

  test('is answered 405 at the callbacks', async () => {
    for (const path of ['/webhooks/platform', '/webhooks/platform/1']) {
      const reply = await call(scene.gateway.url + path, { method: 'PUT', body: 'x' });
      expectRefusal(reply, 405, 'method_not_allowed', 2500);
    }
  });

  test('does not include HEAD where there is GET', async () => {
    const reply = await call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/status`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${line.token}` },
    });
    expect([reply.status, reply.text]).toEqual([200, '']);
  });
});

describe('bytes that are no HTTP request', () => {
  test.each([
    ['noise', '\x00\x01\x02\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n'],
    [
      'two lengths',
      'POST /v22.0/1/messages HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['headers beyond 16 KB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['a version that does not exist', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n'],
  ])('are answered 400 in the error shape, and their connection is closed: %s', async (_name, bytes) => {
    const { status, body } = read(await exchange(Buffer.from(bytes, 'latin1')));
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, error_code: 'malformed_request', error: { code: 100 } });
    expect(body.error.error_data.details).toMatch(/HTTP request|headers/);
  });

  test('do not stop the gateway from answering the next', async () => {
    await exchange('nonsense\r\n\r\n');
    expect((await line.get('/status')).status).toBe(200);
  });

  test.each([
    ['no Host header', 'GET /nothing HTTP/1.1\r\nConnection: close\r\n\r\n', 404],
    ['HTTP/1.0', 'GET /nothing HTTP/1.0\r\n\r\n', 404],
    [
      'an expectation that nobody knows',
      'GET /nothing HTTP/1.1\r\nHost: a\r\nExpect: gold\r\nConnection: close\r\n\r\n',
      404,
    ],
    [
      'an upgrade',
      'GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      404,
    ],
    [
      'a method of another protocol',
      'PROPFIND /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      404,
    ],
    ...['PROPFIND', 'SEARCH', 'MKCOL', 'PURGE', 'M-SEARCH'].map((method): [string, string, number] => [
      `${method} at a known path`,
      `${method} /v22.0/1/messages HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      405,
    ]),
    ['TRACE', 'TRACE /v22.0/1/messages HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 405],
    [
      'a whole address for a path',
      'GET http://elsewhere.example/nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      404,
    ],
  ])('but an unusual request is answered as any other: %s', async (_name, bytes, expected) => {
    const { status, body } = read(await exchange(bytes));
    expect([status, body.success]).toEqual([expected, false]);
  });

  test('do not hold up the end of the gateway', async () => {
    const ending = await startScene(await sqliteUrl());
    const { hostname, port } = new URL(ending.gateway.url);
    const closed: string[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () =>
      socket.write('\x00\r\n\r\n'),
    );
    socket.on('data', () => closed.push('answered'));
    socket.on('error', () => undefined);
    await until(() => closed.length > 0);
    await ending.stop();
    socket.destroy();
  });
});

test('an access token that the platform repeats in an error is shown to nobody, in the log neither', async () => {
  const accessToken = 'EAA-credential-that-nobody-may-see';
  const secretive = await scene.line({ accessToken });
  scene.upstream.answers.messages = ({ headers }) => ({
    status: 401,
    body: {
      error: {
        message: `Malformed access token ${String(headers.authorization).slice('Bearer '.length)}`,
        type: 'OAuthException',
        code: 190,
      },
    },
  });
  const refused = await secretive.send(imageTo(CONTACT));
  expectRefusal(refused, 502, 'upstream_auth_failed', 190);
  expect(refused.body.error.message).toBe('Malformed access token [access token]');
  expect(refused.text).not.toContain(accessToken);
  expect(scene.gateway.logged()).toContain('request failed');
  expect(scene.gateway.logged()).not.toContain(accessToken);
});
