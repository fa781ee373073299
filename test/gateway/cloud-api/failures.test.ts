import { type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { cloudApi } from '../../../gateway/cloud-api/client';
import { DOCUMENTED_CODES, failureReason } from '../../../gateway/cloud-api/failure-reasons';
import { refusalOfFailure, refusalOfUpstream } from '../../../gateway/cloud-api/failures';
import { createHttpClient } from '../../../gateway/http/http-client';
import { startPeer } from '../../support/http-peer';
import { freePort } from '../../support/postgres';
import {
  CONTACT,
  expectRefusal,
  imageTo,
  freshLineOf,
  sceneOf,
  sqliteUrl,
  startScene,
  withoutAction,
  type Json,
} from '../../support/scene';

const scene = sceneOf();
const line = freshLineOf(scene);

/** The platform's error object as its own bytes: order, spaces and escapes are not those of JSON.stringify. */
const errorBytes = (code: number) =>
  `{ "code":${code},"message": "(#${code}) Ol\\u00e1 \\/ test","type":"OAuthException", "error_subcode":2494055,"error_data":{"details":"x","n":1.0},"fbtrace_id":"Az8or2yhqkZfEZ-_4Qn_Bam"}`;

describe('an error of the platform keeps its object byte for byte, with the status and word of', () => {
  test.each([
    // The line's own credentials: never a 401, because the caller's token is fine.
    [401, 0, 502, 'upstream_auth_failed'],
    [400, 3, 502, 'upstream_auth_failed'],
    [403, 10, 502, 'upstream_auth_failed'],
    [401, 190, 502, 'upstream_auth_failed'],
    [403, 200, 502, 'upstream_auth_failed'],
    [403, 299, 502, 'upstream_auth_failed'],
    [401, 104, 502, 'upstream_auth_failed'],
    [403, 300, 403, 'upstream_error'],
    // Throttling, whatever status the platform gives it.
    [429, 4, 429, 'upstream_rate_limited'],
    [400, 80007, 429, 'upstream_rate_limited'],
    [400, 80008, 429, 'upstream_rate_limited'],
    [400, 130429, 429, 'upstream_rate_limited'],
    [400, 131056, 429, 'upstream_rate_limited'],
    // What the gateway has a word of its own for.
    [400, 131047, 400, 'outside_24h_window'],
    [400, 131048, 400, 'line_quality_low'],
    [400, 132000, 400, 'template_params_mismatch'],
    [404, 132001, 404, 'template_not_found'],
    [400, 132015, 400, 'template_not_approved'],
    [400, 132016, 400, 'template_not_approved'],
    // Everything else.
    [400, 100, 400, 'upstream_error'],
    [404, 131000, 404, 'upstream_error'],
    [400, 131026, 400, 'upstream_error'],
    [500, 2, 502, 'upstream_unavailable'],
    [503, 131016, 502, 'upstream_unavailable'],
    [301, 1, 502, 'upstream_unavailable'],
    // A word of its own counts whatever the status; a 401 never goes through.
    [500, 131047, 400, 'outside_24h_window'],
    [401, 131047, 400, 'outside_24h_window'],
    [429, 131047, 400, 'outside_24h_window'],
    [429, 131048, 400, 'line_quality_low'],
    [401, 100, 502, 'upstream_auth_failed'],
    [500, 3, 502, 'upstream_auth_failed'],
    [403, 368, 403, 'upstream_error'],
    [403, 130497, 403, 'upstream_error'],
    [429, 613, 429, 'upstream_rate_limited'],
    [500, 130429, 429, 'upstream_rate_limited'],
    [409, 139102, 409, 'upstream_error'],
    [500, 131000, 502, 'upstream_unavailable'],
  ])('HTTP %i with code %i: %i %s', async (status, code, answered, word) => {
    scene.upstream.answers.messages = () => ({ status, body: `{"error":${errorBytes(code)}}` });
    const reply = await line.send(imageTo(CONTACT));
    expectRefusal(reply, answered, word, code);
    expect(withoutAction(reply.text)).toContain(`"error":${errorBytes(code)},"request_id"`);
    expect(reply.body).not.toHaveProperty('outcome');
    expect(line.sent()).toHaveLength(1);
  });

  test.each([
    ['before and after it', `{"debug":{"a":1},\n"error": ${errorBytes(131026)}, "more":{}}`],
    ['an object that looks like it', `{"more":{"error":{"code":1}},"error":${errorBytes(131026)}}`],
    ['a text that looks like it', `{"more":"\\"error\\":{","error" :${errorBytes(131026)}}`],
    ['an earlier one', `{"error":{"code":190},"error":${errorBytes(131026)}\n}`],
    ['messages of a send', `{"messages":[{"id":"wamid.1"}],"error":${errorBytes(131026)}}`],
  ])('also where the body holds %s', async (_name, body) => {
    scene.upstream.answers.messages = () => ({ status: 400, body });
    const reply = await line.send(imageTo(CONTACT));
    expectRefusal(reply, 400, 'upstream_error', 131026);
    expect(withoutAction(reply.text)).toContain(`"error":${errorBytes(131026)},"request_id"`);
  });

  test('also where it is in letters beyond ASCII, or holds members that nobody knows', async () => {
    const bytes =
      '{"message":"N\\u00e3o é 😀","code":131026,"is_transient":false,"error_user_msg":"日本","x":[1e2,{}]}';
    scene.upstream.answers.messages = () => ({ status: 400, body: `{"error":${bytes}}` });
    const reply = await line.send(imageTo(CONTACT));
    expect([reply.status, reply.body.error_code]).toEqual([400, 'upstream_error']);
    expect(withoutAction(reply.text)).toContain(`"error":${bytes},"request_id"`);
  });
});

describe('what to do about an error of the platform', () => {
  const answered = async (error: string) => {
    scene.upstream.answers.messages = () => ({ status: 400, body: `{"error":${error}}` });
    return line.send(imageTo(CONTACT));
  };

  const missing =
    '{"message":"Unsupported request","type":"GraphMethodException","code":100,"error_subcode":33}';

  test('speaks of ids and permissions, not of files, where a send names nothing that there is', async () => {
    const { text } = await answered(missing);
    expect(text).toContain('Check the line’s phone number id and business account id');
    expect(text).not.toContain('A file is found');
  });

  test('speaks of no message where none was sent', () => {
    const adviceOf = (error: string, about: 'file' | 'record') => {
      const { code } = JSON.parse(error) as { code: number };
      const refused = refusalOfUpstream({
        status: 400,
        code,
        message: '',
        verbatim: error,
        retryAfter: null,
        about,
      });
      return (JSON.parse('verbatim' in refused.error ? refused.error.verbatim : '{}') as Json).error_data
        .action;
    };
    expect(adviceOf(missing, 'file')).toContain('A file is found by the line that has it alone');
    expect(adviceOf(missing, 'record')).toContain('Check the line’s phone number id');
    for (const code of [1, 2, 4, 100, 80007, 130429, 131000, 131009, 131016, 131045, 133010])
      for (const about of ['file', 'record'] as const)
        expect([code, adviceOf(`{"code":${code}}`, about)]).toEqual([
          code,
          expect.not.stringMatching(/\bsend\b/i),
        ]);
  });

  test('is added for every code that the catalogue names', () => {
    for (const code of [...DOCUMENTED_CODES, 200, 299]) {
      const answer = { status: 400, code, message: '', verbatim: errorBytes(code), retryAfter: null };
      const { error } = refusalOfUpstream(answer);
      const { error_data: data } = JSON.parse('verbatim' in error ? error.verbatim : '{}') as Json;
      expect([code, data]).toEqual([code, { details: 'x', n: 1, action: failureReason(code).action }]);
    }
  });

  test.each([
    ['{"code":131026}', '{"code":131026,"error_data":{"action":%}}'],
    ['{"code":131026,"error_data": { } ,"n":1.0}', '{"code":131026,"error_data": { "action":%} ,"n":1.0}'],
    [
      '{"error_data":{"a":{"action":1} },"code":131026}',
      '{"error_data":{"a":{"action":1} ,"action":%},"code":131026}',
    ],
  ])('stands last in its error_data, and the rest as it came: %s', async (error, expected) => {
    const action = JSON.stringify(failureReason(131026).action);
    expect((await answered(error)).text).toContain(`"error":${expected.replace('%', action)},"request_id"`);
  });

  test.each([
    ['a code that nobody knows', '{"code":131046}'],
    ['a text in the place of error_data', '{"code":131026,"error_data":"{why}"}'],
    ['null in its place', '{"code":131026,"error_data":null}'],
    ['what the platform itself says to do', '{"code":131026,"error_data":{"action":"Wait."}}'],
  ])('leaves %s alone', async (_name, error) => {
    expect((await answered(error)).text).toContain(`"error":${error},"request_id"`);
  });
});

describe('throttling passes on when to ask again', () => {
  const throttled = (headers: Record<string, string>, status = 429, code = 130429) => {
    scene.upstream.answers.messages = () => ({ status, headers, body: `{"error":${errorBytes(code)}}` });
    return line.send(imageTo(CONTACT));
  };

  test.each(['0', '37', '86400'])('as the platform says it: %s', async (seconds) => {
    expect((await throttled({ 'retry-after': seconds })).headers.get('retry-after')).toBe(seconds);
    expect((await throttled({ 'retry-after': seconds }, 400, 80007)).headers.get('retry-after')).toBe(
      seconds,
    );
  });

  test.each(['', '-1', '1.5', 'soon', '99999999999', 'Fri, 31 Dec 2027 23:59:59 GMT'])(
    'but nothing that is no number of seconds: %j',
    async (given) => {
      const reply = await throttled({ 'retry-after': given });
      expectRefusal(reply, 429, 'upstream_rate_limited', 130429);
      expect(reply.headers.get('retry-after')).toBeNull();
    },
  );

  test('and nothing where the platform says nothing', async () => {
    expect((await throttled({})).headers.get('retry-after')).toBeNull();
  });
});

describe('an answer of the platform that is no error of its own', () => {
  test.each([
    [500, 'a page', '<html>Bad gateway</html>'],
    [502, 'nothing', ''],
    [503, 'another shape', '{"error":"down"}'],
    [500, 'an error without an integer', '{"error":{"message":"down","code":"2"}}'],
    [500, 'null', 'null'],
    [500, 'a list', '[{"error":{"code":190}}]'],
    [500, 'an error that is a list', '{"error":[190]}'],
    [500, 'an error whose code is no integer', '{"error":{"code":190.5}}'],
    [500, 'half of an error', '{"error":{"code":190'],
    [500, 'more than any error of the platform', `{"error":{"code":190,"message":"${'x'.repeat(70_000)}"}}`],
    [302, 'a redirect', ''],
  ])('is told as unavailable, in the error shape: HTTP %i with %s', async (status, _name, body) => {
    scene.upstream.answers.messages = () => ({ status, body });
    const reply = await line.send(imageTo(CONTACT));
    expectRefusal(reply, 502, 'upstream_unavailable', 2);
    expect(reply.text).not.toContain('<');
    expect(reply.text.length).toBeLessThan(1000);
  });

  test.each([
    [400, 400, 'upstream_error'],
    [401, 502, 'upstream_auth_failed'],
    [403, 403, 'upstream_error'],
    [404, 404, 'upstream_error'],
    [413, 413, 'upstream_error'],
    [429, 429, 'upstream_rate_limited'],
  ])(
    'is told with the status of a proxy, but never as a 401: HTTP %i is %i %s',
    async (status, answered, word) => {
      scene.upstream.answers.messages = () => ({
        status,
        headers: { 'content-type': 'text/html', 'www-authenticate': 'Basic', 'set-cookie': 'proxy=1' },
        body: '<html><title>Blocked</title></html>',
      });
      const reply = await line.send(imageTo(CONTACT));
      expectRefusal(reply, answered, word, 2);
      expect(reply.text).not.toContain('<');
      expect([reply.headers.get('www-authenticate'), reply.headers.get('set-cookie')]).toEqual([null, null]);
    },
  );

  test('is told as unavailable where it is packed, which nobody asked for', async () => {
    scene.upstream.answers.messages = ({ headers }, response) => {
      expect(headers['accept-encoding']).toBeUndefined();
      response.writeHead(500, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(`{"error":${errorBytes(131026)}}`));
      return 'handled';
    };
    expectRefusal(await line.send(imageTo(CONTACT)), 502, 'upstream_unavailable', 2);
  });

  test('is given up where it does not end, and holds no more memory than it may', async () => {
    scene.upstream.answers.messages = (_request, response) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      const more = () => response.write('x'.repeat(1024 * 1024));
      response.on('drain', more);
      more();
      return 'handled';
    };
    expectRefusal(await line.send(imageTo(CONTACT)), 502, 'upstream_unavailable', 2);
  });

  test.each([
    ['no JSON', 'sent!'],
    ['no message id', '{"messaging_product":"whatsapp","messages":[]}'],
    ['null', 'null'],
    ['half of an answer', '{"messages":[{"id":"wam'],
  ])('but a success leaves the outcome unknown: %s', async (_name, body) => {
    scene.upstream.answers.messages = () => ({ status: 200, body });
    const reply = await line.send(imageTo(CONTACT));
    expectRefusal(reply, 504, 'upstream_timeout', 2);
    expect(reply.body.outcome).toBe('unknown');
    expect(line.sent()).toHaveLength(1);
  });
});

