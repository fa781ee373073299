import { DATABASES } from '../../../support/databases';
import { adminToken, askAdmin } from '../../../support/admin-api';
import { startPeer, until, type HttpPeer } from '../../../support/http-peer';
import { rows } from '../../../support/rows';
import {
  call,
  CONTACT,
  expectRefusal,
  imageTo,
  phoneNumberNode,
  sceneOf,
  upstreamError,
  type Json,
} from '../../../support/scene';

const LINE = {
  name: 'Support',
  phone_number_id: '106540352242900',
  phone_number: '+1 555-078-3881',
  waba_id: '102290129340300',
  access_token: 'EAAJB-of-the-line',
  app_secret: 'app-secret-of-the-line',
};

describe.each(DATABASES)('the lines of the management API ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_TOKEN_RATE: 'off' });
  let receiver: HttpPeer;
  let token: string;
  let line: Json;

  const ask = (method: string, path: string, body?: object, headers?: Record<string, string>, by = token) =>
    askAdmin(scene, by, method, path, body, headers);
  const everySecret = (): string[] => [LINE.access_token, LINE.app_secret];

  beforeAll(async () => {
    receiver = await startPeer((request) =>
      request.url.includes('hub.challenge=')
        ? { status: 200, body: new URL(request.url, 'http://x').searchParams.get('hub.challenge') ?? '' }
        : { status: 200 },
    );
    scene.upstream.answers.phoneNumbers = () => ({ body: { data: [{ id: LINE.phone_number_id }] } });
    scene.upstream.answers.phoneNumber = () =>
      phoneNumberNode({ id: LINE.phone_number_id, display_phone_number: '+1 555-078-3881' });
    token = await adminToken(scene);
    const created = await ask('POST', '/lines', LINE);
    expect([created.status, created.text]).toEqual([201, created.text]);
    line = created.body;
  });
  afterAll(() => receiver.close());

  test('are created once the platform confirms their ids, and never show their credentials', async () => {
    expect(line).toMatchObject({ name: 'Support', customer_id: null, active: true, has_access_token: true });
    const { verify_token: verifyToken, callback_path: path, ...shown } = line;
    expect(path).toBe(`/webhooks/platform/${LINE.phone_number_id}`);
    const read = await ask('GET', `/lines/${line.id}`);
    expect(read.body).toEqual(shown);
    expect((await ask('GET', `/lines?phone_number_id=${LINE.phone_number_id}`)).body.data).toEqual([shown]);
    for (const secret of [...everySecret(), verifyToken]) expect(read.text).not.toContain(secret);
    const taken = await ask('POST', '/lines', LINE);
    expect(taken.body.error.error_data.fields).toMatchObject([{ path: 'phone_number_id' }]);
    scene.upstream.answers.phoneNumber = () => upstreamError(401, 190);
    const refused = await ask('POST', '/lines', { ...LINE, phone_number_id: '106540352242901' });
    expect(refused.body.error.error_data.fields).toMatchObject([{ path: 'access_token' }]);
    scene.upstream.answers.phoneNumber = () => phoneNumberNode();
    expect(JSON.stringify(await rows(scene.databaseUrl, 'select * from audit'))).not.toMatch(
      new RegExp(everySecret().join('|')),
    );
  });

  test('are changed and switched, unless somebody else changed them meanwhile', async () => {
    const path = `/lines/${line.id}`;
    const { headers } = await ask('GET', path);
    const tag = { 'if-match': headers.get('etag') ?? '' };
    const changed = await ask('PATCH', path, { name: 'Help', active: false, keeps_sent: true }, tag);
    expect(changed.body).toMatchObject({ name: 'Help', active: false, keeps_sent: true, window: 'text' });
    expect((await ask('PATCH', path, { name: 'Late' }, tag)).status).toBe(412);
    expect((await ask('PATCH', `${path}?dry_run=1`, { name: 'Try' })).body.name).toBe('Try');
    expect((await ask('PATCH', path, { active: true, window: 'all' })).body).toMatchObject({
      name: 'Help',
      active: true,
      window: 'all',
    });
    const foreign = await ask('PATCH', path, { customer_id: 999 });
    expect(foreign.body.error.error_data.fields).toMatchObject([{ path: 'customer_id' }]);
  });

  test('have tokens, shown once, that work at once until they are rotated and revoked', async () => {
    const status = (by: string) =>
      call(`${scene.gateway.url}/v22.0/${LINE.phone_number_id}/status`, {
        headers: { authorization: `Bearer ${by}` },
      });
    const key = { 'idempotency-key': 'one token' };
    const made = await ask('POST', `/lines/${line.id}/tokens`, { name: 'n8n', scopes: ['read'] }, key);
    expect([made.status, made.body.token]).toEqual([201, expect.stringMatching(/^gwl_/)]);
    const again = await ask('POST', `/lines/${line.id}/tokens`, { name: 'n8n', scopes: ['read'] }, key);
    expect(again.body).toEqual(made.body);
    const { token: secret, ...shown } = made.body;
    expect((await ask('GET', `/lines/${line.id}/tokens`)).body.data).toEqual([shown]);
    expect((await status(secret)).status).toBe(200);
    const rotated = await ask('POST', `/tokens/${made.body.id}/rotate`, { overlap_hours: 0 });
    expect(rotated.body).toMatchObject({ name: 'n8n', scopes: ['read'] });
    expect([(await status(secret)).status, (await status(rotated.body.token)).status]).toEqual([401, 200]);
    expect((await ask('DELETE', `/tokens/${rotated.body.id}`)).status).toBe(204);
    expect((await status(rotated.body.token)).status).toBe(401);
    expectRefusal(await ask('POST', `/tokens/${rotated.body.id}/rotate`, {}), 404, 'not_found', 100);
  });

  test('have destinations, whose secrets are only in the answers that make them', async () => {
    const url = `${receiver.url}/hooks/secret-path`;
    const made = await ask('POST', `/lines/${line.id}/destinations`, { url, events: ['messages'] });
    expect([made.status, made.text]).toEqual([201, made.text]);
    const { secret, verify_token: verifyToken, handshake, ...shown } = made.body;
    expect([handshake.ok, shown.url, shown.origin]).toEqual([true, url, 'operator']);
    const path = `/destinations/${shown.id}`;
    const read = await ask('GET', path);
    expect(read.body).toEqual(shown);
    for (const one of [secret, verifyToken]) expect(read.text).not.toContain(one);
    const reader = await adminToken(scene, { permissions: ['events.read'] });
    const seen = await ask('GET', `/lines/${line.id}/destinations`, undefined, {}, reader);
    expect(seen.body.data[0].url).toBe(`${receiver.url}/…`);
    expect((await ask('PATCH', path, { events: ['messages', 'read'] })).body.events).toHaveLength(2);
    const paused = await ask('POST', `${path}/pause`);
    expect(paused.body.paused_at).toEqual(expect.any(String));
    expect((await ask('POST', `${path}/resume`)).body.paused_at).toBeNull();
    const rotated = await ask('POST', `${path}/secret`, { overlap_hours: 1 });
    expect(rotated.body).toEqual({ secret: expect.any(String), overlap_hours: 1 });
    expect(rotated.body.secret).not.toBe(secret);
    const before = receiver.received.length;
    const dry = await ask('POST', `${path}/test?dry_run=1`);
    expect([dry.body.outcome, receiver.received.length]).toEqual([null, before]);
    expect((await ask('POST', `${path}/test`)).body).toMatchObject({ accepted: true, http_status: 200 });
    expect((await ask('DELETE', path)).status).toBe(204);
    expectRefusal(await ask('GET', path), 404, 'not_found', 100);
  });

  test('have checks, which are read and run', async () => {
    const path = `/lines/${line.id}/checks`;
    const run = await ask('POST', path);
    expect([run.status, run.body.refresh]).toEqual([200, { requested: true, performed: true }]);
    const again = (await ask('POST', path)).body.refresh;
    expect(again).toMatchObject({ performed: false, reason: 'cooldown' });
    const { checks } = (await ask('GET', path)).body;
    expect(checks).toContainEqual(expect.objectContaining({ check: expect.any(String), state: 'ok' }));
  });

  test('replay what was given up, of the lines of the token alone', async () => {
    const [mine, other] = [await scene.line(), await scene.line()];
    const down = await startPeer(() => ({ status: 200 }));
    const events = () => down.received.filter(({ method }) => method === 'POST');
    for (const one of [mine, other]) {
      await ask('POST', `/lines/${one.id}/destinations`, { url: down.url });
      await one.wrote(CONTACT, 1);
    }
    await until(() => events().length === 2);
    const ofMine = await adminToken(scene, { lineIds: [mine.id] });
    const filter = { states: ['delivered', 'dead', 'pending'] };
    expect((await ask('POST', '/deliveries/replay?dry_run=1', filter)).body.replayed).toBe(0);
    const replayed = await ask('POST', '/deliveries/replay', { ...filter, line_id: other.id }, {}, ofMine);
    expect(replayed.body).toEqual({ replayed: 0, complete: true });
    expect((await ask('POST', '/deliveries/replay', filter, {}, ofMine)).body.replayed).toBe(1);
    await until(() => events().length === 3);
    expectRefusal(
      await ask('POST', '/deliveries/replay', { ...filter, from: 'x' }),
      400,
      'invalid_payload',
      131009,
    );
    await down.close();
  });

  test('are removed for good', async () => {
    expect((await ask('DELETE', `/lines/${line.id}?dry_run=1`)).status).toBe(204);
    expect((await ask('GET', `/lines/${line.id}`)).status).toBe(200);
    expect((await ask('DELETE', `/lines/${line.id}`)).status).toBe(204);
    expectRefusal(await ask('GET', `/lines/${line.id}`), 404, 'not_found', 100);
  });

  test('admin tokens make narrower ones, which are shown once and open their lines', async () => {
    const one = await scene.line();
    const made = await ask('POST', '/admin-tokens', {
      ...{ name: 'n8n', line_ids: [one.id], permissions: ['send', 'read'], expires_in_days: 30 },
    });
    expect([made.status, made.body.token]).toEqual([201, expect.stringMatching(/^gwa_/)]);
    const { token: secret, ...shown } = made.body;
    expect((await ask('GET', `/admin-tokens/${shown.id}`)).body).toEqual(shown);
    const sent = await call(`${scene.gateway.url}/v22.0/${one.phoneNumberId}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(imageTo(CONTACT)),
    });
    expect(sent.status).toBe(200);
    const lines = (await ask('GET', '/lines', undefined, {}, secret)).body.data;
    expect(lines.map(({ id }: Json) => id)).toEqual([one.id]);
    expectRefusal(await ask('GET', '/admin-tokens', undefined, {}, secret), 403, 'permission_missing', 10);
    expect((await ask('DELETE', `/admin-tokens/${shown.id}`)).status).toBe(204);
    expectRefusal(await ask('GET', '/lines', undefined, {}, secret), 401, 'invalid_token', 190);
  });
});
