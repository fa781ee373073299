import { contactText } from '../../../../gateway/panel/ui/contact';
import { isoTime, MINUTE } from '../../../../gateway/time';
import { DATABASES } from '../../../support/databases';
import { checkedPages } from '../../../support/panel/checked-pages';
import { HOSTILE, startTraffic, type Traffic } from '../../../support/panel/traffic';
import { axeFaults, closingWindows, loggedIn, type Visitor } from '../../../support/panel/visitor';
import { write } from '../../../support/rows';
import { notification, textFrom } from '../../../support/test-gateway';

const [sqlite] = DATABASES;
const BRAZILIAN = '551187654321';
const SPANIARD = '34698769122';
const BRITON = '447700900269';
const USER_ID = 'US.13491208655302741918';
closingWindows();

describe('the search for everything', () => {
  let scene: Traffic;
  let event: string;
  beforeAll(async () => {
    scene = await startTraffic((await sqlite?.createUrl()) ?? '');
    const made = await scene.events(10, [
      {
        contact: BRAZILIAN,
        identity: `message:${scene.shop.phoneNumberId}:wamid.got`,
        deliveries: [scene.open, scene.paused].map((destination_id) => ({
          destination_id,
          lane: BRAZILIAN,
          due_at: isoTime(scene.clock.now),
        })),
      },
    ]);
    event = made[0] ?? '';
    await scene.change(({ store }) =>
      store.write({
        kind: 'message',
        message: {
          line_id: scene.shop.id,
          wamid: 'wamid.sent=',
          contact: '12025550147',
          accepted_at: isoTime(scene.clock.now),
        },
      }),
    );
    const body = JSON.stringify({
      type: 'text',
      text: { body: `${'Dear Ana, '.repeat(12)}your *chair* is ready ${HOSTILE}` },
    });
    await write(
      scene.databaseUrl,
      `insert into sent_bodies (line_id, wamid, body, accepted_at)
       values (${scene.shop.id}, 'wamid.sent=', '${body.replaceAll("'", "''")}', '${isoTime(scene.clock.now)}')`,
    );
    const joao = {
      ...textFrom(SPANIARD, 'The chair arrived with a scratch', 'wamid.joao'),
      contacts: [{ profile: { name: 'João Peña' }, wa_id: SPANIARD }],
    };
    await scene.events(7, [
      { contact: SPANIARD, body: JSON.stringify(notification(joao, scene.shop.phoneNumberId)) },
      { contact: BRITON, body: '' },
    ]);
    const windows = [BRAZILIAN, SPANIARD, USER_ID].map((contact) => ({
      line_id: scene.shop.id,
      contact,
      last_inbound_at: isoTime(scene.clock.now - 7 * MINUTE),
    }));
    await scene.change(({ store }) =>
      store.write({ kind: 'notification', events: [], messages: [], windows }),
    );
    const clinic = await scene.line({ name: 'Clínica Sol', phoneNumber: '+44 20 7946 0018' });
    await write(
      scene.databaseUrl,
      `update tokens set name = 'n8n of the Café' where line_id = ${scene.shop.id}`,
    );
    // Who writes under a user id now, and was written to by the number.
    await scene.events(5, [{ contact: USER_ID, body: '' }]);
    await write(
      scene.databaseUrl,
      `insert into aliases (line_id, contact, identity) values (${scene.shop.id}, '12025550147', '${USER_ID}')`,
    );
    await write(
      scene.databaseUrl,
      `insert into templates (line_id, name, language, category, parameter_format, components, is_starter)
       values (${scene.shop.id}, 'order_100_update', 'pt_BR', 'UTILITY', 'NAMED', '[]', 0)
       , (${clinic.id}, 'order_100_update', 'pt_BR', 'UTILITY', 'NAMED', '[]', 0)
       , (${clinic.id}, 'order_100_update', 'en_US', 'UTILITY', 'NAMED', '[]', 0)
       ${Array.from({ length: 9 }, (_, index) => `, (${scene.shop.id}, 'visit_${index}', 'pt_BR', 'UTILITY', 'NAMED', '[]', 0)`).join('')}`,
    );
  });
  afterAll(() => scene.stop());

  checkedPages(() => scene, ['/panel/search', '/panel/search?q=hello', '/panel/search?q=%2B5511']);

  test.each([
    ['+55 (11) 9 8765-4321', 'Contacts', `Ana · ${contactText(BRAZILIAN)}`],
    ['5511', 'Contacts', `Ana · ${contactText(BRAZILIAN)}`],
    // One contact, by the name under which he writes.
    ['\u202a+55 11 98765\u20134321\u202c', 'Contacts', `Ana · ${contactText(BRAZILIAN)}`],
    ['+1 202', 'Contacts', USER_ID],
    [USER_ID, 'Contacts', USER_ID],
    // As it is written within the country of one of the lines, and by a piece.
    ['07700 900269', 'Contacts', contactText(BRITON)],
    ['9876 91', 'Contacts', `João Peña · ${contactText(SPANIARD)}`],
    ['9876 91', 'Their messages', 'The chair arrived with a scratch'],
    ['+1 202', 'Messages to them', expect.stringMatching(/^Dear Ana, /)],
    ['joao', 'Contacts', `João Peña · ${contactText(SPANIARD)}`],
    ['PENA joao', 'Contacts', `João Peña · ${contactText(SPANIARD)}`],
    ['my SHOP', 'Lines', 'My shop <script>'],
    ['sol clinica', 'Lines', 'Clínica Sol'],
    ['cafe', 'API tokens', 'n8n of the Café'],
    ['scratch chair', 'Latest messages from contacts', 'The chair arrived with a scratch'],
    ['"with a SCRATCH"', 'Latest messages from contacts', 'The chair arrived with a scratch'],
    ['"chair scratch"', 'Latest messages from contacts'],
    ['wamid.sent=', 'Messages', 'Message to +1 202-555-0147'],
    ['wamid.got', 'Messages', `Message from ${contactText(BRAZILIAN)}`],
    ['00_UPD', 'Templates', 'order_100_update'],
    ['hello', 'Latest messages from contacts', `Hello ${HOSTILE}`],
    [HOSTILE, 'Latest messages from contacts', `Hello ${HOSTILE}`],
    ['CHAIR', 'Latest sent messages', expect.stringMatching(/^… Ana, (Dear Ana, )+your chair is ready /)],
    [HOSTILE, 'Latest sent messages', expect.stringContaining(HOSTILE)],
  ])('finds %s without script, by a viewer: %s', async (q, title, ...labels) => {
    const one = await loggedIn(scene, { name: 'ben', script: false });
    await one.goto('/panel/overview');
    await one.page.getByLabel('Find anything').fill(q);
    await one.page.keyboard.press('Enter');
    await one.page.waitForURL(/\/panel\/search\?/);
    const group = one.page.locator('section', {
      has: one.page.getByRole('heading', { name: title, exact: true }),
    });
    expect(await group.locator('a.row-link').allTextContents()).toEqual(labels);
  });

  test('shows the number of a line as people write it', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto('/panel/search?q=my+shop');
    const lines = page.locator('section', { has: page.getByRole('heading', { name: 'Lines', exact: true }) });
    expect(await lines.textContent()).toContain('+1 555-078-3881');
  });

  test('marks what it has found, as it is read in the chat, and leads to all of it', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto('/panel/search?q=chair');
    expect(await page.locator('.hits strong > mark').allTextContents()).toEqual(['chair']);
    await page.getByRole('link', { name: 'In the messages' }).click();
    expect(await page.locator('#messages tbody tr').count()).toBe(1);
  });

  test('finds a destination by what is shown of its address: no viewer by the path', async () => {
    const operator = await loggedIn(scene);
    const found = async ({ page, goto }: typeof operator, q: string) => {
      await goto(`/panel/search?q=${q}`);
      const all = page.locator('section', { has: page.getByRole('heading', { name: 'Destinations' }) });
      return all.locator('a.row-link').allTextContents();
    };
    const leads = async ({ page }: typeof operator) => {
      await page.locator('a.row-link', { hasText: host }).first().click();
      return page.getByRole('heading', { level: 1 }).textContent();
    };
    const host = scene.receiver.url.replace('http://', '');
    expect(await found(operator, '/CRM')).toEqual([`${host}/crm`]);
    expect(await leads(operator)).toBe(`${host}/crm`);
    expect(await found(operator, 'path')).toEqual([]);
    const viewer = await loggedIn(scene, { name: 'ben' });
    expect(await found(viewer, 'crm')).toEqual([]);
    expect(await found(viewer, '127.0.0.1')).toEqual([`${host}/…`, `${host}/…`]);
    expect(await leads(viewer)).toContain(`${host}/…`);
  });

  test('finds no template by letters that none has', async () => {
    const { page, goto } = await loggedIn(scene);
    await goto('/panel/search?q=привет');
    await page.getByText('Nothing found').waitFor();
  });

  test('keeps what was looked for in its field', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto('/panel/search?q=chair');
    expect(await page.getByLabel('Find anything').inputValue()).toBe('chair');
  });

  test('a template of many lines and languages is found once', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto('/panel/search?q=order_100');
    expect(await page.locator('.hits > li').allTextContents()).toEqual([
      'order_100_updateen_US, pt_BR · 2 lines',
    ]);
    await page.locator('.hits a').click();
    expect(await page.getByRole('heading', { name: 'order_100_update' }).count()).toBe(1);
  });

  test('leads to all templates where it shows some of them', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto('/panel/search?q=visit');
    const labels = page.locator('.hits a');
    expect(await labels.count()).toBe(8);
    await page.getByRole('link', { name: 'All templates found' }).click();
    expect(await labels.count()).toBe(9);
  });

  test('knows one contact by number and user id in the lists as well', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto(`/panel/conversations?contact=${encodeURIComponent('+1 (202) 555-0147')}`);
    // One conversation, under whichever name.
    expect(await page.locator('.chats a').count()).toBe(1);
    await page.locator('.chats a').click();
    expect(await page.locator('.bubble').count()).toBe(2);
    await goto(`/panel/events?q=${encodeURIComponent('+1 202 555 0147')}`);
    expect(await page.locator('.log tbody').textContent()).toContain(USER_ID);
    for (const q of [USER_ID, '2025550147', '5550147']) {
      await goto(`/panel/messages?q=${q}`);
      expect(await page.getByRole('row', { name: '+1 202-555-0147' }).count()).toBe(1);
    }
    await goto('/panel/conversations?contact=joao');
    expect(await page.locator('.chats a').allTextContents()).toEqual(['João Peña']);
    await goto('/panel/events?q=scratch+chair');
    expect(await page.locator('.log tbody').textContent()).toContain(contactText(SPANIARD));
  });

  /** Types it into the field of a page. @returns what is listed beneath */
  async function typed({ page, goto }: Visitor, text: string) {
    await goto('/panel/events');
    await page.keyboard.press('/');
    await page.keyboard.type(text);
    await page.getByRole('listbox').waitFor();
    return {
      field: page.getByRole('combobox', { name: 'Find anything' }),
      options: page.getByRole('listbox').getByRole('option'),
    };
  }

  test.each([
    ['so', 'Clínica SolLine · +44 20 7946 0018'],
    [
      'joao',
      `João Peña · ${contactText(SPANIARD)}Contact · My shop <script> · The chair arrived with a scratch`,
    ],
    [
      '9876 91',
      `João Peña · ${contactText(SPANIARD)}Contact · My shop <script> · The chair arrived with a scratch`,
    ],
    ['00_up', 'order_100_updateTemplate · en_US, pt_BR · 2 lines'],
    ['cafe', 'n8n of the CaféToken · My shop <script>'],
    ['wamid.got', `Message from ${contactText(BRAZILIAN)}Message`],
    ['audit', 'Audit logPage'],
    ['failed', 'Failed messagesPage · Messages'],
    ['given up', 'Given upPage · Events'],
    ['waiting', 'WaitingPage · Events'],
    // Words of messages are left to the page.
    ['scratch'],
  ])('what is typed is found beneath the field: %s', async (q, ...found) => {
    const { options } = await typed(await loggedIn(scene), q);
    expect(await options.allTextContents()).toEqual([...found, `Search everywhere for “${q}”`]);
  });

  test('some of each kind are listed beneath the field, eight in all', async () => {
    const { options } = await typed(await loggedIn(scene), 'visit');
    expect(await options.count()).toBe(9);
    expect(await options.first().textContent()).toBe('visit_0Template · pt_BR · My shop <script>');
  });

  test.each([1280, 360])('the arrow keys lead to what is found: at %i pixels', async (width) => {
    const one = await loggedIn(scene, { width });
    const { page } = one;
    const { field, options } = await typed(one, 'sol');
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const list = await page.getByRole('listbox').boundingBox();
    const head = await page.locator('.side').boundingBox();
    if (width === 360) expect([list?.x, list?.width, list?.y]).toEqual([0, 360, head?.height]);
    else expect(list?.width).toBeGreaterThan(400);
    const marked = async () => {
      const id = (await field.getAttribute('aria-activedescendant')) ?? '';
      const shown = page.locator('[aria-selected=true]');
      expect(await shown.count()).toBe(id ? 1 : 0);
      return id && page.locator(`#${id}`).textContent();
    };
    expect(await marked()).toBe('');
    await field.press('ArrowUp');
    expect(await marked()).toBe('Search everywhere for “sol”');
    await field.press('ArrowDown');
    expect(await marked()).toBe('');
    await field.press('ArrowDown');
    expect(await marked()).toContain('Clínica Sol');
    expect(await axeFaults(page)).toEqual([]);
    await field.press('Enter');
    await page.waitForURL(/\/panel\/lines\/\d+$/);
    await page.goBack();
    expect(await options.count()).toBe(0);
  });

  test('Escape closes what is found and keeps what was typed, a press beside it closes it too', async () => {
    const one = await loggedIn(scene);
    const { page } = one;
    const { field } = await typed(one, 'sol');
    const state = async () => [await field.inputValue(), await field.getAttribute('aria-expanded')];
    expect(await state()).toEqual(['sol', 'true']);
    await field.press('Escape');
    expect(await state()).toEqual(['sol', 'false']);
    await field.press('i');
    await field.press('Backspace');
    await page.getByRole('listbox').waitFor();
    await page.locator('h1').click();
    expect(await state()).toEqual(['sol', 'false']);
    await field.fill('so');
    await page.getByRole('listbox').waitFor();
    await field.fill('s');
    expect(await state()).toEqual(['s', 'false']);
  });

  test('what is found are links, which open beside the page too', async () => {
    const one = await loggedIn(scene);
    const { options } = await typed(one, 'sol');
    const [beside] = await Promise.all([
      one.context.waitForEvent('page'),
      options.first().click({ modifiers: ['ControlOrMeta'] }),
    ]);
    await beside.waitForURL(/\/panel\/lines\/\d+$/);
    expect(new URL(one.page.url()).pathname).toBe('/panel/events');
    expect(await options.count()).toBe(2);
    await options.first().click();
    await one.page.waitForURL(/\/panel\/lines\/\d+$/);
  });

  test('what was asked for before comes too late for what is typed now', async () => {
    const one = await loggedIn(scene);
    const { page } = one;
    const late = Promise.withResolvers<void>();
    await page.route('**/search/quick?q=so', async (route) => {
      await late.promise;
      await route.continue();
    });
    await one.goto('/panel/events');
    const first = page.waitForRequest('**/search/quick?q=so');
    await page.getByLabel('Find anything').fill('so');
    await first;
    await page.getByLabel('Find anything').fill('cafe');
    await page.getByRole('option', { name: 'n8n of the Café' }).waitFor();
    const answer = page.waitForResponse('**/search/quick?q=so');
    late.resolve();
    await (await answer).finished();
    await page.getByLabel('Find anything').press('ArrowDown');
    expect(await page.getByRole('listbox').getByRole('option').first().textContent()).toContain(
      'n8n of the Café',
    );
  });

  test('is one key away on every page, but where somebody types', async () => {
    const { page, goto } = await loggedIn(scene);
    await goto('/panel/events');
    await page.keyboard.press('/');
    await page.keyboard.type(event);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: event }).click();
    await page.waitForURL((url) => url.pathname === `/panel/events/${event}`);
    await goto('/panel/messages');
    await page.getByLabel('Number, words or id').focus();
    await page.keyboard.type('1/2');
    expect(await page.getByLabel('Number, words or id').inputValue()).toBe('1/2');
  });
});
