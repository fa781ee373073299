import { ADMIN_OPERATIONS } from '../../../../gateway/api/v1/operations';
import { type AdminOperation } from '../../../../gateway/api/v1/operation';
import { PERMISSIONS } from '../../../../gateway/rights/roles';
import { adminToken, askAdmin, exampleBody, NOTHING, pathWith } from '../../../support/admin-api';
import { DATABASES } from '../../../support/databases';
import { expectRefusal, sceneOf, type Reply, type Scene } from '../../../support/scene';

/** Asks for something that does not exist, or for a dry run. */
const operate = (scene: Scene, operation: AdminOperation, token: string): Promise<Reply> =>
  askAdmin(
    scene,
    token,
    operation.method,
    `${pathWith(operation, NOTHING)}${operation.method === 'get' ? '' : '?dry_run=1'}`,
    exampleBody(operation),
  );

describe.each(DATABASES)('every operation of the management API ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_TOKEN_RATE: 'off' });

  test.each(PERMISSIONS)('is refused without its permission, and accepted with it alone: %s', async (one) => {
    const only = await adminToken(scene, { permissions: [one] });
    const others = await adminToken(scene, { permissions: PERMISSIONS.filter((other) => other !== one) });
    for (const operation of ADMIN_OPERATIONS) {
      const needed = operation.permission;
      for (const [token, isRefused] of [
        [only, needed !== null && needed !== one],
        [others, needed === one],
      ] as const) {
        const { body } = await operate(scene, operation, token);
        const word = body?.error_code;
        expect([operation.id, word === 'permission_missing']).toEqual([operation.id, isRefused]);
      }
    }
  });

  test('names the missing permission, and those of the token', async () => {
    const token = await adminToken(scene, { permissions: ['events.read', 'audit.read'] });
    const refused = await askAdmin(scene, token, 'POST', '/customers', { name: 'Lucky Shrub' });
    const sentence = expectRefusal(refused, 403, 'permission_missing', 10);
    expect(sentence).toContain('the permission "gateway". This token has: events.read, audit.read.');
  });
});

describe('the rate of an admin token', () => {
  const scene = sceneOf(undefined, { GATEWAY_TOKEN_RATE: '1' });

  test('counts every operation, and no other token', async () => {
    const token = await adminToken(scene);
    const change = (by: string) => askAdmin(scene, by, 'DELETE', '/customers/999999');
    const read = () => askAdmin(scene, token, 'GET', '/me');
    for (let count = 0; count < 20; count++) expect((await change(token)).status).toBe(404);
    const reads = await Promise.all(Array.from({ length: 200 }, read));
    expect(reads.map(({ status }) => status)).toEqual(Array<number>(200).fill(200));
    for (const operation of ADMIN_OPERATIONS)
      expectRefusal(await operate(scene, operation, token), 429, 'rate_limited', 130429);
    expect((await change(await adminToken(scene))).status).toBe(404);
  });
});
