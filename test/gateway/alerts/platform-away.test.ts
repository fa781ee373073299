import { SECOND } from '../../../gateway/time';
import { freePort } from '../../support/postgres';
import { startPeer } from '../../support/http-peer';
import { imageTo, sqliteUrl, startScene } from '../../support/scene';

test('a platform that cannot be reached is an incident and a metric, until it answers again', async () => {
  const port = await freePort();
  const scene = await startScene(await sqliteUrl(), { GATEWAY_UPSTREAM_URL: `http://127.0.0.1:${port}` });
  try {
    const line = await scene.line();
    const isUp = async () =>
      /^gateway_platform_up (\d)$/m.exec(await (await fetch(`${scene.gateway.url}/metrics`)).text())?.[1];
    const incidents = () =>
      scene.change(async ({ store }) =>
        (await store.alerts.open()).filter(({ kind }) => kind === 'platform_away'),
      );
    expect(await isUp()).toBe('1');
    for (let sends = 0; sends < 3; sends++)
      expect((await line.send(imageTo('16505551234'))).status).toBe(503);
    expect(await isUp()).toBe('0');
    await scene.gateway.lookForAlerts();
    expect(await incidents()).toMatchObject([
      { severity: 'critical', text: 'It refuses connections. No message is sent until it answers.' },
    ]);
    // It answers again, and nobody sends anything: the gateway finds out by itself.
    const platform = await startPeer(() => ({ status: 404 }), port);
    for (let looks = 0; (await incidents()).length && looks < 100; looks++, scene.clock.now += 10 * SECOND)
      await scene.gateway.lookForAlerts();
    expect([await incidents(), await isUp()]).toEqual([[], '1']);
    await platform.close();
  } finally {
    await scene.stop();
  }
});
