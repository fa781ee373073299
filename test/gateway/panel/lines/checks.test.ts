import { readFileSync } from 'node:fs';
import { type Page } from 'playwright-core';
import { commandActor } from '../../../../gateway/cli/offline';
import { addCustomer } from '../../../../gateway/customers/manage-customers';
import { type Json } from '../../../support/scene';
import { freePort } from '../../../support/postgres';
import { checkedPages } from '../../../support/panel/checked-pages';
import { startSandboxShop, type SandboxShop } from '../../../support/panel/sandbox-shop';
import { addPanelUser, closingWindows, loggedIn } from '../../../support/panel/visitor';

const PIN = '739164';

closingWindows();

let scene: SandboxShop;
beforeAll(async () => (scene = await startSandboxShop()));
afterAll(() => scene?.stop());

const path = () => `/panel/lines/${scene.shop.id}`;
const row = (page: Page, name: string) =>
  page.locator('#setup .checks > li').filter({ has: page.getByText(name, { exact: true }) });
const notice = (page: Page) => page.locator('.notice').first().innerText();

async function checkNow(page: Page): Promise<void> {
  scene.clock.now += 61_000;
  await page.getByRole('button', { name: 'Check now' }).click();
}

test('a new line says that its checks are on their way, and shows them once they are there', async () => {
  const { page, goto } = await loggedIn(scene);
  await goto(path());
  expect(await page.locator('#setup').innerText()).toContain('WhatsApp is being asked about this line.');
  await scene.gateway.pollDue();
  await page.getByText('checks passed').waitFor();
  expect(await row(page, 'First message').innerText()).toMatch(/Not known[^]+Write to .+ from your phone/);
});

describe('with faults', () => {
  beforeAll(async () => {
    await scene.play('/account', { is_subscribed: false, primary_funding_id: null });
    await scene.shop.edit({ handshake_at: null });
    await scene.play(`/lines/${scene.shop.phoneNumberId}`, { platform_type: 'NOT_APPLICABLE' });
  });

  test('a check at the platform is one click, once a minute', async () => {
    const { page, goto } = await loggedIn(scene);
    await goto(path());
    await checkNow(page);
    expect(await notice(page)).toBe('The setup of the line was checked.');
    expect(await row(page, 'App subscription').innerText()).toMatch(/^Failed/);
    expect(await row(page, 'Callback').innerText()).toContain('Set GATEWAY_PUBLIC_URL');
    expect(await row(page, 'Payment method').getByRole('link').getAttribute('href')).toContain(
      'whatsapp_manager',
    );
    await page.getByRole('button', { name: 'Check now' }).click();
    expect(await notice(page)).toBe('The line was checked less than a minute ago. Try again in 60 s.');
  });

  checkedPages(() => scene, [path]);

  test('who may not manage the line sees the checks and no button', async () => {
    const { page, goto } = await loggedIn(scene, { name: 'vera' });
    await goto(path());
    expect(await row(page, 'App subscription').count()).toBe(1);
    expect(await page.locator('#setup').getByRole('button').count()).toBe(0);
  });

  test('a missing subscription is repaired by its button', async () => {
    const { page, goto } = await loggedIn(scene);
    await goto(path());
    await page.getByRole('button', { name: 'Subscribe the app' }).click();
    expect(await notice(page)).toBe('The app is subscribed to the business account.');
    expect(await page.getByRole('button', { name: 'Subscribe the app' }).count()).toBe(0);
  });

  test('a number is registered with its PIN, without script, and the PIN stays nowhere', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto(path());
    await page.getByLabel('PIN').fill('12');
    await page.getByRole('button', { name: 'Register the number' }).click();
    expect(await notice(page)).toBe('A PIN has six digits.');
    await page.getByLabel('PIN').fill(PIN);
    await page.getByRole('button', { name: 'Register the number' }).click();
    expect(await notice(page)).toBe('The number is registered.');
    expect(await page.getByLabel('PIN').count()).toBe(0);

    const entries = await scene.change(({ store }) => store.audit.page({ lineId: scene.shop.id }, 10));
    const [entry] = entries;
    expect(entry).toMatchObject({ who: 'ana', action: 'platform.changed' });
    expect(entry?.details).toContain(`/register`);
    const file = scene.databaseUrl.replace('sqlite:', '');
    const stored = [file, `${file}-wal`].map((one) => readFileSync(one, 'latin1')).join('');
    expect(stored).toContain('platform.changed');
    const pages = await page.content();
    for (const text of [stored, scene.gateway.logged(), JSON.stringify(entries), pages])
      expect(text).not.toContain(PIN);
  });
});

