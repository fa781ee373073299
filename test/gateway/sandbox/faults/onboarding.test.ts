import {
  LINE,
  lineWith,
  startObserved,
  startReceiver,
  startTestSandbox,
  template,
  text,
  TOKEN,
  VERIFY_TOKEN,
} from '../support';
import { inside, type TestSandbox, valueOf, WABA } from '../support';

const NODE = `/v22.0/${LINE}`;
const ACCOUNT = `/v22.0/${WABA}`;
const HOUR = 3600;
const START = Date.parse('2026-03-02T10:00:00Z') / 1000;

const tokenOf = async (sandbox: TestSandbox) =>
  (await sandbox.call('GET', `/v22.0/debug_token?input_token=${TOKEN}`)).json.data;

const errorOf = async (answer: Promise<{ code: number; json: { error?: { code: number } } }>) => {
  const { code, json } = await answer;
  return [code, json.error?.code];
};

async function hoursAhead(sandbox: TestSandbox): Promise<number> {
  const { headers } = await sandbox.call('GET', NODE);
  return Math.round((Date.parse(headers.get('date') ?? '') - Date.now()) / (HOUR * 1000)) + 0;
}

describe('an access token', () => {
  it('is of the type, scopes and accounts that are set, and expires by the clock', async () => {
    const sandbox = await startTestSandbox();
    const set = { type: 'USER', expires_at: START + HOUR, accounts: [WABA, '4711'] };
    expect(await sandbox.play('token', set)).toMatchObject({ line: LINE, ...set });
    expect(await tokenOf(sandbox)).toMatchObject({
      type: 'USER',
      expires_at: START + HOUR,
      granular_scopes: [{ target_ids: [WABA, '4711'] }, { target_ids: [WABA, '4711'] }],
    });
    await sandbox.play('clock', { advance: '1h' });
    const { code, json } = await sandbox.call('GET', NODE);
    expect([code, json.error]).toMatchObject([401, { code: 190, error_subcode: 463 }]);
    expect(await errorOf(sandbox.call('GET', `/v22.0/debug_token?input_token=${TOKEN}`))).toEqual([401, 190]);
  });

  it.each([
    ['whatsapp_business_messaging', [403, 200], [200, undefined]],
    ['whatsapp_business_management', [200, undefined], [403, 200]],
  ])('without %s is refused where the platform asks for it', async (missing, sending, reading) => {
    const sandbox = await startTestSandbox();
    const { scopes } = await tokenOf(sandbox);
    const left = scopes.filter((scope: string) => scope !== missing);
    await sandbox.play('token', { scopes: left });
    expect((await tokenOf(sandbox)).scopes).toEqual(left);
    expect(await errorOf(sandbox.send(template('hello_world')))).toEqual(sending);
    for (const path of [NODE, ACCOUNT, `${ACCOUNT}/phone_numbers`])
      expect(await errorOf(sandbox.call('GET', path))).toEqual(reading);
  });

  it('that may use another account only does not see this one', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play('token', { accounts: ['4711'] });
    for (const path of [NODE, ACCOUNT])
      expect((await sandbox.call('GET', path)).json.error).toMatchObject({ code: 100, error_subcode: 33 });
    expect((await tokenOf(sandbox)).granular_scopes[0].target_ids).toEqual(['4711']);
  });
});

describe('a number', () => {
  it('that is not registered cannot send until it is registered with a PIN', async () => {
    const sandbox = await startTestSandbox();
    const fields = `${NODE}?fields=code_verification_status,platform_type,throughput,is_pin_enabled`;
    const set = { code_verification_status: 'NOT_VERIFIED', platform_type: 'NOT_APPLICABLE' };
    await sandbox.play(`lines/${LINE}`, { ...set, throughput: 'NOT_APPLICABLE' });
    expect((await sandbox.call('GET', fields)).json).toMatchObject({
      ...set,
      throughput: { level: 'NOT_APPLICABLE' },
      is_pin_enabled: false,
    });
    expect(await errorOf(sandbox.send(template('hello_world')))).toEqual([400, 133010]);
    await sandbox.call('POST', `${NODE}/register`, { messaging_product: 'whatsapp', pin: '123456' });
    expect((await sandbox.call('GET', fields)).json).toMatchObject({
      code_verification_status: 'VERIFIED',
      platform_type: 'CLOUD_API',
      throughput: { level: 'STANDARD' },
      is_pin_enabled: true,
    });
    expect((await sandbox.send(template('hello_world'))).code).toBe(200);
  });

  it('of another account is not in the list of this one', async () => {
    const lines = [lineWith({ phoneNumberId: LINE }), lineWith({ phoneNumberId: '1001' })];
    const sandbox = await startTestSandbox({ lines: () => lines });
    await sandbox.play(`lines/${LINE}`, { is_in_account: false });
    const { data } = (await sandbox.call('GET', `${ACCOUNT}/phone_numbers`)).json;
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['1001']);
  });
});

