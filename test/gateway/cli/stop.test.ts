import { until } from '../../support/http-peer';
import { addLine, ask, freshSettings, peer, start, TEXT } from './support';

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
