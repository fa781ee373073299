import { MINUTE } from '../../../gateway/time';
import { call, sqliteUrl, startScene, type Scene, type TestLine } from '../../support/scene';
import { notification, notify, textFrom } from '../../support/test-gateway';

describe('requests that may be attacks', () => {
  let scene: Scene;
  let line: TestLine;

  beforeEach(async () => {
    scene = await startScene(await sqliteUrl(), { GATEWAY_AUTH_FAILURE_RATE: '3' });
    line = await scene.line();
  });
  afterEach(() => scene.stop());

  const told = () =>
    scene.gateway
      .logged()
      .split('\n')
      .filter((text) => text.includes('request refused'))
      .map((text) => JSON.parse(text) as Record<string, unknown>);
  const ask = (path: string, headers: Record<string, string> = {}) =>
    call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}${path}`, { headers });
  const wrote = () => notification(textFrom('16505551234', 'Hello', 'wamid.1'), line.phoneNumberId);

  test('are told in the log with address, route and kind, and counted', async () => {
    await ask('/status?access_token=planted-secret');
    await ask('/status');
    await ask('/templates', { authorization: 'Bearer gwl_mistyped' });
    await ask('/templates', { authorization: 'Bearer planted-secret' });
    await notify(scene.gateway, wrote(), 'another secret');
    await notify(scene.gateway, wrote(), 'another secret', `/${line.phoneNumberId}`);
    await call(`${scene.gateway.url}/webhooks/platform?hub.mode=subscribe&hub.verify_token=planted-secret`);
    // What is right, or only wrong, is none.
    await line.get('/status');
    await line.get('/status?refresh=maybe');
    await notify(scene.gateway, wrote());

    expect(
      told().map(({ level, address, method, route, kind }) => [level, address, method, route, kind]),
    ).toEqual([
      [40, '127.0.0.1', 'GET', '/:tid/status', 'wrong_token'],
      [40, '127.0.0.1', 'GET', '/:tid/status', 'missing_token'],
      [40, '127.0.0.1', 'GET', '/:tid/templates', 'wrong_token'],
      [40, '127.0.0.1', 'GET', '/:tid/templates', 'too_many'],
      [40, '127.0.0.1', 'POST', '/webhooks/platform', 'wrong_signature'],
      [40, '127.0.0.1', 'POST', '/webhooks/platform/:tid', 'wrong_signature'],
      [40, '127.0.0.1', 'GET', '/webhooks/platform', 'wrong_verify_token'],
    ]);
    expect(scene.gateway.logged()).not.toContain('planted-secret');
    const metrics = await (await fetch(`${scene.gateway.url}/metrics`)).text();
    for (const [kind, count] of Object.entries({
      missing_token: 1,
      wrong_token: 2,
      too_many: 1,
      wrong_signature: 2,
      wrong_verify_token: 1,
    }))
      expect(metrics).toContain(`gateway_suspicious_total{kind="${kind}"} ${count}`);
  });

  test('do not write the log full: what is left out is told with the next one', async () => {
    for (let count = 0; count < 70; count++) await ask('/status');
    expect(told()).toHaveLength(60);
    scene.clock.now += MINUTE;
    await ask('/status');
    expect(told().at(-1)).toMatchObject({ kind: 'missing_token', untold: 10 });
  });

  test('through a proxy that is not trusted are told of as such, once', async () => {
    const warnings = () => scene.gateway.logged().split('set GATEWAY_TRUSTED_PROXIES').length - 1;
    await ask('/status');
    expect(warnings()).toBe(0);
    for (let count = 0; count < 2; count++) await ask('/status', { 'x-forwarded-for': '203.0.113.7' });
    expect(warnings()).toBe(1);
  });
});
