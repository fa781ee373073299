import { type Locator } from 'playwright-core';
import { markPaused } from '../../../../gateway/forwarding/destinations/destination-rows';
import { HOUR, isoTime, MINUTE } from '../../../../gateway/time';
import { startPeer, until } from '../../../support/http-peer';
import { checkedPages } from '../../../support/panel/checked-pages';
import { HOSTILE, startTraffic, type Traffic } from '../../../support/panel/traffic';
import {
  addPanelUser,
  axeFaults,
  closingWindows,
  loggedIn,
  reachOf,
  type Visitor,
} from '../../../support/panel/visitor';
import { rows, write } from '../../../support/rows';
import { call, CONTACT, sqliteUrl, startScene, type Scene } from '../../../support/scene';
import { addDestination } from '../../store/support';
import { notification, notify, textFrom } from '../../../support/test-gateway';

closingWindows();
const textOf = async ({ page }: Visitor, selector = 'main'): Promise<string> =>
  (await page.textContent(selector)) ?? '';
const audited = async (scene: Scene) =>
  (await rows(scene.databaseUrl, "select action from audit where who = 'ana' order by number"))
    .map(({ action }) => action)
    .filter((action) => action !== 'session.begun');
const selectAll = ({ goto }: Visitor, search: string) => goto(`/panel/events${search}&selected=all`);
/** Moves the focus there by the keyboard alone. */
async function tabTo({ page }: Visitor, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab');
    const text = (await page.evaluate('document.activeElement.textContent')) as string | null;
    if (name.test(text ?? '')) return;
  }
  throw new Error(`Nothing that can be reached says ${name}`);
}

describe('events and deliveries, with everything on them,', () => {
  let scene: Traffic;
  let dead: string;
  beforeAll(async () => {
    scene = await startTraffic(await sqliteUrl());
    dead = await scene.dead(70, {}, { contact: HOSTILE });
    await scene.dead(60, { outcome: 'timeout', http_status: null, answer: 'No answer came' });
    expect(
      await notify(
        scene.gateway,
        notification(textFrom('12025550147', 'Hi', 'wamid.in'), scene.shop.phoneNumberId),
      ),
    ).toBe(200);
    await until(async () => {
      const [found] = await rows(
        scene.databaseUrl,
        "select count(*) as n from deliveries where state = 'delivered'",
      );
      return Number(found?.n) > 0;
    });
  });
  afterAll(() => scene.stop());

  checkedPages(
    () => scene,
    [
      '/panel/events',
      '/panel/events?state=dead&cause=timeout',
      '/panel/events?state=canceled',
      () => `/panel/events/${dead}`,
    ],
  );

  test('stand close together, on a desk and on a phone, however long their words are', async () => {
    const one = await loggedIn(scene, { width: 360, script: false });
    await one.goto('/panel/events');
    const heights = async (tone: string) => {
      const found = await one.page
        .locator(`#deliveries tbody tr${tone}`)
        .evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
      expect(found.length).toBeGreaterThan(0);
      return Math.max(...found);
    };
    // Two lines where all is well, three where it matters where it went.
    expect(await heights("[data-tone='good']")).toBeLessThanOrEqual(56);
    expect(await heights('')).toBeLessThanOrEqual(80);
    await one.page.setViewportSize({ width: 1280, height: 800 });
    expect(await heights(':not(:has(.log-many))')).toBeLessThanOrEqual(48);
    await one.page.setViewportSize({ width: 360, height: 800 });
    // Receivers of one host differ in what the address ends with; one without a path is told by its host.
    const shown = await one.page.locator('#deliveries .log-to .long').evaluateAll((all) =>
      all.map((box) => {
        const { left, right } = box.getBoundingClientRect();
        const letter = (part: string, index: number) => {
          const text = box.querySelector(`${part} bdi`)?.firstChild ?? box.querySelector(part)?.firstChild;
          const range = box.ownerDocument.createRange();
          const at = index < 0 ? (text?.textContent?.length ?? 0) + index : index;
          range.setStart(text as Node, at);
          range.setEnd(text as Node, at + 1);
          return range.getBoundingClientRect();
        };
        const host = letter('.log-host', 0);
        const isWhole = host.width === 0 || host.left >= left - 1;
        return isWhole && letter('.log-path', -1).right <= right + 1;
      }),
    );
    expect(shown.length).toBeGreaterThan(3);
    expect(shown).not.toContain(false);
  });

  test('begin on the first screen of a phone, upright and sideways, with all that is often asked for', async () => {
    const one = await loggedIn(scene, { width: 360, script: false });
    for (const path of ['/panel/events', '/panel/messages'])
      for (const [width, height, most] of [
        [360, 740, 300],
        [740, 360, 320],
      ] as const) {
        await one.page.setViewportSize({ width, height });
        await one.goto(path);
        // What accepts nothing is told of above.
        const banners = await one.page
          .locator('.fold')
          .evaluateAll((all) => all.map((banner) => banner.getBoundingClientRect().height + 14));
        const row = await one.page.locator('main tbody tr, main .empty').first().boundingBox();
        expect((row?.y ?? NaN) - (banners[0] ?? 0)).toBeLessThan(most);
        const presets = await one.page
          .locator('.log-filter > .presets a')
          .evaluateAll((all) => all.map((link) => link.getBoundingClientRect().top));
        expect(new Set(presets).size).toBe(1);
      }
    const presets = one.page.locator('.log-filter > .presets');
    expect(await presets.evaluate((box) => getComputedStyle(box).maskImage)).toContain('gradient');
    await one.page.setViewportSize({ width: 1280, height: 800 });
    expect(await one.page.locator('.lead').isVisible()).toBe(true);
    expect(await presets.evaluate((box) => getComputedStyle(box).maskImage)).toBe('none');
  });

  test('are found by line, destination, state and cause', async () => {
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/events');
    const filterBy = async (label: string, choice: { label: string } | { value: string }) => {
      const field = one.page.getByLabel(label);
      if (!(await field.isVisible())) await one.page.getByText('More filters').click();
      await field.selectOption(choice);
      await one.page.getByRole('button', { name: 'Filter', exact: true }).click();
    };
    const found = () => one.page.locator('#deliveries tbody tr').count();
    // One is delivered, one waits for the paused destination, two are dead.
    expect(await found()).toBe(4);
    for (const [label, choice, count] of [
      ['State', 'Given up', 2],
      ['Why it failed', 'No answer in time', 1],
      ['State', 'Paused', 0],
      ['Why it failed', 'Any result', 1],
      ['State', 'Delivered', 1],
      ['State', 'Waiting', 0],
      ['State', 'All', 4],
    ] as const) {
      await filterBy(label, { label: choice });
      expect([label, choice, await found()]).toEqual([label, choice, count]);
    }
    await filterBy('Destination', { value: String(scene.paused) });
    expect(await found()).toBe(1);
    await filterBy('Line', { value: String(scene.shop.id) });
    expect(await found()).toBe(1);
  });

  test('are found by number, words, ids and time, passed on or not', async () => {
    const { phoneNumberId } = await scene.line({ name: 'Quiet', phoneNumberId: '206540352242777' });
    const [at] = await scene.events(200, [{ kind: 'status' }]);
    const text = `Gr\u00fc\u00dfe, A-1042 =1+1 ${HOSTILE}`;
    await notify(scene.gateway, notification(textFrom('5511987654321', text, 'wamid.quiet'), phoneNumberId));
    const one = await loggedIn(scene, { script: false });
    const timestamp = (minutes: number) => isoTime(scene.clock.now - minutes * MINUTE);
    for (const [query, count] of [
      ['q=%2B55+11+8765-4321', 1],
      ['q=4321', 1],
      ['q=1042', 1],
      ['q=gr%C3%BC%C3%9Fe', 1],
      ['q=wamid.quiet', 1],
      ['q=wamid.none', 0],
      [`q=${at}`, 1],
      ['line=Quiet', 1],
      ['line=nobody', 0],
      [`from=${timestamp(201)}&to=${timestamp(199)}`, 1],
      [`from=${timestamp(65).slice(0, 16)}&state=dead`, 1],
    ] as const) {
      await one.goto(`/panel/events?${query}`);
      expect([query, await one.page.locator('#deliveries tbody tr').count()]).toEqual([query, count]);
    }
    await one.goto('/panel/events?q=5511987654321');
    expect(await textOf(one, '#deliveries')).toContain('Not forwarded');
    expect(await textOf(one, '#deliveries')).toContain(text);
    // What is saved is what is listed.
    const saved = async (format: string) => {
      const { context, page } = await loggedIn(scene);
      await page.goto(`${scene.gateway.url}/panel/events`);
      const form_token = await page.locator('[name=form_token]').first().inputValue();
      return context.request.post(`${scene.gateway.url}/panel/events/export`, {
        form: { form_token, format, line: 'Quiet' },
        headers: { origin: scene.gateway.url },
      });
    };
    const csv = await saved('csv');
    expect(csv.headers()['content-disposition']).toMatch(/^attachment; filename="events-[\dT-]+\.csv"$/);
    const [head, row, ...more] = (await csv.text()).split('\r\n');
    expect([head, more]).toEqual([expect.stringContaining('message_id,text,destination_id'), ['']]);
    expect(row).toContain(`,5511987654321,wamid.quiet,"${text.replaceAll('"', '""')}",,`);
    const [event, ...others] = (await (await saved('ndjson')).text()).trim().split('\n');
    expect(others).toEqual([]);
    expect(JSON.parse(event ?? '')).toMatchObject({ wamid: 'wamid.quiet', deliveries: [] });
    const entries = await rows(
      scene.databaseUrl,
      "select details from audit where action = 'events.exported'",
    );
    expect(entries.map(({ details }) => JSON.parse(String(details)) as unknown)).toEqual([
      { line: 'Quiet', format: 'csv' },
      { line: 'Quiet', format: 'ndjson' },
    ]);
  });

  test('tell every attempt with request and answer, as text, and no secret', async () => {
    const one = await loggedIn(scene);
    await one.goto(`/panel/events/${dead}`);
    const text = await textOf(one);
    expect(text).toContain(`Out of order ${HOSTILE}`);
    expect(text).toContain(`webhook-id: ${dead}`);
    expect(text).toContain('x-gateway-attempt: 2');
    expect(text).toContain('webhook-signature: v1,…');
    expect(await one.page.title()).toBe('Message: text · Messaging Gateway');
    expect(await one.page.locator('.said').textContent()).toBe(`Hello ${HOSTILE}`);
    expect(await one.page.locator('h1').textContent()).toBe(`${`Hello ${HOSTILE}`.slice(0, 60)}…`);
    expect(await one.page.locator('h1 + .lead').textContent()).toContain(`${HOSTILE} · Message: text`);
    await one.goto(`/panel/events?destination=${scene.paused}`);
    await one.page.locator('#deliveries tbody a').first().click();
    expect(await textOf(one)).not.toContain('secret-of-the-crm');
  });

  test('that are not there are a page that says so', async () => {
    const one = await loggedIn(scene);
    for (const path of ['/panel/events/evt_none', `/panel/events/${encodeURIComponent(HOSTILE)}`])
      expect((await one.page.goto(scene.gateway.url + path))?.status()).toBe(404);
    await one.goto(`/panel/events?after=${encodeURIComponent(HOSTILE)}&state=x&line=-1&destination=99999`);
    expect(await textOf(one)).toContain('Nothing matches this filter');
  });
});

