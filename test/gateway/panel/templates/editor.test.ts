import { type Page } from 'playwright-core';
import { formOf, valuesOf } from '../../../../gateway/panel/templates/editor/draft-form';
import { type DraftInput } from '../../../../gateway/templates/drafts/draft';
import { issuesOfCreation } from '../../../../gateway/templates/rules/template-issues';
import { isoTime, MINUTE } from '../../../../gateway/time';
import { checkedPages } from '../../../support/panel/checked-pages';
import {
  addPanelUser,
  closingWindows,
  formTokenIn,
  loggedIn,
  PASSWORD,
} from '../../../support/panel/visitor';
import { randomTemplate } from '../../../support/random-templates';
import { lineOf, sceneOf } from '../../../support/scene';

type Json = Record<string, unknown>;

closingWindows();

const scene = sceneOf();
lineOf(scene, { name: 'My shop' });

const BODY = {
  type: 'BODY',
  text: 'Hello {{1}}, your order {{2}} is on its way.',
  example: { body_text: [['Ana', '1042']] },
};
const languagesOf = (components: Json[], ...names: string[]) =>
  names.map((language) => ({ language, components }));

const draft = (
  more: Partial<DraftInput> = {},
  components: Json[] = [BODY],
  ...names: string[]
): DraftInput => ({
  name: 'order_shipped',
  category: 'UTILITY',
  content: {
    parameter_format: 'positional',
    languages: languagesOf(components, ...(names.length > 0 ? names : ['en_US'])),
  },
  ...more,
});

async function stored({ name, category, content }: DraftInput): Promise<number> {
  const at = isoTime(Date.now());
  const row = await scene.change(({ store }) =>
    store.templateDrafts.insert({
      ...{ name, category, content: JSON.stringify(content), customer_id: null, revision: 1 },
      ...{ created_at: at, updated_at: at, updated_by: 'ben' },
    }),
  );
  return row.id;
}

const RICH: Json[] = [
  { type: 'HEADER', format: 'IMAGE' },
  BODY,
  { type: 'FOOTER', text: 'Reply STOP to unsubscribe' },
  {
    type: 'BUTTONS',
    buttons: [
      { type: 'QUICK_REPLY', text: 'Yes' },
      { type: 'QUICK_REPLY', text: '' },
      { type: 'URL', text: 'Track it', url: 'https://www.example.com/{{1}}', example: ['7'] },
      { type: 'PHONE_NUMBER', text: 'Call us', phone_number: '+15550783881' },
      { type: 'FLOW', text: 'Book', flow_id: '7' },
    ],
  },
];
const CAROUSEL: Json[] = [
  { type: 'BODY', text: 'عروض اليوم لك يا {{1}} من متجرنا', example: { body_text: [['سارة']] } },
  {
    type: 'CAROUSEL',
    cards: [1, 2, 3].map((number) => ({
      components: [
        { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW'] } },
        { type: 'BODY', text: `بطاقة ${number}` },
        { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'افتح', url: 'https://www.example.com/a' }] },
      ],
    })),
  },
];
const CODE: Json[] = [
  { type: 'BODY', add_security_recommendation: true },
  { type: 'FOOTER', code_expiration_minutes: 10 },
  { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'ONE_TAP' }] },
];

const paths: string[] = [];
beforeAll(async () => {
  await addPanelUser(scene, 'ana');
  for (const each of [
    draft({ name: '', category: '' }, []),
    draft({}, RICH, 'en_US', 'pt_BR'),
    draft({ category: 'MARKETING' }, CAROUSEL, 'ar'),
    draft({ category: 'AUTHENTICATION' }, CODE, 'pt_BR'),
  ])
    paths.push(`/panel/templates/drafts/${await stored(each)}`);
});

describe('the editor of a template', () => {
  checkedPages(
    () => scene,
    [0, 1, 2, 3].flatMap((index) => [() => paths[index] ?? '', () => `${paths[index]}?check=1`]),
  );
});

