import { lineCheckResults } from '../../../../gateway/management/line-checks';
import { isoTime } from '../../../../gateway/time';
import { type TestLine } from '../../../support/scene';
import { checkedPages } from '../../../support/panel/checked-pages';
import { PICTURE, startSandboxShop, type SandboxShop } from '../../../support/panel/sandbox-shop';
import { addPanelUser, closingWindows, loggedIn } from '../../../support/panel/visitor';
import { rows } from '../../../support/rows';

const PIN = '719305';

let scene: SandboxShop;
let line: TestLine;
closingWindows();

beforeAll(async () => {
  scene = await startSandboxShop();
  line = scene.shop;
});
afterAll(() => scene.stop());

const PARTS = ['', '/chat-start', '/qr', '/blocked', '/registration'];
const address = (part = '') => `/panel/lines/${line.id}/number${part}`;
const window = async (part: string, name = 'ana') => {
  const visitor = await loggedIn(scene, { name, script: false });
  await visitor.goto(address(part));
  return visitor;
};
const lastAudit = async () => {
  const [entry] = await scene.change(({ store }) => store.audit.page({ lineId: line.id }, 1));
  return [entry?.who, entry?.action, JSON.parse(String(entry?.details))];
};

test('the business profile is edited, by the fields that differ, with a picture', async () => {
  const { page } = await window('');
  await page.getByLabel('About').fill('Open from 9 to 18');
  await page.getByLabel('Website 2').fill('https://shop.example/');
  await page.getByLabel('Industry').selectOption('RETAIL');
  await page.getByLabel('Picture').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: PICTURE });
  await page.getByRole('button', { name: 'Save the profile' }).click();
  await page.getByText('The profile is saved.').waitFor();
  expect(await lastAudit()).toEqual([
    'ana',
    'platform.changed',
    {
      request: `POST /${line.phoneNumberId}/whatsapp_business_profile`,
      fields: ['about', 'vertical', 'websites', 'profile_picture_handle'],
    },
  ]);
  expect(await page.getByLabel('About').inputValue()).toBe('Open from 9 to 18');
  expect(await page.getByLabel('Website 1').inputValue()).toBe('https://shop.example/');
  expect(await page.getByLabel('Replace the picture').count()).toBe(1);

  // What the platform refuses is said in its words, and nothing typed is lost.
  await page.getByLabel('Website 1').fill('shop');
  await page.getByLabel('Description').fill('<b>Flowers</b>');
  await page.getByRole('button', { name: 'Save the profile' }).click();
  expect(await page.locator('main').innerText()).toContain('Invalid parameter');
  expect(await page.getByLabel('Description').inputValue()).toBe('<b>Flowers</b>');
  await page.goto(scene.gateway.url + address());
  await page.getByRole('button', { name: 'Save the profile' }).click();
  await page.getByText('Nothing was changed.').waitFor();
});

test('the start of a chat and the shop are changed', async () => {
  const { page } = await window('/chat-start');
  await page.getByLabel('Questions to tap').fill('Where is my order?\n\n Are you open? ');
  await page.getByLabel('Commands').fill('menu');
  await page.getByRole('button', { name: 'Save the chat start' }).click();
  expect(await page.locator('.fault').innerText()).toContain('menu: See the menu');
  await page.getByLabel('Commands').fill('/menu : See <b>all</b>');
  await page.getByLabel('opens the chat for the first time').check();
  await page.getByRole('button', { name: 'Save the chat start' }).click();
  await page.getByText('The chat start is saved.').waitFor();
  expect(await page.getByLabel('Questions to tap').inputValue()).toBe('Where is my order?\nAre you open?');
  expect(await page.getByLabel('Commands').inputValue()).toBe('menu: See <b>all</b>');
  expect(await page.getByLabel('opens the chat for the first time').isChecked()).toBe(true);
  await page.getByLabel('Let contacts fill a cart').uncheck();
  await page.getByRole('button', { name: 'Save the shop' }).click();
  await page.getByText('The shop is saved.').waitFor();
  const shop = ['Show the catalogue in the chat', 'Let contacts fill a cart'];
  expect(await Promise.all(shop.map((label) => page.getByLabel(label).isChecked()))).toEqual([true, false]);
  expect(await page.getByLabel('Commands').inputValue()).toBe('menu: See <b>all</b>');
});

test('QR codes are created, edited and deleted', async () => {
  const { page } = await window('/qr');
  await page.getByLabel('Text that the code fills in').fill('Is table 4 free?');
  await page.getByRole('button', { name: 'Create the code' }).click();
  await page.getByText('The QR code is created.').waitFor();
  expect(await page.getByRole('img', { name: /^QR code [0-9A-F]{14}$/ }).count()).toBe(1);
  await page.getByRole('link', { name: /^Edit/ }).click();
  await page.getByLabel('Text that the code fills in').fill('Is table 5 free?');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The QR code is changed.').waitFor();
  expect(await page.locator('tbody').innerText()).toContain('Is table 5 free?');
  await page.locator('dialog form[action$="/delete"] button').dispatchEvent('click');
  await page.getByText('The QR code is deleted.').waitFor();
  expect(await page.locator('main').innerText()).toContain('This number has no QR code');
});

