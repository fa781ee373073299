import { DATABASES } from '../../support/databases';
import { startPeer, until } from '../../support/http-peer';
import {
  call,
  CONTACT,
  expectRefusal,
  imageTo,
  lineOf,
  sceneOf,
  sqliteUrl,
  startScene,
  textTo,
} from '../../support/scene';
import { exchange } from '../../support/raw-http';
import { notification, notify, textFrom } from '../../support/test-gateway';
import { type UsageMonthTable } from '../../../gateway/store/schema';
import { isoTime } from '../../../gateway/time';

describe.each(DATABASES)('whoever runs the gateway ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = lineOf(scene);

  const failed = (count: number) => `gateway_attempts_total{result="failed",cause="http_error"} ${count}`;

  const metrics = async (): Promise<string> => (await call(`${scene.gateway.url}/metrics`)).text;

  test('is told that it lives and that it is ready, without a token', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const { status, body } = await call(scene.gateway.url + path);
      expect([status, body]).toEqual([200, { status: 'ok' }]);
    }
  });

  test('reads how many events, attempts and requests there were, and how much waits', async () => {
    const receiver = await startPeer(({ body }) => ({ status: body.includes('bad') ? 500 : 200 }));
    const added = await call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/destinations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiver.url }),
    });
    expect(added.status).toBe(201);
    for (const text of ['good', 'bad', 'good']) {
      const written = textFrom(CONTACT, text, `wamid.${text}`);
      expect(await notify(scene.gateway, notification(written, line.phoneNumberId))).toBe(200);
    }
    // The handshake is one of the three.
    await receiver.untilReceived(3);
    expect((await line.send(imageTo(CONTACT))).status).toBe(200);
    expect((await line.send(textTo('16505550000'))).status).toBe(400);
    await until(async () => (await metrics()).includes(failed(1)));
    const text = await metrics();
    for (const expected of [
      'gateway_events_total{result="accepted"} 2',
      'gateway_events_total{result="repeated"} 1',
      'gateway_attempts_total{result="delivered",cause=""} 1',
      'gateway_requests_total{method="POST",route="/:tid/messages",status="200"} 1',
      'gateway_requests_total{method="POST",route="/:tid/messages",status="400"} 1',
      'gateway_first_attempt_delay_seconds_count 2',
      'gateway_backlog 1',
      'gateway_dead 0',
      'gateway_parked 0',
      'gateway_breakers_open 0',
      'gateway_oldest_due_seconds 0',
      'gateway_database_up 1',
      'gateway_writes_waiting 0',
      'gateway_overloaded{cause="disk"} 0',
      'gateway_destinations{state="active"} 1',
      'nodejs_eventloop_lag_p99_seconds',
    ]) {
      expect(text).toContain(expected);
    }
    expect(text).not.toContain(line.token);
    expect(text).not.toContain(CONTACT);
    await receiver.close();
  });

  test('reads what all lines sent and received this month, by direction and category', async () => {
    const other = await scene.line();
    const month = isoTime(scene.clock.now).slice(0, 7);
    const counts = { sent: 0, delivered: 0, read: 0, failed: 0, received: 0, charged: 0 };
    const of = (line_id: number, more: Partial<UsageMonthTable>): UsageMonthTable => ({
      ...{ line_id, clock: 'utc', month, direction: 'out', kind: 'text', template: '' },
      ...{ category: 'marketing', type: 'regular', country: 'BR' },
      ...counts,
      ...more,
    });
    await scene.change(({ store }) =>
      store.db
        .insertInto('usage_months')
        .values([
          of(line.id, { country: 'PT', sent: 5, charged: 3 }),
          of(line.id, { kind: 'image', sent: 10, charged: 4 }),
          of(other.id, { country: 'US', sent: 20, charged: 20 }),
          ...['planted_1', 'planted_2'].map((category) => of(other.id, { category, sent: 40 })),
          of(other.id, { direction: 'in', category: '', received: 7 }),
          of(other.id, { clock: 'line', sent: 1000 }),
          of(other.id, { month: '2020-01', sent: 1000 }),
        ])
        .execute(),
    );
    const text = await metrics();
    for (const expected of [
      'gateway_month_messages{direction="out",category="marketing"} 35',
      'gateway_month_messages{direction="out",category="other"} 80',
      'gateway_month_messages{direction="in",category="none"} 7',
      'gateway_month_charged_messages{direction="out",category="marketing"} 27',
    ])
      expect(text).toContain(expected);
    expect(text).not.toContain('planted');
  });

  test('finds no number of a metric, nor a name, that grows with customers, contacts or paths', async () => {
    for (const path of [
      '/v22.0/1/nowhere',
      `/v22.0/${line.phoneNumberId}/messages/wamid.1`,
      '/%zz',
      '/x?y=z',
    ])
      await fetch(scene.gateway.url + path);
    const series = (await metrics())
      .split('\n')
      .filter((one) => one.startsWith('gateway_') && !one.includes('_bucket{'));
    const labels = new Set(series.flatMap((one) => [...one.matchAll(/(\w+)="/g)].map(([, name]) => name)));
    expect([...labels].sort()).toEqual([
      'category',
      'cause',
      'direction',
      'kind',
      'method',
      'result',
      'route',
      'state',
      'status',
    ]);
    const routes = new Set(series.map((one) => /route="([^"]*)"/.exec(one)?.[1]).filter(Boolean));
    for (const route of routes) expect(route).toMatch(/^(none|\/[a-z_:/.]*)$/i);
  });

  test('finds no secret and nothing that anybody wrote, in metrics or log', async () => {
    const planted = {
      accessToken: 'planted-upstream-credential',
      appSecret: 'planted-app-secret',
      name: 'planted-name-of-a-line',
    };
    const secretive = await scene.line(planted);
    const receiver = await startPeer(() => ({ status: 500, body: 'planted-answer-of-a-receiver' }));
    const added = await call(`${scene.gateway.url}/v22.0/${secretive.phoneNumberId}/destinations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secretive.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        url: `${receiver.url}/?key=planted-in-an-address`,
        secret: 'planted-signing-secret',
        headers: { 'x-own': 'planted-in-a-header' },
      }),
    });
    expect(added.status).toBe(201);
    const told = textFrom(CONTACT, 'planted-text-of-a-contact', 'wamid.planted');
    expect(await notify(scene.gateway, notification(told, secretive.phoneNumberId))).toBe(200);
    expect(await notify(scene.gateway, notification(told), 'planted-wrong-secret')).toBe(401);
    await receiver.untilReceived(2);
    scene.upstream.answers.messages = () => ({ status: 500, body: 'planted-answer-of-upstream' });
    await secretive.send(textTo(CONTACT, 'planted-text-of-a-message'));
    await secretive.send('{"text": "planted-broken-body');
    await fetch(`${scene.gateway.url}/v22.0/x/status?access_token=${secretive.token}`, {
      headers: { authorization: 'Bearer planted-wrong-token' },
    });
    await until(async () => (await metrics()).includes(failed(2)));
    const { GATEWAY_SECRET_KEY: key = '', GATEWAY_APP_SECRET: appSecret = '' } = scene.gateway.env;
    for (const text of [scene.gateway.logged(), await metrics()]) {
      expect(text).not.toContain('planted');
      for (const secret of [secretive.token, line.token, key, appSecret, CONTACT])
        expect(text).not.toContain(secret);
    }
    await receiver.close();
  });

  test('gets metrics by an address or a private name, and not by one that a web page can have', async () => {
    const { port } = new URL(scene.gateway.url);
    const by = async (host: string) => {
      const request = `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      return (await exchange(scene.gateway.url, request))[0]?.status;
    };
    for (const host of ['localhost', '10.0.0.5', '[::1]', 'gateway', 'gateway.internal', 'gateway.ns.svc'])
      expect([host, await by(`${host}:${port}`)]).toEqual([host, 200]);
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io'])
      expect([host, await by(`${host}:${port}`)]).toEqual([host, 404]);
  });

  test('gets no metrics through a proxy, which would carry them to everyone', async () => {
    const answer = await call(`${scene.gateway.url}/metrics`, { headers: { 'x-forwarded-for': '8.8.8.8' } });
    expectRefusal(answer, 404, 'not_found', 2500);
  });
});

test('with a token of its own, metrics are for those who have it, also through a proxy, and for nobody else', async () => {
  const token = 'a-token-for-prometheus';
  const scene = await startScene(await sqliteUrl(), { GATEWAY_METRICS_TOKEN: token });
  try {
    const ask = (headers: Record<string, string>) => call(`${scene.gateway.url}/metrics`, { headers });
    const given = await ask({ authorization: `Bearer ${token}`, 'x-forwarded-for': '8.8.8.8' });
    expect([given.status, given.text.includes('gateway_backlog')]).toEqual([200, true]);
    for (const headers of [{}, { authorization: 'Bearer another' }, { authorization: token }])
      expectRefusal(await ask(headers as Record<string, string>), 401, 'invalid_token', 190);
    expect(scene.gateway.logged()).not.toContain(token);
  } finally {
    await scene.stop();
  }
});
