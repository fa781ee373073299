import { LINE_TOKENS } from '../../../../gateway/lines/line-token';
import { DATABASES } from '../../../support/databases';
import {
  call,
  CONTACT,
  expectRefusal,
  imageTo,
  lineOf,
  sceneOf,
  type Reply,
  type TestLine,
} from '../../../support/scene';

const VERSIONS = Array.from({ length: 14 }, (_, index) => `v${index + 13}.0`);

/** Operations of a line, as a client calls them. */
const OPERATIONS = [
  { path: '/messages', init: { method: 'POST', body: JSON.stringify(imageTo(CONTACT)) } },
  { path: '/templates', init: {} },
  { path: '/status', init: {} },
  { path: '/destinations', init: {} },
];

describe.each(DATABASES)('the token of a line ($name)', ({ createUrl }) => {
  // More wrong tokens come here than one address may send at a time that stands still.
  const scene = sceneOf(createUrl, { GATEWAY_AUTH_FAILURE_RATE: 'off' });
  const line = lineOf(scene);
  let other: TestLine;

  beforeAll(async () => {
    other = await scene.line();
  });

  const ask = (
    path: string,
    headers: Record<string, string>,
    init: RequestInit = {},
    tid = line.phoneNumberId,
    prefix = '/v22.0',
  ): Promise<Reply> =>
    call(`${scene.gateway.url}${prefix}/${tid}${path}`, {
      ...init,
      headers: { 'content-type': 'application/json', ...headers },
    });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  test.each(OPERATIONS)(
    '1. The API version is part of the path: v22.0; two address forms, {base_url}/api/v22.0/{tid} and {api_url}/v22.0/{tid}, and any v13.0 … v26.0 in the path is served as v22.0, with the header X-Gateway-Version: $path',
    async (operation) => {
      for (const prefix of VERSIONS.flatMap((version) => [`/${version}`, `/api/${version}`])) {
        const reply = await ask(
          operation.path,
          bearer(line.token),
          operation.init,
          line.phoneNumberId,
          prefix,
        );
        expect([prefix, reply.status]).toEqual([prefix, 200]);
        expect(reply.headers.get('x-gateway-version')).toBe('v22.0');
      }
    },
  );

  test.each(['v12.0', 'v27.0', 'v22', 'v22.1', '22.0', 'V22.0', 'v022.0', 'latest'])(
    'Another word there is a 404. %s',
    async (version) => {
      for (const { path, init } of OPERATIONS) {
        for (const prefix of [`/${version}`, `/api/${version}`]) {
          expectRefusal(
            await ask(path, bearer(line.token), init, line.phoneNumberId, prefix),
            404,
            'not_found',
            2500,
          );
        }
      }
    },
  );

  test.each(OPERATIONS)(
    '6. Each line (number) has its own token and is addressed by {tid}: by the line id and in the query too: $path',
    async ({ path, init }) => {
      expect((await ask(path, bearer(line.token), init, String(line.id))).status).toBe(200);
      expect((await ask(`${path}?access_token=${line.token}`, {}, init)).status).toBe(200);
      expect((await ask(path, { authorization: `bearer  ${line.token} ` }, init)).status).toBe(200);
    },
  );

  test('tid: Phone Number ID is looked up first, then the internal integer id', async () => {
    const disguised = await scene.line({ phoneNumberId: String(line.id) });
    const reply = await ask('/status', bearer(disguised.token), {}, String(line.id));
    expect(reply.body.line.id).toBe(disguised.id);
    expectRefusal(await ask('/status', bearer(line.token), {}, String(line.id)), 401, 'invalid_token', 190);
    expect((await ask('/status', bearer(line.token))).body.line.id).toBe(line.id);
    // The number is free again for the tests that follow.
    await scene.change(({ store }) => store.lines.update(disguised.id, { phone_number_id: '999000111' }));
  });

  test.each(OPERATIONS)(
    '1. Scheme: HTTP bearer. Header: Authorization: Bearer <ACCESS_TOKEN>. It applies to every operation: $path',
    async ({ path, init }) => {
      const before = scene.upstream.received.length;
      for (const headers of [
        {},
        { authorization: '' },
        { authorization: 'Bearer' },
        { authorization: 'Bearer ' },
        { authorization: line.token },
        { authorization: `Basic ${line.token}` },
        { authorization: `Bearer ${line.token} ${line.token}` },
      ]) {
        const reply = await ask(path, headers as Record<string, string>, init);
        expect(expectRefusal(reply, 401, 'missing_token', 190)).toContain('Authorization: Bearer gwl_');
      }
      expectRefusal(await ask(`${path}?access_token=`, {}, init), 401, 'missing_token', 190);
      expect(scene.upstream.received).toHaveLength(before);
    },
  );

  test.each(OPERATIONS)(
    '3. The tid in the path and the token must belong to the same line; otherwise 401, in one and the same body: $path',
    async ({ path, init }) => {
      const expired = await scene.token(line.id, new Date(scene.clock.now + 1000).toISOString());
      const revoked = await scene.token(line.id, null);
      await scene.change(async ({ store }) => {
        const last = (await store.tokens.ofLine(line.id)).at(-1);
        await store.tokens.revoke(last?.id ?? 0, new Date(scene.clock.now).toISOString());
      });
      expect((await ask('/status', bearer(expired))).status).toBe(200);
      scene.clock.now += 1000;
      const before = scene.upstream.received.length;
      const refused = {
        unknown: await ask(path, bearer(LINE_TOKENS.create().token), init),
        'of another line': await ask(path, bearer(other.token), init),
        revoked: await ask(path, bearer(revoked), init),
        expired: await ask(path, bearer(expired), init),
        'for a line that is not there': await ask(path, bearer(line.token), init, '404404404'),
        'for a tid that is no number': await ask(path, bearer(line.token), init, 'constructor'),
        'of another kind': await ask(path, bearer('EAAJB1mZBsomethingUpstream'), init),
      };
      const bodies = Object.values(refused).map((reply) => {
        expect(expectRefusal(reply, 401, 'invalid_token', 190)).toContain('which begins with "gwl_"');
        return reply.text.replaceAll(reply.body.request_id, '');
      });
      expect(new Set(bodies).size).toBe(1);
      expect(scene.upstream.received).toHaveLength(before);
    },
  );

  test('is told to be mistyped where a character is wrong or missing', async () => {
    const wrong = line.token.slice(0, 20) + (line.token[20] === 'a' ? 'b' : 'a') + line.token.slice(21);
    for (const token of [wrong, line.token.slice(0, -1), `${line.token}x`, 'gwl_', 'gwl_é']) {
      const reply = await ask(`/status?access_token=${encodeURIComponent(token)}`, {});
      expect(expectRefusal(reply, 401, 'invalid_token', 190)).toContain('not a complete token');
    }
  });

  test('works beside another one of the same line', async () => {
    const second = await scene.token(line.id, null);
    expect((await ask('/status', bearer(second))).status).toBe(200);
    expect((await ask('/status', bearer(line.token))).status).toBe(200);
  });

  test.each(OPERATIONS)(
    '4. Operations on a line that is deactivated (is_active false) or whose API is disabled (api_enabled false) answer 403: $path',
    async ({ path, init }) => {
      const closed = await scene.line();
      const at = new Date(scene.clock.now).toISOString();
      const reply = () => ask(path, bearer(closed.token), init, closed.phoneNumberId);
      await closed.edit({ api_disabled_at: at });
      expectRefusal(await reply(), 403, 'api_disabled', 200);
      await closed.edit({ deactivated_at: at });
      expectRefusal(await reply(), 403, 'line_inactive', 200);
      // A wrong token learns nothing of it.
      expectRefusal(
        await ask(path, bearer(other.token), init, closed.phoneNumberId),
        401,
        'invalid_token',
        190,
      );
      await closed.edit({ deactivated_at: null, api_disabled_at: null });
      expect((await reply()).status).toBe(200);
      expect(closed.sent()).toHaveLength(path === '/messages' ? 1 : 0);
    },
  );

  test('is stored as a hash with its last four characters, and never as it is', async () => {
    await scene.change(async ({ store }) => {
      const stored = JSON.stringify(await store.tokens.ofLine(line.id));
      expect(stored).toContain(line.token.slice(-4));
      expect(stored).not.toContain(line.token.slice(4, 24));
    });
    expect(scene.gateway.logged()).not.toContain(line.token);
  });
});
