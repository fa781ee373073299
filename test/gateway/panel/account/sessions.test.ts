import { pagesOf } from '../../../../gateway/panel/routes';
import { addCustomer, editCustomer } from '../../../../gateway/customers/manage-customers';
import { MINUTE } from '../../../../gateway/time';
import { totpCode } from '../../../../gateway/users/totp';
import { type Actor } from '../../../../gateway/store/tables/audit';
import { addPanelUser, closingWindows, loggedIn, type Visitor } from '../../../support/panel/visitor';
import { rows } from '../../../support/rows';
import { sqliteUrl, startScene, type Scene } from '../../../support/scene';

const ACTOR: Actor = { who: 'a test', through: 'command', address: null };

let scene: Scene;
closingWindows();
afterEach(() => scene.stop());

const pathOf = ({ page }: Visitor) => new URL(page.url()).pathname;
const press = (one: Visitor, name: string) => one.page.getByRole('button', { name, exact: true }).click();
const cookieOf = async ({ context }: Visitor) =>
  (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
const ask = async (one: Visitor, path: string, headers: Record<string, string> = {}) =>
  fetch(`${scene.gateway.url}${path}`, {
    redirect: 'manual',
    headers: { cookie: await cookieOf(one), ...headers },
  });
const EVENTS = { accept: 'text/event-stream' };

describe('the sessions of a user', () => {
  beforeEach(async () => {
    scene = await startScene(await sqliteUrl());
    await addPanelUser(scene, 'ana');
  });

  test('end one by one, or all but this one, and live pages with them', async () => {
    const [here, there, third] = [await loggedIn(scene), await loggedIn(scene), await loggedIn(scene)];
    await here.goto('/panel/profile');
    const ends = here.page.getByRole('button', { name: /^End ?:/ });
    expect(await ends.count()).toBe(2);
    const hashes = await rows(scene.databaseUrl, 'select hash from sessions');
    for (const { hash } of hashes) expect(await here.page.content()).not.toContain(String(hash));
    const streams = await Promise.all([there, third].map((one) => ask(one, '/panel/events', EVENTS)));
    await ends.first().click();
    await here.page.getByText('The session has ended.').waitFor();
    expect(await ends.count()).toBe(1);
    // One of the two ends by itself; the other still opens pages.
    await Promise.race(streams.map((stream) => stream.text()));
    const after = async () =>
      (await Promise.all([there, third].map((one) => ask(one, '/panel/audit')))).map(({ status }) => status);
    expect((await after()).toSorted()).toEqual([200, 303]);
    await press(here, 'End all others');
    for (const stream of streams) expect(stream.bodyUsed || (await stream.text())).toBeTruthy();
    expect(await after()).toEqual([303, 303]);
    await here.goto('/panel/audit');
    expect(pathOf(here)).toBe('/panel/audit');
    expect(await here.page.getByText('Sessions ended').count()).toBeGreaterThan(0);
  });
});

describe('an authenticator app', () => {
  /** Sets up the app on the page that is open. @returns its secret */
  async function setUp(one: Visitor): Promise<string> {
    const secret = ((await one.page.textContent('#key')) ?? '').replaceAll(' ', '');
    await one.page
      .getByLabel('Code', { exact: true })
      .fill(totpCode(secret, Math.floor(scene.clock.now / 30_000)));
    await press(one, 'Switch it on');
    await one.page.locator('#codes').waitFor();
    return secret;
  }

  test('that a customer requires is set up before anything else, on open pages too', async () => {
    scene = await startScene(await sqliteUrl());
    const strict = await scene.change((world) =>
      addCustomer(world, ACTOR, null, { name: 'Strict', externalId: null }),
    );
    const other = await scene.change((world) =>
      addCustomer(world, ACTOR, null, { name: 'Other', externalId: null }),
    );
    await addPanelUser(scene, 'ana');
    await addPanelUser(scene, 'ben', 'admin', strict.id);
    await addPanelUser(scene, 'eve', 'admin', other.id);
    const [ana, ben, eve] = await Promise.all(['ana', 'ben', 'eve'].map((name) => loggedIn(scene, { name })));
    const stream = await ask(ben as Visitor, '/panel/events', EVENTS);
    await ana?.goto(`/panel/customers/${strict.id}`);
    await ana?.page.getByLabel('Require an authenticator app').check();
    await press(ana as Visitor, 'Save');
    expect(await stream.text()).toContain('event: end');

    // Owners have a role in this customer as well.
    for (const one of [ana, ben] as Visitor[])
      for (const { method, url, permission, isWithoutApp } of pagesOf({ sandboxUrl: null })) {
        if (permission === 'anyone' || isWithoutApp) continue;
        const path = `/panel${url.replace(/:\w+/g, '1')}`;
        const answer = await fetch(`${scene.gateway.url}${path}`, {
          method,
          redirect: 'manual',
          headers: { cookie: await cookieOf(one), origin: scene.gateway.url },
        });
        expect([method, path, answer.status, answer.headers.get('location')]).toEqual([
          ...[method, path, 303],
          '/panel/profile/app',
        ]);
      }
    expect((await ask(ben as Visitor, '/panel/events', EVENTS)).status).toBe(204);
    expect((await ask(eve as Visitor, '/panel/events')).status).toBe(200);

    const one = ben as Visitor;
    await one.goto('/panel');
    expect(pathOf(one)).toBe('/panel/profile/app');
    expect(await one.page.getByRole('link', { name: 'Lines' }).count()).toBe(0);
    expect(await one.page.getByRole('button', { name: 'Log out' }).count()).toBeGreaterThan(0);
    await setUp(one);
    await one.goto('/panel/profile');
    expect(await one.page.getByRole('link', { name: 'Switch off' }).count()).toBe(0);
    await one.page.getByText('The app is required').waitFor();
    expect((await ask(one, '/panel/events')).status).toBe(200);

    await scene.change((world) => editCustomer(world, ACTOR, null, strict, { requiresApp: false }));
    expect((await ask(ana as Visitor, '/panel/events')).status).toBe(200);
  });

  test('that the gateway requires is set up by everybody', async () => {
    scene = await startScene(await sqliteUrl(), { GATEWAY_REQUIRE_AUTHENTICATOR: 'true' });
    await addPanelUser(scene, 'ana');
    const ana = await loggedIn(scene);
    await ana.goto('/panel/users');
    expect(pathOf(ana)).toBe('/panel/profile/app');
    const secret = await setUp(ana);
    await ana.goto('/panel/users');
    expect(pathOf(ana)).toBe('/panel/users');
    // A page that was open before it was required.
    await ana.goto('/panel/profile/app/off');
    scene.clock.now += MINUTE;
    await ana.page.getByLabel('Code').fill(totpCode(secret, Math.floor(scene.clock.now / 30_000)));
    await press(ana, 'Switch off');
    expect(await ana.page.textContent('h1')).toBe('Authenticator app required');
    const [{ totp_sealed: sealed } = {}] = await rows(scene.databaseUrl, 'select totp_sealed from users');
    expect(sealed).not.toBeNull();
  });
});
