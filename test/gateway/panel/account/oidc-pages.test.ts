import { CLIENT_ID, CLIENT_SECRET, startProvider, type TestProvider } from '../../../support/oidc-provider';
import { checkedPages } from '../../../support/panel/checked-pages';
import { addPanelUser, axeFaults, closingWindows, loggedIn, visitor } from '../../../support/panel/visitor';
import { rows } from '../../../support/rows';
import { sqliteUrl, startScene, type Scene } from '../../../support/scene';

let provider: TestProvider;
let scene: Scene;
closingWindows();
beforeEach(async () => {
  provider = await startProvider();
  const company = {
    ...{ key: 'company', label: 'Company', issuer: provider.issuer, client_id: CLIENT_ID },
    client_secret: CLIENT_SECRET,
    roles: [{ group: 'staff', role: 'viewer' }],
    create_users: true,
  };
  scene = await startScene(await sqliteUrl(), { GATEWAY_OIDC_PROVIDERS: JSON.stringify([company]) });
  scene.clock.now = Date.now();
  provider.open(scene.gateway.url);
  provider.person = { sub: '1', preferred_username: 'bob', groups: ['staff'] };
  await addPanelUser(scene, 'ana');
});
afterEach(async () => {
  await scene.stop();
  await provider.close();
});

checkedPages(
  () => scene,
  ['/panel/providers', '/panel/providers/new', '/panel/providers/company', '/panel/profile'],
);

test.each([
  { locale: 'en-GB', button: 'Log in with Company', out: 'Log out', there: 'Log out there too' },
  { locale: 'pt-BR', button: 'Entrar com Company', out: 'Sair', there: 'Sair de lá também' },
  {
    locale: 'es-MX',
    button: 'Iniciar sesión con Company',
    out: 'Cerrar sesión',
    there: 'Cerrarla también allí',
  },
])('logs in at the provider and out again, in $locale', async ({ locale, button, out, there }) => {
  const script = locale !== 'pt-BR';
  const one = await visitor(scene, { locale, width: 360, script });
  await one.goto('/panel/lines');
  if (script) expect(await axeFaults(one.page)).toEqual([]);
  expect(await one.page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  if (process.env.PANEL_PICTURES)
    for (const [width, scheme] of [
      [360, 'dark'],
      [1280, 'light'],
    ] as const) {
      await one.page.setViewportSize({ width, height: 800 });
      await one.page.emulateMedia({ colorScheme: scheme });
      await one.page.screenshot({
        path: `${process.env.PANEL_PICTURES}/log-in-${locale}-${width}-${scheme}.png`,
      });
    }
  await one.page.getByRole('link', { name: button }).click();
  await one.page.waitForURL(`${scene.gateway.url}/panel/lines`);
  await one.page.setViewportSize({ width: 1280, height: 800 });
  await one.page.locator('.side-places').getByRole('button', { name: out }).click();
  await one.page.getByRole('link', { name: there }).waitFor();
  expect(one.complaints.splice(0).every((url) => url.startsWith(provider.issuer))).toBe(true);
});

test('adds a provider in the panel, tests it, changes and removes it', async () => {
  const other = await startProvider();
  other.open(scene.gateway.url, 'other');
  const ana = await loggedIn(scene, { script: false });
  const { page } = ana;
  await ana.goto('/panel/users');
  await page.getByRole('link', { name: 'Log-in providers' }).click();
  await page.getByRole('link', { name: 'Add a provider' }).click();
  await page.getByLabel('Issuer').fill('company');
  await page.getByLabel('Short name').fill('Not Good');
  await page.getByLabel('Create users').check();
  await page.getByRole('button', { name: 'Add the provider' }).click();
  for (const text of ['Enter the issuer as', 'Use up to 40 lowercase', 'Add a group first', 'Enter a value'])
    expect(await page.locator('main').innerText()).toContain(text);
  await page.getByLabel('Issuer').fill(other.issuer);
  await page.getByLabel('Short name').fill('other');
  await page.getByLabel('Name', { exact: true }).fill('Other');
  await page.getByLabel('Client ID').fill(CLIENT_ID);
  await page.getByLabel('Client secret').fill(CLIENT_SECRET);
  await page.getByLabel('Group 1', { exact: true }).fill('leads');
  await page.getByLabel('Role of group 1').selectOption('Admin');
  await page.getByRole('button', { name: 'Add the provider' }).click();
  await page.getByRole('button', { name: 'Test' }).click();
  await page.getByText('The provider answers.').waitFor();
  other.failsWith = 500;
  await page.getByRole('button', { name: 'Test' }).click();
  await page.getByText('HTTP 500. Check the issuer.').waitFor();
  other.failsWith = null;
  // The secret stays, and is never shown.
  expect(await page.getByLabel('Client secret').inputValue()).toBe('');
  await page.getByLabel('Group 2', { exact: true }).fill('staff');
  await page.getByRole('button', { name: 'Save' }).click();
  other.person = { sub: '1', preferred_username: 'zoe', groups: ['staff'] };
  const zoe = await visitor(scene);
  await zoe.goto('/panel/log-in');
  await zoe.page.getByRole('link', { name: 'Log in with Other' }).click();
  await zoe.page.waitForURL(/overview|start/);
  expect(await rows(scene.databaseUrl, "select role from users where name = 'zoe'")).toEqual([
    { role: 'viewer' },
  ]);
  zoe.complaints.splice(0);
  await ana.goto('/panel/providers/other');
  await page.getByRole('button', { name: 'Remove the provider' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Other is removed.').waitFor();
  await zoe.goto('/panel/profile');
  expect(new URL(zoe.page.url()).pathname).toBe('/panel/log-in');
  await other.close();
});
