import { addCustomer } from '../../../../gateway/customers/manage-customers';
import { type Draft, type DraftInput } from '../../../../gateway/templates/drafts/draft';
import { createDraft, saveDraft } from '../../../../gateway/templates/drafts/manage-drafts';
import { type Actor } from '../../../../gateway/store/tables/audit';
import { until } from '../../../support/http-peer';
import { checkedPages } from '../../../support/panel/checked-pages';
import { addPanelUser, closingWindows, formTokenIn, loggedIn } from '../../../support/panel/visitor';
import { sceneOf, type Scene } from '../../../support/scene';

const ACTOR: Actor = { who: 'ana', through: 'panel', address: null };
const HOSTILE = `<img src=x onerror=alert(1)>`;
const BODY = { type: 'BODY', text: 'Hello {{1}}, your order is ready.', example: { body_text: [['Ana']] } };

const orderIn = (name: string, ...languages: string[]): DraftInput => ({
  ...{ name, category: 'UTILITY' },
  content: {
    parameter_format: 'positional',
    languages: languages.map((language) => ({ language, components: [BODY] })),
  },
});

closingWindows();

/** The sandbox is the platform. */
const scene = sceneOf(undefined, { GATEWAY_UPSTREAM_URL: 'sandbox' });
const ACCOUNTS = ['802290129340398', '802290129340399'];

let bakery: number;
let garage: number;
const drafts: Record<string, Draft> = {};

async function make(of: Scene, customerId: number, given: DraftInput): Promise<Draft> {
  return of.change((world) => createDraft(world, ACTOR, null, customerId, given));
}

beforeAll(async () => {
  const customer = (name: string) =>
    scene.change(async (world) => (await addCustomer(world, ACTOR, null, { name, externalId: null })).id);
  [bakery, garage] = [await customer('Bakery'), await customer('Garage')];
  for (const [index, wabaId] of ACCOUNTS.entries())
    await scene.line({ name: `Shop ${index + 1}`, wabaId, accessToken: `EAA${index}`, customerId: bakery });
  await scene.line({ name: 'Garage line', accessToken: 'EAAg', customerId: garage });
  await addPanelUser(scene, 'ana');
  await addPanelUser(scene, 'ed', 'editor', bakery);
  await addPanelUser(scene, 'vera', 'viewer', bakery);
  await addPanelUser(scene, 'greta', 'editor', garage);
  drafts.order = await make(scene, bakery, orderIn('order_ready', 'en_US', 'pt_BR'));
  drafts.faulty = await make(scene, bakery, orderIn('Not a name!', 'en_US', 'ar'));
  drafts.hostile = await make(scene, bakery, { ...orderIn(HOSTILE, HOSTILE), category: HOSTILE });
  drafts.theirs = await make(scene, garage, orderIn('their_secret', 'en_US'));
});

const boardPathOf = ({ id }: Draft) => `/panel/templates/drafts/${id}/board`;
const boardOf = (name: string) => boardPathOf(drafts[name] as Draft);

describe('the pages of drafts', () => {
  checkedPages(
    () => scene,
    [
      '/panel/templates?line=1',
      '/panel/templates/import',
      () => boardOf('order'),
      () => boardOf('faulty'),
      () => boardOf('hostile'),
    ],
  );
});

test('a draft is submitted to several accounts without script, and each refusal is shown with its reason', async () => {
  const { page, goto } = await loggedIn(scene, { name: 'ed', script: false });
  // The second account has the name in another category already.
  const made = await fetch(`${scene.gateway.sandboxUrl}/v22.0/${ACCOUNTS[1]}/message_templates`, {
    method: 'POST',
    headers: { authorization: 'Bearer EAA1', 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'order_ready', language: 'es', category: 'MARKETING', components: [BODY] }),
  });
  expect(made.status).toBe(200);
  await goto('/panel/templates?line=1');
  await page.getByRole('link', { name: 'Accounts order_ready' }).click();
  const rows = page.locator('tbody tr:not(.group)');
  expect(await rows.locator('input[type=checkbox]:checked').count()).toBe(4);
  await page.getByRole('button', { name: 'Submit the selected ones' }).click();
  const texts = () => rows.allInnerTexts();
  await until(async () => {
    await page.reload();
    return (await texts()).filter((text) => text.includes('Pending')).length >= 3;
  });
  expect(await page.locator('main').innerText()).toContain('2 of 4 were not accepted');
  const [first, second, third, fourth] = await texts();
  for (const text of [first, second]) expect(text).toContain('Pending');
  for (const text of [third, fourth]) expect(text).toMatch(/Not accepted\n.*MARKETING/s);
});

