import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createVault } from '../../../../gateway/store/vault';
import { DAY, MINUTE } from '../../../../gateway/time';
import { adminToken, askAdmin } from '../../../support/admin-api';
import { DATABASES } from '../../../support/databases';
import { startProcess } from '../../../support/gateway-process';
import { startPeer, until } from '../../../support/http-peer';
import { rows } from '../../../support/rows';
import { expectRefusal, sceneOf, sqliteUrl, startScene } from '../../../support/scene';
import { settings } from '../../../support/test-gateway';

describe.each(DATABASES)('the stored answer of an Idempotency-Key ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_TOKEN_RATE: 'off' });
  const channel = { kind: 'webhook', name: 'Pager', settings: { url: 'http://127.0.0.1:9/x' } };

  test('has the secret that it repeats only encrypted, and can be encrypted with another key', async () => {
    const token = await adminToken(scene);
    const key = { 'idempotency-key': randomUUID() };
    const create = () => askAdmin(scene, token, 'POST', '/alert-channels', channel, key);
    const first = await create();
    const { secret } = first.body;
    expect(secret).toMatch(/^whsec_/);
    const again = await create();
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);

    const tables = await Promise.all(
      ['admin_requests', 'alert_channels', 'audit'].map((table) =>
        rows(scene.databaseUrl, `select * from ${table}`),
      ),
    );
    expect(tables[0]).toHaveLength(1);
    expect(JSON.stringify(tables)).not.toContain(secret);
    const [, file] = /^sqlite:(.*)/.exec(scene.databaseUrl) ?? [];
    for (const end of file === undefined ? [] : ['', '-wal'])
      expect(readFileSync(file + end).includes(secret)).toBe(false);
    expect(scene.gateway.logged()).not.toContain(secret);

    const old = scene.gateway.env.GATEWAY_SECRET_KEY ?? '';
    const other = 'another key, of which the old one knows nothing';
    await scene.change(({ store }) => store.secrets.sealAnew(createVault(other, [old])));
    const [{ answer_sealed: sealed }] = (await rows(
      scene.databaseUrl,
      'select answer_sealed from admin_requests',
    )) as [{ answer_sealed: string }];
    expect(createVault(other).open('admin_requests.answer', sealed)).toContain(secret);
  });
});

test('a request that a kill interrupted answers that its outcome is unknown, and its key ends after a day', async () => {
  const url = await sqliteUrl();
  const held = Promise.withResolvers<null>();
  const receiver = await startPeer(async () => {
    await held.promise;
    return { status: 200 };
  });
  const before = await startScene(url);
  before.clock.now = Date.now();
  const token = await adminToken(before);
  const { body } = await askAdmin(before, token, 'POST', '/alert-channels', {
    kind: 'webhook',
    name: 'Pager',
    settings: { url: receiver.url },
  });
  await before.stop();

  const path = `/alert-channels/${body.id}/test`;
  const key = { 'idempotency-key': randomUUID() };
  const killed = await startProcess(settings(url, { GATEWAY_PORT: '0' }));
  const asked = askAdmin({ gateway: killed } as never, token, 'POST', path, undefined, key).catch(() => null);
  await until(() => receiver.received.length === 1);
  await killed.end('SIGKILL');
  expect(await asked).toBeNull();
  held.resolve(null);

  const after = await startScene(url);
  try {
    after.clock.now = Date.now();
    const repeat = () => askAdmin(after, token, 'POST', path, undefined, key);
    expectRefusal(await repeat(), 409, 'idempotency_in_progress', 100);
    after.clock.now += 2 * MINUTE;
    expectRefusal(await repeat(), 409, 'outcome_unknown', 100);
    after.clock.now += DAY;
    expect((await repeat()).body).toEqual({ accepted: true, failure: null });
  } finally {
    await after.stop();
    await receiver.close();
  }
});

test('old keys are removed', async () => {
  const scene = await startScene(await sqliteUrl());
  const token = await adminToken(scene);
  const send = (name: string) =>
    askAdmin(scene, token, 'POST', '/customers', { name }, { 'idempotency-key': name });
  await send('old');
  scene.clock.now += DAY;
  await send('new');
  await scene.change(({ store }) =>
    store.adminRequests.removeBefore(new Date(scene.clock.now - DAY).toISOString()),
  );
  expect(await rows(scene.databaseUrl, 'select key from admin_requests')).toEqual([{ key: 'new' }]);
  await scene.stop();
});
