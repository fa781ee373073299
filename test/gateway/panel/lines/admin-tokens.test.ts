import { type Page } from 'playwright-core';
import { createAdminToken } from '../../../../gateway/admin-tokens/manage-admin-tokens';
import { commandActor } from '../../../../gateway/cli/offline';
import { askAdmin } from '../../../support/admin-api';
import { addCustomer } from '../../../support/customer-things';
import { checkedPages } from '../../../support/panel/checked-pages';
import { addPanelUser, closingWindows, loggedIn, PASSWORD } from '../../../support/panel/visitor';
import { lineOf, sceneOf } from '../../../support/scene';

const HOSTILE = `<script>alert(1)</script>`;

closingWindows();

const scene = sceneOf();
const line = lineOf(scene, { name: 'My shop' });
let customer: number;

beforeAll(async () => {
  await addPanelUser(scene, 'ana');
  customer = await addCustomer(scene, 'Lucky Shrub');
  await line.edit({ customer_id: customer });
  await scene.line({ name: 'Of the agency' });
  for (const given of [
    { name: 'n8n production', lineIds: [line.id], permissions: ['send', 'read', 'destinations'] },
    { name: HOSTILE, customerIds: [customer] },
  ])
    await scene.change((deps) => createAdminToken(deps, commandActor(), null, given));
});

const all = () => scene.change(({ store }) => store.adminTokens.all());
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
async function confirmed(page: Page): Promise<void> {
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByLabel('Password').press('Enter');
}

describe('the pages of admin tokens', () => {
  checkedPages(() => scene, ['/panel/admin-tokens', '/panel/admin-tokens/new']);
});

test('a token is created for some lines, shown once with what to do next, and works', async () => {
  const { page, goto, complaints } = await loggedIn(scene, { script: false });
  await goto('/panel/admin-tokens');
  await page.getByRole('link', { name: 'Create an admin token' }).click();
  await button(page, 'Create the token').click();
  expect(await page.locator('.fault').allInnerTexts()).toContain('Enter a name.');
  await page.getByLabel('Name').fill('CRM');
  await page.getByLabel('Some lines').check();
  await page.getByLabel('My shop').check();
  await page.getByLabel('See alerts').check();
  await button(page, 'Create the token').click();
  if (await page.getByLabel('Password').count()) await confirmed(page);
  const token = await page.locator('#token').innerText();
  expect(token).toMatch(/^gwa_/);
  const { body } = await askAdmin(scene, token, 'GET', '/me');
  expect(body).toMatchObject({ name: 'CRM', line_ids: [line.id], customer_ids: null });
  expect(body.permissions).toEqual(['alerts.read', 'send', 'read', 'destinations']);
  await goto('/panel/admin-tokens');
  expect(await page.locator('main').innerText()).not.toContain(token);
  expect(complaints).toEqual([]);
});

test('users of a customer see and revoke only the tokens that they could make', async () => {
  await scene.change((deps) => createAdminToken(deps, commandActor(), null, { name: 'Of everything' }));
  await addPanelUser(scene, 'dev', 'developer', customer);
  const { page, goto } = await loggedIn(scene, { name: 'dev' });
  await goto('/panel/admin-tokens');
  const text = await page.locator('main').innerText();
  expect(text).toContain('n8n production');
  expect(text).not.toContain('Of everything');
  // It may manage lines, which a developer may not.
  expect(text).not.toContain(HOSTILE);
  await goto('/panel/admin-tokens/new');
  expect(await page.getByLabel('Everything: all lines and customers').count()).toBe(0);
  expect(await page.getByLabel('Manage lines').count()).toBe(0);
  expect(await page.getByLabel('Of the agency').count()).toBe(0);
  await goto('/panel/admin-tokens');
  await button(page, /^Revoke/)
    .first()
    .click();
  await button(page, 'Revoke it').click();
  if (await page.getByLabel('Password').count()) await confirmed(page);
  await page.getByText('is revoked.').waitFor();
  const revoked = (await all()).filter(({ revoked_at: at }) => at !== null);
  expect(revoked).toHaveLength(1);
});
