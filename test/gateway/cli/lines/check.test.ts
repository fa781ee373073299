import { randomUUID } from 'node:crypto';
import { CHECKS } from '../../../../gateway/lines/checks/judge';
import { DATABASES } from '../../../support/databases';
import { rows } from '../../../support/rows';
import { CONTACT, sceneOf, type TestLine } from '../../../support/scene';
import { notification, notify, textFrom } from '../../../support/test-gateway';
import { command } from '../support';

interface Shown {
  check: string;
  state: string;
  sentence: string;
  repair?: string;
}

const scopes = (of: 'management' | 'messaging') => ({ scopes: [`whatsapp_business_${of}`] });
const DAY = 24 * 3600;
const inDays = (days: number): number => Math.floor(Date.now() / 1000) + days * DAY + 60;

describe.each(DATABASES)('line check ($name)', ({ createUrl }) => {
  /** The gateway's sandbox is the platform, at its own address. */
  const scene = sceneOf(createUrl, { GATEWAY_UPSTREAM_URL: 'sandbox' });
  let line: TestLine;
  beforeEach(async () => (line = await scene.line({ accessToken: randomUUID() })));
  afterEach(() => play('clock', { header_ahead: '0s' }));

  async function play(path: string, body: object): Promise<void> {
    const answer = await fetch(`${scene.gateway.sandboxUrl}/sandbox/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
  }

  const run = (...words: string[]) =>
    command(['line', 'check', line.phoneNumberId, ...words], {
      ...scene.gateway.env,
      GATEWAY_UPSTREAM_URL: scene.gateway.sandboxUrl ?? '',
      GATEWAY_PUBLIC_URL: scene.gateway.url,
    });

  async function checked(...words: string[]): Promise<Map<string, Shown>> {
    const { stdout } = await run('--json', ...words);
    const { checks } = JSON.parse(stdout) as { checks: Shown[] };
    expect(checks.map(({ check }) => check)).toEqual(CHECKS);
    return new Map(checks.map((one) => [one.check, one]));
  }

  test('finds a new line in order, but for what nobody did yet', async () => {
    await line.edit({ handshake_at: null });
    const states = [...(await checked()).values()].map(({ check, state }) => [check, state]);
    expect(Object.fromEntries(states)).toEqual({
      access_token: 'ok',
      phone_number: 'ok',
      registration: 'ok',
      subscription: 'ok',
      callback: 'failed',
      app_secret: 'unknown',
      destination: 'warning',
      round_trip: 'unknown',
      payment_method: 'ok',
      account_review: 'ok',
      display_name: 'ok',
      quality: 'ok',
      pin: 'warning',
      clock: 'ok',
    });
  });

  const number = () => `lines/${line.phoneNumberId}`;
  const pathOf = (of: string): string => (of === 'line' ? number() : of);
  test.each<[string, string, RegExp, 'line' | 'account' | 'token' | 'clock', object]>([
    ['access_token', 'warning', /expires in 30 days, on /, 'token', { expires_at: inDays(30) }],
    ['access_token', 'failed', / expired on .+ Enter a new one/, 'token', { expires_at: inDays(-1) }],
    ['access_token', 'warning', /belongs to a person/, 'token', { type: 'USER' }],
    ['access_token', 'failed', /lacks whatsapp_business_messaging\./, 'token', scopes('management')],
    ['access_token', 'failed', /lacks whatsapp_business_management\./, 'token', scopes('messaging')],
    ['subscription', 'unknown', /lacks the permission whatsapp_b/, 'token', scopes('messaging')],
    ['access_token', 'failed', /may not use this business account/, 'token', { accounts: ['4711'] }],
    ['phone_number', 'failed', /does not have this phone number/, 'line', { is_in_account: false }],
    ['registration', 'failed', /not registered .+ PIN/, 'line', { platform_type: 'NOT_APPLICABLE' }],
    ['registration', 'failed', /not registered .+ PIN/, 'line', { throughput: 'NOT_APPLICABLE' }],
    ['registration', 'warning', /not verified/, 'line', { code_verification_status: 'NOT_VERIFIED' }],
    ['display_name', 'warning', /reviewing the display name/, 'line', { name_status: 'PENDING_REVIEW' }],
    ['display_name', 'failed', /Choose another/, 'line', { name_status: 'DECLINED' }],
    ['display_name', 'unknown', /did not report/, 'line', { vanished_fields: ['name_status'] }],
    ['subscription', 'failed', /No app is subscribed/, 'account', { is_subscribed: false }],
    ['quality', 'failed', /^Quality: low\. Messaging limit: TIER_1K\./, 'line', { quality_rating: 'RED' }],
    ['payment_method', 'failed', /Since October 2026/, 'account', { primary_funding_id: null }],
    ['account_review', 'failed', /\(REJECTED\)/, 'account', { account_review_status: 'REJECTED' }],
    ['account_review', 'warning', /\(PENDING\)/, 'account', { account_review_status: 'PENDING' }],
    [
      'account_review',
      'warning',
      /\(not_verified\)/,
      'account',
      { business_verification_status: 'not_verified' },
    ],
    ['pin', 'ok', /is on/, 'line', { is_pin_enabled: true }],
    ['clock', 'failed', /clock is 2 hours behind WhatsApp/, 'clock', { header_ahead: '2h' }],
  ])('finds %s %s: %s', async (check, state, sentence, of, fault) => {
    const named = of === 'account' || of === 'token' ? { line: line.phoneNumberId } : {};
    await play(pathOf(of), { ...named, ...fault });
    expect((await checked()).get(check)).toMatchObject({ state, sentence: expect.stringMatching(sentence) });
  });

  test('finds from which secret the events are signed, and that a message arrived', async () => {
    const event = (id: string) =>
      notification(textFrom(CONTACT, 'Hello', `wamid.${line.id}.${id}`), line.phoneNumberId);
    const sign = (secret: string, id: string) =>
      notify(scene.gateway, event(id), secret, `/${line.phoneNumberId}`);
    const noted = () =>
      rows(scene.databaseUrl, `select signature_failed_at as at from lines where id = ${line.id}`);
    const secret = async () => (await checked()).get('app_secret');

    expect(await sign('another-secret', '1')).toBe(401);
    expect(await secret()).toMatchObject({
      state: 'failed',
      sentence: expect.stringContaining('app secret'),
    });
    const before = await noted();
    scene.clock.now += 1000;
    expect(await sign('another-secret', '2')).toBe(401);
    expect(await noted()).toEqual(before);

    expect(await sign('app-secret-of-this-line', '3')).toBe(200);
    const results = await checked();
    for (const check of ['app_secret', 'round_trip', 'callback'])
      expect(results.get(check)?.state).toBe('ok');
    // Strangers can send wrong signatures too.
    expect(await sign('another-secret', '4')).toBe(401);
    expect((await secret())?.state).toBe('ok');
    scene.clock.now += 2 * 3_600_000;
    expect(await sign('another-secret', '5')).toBe(401);
    expect((await secret())?.state).toBe('failed');
  });

  test('--repair makes the changes that need no person, each in the audit, and prints the rest', async () => {
    await play('account', { line: line.phoneNumberId, is_subscribed: false });
    await play(number(), { platform_type: 'NOT_APPLICABLE' });
    await line.edit({ handshake_at: null });
    const found = await checked();
    const repairs = [...found.values()].flatMap(({ repair }) => repair ?? []);
    expect(repairs).toEqual(['register', 'subscribe', 'set_callback']);
    const failing = await run();
    expect([failing.code, failing.stdout]).toEqual([1, expect.stringContaining('failed\tcallback\t')]);

    const repaired = await checked('--repair');
    expect(repaired.get('subscription')?.state).toBe('ok');
    expect(repaired.get('callback')?.state).toBe('ok');
    expect(repaired.get('registration')).toMatchObject({ state: 'failed', repair: 'register' });
    const entries = await scene.change(({ store }) => store.audit.page({ lineId: line.id }, 2));
    expect(entries.map(({ details }) => JSON.parse(String(details)))).toEqual([
      { request: `POST /${line.phoneNumberId}`, fields: ['webhook_configuration'] },
      { request: expect.stringMatching(/^POST \/\d+\/subscribed_apps$/) },
    ]);
  });
});
