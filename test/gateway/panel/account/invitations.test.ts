import { addCustomer } from '../../../../gateway/customers/manage-customers';
import { type Actor } from '../../../../gateway/store/tables/audit';
import { invite } from '../../../../gateway/users/invitations/invite';
import { checkedPages } from '../../../support/panel/checked-pages';
import {
  addPanelUser,
  axeFaults,
  closingWindows,
  loggedIn,
  PASSWORD,
  visitor,
  type Visitor,
} from '../../../support/panel/visitor';
import { rows } from '../../../support/rows';
import { sceneOf } from '../../../support/scene';

const ACTOR: Actor = { who: 'a test', through: 'command', address: null };

const scene = sceneOf();
closingWindows();

let [shop, bakery] = [0, 0];
beforeAll(async () => {
  const add = (name: string) =>
    scene.change(async (world) => (await addCustomer(world, ACTOR, null, { name, externalId: null })).id);
  [shop, bakery] = [await add('Shop'), await add('Bakery')];
  await addPanelUser(scene, 'ana');
  await addPanelUser(scene, 'cleo', 'viewer', shop);
});

const pathOf = ({ page }: Visitor) => new URL(page.url()).pathname;
const press = (one: Visitor, name: string | RegExp) => one.page.getByRole('button', { name }).click();
const userId = async (name: string) =>
  Number((await rows(scene.databaseUrl, `select id from users where name = '${name}'`))[0]?.id);

test.each([{ script: true }, { script: false }])(
  'a person is invited by link, joins, and the link is used up: $script',
  async ({ script }) => {
    const ana = await loggedIn(scene, { script });
    await ana.goto('/panel/users');
    await ana.page.getByRole('link', { name: 'Invite' }).click();
    await ana.page.getByText('You get the link and send it yourself.').waitFor();
    await ana.page.getByLabel('Name').fill('Ben Smith');
    await ana.page.getByLabel('Shop').check();
    await ana.page.getByLabel('Agent').check();
    await press(ana, 'Invite');
    const first = (await ana.page.textContent('#link')) ?? '';
    await ana.goto('/panel/users');
    await press(ana, /^Renew ?: Ben Smith/);
    const link = (await ana.page.textContent('#link')) ?? '';

    const ben = await visitor(scene, { script, width: 360 });
    await ben.page.goto(first);
    expect(await ben.page.textContent('h1')).toBe("This invitation doesn't work");
    await ben.page.goto(link);
    expect(await ben.page.textContent('main')).toContain('Your role will be Agent, for Shop.');
    if (script) expect(await axeFaults(ben.page)).toEqual([]);
    await ben.page.getByLabel('Name').fill('ben');
    await ben.page.getByLabel('Password', { exact: true }).fill('short');
    await press(ben, 'Accept the invitation');
    expect(await ben.page.locator('#fault-password').textContent()).toContain('at least 12 characters');
    await ben.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await ben.page.getByLabel('Repeat the password').fill(PASSWORD);
    await press(ben, 'Accept the invitation');
    expect(await ben.page.textContent('main')).toMatch(/You log in as ben-[a-z0-9]{4}\./);
    await ben.page.getByRole('link', { name: 'Continue' }).click();
    expect(pathOf(ben)).toBe('/panel/overview');
    const other = await visitor(scene, { script });
    await other.page.goto(link);
    expect(await other.page.textContent('h1')).toBe("This invitation doesn't work");
  },
);

test('a logged-in user accepts an invitation for the own account', async () => {
  const { key } = await scene.change((world) =>
    invite(world, ACTOR, null, { name: null, email: null, role: 'agent', customerIds: [bakery] }),
  );
  const cleo = await loggedIn(scene, { name: 'cleo' });
  await cleo.goto(`/panel/invitation?key=${key}`);
  expect(await cleo.page.textContent('main')).toContain('You are logged in as cleo');
  await press(cleo, 'Accept the invitation');
  await cleo.page.getByText('You have accepted the invitation.').waitFor();
  expect(await rows(scene.databaseUrl, 'select role from memberships where customer_id = ' + bakery)).toEqual(
    [{ role: 'agent' }],
  );
});

test('each role of a user is added, changed and removed in place, and sessions end', async () => {
  const ana = await loggedIn(scene);
  const cleo = await loggedIn(scene, { name: 'cleo' });
  await scene.change(async ({ store }) => store.users.setMembership(await userId('cleo'), bakery, null));
  await ana.goto('/panel/users');
  await ana.page.getByRole('link', { name: 'cleo' }).click();
  await ana.page.locator('#customer').selectOption('Bakery');
  await ana.page.locator('#role').selectOption('Editor');
  await press(ana, 'Add role');
  await ana.page.getByText('The role of cleo is now: Editor, Bakery; Viewer, Shop.').waitFor();
  await press(ana, /^Change role ?: Bakery/);
  await ana.page.getByRole('dialog').getByLabel('Role').selectOption('Admin');
  await ana.page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
  await ana.page.getByText('The role of cleo is now: Admin, Bakery; Viewer, Shop.').waitFor();
  await press(ana, /^Remove ?: Bakery/);
  await ana.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await ana.page.getByText('The role of cleo is now: Viewer, Shop.').waitFor();
  await cleo.goto('/panel/events');
  expect(pathOf(cleo)).toBe('/panel/events');
  await press(ana, 'End all');
  await ana.page.getByText('cleo is not logged in.').waitFor();
  await cleo.goto('/panel/events');
  expect(pathOf(cleo)).toBe('/panel/log-in');
});

let key = '';
let cleo = 0;
beforeAll(async () => {
  cleo = await userId('cleo');
  const given = { name: 'Dora', email: 'dora@example.com', role: 'viewer', customerIds: null };
  ({ key } = await scene.change((world) => invite(world, ACTOR, null, given)));
});
checkedPages(
  () => scene,
  [
    ...['/panel/users', '/panel/invitations/new', '/panel/profile'],
    ...[() => `/panel/users/${cleo}`, () => `/panel/invitation?key=${key}`, '/panel/invitation?key=x'],
  ],
);
