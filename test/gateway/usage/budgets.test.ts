import { commandActor } from '../../../gateway/cli/offline';
import { addCustomer, editCustomer } from '../../../gateway/customers/manage-customers';
import { findConditions } from '../../../gateway/alerts/facts';
import { type UsageDayTable } from '../../../gateway/store/schema';
import { type CustomerRow } from '../../../gateway/store/tables/customers';
import { compareBudgets, shownBudget } from '../../../gateway/usage/budgets';
import { importRateCard } from '../../../gateway/usage/rate-cards/manage-rate-cards';
import { sayAlert } from '../../../gateway/wording/say';
import { DATABASES } from '../../support/databases';
import { storeUsage } from '../../support/usage-days';
import { CONTACT, expectRefusal, freshLineOf, sceneOf, textTo } from '../../support/scene';

const template = (name: string) => ({
  messaging_product: 'whatsapp',
  to: CONTACT,
  type: 'template',
  template: { name, language: { code: 'en_US' } },
});

describe.each(DATABASES)('the budget of a customer ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = freshLineOf(scene);
  let customer: CustomerRow;

  beforeAll(() =>
    scene.change((world) =>
      importRateCard(world, commandActor(), null, {
        ...{ name: 'All', effectiveFrom: '2026-01-01', customerId: null },
        csv: 'Market,Currency,Marketing,Utility\nBrazil,USD,0.10,n/a',
      }),
    ),
  );

  beforeEach(async () => {
    scene.clock.now = Date.parse('2026-03-10T12:00:00.000Z');
    scene.upstream.answers.templates = () => ({
      body: {
        data: ['MARKETING', 'UTILITY', 'AUTHENTICATION'].map((category, index) => ({
          ...{ id: String(index), name: category.toLowerCase(), language: 'en_US', category },
          ...{ status: 'APPROVED', components: [{ type: 'BODY', text: 'Hello' }] },
        })),
      },
    });
    customer = await scene.change((world) =>
      addCustomer(world, commandActor(), null, { name: `Loja ${line.id}`, externalId: null }),
    );
    await line.edit({ customer_id: customer.id });
    await line.wrote(CONTACT, 1);
  });

  const edit = (budget: string | null, holdsAtBudget = true) =>
    scene.change((world) => editCustomer(world, commandActor(), null, customer, { budget, holdsAtBudget }));
  /** Counts charged messages of a day, and compares the budgets. */
  async function charged(count: number, more: Partial<UsageDayTable> = {}) {
    await scene.change(({ store }) =>
      storeUsage(store, [
        {
          ...{ line_id: line.id, day: '2026-03-09', kind: 'template', category: 'marketing' },
          ...{ type: 'regular', country: 'BR', sent: count, delivered: count, charged: count },
          ...more,
        },
      ]),
    );
    await compare();
  }
  const compare = () => scene.change((world) => compareBudgets(world));
  const budget = async () => {
    const row = await scene.change(({ store }) => store.customers.find(customer.id));
    return row && shownBudget(row);
  };
  const alerts = () =>
    scene.change(async ({ store, clock }) => {
      const lines = { all: () => [], byId: () => null };
      const { conditions } = await findConditions({ store, lines, clock }, false);
      return conditions
        .filter(({ kind, subject }) => kind === 'budget_used' && subject === String(customer.id))
        .map((one) => [one.severity, sayAlert('en', one).title, sayAlert('en', one).text]);
    });

  test('is compared with the estimate of the month, and alerts at 80 and 100 %', async () => {
    await edit('100', false);
    await charged(799);
    expect(await budget()).toMatchObject({ amount: 100, currency: 'USD', spent: 79.9, unpriced: 0 });
    expect(await alerts()).toEqual([]);
    await charged(1, { day: '2026-03-01' });
    await charged(7, { day: '2026-03-02', category: 'utility' });
    // Of another month, or past the line's clock.
    await charged(900, { day: '2026-02-28' });
    await charged(900, { clock: 'utc' });
    expect(await alerts()).toEqual([
      [
        'warning',
        `Loja ${line.id} has used 80% of its budget of this month`,
        'Estimated at 80 of 100 USD. 7 messages have no price in USD.',
      ],
    ]);
    await charged(200, { day: '2026-03-31' });
    expect(await alerts()).toMatchObject([
      ['critical', `Loja ${line.id} has used up its budget of this month`, expect.anything()],
    ]);
    // Not held without the setting.
    expect((await line.send(template('marketing'))).status).toBe(200);
    await edit('200');
    expect(await alerts()).toEqual([]);
  });

  test('counts messages that only have a price in another currency as left out', async () => {
    await edit('100');
    const own = { name: 'Own', effectiveFrom: '2026-03-05', customerId: customer.id };
    await scene.change((world) =>
      importRateCard(world, commandActor(), null, {
        ...own,
        csv: 'Market,Currency,Marketing\nBrazil,BRL,0.50',
      }),
    );
    await charged(4, { day: '2026-03-04' });
    await charged(3);
    expect(await budget()).toMatchObject({ currency: 'USD', spent: 0.4, unpriced: 3 });
  });

  test('holds marketing templates and nothing else while it is used up', async () => {
    await edit('1');
    await charged(10);
    const before = line.sent().length;
    expectRefusal(await line.send(template('marketing')), 403, 'budget_reached', 200);
    expect(line.sent()).toHaveLength(before);
    for (const message of [template('utility'), template('authentication'), textTo(CONTACT)])
      expect((await line.send(message)).status).toBe(200);
    await edit('1', false);
    expect((await line.send(template('marketing'))).status).toBe(200);
  });

  test('lets marketing pass again at once if it is raised or removed, and with the next month', async () => {
    await edit('1');
    await charged(10);
    expect((await line.send(template('marketing'))).status).toBe(403);
    await edit('2');
    expect((await line.send(template('marketing'))).status).toBe(200);
    await charged(10, { day: '2026-03-08' });
    expect((await line.send(template('marketing'))).status).toBe(403);
    await edit(null);
    expect([(await line.send(template('marketing'))).status, await budget()]).toEqual([200, null]);
    await edit('1');
    await compare();
    expect((await line.send(template('marketing'))).status).toBe(403);
    scene.clock.now = Date.parse('2026-04-01T00:01:00.000Z');
    await compare();
    expect((await line.send(template('marketing'))).status).toBe(200);
  });

  test('begins its month in the time zone of each line', async () => {
    await line.edit({ time_zone: 'America/Sao_Paulo' });
    await edit('1');
    await charged(10);
    scene.clock.now = Date.parse('2026-04-01T02:59:00.000Z');
    await compare();
    expect(await budget()).toMatchObject({ spent: 1, is_reached: true });
    scene.clock.now = Date.parse('2026-04-01T03:01:00.000Z');
    await compare();
    expect(await budget()).toMatchObject({ spent: 0, is_reached: false });
  });

  test('needs an amount, and a rate card whose currency it has', async () => {
    for (const given of ['a lot', '1,500', '1.500'])
      await expect(edit(given)).rejects.toMatchObject({ issues: [{ path: 'budget' }] });
    scene.clock.now = Date.parse('2025-12-31T12:00:00.000Z');
    await expect(edit('5')).rejects.toMatchObject({ issues: [{ fact: { word: 'budget.no_card' } }] });
    scene.clock.now = Date.parse('2026-03-10T12:00:00.000Z');
    await edit('99,90');
    const [entry] = await scene.change(({ store }) => store.customerAudit.page(customer.id, {}, 1));
    expect(JSON.parse(entry?.details ?? '')).toMatchObject({
      changes: [
        { field: 'budget', from: null, to: '99.9 USD' },
        { field: 'held at the budget', from: false, to: true },
      ],
    });
  });
});