test('a new template that was left untouched is opened again, and the way back leads to its customer', async () => {
  const { page, goto } = await loggedIn(scene, { name: 'ana', script: false });
  const open = async () => {
    await goto('/panel/templates?line=3');
    await page.getByRole('button', { name: 'New template' }).click();
    return page.url();
  };
  const first = await open();
  expect(await open()).toBe(first);
  await page.getByLabel('Name', { exact: true }).fill('of_the_garage');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByRole('link', { name: 'Templates' }).last().click();
  expect(await page.locator('main').innerText()).toContain('of_the_garage');
  expect(await open()).not.toBe(first);
});

test('what is selected stays selected while the board follows the review', async () => {
  const draft = await make(scene, bakery, orderIn('order_followed', 'en_US', 'pt_BR'));
  const { page, goto } = await loggedIn(scene, { name: 'ed' });
  await goto(boardPathOf(draft));
  await page.getByRole('button', { name: 'Submit English (United States), Shop 1' }).click();
  const row = (text: string) => page.locator('tbody tr', { hasText: text }).first();
  await row('Pending').waitFor();
  const box = page.getByRole('checkbox', { name: 'Select: Portuguese (Brazil), Shop 2' });
  const before = await box.isChecked();
  await box.setChecked(!before);
  const [template] = await scene.change(({ store }) => store.templates.named([1], ['order_followed']));
  const line = await scene.change(({ store }) => store.lines.find(1));
  await fetch(`${scene.gateway.sandboxUrl}/sandbox/templates/${template?.upstream_id}`, {
    method: 'POST',
    body: JSON.stringify({ event: 'APPROVED', line: line?.phone_number_id }),
  });
  await row('Approved').waitFor();
  expect(await box.isChecked()).toBe(!before);
  const review = page.getByRole('link', { name: 'Review in the sandbox' });
  expect(await review.getAttribute('href')).toBe('/panel/templates/review/1');
  // The platform changes no category of an approved template, so that an edit would not.
  await scene.change((world) => saveDraft(world, ACTOR, null, draft.id, { ...draft, category: 'MARKETING' }));
  await page.reload();
  expect(await row('Approved').innerText()).toMatch(/: Utility\s+An approved template keeps it/);
});

test('what two users submit at once is submitted once', async () => {
  const draft = await make(scene, bakery, orderIn('order_twice', 'en_US', 'pt_BR'));
  const users = await Promise.all(['ed', 'ana'].map((name) => loggedIn(scene, { name, script: false })));
  for (const { goto } of users) await goto(boardPathOf(draft));
  const forms = await Promise.all(users.map(async ({ page }) => formTokenIn(await page.content())));
  const latency = (method: string, body?: object) =>
    fetch(`${scene.gateway.sandboxUrl}/sandbox/latency`, { method, body: body && JSON.stringify(body) });
  // So that the first has not ended when the second begins.
  await latency('POST', { delay: '3s' });
  const answers = await Promise.all(
    users.map(({ context }, index) =>
      context.request.post(`${scene.gateway.url}/panel/templates/drafts/${draft.id}/submit`, {
        form: { form_token: forms[index] ?? '', only: `${ACCOUNTS[0]} en_US` },
        headers: { origin: scene.gateway.url },
      }),
    ),
  );
  await latency('DELETE');
  const pages = await Promise.all(answers.map((answer) => answer.text()));
  expect(pages.filter((html) => html.includes('The draft is still being submitted.'))).toHaveLength(1);
});

