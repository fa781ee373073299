import { usageReport } from '../../../../gateway/usage/report';
import { type UsageDayTable } from '../../../../gateway/store/schema';
import { checkedPages } from '../../../support/panel/checked-pages';
import { addPanelUser, closingWindows, loggedIn, type Visitor } from '../../../support/panel/visitor';
import { storeUsage } from '../../../support/usage-days';
import { sceneOf, type TestLine } from '../../../support/scene';

/** Today is 10 March 2026. */
const scene = sceneOf();
closingWindows();

let shop: TestLine;
let bakery: TestLine;
let gone: TestLine;

const add = (rows: Partial<UsageDayTable>[]) =>
  scene.change(({ store }) =>
    storeUsage(
      store,
      rows.map((row) => ({ line_id: shop.id, country: 'BR', ...row })),
    ),
  );

beforeAll(async () => {
  await addPanelUser(scene, 'ana');
  shop = await scene.line({ name: 'Shop' });
  bakery = await scene.line({ name: '=Sun Bakery', phoneNumberId: '306540352242901' });
  gone = await scene.line({ name: 'Kiosk', phoneNumberId: '306540352242902' });
  await scene.change(async ({ store }) => {
    await store.customers.insert({ name: 'Sun Bakery Ltd', external_id: null, created_at: '2026-03-01' });
    for (const { id } of [bakery, gone]) await store.lines.update(id, { customer_id: 1 });
    await store.rateCards.insert({
      ...{ customer_id: null, name: 'Spring card', currency: 'USD', effective_from: '2026-01-01' },
      ...{ imported_at: '2026-01-01', rates: JSON.stringify({ marketing: { BR: 62_500 } }) },
    });
  });
  await addPanelUser(scene, 'bea', 'viewer', 1);
  const sale = { template: 'spring_sale', category: 'marketing', type: 'regular' };
  await add([
    { day: '2026-02-27', sent: 7 },
    { ...sale, day: '2026-03-02', sent: 40, delivered: 36, read: 12, failed: 3, charged: 36 },
    { ...sale, day: '2026-03-09', sent: 4, delivered: 4, charged: 4, country: 'PT' },
    { day: '2026-03-09', clock: 'utc', sent: 1_000 },
    { direction: 'in', kind: 'text', day: '2026-03-09', received: 25 },
    { line_id: bakery.id, day: '2026-03-04', sent: 11, delivered: 10, country: '??' },
    { line_id: gone.id, day: '2026-03-03', sent: 2 },
  ]);
  await scene.change(({ store }) => store.lines.remove(gone.id, '2026-03-05', ''));
});

/** The cells of each row of the table. */
const table = ({ page }: Visitor): Promise<string[][]> =>
  page
    .locator('main .table tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent.trim())),
    );

test('lines, and what each row leads to', async () => {
  const ana = await loggedIn(scene, { script: false });
  const { page, goto } = ana;
  await goto('/panel/usage');
  expect(await table(ana)).toEqual([
    ['Shop', '44', '40', '12', '3', '25', '40', '$2.25 4 without a price'],
    ['=Sun Bakery', '11', '10', '0', '0', '0', '0', '–'],
    ['Kiosk (removed)', '2', '0', '0', '0', '0', '0', '–'],
  ]);
  const text = await page.locator('main').innerText();
  expect(text).toContain('estimate by these rate cards: Spring card (from 1 Jan 2026)');
  await page.getByRole('link', { name: 'Shop', exact: true }).click();
  expect((await table(ana)).map(([name, sent, , , , received]) => [name, sent, received])).toEqual([
    ['spring_sale', '44', '0'],
    ['Without a template', '0', '25'],
  ]);
  await page.getByRole('link', { name: 'spring_sale' }).click();
  expect((await table(ana)).map(([name, sent]) => [name, sent])).toEqual([
    ['2 Mar 2026', '40'],
    ['9 Mar 2026', '4'],
  ]);
  await page.getByRole('link', { name: /Template: spring_sale/ }).click();
  expect((await table(ana)).map(([, sent, , , , received]) => [sent, received])).toEqual([
    ['40', '0'],
    ['4', '25'],
  ]);
});

test('the time shown, the filters and the time zone', async () => {
  const ana = await loggedIn(scene, { script: false });
  const { page, goto } = ana;
  const sent = async () => (await table(ana)).map(([name, count]) => [name, count]);
  await goto('/panel/usage?by=country');
  expect(await sent()).toEqual([
    ['Brazil', '42'],
    ['Unknown country', '11'],
    ['Portugal', '4'],
  ]);
  await page.getByRole('link', { name: 'This year' }).click();
  expect(await sent()).toContainEqual(['Brazil', '49']);
  await page.getByLabel('Group by').selectOption('Time');
  await page.getByRole('button', { name: 'Show' }).first().click();
  expect(await sent()).toEqual([
    ['February 2026', '7'],
    ['March 2026', '57'],
  ]);
  // Days of a year would be too many.
  await goto('/panel/usage?by=period&per=day&since=2026-01-01&until=2026-12-31');
  expect(await sent()).toEqual([
    ['February 2026', '7'],
    ['March 2026', '57'],
  ]);
  expect(await page.locator('main .notice').innerText()).toContain('Up to 100 days are shown by day');
  await goto('/panel/usage?by=period&per=month&since=2026-01-01&until=2026-12-31');
  await page.getByRole('link', { name: 'March 2026', exact: true }).click();
  expect(await page.locator('main').innerText()).toContain('Messages sent each day');
  await goto('/panel/usage?by=period&per=day&since=2026-01-01&until=2026-04-10');
  expect(await sent()).toContainEqual(['9 Mar 2026', '4']);
  await goto('/panel/usage?by=period&per=day&since=2026-01-01&until=2026-04-11');
  expect(await sent()).toContainEqual(['9 Mar 2026', '4']);
  expect(await page.getByRole('columnheader').first().innerText()).toBe('Week of');
  await goto('/panel/usage?by=customer&customer=1');
  expect(await sent()).toEqual([['Sun Bakery Ltd', '13']]);
  await goto('/panel/usage?by=period&clock=utc');
  expect(await sent()).toEqual([['9 Mar 2026', '1,000']]);
  await goto('/panel/usage?since=2026-03-31&until=2026-03-01');
  expect(await page.locator('main .notice').innerText()).toContain('The last day cannot be before');
  await goto('/panel/usage?since=2026-01-01&until=2026-01-31');
  expect(await page.locator('main .empty').innerText()).toContain('No messages match');
});

