import { Webhook } from 'standardwebhooks';
import { type Notice } from '../../../gateway/alerts/notice';
import { addChannel } from '../../../gateway/alerts/use-cases/add-channel';
import { editChannel } from '../../../gateway/alerts/use-cases/edit-channel';
import { insertDestination } from '../../../gateway/forwarding/destinations/destination-rows';
import { destinationRules } from '../../../gateway/http/destination-address';
import { DAY, HOUR, isoTime, MINUTE, SECOND } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type Answer, type HttpPeer } from '../../support/http-peer';
import {
  call,
  expectRefusal,
  phoneNumberNode,
  startScene,
  type Scene,
  type TestLine,
} from '../../support/scene';
import { notify } from '../../support/test-gateway';
import { ACTOR, addAlertChannel, addAlertWebhook, TERMS } from './support';

describe.each(DATABASES)('alerts of a gateway ($name)', ({ createUrl }) => {
  let scene: Scene;
  let line: TestLine;
  let receiver: HttpPeer;
  let answer: Answer;

  beforeEach(async () => {
    answer = {};
    receiver = await startPeer(({ url }) => {
      if (url === '/told') return {};
      return url === '/hook' ? { status: 500 } : answer;
    });
    scene = await startScene(await createUrl());
    line = await scene.line({ name: 'Lucky Shrub' });
  });
  afterEach(async () => {
    await scene.stop();
    await receiver.close();
  });

  const rules = destinationRules(['127.0.0.0/8']);
  const notices = (): Notice[] =>
    receiver.received
      .filter(({ url }) => url === '/alerts')
      .map(({ body }) => JSON.parse(body).data as Notice);
  /** Looks each ten seconds, for so long. */
  async function pass(duration: number): Promise<void> {
    for (const end = scene.clock.now + duration; scene.clock.now < end; scene.clock.now += 10 * SECOND)
      await scene.gateway.lookForAlerts();
  }
  const fails = (id: number, since: number | null, failure = 'HTTP 500') =>
    scene.change(({ store }) =>
      store.destinations.update(id, {
        failing_since: since === null ? null : isoTime(since),
        last_failure: since === null ? null : failure,
      }),
    );
  const addDestination = (path = '/hook') =>
    scene.change((world) =>
      insertDestination({ ...world, rules }, line.id, { url: `${receiver.url}${path}`, origin: 'operator' }),
    );

  test('go to a webhook, signed, with what happened, since when, what to do and where; and once when it is over', async () => {
    const { secret } = await addAlertWebhook(scene, `${receiver.url}/alerts`);
    const { id } = await addDestination();
    const began = scene.clock.now;
    await fails(id, began);
    await pass(3 * MINUTE);
    expect(notices()).toHaveLength(1);
    expect(notices()[0]).toMatchObject({
      what: 'opened',
      condition: 'destination_failing',
      severity: 'critical',
      title: `Lucky Shrub: ${new URL(receiver.url).host} isn't accepting events`,
      since: isoTime(began),
      ended: null,
      waiting: 0,
      count: 1,
      url: `${scene.gateway.url}/panel/events?destination=${id}&state=waiting`,
      incidents: [{ line: { id: line.id, name: 'Lucky Shrub', phone_number_id: line.phoneNumberId } }],
    });
    const [sent] = receiver.received;
    // By the scene's clock.
    const at = new Date(Number(sent?.headers['webhook-timestamp']) * SECOND);
    expect(Math.abs(at.getTime() - scene.clock.now)).toBeLessThan(5 * MINUTE);
    expect(sent?.headers['webhook-signature']).toBe(
      new Webhook(secret).sign(notices()[0]?.id ?? '', at, sent?.body ?? ''),
    );

    await fails(id, null);
    await pass(MINUTE);
    expect(notices().slice(1)).toMatchObject([{ what: 'recovered', ended: expect.any(String), count: 1 }]);
  });

  test('of which one does not arrive are tried again under one id, and the channel says why', async () => {
    const { id } = await addAlertWebhook(scene, `${receiver.url}/alerts`);
    answer = { status: 503, body: 'closed for today' };
    await fails((await addDestination()).id, scene.clock.now - HOUR);
    await pass(MINUTE);
    const channel = () => scene.change(({ store }) => store.alerts.channel(id));
    expect(await channel()).toMatchObject({
      last_failure: 'It answered HTTP 503: closed for today',
      failing_since: expect.any(String),
    });
    const before = receiver.received.length;
    expect(before).toBeGreaterThan(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    answer = {};
    await pass(5 * MINUTE);
    expect(receiver.received).toHaveLength(before + 1);
    expect(await channel()).toMatchObject({
      last_failure: null,
      failing_since: null,
      last_told_at: expect.any(String),
    });
  });

  test('that wait for a channel go out once it was changed, and others hear that it was, not that it works', async () => {
    const settings = { url: `${receiver.url}/alerts`, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
    const channel = await addAlertChannel(scene, 'webhook', settings);
    await addAlertWebhook(scene, `${receiver.url}/told`);
    const edit = () =>
      scene.change((world) =>
        editChannel(world, ACTOR, null, channel, { ...TERMS, kind: 'webhook', settings }),
      );
    answer = { status: 503 };
    await fails((await addDestination()).id, scene.clock.now - HOUR);
    await pass(10 * MINUTE);
    await edit();
    await pass(MINUTE);
    const titles = receiver.received
      .filter(({ url }) => url === '/told')
      .map(({ body }) => JSON.parse(body).data as Notice)
      .filter(({ condition }) => condition === 'channel_failing')
      .map(({ title }) => title);
    expect(titles).toEqual([
      'Alerts do not reach the channel Our webhook',
      'The channel Ours was changed and is tried again',
    ]);

    answer = {};
    const before = notices().length;
    await scene.gateway.lookForAlerts();
    expect(notices()).toHaveLength(before);
    await edit();
    await scene.gateway.lookForAlerts();
    expect(notices()).toHaveLength(before + 1);
  });

  test('that nobody could be told before they were over are told once, with what ended them', async () => {
    await addAlertWebhook(scene, `${receiver.url}/alerts`);
    const { id } = await addDestination();
    answer = { status: 503 };
    await fails(id, scene.clock.now - HOUR);
    await pass(MINUTE);
    await scene.change(({ store }) => store.destinations.remove(id, isoTime(scene.clock.now)));
    await pass(MINUTE);
    const before = notices().length;
    expect(before).toBeGreaterThan(2);
    answer = {};
    await pass(5 * MINUTE);
    const host = new URL(receiver.url).host;
    expect(notices().slice(before)).toMatchObject([
      {
        what: 'recovered',
        title: `Lucky Shrub: ${host} was removed`,
        text: `Not sent in time: Lucky Shrub: ${host} isn't accepting events. Last attempt: HTTP 500.`,
      },
    ]);
  });

  test('that a pause of the channel dropped are told anew after it, and those that grew are told with what waits then', async () => {
    const { id } = await addAlertWebhook(scene, `${receiver.url}/alerts`);
    const destination = (await addDestination()).id;
    answer = { status: 503 };
    await fails(destination, scene.clock.now - HOUR);
    await pass(MINUTE);
    const paused = (at: string | null) =>
      scene.change(({ store }) => store.alerts.updateChannel(id, { paused_at: at, remind_hours: 4 }));
    await paused(isoTime(scene.clock.now));
    await pass(10 * MINUTE);
    const before = notices().length;
    answer = {};
    await paused(null);
    await pass(MINUTE);
    expect(notices().slice(before)).toMatchObject([{ what: 'opened', waiting: 0 }]);
    expect(notices()[before]?.id).not.toBe(notices()[0]?.id);

    await line.wrote('16505551234', 0);
    scene.clock.now += 4 * HOUR;
    await pass(MINUTE);
    expect(notices().slice(before + 1)).toMatchObject([{ what: 'reminder', waiting: 1 }]);
    expect(await scene.change(({ store }) => store.alerts.open())).toMatchObject([{ waiting: 1 }]);
  });

  test('tell what the platform did to a line and its templates, and only what is new of it', async () => {
    await addAlertWebhook(scene, `${receiver.url}/alerts`);
    const template = (name: string, status: string) => ({
      ...{
        line_id: line.id,
        name,
        language: 'en',
        upstream_id: null,
        category: 'UTILITY',
        upstream_status: status,
      },
      ...{
        quality_score: null,
        rejected_reason: null,
        quality_node: null,
        parameter_format: 'POSITIONAL',
        components: '[]',
        is_starter: 0,
      },
      ...{ status_at: null, quality_at: null, category_at: null, components_at: null },
    });
    await scene.change(({ store }) =>
      store.templates.insertStarters([template('old', 'REJECTED'), template('good', 'APPROVED')]),
    );
    await line.edit({ templates_read_at: isoTime(scene.clock.now) });
    scene.upstream.answers.phoneNumber = () => phoneNumberNode({ messaging_limit_tier: 'TIER_10K' });
    await line.get('/status?refresh=1');
    await pass(MINUTE);
    expect(notices()).toEqual([]);

    scene.upstream.answers.phoneNumber = () =>
      phoneNumberNode({ messaging_limit_tier: 'TIER_1K', status: 'FLAGGED', quality_rating: 'YELLOW' });
    scene.clock.now += 2 * MINUTE;
    await line.get('/status?refresh=1');
    await scene.change(({ store }) =>
      store.templates.applyChanges(line.id, [
        {
          upstream_id: null,
          name: 'good',
          language: 'en',
          at: isoTime(scene.clock.now),
          upstream_status: 'PAUSED',
        },
      ]),
    );
    await pass(MINUTE);
    expect(
      notices()
        .map(({ condition, title }) => [condition, title])
        .sort(),
    ).toEqual([
      ['line_limit', 'Lucky Shrub may write to fewer people'],
      ['line_quality', 'The quality of Lucky Shrub dropped to medium'],
      ['line_restricted', 'Lucky Shrub is restricted'],
      ['template_stopped', 'Template good (en) of Lucky Shrub was paused'],
    ]);

    // Corrected and submitted again, it cannot be sent yet.
    scene.clock.now += MINUTE;
    await scene.change(({ store }) =>
      store.templates.applyChanges(line.id, [
        {
          upstream_id: null,
          name: 'good',
          language: 'en',
          at: isoTime(scene.clock.now),
          upstream_status: 'PENDING',
        },
      ]),
    );
    await pass(MINUTE);
    expect(notices().map(({ title }) => title)).toContain(
      'Template good (en) of Lucky Shrub is no longer paused',
    );
  });

  test('tell for a week that the platform changed the category of a template, by an event or in its list', async () => {
    await addAlertWebhook(scene, `${receiver.url}/alerts`);
    const listed: Record<string, string> = { promo: 'UTILITY', offer: 'UTILITY' };
    scene.upstream.answers.templates = () => ({
      body: {
        data: Object.entries(listed).map(([name, category], id) => ({
          ...{ id: `${id + 1}`, name, language: 'en', status: 'APPROVED', category },
          components: [{ type: 'BODY', text: 'Hello' }],
        })),
      },
    });
    await line.get('/templates?refresh=1');
    await pass(MINUTE);
    expect(notices()).toEqual([]);

    scene.clock.now += MINUTE;
    const at = isoTime(scene.clock.now);
    await scene.change(({ store }) =>
      store.templates.applyChanges(line.id, [
        { upstream_id: '1', name: 'promo', language: 'en', at, category: 'MARKETING' },
      ]),
    );
    await pass(MINUTE);
    const title = (name: string) =>
      `WhatsApp changed the category of template ${name} (en) of Lucky Shrub from Utility to Marketing`;
    expect(notices()).toMatchObject([{ condition: 'template_category', title: title('promo'), since: at }]);

    Object.assign(listed, { promo: 'MARKETING', offer: 'MARKETING' });
    await line.get('/templates?refresh=1');
    await pass(10 * MINUTE);
    expect(notices().map((one) => one.title)).toEqual([title('promo'), title('offer')]);

    scene.clock.now += 8 * DAY;
    await pass(MINUTE);
    expect(notices().slice(2)).toMatchObject([
      { what: 'recovered', title: expect.stringContaining('2 templates') },
    ]);
  });

  test('tell within a look that the platform refuses the access token, and that it takes another', async () => {
    await addAlertWebhook(scene, `${receiver.url}/alerts`);
    const { phoneNumber } = scene.upstream.answers;
    const refused = { error: { message: 'Session has expired', type: 'OAuthException', code: 190 } };
    scene.upstream.answers.phoneNumber = () => ({ status: 401, body: refused });
    scene.upstream.answers.messages = () => ({ status: 401, body: refused });
    expect(
      (
        await line.send({
          messaging_product: 'whatsapp',
          to: '16505551234',
          type: 'image',
          image: { id: '1' },
        })
      ).status,
    ).toBe(502);
    await until(async () => (await scene.change(({ store }) => store.lines.refused())).length === 1);
    await pass(MINUTE);
    expect(notices()).toMatchObject([
      { what: 'opened', condition: 'line_credentials', severity: 'critical' },
    ]);
    expect(notices()[0]?.text).toContain('Session has expired');
    scene.upstream.answers.phoneNumber = phoneNumber;
    scene.clock.now += 2 * MINUTE;
    await line.get('/status?refresh=1');
    await pass(MINUTE);
    expect(notices()[1]).toMatchObject({ what: 'recovered', condition: 'line_credentials' });
  });

  test('tell what stops a line that is not set up, and that it is repaired', async () => {
    await addAlertWebhook(scene, `${receiver.url}/alerts`);
    const reported = (isSubscribed: boolean, hasPaymentMethod: boolean) =>
      scene.change(async ({ store }) => {
        const row = await store.lines.find(line.id);
        const checks = {
          at: isoTime(scene.clock.now),
          isSubscribed: { value: isSubscribed },
          hasPaymentMethod: { value: hasPaymentMethod },
        };
        await store.lines.update(line.id, {
          upstream_node: JSON.stringify({ status: 'CONNECTED', platform_type: 'CLOUD_API' }),
        });
        await store.lines.storeChecks(line.id, {
          ...{ phoneNumberId: line.phoneNumberId, wabaId: row?.waba_id ?? '' },
          checks: JSON.stringify(checks),
        });
      });
    await reported(false, false);
    await pass(59 * MINUTE);
    expect(notices()).toEqual([]);
    await pass(2 * MINUTE);
    expect(notices()).toMatchObject([
      {
        ...{ what: 'opened', condition: 'line_setup', severity: 'critical' },
        ...{
          title: 'Lucky Shrub is not set up at WhatsApp',
          url: `${scene.gateway.url}/panel/lines/${line.id}`,
        },
      },
    ]);
    expect(notices()[0]?.text).toMatch(/^No app is subscribed .+ no payment method/);
    await reported(true, true);
    await pass(10 * MINUTE);
    expect(notices()[1]).toMatchObject({ what: 'recovered', condition: 'line_setup' });
  });

  test('tell that the platform restricts an account, until it says; that a token expires; and of an attack', async () => {
    await addAlertWebhook(scene, `${receiver.url}/alerts`);
    const restricted = await scene.line({ name: 'Flower Lane', wabaId: '202290129340001' });
    const ends = scene.clock.now + HOUR;
    const restriction_info = [
      { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: ends / SECOND },
    ];
    const changes = [{ field: 'account_update', value: { event: 'ACCOUNT_RESTRICTION', restriction_info } }];
    const entry = [{ id: '202290129340001', time: scene.clock.now / SECOND, changes }];
    const body = { object: 'whatsapp_business_account', entry };
    expect(await notify(scene.gateway, body)).toBe(200);
    // It is applied after it is answered.
    await until(async () => {
      const marks = await scene.change(({ store }) => store.alerts.marks());
      return marks.some(({ kind }) => kind === 'account');
    });
    for (let time = 0; time < 11; time++)
      expect(await notify(scene.gateway, body, 'a wrong secret')).toBe(401);
    await scene.token(restricted.id, isoTime(scene.clock.now + HOUR));
    await pass(MINUTE);
    expect(
      notices()
        .map(({ condition, title, text }) => [condition, title, text])
        .sort(),
    ).toEqual([
      [
        'line_restricted',
        'WhatsApp has restricted the business account of Flower Lane',
        'It cannot start conversations for now.',
      ],
      [
        'signature_attack',
        '11 notifications with a wrong signature arrived within 10 minutes',
        expect.stringContaining('They were refused.'),
      ],
      [
        'token_expiring',
        expect.stringMatching(/^Flower Lane: token .* expires within a day$/),
        'Programs that use it are rejected from then on.',
      ],
    ]);
    scene.clock.now = ends;
    await pass(MINUTE);
    const over = notices().filter(({ what }) => what === 'recovered');
    expect(over.map(({ condition }) => condition).sort()).toEqual(['line_restricted', 'signature_attack']);
  });

  test('a line token registers a webhook that is told of this line alone, and nothing of the gateway', async () => {
    const other = await scene.line({ name: 'Other' });
    const path = `${scene.gateway.url}/v22.0/${line.phoneNumberId}/alert-webhooks`;
    const headers = { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' };
    const added = await call(path, {
      method: 'POST',
      headers,
      body: JSON.stringify({ url: `${receiver.url}/alerts` }),
    });
    expect(added).toMatchObject({
      status: 201,
      body: {
        id: expect.any(Number),
        secret: expect.stringMatching(/^whsec_/),
        handshake: { ok: false, detail: expect.stringContaining('HTTP 200 without the challenge') },
      },
    });
    expect((await call(path, { headers })).body).toMatchObject({
      count: 1,
      data: [{ id: added.body.id, url: `${receiver.url}/alerts` }],
    });

    await scene.change(({ store }) => store.lines.update(other.id, { access_token_sealed: null }));
    await fails((await addDestination()).id, scene.clock.now - HOUR, 'address_refused');
    await pass(MINUTE);
    expect(notices()).toMatchObject([
      {
        ...{ condition: 'destination_failing', url: null, text: 'Last attempt: could not connect.' },
        incidents: [{ url: null, text: 'Last attempt: could not connect.' }],
      },
    ]);
    expect(JSON.stringify(notices())).not.toContain('panel');

    const asOther = { ...headers, authorization: `Bearer ${other.token}` };
    const ofOther = path.replace(line.phoneNumberId, other.phoneNumberId);
    expectRefusal(
      await call(`${ofOther}/${added.body.id}`, { method: 'DELETE', headers: asOther }),
      404,
      'not_found',
      100,
    );
    expect((await call(`${path}/${added.body.id}`, { method: 'DELETE', headers })).status).toBe(200);
    expect((await call(path, { headers })).body).toMatchObject({ count: 0 });
  });

  test('a webhook of a line token ends when it said, its address is there once, and of others there are ten', async () => {
    const path = `${scene.gateway.url}/v22.0/${line.phoneNumberId}/alert-webhooks`;
    const headers = { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' };
    const add = (name: string, more: object = {}) =>
      call(path, {
        method: 'POST',
        headers,
        body: JSON.stringify({ url: `${receiver.url}/${name}`, ...more }),
      });
    const listed = async () =>
      (await call(path, { headers })).body.data.map((one: { url: string }) => new URL(one.url).pathname);
    const stored = () => scene.change(({ store }) => store.alerts.channels());

    // A program that crashes after each of its runs.
    const runs = await Promise.all(Array.from({ length: 12 }, () => add('alerts', { expires_in: 300 })));
    expect(runs.map(({ status }) => status)).toEqual(Array(12).fill(201));
    expect(new Set(runs.map(({ body }) => body.secret)).size).toBe(12);
    for (let more = 1; more < 10; more++) await add(`hook-${more}`);
    expect(await listed()).toHaveLength(10);
    const refused = await add('one-too-many');
    expect(expectRefusal(refused, 409, 'too_many_registrations', 100)).toContain('Alerts, Channels');

    await fails((await addDestination()).id, scene.clock.now - HOUR);
    await pass(MINUTE);
    expect(notices()).toHaveLength(1);
    scene.clock.now += 5 * MINUTE;
    expect(await listed()).not.toContain('/alerts');
    await scene.gateway.lookForAlerts();
    expect((await stored()).map(({ expires_at: end }) => end)).toEqual(Array(9).fill(null));
    expect((await add('one-too-many')).status).toBe(201);
  });

  test('go to no address that the allow list does not name, whenever it was entered', async () => {
    const rules = destinationRules(['10.0.0.0/8']);
    const channel = await scene.change((world) =>
      addChannel({ ...world, rules }, ACTOR, null, {
        ...{ ...TERMS, kind: 'webhook', settings: { url: 'http://10.255.255.1/alerts' } },
      }),
    );
    await fails((await addDestination()).id, scene.clock.now - HOUR);
    await pass(MINUTE);
    // As a fact, for readers of every language.
    expect(await scene.change(({ store }) => store.alerts.channel(channel.id))).toMatchObject({
      last_failure: expect.stringMatching(/^10\.255\.255\.1 is not a public address/),
      failure: expect.stringContaining('"address.private"'),
    });
    const path = `${scene.gateway.url}/v22.0/${line.phoneNumberId}/alert-webhooks`;
    const headers = { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ url: 'http://169.254.169.254/latest' });
    expectRefusal(await call(path, { method: 'POST', headers, body }), 400, 'invalid_payload', 131009);
  });
});
