import { contactText } from '../../../../gateway/panel/ui/contact';
import { isoTime, MINUTE } from '../../../../gateway/time';
import { checkedPages } from '../../../support/panel/checked-pages';
import { HOSTILE, startTraffic, type Traffic } from '../../../support/panel/traffic';
import { addPanelUser, closingWindows, loggedIn, type Visitor } from '../../../support/panel/visitor';
import { write } from '../../../support/rows';
import { CONTACT, sqliteUrl, startScene } from '../../../support/scene';
import { notification, textFrom } from '../../../support/test-gateway';

const MEXICAN = '5215512345678';
/** As the contact sees it. */
const SAID = 'Your chair is ready: A-1042';
closingWindows();
const textOf = async ({ page }: Visitor, selector = 'main'): Promise<string> =>
  (await page.textContent(selector)) ?? '';

describe('messages', () => {
  let scene: Traffic;
  const addressOf = (wamid: string) => `/panel/messages/${scene.shop.id}/${encodeURIComponent(wamid)}`;
  /** Of whom nothing else came. */
  const EVENTFUL = '34698769122';
  const FAILED = `wamid.failed/${HOSTILE}`;

  beforeAll(async () => {
    scene = await startTraffic(await sqliteUrl());
    const ago = (minutes: number) => isoTime(scene.clock.now - minutes * MINUTE);
    const of = { line_id: scene.shop.id, contact: CONTACT, type: 'text' };
    await scene.events(30, [{}]);
    await scene.events(20, [{ body: '' }, { kind: 'image', body: '{"entry":[{"changes":null}]}' }]);
    await scene.change(({ store }) =>
      store.write({
        kind: 'notification',
        events: [],
        windows: [],
        messages: [
          {
            ...of,
            wamid: 'wamid.read=',
            client_ref: `order ${HOSTILE}`,
            accepted_at: ago(25),
            sent_at: ago(25),
            delivered_at: ago(24),
            read_at: ago(23),
          },
          {
            ...of,
            wamid: FAILED,
            type: 'template',
            accepted_at: ago(15),
            failed_at: ago(14),
            failure: JSON.stringify([{ code: 131047, title: HOSTILE }]),
          },
          { ...of, wamid: 'wamid.mexican', contact: MEXICAN.replace('521', '52'), accepted_at: ago(5) },
          { line_id: scene.shop.id, wamid: 'wamid.elsewhere', contact: CONTACT, sent_at: ago(4) },
        ],
      }),
    );
    const body = JSON.stringify({ type: 'text', text: { body: 'Your *chair* is _ready_: A-1042' } });
    await write(
      scene.databaseUrl,
      `insert into sent_bodies (line_id, wamid, body, accepted_at)
       values (${scene.shop.id}, 'wamid.read=', '${body}', '${ago(25)}')`,
    );
  });
  afterAll(() => scene.stop());

  checkedPages(
    () => scene,
    ['/panel/messages', '/panel/messages?q=nobody', () => addressOf(FAILED), () => addressOf('wamid.read=')],
  );

  test.each([
    ['+1 (650) 555-1234', 2],
    [MEXICAN, 1],
    ['5678', 1],
    ['131047', 1],
    ['31047', 0],
    ['wamid.read=', 1],
    ['wamid.elsewhere', 1],
    ['wamid.none', 0],
    ['"ready"', 1],
    ['READY', 1],
    ['1042', 1],
    ['A-1043', 0],
    [HOSTILE, 0],
  ])('are found without script by a number, an id or words: %s', async (text, count) => {
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/messages');
    expect(await one.page.locator('#messages tbody tr').count()).toBe(3);
    await one.page.getByLabel('Number, words or id').fill(text);
    await one.page.getByRole('button', { name: 'Filter', exact: true }).click();
    expect(await one.page.locator('#messages tbody tr').count()).toBe(count);
    expect(await one.page.getByLabel('Number, words or id').inputValue()).toBe(text);
  });

  test('are found by when they were accepted, or failed', async () => {
    const one = await loggedIn(scene, { script: false });
    const at = (minutes: number) => isoTime(scene.clock.now - minutes * MINUTE);
    for (const [asked, shown] of [
      [{ from: at(20), to: at(5) }, ['Template (not stored)']],
      [{ to: at(15) }, [SAID]],
      [{ state: 'failed', from: at(14), to: at(13) }, ['Template (not stored)']],
      [{ q: 'ready', to: at(15) }, [SAID]],
      [{ q: 'ready', from: at(15) }, []],
      [{ q: 'ready', state: 'failed' }, []],
      [{ q: '131047', from: at(15) }, ['Template (not stored)']],
      [{ q: '131047', state: 'read' }, []],
      [{ q: 'wamid.read=', from: at(26) }, [SAID]],
      [{ q: FAILED, from: at(14) }, []],
    ] as const) {
      await one.goto(`/panel/messages?${new URLSearchParams(asked)}`);
      expect([asked, await one.page.locator('#messages td[data-label=Message]').allInnerTexts()]).toEqual([
        asked,
        shown,
      ]);
    }
    expect(await one.page.getByLabel('From').inputValue()).toBe(at(14).slice(0, 16));
  });

  test('have the list from which they were opened beside them, which leads to the next', async () => {
    const { page, goto } = await loggedIn(scene);
    await goto('/panel/messages?state=failed');
    await page.locator('#messages .row-link').first().click();
    const beside = page.getByRole('navigation', { name: 'Messages' });
    expect(await beside.getByRole('listitem').count()).toBe(1);
    expect(await beside.locator('[aria-current]').innerText()).toContain('Failed');
    await goto('/panel/messages');
    await page.locator('#messages .row-link').nth(1).click();
    const shown = await beside
      .getByRole('listitem')
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    await page.keyboard.press('j');
    await page.waitForURL(`**${shown[2]}`);
    // What is not on that page of the list stands first.
    await goto(`${addressOf('wamid.read=')}?state=failed`);
    const marks = await beside
      .getByRole('listitem')
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('aria-current')));
    expect(marks).toEqual(['page', null]);
    await page.setViewportSize({ width: 1100, height: 800 });
    expect(await beside.isVisible()).toBe(false);
  });

  test('are found by state, and by keyboard alone', async () => {
    const one = await loggedIn(scene);
    for (const [state, count] of [
      ['accepted', 1],
      ['read', 1],
      ['played', 0],
      ['failed', 1],
    ] as const) {
      await one.goto(`/panel/messages?state=${state}&line=${scene.shop.id}`);
      expect([state, await one.page.locator('#messages tbody tr').count()]).toEqual([state, count]);
    }
    await one.goto('/panel/messages');
    await one.page.getByLabel('Number, words or id').focus();
    await one.page.keyboard.type(MEXICAN);
    await one.page.keyboard.press('Enter');
    await one.page.waitForURL(/q=/);
    expect(await one.page.locator('#messages tbody tr').count()).toBe(1);
  });

  test('are narrowed by one press, which keeps what is searched for, and searched for everywhere', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    const on = () => page.locator('.presets [aria-current]').allInnerTexts();
    const press = (name: string) => page.getByRole('link', { name, exact: true }).click();
    await goto('/panel/messages?q=READY');
    expect(await on()).toEqual(['All']);
    await press('15 min');
    expect(await on()).toEqual(['All', '15 min']);
    expect(await page.locator('#messages tbody tr').count()).toBe(0);
    await press('1 hour');
    expect(await page.locator('#messages tbody tr').count()).toBe(1);
    await press('Failed');
    expect(await on()).toEqual(['Failed', '1 hour']);
    expect(await page.getByLabel('Number, words or id').inputValue()).toBe('READY');
    await press('Search everywhere for “READY”');
    await page.getByRole('heading', { name: 'Search: READY' }).waitFor();
  });

  test('tell their way, the decoded reason and what to do', async () => {
    const one = await loggedIn(scene, { name: 'ben' });
    await one.goto('/panel/messages');
    const failed = one.page.getByRole('link', { name: 'Failed', exact: true });
    await failed.click();
    expect(await failed.getAttribute('aria-current')).toBe('page');
    await one.page.locator('#messages tbody a').click();
    const text = await textOf(one);
    expect(text).toContain('More than 24 hours have passed since the contact last wrote to this line.');
    expect(text).toContain('What to do: Send an approved template instead.');
    expect(text).toContain('code 131047');
    expect(await one.page.locator('.way strong').allTextContents()).toEqual(['Accepted', 'Failed']);
    await one.goto(addressOf('wamid.read='));
    expect(await one.page.locator('.way strong').allTextContents()).toEqual([
      'Accepted',
      'Sent',
      'Delivered',
      'Read',
    ]);
    expect(await textOf(one)).toContain(`order ${HOSTILE}`);
  });

  test('say in the list why they failed on one line, in little height on a phone', async () => {
    const { page, goto } = await loggedIn(scene, { name: 'ben', script: false });
    await goto('/panel/messages?state=failed');
    const why = page.locator('.why-failed');
    expect(await why.innerText()).toBe('131047 · Window closed');
    expect((await why.boundingBox())?.height).toBeLessThan(24);
    await page.setViewportSize({ width: 360, height: 740 });
    expect((await page.locator('#messages tbody tr').boundingBox())?.height).toBeLessThanOrEqual(110);
  });

  test('stand in their conversation: what came in as text, what went out by its type', async () => {
    const one = await loggedIn(scene);
    await one.goto(addressOf('wamid.read='));
    const entries = await one.page.locator('#conversation .bubble').allTextContents();
    expect(entries.map((text) => text.replace(/\s+/g, ' '))).toEqual([
      expect.stringContaining(`Hello ${HOSTILE}`),
      expect.stringMatching(/Your chair is ready.*This message/),
      expect.stringContaining('Text, no longer stored'),
      expect.stringContaining('Picture'),
      expect.stringMatching(/Template.*Failed/),
    ]);
    expect(await one.page.title()).toContain('Message to +1 650-555-1234');
  });

  test('follow by themselves', async () => {
    const one = await loggedIn(scene);
    await one.goto(addressOf('wamid.mexican'));
    await scene.change(({ store }) =>
      store.write({
        kind: 'message',
        message: {
          line_id: scene.shop.id,
          wamid: 'wamid.mexican',
          delivered_at: isoTime(scene.clock.now),
        },
      }),
    );
    await one.page.locator('.way').getByText('Delivered', { exact: true }).waitFor();
  });

  test('that are not there are a page that says so', async () => {
    const one = await loggedIn(scene);
    for (const path of ['/panel/messages/1/none', '/panel/messages/x/wamid.read=', addressOf(HOSTILE)])
      expect((await one.page.goto(scene.gateway.url + path))?.status()).toBe(404);
    await one.goto(`/panel/messages?after=${encodeURIComponent(HOSTILE)}&state=x`);
    expect(await one.page.locator('#messages tbody tr').count()).toBe(3);
  });

  test('name their template, lead to the conversation, and list what the platform told of them', async () => {
    const wamid = 'wamid.of-a-template';
    const accepted = isoTime(scene.clock.now - 40 * MINUTE);
    const message = {
      line_id: scene.shop.id,
      wamid,
      contact: EVENTFUL,
      type: 'template',
      accepted_at: accepted,
    };
    await scene.change(({ store }) => store.write({ kind: 'message', message }));
    const template = { name: 'order_update', language: { code: 'pt_BR' } };
    await write(
      scene.databaseUrl,
      `insert into sent_bodies (line_id, wamid, body, accepted_at)
       values (${scene.shop.id}, '${wamid}', '${JSON.stringify({ type: 'template', template })}', '${accepted}')`,
    );
    const status = (kind: string, of = wamid) => ({
      subject: 'messageStatus' as const,
      kind,
      wamid: of,
      contact: EVENTFUL,
    });
    const lane = { lane: EVENTFUL, due_at: isoTime(scene.clock.now) };
    const [, read] = await scene.events(39, [
      status('delivered'),
      { ...status('read'), deliveries: [{ destination_id: scene.paused, ...lane }] },
      status('failed', 'wamid.other'),
    ]);
    const { page, goto } = await loggedIn(scene, { name: 'ben', script: false });
    await goto(addressOf(wamid));
    await page.getByText('order_update (pt_BR)', { exact: true }).waitFor();
    expect(await page.locator('.hits a').allTextContents()).toHaveLength(2);
    const row = page.locator('.hits li').last();
    expect(await row.locator('.badge').allTextContents()).toEqual(['Paused']);
    expect(await row.locator('a').getAttribute('href')).toBe(`/panel/events/${read}`);
    await goto(`/panel/events/${read}`);
    await page.getByText('About: ').getByRole('link', { name: 'order_update', exact: true }).click();
    expect(new URL(page.url()).pathname).toBe(addressOf(wamid));
    await page
      .locator('.facts')
      .getByRole('link', { name: contactText(EVENTFUL) })
      .click();
    expect(page.url()).toContain(`/panel/conversations/${scene.shop.id}/${EVENTFUL}`);
  });

  test.each([
    { told: ['sent', 'delivered', 'read'], way: ['Accepted', 'Sent', 'Delivered', 'Read'] },
    { told: ['sent', 'failed'], way: ['Accepted', 'Sent', 'Failed'] },
  ])('tell their way in its order where all came within one second: $told', async ({ told, way }) => {
    const wamid = `wamid.within-a-second.${told.length}`;
    // The gateway's own time has milliseconds, the platform's has none.
    const second = isoTime(Math.floor(scene.clock.now / 1000) * 1000);
    await scene.change(({ store }) =>
      store.write({
        kind: 'message',
        message: {
          line_id: scene.shop.id,
          wamid,
          contact: '12025550199',
          accepted_at: second.replace('.000Z', '.640Z'),
          ...Object.fromEntries(told.map((state) => [`${state}_at`, second])),
        },
      }),
    );
    const one = await loggedIn(scene, { script: false });
    await one.goto(addressOf(wamid));
    expect(await one.page.locator('.way strong').allTextContents()).toEqual(way);
  });

  test('are shown first with what they said, and four entries before and after them', async () => {
    const contact = '12025550198';
    const at = (minute: number) => isoTime(scene.clock.now - (60 - minute) * MINUTE);
    for (let minute = 0; minute < 12; minute += 1)
      await scene.change(({ store }) =>
        store.write({
          kind: 'message',
          message: {
            ...{ line_id: scene.shop.id, wamid: `wamid.of-many.${minute}`, contact },
            ...{ type: 'text', accepted_at: at(minute) },
          },
        }),
      );
    await scene.events(60 - 6.5, [{ contact }]);
    const body = JSON.stringify({ type: 'text', text: { body: 'The sixth' } });
    await write(
      scene.databaseUrl,
      `insert into sent_bodies (line_id, wamid, body, accepted_at)
       values (${scene.shop.id}, 'wamid.of-many.6', '${body}', '${at(6)}')`,
    );
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto(addressOf('wamid.of-many.6'));
    const said = page.locator('.card').first();
    expect(await said.locator('.bubble').innerText()).toBe('The sixth');
    const around = await page.locator('#conversation .bubble .row-link').evaluateAll((links: Element[]) =>
      links.map((one) =>
        one
          .getAttribute('href')
          ?.split('/')
          .at(-1)
          ?.replace(/^evt_.*/, 'event'),
      ),
    );
    expect(around).toEqual(
      ['2', '3', '4', '5', '6', 'event', '7', '8', '9'].map((one) =>
        one === 'event' ? one : `wamid.of-many.${one}`,
      ),
    );
    await goto(addressOf('wamid.of-many.5'));
    expect(await said.innerText()).toContain('Text (not stored)');
  });

  test('name in the list who wrote before beside the number, in rows of one height', async () => {
    const named = '12025550171';
    const long = JSON.stringify({
      type: 'interactive',
      interactive: { type: 'button', body: { text: 'What would you like? '.repeat(20) } },
    });
    const ago = (minutes: number) => isoTime(scene.clock.now - minutes * MINUTE);
    const message = { line_id: scene.shop.id, contact: named, accepted_at: ago(50) };
    const { id: other } = await scene.line({ phoneNumberId: '206540352242779', name: 'Other line' });
    await scene.change(({ store }) =>
      store.write({
        kind: 'notification',
        events: [],
        windows: [{ line_id: scene.shop.id, contact: named, last_inbound_at: ago(51) }],
        messages: [
          { ...message, wamid: 'wamid.short', type: 'text' },
          { ...message, wamid: 'wamid.long', type: 'interactive', read_at: ago(49) },
          { ...message, wamid: 'wamid.other', type: 'text', line_id: other },
        ],
      }),
    );
    await write(
      scene.databaseUrl,
      `insert into sent_bodies (line_id, wamid, body, accepted_at)
       values (${scene.shop.id}, 'wamid.long', '${long}', '${ago(50)}')`,
    );
    const profile = textFrom(named, 'Hello', 'wamid.of-named');
    const body = JSON.stringify(notification(profile, scene.shop.phoneNumberId));
    await scene.events(51, [{ contact: named, body }]);
    const { page, goto } = await loggedIn(scene, { name: 'ben', script: false });
    await goto(`/panel/messages?q=${named}`);
    const number = contactText(named);
    const to = await page.locator('#messages tbody th').allTextContents();
    expect(to.map((text) => text.trim())).toEqual([`Ana ${number}`, number, `Ana ${number}`]);
    const rows = page.locator('#messages tbody tr');
    const heights = async () => {
      const all = await rows.evaluateAll((some: Element[]) =>
        some.map((one) => one.getBoundingClientRect().height),
      );
      // The last has no border beneath it.
      expect(Math.max(...all) - Math.min(...all)).toBeLessThanOrEqual(1);
      return Math.max(...all);
    };
    expect(await heights()).toBeLessThanOrEqual(48);
    await page.getByRole('link', { name: 'Ana' }).first().click();
    expect(await page.locator('h1').innerText()).toBe('Message to Ana');
    await page.getByRole('link', { name: '← Messages' }).click();
    expect(new URL(page.url()).search).toBe(`?q=${named}`);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await heights()).toBeLessThanOrEqual(80);
    const tops = await Promise.all(
      ['.row-link', 'time', '.reason', '.line-name', '.badge'].map(async (one) => {
        const { y = 0 } = (await rows.nth(2).locator(one).boundingBox()) ?? {};
        return y - ((await rows.nth(2).boundingBox())?.y ?? 0);
      }),
    );
    // Whom and when, what, the line and how far.
    expect(tops.map((top) => Math.floor(top / 21))).toEqual([0, 0, 1, 2, 2]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });
});

test('a gateway without messages says how to send the first', async () => {
  const scene = await startScene(await sqliteUrl());
  await addPanelUser(scene, 'ana');
  const one = await loggedIn(scene, { script: false });
  await one.goto('/panel/messages');
  expect(await textOf(one)).toContain('No messages sent yet');
  await one.page.locator('#messages').getByRole('link', { name: 'First steps' }).click();
  expect(new URL(one.page.url()).pathname).toBe('/panel/start');
  await scene.stop();
});
