import { type ServerResponse } from 'node:http';
import { cloudApi } from '../../../gateway/cloud-api/client';
import { refusalOfFailure } from '../../../gateway/cloud-api/failures';
import { createHttpClient } from '../../../gateway/http/http-client';
import { DATABASES } from '../../support/databases';
import { startPeer } from '../../support/http-peer';
import { freePort } from '../../support/postgres';
import { CONTACT, expectRefusal, imageTo, startScene, type Scene, type TestLine } from '../../support/scene';

const [sqlite] = DATABASES;
const emptyDatabase = async () => (await sqlite?.createUrl()) ?? '';

let scene: Scene;
let line: TestLine;

beforeAll(async () => {
  scene = await startScene(await emptyDatabase());
});
beforeEach(async () => {
  line = await scene.line();
});
afterAll(() => scene.stop());

/** Upstream's error object as its own bytes: order, spaces and escapes are not those of JSON.stringify. */
const errorBytes = (code: number) =>
  `{ "code":${code},"message": "(#${code}) Ol\\u00e1 \\/ test","type":"OAuthException", "error_subcode":2494055,"error_data":{"details":"x","n":1.0},"fbtrace_id":"Az8or2yhqkZfEZ-_4Qn_Bam"}`;

describe('an error of upstream keeps its object byte for byte, with the status and word of', () => {
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
    // Throttling, whatever status upstream gives it.
    [429, 4, 429, 'upstream_rate_limited'],
    [400, 80007, 429, 'upstream_rate_limited'],
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
  ])('HTTP %i with code %i: %i %s', async (status, code, answered, word) => {
    scene.upstream.answers.messages = () => ({ status, body: `{"error":${errorBytes(code)}}` });
    const reply = await line.send(imageTo(CONTACT));
    expectRefusal(reply, answered, word, code);
    expect(reply.text).toContain(`"error":${errorBytes(code)},"request_id"`);
    expect(reply.body).not.toHaveProperty('outcome');
    expect(line.sent()).toHaveLength(1);
  });

  test('a body that holds more than the error: the same object, key for key', async () => {
    scene.upstream.answers.messages = () => ({
      status: 400,
      body: `{"debug":{"a":1},\n"error": ${errorBytes(131026)}, "more":{}}`,
    });
    const reply = await line.send(imageTo(CONTACT));
    expectRefusal(reply, 400, 'upstream_error', 131026);
    expect(reply.body.error).toEqual(JSON.parse(errorBytes(131026)));
  });
});

describe('an answer of upstream that is no error of its own', () => {
  test.each([
    [500, 'a page', '<html>Bad gateway</html>'],
    [502, 'nothing', ''],
    [503, 'another shape', '{"error":"down"}'],
    [500, 'an error without an integer', '{"error":{"message":"down","code":"2"}}'],
    [500, 'null', 'null'],
  ])('is told as unavailable, in the error shape: HTTP %i with %s', async (status, _name, body) => {
    scene.upstream.answers.messages = () => ({ status, body });
    const reply = await line.send(imageTo(CONTACT));
    expectRefusal(reply, 502, 'upstream_unavailable', 2);
    expect(reply.text).not.toContain('<');
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

describe('an upstream that', () => {
  test('cannot be reached leaves nothing sent, and says when to try again', async () => {
    const away = await startScene(await emptyDatabase(), {
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
      const read = await upstream.templates(from).catch(refusalOfFailure);
      expect(read).toMatchObject({ status: 503, errorCode: 'upstream_unavailable', outcome: undefined });
      expect(silent.received).toHaveLength(3);
    } finally {
      await http.close();
      await silent.close();
    }
  });
});