const HOSTILE = `"><img src=x onerror=alert(1)>{{1}}</textarea><script>alert(2)</script>`;
/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const hrefOf = (id: number): string => `/panel/templates/drafts/${id}`;
const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click();
const textOf = (page: Page): Promise<string> => page.locator('main').innerText();
const readDraft = async (id: number) =>
  scene.change(async ({ store }) => {
    const row = await store.templateDrafts.find(id);
    if (!row) throw new Error('There is no such draft.');
    return { ...row, content: JSON.parse(row.content) as DraftInput['content'] };
  });

/** The template as the form sends it, which has no spaces around texts. */
const trimmed = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each: unknown) => (typeof each === 'string' ? each.trim() : each));

describe('without script', () => {
  test('parts are added, moved and removed, and everything that was typed stays', async () => {
    const id = await stored(draft({ name: '', category: '' }, []));
    const { page, goto } = await loggedIn(scene, { script: false, width: 360 });
    await goto(hrefOf(id));
    await page.getByLabel('Name', { exact: true }).fill('order_shipped');
    await page.getByRole('radio', { name: 'Utility' }).check();
    await page.getByLabel('Text', { exact: true }).fill('Hello {{1}},\nyour order is on its way.');
    await page.getByLabel('Kind of button').selectOption('Open website');
    await press(page, 'Add button');
    await page.getByLabel('Button text').fill('Track it');
    await page.getByLabel('Address of the website').fill('https://www.example.com/{{1}}');
    await page.getByLabel('Kind of button').selectOption('Quick reply');
    await press(page, 'Add button');
    await page.getByLabel('Button text').last().fill('Thank you');
    await page.getByLabel('Sample for {{1}}').fill('Ana');
    await press(page, 'Move up Button 2');
    await page.getByLabel('Another language').selectOption('Portuguese (Brazil)');
    await press(page, 'Add language');
    await page.getByLabel('Text', { exact: true }).last().fill('Olá, {{1}}, seu pedido está a caminho.');
    await page.locator('#part-l1').getByRole('button', { name: 'Remove Button 1' }).click();
    await press(page, 'Save draft');
    expect(await textOf(page)).toContain('The draft is saved.');
    expect(await textOf(page)).toMatch(/2 things to correct before you can submit it/);
    expect(await readDraft(id)).toMatchObject({
      name: 'order_shipped',
      category: 'UTILITY',
      content: {
        parameter_format: 'positional',
        languages: [
          {
            language: 'en_US',
            components: [
              {
                type: 'BODY',
                text: 'Hello {{1}},\nyour order is on its way.',
                example: { body_text: [['Ana']] },
              },
              {
                type: 'BUTTONS',
                buttons: [
                  { type: 'QUICK_REPLY', text: 'Thank you' },
                  { type: 'URL', text: 'Track it', url: 'https://www.example.com/{{1}}' },
                ],
              },
            ],
          },
          {
            language: 'pt_BR',
            components: [
              {
                text: 'Olá, {{1}}, seu pedido está a caminho.',
                example: { body_text: [['Ana']] },
              },
              { buttons: [{ type: 'URL' }] },
            ],
          },
        ],
      },
    });
    await page.getByText('Remove this language').last().click();
    await press(page, 'Remove Portuguese (Brazil)');
    expect((await readDraft(id)).content.languages).toHaveLength(1);
  });

  test('a preview of what was typed is shown without saving it', async () => {
    const id = await stored(draft());
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto(hrefOf(id));
    await page.getByLabel('Text', { exact: true }).fill('Good morning, *{{1}}*.');
    await press(page, 'Show preview');
    expect(await page.locator('#preview-l0 .template-bubble').innerText()).toBe('Good morning, Ana.');
    expect((await readDraft(id)).revision).toBe(1);
  });

  test('a save after another save overwrites nothing until the user wants it', async () => {
    const id = await stored(draft());
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto(hrefOf(id));
    await page.getByLabel('Text', { exact: true }).fill('This is mine.');
    await scene.change(({ store }) =>
      store.templateDrafts.save(id, 1, {
        name: 'theirs',
        updated_by: 'ben',
        updated_at: isoTime(Date.now()),
      }),
    );
    await press(page, 'Save draft');
    expect(await page.getByRole('alert').innerText()).toMatch(/Not saved\..*ben/s);
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('This is mine.');
    expect((await readDraft(id)).name).toBe('theirs');
    await press(page, 'Save anyway');
    expect(await readDraft(id)).toMatchObject({ name: 'order_shipped', revision: 3 });
  });

  test('a form with more fields than any template has is not read', async () => {
    const id = await stored(draft());
    const { page, context, goto } = await loggedIn(scene, { script: false });
    await goto(hrefOf(id));
    const data = new URLSearchParams({
      form_token: formTokenIn(await page.content()),
      do: 'save',
      revision: '1',
    });
    for (let index = 0; index < 10_000; index++) data.append(`l0-x${index}`, '{}');
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: scene.gateway.url,
    };
    for (const path of ['', '/preview']) {
      const address = `${scene.gateway.url}${hrefOf(id)}${path}`;
      expect((await context.request.post(address, { data: String(data), headers })).status()).toBe(413);
    }
    expect((await readDraft(id)).revision).toBe(1);
  });

  test('long texts survive a log-in in between', async () => {
    const words = 'Your order left our shop this morning and will arrive within two days. ';
    const id = await stored(draft({}, [{ type: 'BODY', text: words.repeat(14) }], 'en', 'de', 'fr', 'it'));
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto(hrefOf(id));
    await page
      .getByLabel('Text', { exact: true })
      .last()
      .fill(`Ciao! ${words.repeat(13)}`);
    scene.clock.now += 31 * MINUTE;
    await press(page, 'Save draft');
    expect(await textOf(page)).toContain('Your form is kept');
    await page.getByLabel('Name').fill('ana');
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Log in');
    await press(page, 'Submit form');
    expect(await textOf(page)).toContain('The draft is saved.');
    expect((await readDraft(id)).content.languages[3]?.components[0]?.text).toMatch(/^Ciao! Your order/);
  });

  test('a draft is saved as it was, and every finding leads to a field of the page', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    const odd = draft({ category: 'MARKETING' }, [
      { type: 'HEADER', format: 'GIF', example: { header_handle: ['4::aW'] } },
      { type: 'BODY', text: 'Hi', add_security_recommendation: true, kept: { a: [1] } },
      { type: 'CALL_PERMISSION_REQUEST' },
      { type: 'BODY', text: 'Another one' },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Yes', url: 'https://example.com' }] },
    ]);
    const random = Array.from({ length: 100 }, (_, seed) => randomTemplate(seed))
      .filter((template) => issuesOfCreation(template, null).length > 1)
      .slice(0, 14)
      .map(({ name, category, components }) =>
        draft({ name: String(name), category: String(category) }, components as Json[]),
      );
    let found = 0;
    for (const each of [odd, ...random]) {
      const id = await stored(each);
      await goto(`${hrefOf(id)}?check=1`);
      const missing = await page.evaluate(
        `[...document.querySelectorAll('#findings a')].map((one) => one.hash).filter((hash) => !document.getElementById(hash.slice(1)))`,
      );
      expect([each.name, missing]).toEqual([each.name, []]);
      found += await page.locator('#findings a').count();
      await press(page, 'Save draft');
      const { content } = await readDraft(id);
      expect(trimmed(valuesOf(formOf(await readDraft(id)).form).content)).toEqual(trimmed(content));
      expect(trimmed(content)).toEqual(trimmed(valuesOf(formOf(each).form).content));
    }
    expect(found).toBeGreaterThan(15);
  });

  test('a viewer sees the preview, and nothing to change', async () => {
    await addPanelUser(scene, 'vera', 'viewer');
    const { page, goto } = await loggedIn(scene, { name: 'vera', script: false });
    await goto(paths[1] ?? '');
    expect(await page.locator('.template-bubble').first().innerText()).toContain('Hello Ana');
    expect(await page.locator('main form').count()).toBe(0);
  });
});

