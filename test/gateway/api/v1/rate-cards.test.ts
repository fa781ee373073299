import { adminToken, askAdmin } from '../../../support/admin-api';
import { addCustomer } from '../../../support/customer-things';
import { DATABASES } from '../../../support/databases';
import { PLATFORM_CARD } from '../../../support/rate-card';
import { expectRefusal, sceneOf, type Reply } from '../../../support/scene';

const CARD = { name: 'October', effective_from: '2026-10-01', csv: PLATFORM_CARD };
/** The same prices, but two for messages to Brazil. */
const LATER = {
  name: 'January',
  effective_from: '2027-01-01',
  csv: PLATFORM_CARD.replace('0.0625,0.0068,0.0068,n/a', '0.07,0.0068,0.0068,0.01'),
};

describe.each(DATABASES)('rate cards in the management API ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_TOKEN_RATE: 'off' });
  let token: string;
  const ask = (method: string, path = '', body?: object, headers = {}): Promise<Reply> =>
    askAdmin(scene, token, method, `/rate-cards${path}`, body, headers);
  const names = async () => ((await ask('GET')).body.data as { name: string }[]).map(({ name }) => name);

  beforeAll(async () => {
    token = await adminToken(scene);
  });

  test('are tried, imported, read and removed', async () => {
    const { status, body, headers } = await ask('POST', '', CARD);
    expect([status, headers.get('location')]).toEqual([201, expect.stringMatching(/\/v1\/rate-cards\/1$/)]);
    expect(body).toMatchObject({
      id: 1,
      name: 'October',
      customer_id: null,
      currency: 'USD',
      replaces: null,
    });
    expect(body.rates.marketing).toMatchObject({ BR: 62_500, CA: 25_000, '*': 60_400 });
    const tried = await ask('POST', '?dry_run=1', LATER);
    expect([tried.status, tried.body.replaces]).toEqual([200, 1]);
    const brazil = { market: 'Brazil', countries: ['BR'] };
    expect(tried.body.differences).toEqual([
      { ...brazil, change: 'dearer', category: 'marketing', before: 62_500, after: 70_000 },
      { ...brazil, change: 'added', category: 'authentication_international', before: null, after: 10_000 },
    ]);
    expect(await names()).toEqual(['October']);
    const imported = await ask('POST', '', LATER);
    expect(imported.body.differences).toEqual(tried.body.differences);
    const id = imported.body.id as number;
    const { replaces, differences, ...card } = imported.body;
    const read = await ask('GET', `/${id}`);
    expect([read.body, replaces, differences.length]).toEqual([card, 1, 2]);
    const tag = { 'if-match': read.headers.get('etag') ?? '' };
    expectRefusal(await ask('DELETE', '/1', undefined, tag), 412, 'precondition_failed', 100);
    expect((await ask('DELETE', `/${id}`, undefined, tag)).status).toBe(204);
    expectRefusal(await ask('DELETE', `/${id}`), 404, 'not_found', 100);
    expect(await names()).toEqual(['October']);
  });

  test('can be of one customer', async () => {
    const customer = await addCustomer(scene, 'Lucky Shrub');
    const { body } = await ask('POST', '', { ...CARD, customer_id: customer });
    expect([body.customer_id, body.replaces]).toEqual([customer, 1]);
    const refused = await ask('POST', '', { ...CARD, customer_id: 999_999 });
    expect(refused.body.error.error_data.fields).toMatchObject([{ path: 'customer_id' }]);
  });

  test('give the budget of a customer its currency', async () => {
    const customer = await addCustomer(scene, 'Padaria');
    await ask('POST', '', { ...CARD, effective_from: '2026-01-01' });
    const edit = (change: object) => askAdmin(scene, token, 'PATCH', `/customers/${customer}`, change);
    const { body } = await edit({ budget: 99.125, hold_at_budget: true });
    const budget = { budget: 99.125, budget_currency: 'USD', hold_at_budget: true, budget_reached: false };
    expect(body).toMatchObject(budget);
    expect((await edit({ name: 'Padaria Ltda' })).body).toMatchObject(budget);
    const refused = await edit({ budget: 1e21 });
    expect(refused.body.error.error_data.fields).toMatchObject([{ path: 'budget' }]);
    expect((await edit({ budget: null })).body).toMatchObject({ budget: null, budget_currency: null });
  });

  test.each(['', '?dry_run=1'])('are refused with every line that is not understood: %s', async (query) => {
    const before = await names();
    const csv = 'Market,Currency,Marketing\nBrazil,USD,0.05\nAtlantis,USD,0.05\nChile,USD,cheap\n';
    const refused = await ask('POST', query, { ...CARD, csv });
    expectRefusal(refused, 400, 'invalid_payload', 131009);
    const paths = (refused.body.error.error_data.fields as { path: string }[]).map(({ path }) => path);
    expect(paths).toEqual(['csv[3]', 'csv[4]']);
    const early = await ask('POST', query, { ...CARD, effective_from: 'soon' });
    expect(early.body.error.error_data.fields).toMatchObject([{ path: 'effective_from', rule: 'pattern' }]);
    expect(await names()).toEqual(before);
  });
});
