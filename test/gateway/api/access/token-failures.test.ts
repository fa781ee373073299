import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { tokenFailures } from '../../../../gateway/api/access/token-failures';
import { LINE_TOKENS } from '../../../../gateway/lines/line-token';
import { rateLimitsInMemory } from '../../../../gateway/primitives/rate-limit';
import { DATABASES } from '../../../support/databases';
import { call, CONTACT, expectRefusal, imageTo, lineOf, sceneOf } from '../../../support/scene';

const MINUTE = 60_000;

describe.each(DATABASES)('requests without the right token ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = lineOf(scene);

  beforeEach(() => {
    scene.clock.now += MINUTE;
  });

  const ask = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
    call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}${path}`, { ...init, headers });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  test('are answered 429 after 20 in a minute, whatever is wrong with them and wherever they go', async () => {
    const failing = [
      () => ask('/status'),
      () => ask('/templates', bearer('gwl_mistyped')),
      () => ask('/messages', bearer(LINE_TOKENS.create().token), { method: 'POST', body: '{' }),
      () => ask('/destinations?access_token=EAAG'),
    ];
    for (let count = 0; count < 20; count++) expect((await failing[count % 4]?.())?.status).toBe(401);
    for (const fail of failing) {
      const reply = await fail();
      expect(expectRefusal(reply, 429, 'rate_limited', 130429)).toBe(
        'More than 20 requests a minute came from this address without the right token. Correct the token first: the right one is let in at once; any other can be tried again in 3 seconds. The operator of the gateway can change this limit with GATEWAY_AUTH_FAILURE_RATE.',
      );
      expect(reply.headers.get('retry-after')).toBe('3');
      expect(reply.headers.get('x-ratelimit-limit')).toBeNull();
    }
  });

  test('do not lock out those with the right one from the same address', async () => {
    for (let count = 0; count < 30; count++) await ask('/status');
    expect((await ask('/status')).status).toBe(429);
    expect((await ask('/status', bearer(line.token))).status).toBe(200);
    expect((await line.send(imageTo(CONTACT))).status).toBe(200);
    const other = await scene.line();
    expect((await other.get('/templates')).status).toBe(200);
  });

  test('may be tried again after the time that is told', async () => {
    for (let count = 0; count < 21; count++) await ask('/status');
    scene.clock.now += 2900;
    const early = await ask('/status');
    expect([early.status, early.headers.get('retry-after')]).toEqual([429, '1']);
    scene.clock.now += 100;
    expect((await ask('/status')).status).toBe(401);
    expect((await ask('/status')).status).toBe(429);
  });

  test('are counted by address: those from another one are answered 401', async () => {
    const from = (localAddress: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/status`, { localAddress })
          .on('error', reject)
          .on('response', (answer) => {
            json(answer).then(() => resolve(answer.statusCode), reject);
          })
          .end();
      });
    for (let count = 0; count < 20; count++) await from('127.0.0.2');
    expect([await from('127.0.0.2'), await from('127.0.0.3')]).toEqual([429, 401]);
  });

  test('are not what a refusal of the line is: that one is told however often', async () => {
    const closed = await scene.line();
    await closed.edit({ deactivated_at: new Date(scene.clock.now).toISOString() });
    for (let count = 0; count < 25; count++) {
      expectRefusal(await closed.get('/status'), 403, 'line_inactive', 200);
    }
    expect((await ask('/status')).status).toBe(401);
  });
});

describe('the limit of wrong tokens', () => {
  const limitOf = rateLimitsInMemory(() => Date.parse('2026-03-10T12:00:00.000Z'));

  test('counts a /64 of IPv6 as one address, and an IPv4 address however it is written', async () => {
    const failures = tokenFailures(2, limitOf);
    expect(await failures.take('2001:db8:0:1::1')).toBeNull();
    expect(await failures.take('2001:db8:0:1:ffff::2')).toBeNull();
    expect(await failures.take('2001:db8:0:1:aaaa::3')).not.toBeNull();
    expect(await failures.take('2001:db8:0:2::1')).toBeNull();
    expect(await failures.take('203.0.113.7')).toBeNull();
    expect(await failures.take('::ffff:203.0.113.7')).toBeNull();
    expect(await failures.take('203.0.113.7')).not.toBeNull();
  });

  test('is none where it is off', async () => {
    const failures = tokenFailures(null, limitOf);
    for (let count = 0; count < 1000; count++) expect(await failures.take('203.0.113.7')).toBeNull();
  });
});
