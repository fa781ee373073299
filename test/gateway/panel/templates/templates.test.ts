import { type Page } from 'playwright-core';
import { isoTime, MINUTE } from '../../../../gateway/time';
import { checkedPages } from '../../../support/panel/checked-pages';
import { addPanelUser, closingWindows, loggedIn, type VisitorOptions } from '../../../support/panel/visitor';
import { lineOf, sceneOf, upstreamError } from '../../../support/scene';

const HOSTILE = `<img src=x onerror=alert(1)>`;

const TEMPLATES = [
  {
    id: '1',
    name: 'order_shipped',
    language: 'en_US',
    category: 'UTILITY',
    status: 'APPROVED',
    quality_score: { score: 'GREEN' },
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
      { type: 'BODY', text: 'Hello {{1}},\nyour _new_ order *{{2}}* is ~late~ on its way: ```{{3}}```' },
      { type: 'FOOTER', text: 'Thank you' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'URL', text: 'Track it', url: 'https://example.com/track/{{1}}' },
          { type: 'PHONE_NUMBER', text: 'Call us', phone_number: '+15550783881' },
          { type: 'QUICK_REPLY', text: 'Stop' },
        ],
      },
    ],
  },
  {
    id: '2',
    name: 'hostile',
    language: 'de',
    category: HOSTILE,
    status: 'REJECTED',
    rejected_reason: 'SCAM',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: `${HOSTILE} {{name}}` },
      { type: 'FOOTER', text: HOSTILE },
      { type: 'BUTTONS', buttons: [{ type: HOSTILE, text: HOSTILE }] },
    ],
  },
  {
    id: '3',
    name: 'flash_sale',
    language: 'en',
    category: 'MARKETING',
    status: 'PAUSED',
    components: [{ type: 'BODY', text: 'Today alone.' }],
  },
];

closingWindows();

const scene = sceneOf();
const line = lineOf(scene, { name: 'My shop' });

beforeAll(async () => {
  scene.upstream.answers.templates = () => ({ body: { data: TEMPLATES } });
  await addPanelUser(scene, 'ana');
  await scene.line({ name: HOSTILE });
  expect((await line.get('/templates?refresh=1')).status).toBe(200);
});

describe('the page of templates', () => {
  checkedPages(() => scene, ['/panel/templates', '/panel/templates?line=2', '/panel/templates?q=nothing']);
});