describe('events and deliveries', () => {
  let scene: Traffic;
  beforeEach(async () => {
    scene = await startTraffic(await sqliteUrl());
  });
  afterEach(() => scene.stop());

  test.each([{ script: true }, { script: false }])(
    'are sent again, one by one and all that were given up, by mouse %o',
    async ({ script }) => {
      const first = await scene.dead(10);
      await scene.dead(9, {}, { contact: '12025550148' });
      const one = await loggedIn(scene, { script });
      await one.goto(`/panel/events/${first}`);
      await one.page.getByRole('button', { name: 'Resend' }).click();
      expect(await textOf(one)).toContain('It is being resent.');
      await scene.receiver.untilReceived(1);
      expect(scene.receiver.received[0]?.headers['webhook-id']).toBe(first);
      await one.goto('/panel/events');
      await one.page.getByRole('link', { name: 'Given up 1' }).click();
      await selectAll(one, '?state=dead');
      await one.page.getByRole('button', { name: 'Resend 1', exact: true }).click();
      expect(await one.page.getByRole('dialog').getByRole('heading').innerText()).toBe('Resend 1 delivery?');
      if (script) expect(await axeFaults(one.page)).toEqual([]);
      await one.page.getByRole('button', { name: 'Resend', exact: true }).click();
      await until(async () => {
        // It may be on its way to another page still.
        if (!script) await one.page.reload().catch(() => undefined);
        return (await textOf(one)).includes('Resent 1 matching delivery, ');
      });
      await scene.receiver.untilReceived(2);
      expect(await audited(scene)).toEqual([
        'deliveries.replayed',
        'deliveries.replay_begun',
        'deliveries.replayed',
      ]);
    },
  );

  test('that were given up are counted and sent again within the line or the destination that is chosen', async () => {
    const { id: other } = await scene.line({ name: 'Other', phoneNumberId: '206540352242777' });
    const at = isoTime(scene.clock.now);
    const elsewhere = await scene.change(async ({ store, vault }) => {
      const secret_sealed = vault.seal('destinations.secret', 'a secret of sixteen');
      const id = await addDestination(store, other, { secret_sealed });
      await store.destinations.update(id, { paused_at: at });
      return id;
    });
    await scene.dead(10);
    const deliveries = [{ destination_id: elsewhere, lane: 'x', due_at: at }];
    for (const event_id of await scene.events(9, [{ deliveries }, { deliveries }]))
      await scene.change(({ store }) =>
        store.write({
          kind: 'attempt',
          attempt: {
            ...{ destination_id: elsewhere, event_id, number: 1, started_at: at, duration_ms: 1 },
            ...{ http_status: 500, outcome: 'http_error', answer: null, state: 'dead', due_at: at },
          },
        }),
      );
    const one = await loggedIn(scene, { script: false });
    for (const [within, means] of [
      [`line=${scene.shop.id}`, `of the line My shop ${HOSTILE.slice(0, 8)}`],
      [`destination=${scene.open}`, `to ${new URL(scene.receiver.url).host}/crm`],
    ]) {
      await one.goto(`/panel/events?${within}`);
      await one.page.getByRole('link', { name: 'Given up 1', exact: true }).click();
      expect(new URL(one.page.url()).search).toBe(`?${within}&state=dead`);
      await selectAll(one, `?${within}&state=dead`);
      await one.page.getByRole('button', { name: 'Resend 1', exact: true }).click();
      expect(await textOf(one, 'dialog[open]')).toContain(`every delivery ${means} that was given up`);
      await one.page.getByRole('button', { name: 'Cancel' }).click();
      await one.page.getByRole('link', { name: 'Waiting', exact: true }).click();
      expect(new URL(one.page.url()).search).toBe(`?${within}&state=waiting`);
    }
    await one.goto('/panel/events');
    await one.page.getByRole('link', { name: 'Given up 3', exact: true }).click();
    await selectAll(one, `?line=${scene.shop.id}&state=dead`);
    await one.page.getByRole('button', { name: 'Resend 1', exact: true }).click();
    await one.page.getByRole('button', { name: 'Resend', exact: true }).click();
    await scene.receiver.untilReceived(1);
    // The notice stands where it was begun, and where all are listed.
    const told = async (within: string) => {
      await one.goto(`/panel/events?${within}`);
      return one.page.getByText('Resent 1 matching delivery').count();
    };
    expect(await told(`line=${other}`)).toBe(0);
    expect(await told(`line=${scene.shop.id}`)).toBe(1);
    expect(await told('')).toBe(1);
    const left = await rows(scene.databaseUrl, "select destination_id from deliveries where state = 'dead'");
    expect(left.map(({ destination_id: id }) => id)).toEqual([elsewhere, elsewhere]);
  });

  test('that are ticked are sent again, and ticks outlast what comes in meanwhile', async () => {
    const [first, second] = [await scene.dead(10), await scene.dead(9, {}, { contact: '12025550148' })];
    await scene.dead(8, {}, { contact: '12025550149' });
    const one = await loggedIn(scene, { timezone: 'America/Sao_Paulo' });
    const minute = isoTime(scene.clock.now - 30 * MINUTE).slice(0, 16);
    await one.goto(`/panel/events?from=${minute}&state=dead`);
    const local = isoTime(Date.parse(`${minute}Z`) - 3 * HOUR).slice(0, 16);
    expect(await one.page.getByLabel('From').inputValue()).toBe(local);
    await one.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await one.page.waitForURL((url) => url.searchParams.get('from') === `${minute}:00.000Z`);
    const tick = (id: string) => one.page.locator(`[name=one][value^="${id}~"]`);
    const resend = one.page.getByRole('button', { name: 'Resend selected' });
    expect(await resend.isDisabled()).toBe(true);
    await one.page.getByLabel(/on this page$/).check();
    expect(await resend.innerText()).toMatch(/\(3\)$/);
    await one.page.locator('#deliveries [name=one]').nth(0).uncheck();
    expect(await one.page.getByLabel(/on this page$/).isChecked()).toBe(false);
    expect(await resend.innerText()).toMatch(/\(2\)$/);
    await scene.dead(7, {}, { contact: '12025550140' });
    await one.page.getByText('+1 202-555-0140').waitFor();
    for (const id of [first, second]) expect(await tick(id).isChecked()).toBe(true);
    expect(await one.page.locator('#deliveries [name=one]:checked').count()).toBe(2);
    await one.page.getByRole('button', { name: 'Resend selected' }).click();
    await one.page
      .getByRole('dialog')
      .getByRole('button', { name: /^Resend/ })
      .click();
    await one.page.getByText('2 deliveries are being resent.').waitFor();
    await scene.receiver.untilReceived(2);
    expect(scene.receiver.received.map(({ headers }) => headers['webhook-id']).sort()).toEqual([
      first,
      second,
    ]);
    expect(await audited(scene)).toEqual(['deliveries.replayed']);
  });

  test.each([{ width: 360 }, { width: 1280 }])(
    'that are ticked are sent from wherever in the list one is, without script too, %o',
    async ({ width }) => {
      const deliveries = [{ destination_id: scene.open, lane: 'x', due_at: isoTime(scene.clock.now) }];
      await scene.events(
        30,
        Array.from({ length: 40 }, () => ({ deliveries })),
      );
      await write(scene.databaseUrl, "update deliveries set state = 'dead'");
      const one = await loggedIn(scene, { width, script: false });
      await one.goto('/panel/events');
      const bar = one.page.locator('.tick-bar');
      const topOf = async (locator: Locator) => (await locator.boundingBox())?.y ?? NaN;
      const tick = one.page.locator('[name=one]').nth(20);
      await tick.scrollIntoViewIfNeeded();
      const before = await topOf(tick);
      await tick.check();
      expect(await topOf(tick)).toBeCloseTo(before);
      expect(await topOf(bar)).toBe(width === 360 ? 900 - ((await bar.boundingBox())?.height ?? 0) : 0);
      await bar.getByRole('button', { name: 'Resend selected' }).click({ trial: true });
      await tick.uncheck();
      expect(await bar.isVisible()).toBe(width !== 360);
    },
  );

  test('stay where they are under the thumb while others come in above them', async () => {
    for (let minutes = 40; minutes > 0; minutes--) await scene.dead(minutes);
    const one = await loggedIn(scene, { width: 360 });
    await one.goto('/panel/events');
    await one.page.evaluate('scrollTo(0, 1200)');
    const read = one.page.locator('#deliveries .row-link').nth(20);
    const link = one.page.locator(`#deliveries [href="${await read.getAttribute('href')}"]`);
    const before = (await link.boundingBox())?.y ?? NaN;
    await scene.dead(0, {}, { contact: '12025550140' });
    await one.page.getByText('+1 202-555-0140').waitFor();
    expect((await link.boundingBox())?.y).toBeCloseTo(before, 0);
    // Whoever is at the beginning sees what is new.
    await one.page.evaluate('scrollTo(0, 0)');
    await scene.dead(0, {}, { contact: '12025550141' });
    await one.page.getByText('+1 202-555-0141').waitFor();
    expect(await one.page.evaluate('scrollY')).toBe(0);
  });

  test('to destinations of one host are told apart, to those as well who may not see their paths', async () => {
    const [id = ''] = await scene.events(1, [
      {
        deliveries: [scene.open, scene.paused].map((destination_id) => ({
          destination_id,
          lane: 'x',
          due_at: isoTime(scene.clock.now),
        })),
      },
    ]);
    // What is not delivered stands first.
    const at = isoTime(scene.clock.now);
    await scene.change(({ store }) =>
      store.write({
        kind: 'attempt',
        attempt: {
          ...{ destination_id: scene.open, event_id: id, number: 1, started_at: at, duration_ms: 1 },
          ...{ http_status: 200, outcome: 'delivered', answer: null, state: 'delivered', due_at: at },
        },
      }),
    );
    const { host } = new URL(scene.receiver.url);
    const headings = async (name: string) => {
      const { page, goto } = await loggedIn(scene, { name, script: false });
      await goto(`/panel/events/${id}`);
      return page.locator('#deliveries h2').allInnerTexts();
    };
    expect(await headings('ana')).toEqual([`To ${host}/n8n`, `To ${host}/crm`]);
    expect(await headings('ben')).toEqual([`To ${host}/… (${scene.paused})`, `To ${host}/… (${scene.open})`]);
  });

  test('are stepped through by keys: their rows, and from one that is open to the next', async () => {
    for (const minutes of [3, 2, 1]) await scene.dead(minutes);
    const { page, goto } = await loggedIn(scene);
    await goto('/panel/events?state=dead');
    const rows = await page
      .locator('#deliveries .row-link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    expect(await page.locator(':focus').getAttribute('href')).toBe(rows[1]);
    await page.keyboard.press('Enter');
    for (const [key, row] of [
      ['j', rows[2]],
      ['Alt+ArrowUp', rows[1]],
    ] as const) {
      await page.waitForURL('**/panel/events/evt_*');
      await page.keyboard.press(key);
      await page.waitForURL(`**${row}`);
    }
    // What is typed is no key of these.
    await page.keyboard.press('/');
    await page.keyboard.type('jk');
    expect(await page.locator('#find').inputValue()).toBe('jk');
  });

  test('lead back to the list from which they were opened, and on to their destination', async () => {
    const dead = await scene.dead(10);
    const one = await loggedIn(scene, { script: false });
    const list = `/panel/events?line=${scene.shop.id}&state=dead`;
    await one.goto(list);
    await one.page.locator('#deliveries tbody a').click();
    expect(new URL(one.page.url()).pathname).toBe(`/panel/events/${dead}`);
    await one.page.getByRole('button', { name: 'Resend' }).click();
    expect(await textOf(one)).toContain('It is being resent.');
    const back = one.page.getByRole('link', { name: '← Events and deliveries' });
    expect(await back.getAttribute('href')).toBe(`${list}#${dead}`);
    await one.page.locator('#deliveries h2').getByRole('link').click();
    const destination = `/panel/lines/${scene.shop.id}/destinations/${scene.open}`;
    expect(new URL(one.page.url()).pathname).toBe(destination);
    // Whatever else the address says leads nowhere else.
    await one.goto(
      `/panel/events/${dead}?state=//evil.example&line=%2F..%2F..&from=javascript:1&after=x&to=x`,
    );
    expect(await back.getAttribute('href')).toBe(`/panel/events?line=%2F..%2F..#${dead}`);
    const viewer = await loggedIn(scene, { name: 'ben', script: false });
    await viewer.goto(`/panel/events/${dead}`);
    expect(await viewer.page.locator('#deliveries h2 a').count()).toBe(0);
    expect(await viewer.page.locator('a.back').getAttribute('href')).toBe(`/panel/events#${dead}`);
  });

  test.each([{ width: 360 }, { width: 1280 }])(
    'lead back to where in the list they stand, without script too, %o',
    async ({ width }) => {
      const ids = [];
      for (let minutes = 45; minutes > 0; minutes--) ids.push(await scene.dead(minutes));
      const one = await loggedIn(scene, { width, script: false });
      await one.goto(`/panel/events/${ids[10]}?state=dead`);
      await one.page.getByRole('link', { name: '← Events and deliveries' }).click();
      const row = one.page.locator(`[id="${ids[10]}"]`);
      const { y = NaN } = (await row.boundingBox()) ?? {};
      expect(y).toBeGreaterThan(57);
      expect(y).toBeLessThan(800);
      expect(await one.page.evaluate('scrollY')).toBeGreaterThan(500);
    },
  );

  describe('whose destination accepts nothing at present', () => {
    const holdBack = (id: number) =>
      scene.change(({ store }) =>
        store.destinations.update(id, {
          ...{ paused_at: null, paused_because: null, failing_since: isoTime(scene.clock.now - MINUTE) },
          ...{ last_failure: 'HTTP 500', last_tried_at: isoTime(scene.clock.now - MINUTE) },
          next_try_at: isoTime(scene.clock.now + 5 * MINUTE - 11_000),
        }),
      );

    test('are told to wait, with the time of the next try, where they are sent again', async () => {
      const dead = await scene.dead(10);
      await holdBack(scene.open);
      const one = await loggedIn(scene, { script: false });
      await one.goto(`/panel/events/${dead}`);
      await one.page.getByRole('button', { name: 'Resend' }).click();
      const notice = one.page.locator('.notice', { hasText: 'Waiting' });
      expect(await notice.innerText()).toMatch(
        /^Waiting: this destination isn't accepting events\. Next try in 4 min \d+ s\.$/,
      );
      expect(await notice.getAttribute('data-tone')).toBe('warn');
      const [elsewhere = ''] = await scene.events(9, [
        { deliveries: [{ destination_id: scene.paused, lane: 'x', due_at: isoTime(scene.clock.now) }] },
      ]);
      await scene.change(({ store }) =>
        store.write({
          kind: 'attempt',
          attempt: {
            ...{ destination_id: scene.paused, event_id: elsewhere, number: 1, duration_ms: 1, answer: null },
            ...{
              http_status: 200,
              outcome: 'delivered',
              state: 'delivered',
              due_at: isoTime(scene.clock.now),
            },
            started_at: isoTime(scene.clock.now),
          },
        }),
      );
      const another = await scene.dead(8);
      await holdBack(scene.open);
      await one.goto('/panel/events');
      for (const id of [elsewhere, another]) await one.page.locator(`[name=one][value^="${id}~"]`).check();
      await one.page.getByRole('button', { name: 'Resend selected' }).click();
      await one.page
        .getByRole('dialog')
        .getByRole('button', { name: /^Resend/ })
        .click();
      const told = one.page.locator('.notice', { hasText: 'being resent' });
      expect(await told.innerText()).toBe(
        "1 is being resent; 1 is waiting: its destination isn't accepting events.",
      );
      expect(await told.getAttribute('data-tone')).toBe('warn');
    });

    test('are not said to be untried where one of them may have been tried for all', async () => {
      // Not due yet: the gateway itself tries nothing.
      const owed = (lane: string) => ({
        deliveries: [{ destination_id: scene.paused, lane, due_at: isoTime(scene.clock.now + 60 * MINUTE) }],
      });
      const [id] = await scene.events(2, [owed('x')]);
      await holdBack(scene.paused);
      const one = await loggedIn(scene, { script: false });
      await one.goto(`/panel/events/${id}`);
      expect(await textOf(one, '#deliveries')).toMatch(
        /This event has no attempts\. .* one event is tried for all\. Last try .+ UTC: HTTP 500\./,
      );
      // One that has come since was not.
      const [since] = await scene.events(0, [owed('y')]);
      await one.goto(`/panel/events/${since}`);
      expect(await textOf(one, '#deliveries')).toContain('No attempt was made yet.');
    });
  });

  test('show the latest attempts, the earlier ones folded, and what the last one came to', async () => {
    const dead = await scene.dead(10, { http_status: 404 });
    const attempt = (number: number) =>
      scene.change(({ store }) =>
        store.write({
          kind: 'attempt',
          attempt: {
            ...{ destination_id: scene.open, event_id: dead, number, duration_ms: 1, answer: null },
            ...{ http_status: 404, outcome: 'http_error', state: 'dead', due_at: isoTime(scene.clock.now) },
            started_at: isoTime(scene.clock.now),
          },
        }),
      );
    const one = await loggedIn(scene, { script: false });
    const folded = one.page.getByText('earlier attempts');
    for (const number of [3, 4]) await attempt(number);
    await one.goto(`/panel/events/${dead}`);
    expect(await one.page.locator('.attempts > li').count()).toBe(4);
    expect(await folded.count()).toBe(0);
    await attempt(5);
    await one.goto(`/panel/events/${dead}`);
    expect(await folded.innerText()).toBe('2 earlier attempts');
    expect(
      await one.page.locator('.attempts > li > details > summary:visible strong').allInnerTexts(),
    ).toEqual([5, 4, 3].map((number) => `Attempt ${number}`));
    expect(await textOf(one, '#deliveries')).toContain('It was given up after 5 attempts.');
    // What is looked for is seen at once: why it failed, and what was answered.
    expect(await one.page.locator('.attempts > li').first().innerText()).toMatch(
      /^Attempt 5[^]*What went wrong\s+HTTP 404: not found; if this is n8n, the workflow may be inactive\.[^]*Answer\s+HTTP 404\s+\(empty\)\s+Request$/,
    );
    const request = one.page.getByRole('region', { name: 'Request of attempt 5' });
    expect(await request.isVisible()).toBe(false);
    await one.page.getByText('Request', { exact: true }).first().click();
    expect(await request.innerText()).toContain(`webhook-id: ${dead}`);
  });

  test('tell what became of each on the first screen of a phone', async () => {
    const dead = await scene.dead(10);
    const one = await loggedIn(scene, { width: 360, script: false });
    await one.page.setViewportSize({ width: 360, height: 740 });
    await one.goto(`/panel/events/${dead}`);
    const resend = await one.page.getByRole('button', { name: 'Resend' }).boundingBox();
    expect((resend?.y ?? NaN) + (resend?.height ?? NaN)).toBeLessThan(740);
  });

  test('show what was received where somebody wants to see it, and copy that and the ids', async () => {
    const dead = await scene.dead(10);
    const one = await loggedIn(scene);
    await one.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await one.goto(`/panel/events/${dead}`);
    const copied = async (label: string) => {
      await one.page.getByRole('button', { name: `Copy ${label}`, exact: true }).click();
      return one.page.evaluate('navigator.clipboard.readText()');
    };
    await one.page.getByText('IDs', { exact: true }).click();
    expect(await copied('Event ID')).toBe(dead);
    expect(await copied('Message')).toMatch(/^wamid\.seed\.\d+$/);
    const payload = one.page.getByRole('region', { name: 'Payload' });
    expect(await payload.isVisible()).toBe(false);
    await one.page.getByText('Payload', { exact: true }).first().click();
    expect(await payload.innerText()).toContain('"object": "whatsapp_business_account",\n');
    await one.page.setViewportSize({ width: 360, height: 740 });
    expect(await payload.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
    await one.page.setViewportSize({ width: 1280, height: 900 });
    const [event] = await rows(scene.databaseUrl, 'select body from events');
    expect(await copied('Payload')).toBe(event?.body);
  });

  test('are one entry for an event, with its destinations beneath each other', async () => {
    const due_at = isoTime(scene.clock.now);
    const deliveries = [scene.open, scene.paused].map((destination_id) => ({
      destination_id,
      lane: 'x',
      due_at,
    }));
    const ids = await scene.events(2, [{ deliveries }, { deliveries }]);
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/events?state=open');
    for (const id of ids)
      expect(await one.page.locator(`#deliveries a[href^="/panel/events/${id}?"]`).count()).toBe(1);
    expect(await one.page.locator('#deliveries tbody .log-more').count()).toBe(2);
  });

  test('are one row where all destinations of an event accepted it, ticked as one', async () => {
    const due_at = isoTime(scene.clock.now);
    const ids = [scene.open, scene.paused];
    const [id = ''] = await scene.events(2, [
      { deliveries: ids.map((destination_id) => ({ destination_id, lane: 'x', due_at })) },
    ]);
    const accepted = (destination_id: number) =>
      scene.change(({ store }) =>
        store.write({
          kind: 'attempt',
          attempt: {
            ...{ destination_id, event_id: id, number: 1, started_at: due_at, duration_ms: 1 },
            ...{ http_status: 200, outcome: 'delivered', answer: null, state: 'delivered', due_at },
          },
        }),
      );
    const one = await loggedIn(scene, { script: false });
    const listed = async () => {
      await one.goto(`/panel/events?q=${id}`);
      return (await one.page.locator('#deliveries tbody tr').allInnerTexts()).map((row) =>
        row.replace(/\s+/g, ' '),
      );
    };
    await accepted(scene.open);
    expect(await listed()).toHaveLength(2);
    await accepted(scene.paused);
    const { host } = new URL(scene.receiver.url);
    const [row = '', ...more] = await listed();
    expect(more).toEqual([]);
    expect(row).toContain('Delivered to 2 destinations');
    for (const path of ['/crm', '/n8n']) expect(row).toContain(`${host} ${path}`);
    await one.page.locator('[name=one]').check();
    await one.page.getByRole('button', { name: 'Resend selected' }).click();
    await one.page
      .getByRole('dialog')
      .getByRole('button', { name: /^Resend/ })
      .click();
    await one.page.getByText('2 deliveries are being resent.').waitFor();
  });

  test('stand beside the page of each as they were listed, once, with the way to the next ones', async () => {
    const due_at = isoTime(scene.clock.now);
    const owed = (...ids: number[]) => ids.map((destination_id) => ({ destination_id, lane: 'x', due_at }));
    const [oldest = ''] = await scene.events(3, [{ deliveries: owed(scene.paused) }]);
    const listed = await scene.events(
      2,
      Array.from({ length: 50 }, () => ({ deliveries: owed(scene.paused) })),
    );
    const [newest = ''] = await scene.events(1, [{ deliveries: owed(scene.open, scene.paused) }]);
    await scene.receiver.untilReceived(1);
    const one = await loggedIn(scene, { script: false });
    const pane = one.page.getByRole('navigation', { name: 'Events and deliveries' });
    const current = pane.locator('[aria-current=page]');
    const search = `?destination=${scene.paused}`;
    await one.goto(`/panel/events${search}`);
    await one.page.locator('#deliveries a').first().click();
    expect(await pane.locator('li').count()).toBe(50);
    expect(await current.getAttribute('href')).toBe(`/panel/events/${newest}${search}`);
    expect(await current.innerText()).toMatch(/^Hello [^]*Ana · Paused$/);
    await pane.locator('li a').nth(1).click();
    const second = listed.at(-1);
    expect(one.page.url()).toBe(`${scene.gateway.url}/panel/events/${second}${search}`);
    // Of the next page it is none: it stands before those that are.
    await pane.getByRole('link', { name: 'Older' }).click();
    const links = await pane.locator('li a').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    expect(links.map((link) => link?.split('?')[0])).toEqual(
      [second, listed[0], oldest].map((id) => `/panel/events/${id}`),
    );
    expect(await pane.locator('li').first().locator('[aria-current]').count()).toBe(1);
    await pane.getByRole('link', { name: 'Newest' }).click();
    await pane.getByRole('link', { name: '← Events and deliveries' }).click();
    expect(one.page.url()).toBe(`${scene.gateway.url}/panel/events${search}#${second}`);
    // With all its deliveries it is as well off as the least of them.
    await one.goto(`/panel/events/${newest}`);
    expect(await pane.locator(`a[href="/panel/events/${newest}"]`).count()).toBe(1);
    expect(await pane.locator('li[data-tone=warn]').first().locator('[aria-current]').count()).toBe(1);
    await one.page.setViewportSize({ width: 1199, height: 800 });
    expect(await pane.isVisible()).toBe(false);
  });

  test('are filtered by a finger that hits what it means', async () => {
    await scene.dead(10);
    const one = await loggedIn(scene, { width: 360, touch: true, script: false });
    await one.goto(`/panel/events?destination=${scene.open}`);
    for (const selector of ['.chips a', '.presets a', '.beside .presets a', 'summary'])
      expect(await reachOf(one.page.locator(`.log-filter ${selector}`).first())).toBeGreaterThanOrEqual(40);
  });

  test('say what they are filtered by, and each of it is taken away by a press', async () => {
    await scene.dead(5, { outcome: 'timeout', http_status: null });
    const one = await loggedIn(scene, { script: false });
    const until = isoTime(scene.clock.now - MINUTE);
    await one.goto(`/panel/events?destination=${scene.open}&cause=timeout&to=${until}`);
    const chips = one.page.getByRole('navigation', { name: 'Active filters' }).getByRole('link');
    const { host } = new URL(scene.receiver.url);
    expect((await chips.allTextContents()).map((text) => text.split('×')[0])).toEqual([
      `${host}/crm`,
      'No answer in time',
      'Until 10 Mar 2026, 11:59 UTC',
    ]);
    // The list stands high on the page.
    expect(await one.page.getByLabel('State').isVisible()).toBe(false);
    await chips.nth(1).click();
    expect(Object.fromEntries(new URL(one.page.url()).searchParams)).toEqual({
      destination: String(scene.open),
      to: until,
    });
    expect(await chips.count()).toBe(2);
  });

  test('are narrowed to the latest ones within all else that is asked for', async () => {
    await scene.dead(50, { outcome: 'timeout', http_status: null });
    await scene.dead(5, { outcome: 'timeout', http_status: null });
    await scene.dead(4);
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/events?cause=timeout');
    const count = () => one.page.locator('#deliveries tbody tr').count();
    expect(await count()).toBe(2);
    await one.page.getByRole('link', { name: '15 min', exact: true }).click();
    expect(new URL(one.page.url()).searchParams.get('cause')).toBe('timeout');
    expect(await count()).toBe(1);
    await one.page.getByRole('link', { name: '1 hour', exact: true }).click();
    expect(await count()).toBe(2);
    expect(await one.page.locator('.beside [aria-current]').allInnerTexts()).toEqual(['1 hour']);
    await one.page.getByRole('link', { name: '1 hour', exact: true }).click();
    expect(new URL(one.page.url()).search).toBe('?cause=timeout');
  });

  test('that were given up are counted at their destination, and its latest attempts stand there', async () => {
    await scene.dead(20);
    const last = await scene.dead(9);
    const one = await loggedIn(scene, { script: false });
    for (const path of ['', `/destinations/${scene.open}`]) {
      await one.goto(`/panel/lines/${scene.shop.id}${path}`);
      await one.page.getByRole('link', { name: '2 events', exact: true }).click();
      expect(new URL(one.page.url()).search).toBe(`?destination=${scene.open}&state=dead`);
      expect(await one.page.locator('#deliveries tbody tr').count()).toBe(2);
    }
    await one.page.goBack();
    const latest = one.page.locator('#latest tbody tr');
    expect(await latest.count()).toBe(4);
    expect(await latest.first().innerText()).toMatch(/HTTP 500[\s\S]*\d ms/);
    await latest.first().getByRole('link').click();
    expect(one.page.url()).toContain(`/panel/events/${last}`);
  });

  test('offer nothing to tick where nothing can be sent again', async () => {
    const one = await loggedIn(scene, { script: false });
    const sendAgain = one.page.getByRole('button', { name: 'Resend selected' });
    await scene.dead(10, { state: 'canceled' });
    await scene.dead(9);
    await one.goto('/panel/events?state=canceled');
    expect(await one.page.locator('#deliveries tbody tr').count()).toBeGreaterThan(0);
    expect(await sendAgain.count()).toBe(0);
    await one.goto('/panel/events?state=dead');
    expect(await sendAgain.count()).toBe(1);
  });

  test('that wait have nothing to tick, and what was ticked and waits by now is told not to be sent again', async () => {
    const at = isoTime(scene.clock.now);
    const deliveries = [{ destination_id: scene.paused, lane: 'x', due_at: at }];
    const [dead = ''] = await scene.events(9, [{ deliveries }, { deliveries }]);
    await scene.change(({ store }) =>
      store.write({
        kind: 'attempt',
        attempt: {
          ...{ destination_id: scene.paused, event_id: dead, number: 1, started_at: at, duration_ms: 1 },
          ...{ http_status: 500, outcome: 'http_error', answer: null, state: 'dead', due_at: at },
        },
      }),
    );
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/events');
    expect(await one.page.locator('#deliveries tbody tr').count()).toBe(2);
    expect(await one.page.locator('[name=one]').count()).toBe(1);
    await one.page.locator('[name=one]').check();
    await scene.change(({ store }) =>
      store.deliveries.again([{ event_id: dead, destination_id: scene.paused }], at),
    );
    await one.page.getByRole('button', { name: 'Resend selected' }).click();
    await one.page
      .getByRole('dialog')
      .getByRole('button', { name: /^Resend/ })
      .click();
    const notice = one.page.locator('.notice', { hasText: 'Nothing was resent' });
    expect(await notice.getAttribute('data-tone')).toBe('warn');
    expect(await notice.textContent()).toContain('Try now');
    expect(await audited(scene)).toEqual([]);
  });

  test('are sent now where they wait for a later attempt', async () => {
    const due_at = isoTime(scene.clock.now + 20 * HOUR);
    const waiting = await scene.dead(10, { state: 'pending', due_at });
    const one = await loggedIn(scene, { script: false });
    await one.goto(`/panel/events/${waiting}`);
    expect(await textOf(one, '#deliveries')).toMatch(
      /Attempt 3 of 17 comes at .+given up around 18 Mar 2026/,
    );
    await one.page.getByRole('button', { name: /^Try now/ }).click();
    expect(await textOf(one)).toContain('tried just now and accepted');
    await scene.receiver.untilReceived(1);
    expect(scene.receiver.received[0]?.headers['x-gateway-attempt']).toBe('3');
    expect(await audited(scene)).toEqual(['destination.tried_now']);
  });

  test('that a filter means are sent again by keyboard alone, on a phone', async () => {
    const meant = await scene.dead(10, { outcome: 'timeout', http_status: null });
    await scene.dead(9);
    const one = await loggedIn(scene, { width: 360 });
    await one.goto('/panel/events?cause=timeout&selected=all');
    await tabTo(one, /^Resend 1$/);
    await one.page.keyboard.press('Enter');
    await tabTo(one, /^Resend$/);
    await one.page.keyboard.press('Enter');
    await one.page.getByText(/^Resent 1 matching delivery, .+ ago\.$/).waitFor();
    await scene.receiver.untilReceived(1);
    expect(scene.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([meant]);
    const [entry] = await rows(
      scene.databaseUrl,
      "select details from audit where action = 'deliveries.replayed'",
    );
    expect(JSON.parse(String(entry?.details))).toEqual({ cause: 'timeout', count: 1 });
  });

  test('of a range of time are sent again, and no others', async () => {
    const before = scene.receiver.received.length;
    const meant = await scene.dead(40);
    for (const minutes of [61, 19]) await scene.dead(minutes);
    const one = await loggedIn(scene);
    await one.goto('/panel/events?state=dead');
    await one.page.getByText('More filters').click();
    const field = (minutes: number) => isoTime(scene.clock.now - minutes * MINUTE).slice(0, 19);
    await one.page.locator('#field-from').fill(field(60));
    await one.page.locator('#field-to').fill(field(20));
    await one.page.getByRole('button', { name: 'Filter', exact: true }).click();
    await one.page.waitForURL((url) => url.searchParams.has('to'));
    await selectAll(one, new URL(one.page.url()).search);
    await one.page.getByRole('button', { name: 'Resend 1', exact: true }).click();
    await one.page.getByRole('dialog').getByRole('button', { name: 'Resend', exact: true }).click();
    await scene.receiver.untilReceived(before + 1);
    expect(scene.receiver.received.slice(before).map(({ headers }) => headers['webhook-id'])).toEqual([
      meant,
    ]);
    await one.goto('/panel/events');
    const givenUp = await one.page.getByRole('link', { name: /^Given up/ }).innerText();
    expect(await one.page.locator('.side-places .count').innerText()).toContain(givenUp.replace(/\D/g, ''));
  });

  test.each([{ script: true }, { script: false }])(
    'that match a filter are selected with those on other pages, and counted before they are resent, %o',
    async ({ script }) => {
      const deliveries = [{ destination_id: scene.paused, lane: 'x', due_at: isoTime(scene.clock.now) }];
      await scene.events(
        30,
        Array.from({ length: 60 }, () => ({ deliveries })),
      );
      await write(scene.databaseUrl, "update deliveries set state = 'dead'");
      const one = await loggedIn(scene, { script });
      const bar = one.page.locator('.tick-bar');
      const ticks = one.page.locator('#deliveries .log [type=checkbox]');
      const ticked = async () =>
        (await ticks.evaluateAll((all) => all.filter((box) => (box as { checked?: boolean }).checked)))
          .length;
      for (const filter of ['from=2026-01-01T00:00:00Z', 'state=dead']) {
        await one.goto(`/panel/events?destination=${scene.paused}&${filter}`);
        expect(await ticks.count()).toBe(50);
        await bar.getByRole('link', { name: 'Select all 60 that match', exact: true }).click();
        await bar.getByText('All 60 that match are selected.').waitFor();
        expect(await ticked()).toBe(50);
        await bar.getByRole('link', { name: 'Clear selection' }).click();
        await bar.getByRole('button', { name: 'Resend selected' }).waitFor();
        expect(await ticked()).toBe(0);
      }
      // If no index holds all that is asked for, nothing is counted.
      await one.goto(`/panel/events?destination=${scene.paused}&q=${CONTACT}`);
      await bar.getByRole('link', { name: 'Select all that match', exact: true }).click();
      await bar.getByRole('button', { name: 'Resend all that match' }).click();
      expect(await one.page.getByRole('dialog').getByRole('heading').innerText()).toBe(
        'Resend all matching deliveries?',
      );
      // On a phone too; the other page of the list keeps nothing selected.
      await one.page.setViewportSize({ width: 360, height: 800 });
      await one.goto(`/panel/events?destination=${scene.paused}&state=dead`);
      await one.page.getByRole('link', { name: /^Older/ }).click();
      await bar.getByRole('link', { name: 'Select all 60 that match' }).click();
      await bar.getByText('All 60 that match are selected.').waitFor();
      expect(await ticked()).toBe(10);
      if (script) expect(await axeFaults(one.page)).toEqual([]);
      await bar.getByRole('button', { name: 'Resend 60', exact: true }).click();
      expect(await one.page.getByRole('dialog').getByRole('heading').innerText()).toBe(
        'Resend 60 deliveries?',
      );
      await one.page.getByRole('dialog').getByRole('button', { name: 'Resend' }).click();
      await until(async () => (await audited(scene)).includes('deliveries.replayed'));
      const left = await rows(scene.databaseUrl, "select event_id from deliveries where state = 'dead'");
      expect(left).toEqual([]);
    },
  );

  test('offer all that match to a viewer neither by a link nor by an address', async () => {
    await scene.dead(10);
    const ben = await loggedIn(scene, { name: 'ben', script: false });
    for (const path of ['/panel/events?state=dead', '/panel/events?state=dead&selected=all']) {
      await ben.goto(path);
      expect(await ben.page.locator('#deliveries tbody tr').count()).toBe(1);
      expect(await ben.page.locator('.tick-bar, #deliveries [type=checkbox]').count()).toBe(0);
    }
  });

  test('that were given up since a time are counted on the page of their destination, and resent, without script', async () => {
    const deliveries = [{ destination_id: scene.paused, lane: 'x', due_at: isoTime(scene.clock.now) }];
    await scene.events(
      30,
      Array.from({ length: 5 }, () => ({ deliveries })),
    );
    const ids = (await rows(
      scene.databaseUrl,
      'select event_id as id from deliveries order by event_id',
    )) as {
      id: string;
    }[];
    // They came in at the same time; some of them were given up yesterday.
    const at = (minutes: number) => isoTime(scene.clock.now - minutes * 60_000);
    for (const [index, { id }] of ids.entries())
      await write(
        scene.databaseUrl,
        `update deliveries set state = 'dead', finished_at = '${at(index < 2 ? 1500 : 90)}' where event_id = '${id}'`,
      );
    const one = await loggedIn(scene, { script: false });
    const card = one.page.locator('#recover');
    await one.goto(`/panel/lines/${scene.shop.id}/destinations/${scene.paused}`);
    await one.page.getByRole('link', { name: 'Recover since…' }).click();
    await card.getByRole('link', { name: '1 hour', exact: true }).click();
    expect(await card.innerText()).toContain('No delivery was given up since');
    await card.getByRole('link', { name: '2 hours' }).click();
    expect(await card.innerText()).toContain('3 given up since');
    await card.getByRole('button', { name: 'Resend' }).click();
    expect(await one.page.getByRole('dialog').getByRole('heading').innerText()).toBe('Resend 3 deliveries?');
    await one.page.getByRole('dialog').getByRole('button', { name: 'Resend' }).click();
    expect(new URL(one.page.url()).pathname).toBe('/panel/events');
    await until(async () => (await audited(scene)).includes('deliveries.replayed'));
    const left = await rows(
      scene.databaseUrl,
      "select event_id as id from deliveries where state = 'dead' order by event_id",
    );
    expect(left).toEqual(ids.slice(0, 2));
    await one.goto(`/panel/lines/${scene.shop.id}/destinations/${scene.paused}?since=24h`);
    await card.getByLabel(/^Given up since/).fill(at(2000).slice(0, 16));
    await card.getByRole('button', { name: 'Count' }).click();
    expect(await card.innerText()).toContain('2 given up since');
  });

  test('are not found by names of lines and addresses, which lead to their lists instead', async () => {
    const ana = await loggedIn(scene, { script: false });
    const ben = await loggedIn(scene, { name: 'ben', script: false });
    const links = async ({ page, goto }: Visitor, q: string) => {
      await goto(`/panel/events?${new URLSearchParams({ q })}`);
      expect(await page.locator('#deliveries').innerText()).toContain('Search by words');
      return page
        .locator('#deliveries a')
        .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    };
    expect(await links(ana, 'my shop')).toContain(`/panel/events?line=${scene.shop.id}`);
    const { host } = new URL(scene.receiver.url);
    const [open, paused] = [scene.open, scene.paused].map((id) => `/panel/events?destination=${id}`);
    expect(await links(ana, 'n8n')).toEqual([paused, '/panel/events']);
    expect(await ana.page.getByRole('link', { name: `Deliveries to ${host}/n8n` }).count()).toBe(1);
    // Who may not see a path finds nothing by it.
    expect(await links(ben, 'n8n')).toEqual(['/panel/events']);
    expect(await links(ben, host)).toEqual([open, paused, '/panel/events']);
  });

  test('that were given up are named where nothing waits', async () => {
    await scene.dead(10);
    const one = await loggedIn(scene, { script: false });
    await one.goto(`/panel/events?destination=${scene.open}&state=waiting`);
    await one.page.locator('#deliveries').getByRole('link', { name: '1 given up' }).click();
    expect(new URL(one.page.url()).search).toBe(`?destination=${scene.open}&state=dead`);
    expect(await one.page.locator('#deliveries [name=one]').count()).toBe(1);
  });

  test('that were given up are looked for by when they came in, which an empty list says', async () => {
    await scene.dead(40);
    const one = await loggedIn(scene, { script: false });
    await one.goto(`/panel/events?destination=${scene.open}&state=dead`);
    await one.page.getByRole('link', { name: '15 min', exact: true }).click();
    const list = one.page.locator('#deliveries');
    expect(await list.innerText()).toContain('A delivery is given up about a week later.');
    await list.getByRole('link', { name: 'Show all given up deliveries' }).click();
    expect(new URL(one.page.url()).search).toBe(`?destination=${scene.open}&state=dead`);
    expect(await list.locator('[name=one]').count()).toBe(1);
  });

  test('tell how far the replay of another process is, and that it broke off once that is silent', async () => {
    const at = () => isoTime(scene.clock.now);
    const told = (count: number) =>
      scene.change(({ store }) => store.replays.tell('other', { count, told_at: at() }));
    const what = 'All that were given up again';
    await scene.change(({ store }) =>
      store.replays.begin(
        { id: 'other', who: 'ben', what, count: 0, begun_at: at(), told_at: at(), came_to: null },
        at(),
      ),
    );
    const one = await loggedIn(scene);
    await one.goto('/panel/events');
    await one.page.getByText('Resending matching deliveries: 0 deliveries so far.').waitFor();
    await told(1200);
    await one.page.getByText('Resending matching deliveries: 1,200 deliveries so far.').waitFor();
    scene.clock.now += 2 * MINUTE;
    await one.page.getByText('Resending stopped after 1,200 deliveries.').waitFor();
    await scene.change(({ store }) => store.replays.tell('other', { came_to: 'all', told_at: at() }));
    await one.page.getByText('Resent 1,200 matching deliveries, ').waitFor();
    // Nothing is left to be done about it: it goes by itself.
    scene.clock.now += 4 * MINUTE;
    await one.page.getByText('matching deliveries').first().waitFor({ state: 'detached' });
  });

  test('resume for a paused destination with one click, and the page follows by itself', async () => {
    const one = await loggedIn(scene);
    // What is listed stands first where it is not about what waits.
    await one.goto('/panel/events');
    await one.page.getByText("1 destination isn't accepting events").waitFor();
    expect(await one.page.getByText('Nothing but failures').isVisible()).toBe(false);
    await one.goto(`/panel/events?destination=${scene.open}`);
    expect(await one.page.getByText('Nothing but failures').count()).toBe(0);
    await one.goto(`/panel/events?destination=${scene.paused}`);
    await one.page.getByText('Nothing but failures').waitFor();
    expect(await textOf(one)).toContain(HOSTILE);
    await notify(
      scene.gateway,
      notification(textFrom('12025550147', 'Hi', 'wamid.in'), scene.shop.phoneNumberId),
    );
    await one.page.getByText('1 delivery is waiting.').last().waitFor();
    await one.page.getByText('Paused', { exact: true }).last().waitFor();
    await one.page.getByRole('button', { name: /^Resume/ }).click();
    await one.page.getByText(' is resumed. Waiting events are being sent.').waitFor();
    await scene.receiver.untilReceived(2);
    expect(await audited(scene)).toEqual(['destination.resumed']);
    expect(await one.page.getByText('Nothing but failures').count()).toBe(0);
  });

  test('are still as they were listed after Resume on the page of one of them', async () => {
    const one = await loggedIn(scene, { script: false });
    const search = `?destination=${scene.paused}&from=2026-01-02T03%3A04%3A05.000Z`;
    for (const from of [null, 'https://evil.example/panel/events/evt_1', '/panel/events/evt_1/../../x']) {
      await scene.change((world) => markPaused(world, scene.paused, 'Once more'));
      const [id] = await scene.events(2, [
        { deliveries: [{ destination_id: scene.paused, lane: 'x', due_at: isoTime(scene.clock.now) }] },
      ]);
      await one.goto(`/panel/events/${id}${search}`);
      const field = one.page.locator('#deliveries [name=from]');
      if (from !== null) await field.evaluate((input, value) => input.setAttribute('value', value), from);
      await one.page.getByRole('button', { name: /^Resume/ }).click();
      // No other place is led to.
      const to = from === null ? `/panel/events/${id}${search}` : '/panel/overview';
      await one.page.waitForURL(scene.gateway.url + to);
    }
  });

  test('are filtered by the latest hundred destinations, by those of the line that is chosen, and by any other', async () => {
    const { id: other } = await scene.line({ name: 'Many' });
    const first = await scene.change(async ({ store, vault }) => {
      const secret_sealed = vault.seal('destinations.secret', 'a secret of sixteen');
      const ids: number[] = [];
      for (let count = 0; count < 101; count++)
        ids.push(await addDestination(store, other, { secret_sealed }));
      return ids[0];
    });
    const one = await loggedIn(scene, { script: false });
    const offered = () => one.page.getByLabel('Destination').locator('option').count();
    await one.goto('/panel/events');
    expect(await offered()).toBe(101);
    const labels = () => one.page.getByLabel('Destination').locator('option').allTextContents();
    expect((await labels()).slice(1)).toEqual(Array(100).fill(expect.stringMatching(/^Many · /)));
    expect(await textOf(one)).toContain('Choose a line to see others');
    await one.goto(`/panel/events?line=${scene.shop.id}`);
    expect(await textOf(one)).not.toContain('Choose a line to see others');
    expect(await offered()).toBeLessThan(10);
    expect((await labels()).join()).not.toContain(' · ');
    await one.goto(`/panel/events?destination=${first}`);
    expect(await offered()).toBe(102);
    expect(await one.page.getByLabel('Destination').inputValue()).toBe(String(first));
  });

  test('are paged from any place on', async () => {
    const at = isoTime(scene.clock.now);
    const deliveries = [{ destination_id: scene.paused, lane: 'x', due_at: at }];
    await scene.events(
      30,
      Array.from({ length: 120 }, () => ({ deliveries })),
    );
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/events?state=parked');
    const seen = new Set<string>();
    for (const count of [50, 50, 20]) {
      const links = await one.page
        .locator('#deliveries tbody a')
        .evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
      expect(links.length).toBe(count);
      links.forEach((link) => seen.add(link));
      // In order of when they are due none is newer.
      expect(await one.page.getByRole('link', { name: /^(Older|Newest)$/ }).count()).toBe(0);
      const next = one.page.getByRole('link', { name: 'Next' });
      if (await next.count()) await next.click();
    }
    expect(seen.size).toBe(120);
    await one.page.getByRole('link', { name: 'First page' }).click();
    expect(await one.page.getByRole('link', { name: 'First page' }).count()).toBe(0);
  });
});

describe('the requests that an event shows', () => {
  let scene: Traffic;
  beforeAll(async () => {
    scene = await startTraffic(await sqliteUrl(), { GATEWAY_ALLOW_FOR_TOKENS: 'on' });
  });
  afterAll(() => scene.stop());

  const post = (path: string, body: object) =>
    call(`${scene.gateway.url}/v22.0/${scene.shop.phoneNumberId}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scene.shop.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const writes = (text: string, wamid: string) =>
    notify(
      scene.gateway,
      notification(
        textFrom(CONTACT, text, wamid, Math.floor(scene.clock.now / 1000)),
        scene.shop.phoneNumberId,
      ),
    );
  /** Names and values as a page shows them; what it hides by its name. */
  const shownIn = async (one: Visitor) =>
    (await one.page.locator('[aria-label^="Request of attempt"]').allTextContents()).map((text) =>
      text.split('\n').slice(1).toSorted(),
    );
  const HIDDEN = /^(x-hub-signature-256|webhook-signature|traceparent)$/;
  const partsOf = (headers: [string, unknown][]) =>
    headers
      .filter(([name]) => !['host', 'connection'].includes(name))
      .map(([name, value]) => `${name}: ${HIDDEN.test(name) ? '…' : String(value)}`)
      .toSorted();
  const hiding = (lines: string[] = []) =>
    partsOf(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));

  test('have the headers that were received, also while automation is paused', async () => {
    expect((await post('/automation-pauses', { contact: CONTACT })).status).toBe(200);
    expect(await writes('Anyone there?', 'wamid.paused')).toBe(200);
    const [received] = await scene.receiver.untilReceived(1);
    const id = String(received?.headers['webhook-id']);
    const one = await loggedIn(scene, { script: false });
    await until(async () => {
      await one.goto(`/panel/events/${id}`);
      return (await shownIn(one)).length === 1;
    });
    const [shown] = await shownIn(one);
    expect(hiding(shown)).toEqual(partsOf(Object.entries(received?.headers ?? {})));
    expect(shown).toContain('x-gateway-automation: paused');
    const trace = String(received?.headers.traceparent).slice(0, 36);
    expect(shown).toContain(`traceparent: ${trace}…`);
  });

  test('name the question that an answer went to, whose delivery cannot be resent or set', async () => {
    const peer = await startPeer(() => ({ status: 410 }));
    try {
      scene.receiver.received.length = 0;
      const asked = await post('/questions', {
        ...{ contact: CONTACT, message: { type: 'text', text: { body: 'Which size?' } }, accepts: ['text'] },
        ...{ expires_in: 3600, callback_url: `${peer.url}/answers/4711` },
      });
      expect(asked.status).toBe(201);
      expect(await writes('Large', 'wamid.answer')).toBe(200);
      const [late] = await scene.receiver.untilReceived(1);
      const [answer] = peer.received;
      const one = await loggedIn(scene, { script: false });
      await until(async () => {
        await one.goto(`/panel/events/${String(answer?.headers['webhook-id'])}`);
        return (await shownIn(one)).length === 2;
      });
      const shown = await shownIn(one);
      expect(shown.map(hiding).toSorted()).toEqual(
        [answer, late].map((request) => partsOf(Object.entries(request?.headers ?? {}))).toSorted(),
      );
      const card = one.page
        .locator('section, article, .card')
        .filter({ hasText: 'callback URL of the question' });
      expect(await textOf(one, '#deliveries')).toContain(`POST ${peer.url}/answers/4711`);
      expect(await card.last().getByRole('button', { name: 'Resend' }).count()).toBe(0);
      expect(await card.last().getByRole('link').count()).toBe(0);
      // Nor from the list, the overview, or a page of its own.
      await one.goto('/panel/events?state=dead');
      expect(await one.page.locator('#deliveries tbody tr').count()).toBe(1);
      expect(await one.page.locator('#deliveries [type=checkbox]').count()).toBe(0);
      await one.goto('/panel/overview');
      expect(await textOf(one)).toContain('nothing given up');
      const [found] = await rows(scene.databaseUrl, "select id from destinations where origin = 'question'");
      await one.goto(`/panel/lines/${scene.shop.id}/destinations/${String(found?.id)}`);
      expect(await one.page.getByLabel('URL').count()).toBe(0);
    } finally {
      await peer.close();
    }
  });
});

test('a gateway without events says what makes them come', async () => {
  const scene = await startScene(await sqliteUrl());
  try {
    await addPanelUser(scene, 'ana');
    const one = await loggedIn(scene);
    await one.goto('/panel/events');
    expect(await textOf(one)).toContain('No event was forwarded yet');
    await one.page.locator('main').getByRole('link', { name: 'First steps' }).click();
    expect(new URL(one.page.url()).pathname).toBe('/panel/start');
  } finally {
    await scene.stop();
  }
});
