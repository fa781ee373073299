import { call, CONTACT, expectRefusal, imageTo, type Reply } from '../../support/scene';
import { bearer, JSON_TYPE, onEachDatabase, refuses, SECOND } from './support';

const PAIR_OFF = { GATEWAY_PAIR_LIMIT: 'off' };

/** So many sends at once, each to a contact of its own. */
const contact = (index: number) => String(16505550000 + index);

onEachDatabase(
  '4. Send: the order of the checks: then rate limit → 429',
  (world) => {
    const sendMany = (count: number, first = 0): Promise<Reply[]> =>
      Promise.all(
        Array.from({ length: count }, (_, index) => world.line.send(imageTo(contact(first + index)))),
      );

    test('gateway rate limit (+ Retry-After) | 429 | rate_limited | 130429: 80 sends/s per line (burst 160)', async () => {
      for (const { status } of await sendMany(160)) expect(status).toBe(200);
      const reply = await world.line.send(imageTo(CONTACT));
      refuses(world, reply, 429, 'rate_limited', 130429, 160);
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      world.scene.clock.now += SECOND;
      for (const { status } of await sendMany(80, 200)) expect(status).toBe(200);
      refuses(world, await world.line.send(imageTo(CONTACT)), 429, 'rate_limited', 130429, 240);
    });

    test('of one line only', async () => {
      await sendMany(160);
      expect((await world.line.send(imageTo(CONTACT))).status).toBe(429);
      expect((await (await world.scene.line()).send(imageTo(CONTACT))).status).toBe(200);
    });

    test('after token and line, before quality and body', async () => {
      await sendMany(160);
      await world.line.rated('RED');
      refuses(world, await world.line.send('{'), 429, 'rate_limited', 130429, 160);
      const other = await world.scene.line();
      const wrong = await call(`${world.scene.gateway.url}/v22.0/${world.line.phoneNumberId}/messages`, {
        method: 'POST',
        headers: { ...JSON_TYPE, ...bearer(other.token) },
        body: '{',
      });
      refuses(world, wrong, 401, 'invalid_token', 190, 160);
      await world.line.edit({ deactivated_at: new Date(world.scene.clock.now).toISOString() });
      refuses(world, await world.line.send('{'), 403, 'line_inactive', 200, 160);
    });

    test('X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset', async () => {
      const [first, second] = [
        await world.line.send(imageTo(CONTACT)),
        await world.line.send(imageTo(CONTACT)),
      ];
      const headers = ({ headers: sent }: Reply) =>
        ['limit', 'remaining', 'reset'].map((name) => sent.get(`x-ratelimit-${name}`));
      for (const value of [...headers(first), ...headers(second)]) expect(value).toMatch(/^\d+$/);
      expect(Number(headers(first)[1]) - Number(headers(second)[1])).toBe(1);
    });
  },
  { env: PAIR_OFF },
);

onEachDatabase('4. Send: pair limit', (world) => {
  test('pair limit (+ Retry-After) | 429 | pair_rate_limited | 131056: 45 then 1 per 6 s', async () => {
    for (let sent = 0; sent < 45; sent++) expect((await world.line.send(imageTo(CONTACT))).status).toBe(200);
    const reply = await world.line.send(imageTo(CONTACT));
    refuses(world, reply, 429, 'pair_rate_limited', 131056, 45);
    expect(reply.headers.get('retry-after')).toBe('6');
    expect((await world.line.send(imageTo('16505559999'))).status).toBe(200);
    world.scene.clock.now += 6 * SECOND - 100;
    refuses(world, await world.line.send(imageTo(CONTACT)), 429, 'pair_rate_limited', 131056, 46);
    world.scene.clock.now += 100;
    expect((await world.line.send(imageTo(CONTACT))).status).toBe(200);
    refuses(world, await world.line.send(imageTo(CONTACT)), 429, 'pair_rate_limited', 131056, 47);
  });

  test('of one contact, however its number is written', async () => {
    for (let sent = 0; sent < 45; sent++) await world.line.send(imageTo('+1 650 555-1234'));
    refuses(world, await world.line.send(imageTo(CONTACT)), 429, 'pair_rate_limited', 131056, 45);
  });
});

onEachDatabase(
  'GATEWAY_LINE_RATE, GATEWAY_PAIR_LIMIT | off switches one off',
  (world) => {
    test('no limit is left', async () => {
      const replies = await Promise.all(Array.from({ length: 200 }, () => world.line.send(imageTo(CONTACT))));
      for (const { status } of replies) expect(status).toBe(200);
    });
  },
  { env: { GATEWAY_LINE_RATE: 'off', ...PAIR_OFF } },
);

onEachDatabase(
  'GATEWAY_AUTH_FAILURE_RATE',
  (world) => {
    test('wrong tokens 20/min per address: then 429 with Retry-After', async () => {
      const address = `${world.scene.gateway.url}/v22.0/${world.line.phoneNumberId}/status`;
      const wrong = () => call(address, { headers: bearer('wrong') });
      for (let asked = 0; asked < 20; asked++) expectRefusal(await wrong(), 401, 'invalid_token', 190);
      const reply = await wrong();
      expectRefusal(reply, 429, 'rate_limited', 130429);
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      world.scene.clock.now += 60 * SECOND;
      expectRefusal(await wrong(), 401, 'invalid_token', 190);
    });
  },
  { env: { GATEWAY_AUTH_FAILURE_RATE: '' } },
);
