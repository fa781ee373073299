import { createHash } from 'node:crypto';
import { until } from '../../support/http-peer';
import { createDatabase } from '../../support/postgres';
import { rows } from '../../support/rows';
import { call, startScene } from '../../support/scene';
import { settings, startTestGateway } from '../../support/test-gateway';
import { bearer, HOUR, onEachDatabase, refuses, type World } from './support';

type OneLine = Pick<World, 'scene' | 'line'>;

const statusOf = ({ scene, line }: OneLine, token: string, gateway: { url: string } = scene.gateway) =>
  call(`${gateway.url}/v22.0/${line.phoneNumberId}/status`, { headers: bearer(token) });
const revokeOf = ({ scene, line }: OneLine, token: string) =>
  scene.change(async ({ store }) => {
    const hash = createHash('sha256').update(token).digest('hex');
    const one = (await store.tokens.ofLine(line.id)).find((row) => row.hash === hash);
    await store.tokens.revoke(one?.id ?? 0, new Date(scene.clock.now).toISOString());
  });

onEachDatabase('3. Tokens', (world) => {
  const opened = (token: string) => statusOf(world, token);
  const revoke = (token: string) => revokeOf(world, token);

  test('Prefix gwl_, at least 256 bits of randomness and a checksum', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => world.scene.token(world.line.id, null)));
    // 43 characters of base64url are 256 bits; six more are the checksum.
    for (const token of made) expect(token).toMatch(/^gwl_[\w-]{49,}$/);
    expect(new Set(made.map((token) => token.slice(4, 12))).size).toBe(5);
  });

  test('so that a typo is told from a revoked one', async () => {
    const { token } = world.line;
    const typo = token.slice(0, 10) + (token[10] === 'a' ? 'b' : 'a') + token.slice(11);
    const told = refuses(world, await opened(typo), 401, 'invalid_token', 190);
    expect(told).toContain('a character is wrong or missing');
    const second = await world.scene.token(world.line.id, null);
    await revoke(second);
    expect(refuses(world, await opened(second), 401, 'invalid_token', 190)).toContain('revoked');
  });

  test('Shown once, stored as SHA-256 with last four, created, last used.', async () => {
    const { token, id } = world.line;
    const [stored] = await rows(world.scene.databaseUrl, `select * from tokens where line_id = ${id}`);
    expect(stored).toMatchObject({
      hash: createHash('sha256').update(token).digest('hex'),
      last_four: token.slice(-4),
      created_at: new Date(world.scene.clock.now).toISOString(),
      last_used_at: null,
    });
    expect(JSON.stringify(stored)).not.toContain(token.slice(4, 20));
    for (const path of ['/status', '/templates', '/destinations'])
      expect((await world.line.get(path)).text).not.toContain(token);
  });

  test('Several may be active on one line, so that rotation has an overlap', async () => {
    const second = await world.scene.token(world.line.id, null);
    expect((await opened(world.line.token)).status).toBe(200);
    expect((await opened(second)).status).toBe(200);
    await revoke(world.line.token);
    refuses(world, await opened(world.line.token), 401, 'invalid_token', 190);
    expect((await opened(second)).status).toBe(200);
  });

  test('Optional expiry; none by default.', async () => {
    const { clock } = world.scene;
    const expiring = await world.scene.token(world.line.id, new Date(clock.now + HOUR).toISOString());
    clock.now += HOUR - 1;
    expect((await opened(expiring)).status).toBe(200);
    clock.now += 1;
    refuses(world, await opened(expiring), 401, 'invalid_token', 190);
    clock.now += 365 * 24 * HOUR;
    expect((await opened(world.line.token)).status).toBe(200);
  });
});

// Replicas need a PostgreSQL: a SQLite file serves one gateway.
describe('3. Tokens (PostgreSQL)', () => {
  test('revocation acts at once on every replica', async () => {
    const scene = await startScene(await createDatabase());
    const line = await scene.line();
    const replica = await startTestGateway(
      settings(scene.databaseUrl, { GATEWAY_UPSTREAM_URL: scene.upstream.url }),
      () => scene.clock.now,
    );
    try {
      expect((await statusOf({ scene, line }, line.token, replica)).status).toBe(200);
      await revokeOf({ scene, line }, line.token);
      expect((await statusOf({ scene, line }, line.token)).status).toBe(401);
      await until(async () => (await statusOf({ scene, line }, line.token, replica)).status === 401);
    } finally {
      await replica.stop();
      await scene.stop();
    }
  });
});
