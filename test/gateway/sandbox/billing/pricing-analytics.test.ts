import { until } from '../../../support/http-peer';
import {
  HOUR,
  type Json,
  LINE,
  lineWith,
  startTestSandbox,
  template,
  text,
  WABA,
  type TestSandbox,
} from '../support';

const DAY = 24 * HOUR;
const seconds = (time: string): number => Date.parse(time) / 1000;
const MARCH = [seconds('2026-03-01T00:00Z'), seconds('2026-04-01T00:00Z')];

const analytics = (sandbox: TestSandbox, more: string, [start, end] = MARCH) =>
  sandbox.call(
    'GET',
    `/v22.0/${WABA}?fields=${encodeURIComponent(`currency,pricing_analytics.start(${start}).end(${end})${more}`)}`,
  );

async function points(sandbox: TestSandbox, more: string, range?: number[]): Promise<Json[]> {
  const { code, json } = await analytics(sandbox, more, range);
  expect([code, json]).toEqual([200, json]);
  expect(json).toMatchObject({ currency: 'USD', id: WABA });
  return json.pricing_analytics.data.flatMap(({ data_points }: Json) => data_points);
}

/** On two days of the account, with a reply that is free in March; and one message that is never delivered. */
async function startWithDeliveries(): Promise<TestSandbox> {
  const other = lineWith({ phoneNumberId: '109351478203616', displayPhoneNumber: '+1 202-555-0124' });
  const sandbox = await startTestSandbox({ lines: () => [lineWith({ phoneNumberId: LINE }), other] });
  const delivered = (count: number) =>
    until(async () => (await points(sandbox, '.granularity(MONTHLY)'))[0]?.volume === count);
  await sandbox.send(template('hello_world'));
  await sandbox.call('POST', `/v22.0/${other.phoneNumberId}/messages`, {
    ...{ messaging_product: 'whatsapp', to: '5511987654321' },
    ...template('hello_world'),
  });
  await delivered(2);
  sandbox.later(DAY);
  await sandbox.call('POST', '/sandbox/contacts/12025550147/messages', { text: 'Hi', line: LINE });
  await sandbox.send(text('Hello'));
  await sandbox.play('contacts/12025550199', { path: 'sent' });
  await sandbox.send({ ...template('hello_world'), to: '12025550199' });
  await delivered(3);
  return sandbox;
}

describe('pricing_analytics', () => {
  it('counts delivered messages by the days of the account', async () => {
    const sandbox = await startWithDeliveries();
    const [first, second] = [seconds('2026-03-02T08:00Z'), seconds('2026-03-03T08:00Z')];
    const dimensions = '["PHONE","COUNTRY","TIER","PRICING_TYPE","PRICING_CATEGORY"]';
    const regular = {
      pricing_type: 'REGULAR',
      pricing_category: 'UTILITY',
      tier: '0:750000',
      volume: 1,
      cost: 0.01,
    };
    expect(
      await points(sandbox, `.granularity(DAILY).metric_types(["COST","VOLUME"]).dimensions(${dimensions})`),
    ).toEqual([
      { start: first, end: second, phone_number: '12025550123', country: 'US', ...regular },
      { start: first, end: second, phone_number: '12025550124', country: 'BR', ...regular },
      {
        ...{ start: second, end: second + 86_400, phone_number: '12025550123', country: 'US' },
        ...{ pricing_type: 'FREE_CUSTOMER_SERVICE', pricing_category: 'SERVICE', volume: 1, cost: 0 },
      },
    ]);
    // Each day of a zone where it is another one already.
    await sandbox.play('account', { timezone_id: '100', line: LINE });
    expect((await points(sandbox, '.granularity(DAILY)')).map(({ start }) => start)).toEqual([
      seconds('2026-03-01T11:00Z'),
      seconds('2026-03-02T11:00Z'),
    ]);
  });

  it('filters, and reports only the metrics that were asked for', async () => {
    const sandbox = await startWithDeliveries();
    expect(
      await points(sandbox, '.granularity(MONTHLY).phone_numbers([12025550123]).metric_types([VOLUME])'),
    ).toEqual([{ start: seconds('2026-03-01T08:00Z'), end: seconds('2026-04-01T07:00Z'), volume: 2 }]);
    expect(await points(sandbox, '.granularity(DAILY).pricing_types(FREE_ENTRY_POINT)')).toEqual([]);
    expect(await points(sandbox, '.granularity(DAILY)', [MARCH[1] ?? 0, (MARCH[1] ?? 0) + 1])).toEqual([]);
  });

  it.each([
    ['', [1, 2], 'The parameter granularity is required.'],
    ['.granularity(HOURLY)', [1, 2], 'must be one of {HALF_HOUR, DAILY, MONTHLY} - got "HOURLY"'],
    ['.granularity(DAILY)', [2, 2], 'Invalid parameter'],
    ['.granularity(DAILY).dimensions(["CITY"])', [1, 2], 'got "CITY"'],
    ['.granularity(DAILY).cities([])', [1, 2], 'Invalid parameter'],
  ])('refuses %j of %j', async (more, range, words) => {
    const { code, json } = await analytics(await startTestSandbox(), more, range);
    expect([code, json.error.code, json.error.message]).toEqual([400, 100, expect.stringContaining(words)]);
  });

  it('needs a token with the permission to manage', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play('token', { scopes: ['whatsapp_business_messaging'] });
    const { code, json } = await analytics(sandbox, '.granularity(DAILY)');
    expect([code, json.error.code]).toEqual([403, 200]);
  });
});
