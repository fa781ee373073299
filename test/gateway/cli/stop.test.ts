import { DATABASES } from '../../support/databases';
import { until } from '../../support/http-peer';
import { notification, notify, settings, textFrom } from '../../support/test-gateway';
import { addLine, ask, endAll, freshSettings, peer, start, TEXT } from './support';

jest.setTimeout(60_000);

afterEach(endAll);

const written = (wamid: string) => notification(textFrom('16505551234', 'Hello', wamid));

describe('a gateway that is told to end', () => {
  test('says on SIGTERM that it is not ready, and goes on to take connections until balancers have noticed', async () => {
    const gateway = await start(freshSettings());
    const ask = (path: string) =>
      fetch(gateway.url + path).then(({ status, headers }) => [status, headers.get('connection')]);
    const { status, headers } = await fetch(`${gateway.url}/readyz`);
    expect([status, headers.get('connection'), headers.get('keep-alive')]).toEqual([
      200,
      'keep-alive',
      'timeout=5',
    ]);
    const ended = gateway.end('SIGTERM');
    await until(async () => (await ask('/readyz'))[0] === 503);
    expect([await ask('/readyz'), await ask('/healthz')]).toEqual([
      [503, 'close'],
      [200, 'close'],
    ]);
    expect(await ended).toBe(0);
  });

  test('ends at once where it is told again', async () => {
    const upstream = await peer(({ method }) => (method === 'GET' ? { body: { id: '1' } } : 'handled'));
    const env = freshSettings({ GATEWAY_UPSTREAM_URL: upstream.url });
    const { token } = await addLine(env, '--window', 'upstream');
    const gateway = await start(env);
    const sent = ask(gateway, token, 'messages', TEXT).catch(() => 'broken off');
    await until(() => upstream.received.some(({ method }) => method === 'POST'));
    void gateway.end('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await gateway.end('SIGINT')).toBe(1);
    expect(await sent).toBe('broken off');
  });
});

describe.each(DATABASES)('events on their way when a gateway is told to end ($name)', ({ createUrl }) => {
  test('reach their destination once each, those that waited after the next start', async () => {
    let slow = true;
    const receiver = await peer(async ({ method }) => {
      if (slow && method === 'POST') await new Promise((resolve) => setTimeout(resolve, 300));
    });
    const env = settings(await createUrl());
    await addLine(env, '--forward-url', receiver.url);
    const first = await start(env);
    const wamids = Array.from({ length: 20 }, (_nothing, index) => `wamid.${index}`);
    // One contact, so that each waits for the one before it.
    for (const wamid of wamids) expect(await notify(first, written(wamid))).toBe(200);
    const posted = () => receiver.received.filter(({ method }) => method === 'POST');
    await until(() => posted().length > 0);
    expect(await first.end('SIGINT')).toBe(0);
    const before = posted().length;
    expect(before).toBeLessThan(wamids.length);

    slow = false;
    const second = await start(env);
    await until(() => posted().length >= wamids.length, 20_000);
    expect(await second.end('SIGINT')).toBe(0);
    expect(posted().map(({ body }) => /wamid\.\d+/.exec(body)?.[0])).toEqual(wamids);
  });
});
