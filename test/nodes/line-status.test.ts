import { gatewayForEach, refusal, STATUS } from './support/gateway';
import { runAction } from '../support/n8n';

const GET = { resource: 'line', operation: 'getStatus' };
const ANSWER = {
  success: true,
  connected: true,
  state: 'connected',
  health: 'connected',
  checked_at: '2026-11-20T10:00:00.000Z',
  line: {
    id: 12,
    name: 'Shop',
    phone_number: '+15550783881',
    channel: 'cloud_api',
    is_active: true,
    api_enabled: true,
  },
  platform: { platform_status: 'CONNECTED', quality_rating: 'HIGH', refresh: { requested: false } },
};

const DISCONNECTED = { connected: false, state: 'disconnected' };
const PENDING = { connected: false, state: 'pending' };
const WITHOUT_TOKEN = { ...DISCONNECTED, platform: { platform_status: 'CONNECTED', has_credentials: false } };

const gateway = gatewayForEach();
beforeEach(() => {
  gateway.on('GET', STATUS, () => ({ body: ANSWER }));
});

test('returns the status of the line as the gateway gives it', async () => {
  const { items } = await runAction(gateway.credentials, GET);
  expect(items).toHaveLength(1);
  expect(items[0].pairedItem).toEqual({ item: 0 });
  expect({ success: true, ...items[0].json }).toMatchObject({ ...ANSWER, ready: true, reasons: [] });
  // The same as the other operations spell it.
  expect(items[0].json).toMatchObject({
    checkedAt: ANSWER.checked_at,
    line: { phoneNumber: ANSWER.line.phone_number, isActive: true },
    platform: { qualityRating: ANSWER.platform.quality_rating },
  });
  expect(items[0].json).not.toHaveProperty('success');
  expect(gateway.received[0].query).toEqual({});
});

test('asks for a refresh, and says why it was not performed', async () => {
  gateway.on('GET', STATUS, () => ({
    body: {
      ...ANSWER,
      platform: {
        ...ANSWER.platform,
        refresh: { requested: true, performed: false, reason: 'upstream_error' },
      },
    },
  }));
  const { items, hints } = await runAction(gateway.credentials, { ...GET, options: { refresh: true } });
  expect(gateway.received[0].query).toEqual({ refresh: '1' });
  expect(items[0].json.state).toBe('connected');
  expect(hints[0].message).toContain('the messaging platform could not be asked');
});

test('says nothing about a refresh that was performed or not asked for', async () => {
  const { hints } = await runAction(gateway.credentials, GET);
  expect(hints).toEqual([]);
});

describe('whether the line is ready', () => {
  const answered = async (change: object) => {
    gateway.on('GET', STATUS, () => ({ body: { ...ANSWER, ...change } }));
    const { items } = await runAction(gateway.credentials, GET);
    return items[0].json as { ready: boolean; reasons: string[] };
  };

  test.each<[string, object, RegExp]>([
    ['switched off', { line: { ...ANSWER.line, is_active: false } }, /line is switched off/],
    ['without its API', { line: { ...ANSWER.line, api_enabled: false } }, /API of the line is switched off/],
    ['without credentials', { platform: { has_credentials: false } }, /no access to the messaging platform/],
    ['not set up', { connected: false, state: 'pending' }, /not finished setting up/],
    [
      'banned',
      { connected: false, state: 'disconnected', platform: { platform_status: 'BANNED' } },
      /not connected \(BANNED\)/,
    ],
    [
      'without credentials',
      { ...WITHOUT_TOKEN, health: 'no_credentials' },
      /no access to the messaging platform/,
    ],
    ['refused', { ...DISCONNECTED, health: 'credentials_refused' }, /refuses the line's access token/],
    ['of a restricted account', { health: 'account_restricted' }, /restricts the business account/],
    [
      'not registered',
      { ...PENDING, health: 'not_registered' },
      /not registered with the messaging platform/,
    ],
    ['not paid for', { health: 'no_payment_method' }, /no payment method/],
    ['of low quality', { platform: { quality_rating: 'LOW' } }, /quality of the line is low/],
  ])('a line that is %s is not, and says why in one sentence', async (_case, change, reason) => {
    const { ready, reasons } = await answered(change);
    expect(ready).toBe(false);
    expect(reasons).toEqual([expect.stringMatching(reason)]);
  });

  test('a line of which nothing is known yet is', async () => {
    expect(await answered({ connected: null, state: 'unknown', platform: {} })).toMatchObject({
      ready: true,
    });
  });

  test.each([
    ['line_inactive', /^The line is switched off/],
    ['customer_suspended', /^The customer of this line is suspended/],
    ['api_disabled', /^The API of the line is switched off/],
  ])('a line that the gateway refuses with %s is not', async (code, reason) => {
    gateway.on('GET', STATUS, () => refusal(403, code, 200, 'Refused', 'Details.'));
    const { items, error } = await runAction(gateway.credentials, GET);
    expect(error).toBeUndefined();
    expect(items[0].json).toEqual({ ready: false, reasons: [expect.stringMatching(reason)] });
  });
});