describe('in a window', () => {
  const window = (options?: VisitorOptions) => loggedIn(scene, options);
  const names = (page: Page) => page.locator('.template h2').allInnerTexts();
  const main = (page: Page) => page.locator('main').innerText();

  test('a template is shown as its recipient sees it, with the places of its values', async () => {
    const { page, goto } = await window();
    await goto('/panel/templates');
    const preview = page.getByRole('group', { name: 'Preview of order_shipped' });
    expect(await preview.innerText()).toContain(
      'Hello {{1}},\nyour new order {{2}} is late on its way: {{3}}',
    );
    expect(await preview.locator('strong').innerText()).toBe('{{2}}');
    expect(await preview.locator('em').innerText()).toBe('new');
    expect(await preview.locator('s').innerText()).toBe('late');
    expect(await preview.locator('code').innerText()).toBe('{{3}}');
    expect(await preview.locator('.template-value').allInnerTexts()).toEqual([
      '{{1}}',
      '{{1}}',
      '{{2}}',
      '{{3}}',
      '{{1}}',
    ]);
    expect(await preview.getByRole('listitem').allInnerTexts()).toEqual([
      'Track it\nhttps://example.com/track/{{1}}',
      'Call us\n+15550783881',
      'Stop',
    ]);
    // Side by side, each with how it looks beneath what it is.
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      return box ?? { x: 0, y: 0, width: 0, height: 0 };
    };
    const [first, last] = [await boxOf('.template >> nth=0'), await boxOf('.template >> nth=-1')];
    expect(last.x).toBeGreaterThanOrEqual(first.x + first.width);
    const [head, chat] = [await boxOf('.template-head >> nth=0'), await boxOf('.template-chat >> nth=0')];
    expect([chat.x, chat.y]).toEqual([head.x, head.y + head.height]);
  });

  test('whatever the platform tells is shown as text', async () => {
    const { page, goto, complaints } = await window();
    await goto('/panel/templates?q=hostile');
    const preview = page.getByRole('group', { name: 'Preview of hostile' });
    expect(await preview.innerText()).toContain(HOSTILE);
    expect(await page.locator('main img').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('why one was rejected, and what to do then, is told in the language of the reader', async () => {
    for (const [locale, words] of [
      ['en-GB', 'Why it was rejected: The platform considers it fraud.\n\nCorrect it and submit it again'],
      ['pt-BR', 'Por que foi rejeitado: A plataforma o considera uma fraude.\n\nCorrija-o e envie-o de novo'],
      ['es', 'Por qué se rechazó: La plataforma la considera un fraude.\n\nCorríjala y envíela de nuevo'],
    ] as const) {
      const { page, goto } = await window({ locale });
      await goto('/panel/templates?status=rejected');
      expect(await main(page)).toContain(words);
    }
  });

  test('one that the platform has paused is not told as one that it has disabled', async () => {
    const { page, goto } = await window();
    await goto('/panel/templates?q=flash_sale');
    expect(await page.locator('.template').innerText()).toMatch(/flash_sale\s+Paused\s+en · Marketing\n/);
  });

  test('one whose category the platform changed says from what, and when', async () => {
    await scene.change(({ store, clock }) =>
      store.templates.applyChanges(line.id, [
        {
          ...{ upstream_id: '1', name: 'order_shipped', language: 'en_US', category: 'MARKETING' },
          at: isoTime(clock()),
        },
      ]),
    );
    const { page, goto } = await window({ locale: 'pt-BR' });
    await goto('/panel/templates');
    const badge = page.locator('.template', { hasText: 'order_shipped' }).locator('.badge[data-tone=warn]');
    expect(await badge.innerText()).toBe('Categoria mudou');
    expect(await main(page)).toMatch(/Categoria mudou de Utilidade para Marketing em\s/);
    const english = await window();
    await english.goto('/panel/templates?q=order_shipped');
    expect(await main(english.page)).toMatch(/Category changed from Utility to Marketing on\s/);
  });

  test('starter templates are marked, and said to be none of the platform yet', async () => {
    const { page, goto } = await window();
    await goto('/panel/templates?q=appointment_reminder');
    expect(await main(page)).toContain('Starter');
    expect(await main(page)).toContain('Not at the platform yet');
  });

  test('templates are found by status and by words, without script', async () => {
    const { page, goto } = await window({ script: false, width: 360 });
    await goto('/panel/templates');
    expect(await names(page)).toEqual([
      'appointment_reminder',
      'flash_sale',
      'hostile',
      'order_shipped',
      'order_update',
    ]);
    await page.getByLabel('Status').selectOption('Approved');
    await page.getByRole('button', { name: 'Filter' }).click();
    expect(await names(page)).toEqual(['order_shipped']);
    await page.getByLabel('Status').selectOption('All');
    await page.getByLabel('Search').fill('WAY shipped');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=WAY/);
    expect(await names(page)).toEqual(['order_shipped']);
    await page.getByLabel('Search').fill('no such words');
    await page.keyboard.press('Enter');
    await page.getByText('No template matches this').waitFor();
  });

  test('a sync brings what the platform has, and is not made more than once a minute', async () => {
    const one = await scene.line({ name: 'Syncs' });
    const { page, goto } = await window({ script: false });
    await goto(`/panel/templates?line=${one.id}`);
    expect(await main(page)).toContain('Not synced yet');
    await page.getByRole('button', { name: 'Sync now' }).click();
    expect(await main(page)).toContain('The templates are synced.');
    expect(await main(page)).toContain('3 templates at the platform, last synced');
    await page.getByRole('button', { name: 'Sync now' }).click();
    expect(await main(page)).toContain('Try again in 60 seconds.');
    scene.clock.now += MINUTE;
    await page.reload();
    expect(await main(page)).not.toContain('Try again in');
  });

  test('a sync that takes long goes on, and the page shows when it is done', async () => {
    const one = await scene.line({ name: 'Slow' });
    const { page, goto } = await window();
    const before = scene.upstream.answers.templates;
    let letItGo = () => {};
    const held = new Promise<void>((resolve) => (letItGo = resolve));
    scene.upstream.answers.templates = async (...asked) => {
      await held;
      return before(...asked);
    };
    await goto(`/panel/templates?line=${one.id}`);
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText('Reading all templates from the platform').waitFor();
    letItGo();
    await page.getByText('3 templates at the platform').waitFor();
    await page.getByRole('group', { name: 'Preview of order_shipped' }).waitFor();
    scene.upstream.answers.templates = before;
  });

  test('why a sync failed is told', async () => {
    const one = await scene.line({ name: 'Refused' });
    const { page, goto } = await window();
    const before = scene.upstream.answers.templates;
    scene.upstream.answers.templates = () => upstreamError(400, 190);
    await goto(`/panel/templates?line=${one.id}`);
    await page.getByRole('button', { name: 'Sync now' }).click();
    await page.getByText('As upstream says it').waitFor();
    scene.upstream.answers.templates = before;
  });
});