test('sample files are stored with the draft and shown; others are refused without losing the texts', async () => {
  const id = await stored(draft({}, [{ type: 'HEADER', format: 'IMAGE' }, BODY]));
  const { page, goto } = await loggedIn(scene);
  await goto(hrefOf(id));
  await page
    .getByLabel('Sample file')
    .setInputFiles({ name: 'cake.png', mimeType: 'image/png', buffer: PNG });
  await press(page, 'Save draft');
  expect(await textOf(page)).toContain('Stored: cake.png.');
  const picture = page.locator('.template-picture');
  await picture.waitFor();
  expect(await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBe(
    1,
  );
  await page.getByLabel('Text', { exact: true }).fill('A new text.');
  const text = { name: 'list.txt', mimeType: 'image/png', buffer: Buffer.from('no picture') };
  await page.getByLabel('Sample file').setInputFiles(text);
  await press(page, 'Save draft');
  expect(await page.getByRole('alert').innerText()).toContain('list.txt');
  expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('A new text.');
  expect(await textOf(page)).toContain('Stored: cake.png.');
});

test('the preview follows what is typed, and the caret stays', async () => {
  const id = await stored(draft({}, [BODY], 'ar'));
  const { page, goto } = await loggedIn(scene);
  await goto(hrefOf(id));
  const text = page.getByLabel('Text', { exact: true });
  const bubble = page.locator('#preview-l0 .template-bubble');
  await text.fill('Hi .');
  await text.press('ArrowLeft');
  await text.pressSequentially('dear ');
  await bubble.getByText('Hi dear .').waitFor();
  expect(await page.evaluate('[document.activeElement.id, document.activeElement.selectionStart]')).toEqual([
    'field-l0-body',
    8,
  ]);
  await press(page, 'Add variable');
  await page.getByLabel('Sample for {{1}}').fill('Sara');
  await bubble.getByText('Hi dear Sara.').waitFor();
  expect(await text.inputValue()).toBe('Hi dear {{1}}.');
  expect(await page.locator('[data-count="field-l0-body"]').innerText()).toBe('14');
  expect(await page.locator('#preview-l0 .template-chat').getAttribute('dir')).toBe('rtl');
  expect((await readDraft(id)).revision).toBe(1);
});

test('whatever is in a draft stays text, also in the live preview', async () => {
  const button = { text: HOSTILE, url: HOSTILE, phone_number: HOSTILE, example: [HOSTILE], flow_id: HOSTILE };
  const kinds = ['URL', 'PHONE_NUMBER', 'FLOW', 'OTP', HOSTILE];
  const hostile = draft(
    { name: HOSTILE, category: HOSTILE },
    [
      { type: 'HEADER', format: HOSTILE, text: HOSTILE, example: { header_handle: [HOSTILE], [HOSTILE]: 1 } },
      { type: 'BODY', text: HOSTILE, example: { body_text: [[HOSTILE]] }, [HOSTILE]: HOSTILE },
      { type: 'FOOTER', text: HOSTILE, code_expiration_minutes: HOSTILE },
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: HOSTILE } },
      { type: 'CAROUSEL', cards: [{ components: [{ type: 'BODY', text: HOSTILE }] }] },
      { type: 'BUTTONS', buttons: kinds.map((type) => ({ ...button, type })) },
      { type: HOSTILE, text: HOSTILE },
    ],
    HOSTILE,
  );
  const id = await stored(hostile);
  const { page, goto, complaints } = await loggedIn(scene);
  await goto(`${hrefOf(id)}?check=1`);
  expect(await page.locator('#preview-l0').innerText()).toContain('<img src=x onerror=alert(1)>');
  await page.getByLabel('Footer', { exact: false }).first().fill(`${HOSTILE} again`);
  await page.locator('#preview-l0').getByText('again').waitFor();
  expect(await page.locator('main img, main script').count()).toBe(0);
  await press(page, 'Save draft');
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(JSON.stringify((await readDraft(id)).content).split('onerror').length).toBeGreaterThan(25);
  expect(complaints).toEqual([]);
});
