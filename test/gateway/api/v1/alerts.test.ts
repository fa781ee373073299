import { adminToken, askAdmin } from '../../../support/admin-api';
import { addCustomer } from '../../../support/customer-things';
import { DATABASES } from '../../../support/databases';
import { startPeer, type HttpPeer } from '../../../support/http-peer';
import { rows } from '../../../support/rows';
import { expectRefusal, sceneOf, type Json } from '../../../support/scene';

describe.each(DATABASES)('alerts in the management API ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_TOKEN_RATE: 'off' });
  let token: string;
  let receiver: HttpPeer;
  let line: number;
  let customer: number;
  const ask = (method: string, path: string, body?: object, by = token) =>
    askAdmin(scene, by, method, path, body);
  const webhook = (more: object = {}) => ({
    kind: 'webhook',
    name: 'Pager',
    settings: { url: receiver.url },
    ...more,
  });
  const actions = async (): Promise<Json[]> =>
    (
      await rows(scene.databaseUrl, `select action from audit where action like 'alert%' order by number`)
    ).map(({ action }) => action);

  beforeAll(async () => {
    token = await adminToken(scene);
    receiver = await startPeer();
    ({ id: line } = await scene.line());
    customer = await addCustomer(scene, 'Lucky Shrub');
    await scene.change(({ store }) => store.lines.update(line, { customer_id: customer }));
  });
  afterAll(() => receiver.close());

  test('creates, changes, pauses, tests and removes a channel, whose secret is shown once', async () => {
    const made = await ask('POST', '/alert-channels', webhook({ line_id: line, remind_hours: null }));
    const { secret, ...channel } = made.body;
    expect(secret).toMatch(/^whsec_/);
    expect(channel).toMatchObject({ kind: 'webhook', line_id: line, waba_id: null, remind_hours: null });
    const path = `/alert-channels/${channel.id}`;
    expect((await ask('GET', path)).body).toEqual(channel);
    const tested = await ask('POST', `${path}/test`);
    expect(tested.body).toEqual({ accepted: true, failure: null });
    expect(receiver.received).toHaveLength(1);
    const before = await actions();
    expect((await ask('PATCH', path, { name: 'Pager' })).body).toEqual({
      ...channel,
      last_alert_at: expect.any(String),
    });
    expect(await actions()).toEqual(before);
    const quiet = { from: '22:00', to: '07:00' };
    const changed = (await ask('PATCH', path, { quiet_hours: quiet, paused: true })).body;
    expect(changed).toMatchObject({ name: 'Pager', quiet_hours: quiet, paused: true, to: channel.to });
    expect((await ask('GET', path)).body).toEqual(changed);
    expect((await ask('PATCH', path, { paused: false })).body).toMatchObject({ paused: false });
    expect((await ask('DELETE', path)).status).toBe(204);
    expectRefusal(await ask('GET', path), 404, 'not_found', 100);
    expect((await actions()).slice(before.length)).toEqual([
      'alert_channel.edited',
      'alert_channel.paused',
      'alert_channel.resumed',
      'alert_channel.removed',
    ]);
  });

  test('refuses what the panel refuses, by field', async () => {
    for (const [body, field] of [
      [webhook({ kind: 'pigeon' }), 'kind'],
      [webhook({ settings: { url: 'no address' } }), 'settings.url'],
      [webhook({ settings: { url: receiver.url, color: 'red' } }), 'settings'],
      [webhook({ time_zone: 'Mars' }), 'time_zone'],
      [webhook({ remind_hours: 0 }), 'remind_hours'],
      [webhook({ language: 'xx' }), 'language'],
      [webhook({ line_id: 999_999 }), 'line'],
      [webhook({ line_id: line, waba_id: '1' }), 'waba_id'],
    ] as const) {
      const reply = await ask('POST', '/alert-channels', body);
      expectRefusal(reply, 400, 'invalid_payload', 131009);
      expect(reply.body.error.error_data.fields.map(({ path }: Json) => path)).toEqual([field]);
    }
  });

  test('lets a token of one customer manage the channels and mutes of its lines alone', async () => {
    const one = await adminToken(scene, { customerIds: [customer] });
    expectRefusal(await ask('POST', '/alert-channels', webhook(), one), 403, 'not_permitted', 10);
    const mine = (await ask('POST', '/alert-channels', webhook({ line_id: line }), one)).body;
    const { id: whole } = (await ask('POST', '/alert-channels', webhook())).body;
    expectRefusal(await ask('PATCH', `/alert-channels/${whole}`, { name: 'x' }, one), 404, 'not_found', 100);
    expectRefusal(
      await ask('PATCH', `/alert-channels/${mine.id}`, { line_id: null, waba_id: null }, one),
      403,
      'not_permitted',
      10,
    );
    expectRefusal(
      await ask('POST', '/alert-mutes', { condition: 'line_quality', hours: 1 }, one),
      403,
      'not_permitted',
      10,
    );
    const muted = await ask('POST', '/alert-mutes', { line_id: line, hours: 1 }, one);
    expect(muted.body).toMatchObject({ line_id: line, condition: null, what: 'Everything about Test line' });
    expect((await ask('GET', '/alert-mutes', undefined, one)).body.data).toEqual([muted.body]);
    expect((await ask('DELETE', `/alert-mutes/${muted.body.id}`, undefined, one)).status).toBe(204);
    expectRefusal(await ask('DELETE', `/alert-mutes/${muted.body.id}`), 404, 'not_found', 100);
    expectRefusal(await ask('GET', '/alert-rules', undefined, one), 403, 'not_permitted', 10);
  });

  test('lists open incidents and mutes one of them', async () => {
    await scene.change(async ({ store }) => {
      const [channel] = await store.alerts.channels();
      await store.alerts.updateChannel(channel?.id ?? 0, {
        failing_since: '2026-03-10T11:00:00.000Z',
        last_failure: 'It answered 500.',
      });
    });
    await scene.gateway.lookForAlerts();
    const [incident] = (await ask('GET', '/incidents')).body.data;
    expect(incident).toMatchObject({ condition: 'channel_failing', severity: 'warning', line_id: null });
    const mute = { incident_id: incident.id, until: '2026-03-11T12:00:00Z' };
    expect((await ask('POST', '/alert-mutes', mute)).body).toMatchObject({
      condition: 'channel_failing',
      until: '2026-03-11T12:00:00.000Z',
    });
    expectRefusal(
      await ask('POST', '/alert-mutes', { incident_id: 999_999, hours: 1 }),
      404,
      'not_found',
      100,
    );
    for (const [body, code] of [
      [{ hours: 1 }, 100],
      [{ line_id: line }, 100],
      [{ condition: 'nonsense', hours: 1 }, 131009],
    ] as const)
      expectRefusal(await ask('POST', '/alert-mutes', body), 400, 'invalid_payload', code);
  });

  test('changes a rule, and says nothing in the audit if nothing changed', async () => {
    const path = '/alert-rules/deliveries_late';
    const rule = (await ask('GET', path)).body;
    expect((await ask('GET', '/alert-rules?limit=200')).body.data).toContainEqual(rule);
    const dry = await ask('PATCH', `${path}?dry_run=1`, { threshold: 7 });
    expect([dry.body, (await ask('GET', path)).body]).toEqual([{ ...rule, threshold: 7 }, rule]);
    const before = await actions();
    expect((await ask('PATCH', path, { threshold: 7 })).body).toEqual({ ...rule, threshold: 7 });
    expect((await ask('PATCH', path, { threshold: 7, enabled: true })).status).toBe(200);
    expect((await actions()).slice(before.length)).toEqual(['alert_rule.changed']);
    expectRefusal(await ask('PATCH', path, { threshold: 0 }), 400, 'invalid_payload', 131009);
    expectRefusal(await ask('GET', '/alert-rules/nonsense'), 404, 'not_found', 100);
  });
});