test('the dates below the chart of a month fit on a phone', async () => {
  for (const locale of ['en', 'pt-BR']) {
    const { page, goto } = await loggedIn(scene, { script: false, width: 360, locale });
    for (const days of ['since=2026-02-01&until=2026-02-28', 'since=2025-06-01&until=2026-03-31']) {
      await goto(`/panel/usage?${days}`);
      const boxes = await page.locator('.chart-times time').evaluateAll((times) =>
        times
          .map((one) => one.getBoundingClientRect())
          .filter(({ width }) => width > 0)
          .map(({ left, right }) => ({ left, right })),
      );
      expect(boxes.length).toBeGreaterThan(1);
      const isOver = boxes.some(({ left }, index) => left < (boxes[index - 1]?.right ?? 0) + 4);
      expect([locale, days, isOver]).toEqual([locale, days, false]);
    }
  }
});

test('the pages of a line and of a customer show this month', async () => {
  const { page, goto } = await loggedIn(scene, { script: false });
  for (const [path, figures, sent] of [
    [`/panel/lines/${shop.id}`, '44 sent, 40 delivered, 40 charged, 25 received. Estimate: $2.25', '44'],
    ['/panel/customers/1', '13 sent, 10 delivered, 0 charged, 0 received.', '13'],
  ] as const) {
    await goto(path);
    expect(await page.locator('.card', { hasText: 'This month' }).innerText()).toContain(figures);
    await page.getByRole('link', { name: 'View usage' }).click();
    expect(await page.locator('.tile-value').first().innerText()).toBe(sent);
  }
});

test('people of a customer see its lines only', async () => {
  const bea = await loggedIn(scene, { name: 'bea', script: false });
  await bea.goto('/panel/usage?by=line');
  expect((await table(bea)).map(([name, sent]) => [name, sent])).toEqual([['=Sun Bakery', '11']]);
  expect(await bea.page.locator('main').innerText()).not.toMatch(/Customer|Shop|Kiosk/);
  await bea.goto(`/panel/usage?line=${shop.id}`);
  expect(await bea.page.locator('main .notice').innerText()).toContain('There is no such line.');
});

test('the page, the file and the report have the same figures', async () => {
  const ana = await loggedIn(scene, { script: false });
  for (const query of [
    'by=line',
    'by=customer',
    'by=template',
    'by=country&clock=line',
    'by=period&per=week',
  ]) {
    await ana.goto(`/panel/usage?${query}`);
    const href = await ana.page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
    const answer = await ana.context.request.get(scene.gateway.url + (href ?? ''));
    expect(answer.headers()['content-disposition']).toMatch(/^attachment; filename="usage-\S+\.csv"$/);
    const [head = '', ...lines] = (await answer.text()).replace('\uFEFF', '').trim().split('\r\n');
    const column = (name: string) => head.split(',').indexOf(name);
    const counts = ['sent', 'delivered', 'read', 'failed', 'received', 'charged'] as const;
    const inFile = lines.map((line) => counts.map((name) => line.split(',')[column(name)]));
    const onPage = (await table(ana)).map((cells) => cells.slice(1, 7));
    expect([query, inFile]).toEqual([query, onPage]);
    const { store, clock } = await scene.change((world) => Promise.resolve(world));
    const { total } = await usageReport({ store, clock }, { from: '2026-03-01', to: '2026-03-31' });
    const sums = counts.map((_, index) => inFile.reduce((sum, row) => sum + Number(row[index]), 0));
    expect([query, sums]).toEqual([query, counts.map((name) => total.counts[name])]);
  }
  const file = await ana.context.request.get(`${scene.gateway.url}/panel/usage/export?by=line`);
  // A spreadsheet does not run the name of a line.
  expect(await file.text()).toBe(
    `\uFEFF${[
      'from,to,line_id,line,sent,delivered,read,failed,received,charged,estimate_USD,rate_cards_USD,charged_without_price',
      `2026-03-01,2026-03-31,${shop.id},Shop,44,40,12,3,25,40,2.250000,Spring card (2026-01-01),4`,
      `2026-03-01,2026-03-31,${bakery.id},"'=Sun Bakery",11,10,0,0,0,0,,,0`,
      `2026-03-01,2026-03-31,${gone.id},Kiosk (removed),2,0,0,0,0,0,,,0`,
      '',
    ].join('\r\n')}`,
  );
});

checkedPages(
  () => scene,
  [
    '/panel/usage',
    '/panel/usage?by=period',
    '/panel/usage?since=2025-01-01&until=2025-01-31',
    '/panel/usage?since=2026-03-31&until=2026-03-01',
  ],
);