test('with a public URL, the callback of the number is set by its button', async () => {
  const port = await freePort();
  const own = await startSandboxShop({
    GATEWAY_PORT: String(port),
    GATEWAY_PUBLIC_URL: `http://127.0.0.1:${port}`,
  });
  try {
    await own.shop.edit({ handshake_at: null });
    const { page, goto } = await loggedIn(own);
    await goto(`/panel/lines/${own.shop.id}`);
    await page.getByRole('button', { name: 'Set the callback of this number' }).click();
    expect(await notice(page)).toBe('The callback of this number is set.');
    expect(await row(page, 'Callback').textContent()).toMatch(/^OK/);
  } finally {
    await own.stop();
  }
});

test('who manages one customer cannot subscribe an app to an account that others use too', async () => {
  const [bakery, garage] = await scene.change(async (world) => [
    await addCustomer(world, commandActor(), null, { name: 'Bakery', externalId: null }),
    await addCustomer(world, commandActor(), null, { name: 'Garage', externalId: null }),
  ]);
  const shared = { wabaId: '602290129340398', accessToken: 'EAAshared' };
  const line = await scene.line({ ...shared, name: 'Bread', customerId: bakery?.id ?? 0 });
  const other = await scene.line({ ...shared, name: 'Brakes', customerId: garage?.id ?? 0 });
  await addPanelUser(scene, 'bea', 'admin', bakery?.id ?? 0);
  await scene.play('/account', { line: line.phoneNumberId, is_subscribed: false });
  await scene.gateway.pollDue();
  const subscribe = async (name: string) => {
    const { page, goto } = await loggedIn(scene, { name });
    await goto(`/panel/lines/${line.id}`);
    await page.getByRole('button', { name: 'Subscribe the app' }).click();
    return { said: await notice(page), text: await page.content() };
  };
  const { said, text } = await subscribe('bea');
  expect(said).toMatch(/business account/);
  for (const secret of ['Brakes', 'Garage', other.phoneNumberId]) expect(text).not.toContain(secret);
  const node = `${scene.gateway.sandboxUrl}/v22.0/${shared.wabaId}/subscribed_apps`;
  const apps = async () =>
    ((await (await fetch(node, { headers: { authorization: 'Bearer EAAshared' } })).json()) as Json).data
      .length;
  expect(await apps()).toBe(0);
  // What concerns only the own number, she may change.
  const { page, goto } = await loggedIn(scene, { name: 'bea' });
  await goto(`/panel/lines/${line.id}/number/registration`);
  await page.getByLabel('New PIN').fill(PIN);
  await page.getByRole('button', { name: 'Set the PIN' }).click();
  await page.getByText('The PIN is set.').waitFor();
  expect((await subscribe('ana')).said).toBe('The app is subscribed to the business account.');
  expect(await apps()).toBe(1);
});

test('the first message turns its check green while the page is open', async () => {
  const { page, goto } = await loggedIn(scene);
  await goto(path());
  await row(page, 'First message').getByText('Not known').waitFor();
  await scene.isWrittenTo();
  await row(page, 'First message').getByText('OK').waitFor({ state: 'attached' });
});