describe('a business account', () => {
  it('shows its review, its verification and its payment method', async () => {
    const sandbox = await startTestSandbox();
    const fields = 'account_review_status,business_verification_status,primary_funding_id';
    const reviewed = { account_review_status: 'REJECTED', business_verification_status: 'not_verified' };
    expect(await sandbox.play('account', { ...reviewed, primary_funding_id: null })).toMatchObject({
      waba: WABA,
      is_subscribed: true,
    });
    expect((await sandbox.call('GET', `${ACCOUNT}?fields=${fields}`)).json).toEqual({
      ...reviewed,
      id: WABA,
    });
    expect((await sandbox.call('GET', '/sandbox')).json.accounts).toMatchObject([
      { waba: WABA, ...reviewed },
    ]);
  });

  it.each([
    ['2026-09-30T10:00:00Z', 'sent'],
    ['2026-10-01T00:00:00Z', 'failed'],
  ])('without a payment method sends a reply on %s: %s', async (now, first) => {
    const { receiver, sandbox } = await startObserved({ now: () => new Date(now) });
    await sandbox.play('account', { primary_funding_id: null });
    await sandbox.contact({ text: 'Hi' });
    await sandbox.send(text('Hello'));
    const [, reported] = await receiver.accepted(2);
    expect(inside(reported).status).toBe(first);
    expect(inside(reported).errors?.[0].code).toBe(first === 'failed' ? 131042 : undefined);
  });

  it('sends nothing while the app is not subscribed', async () => {
    const { receiver, sandbox } = await startObserved();
    await sandbox.play('account', { is_subscribed: false });
    expect((await sandbox.call('GET', `${ACCOUNT}/subscribed_apps`)).json.data).toEqual([]);
    await sandbox.contact({ text: 'lost' });
    await sandbox.play('notifications', { field: 'account_update', value: {} });
    expect((await sandbox.call('POST', `${ACCOUNT}/subscribed_apps`)).json).toEqual({ success: true });
    await sandbox.contact({ text: 'received' });
    expect(inside((await receiver.accepted(1))[0]).text.body).toBe('received');
  });
});

describe('a callback of a number', () => {
  const override = (url: string, verify_token = VERIFY_TOKEN) => ({
    webhook_configuration: { override_callback_uri: url, verify_token },
  });

  it('gets its messages, but not the account notifications', async () => {
    const { receiver, sandbox } = await startObserved();
    const own = await startReceiver();
    expect((await sandbox.call('POST', NODE, override(own.url))).json).toEqual({ success: true });
    const read = () => sandbox.call('GET', `${NODE}?fields=webhook_configuration`);
    expect((await read()).json.webhook_configuration).toEqual({
      phone_number: own.url,
      application: receiver.url,
    });
    await sandbox.contact({ text: 'Hi' });
    await sandbox.play('notifications', { field: 'account_update', value: { event: 'ACCOUNT_DELETED' } });
    expect(inside((await own.accepted(1))[0]).text.body).toBe('Hi');
    expect(valueOf((await receiver.accepted(1))[0]).event).toBe('ACCOUNT_DELETED');

    await sandbox.call('POST', NODE, override(''));
    await sandbox.contact({ text: 'back' });
    expect(inside((await receiver.accepted(2))[1]).text.body).toBe('back');
    expect((await read()).json.webhook_configuration).toEqual({ application: receiver.url });
  });

  it('is refused if the handshake fails, or the app is not subscribed', async () => {
    const { receiver, sandbox } = await startObserved();
    expect(await errorOf(sandbox.call('POST', NODE, override(receiver.url, 'wrong')))).toEqual([400, 2200]);
    await sandbox.play('account', { is_subscribed: false });
    const { error } = (await sandbox.call('POST', NODE, override(receiver.url))).json;
    expect(error.error_data.details).toMatch(/^Before override the current callback uri/);
  });
});

it('the Date header is off by what is set', async () => {
  const sandbox = await startTestSandbox();
  await sandbox.play('clock', { header_ahead: '2h' });
  expect(await hoursAhead(sandbox)).toBe(2);
  await sandbox.play('reset');
  expect(await hoursAhead(sandbox)).toBe(0);
});

it.each([
  [`lines/${LINE}`, { throughput: 'FAST' }, '"throughput" is one of "STANDARD"'],
  [`lines/${LINE}`, { is_pin_enabled: 1 }, '"is_pin_enabled" is true or false'],
  ['account', { primary_funding_id: 7 }, '"primary_funding_id" is a text'],
  ['account', { name: 'x' }, 'The field "name" is not known here'],
  ['token', { expires_at: -1 }, '"expires_at" is a whole number'],
  ['token', { scopes: 'all' }, '"scopes" is a list'],
  ['token', { line: '7' }, 'There is no line "7"'],
  ['clock', { header_ahead: 7 }, '"header_ahead" is a duration'],
])('%s refuses %j', async (path, change, words) => {
  const sandbox = await startTestSandbox();
  const answer = await sandbox.call('POST', `/sandbox/${path}`, change);
  expect([answer.code, answer.json.error.message]).toEqual([400, expect.stringContaining(words)]);
});
