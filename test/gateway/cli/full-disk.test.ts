import { execFileSync } from 'node:child_process';
import { until } from '../../support/http-peer';
import { notification, notify, textFrom } from '../../support/test-gateway';
import { addLine, freshSettings, peer, PHONE_NUMBER_ID, start, TEXT } from './support';

/** Bytes of a file that a process may write, as if its disk had no more. */
const limitFiles = (pid: number, bytes: string): void =>
  void execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);

const MEANWHILE = ['one', 'two', 'three'];

test('while the disk is full nothing is accepted, and all goes on without a restart once there is room', async () => {
  const receiver = await peer();
  const upstream = await peer(({ method }) =>
    method === 'GET'
      ? { body: { id: '1' } }
      : { body: { messaging_product: 'whatsapp', messages: [{ id: 'wamid.sent' }] } },
  );
  const env = freshSettings({ GATEWAY_UPSTREAM_URL: upstream.url });
  const { token } = await addLine(env, '--window', 'upstream', '--forward-url', receiver.url);
  const gateway = await start(env);

  const arrives = (text: string) =>
    notify(gateway, notification(textFrom('16505551234', text, `wamid.${text}`)));
  const forwarded = (text: string) =>
    receiver.received.filter(({ method, body }) => method === 'POST' && body.includes(`wamid.${text}`));
  const send = () =>
    fetch(`${gateway.url}/v22.0/${PHONE_NUMBER_ID}/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': 'order 1',
      },
      body: JSON.stringify(TEXT),
    });
  const sent = () => upstream.received.filter(({ method }) => method === 'POST').length;
  const statusOf = async (path: string) => (await fetch(gateway.url + path)).status;

  expect(await arrives('before')).toBe(200);
  await until(() => forwarded('before').length === 1);

  limitFiles(gateway.pid, '4096');
  for (const text of MEANWHILE) expect(await arrives(text)).toBe(503);
  const refused = await send();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await refused.json()).toMatchObject({ success: false, error_code: 'database_unavailable' });
  expect(sent()).toBe(0);
  for (const path of ['/healthz', '/metrics']) expect(await statusOf(path)).toBe(200);
  expect(await statusOf('/readyz')).toBe(503);
  for (const text of MEANWHILE) expect(forwarded(text)).toEqual([]);
  // Not one line for each of them.
  expect(gateway.stdout().match(/request failed/g)?.length).toBeLessThan(4);

  limitFiles(gateway.pid, 'unlimited');
  // Also where nobody writes meanwhile, because nothing is sent to who is not ready.
  await until(async () => (await statusOf('/readyz')) === 200);
  for (const text of MEANWHILE) expect(await arrives(text)).toBe(200);
  for (const text of MEANWHILE) await until(() => forwarded(text).length === 1);
  expect((await send()).status).toBe(200);
  expect(sent()).toBe(1);
  expect(await gateway.end()).toBe(0);
});
