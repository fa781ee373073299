import { createLineToken } from '../../../gateway/lines/line-token';
import { call, CONTACT, imageTo, type Reply } from '../../support/scene';
import { bearer, JSON_TYPE, onEachDatabase, refuses } from './support';

const OPERATIONS = [
  { path: '/messages', init: { method: 'POST', body: JSON.stringify(imageTo(CONTACT)) } },
  { path: '/templates', init: {} },
  { path: '/status', init: {} },
];

onEachDatabase('Authentication', (world) => {
  const asking = (
    { path, init }: { path: string; init: RequestInit },
    headers: Record<string, string>,
    tid = world.line.phoneNumberId,
  ): Promise<Reply> =>
    call(`${world.scene.gateway.url}/v22.0/${tid}${path}`, {
      ...init,
      headers: { ...JSON_TYPE, ...headers },
    });

  test.each(OPERATIONS)(
    '1. Scheme: HTTP bearer. Header: Authorization: Bearer <ACCESS_TOKEN>. It applies to every operation. $path',
    async (operation) => {
      refuses(world, await asking(operation, {}), 401, 'missing_token', 190);
      const basic = { authorization: `Basic ${world.line.token}` };
      refuses(world, await asking(operation, basic), 401, 'missing_token', 190);
      expect((await asking(operation, bearer(world.line.token))).status).toBe(200);
    },
  );

  test('2. Each line (number) has its own token.', async () => {
    const other = await world.scene.line();
    const [, , status] = OPERATIONS;
    if (!status) return;
    const { body: own } = await asking(status, bearer(world.line.token));
    const { body: others } = await asking(status, bearer(other.token), other.phoneNumberId);
    expect([own.line.id, others.line.id]).toEqual([world.line.id, other.id]);
  });

  test.each(OPERATIONS)(
    '3. The tid in the path and the token must belong to the same line; otherwise the request gets status 401. $path',
    async (operation) => {
      const other = await world.scene.line();
      refuses(world, await asking(operation, bearer(other.token)), 401, 'invalid_token', 190);
      refuses(
        world,
        await asking(operation, bearer(world.line.token), other.phoneNumberId),
        401,
        'invalid_token',
        190,
      );
      const unknown = bearer(createLineToken().token);
      refuses(world, await asking(operation, unknown), 401, 'invalid_token', 190);
      expect(other.sent()).toEqual([]);
    },
  );

  test.each(OPERATIONS.slice(1))(
    '4. Operations on a line that is deactivated (is_active false) or whose API is disabled (api_enabled false) answer 403 for templates and status. $path',
    async (operation) => {
      const at = new Date(world.scene.clock.now).toISOString();
      const asked = () => asking(operation, bearer(world.line.token));
      await world.line.edit({ deactivated_at: at });
      refuses(world, await asked(), 403, 'line_inactive', 200);
      await world.line.edit({ deactivated_at: null, api_disabled_at: at });
      refuses(world, await asked(), 403, 'api_disabled', 200);
      await world.line.edit({ api_disabled_at: null });
      expect((await asked()).status).toBe(200);
    },
  );
});
