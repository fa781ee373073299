import { platformUsageRows } from '../../../../gateway/usage/platform-usage';
import { checkedPages } from '../../../support/panel/checked-pages';
import { addPanelUser, closingWindows, loggedIn } from '../../../support/panel/visitor';
import { sceneOf, type TestLine } from '../../../support/scene';

/** Today is 10 March 2026. */
const scene = sceneOf();
closingWindows();

let shop: TestLine;
let bakery: TestLine;

beforeAll(async () => {
  await addPanelUser(scene, 'ana');
  shop = await scene.line({ name: 'Shop' });
  bakery = await scene.line({ name: 'Sun Bakery', phoneNumberId: '306540352242901' });
  await scene.change(async ({ store }) => {
    await store.customers.insert({ name: 'Sun Bakery Ltd', external_id: null, created_at: '2026-03-01' });
    await store.lines.update(bakery.id, { customer_id: 1 });
    const words = {
      clock: 'line',
      direction: 'out',
      kind: 'template',
      template: '',
      type: 'regular',
    } as const;
    const counts = { read: 0, failed: 0, received: 0, charged: 0 };
    const sent = { line_id: shop.id, day: '2026-03-05', category: 'marketing', country: 'BR', sent: 1200 };
    await store.db
      .insertInto('usage_days')
      .values([
        { ...words, ...counts, ...sent, delivered: 1180 },
        { ...words, ...counts, ...sent, category: 'utility', sent: 300, delivered: 300 },
        { ...words, ...counts, ...sent, line_id: bakery.id, sent: 40, delivered: 40 },
      ])
      .execute();
    const told = { phoneNumber: '1', day: '2026-03-05', type: 'regular', country: 'BR' };
    const of = async (
      { id }: TestLine,
      counts: { category: string; delivered: number; country?: string }[],
    ) =>
      store.platformUsage.replace(
        ...([id, '2026-03-01', '2026-03-10'] as const),
        platformUsageRows(
          { from: '2026-03-01', to: '2026-03-10', counts: counts.map((count) => ({ ...told, ...count })) },
          { id, phoneNumber: '1' },
          '2026-03-10T12:00:00.000Z',
        ),
      );
    await of(shop, [
      { category: 'marketing', delivered: 1195 },
      { category: 'utility', delivered: 300 },
      { category: 'service', delivered: 44, country: 'PT' },
    ]);
    await of(bakery, [{ category: 'marketing', delivered: 40 }]);
    await store.lines.storeChecks(bakery.id, {
      ...{ phoneNumberId: bakery.phoneNumberId, wabaId: (await store.lines.find(bakery.id))?.waba_id ?? '' },
      checks: JSON.stringify({ usage: { unread: { lacks: 'whatsapp_business_management' } } }),
    });
  });
  await addPanelUser(scene, 'bea', 'viewer', 1);
});

const table = (page: Awaited<ReturnType<typeof loggedIn>>['page']): Promise<string[][]> =>
  page
    .locator('main .table tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent.trim())),
    );

test('differences come first, with their likely reasons', async () => {
  const { page, goto } = await loggedIn(scene, { script: false });
  await goto('/panel/usage');
  await page.getByRole('link', { name: 'Compare with WhatsApp' }).click();
  expect(await table(page)).toEqual([
    [
      ...['ShopService · Charged', '0', '44', '+44 (100%)'],
      'Sent with the same number by another programPortugal +44',
    ],
    [
      ...['ShopMarketing · Charged', '1,180', '1,195', '+15 (1.2%)'],
      'WhatsApp reported no status for messages that the gateway sentBrazil +15',
    ],
    ['ShopUtility · Charged', '300', '300', '0', '–'],
    ['Sun BakeryMarketing · Charged', '40', '40', '0', '–'],
  ]);
  const text = await page.locator('main').innerText();
  expect(text).toContain('Messages from 1 Mar 2026 to 7 Mar 2026');
  expect(text).toContain('Sun Bakery: Not readable: the access token lacks the permission');
});

test('people of a customer see its lines only', async () => {
  const { page, goto } = await loggedIn(scene, { name: 'bea', script: false });
  await goto('/panel/usage/compared');
  expect((await table(page)).map(([name]) => name)).toEqual(['Sun BakeryMarketing · Charged']);
  expect(await page.locator('main').innerText()).not.toContain('Shop');
});

checkedPages(() => scene, ['/panel/usage/compared', '/panel/usage/compared?from=50']);
