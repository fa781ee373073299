import { checkedPages, TABLES_CUT_OFF } from '../../../support/panel/checked-pages';
import { PLATFORM_CARD } from '../../../support/rate-card';
import {
  addPanelUser,
  axeFaults,
  closingWindows,
  loggedIn,
  type Visitor,
} from '../../../support/panel/visitor';
import { sceneOf } from '../../../support/scene';

const scene = sceneOf();
closingWindows();

beforeAll(() => addPanelUser(scene, 'ana'));

const file = (text: string) => ({ name: 'rates.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

async function preview({ page }: Visitor, name: string, day: string, text: string): Promise<void> {
  await page.goto(`${scene.gateway.url}/panel/rate-cards/new`);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('First day').fill(day);
  await page.getByLabel('CSV file').setInputFiles(file(text));
  await page.getByRole('button', { name: 'Preview' }).click();
}

const rows = ({ page }: Visitor): Promise<string[]> =>
  page
    .locator('main .table tbody tr')
    .evaluateAll((all) =>
      all.map((row) =>
        [...row.querySelectorAll('th, td')].map((cell) => cell.textContent.trim()).join(' | '),
      ),
    );

test('a rate card is previewed, imported and removed without script', async () => {
  const ana = await loggedIn(scene, { script: false });
  const { page } = ana;
  await page.goto(`${scene.gateway.url}/panel/rate-cards`);
  expect(await page.locator('main').innerText()).toContain('There is no rate card yet');

  await preview(ana, 'January, USD', '2026-01-01', PLATFORM_CARD);
  expect(await page.locator('main').innerText()).toContain('It replaces no other card.');
  expect(await rows(ana)).toContain('Rest of Africa (40 countries) | Utility | no price | $0.004 | New');
  expect(await scene.change(({ store }) => store.rateCards.all())).toEqual([]);
  await page.getByRole('button', { name: 'Import' }).click();
  expect(await page.locator('[role="status"]').innerText()).toContain('January, USD is imported.');

  const dearer = PLATFORM_CARD.replace('0.0625', '0.07').replace('0.0604', '0.05');
  await preview(ana, 'April', '2026-04-01', dearer);
  expect(await rows(ana)).toEqual([
    'Brazil | Marketing | $0.0625 | $0.07 | Higher',
    'All other countries | Marketing | $0.0604 | $0.05 | Lower',
  ]);
  await page.getByRole('button', { name: 'Import' }).click();
  expect((await rows(ana)).map((row) => row.replace(/ \| Remove.*$/s, ''))).toEqual([
    'April | 1 Apr 2026 | USD | Later',
    'January, USD | 1 Jan 2026 | USD | In force',
  ]);
  expect(await scene.change(({ store }) => store.rateCards.all())).toHaveLength(2);
});

test('lines that are not understood are listed, and the pasted text stays', async () => {
  const ana = await loggedIn(scene, { script: false });
  const { page } = ana;
  await preview(
    ana,
    '<b>May</b>',
    '2026-05-01',
    'Market,Currency,Marketing\n<i>Atlantis</i>,USD,0.1\nChile,USD,x',
  );
  const main = await page.locator('main').innerText();
  expect(main).toContain('Line 2: "<i>Atlantis</i>" is not a known market.');
  expect(main).toContain('Line 3: "x" is not a price (marketing).');
  expect(await page.getByLabel('Or paste its lines').inputValue()).toContain('<i>Atlantis</i>');
  await preview(ana, '', '', '');
  expect(await page.locator('main').innerText()).toContain('Choose a file, or paste its lines.');
});

test('the preview fits a phone', async () => {
  const ana = await loggedIn(scene);
  await preview(ana, 'June', '2026-06-01', PLATFORM_CARD.replaceAll('0.0040', '0.0050'));
  await ana.page.setViewportSize({ width: 360, height: 900 });
  expect(await ana.page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  expect(await ana.page.evaluate(TABLES_CUT_OFF)).toBe(0);
  expect(await axeFaults(ana.page)).toEqual([]);
  if (process.env.PANEL_PICTURES)
    await ana.page.screenshot({ path: `${process.env.PANEL_PICTURES}/preview-360.png`, fullPage: true });
});

checkedPages(() => scene, ['/panel/rate-cards', '/panel/rate-cards/new']);