describe('an answer of 200 in which the platform did nothing', () => {
  const graphError = { message: '(#131009) Parameter value is not valid', type: 'x', code: 131009 };

  test.each([
    ['no success', { success: false }, 502, 'upstream_unavailable'],
    ['an error', { error: graphError }, 400, 'upstream_error'],
    ['an error beside a success', { success: true, error: graphError }, 400, 'upstream_error'],
    ['an error of another shape', { error: 'down' }, 502, 'upstream_unavailable'],
  ])('is no success of what has no messages: %s', async (_name, body, status, errorCode) => {
    const peer = await startPeer(() => ({ body }));
    const http = createHttpClient({ maxAnswerBytes: 1000, brokenBody: 'fails' });
    const upstream = cloudApi(http, peer.url);
    const from = { phoneNumberId: '1', accessToken: 'EAA' };
    try {
      for (const asked of [upstream.markAsRead(from, '{}'), upstream.deleteMedia(from, '7')])
        expect(await asked.catch(refusalOfFailure)).toMatchObject({ status, errorCode });
    } finally {
      await http.close();
      await peer.close();
    }
  });

  test('is told to whoever marks a message as read', async () => {
    const mark = { status: 'read', message_id: 'wamid.in' };
    scene.upstream.answers.messages = () => ({ body: { success: false } });
    expectRefusal(await line.send(mark), 502, 'upstream_unavailable', 2);
    scene.upstream.answers.messages = () => ({ body: `{"error":${errorBytes(131009)}}` });
    const reply = await line.send(mark);
    expectRefusal(reply, 400, 'upstream_error', 131009);
    expect(withoutAction(reply.text)).toContain(`"error":${errorBytes(131009)},"request_id"`);
  });
});