test('contacts are blocked and unblocked', async () => {
  const { page } = await window('/blocked');
  await page.getByLabel('Phone number').fill('nobody');
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  expect(await page.getByLabel('Phone number').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Phone number').fill('+1 202-555-0147');
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await page.getByText('The contact is blocked.').waitFor();
  await page.getByRole('button', { name: /^Unblock/ }).click();
  await page.getByText('The contact is no longer blocked.').waitFor();
  expect(JSON.stringify(await lastAudit())).not.toContain('2025550147');
});

test('a number is verified, registered and disconnected; its PIN is nowhere', async () => {
  await scene.gateway.pollDue();
  const states = async () => {
    scene.clock.now += 61_000;
    await scene.gateway.pollDue();
    const row = await scene.change(({ store }) => store.lines.find(line.id));
    const deps = { publicUrl: null, clock: () => scene.clock.now };
    const results = row && (await scene.change(({ store }) => lineCheckResults({ ...deps, store }, row)));
    return results?.filter(({ check }) => ['pin', 'registration'].includes(check)).map(({ state }) => state);
  };
  expect(await states()).toEqual(['ok', 'warning']);
  const { page } = await window('/registration');
  await page.getByRole('button', { name: 'Request the code' }).click();
  await page.getByText('The code is on its way.').waitFor();
  await page.getByLabel('Verification code', { exact: true }).fill('482 913');
  await page.getByRole('button', { name: 'Verify the number' }).click();
  await page.getByText('The number is verified.').waitFor();
  await page.getByLabel('PIN', { exact: true }).fill('12');
  await page.getByRole('button', { name: 'Register the number' }).click();
  expect(await page.locator('main').innerText()).toContain('A PIN has six digits.');
  await page.getByLabel('New PIN').fill(PIN);
  await page.getByRole('button', { name: 'Set the PIN' }).click();
  await page.getByText('The PIN is set.').waitFor();
  // Another PIN is refused by the platform.
  await page.getByLabel('PIN', { exact: true }).fill('719306');
  await page.getByRole('button', { name: 'Register the number' }).click();
  expect(await page.content()).not.toContain('719306');
  await page.getByLabel('PIN', { exact: true }).fill(PIN);
  await page.getByRole('button', { name: 'Register the number' }).click();
  await page.getByText('The number is registered.').waitFor();
  expect(await lastAudit()).toEqual([
    'ana',
    'platform.changed',
    { request: `POST /${line.phoneNumberId}/register`, fields: ['pin'] },
  ]);
  // What was changed is read again soon, not after a day.
  expect(await states()).toEqual(['ok', 'ok']);
  await page.locator('#disconnect form[action] button').last().dispatchEvent('click');
  await page.getByText('The number is disconnected.').waitFor();
  expect(await states()).toEqual(['failed', 'ok']);
  expect(await page.content()).not.toContain(PIN);
  expect(scene.gateway.logged()).not.toMatch(/71930[56]|482.?913/);
  const tables = await rows(scene.databaseUrl, "select name from sqlite_master where type = 'table'");
  for (const { name } of tables)
    expect([name, JSON.stringify(await rows(scene.databaseUrl, `select * from "${String(name)}"`))]).toEqual([
      name,
      expect.not.stringMatching(/71930[56]|482.?913/),
    ]);
});

test('what the platform does not tell is said, and the rest of the page is there', async () => {
  await scene.play('/failures', { code: 131000, on: 'everything', line: line.phoneNumberId });
  const { page } = await window('/qr');
  expect(await page.locator('main').innerText()).toContain('WhatsApp could not be read.');
  await page.getByLabel('Text that the code fills in').waitFor();
});

test('only who manages the line opens its number', async () => {
  const [own, others] = await scene.change(({ store }) =>
    Promise.all(
      ['Own', 'Others'].map((name) =>
        store.customers.insert({ name, external_id: null, suspended_at: null, created_at: isoTime(0) }),
      ),
    ),
  );
  await line.edit({ customer_id: own?.id ?? 0 });
  const foreign = await scene.line({ name: 'Foreign' });
  await foreign.edit({ customer_id: others?.id ?? 0 });
  await addPanelUser(scene, 'mia', 'admin', own?.id ?? 0);
  await addPanelUser(scene, 'dev', 'developer');
  const mia = await window('', 'mia');
  const form_token = await mia.page.locator('input[name=form_token]').first().inputValue();
  for (const part of PARTS) {
    const path = `/panel/lines/${foreign.id}/number${part}`;
    const get = await mia.page.request.get(scene.gateway.url + path);
    const post = await mia.page.request.post(scene.gateway.url + path, {
      form: { form_token, do: 'deregister', text: 'a', to: 'block', contact: '12025550147' },
      headers: { origin: scene.gateway.url },
    });
    expect([path, get.status(), post.status()]).toEqual([path, 404, 404]);
  }
  const dev = await loggedIn(scene, { name: 'dev', script: false });
  await dev.goto(`/panel/lines/${line.id}`);
  expect(await dev.page.locator('.tabs a', { hasText: 'Number' }).count()).toBe(0);
  expect((await dev.page.request.get(scene.gateway.url + address())).status()).toBe(403);
});

describe('its pages', () => {
  beforeAll(async () => {
    const code = { line: line.phoneNumberId, prefilled_message: 'Is table 4 free?' };
    const { page } = await window('/qr');
    await page.getByLabel('Text that the code fills in').fill(code.prefilled_message);
    await page.getByRole('button', { name: 'Create the code' }).click();
    await page.close();
  });
  checkedPages(
    () => scene,
    PARTS.map((part) => () => address(part)),
  );
});
