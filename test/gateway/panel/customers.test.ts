import { type APIResponse } from 'playwright-core';
import { insertDestination } from '../../../gateway/forwarding/destinations/destination-rows';
import { pagesOf } from '../../../gateway/panel/routes';
import { type MemberRole } from '../../../gateway/rights/roles';
import { isoTime, HOUR } from '../../../gateway/time';
import {
  addPanelUser,
  closingWindows,
  formTokenIn,
  loggedIn,
  type Visitor,
} from '../../support/panel/visitor';
import { startTraffic, type Traffic } from '../../support/panel/traffic';
import { sqliteUrl, type TestLine } from '../../support/scene';

/** A gateway that runs lines for two customers, and one line of its own. */
let scene: Traffic;
/** The line of each customer. */
let bakery: TestLine;
let florist: TestLine;
let ids: { bakery: number; florist: number };
/** The destination and a failed delivery of the florist, and the receiver's path. */
let foreign: { destination: number; event: string };
const PATH = '/hooks/florist-secret';

closingWindows();

beforeAll(async () => {
  scene = await startTraffic(await sqliteUrl(), { GATEWAY_UPSTREAM_URL: 'sandbox' });
  bakery = await scene.line({ name: 'Sun Bakery phone', phoneNumberId: '306540352242901' });
  florist = await scene.line({ name: 'Rosa Florist phone', phoneNumberId: '306540352242902' });
});
afterAll(() => scene.stop());

/** Adds a user with roles in customers only. */
async function addMember(name: string, roles: [number, MemberRole][]): Promise<void> {
  const [[first, role], ...others] = roles as [[number, MemberRole], ...[number, MemberRole][]];
  await addPanelUser(scene, name, role, first);
  await scene.change(async ({ store }) => {
    const user = await store.users.byName(name);
    for (const [customer, more] of others) await store.users.setMembership(user?.id ?? 0, customer, more);
  });
}

const get = (one: Visitor, path: string): Promise<APIResponse> =>
  one.context.request.get(scene.gateway.url + path, { maxRedirects: 0 });
const htmlOf = async (one: Visitor, path: string): Promise<string> => (await get(one, path)).text();
const without = (html: string): string => html.replaceAll(/name="form_token" value="[^"]*"/g, '');

async function post(one: Visitor, path: string, form: Record<string, string>): Promise<APIResponse> {
  const form_token = formTokenIn(await htmlOf(one, '/panel/profile'));
  return one.context.request.post(scene.gateway.url + path, {
    form: { ...form, form_token },
    headers: { origin: scene.gateway.url },
    maxRedirects: 0,
  });
}

/** The pages without parameters in their addresses. */
const LISTS = () =>
  pagesOf({ sandboxUrl: 'http://127.0.0.1' })
    .filter(({ method, url }) => method === 'GET' && !url.includes(':'))
    .map(({ url }) => `/panel${url}`);

test('a gateway without customers mentions them nowhere but in a link for owners', async () => {
  const owner = await loggedIn(scene, { script: false });
  for (const path of LISTS().filter((one) => !one.startsWith('/panel/customers'))) {
    const html = await htmlOf(owner, path);
    const links = html.match(/href="\/panel\/customers[^"]*"/g) ?? [];
    expect([path, links.length, html.includes('name="customer"')]).toEqual([
      path,
      path === '/panel/users' ? 1 : 0,
      false,
    ]);
  }
});

