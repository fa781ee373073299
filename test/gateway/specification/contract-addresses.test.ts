import { call, CONTACT, expectRefusal, imageTo } from '../../support/scene';
import { ask, bearer, JSON_TYPE, onEachDatabase, post, refuses, type World } from './support';

const OPERATIONS: [string, string, RequestInit][] = [
  ['send', 'messages', { method: 'POST', body: JSON.stringify(imageTo(CONTACT)), headers: JSON_TYPE }],
  ['templates', 'templates', {}],
  ['status', 'status', {}],
];
const at = ({ line }: World, prefix: string, word: string, tid: string | number = line.phoneNumberId) =>
  `${prefix}/${tid}/${word}`;

onEachDatabase('2. Addresses', (world) => {
  describe.each(OPERATIONS)('%s', (_operation, word, init) => {
    test.each([
      ['/api/v22.0', 'Path under {base_url}'],
      ['/v22.0', 'and under {api_url}'],
    ])(`%s/{tid}/${word}: %s`, async (prefix) => {
      const reply = await ask(world, at(world, prefix, word), init);
      expect([reply.status, reply.body.success]).toEqual([200, true]);
    });

    test('Any v13.0 … v26.0 in the path is served as v22.0, with the header X-Gateway-Version: v22.0.', async () => {
      for (const version of ['v13.0', 'v21.0', 'v26.0']) {
        for (const prefix of [`/${version}`, `/api/${version}`]) {
          const reply = await ask(world, at(world, prefix, word), init);
          expect([prefix, reply.status]).toEqual([prefix, 200]);
          expect(reply.headers.get('x-gateway-version')).toBe('v22.0');
        }
      }
      for (const { url } of world.scene.upstream.received) expect(url).toMatch(/^\/v22\.0\//);
    });

    test.each(['v12.0', 'v27.0', 'v22', 'v22.1', 'latest'])(
      'Another word there is a 404. %s',
      async (version) => {
        for (const prefix of [`/${version}`, `/api/${version}`])
          refuses(world, await ask(world, at(world, prefix, word), init), 404, 'not_found', 2500);
      },
    );

    test('The token is taken from Authorization: Bearer; Graph’s own habit ?access_token= is accepted too and never written to a log.', async () => {
      const { token } = world.line;
      const address = `${world.scene.gateway.url}${at(world, '/v22.0', word)}?access_token=`;
      expect((await call(address + token, init)).status).toBe(200);
      expectRefusal(await call(`${address}${token}x`, init), 401, 'invalid_token', 190);
      expectRefusal(
        await call(`${address}${token}&limit=0&refresh=x`, { method: 'PUT' }),
        405,
        'method_not_allowed',
        2500,
      );
      expect(world.scene.gateway.logged()).not.toContain(token);
      expect(JSON.stringify(world.scene.upstream.received)).not.toContain(token);
    });
  });

  test('tid is the line’s upstream Phone Number ID or its internal integer id', async () => {
    for (const tid of [world.line.phoneNumberId, world.line.id])
      expect((await ask(world, at(world, '/v22.0', 'status', tid))).body.line.id).toBe(world.line.id);
  });

  test('tid: Phone Number ID is looked up first.', async () => {
    const disguised = await world.scene.line({ phoneNumberId: String(world.line.id) });
    const address = `${world.scene.gateway.url}${at(world, '/v22.0', 'status', world.line.id)}`;
    expect((await call(address, { headers: bearer(disguised.token) })).body.line.id).toBe(disguised.id);
    refuses(world, await call(address, { headers: bearer(world.line.token) }), 401, 'invalid_token', 190);
  });

  test.each(['0', '-1', '1.0', '01', '1e3', '%2e%2e', 'constructor', '9'.repeat(40)])(
    'tid: a word that is neither opens nothing. %s',
    async (tid) => {
      const reply = await post(world, at(world, '/v22.0', 'messages', tid), imageTo(CONTACT));
      expect(reply.body.success).toBe(false);
      expect([401, 404]).toContain(reply.status);
      expect(world.line.sent()).toEqual([]);
    },
  );
});