test('what blocks a submission is named beforehand, with links into the editor', async () => {
  const { page, goto } = await loggedIn(scene, { name: 'ed' });
  await goto(boardOf('faulty'));
  const blocking = page.getByRole('alert');
  expect(await blocking.innerText()).toContain('Correct this first.');
  expect(await blocking.getByRole('link').first().getAttribute('href')).toMatch(
    /^\/panel\/templates\/drafts\/\d+\?check=1#field-name$/,
  );
  expect(await page.locator('input[type=checkbox]').count()).toBe(0);
});

test('a template of a line is exported, imported again, and opened as a draft', async () => {
  const { page, goto, context } = await loggedIn(scene, { name: 'ed', script: false });
  const address = `${scene.gateway.url}/panel/templates/export?line=1&name=order_update`;
  const json = await (await context.request.get(address)).text();
  expect(JSON.parse(json)).toMatchObject([
    { name: 'order_update', language: 'en_US', category: 'UTILITY' },
    { name: 'order_update', language: 'pt_BR' },
  ]);
  await goto('/panel/templates/import?line=1');
  await page.getByLabel('Or paste the JSON').fill('{"name": ');
  await page.getByRole('button', { name: 'Import' }).click();
  expect(await page.getByLabel('Or paste the JSON').inputValue()).toBe('{"name":');
  expect(await page.locator('.fault').innerText()).toContain('This is not JSON');
  await page.getByLabel('Or paste the JSON').fill(json);
  await page.getByRole('button', { name: 'Import' }).click();
  const id = Number(/drafts\/(\d+)/.exec(page.url())?.[1]);
  const exported = `${scene.gateway.url}/panel/templates/drafts/${id}/export`;
  expect(await (await context.request.get(exported)).text()).toBe(json);
  // Editing opens the draft of this name, and makes no second one.
  await goto('/panel/templates?line=1');
  await page.getByRole('button', { name: 'Edit order_update (en_US)' }).click();
  expect(page.url()).toContain(`/drafts/${id}`);
});

test('a template is deleted in one language, after the dialog has said what that means', async () => {
  const { page, goto } = await loggedIn(scene, { name: 'ed' });
  await goto(boardOf('order'));
  const row = page.locator('tbody tr:not(.group)').first();
  await row.getByRole('button', { name: /^Delete/ }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.innerText()).toMatch(/n8n.*30 days/s);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  expect(await page.getByRole('status').first().innerText()).toContain('order_ready is deleted');
  expect(await row.innerText()).not.toContain('Pending');
});

test.each(['vera', 'greta'])(
  '%s finds or changes no draft of the bakery that is not theirs',
  async (name) => {
    const { context } = await loggedIn(scene, { name });
    const ask = async (path: string) => (await context.request.get(scene.gateway.url + path)).status();
    const own = name === 'vera' ? 200 : 404;
    const path = `/panel/templates/drafts/${drafts.order?.id}`;
    for (const page of [`${path}/board`, `${path}/export`]) expect(await ask(page)).toBe(own);
    const list = await (await context.request.get(`${scene.gateway.url}/panel/templates`)).text();
    expect(list.includes('order_ready')).toBe(name === 'vera');
    const form_token = formTokenIn(
      await (await context.request.get(`${scene.gateway.url}/panel/profile`)).text(),
    );
    for (const [action, form] of [
      [`${path}/submit`, { one: `${ACCOUNTS[0]} en_US` }],
      [`${path}/delete`, {}],
      [`${path}/duplicate`, {}],
      ['/panel/templates/drafts', { line: '1' }],
      ['/panel/templates/delete', { line: '1', name: 'order_ready', of: 'all' }],
    ] as const) {
      const answer = await context.request.post(scene.gateway.url + action, {
        form: { ...form, form_token },
        headers: { origin: scene.gateway.url },
        maxRedirects: 0,
      });
      expect([action, answer.status()]).toEqual([action, name === 'vera' ? 403 : 404]);
    }
  },
);
