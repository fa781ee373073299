import { createLink } from '../../../../gateway/users/links';
import { totpCode } from '../../../../gateway/users/totp';
import { HOUR, MINUTE } from '../../../../gateway/time';
import { checkedPages } from '../../../support/panel/checked-pages';
import {
  addPanelUser,
  axeFaults,
  closingWindows,
  formTokenIn,
  loggedIn,
  PASSWORD,
  visitor,
  type Visitor,
  type VisitorOptions,
} from '../../../support/panel/visitor';
import { rows } from '../../../support/rows';
import { sqliteUrl, startScene, type Scene } from '../../../support/scene';

let scene: Scene;
closingWindows();
beforeEach(async () => {
  scene = await startScene(await sqliteUrl());
});
afterEach(() => scene.stop());

const stranger = (options?: VisitorOptions) => visitor(scene, options);
const ana = (options?: VisitorOptions) => loggedIn(scene, options);
const audited = async () =>
  (await rows(scene.databaseUrl, 'select action from audit order by number')).map(({ action }) => action);
const press = (one: Visitor, name: string) => one.page.getByRole('button', { name }).click();

describe.each([
  { how: 'with script', script: true },
  { how: 'without script', script: false },
])('somebody new, $how,', ({ script }) => {
  test('sets up the first user with the printed link, which is good once', async () => {
    const one = await stranger({ script, width: 360 });
    await one.goto('/');
    expect(await one.page.textContent('h1')).toBe('Set up the control panel');
    const link = `/panel/set-up?key=${await scene.change((world) => createLink(world, null))}`;
    await one.goto(`${link}x`);
    await one.page.getByText('Restart the gateway to print a new link.').waitFor();
    await one.goto(link);
    for (const [language, heading] of [
      ['Español', 'Configurar el panel de control'],
      ['English', 'Set up the control panel'],
    ] as const) {
      await press(one, language);
      await one.page.getByRole('heading', { name: heading }).waitFor();
    }
    await one.page.getByLabel('Name').fill('Ana');
    await one.page.getByLabel('Password', { exact: true }).fill('short');
    await one.page.getByLabel('Repeat the password').fill('other');
    await press(one, 'Set up');
    expect(await one.page.locator('#fault-password').textContent()).toContain('at least 12 characters');
    expect(await one.page.locator('#fault-again').textContent()).toContain("don't match");
    expect(await one.page.getByLabel('Name').inputValue()).toBe('Ana');
    expect(await one.page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    if (script) expect(await axeFaults(one.page)).toEqual([]);
    await one.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await one.page.getByLabel('Repeat the password').fill(PASSWORD);
    await press(one, 'Set up');
    expect(new URL(one.page.url()).pathname).toBe('/panel/start');
    // Whoever is logged in sees that page alone as well, not within another.
    await one.goto(link);
    expect(await one.page.locator('h1, main, nav').allInnerTexts()).toEqual([
      expect.stringContaining("This link doesn't work"),
      "This link doesn't work",
    ]);
    const other = await stranger({ script });
    await other.goto(link);
    expect(await other.page.textContent('h1')).toBe("This link doesn't work");
    expect(await audited()).toEqual(['user.set_up']);
  });

  test('logs in, sees the page that was asked for, and logs out', async () => {
    await addPanelUser(scene, 'ana');
    const one = await stranger({ script });
    await one.goto('/panel/audit?who=ana');
    await one.page.getByLabel('Name').fill('ANA');
    await one.page.getByLabel('Password').fill('a wrong password');
    await press(one, 'Log in');
    // Once, and of no field: nobody is told which of the two it is.
    expect((await one.page.locator('main').innerText()).match(/Name or password is wrong|field/g)).toEqual([
      'Name or password is wrong',
    ]);
    await one.page.getByLabel('Password').fill(PASSWORD);
    await press(one, 'Log in');
    expect(one.page.url()).toBe(`${scene.gateway.url}/panel/audit?who=ana`);
    await one.page.locator('.side-places').getByRole('button', { name: 'Log out' }).click();
    await one.goto('/panel/audit');
    expect(new URL(one.page.url()).pathname).toBe('/panel/log-in');
  });

  test('chooses a password by the link of an owner, as a viewer, and cannot change anything', async () => {
    await addPanelUser(scene, 'ana');
    const operator = await ana({ script });
    await operator.goto('/panel/users/new');
    await operator.page.getByLabel('Name').fill('Ben');
    await operator.page.getByLabel('Viewer').check();
    await press(operator, 'Add user');
    const before = (await operator.page.textContent('#link')) ?? '';
    expect(await operator.page.textContent('main')).toContain(
      'Copy it and give it to ben. It is not shown again.',
    );
    // Who has no password has none to reset: another link takes the place of the first.
    await operator.goto('/panel/users');
    await operator.page.getByRole('button', { name: /^New link/ }).click();
    await press(operator, 'Make link');
    const link = (await operator.page.textContent('#link')) ?? '';
    const ben = await stranger({ script });
    await ben.page.goto(before);
    expect(await ben.page.textContent('h1')).toBe("This link doesn't work");
    await ben.page.goto(link);
    await ben.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await ben.page.getByLabel('Repeat the password').fill(PASSWORD);
    await press(ben, 'Set password');
    expect((await ben.page.goto(`${scene.gateway.url}/panel/users/new`))?.status()).toBe(403);
    expect(await ben.page.textContent('h1')).toBe('Your role does not allow this');
    // He goes on from there.
    expect(await ben.page.locator('.side-places').getByRole('link', { name: 'Lines' }).count()).toBe(1);
    expect(await ben.page.locator('.side-places').getByRole('link', { name: 'Users' }).count()).toBe(0);
    await operator.goto('/panel/users');
    const row = operator.page.getByRole('row').filter({ hasText: 'ben' });
    expect(await row.locator('td').first().innerText()).toBe('Viewer');
    expect(await row.getByRole('button', { name: /^(New link|Reset password)/ }).allInnerTexts()).toEqual([
      expect.stringContaining('Reset password'),
    ]);
    expect(await row.locator('.danger:visible').count()).toBe(0);
    await press(operator, 'Remove ben');
    await operator.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    expect(await operator.page.textContent('main')).toContain('ben is removed.');
    await ben.goto('/panel/overview');
    expect(new URL(ben.page.url()).pathname).toBe('/panel/log-in');
    expect(await audited()).toEqual([
      ...['session.begun', 'user.added', 'user.link_replaced', 'user.password_set', 'user.removed'],
    ]);
  });

  test('sets up an authenticator app, and logs in with it, with each code once', async () => {
    await addPanelUser(scene, 'ana');
    const one = await ana({ script });
    await one.goto('/panel/profile');
    await press(one, 'Set up app');
    const secret = ((await one.page.textContent('#key')) ?? '').replaceAll(' ', '');
    const code = () => totpCode(secret, Math.floor(scene.clock.now / 30_000));
    await one.page.getByLabel('Code', { exact: true }).fill('000000');
    await press(one, 'Switch it on');
    expect(await one.page.locator('#fault-code').textContent()).toContain('The code is wrong');
    await one.page.getByLabel('Code', { exact: true }).fill(code());
    await press(one, 'Switch it on');
    const codes = ((await one.page.textContent('#codes')) ?? '').split('\n');
    expect(codes).toHaveLength(10);

    const logIn = async (typed: string) => {
      const again = await stranger({ script });
      await again.goto('/panel/log-in');
      await again.page.getByLabel('Name').fill('ana');
      await again.page.getByLabel('Password').fill(PASSWORD);
      await press(again, 'Log in');
      // The password alone opens nothing.
      await again.goto('/panel/audit');
      expect(new URL(again.page.url()).pathname).toBe('/panel/log-in');
      await again.goto('/panel/log-in/code');
      await again.page.getByLabel('Code').fill(typed);
      await press(again, 'Log in');
      return new URL(again.page.url()).pathname;
    };
    expect(await logIn(code())).toBe('/panel/log-in/code');
    scene.clock.now += MINUTE;
    expect(await logIn(code())).toBe('/panel/start');
    expect(await logIn(codes[0] ?? '')).toBe('/panel/start');
    expect(await logIn(codes[0] ?? '')).toBe('/panel/log-in/code');
  });
});

describe('a session', () => {
  beforeEach(() => addPanelUser(scene, 'ana'));

  test('ends after half an hour without a page, and after twelve hours in any case', async () => {
    const one = await ana();
    scene.clock.now += 29 * MINUTE;
    await one.goto('/panel/audit');
    expect(new URL(one.page.url()).pathname).toBe('/panel/audit');
    scene.clock.now += 31 * MINUTE;
    await one.goto('/panel/audit');
    expect(new URL(one.page.url()).pathname).toBe('/panel/log-in');

    const busy = await ana();
    for (let passed = 0; passed < 12 * HOUR; passed += 20 * MINUTE) {
      // Nothing is looked at there: the pages need not be painted.
      const answer = await busy.context.request.get(`${scene.gateway.url}/panel/audit`, { maxRedirects: 0 });
      expect(answer.status()).toBe(200);
      scene.clock.now += 20 * MINUTE;
    }
    await busy.goto('/panel/audit');
    expect(new URL(busy.page.url()).pathname).toBe('/panel/log-in');
  });

  test('asks for the password again before it changes users, and repeats what was sent', async () => {
    const one = await ana();
    scene.clock.now += 11 * MINUTE;
    await one.goto('/panel/users/new');
    await one.page.getByLabel('Name').fill('ben');
    await press(one, 'Add user');
    expect(await one.page.textContent('h1')).toBe('Confirm your password');
    expect(await one.page.locator('.lead').innerText()).toMatch(/^To add a user, confirm your password\./);
    await one.page.getByLabel('Password').fill('wrong');
    await press(one, 'Continue');
    expect(await one.page.locator('#fault-confirm_password').textContent()).toContain('Wrong password');
    expect(await axeFaults(one.page)).toEqual([]);
    await one.page.getByLabel('Password').fill(PASSWORD);
    await press(one, 'Continue');
    expect(await one.page.textContent('h1')).toBe('ben is added');
  });

  test.each([{ script: true }, { script: false }])(
    'that ended tells why, and keeps what was sent in it for whoever sent it: $script',
    async ({ script }) => {
      await addPanelUser(scene, 'eve');
      const one = await ana({ script });
      await one.goto('/panel/users/new');
      await one.page.getByLabel('Name').fill('ben');
      scene.clock.now += 31 * MINUTE;
      await press(one, 'Add user');
      const text = await one.page.textContent('main');
      expect(text).toContain('You were logged out after 30 minutes without activity.');
      expect(text).toContain('Your form is kept');
      expect(await one.page.content()).not.toContain('"ben"');
      // Nobody else is shown it.
      const other = await stranger({ script });
      const kept = await one.page.locator('[name=kept]').inputValue();
      const logIn = await other.context.request.get(`${scene.gateway.url}/panel/log-in`);
      const answer = await other.context.request.post(`${scene.gateway.url}/panel/log-in`, {
        form: { name: 'eve', password: PASSWORD, kept, form_token: formTokenIn(await logIn.text()) },
        headers: { origin: scene.gateway.url },
        maxRedirects: 0,
      });
      expect([answer.status(), answer.headers().location]).toEqual([303, '/panel']);

      await one.page.getByLabel('Name').fill('ana');
      await one.page.getByLabel('Password').fill('wrong');
      await press(one, 'Log in');
      await one.page.getByLabel('Password').fill(PASSWORD);
      await press(one, 'Log in');
      expect(await one.page.textContent('h1')).toBe('Submit the form now?');
      if (script) expect(await axeFaults(one.page)).toEqual([]);
      expect(await one.page.getByRole('link', { name: 'Cancel' }).getAttribute('href')).toBe(
        '/panel/users/new',
      );
      expect(await audited()).not.toContain('user.added');
      await press(one, 'Submit form');
      expect(await one.page.textContent('h1')).toBe('ben is added');
    },
  );

  test('ends everywhere with a new password, but where that was set', async () => {
    const [here, there] = [await ana(), await ana()];
    await here.goto('/panel/profile');
    await here.page.getByLabel('Current password').fill(PASSWORD);
    await here.page.getByLabel('New password', { exact: true }).fill('another long password');
    await here.page.getByLabel('New password again').fill('another long password');
    await press(here, 'Change password');
    expect(await here.page.textContent('main')).toContain('Your password is changed.');
    await there.goto('/panel/audit');
    expect(new URL(there.page.url()).pathname).toBe('/panel/log-in');
  });

  test('ends everywhere at once where somebody asks for it', async () => {
    const [here, there] = [await ana(), await ana()];
    await here.goto('/panel/profile');
    await press(here, 'Log out everywhere');
    for (const one of [here, there]) {
      await one.goto('/panel/audit');
      expect(new URL(one.page.url()).pathname).toBe('/panel/log-in');
    }
  });
});

test('too many wrong passwords are told in minutes, above the form in which one tries again then', async () => {
  await addPanelUser(scene, 'ana');
  const one = await stranger();
  await one.goto('/panel/log-in?next=/panel/audit');
  for (let guess = 0; guess < 6; guess++) {
    await one.page.getByLabel('Name').fill('ana');
    await one.page.getByLabel('Password').fill(`guess ${guess}`);
    await press(one, 'Log in');
    await one.page.getByRole('alert').waitFor();
  }
  expect(await one.page.getByRole('alert').textContent()).toBe(
    'There were too many wrong passwords or codes. Try again in 3 minutes.',
  );
  expect(await one.page.textContent('main')).not.toMatch(/#4|seconds|need/);
  expect(await axeFaults(one.page)).toEqual([]);
  scene.clock.now += 3 * MINUTE;
  expect(await one.page.getByLabel('Name').inputValue()).toBe('ana');
  await one.page.getByLabel('Password').fill(PASSWORD);
  await press(one, 'Log in');
  expect(new URL(one.page.url()).pathname).toBe('/panel/audit');
});

describe('by the keyboard alone', () => {
  test('one logs in, reaches the page, and confirms in a dialog', async () => {
    await addPanelUser(scene, 'ana');
    await addPanelUser(scene, 'ben', 'viewer');
    const { page } = await stranger();
    await page.goto(`${scene.gateway.url}/panel/users`);
    await page.locator('input[name=name]:focus').waitFor();
    await page.keyboard.type('ana');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/panel/users');
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the page');
    await page.keyboard.press('Enter');
    for (let presses = 0; presses < 20; presses++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.textContent')) === 'Remove ben') break;
    }
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('ben is removed.').waitFor();
  });
});

describe('the pages of users', () => {
  let own: Scene;
  beforeAll(async () => {
    own = await startScene(await sqliteUrl());
    await addPanelUser(own, 'ana');
    await addPanelUser(own, 'ben', 'viewer');
  });
  afterAll(() => own.stop());
  checkedPages(
    () => own,
    ['/panel/users', '/panel/users/new', '/panel/profile', '/panel/start', '/panel/log-in/code'],
  );
});
