import { setForwardingUrl } from '../../../../gateway/forwarding/destinations/destination-rows';
import { checkedPages } from '../../../support/panel/checked-pages';
import { addPanelUser, closingWindows, loggedIn, reachOf } from '../../../support/panel/visitor';
import { write } from '../../../support/rows';
import { sceneOf } from '../../../support/scene';

closingWindows();

describe('more lines than anybody looks through', () => {
  const scene = sceneOf();
  beforeAll(async () => {
    await addPanelUser(scene, 'ana');
    for (let index = 10; index < 71; index++)
      await scene.line({
        name: `Shop ${index}`,
        phoneNumberId: `20654035224${index}`,
        phoneNumber: `+55 11 98765-43${index}`,
      });
    await write(
      scene.databaseUrl,
      `update tokens set last_used_at = created_at, last_used_from = '192.168.100.100', last_used_by = 'node',
       expires_at = '2099-12-28T22:22:22.000Z' where id = 2`,
    );
  });

  checkedPages(
    () => scene,
    [
      '/panel/lines',
      '/panel/events?line=Shop+3',
      '/panel/events?line=Shop+33',
      '/panel/templates',
      '/panel/tokens',
    ],
  );

  test('are found by name and by number in any spelling, without script', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto('/panel/lines');
    const names = () => page.locator('#lines tbody th a').allTextContents();
    expect(await names()).toEqual(Array.from({ length: 61 }, (_, index) => `Shop ${index + 10}`));
    for (const [q, found] of [
      ['shop 33', ['Shop 33']],
      ['5511987654347', ['Shop 47']],
      ['nobody', []],
    ] as const) {
      await page.getByLabel('Name or number').fill(q);
      await page.getByRole('button', { name: 'Search' }).click();
      expect([q, await names()]).toEqual([q, found]);
    }
  });

  test('have tokens, paged and found by line, and templates', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto('/panel/tokens');
    const rows = page.locator('#tokens tbody tr');
    expect([await rows.count(), await page.locator('option').count()]).toEqual([50, 106]);
    await page.getByRole('link', { name: 'Next' }).click();
    expect(await page.locator('#tokens').innerText()).toContain('51 to 61 of 61');
    await page.getByLabel('Line', { exact: true }).first().fill('shop 33');
    await page.getByRole('button', { name: 'Filter' }).click();
    expect(await rows.locator('td[data-label=Line]').allInnerTexts()).toEqual(['Shop 33']);
    await goto('/panel/tokens?q=shop');
    expect([await rows.count(), await page.locator('#fault-q').innerText()]).toEqual([
      0,
      '61 lines match. Type more of the name.',
    ]);
    await page.getByLabel('Line', { exact: true }).last().fill('98765-4344');
    await page.getByRole('button', { name: 'Generate token' }).click();
    expect(await page.locator('.lead').innerText()).toContain('It opens Shop 44');
    for (const [asked, title] of [
      ['shop 70', 'Shop 70'],
      ['shop', 'Templates'],
    ] as const) {
      await goto('/panel/templates');
      await page.getByLabel('Line').fill(asked);
      await page.getByRole('button', { name: 'Filter' }).click();
      expect(await page.locator('h1').innerText()).toBe(title);
    }
    expect(await page.locator('.empty-title').innerText()).toBe('Whose templates?');
  });

  test('are one step apart on each page of a line, without script too', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto('/panel/messages?line=Shop+33');
    for (const [to, title] of [
      ['shop 44', 'Shop 44'],
      ['98765-4370', 'Shop 70'],
    ] as const) {
      await page.getByLabel('Switch to').fill(to);
      await page.getByRole('button', { name: 'Go', exact: true }).click();
      expect(await page.locator('h1').innerText()).toBe(title);
      expect(new URL(page.url()).pathname).toBe('/panel/messages');
    }
    await page.getByLabel('Switch to').fill('shop');
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    expect(await page.locator('#lines tbody th a').count()).toBe(61);
    const withScript = await loggedIn(scene);
    await withScript.goto(await page.locator('#lines tbody th a').first().getAttribute('href').then(String));
    await withScript.page.getByRole('link', { name: 'Opt-outs' }).click();
    await withScript.page.getByLabel('Switch to').fill('shop 44');
    await withScript.page.getByLabel('Switch to').blur();
    await withScript.page.getByRole('heading', { name: 'Shop 44' }).waitFor();
    expect(withScript.page.url()).toMatch(/\/opt-outs$/);
  });

  test('have pages that all stand beneath Lines in the menu, and lists that do not', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    const lit = () => page.locator('.side-places [aria-current]').allInnerTexts();
    await goto('/panel/lines?q=Shop+33');
    await page.locator('#lines tbody th a').click();
    for (const tab of ['Tokens', 'Templates', 'Messages', 'Events', 'Opt-outs', 'Settings', 'Overview']) {
      await page.locator('.tabs').getByRole('link', { name: tab }).click();
      expect([tab, await lit()]).toEqual([tab, ['Lines']]);
    }
    await goto('/panel/events');
    expect(await lit()).toEqual(['Events']);
  });

  test('are suggested in a filter, where a part of the name is enough if no other has it', async () => {
    const { page, goto } = await loggedIn(scene);
    await goto('/panel/events?line=Shop');
    expect(await page.locator('#line-suggestions option').count()).toBe(50);
    expect(await page.locator('#fault-line').innerText()).toBe('61 lines match. Type more of the name.');
    await page.getByLabel('Line').fill('shop 70');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.waitForURL(/shop\+70/);
    expect(await page.getByLabel('Line').inputValue()).toMatch(/^Shop 70 \(\d+\)$/);
    expect(await page.locator('#fault-line').count()).toBe(0);
  });

  test('stand first where they fail, and lead to what waits and to what was given up', async () => {
    const line = await scene.line({ name: 'Shop 71', phoneNumberId: '2065403522471' });
    const rules = { refuseUrl: () => null } as never;
    const { id } = await scene.change((world) =>
      setForwardingUrl({ ...world, rules }, line.id, null, { url: 'http://127.0.0.1:9/', secret: null }),
    );
    for (const contact of ['16505550001', '16505550002', '16505550003']) await line.wrote(contact, 0);
    await write(scene.databaseUrl, `update destinations set failing_since = created_at where id = ${id}`);
    await write(
      scene.databaseUrl,
      `update deliveries set state = 'dead', finished_at = due_at
       where event_id = (select min(event_id) from deliveries)`,
    );
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto('/panel/lines');
    const first = page.locator('#lines tbody tr').first();
    const hrefOf = (name: RegExp) => first.getByRole('link', { name }).getAttribute('href');
    expect(await first.locator('th a').innerText()).toBe('Shop 71');
    expect(await hrefOf(/^1 failing\s*: Shop 71$/)).toBe(`/panel/lines/${line.id}`);
    expect(await hrefOf(/^2\s*: Shop 71$/)).toBe(`/panel/events?line=${line.id}&state=open`);
    expect(await hrefOf(/^1 given up\s*: Shop 71$/)).toBe(`/panel/events?line=${line.id}&state=dead`);
    await first.getByRole('link', { name: /^2\s*: Shop/ }).click();
    expect(await page.locator('#deliveries tbody tr').count()).toBe(2);
    await page.goBack();
    await first.getByRole('link', { name: /^1 given up/ }).click();
    expect(await page.locator('#deliveries tbody tr').count()).toBe(1);
    // Where nothing waits, what was given up does not either.
    await write(scene.databaseUrl, "update deliveries set state = 'dead', finished_at = due_at");
    const narrow = await loggedIn(scene, { width: 360, touch: true, script: false });
    await narrow.goto('/panel/lines');
    const row = narrow.page.locator('#lines tbody tr').first();
    expect(await row.locator('[data-label=Waiting]').innerText()).toMatch(/^nothing\s+3 given up/);
    for (const name of [/^1 failing/, /^3 given up/])
      expect(await reachOf(row.getByRole('link', { name }))).toBeGreaterThanOrEqual(40);
  });

  test('are paged, a hundred at a time', async () => {
    for (let index = 72; index <= 110; index++)
      await scene.line({ name: `Shop ${index}`, phoneNumberId: `2065403522${index}` });
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto('/panel/lines');
    const names = () => page.locator('#lines tbody th a').allTextContents();
    expect(await names()).toHaveLength(100);
    await page.getByRole('link', { name: 'Next' }).click();
    expect(await page.locator('#lines').innerText()).toContain('101 to 101 of 101');
    expect(await names()).toEqual(['Shop 110']);
  });
});