describe('with customers', () => {
  beforeAll(async () => {
    ids = await scene.change(async ({ store }) => {
      const customer = async (name: string) =>
        (
          await store.customers.insert({
            name,
            external_id: null,
            suspended_at: null,
            created_at: isoTime(0),
          })
        )?.id ?? 0;
      return { bakery: await customer('Sun Bakery Ltd'), florist: await customer('Rosa Florist Ltd') };
    });
    await bakery.edit({ customer_id: ids.bakery });
    await florist.edit({ customer_id: ids.florist });
    const rules = { refuseUrl: () => null } as never;
    const { id } = await scene.change((world) =>
      insertDestination({ ...world, rules }, florist.id, {
        url: `${scene.receiver.url}${PATH}`,
        origin: 'operator',
        secret: null,
      }),
    );
    const event = await scene.dead(
      9,
      { destination_id: id },
      { line_id: florist.id, contact: '15550009999' },
    );
    foreign = { destination: id, event };
    await scene.change(({ store }) =>
      store.alerts.insertMute({
        ...{ kind: null, subject: null, line_id: florist.id, facts: null, what: 'Rosa Florist phone' },
        ...{ until: isoTime(scene.clock.now + HOUR), who: 'ana', created_at: isoTime(scene.clock.now) },
      }),
    );
    await addMember('bea', [[ids.bakery, 'agent']]);
    await addMember('max', [
      [ids.bakery, 'admin'],
      [ids.florist, 'viewer'],
    ]);
  });

  test('a user of one customer reads nothing of the others on any list', async () => {
    const bea = await loggedIn(scene, { name: 'bea', script: false });
    let shown = 0;
    for (const path of [...LISTS(), '/panel/search?q=Florist', '/panel/search/quick?q=15550009999']) {
      const answer = await get(bea, path);
      const html = await answer.text();
      if (answer.status() === 200) shown++;
      const found = ['Rosa', 'My shop', PATH, '15550009999', 'name="customer"'].filter((text) =>
        html.replaceAll(/name="q"[^>]*value="[^"]*"|“[^”]*”|\?q=\w*|Search: \w+/g, '').includes(text),
      );
      expect([path, found]).toEqual([path, []]);
    }
    expect(shown).toBeGreaterThan(10);
    expect(await htmlOf(bea, '/panel/lines')).toContain('Sun Bakery phone');
  });

  test('pages about the whole gateway need a role over all customers', async () => {
    const max = await loggedIn(scene, { name: 'max', script: false });
    for (const path of ['start', 'alerts/rules', 'backups', 'customers'])
      expect([path, (await get(max, `/panel/${path}`)).status()]).toEqual([path, 403]);
    const overview = await htmlOf(max, '/panel/overview');
    for (const path of ['start', 'alerts/rules', 'backups', 'customers'])
      expect([path, overview.includes(`href="/panel/${path}"`)]).toEqual([path, false]);
  });

  test('something of another customer answers like nothing', async () => {
    const bea = await loggedIn(scene, { name: 'bea', script: false });
    for (const [theirs, nothing] of [
      [`lines/${florist.id}`, 'lines/999'],
      [`lines/${florist.id}/destinations/${foreign.destination}`, 'lines/999/destinations/999'],
      [`lines/${florist.id}/opt-outs`, 'lines/999/opt-outs'],
      [`lines/${florist.id}/send`, 'lines/999/send'],
      [`events/${foreign.event}`, 'events/evt_nothing'],
      [`conversations/${florist.id}/15550009999`, 'conversations/999/15550009999'],
      [`messages/${florist.id}/wamid.x`, 'messages/999/wamid.x'],
      [`phone/${florist.id}/15550009999`, 'phone/999/15550009999'],
    ]) {
      const [one, other] = [await get(bea, `/panel/${theirs}`), await get(bea, `/panel/${nothing}`)];
      expect([theirs, one.status()]).toEqual([theirs, 404]);
      expect(without(await one.text())).toBe(without(await other.text()));
    }
  });

  test('a user of one customer sees the restriction of its own business account', async () => {
    const until = isoTime(scene.clock.now + HOUR);
    const mark = { value: JSON.stringify({ sentence: 'Restricted.', until }), at: isoTime(scene.clock.now) };
    await scene.change(async ({ store }) => {
      const line = await store.lines.find(bakery.id);
      await store.alerts.storeMark({ kind: 'account', subject: line?.waba_id ?? '', ...mark });
    });
    const bea = await loggedIn(scene, { name: 'bea', script: false });
    expect(await htmlOf(bea, '/panel/lines')).toContain('Account restricted');
  });

  test('no form reaches what belongs to another customer', async () => {
    const max = await loggedIn(scene, { name: 'max', script: false });
    const state = () =>
      scene.change(async ({ store }) => ({
        event: (await store.deliveryList.event(foreign.event))?.deliveries.map(({ state }) => state),
        mutes: (await store.alerts.mutes(isoTime(scene.clock.now))).length,
        channels: await store.alerts.channels(),
      }));
    const before = await state();
    expect(before).toMatchObject({ event: ['dead'], mutes: 1, channels: [] });
    await post(max, '/panel/events/again', { one: `${foreign.event}~${foreign.destination}` });
    await post(max, '/panel/events/replay', { destination: String(foreign.destination), state: 'dead' });
    await post(max, '/panel/alerts/unmute', { id: '1' });
    const channel = {
      channel_name: 'Mine',
      url: 'https://example.com/a',
      time_zone: 'UTC',
      channel_language: 'en',
    };
    for (const scope of ['gateway', `line:${florist.id}`, `account:102290129340302`])
      expect((await post(max, '/panel/alerts/channels/new/webhook', { ...channel, scope })).status()).toBe(
        422,
      );
    expect(await state()).toEqual(before);
  });

  test('a role of one customer gives no button and no secret address for another', async () => {
    const max = await loggedIn(scene, { name: 'max', script: false });
    const list = await htmlOf(max, '/panel/lines');
    expect(list).toContain(`href="/panel/lines/${bakery.id}/edit"`);
    expect(list).toContain(`href="/panel/lines/${florist.id}"`);
    expect(list).not.toContain(`href="/panel/lines/${florist.id}/edit"`);
    for (const path of ['lines/', 'events?line='].map((one) => `/panel/${one}${florist.id}`)) {
      const html = await htmlOf(max, path);
      expect([path, html.includes(PATH)]).toEqual([path, false]);
      expect([path, html.includes('name="one"')]).toEqual([path, false]);
    }
    expect(await htmlOf(await loggedIn(scene, { script: false }), `/panel/lines/${florist.id}`)).toContain(
      PATH,
    );
  });

  test('the filter by customer narrows every list and stays in its links', async () => {
    const owner = await loggedIn(scene, { script: false });
    const { page, goto } = owner;
    await goto('/panel/lines');
    await page.getByLabel('Customer').selectOption('Sun Bakery Ltd');
    await page.getByRole('button', { name: 'Search' }).click();
    expect(await page.locator('tbody .row-link').allTextContents()).toEqual(['Sun Bakery phone']);
    for (const path of ['overview', 'events', 'messages', 'conversations', 'alerts']) {
      const html = await htmlOf(owner, `/panel/${path}?customer=${ids.bakery}`);
      expect([path, html.includes('Rosa Florist phone'), html.includes('My shop')]).toEqual([
        path,
        false,
        false,
      ]);
      expect([path, html.includes(`<option value="${ids.bakery}" selected>`)]).toEqual([path, true]);
    }
    await goto(`/panel/overview?customer=${ids.florist}`);
    await page
      .locator('#main')
      .getByRole('link', { name: /given up/i })
      .first()
      .click();
    expect(new URL(page.url()).searchParams.get('customer')).toBe(String(ids.florist));
    const own = await htmlOf(owner, '/panel/lines?customer=none');
    expect([own.includes('My shop'), own.includes('Sun Bakery phone')]).toEqual([true, false]);
    for (const unknown of ['999', 'x'])
      expect(await htmlOf(owner, `/panel/events?customer=${unknown}`)).not.toContain('/panel/events/evt_');
  });

  test('lines are listed by customer, those without one last, on the page of a reader of several', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto('/panel/lines');
    const parts = page.locator('#lines tbody');
    expect(await parts.locator('.group').allInnerTexts()).toEqual([
      'Rosa Florist Ltd',
      'Sun Bakery Ltd',
      'No customer',
    ]);
    expect(await parts.nth(1).locator('.row-link').allInnerTexts()).toEqual(['Sun Bakery phone']);
    await goto(`/panel/lines?customer=${ids.florist}&q=phone`);
    expect(await parts.locator('.group').allInnerTexts()).toEqual(['Rosa Florist Ltd']);
    const bea = await loggedIn(scene, { name: 'bea', script: false });
    expect(await htmlOf(bea, '/panel/lines')).not.toContain('class="group"');
  });

  test('the search is narrowed to a customer', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto('/panel/search?q=phone');
    const found = () => page.locator('.hits .row-link').allInnerTexts();
    expect(await found()).toEqual(['Sun Bakery phone', 'Rosa Florist phone', 'Sandbox phone']);
    await page.getByRole('combobox', { name: 'Customer' }).selectOption('Sun Bakery Ltd');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await found()).toEqual(['Sun Bakery phone', 'Sandbox phone']);
    expect(await page.locator('h1').innerText()).toBe('Search: phone');
  });

  test('the conversations of a customer stay beside the open one, and after a reply', async () => {
    await bakery.wrote('15550001111', 1);
    await bakery.wrote('15550002222', 1);
    await florist.wrote('15550003333', 1);
    const { page, goto } = await loggedIn(scene, { script: false });
    const contacts = async (list: string) =>
      (
        await page
          .locator(`${list} a`)
          .evaluateAll((links) => links.map((one) => one.getAttribute('href') ?? ''))
      )
        .flatMap((href) => /conversations\/\d+\/(\d+)/.exec(href)?.[1] ?? [])
        .sort();
    const ofBakery = ['15550001111', '15550002222'];
    await goto('/panel/conversations');
    expect(await contacts('.chats')).toContain('15550003333');
    await page.getByLabel('Customer').selectOption('Sun Bakery Ltd');
    await page.getByRole('button', { name: 'Filter' }).click();
    expect(await contacts('.chats')).toEqual(ofBakery);
    await page.locator('.chats a').first().click();
    expect(await contacts('.pane')).toEqual(ofBakery);
    await page.getByLabel('Text').fill('Hello');
    await page.getByRole('button', { name: 'Send' }).click();
    expect(await contacts('.pane')).toEqual(ofBakery);
    await page.getByRole('link', { name: 'Conversations' }).last().click();
    expect(await contacts('.chats')).toEqual(ofBakery);
  });

  test('a user of a customer follows their own resends only', async () => {
    await scene.change(async ({ store }) => {
      const at = isoTime(scene.clock.now);
      for (const [who, count] of [
        ['ana', 1111],
        ['bea', 2222],
        ['max', 3333],
      ] as const)
        await store.replays.begin(
          {
            id: who,
            who,
            what: 'The filtered ones again?state=dead',
            count,
            begun_at: at,
            told_at: at,
            came_to: null,
          },
          isoTime(0),
        );
    });
    const shown = async (name: string) =>
      (await htmlOf(await loggedIn(scene, { name, script: false }), '/panel/events')).match(
        /\d,\d{3}(?= deliveries so far)/g,
      );
    expect(await shown('bea')).toEqual(['2,222']);
    expect(await shown('ana')).toHaveLength(3);
  });

  test('an owner adds a customer, gives it a line and a person, suspends it, and removes it when it is empty', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    const said = () => page.locator('.notice').first().textContent();
    await goto('/panel/customers');
    await page.getByRole('link', { name: 'Add a customer' }).click();
    await page.getByRole('button', { name: 'Add the customer' }).click();
    expect(await said()).toContain('Enter a name.');
    await page.getByLabel('Name').fill('Loja S.A.');
    await page.getByLabel('External ID').fill('crm-7');
    await page.getByRole('button', { name: 'Add the customer' }).click();
    expect(await said()).toContain('The customer "Loja S.A." is added.');
    await goto(`/panel/lines/${scene.shop.id}/edit`);
    await page.getByLabel('Customer').selectOption('Loja S.A.');
    await page.getByRole('button', { name: 'Save the line' }).click();
    expect(await page.locator('.page-head').textContent()).toContain('Loja S.A.');
    await goto('/panel/users/new');
    await page.getByLabel('Name').fill('lia');
    await page.getByRole('button', { name: 'Add user' }).click();
    expect(await said()).toContain('Choose a customer.');
    await page.getByLabel('Loja S.A.').check();
    await page.getByLabel('Agent').check();
    await page.getByRole('button', { name: 'Add user' }).click();
    await goto('/panel/users');
    const row = page.getByRole('row', { name: /^lia/ });
    expect(await row.textContent()).toContain('Agent, Loja S.A.');
    await goto('/panel/customers');
    const customer = page.getByRole('row', { name: /^Loja/ });
    expect(await customer.getByRole('cell').allTextContents()).toEqual(['crm-7', '1', '1', 'Active']);
    const { id } = await scene.change(async ({ store }) => {
      const all = await store.customers.all();
      return all.find(({ name }) => name === 'Loja S.A.') ?? { id: 0 };
    });
    const owner = await loggedIn(scene, { script: false });
    expect((await post(owner, `/panel/customers/${id}/suspend`, { to: 'on' })).status()).toBe(303);
    await goto('/panel/lines');
    expect(await page.getByText('Customer suspended').count()).toBe(1);
    expect((await post(owner, `/panel/customers/${id}/suspend`, { to: 'off' })).status()).toBe(303);
    expect((await post(owner, `/panel/customers/${id}/remove`, {})).status()).toBe(409);
    await scene.shop.edit({ customer_id: null });
    await goto('/panel/users');
    const lia = await scene.change(({ store }) => store.users.byName('lia'));
    expect((await post(owner, `/panel/users/${lia?.id}/remove`, {})).status()).toBe(303);
    expect((await post(owner, `/panel/customers/${id}/remove`, {})).status()).toBe(303);
    expect((await get(owner, `/panel/customers/${id}`)).status()).toBe(404);
  });

  test('an admin of a customer adds people and lines there only, and sees only its people', async () => {
    const max = await loggedIn(scene, { name: 'max', script: false });
    const users = await htmlOf(max, '/panel/users');
    expect([users.includes('bea'), users.includes('>ana<'), users.includes('/panel/customers')]).toEqual([
      true,
      false,
      false,
    ]);
    const person = { name: 'leo', role: 'viewer', access: 'all', customer: String(ids.florist) };
    // With one customer, the form doesn't ask for it.
    expect(await htmlOf(max, '/panel/users/new')).not.toContain('name="customer"');
    const added = await (await post(max, '/panel/users', person)).text();
    const [name = ''] = /leo-\w{4}/.exec(added) ?? [];
    const leo = await scene.change(({ store }) => store.users.byName(name));
    expect(leo).toMatchObject({ role: null, memberships: [{ customerId: ids.bakery, role: 'viewer' }] });
    const line = { name: 'Second phone', customer: String(ids.florist) };
    expect((await post(max, '/panel/lines', line)).status()).toBe(303);
    const made = await scene.change(async ({ store }) =>
      (await store.lines.all()).find(({ name }) => name === line.name),
    );
    expect(made?.customer_id).toBe(ids.bakery);
    for (const path of [`/panel/lines/${florist.id}`, `/panel/lines/${florist.id}/active`])
      expect((await post(max, path, { name: 'Mine', to: 'off' })).status()).toBe(404);
  });
});