describe('a platform that', () => {
  test('cannot be reached leaves nothing sent, and says when to try again', async () => {
    const away = await startScene(await sqliteUrl(), {
      GATEWAY_UPSTREAM_URL: `http://127.0.0.1:${await freePort()}`,
    });
    const reply = await away
      .line()
      .then((one) => one.send(imageTo(CONTACT)))
      .finally(away.stop);
    expect(expectRefusal(reply, 503, 'upstream_unavailable', 2)).toContain('Nothing was sent');
    expect(reply.headers.get('retry-after')).toBe('5');
    expect(reply.body).not.toHaveProperty('outcome');
  });

  test.each([
    ['before its answer', (response: ServerResponse) => response.destroy()],
    [
      'in the middle of its answer',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"messages":[{"id":"wamid.1"}]}', () => response.destroy());
      },
    ],
  ])('breaks off %s leaves the outcome unknown, and is not asked again', async (_name, breakOff) => {
    scene.upstream.answers.messages = (_request, response) => {
      breakOff(response);
      return 'handled';
    };
    const reply = await line.send(imageTo(CONTACT));
    expect(expectRefusal(reply, 504, 'upstream_timeout', 2)).toContain('It may have been sent');
    expect(reply.body.outcome).toBe('unknown');
    expect(line.sent()).toHaveLength(1);
  });

  test.each([
    ['CERT_NOT_YET_VALID', undefined, true],
    ['CERT_HAS_EXPIRED', undefined, true],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', undefined, true],
    ['ETIMEDOUT', 'connect', true],
    ['EADDRNOTAVAIL', 'connect', true],
    ['ETIMEDOUT', 'read', false],
    ['ECONNRESET', 'read', false],
  ])(
    'fails a send by %s (syscall %s): certain that nothing was sent is %s',
    async (code, syscall, isCertain) => {
      const http = createHttpClient({ maxAnswerBytes: 1000, brokenBody: 'fails' });
      http.exchange = () => Promise.reject(Object.assign(new Error(code), { code, syscall }));
      const from = { phoneNumberId: '1', accessToken: 'EAA' };
      const sent = await cloudApi(http, 'https://upstream.test')
        .sendMessage(from, '{}')
        .catch(refusalOfFailure);
      await http.close();
      expect(sent).toMatchObject(
        isCertain
          ? { status: 503, errorCode: 'upstream_unavailable', outcome: undefined }
          : { status: 504, errorCode: 'upstream_timeout', outcome: 'unknown' },
      );
    },
  );

  test('does not answer leaves the outcome of a send unknown, and that of a read plainly failed', async () => {
    const silent = await startPeer(() => 'handled');
    const http = createHttpClient({ maxAnswerBytes: 1000, brokenBody: 'fails' });
    const upstream = cloudApi(http, silent.url, 100);
    const from = { phoneNumberId: '1', wabaId: '2', accessToken: 'EAA' };

    try {
      const sent = await upstream.sendMessage(from, '{}').catch(refusalOfFailure);
      expect(sent).toMatchObject({ status: 504, errorCode: 'upstream_timeout', outcome: 'unknown' });
      const marked = await upstream.markAsRead(from, '{}').catch(refusalOfFailure);
      expect(marked).toMatchObject({ status: 504, errorCode: 'upstream_timeout', outcome: 'unknown' });
      expect(JSON.stringify(marked)).not.toContain('It may have been sent');
      const read = await upstream.templates(from).catch(refusalOfFailure);
      expect(read).toMatchObject({ status: 503, errorCode: 'upstream_unavailable', outcome: undefined });
      expect(silent.received).toHaveLength(3);
    } finally {
      await http.close();
      await silent.close();
    }
  });
});
