import { setForwardingUrl } from '../../../../gateway/forwarding/destinations/destination-rows';
import { upToMost } from '../../../../gateway/panel/languages/numbers';
import { HOUR, isoTime, MINUTE } from '../../../../gateway/time';
import { checkedPages } from '../../../support/panel/checked-pages';
import { startTraffic, type Traffic } from '../../../support/panel/traffic';
import { addPanelUser, closingWindows, loggedIn, type Visitor } from '../../../support/panel/visitor';
import { CONTACT, sceneOf, sqliteUrl } from '../../../support/scene';

closingWindows();
const textOf = async ({ page }: Visitor, selector = 'main'): Promise<string> =>
  (await page.textContent(selector)) ?? '';

describe('the overview of a gateway at work', () => {
  let scene: Traffic;

  beforeAll(async () => {
    scene = await startTraffic(await sqliteUrl());
    // Half past, so that what came minutes ago came within this hour.
    scene.clock.now += HOUR / 2;
    const now = isoTime(scene.clock.now);
    for (let hour = 0; hour < 20; hour++) {
      const ids = await scene.events(
        hour * 60 + 10,
        Array.from({ length: (hour * 7) % 11 }, () => ({
          // Nobody else sends it before it is recorded as sent.
          deliveries: [{ destination_id: scene.paused, lane: 'x', due_at: now }],
        })),
      );
      await scene.change(async ({ store }) => {
        for (const id of ids)
          await store.write({
            kind: 'attempt',
            attempt: {
              destination_id: scene.paused,
              event_id: id,
              number: 1,
              started_at: isoTime(scene.clock.now - hour * HOUR - 10 * MINUTE + 400),
              duration_ms: 40,
              http_status: 200,
              outcome: 'delivered',
              answer: 'ok',
              state: 'delivered',
              due_at: now,
            },
          });
        await store.write({
          kind: 'notification',
          events: [],
          windows: [],
          messages: Array.from({ length: (hour * 5) % 9 }, (_, index) => ({
            line_id: scene.shop.id,
            wamid: `wamid.${hour}.${index}`,
            contact: CONTACT,
            type: 'text',
            accepted_at: isoTime(scene.clock.now - hour * HOUR - MINUTE),
            ...(index === 7 && {
              failed_at: isoTime(scene.clock.now - hour * HOUR),
              failure: '[{"code":131026}]',
            }),
          })),
        });
      });
    }
    await scene.change(({ store }) =>
      store.write({
        kind: 'notification',
        events: [],
        windows: [],
        messages: Array.from({ length: 3 }, (_, index) => ({
          line_id: scene.shop.id,
          wamid: `wamid.yesterday.${index}`,
          contact: CONTACT,
          type: 'text',
          accepted_at: isoTime(scene.clock.now - 30 * HOUR),
        })),
      }),
    );
    await scene.dead(20);
    const waits = {
      deliveries: [{ destination_id: scene.paused, lane: 'y', due_at: now }],
    };
    await scene.events(3 * 60, [waits, waits, waits]);
  });
  afterAll(() => scene.stop());

  checkedPages(() => scene, ['/panel/overview']);

  test('says what needs attention, each with the way to set it right', async () => {
    const one = await loggedIn(scene, { name: 'ben', script: false });
    await one.goto('/panel/overview');
    for (const [remedy, path] of [
      [/^See events/, '/panel/events'],
      // For a viewer, who can send nothing again.
      [/^See why.*given up/, '/panel/events'],
      [/^See why.*failed/, '/panel/messages'],
    ] as const) {
      await one.page.locator('.attention').getByRole('link', { name: remedy }).click();
      expect(new URL(one.page.url()).pathname).toBe(path);
      await one.page.locator('main tbody tr').first().waitFor();
      await one.goto('/panel/overview');
    }
  });

  test('says what only one process sees', async () => {
    const seen = { kind: 'platform_away', subject: 'one', process: 'one', line_id: null, waba_id: null };
    await scene.change(({ store }) =>
      store.alerts.openIncidents([
        {
          ...{ ...seen, severity: 'critical', title: 'one cannot reach WhatsApp', path: '/panel/overview' },
          ...{ text: 'It refuses connections.', over: '', action: '', waiting: null },
          ...{ since: isoTime(scene.clock.now), opened_at: isoTime(scene.clock.now), closed_at: null },
        },
      ]),
    );
    const ana = await loggedIn(scene);
    await ana.goto('/panel/overview');
    const row = ana.page.locator('.attention li').filter({ hasText: 'one cannot reach WhatsApp' });
    expect(await row.innerText()).toContain('It refuses connections.');
    expect(await row.getByRole('link').getAttribute('href')).toBe('/panel/alerts');
    await scene.change(async ({ store }) => {
      const open = await store.alerts.open();
      const ids = open.filter(({ kind }) => kind === seen.kind).map(({ id }) => id);
      await store.alerts.closeIncidents(ids, isoTime(scene.clock.now), new Map());
    });
  });

  test('leads from what is wrong with the gateway to its incidents, not to the overview itself', async () => {
    const isGone = (minutes: number) =>
      scene.change(({ store }) =>
        store.alerts.storeMark({
          ...{ kind: 'process_gone', subject: 'tokyo', value: '' },
          at: isoTime(scene.clock.now - minutes * MINUTE),
        }),
      );
    await isGone(5);
    const ana = await loggedIn(scene);
    await ana.goto('/panel/overview');
    const row = ana.page.locator('.attention li').filter({ hasText: 'tokyo' });
    expect(await row.getByRole('link').getAttribute('href')).toBe('/panel/alerts');
    await isGone(0);
  });

  test('tells how much there was the day before', async () => {
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/overview');
    expect(await one.page.locator('.tile-more').allInnerTexts()).toEqual([
      'in 24 hours\n3 the day before',
      'in 24 hours',
      'in 24 hours',
      '1 more given up',
      expect.stringContaining('95%'),
    ]);
  });

  test('shows the day of each destination, hour by hour, those that fare worst first', async () => {
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/overview');
    const rows = one.page.locator('#destinations tbody tr');
    const strips = rows.getByRole('img');
    expect(await rows.locator('td:last-child').allInnerTexts()).toEqual(['Paused', 'Last attempt failed']);
    const [all, failed] = await strips.evaluateAll((found) =>
      found.map((strip) => [
        strip.getAttribute('aria-label'),
        ...[...strip.querySelectorAll('path')].map((path) => path.getAttribute('d')?.split('M').length),
      ]),
    );
    expect(all).toEqual([
      expect.stringMatching(/^100% of \d+ attempts accepted for events of 24 hours$/),
      7,
      19,
      1,
    ]);
    // In a part of one hour all of it failed.
    expect(failed).toEqual([
      '0% of 2 attempts accepted for events of 24 hours; failures for events of 12:00 UTC',
      24,
      2,
      2,
    ]);
    await rows.last().getByRole('link').click();
    expect(new URL(one.page.url()).pathname).toBe(`/panel/lines/${scene.shop.id}/destinations/${scene.open}`);
    expect(await textOf(one, '#state')).toContain('0% of 2 attempts');
    await one.goto(`/panel/lines/${scene.shop.id}`);
    const ofLine = one.page.locator('#destinations').getByRole('img');
    expect(await ofLine.first().getAttribute('aria-label')).toBe(all?.[0]);
    await one.goto('/panel/lines');
    const [made] = /\d+(?= att)/.exec(String(all?.[0])) ?? [];
    expect(await one.page.getByRole('img').getAttribute('aria-label')).toContain(
      `of ${Number(made) + 2} attempts accepted for events of 24 hours; failures for events of 12:00`,
    );
  });

  test('leads from how many are still to be delivered to as many, parked ones among them', async () => {
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/overview');
    const waiting = one.page.locator('.tiles').getByRole('link', { name: 'Waiting: 3', exact: true });
    await waiting.click();
    expect(await one.page.locator('.log tbody tr').count()).toBe(3);
    await one.goto('/panel/overview');
    // A part of the same tile that leads elsewhere.
    await one.page.getByRole('link', { name: '1 more given up' }).click();
    expect(new URL(one.page.url()).search).toBe('?state=dead');
  });

  test('has what is urgent above its figures on a phone, and the figures first on a desk', async () => {
    for (const [width, height, order] of [
      [360, 740, ['#attention', '#figures', '#destinations', '#charts']],
      [740, 360, ['#attention', '#figures', '#destinations', '#charts']],
      [1280, 900, ['#figures', '#attention', '#destinations', '#charts']],
    ] as const) {
      const one = await loggedIn(scene, { width, script: false });
      await one.page.setViewportSize({ width, height });
      await one.goto('/panel/overview');
      const tops = await one.page
        .locator('#attention, #figures, #destinations, #charts')
        .evaluateAll((parts) =>
          parts
            .map((part) => [part.getBoundingClientRect().top, `#${part.id}`] as const)
            .toSorted(([one], [other]) => one - other)
            .map(([, id]) => id),
        );
      expect(tops).toEqual(order);
    }
  });

  test('tells each urgent thing on a phone in a few lines, with all its buttons in one row', async () => {
    const one = await loggedIn(scene, { width: 360, script: false });
    await one.goto('/panel/overview');
    const urgent = one.page.locator('.attention > li:has(.urgency [data-tone=bad])');
    for (const item of await urgent.all()) {
      expect((await item.locator('p').boundingBox())?.height).toBeLessThan(92);
      const buttons = await Promise.all(
        (await item.locator('.button').all()).map((each) => each.boundingBox()),
      );
      expect(new Set(buttons.map((box) => box?.y)).size).toBe(1);
      expect(buttons.map((box) => box?.height)).toEqual(buttons.map(() => 40));
    }
    expect(await urgent.count()).toBeGreaterThan(0);
    const ofDestination = one.page.locator('.attention > li:has(.primary) h3');
    expect((await ofDestination.boundingBox())?.height).toBeLessThan(30);
  });

  test('draws what is chosen, tells each value in a table too, and a bar leads to what it counts', async () => {
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/overview?show=backlog');
    expect(await one.page.locator('.chart').count()).toBe(1);
    await one.page.emulateMedia({ media: 'print' });
    expect(await one.page.locator('.side, .attention .button').filter({ visible: true }).count()).toBe(0);
    await one.page.emulateMedia({ media: 'screen' });
    const cells = async () => {
      await one.page.getByText('As a table').click();
      return one.page.locator('.chart-table td').allTextContents();
    };
    const waited = await cells();
    expect(waited.length).toBe(24);
    // Three wait since three hours ago.
    expect(waited.slice(-5)).toEqual(['0', '3', '3', '3', '3']);
    expect(await one.page.locator('figcaption').innerText()).toBe('Peak: 3 waiting.');

    await one.page.getByRole('link', { name: 'Received', exact: true }).click();
    const today = (await cells()).map(Number);
    const bar = one.page.locator('.chart a').last();
    const from = new Date(Math.floor(scene.clock.now / HOUR) * HOUR);
    expect(await bar.getAttribute('href')).toBe(
      `/panel/events?${new URLSearchParams({ from: from.toISOString(), to: isoTime(from.getTime() + HOUR) })}`,
    );
    expect(await bar.getAttribute('aria-label')).toContain(`${today.at(-1)} events`);
    const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
    for (const [name, count] of [
      ['7 d', 28],
      ['30 d', 30],
    ] as const) {
      await one.page.getByRole('link', { name }).click();
      const values = (await cells()).map(Number);
      expect([name, values.length, sum(values)]).toEqual([name, count, sum(today)]);
    }
  });

  test.each([1280, 360])(
    'is as high at %i pixels as can be read, and says a value under the pointer',
    async (width) => {
      const one = await loggedIn(scene, { width, script: false });
      await one.goto('/panel/overview?show=backlog');
      const chart = one.page.locator('.chart-columns');
      expect((await chart.boundingBox())?.height).toBeGreaterThanOrEqual(150);
      // No higher than what is shown.
      expect(await one.page.locator('.chart-scale span').allTextContents()).toEqual(['3', '', '0']);
      const bar = one.page.locator('a.chart-column').last();
      const value = bar.locator('.chart-value');
      expect(await value.isVisible()).toBe(false);
      await bar.hover();
      expect(await value.isVisible()).toBe(true);
      expect((await value.textContent())?.replace(/\s+/g, ' ')).toBe('12:003 waiting');
      const { x = 0, width: wide = 0 } = (await value.boundingBox()) ?? {};
      expect(x + wide).toBeLessThanOrEqual(width);
    },
  );

  test.each([
    { script: true, zone: 'America/Sao_Paulo', last: '09:00' },
    { script: false, zone: 'UTC', last: '12:00' },
  ])('tells its times in one zone, and which: $zone', async ({ script, zone, last }) => {
    const one = await loggedIn(scene, { script, timezone: 'America/Sao_Paulo' });
    await one.goto('/panel/overview?show=backlog');
    expect(await textOf(one, '.lead')).toContain(`Times are in ${zone}.`);
    const chart = one.page.locator('figure');
    expect(await chart.locator('th[scope=col]').first().textContent()).toBe(`From (${zone})`);
    const hours = await chart.locator('th[scope=row]').allTextContents();
    expect(hours.at(-1)).toBe(last);
    expect(await chart.locator('.chart-times time').allTextContents()).toEqual(
      hours.filter((_, index) => index % 5 === 0),
    );
  });

  test('colours and the zone of times are as they were chosen, without script too', async () => {
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/profile');
    await one.page.getByLabel('Colors').selectOption('dark');
    const save = one.page.locator('form', { has: one.page.getByLabel('Colors') }).getByRole('button');
    await one.page.getByLabel('Time zone').fill('Sao Paulo');
    await save.click();
    expect(await textOf(one, '.fault')).toBe('Unknown time zone. Enter one such as America/Sao Paulo.');
    expect(await one.page.getByLabel('Colors').inputValue()).toBe('dark');
    await one.page.getByLabel('Time zone').fill('america/sao paulo');
    await save.click();
    await one.goto('/panel/overview?show=backlog');
    expect(await one.page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      'rgb(14, 20, 20)',
    );
    expect(await textOf(one, '.lead')).toContain('Times are in America/Sao_Paulo.');
    expect((await one.page.locator('figure th[scope=row]').allTextContents()).at(-1)).toBe('09:00');
    await one.goto('/panel/none');
    expect(await one.page.locator('html').getAttribute('data-theme')).toBe('dark');
    // Anybody may write a cookie.
    await one.context.addCookies([{ name: 'panel-look', value: 'x".</html>', url: scene.gateway.url }]);
    await one.goto('/panel/overview');
    expect(await one.page.locator('html').getAttribute('data-theme')).toBeNull();
    expect(await textOf(one, '.lead')).toContain('Times are in UTC.');
  });

  test('a page is whole with script too, in a zone that was chosen', async () => {
    const one = await loggedIn(scene);
    await one.context.addCookies([{ name: 'panel-look', value: '.Asia/Tokyo.', url: scene.gateway.url }]);
    await one.goto('/panel/overview?show=backlog');
    expect(await textOf(one, '.lead')).toContain('Times are in Asia/Tokyo.');
  });

  test('the time zones are suggested, each as the field takes it', async () => {
    const { page, goto } = await loggedIn(scene);
    await goto('/panel/profile');
    const zones = await page.evaluate(
      `[...document.querySelectorAll('#zones option')].map(({ value }) => value)`,
    );
    expect(zones).toContain('America/Sao Paulo');
    const field = page.getByLabel('Time zone');
    for (const [typed, kept] of [
      ['Asia/Kolkata', 'Asia/Calcutta'],
      ['', null],
    ] as const) {
      await field.fill(typed);
      await page.locator('form', { has: field }).getByRole('button').click();
      expect([typed, await page.locator('html').getAttribute('data-zone')]).toEqual([typed, kept]);
    }
  });

  test('shows what happens without being asked again', async () => {
    const one = await loggedIn(scene);
    await one.goto('/panel/overview');
    expect(await textOf(one)).toContain('My shop <script>: one delivery was given up');
    await scene.dead(5);
    await one.page.getByRole('heading', { name: 'My shop <script>: 2 deliveries were given up' }).waitFor();
    expect(await textOf(one, '.status')).toMatch(/^\d things need attention(, \d of them urgent)?\./);
    expect(await one.page.title()).toMatch(/^\(\d\) Overview/);
  });
});

describe('the overview of a new gateway', () => {
  const scene = sceneOf();
  beforeAll(async () => {
    await addPanelUser(scene, 'ana');
    await addPanelUser(scene, 'ben', 'viewer');
  });

  checkedPages(() => scene, ['/panel/overview?new']);

  test('shows what to do first', async () => {
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/overview');
    expect(await textOf(one, '#attention')).toContain('This gateway has no line yet');
    await one.page.locator('#attention').getByRole('link', { name: 'First steps' }).click();
    expect(await textOf(one, 'h1')).toBe('First steps');
    const ben = await loggedIn(scene, { name: 'ben' });
    await ben.goto('/panel/overview');
    expect(await textOf(ben, '#attention')).toContain('Ask an owner or an admin to add one.');
  });

  test('tells of many lines that pass nothing on as one', async () => {
    for (let index = 0; index < 4; index++)
      await scene.line({ name: `Shop ${index}`, phoneNumberId: `20654035224290${index}` });
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/overview');
    expect(await one.page.locator('.attention h3').allTextContents()).toEqual([
      '4 lines have no destination',
      'The callbacks of 4 lines are not connected',
    ]);
    expect(await textOf(one, '.status')).toContain('No events are forwarded yet.');
    expect(await one.page.locator('.status').getAttribute('data-tone')).toBe('idle');

    const other = await scene.line({ name: 'Another', phoneNumberId: '206540352242909' });
    const rules = { refuseUrl: () => null } as never;
    await scene.change((deps) =>
      setForwardingUrl({ ...deps, rules }, other.id, null, { url: 'https://example.com/hook', secret: null }),
    );
    await one.page.getByRole('link', { name: /^See the lines.*have no destination$/ }).click();
    expect((await one.page.locator('tbody .row-link').allTextContents()).toSorted()).toEqual(
      [0, 1, 2, 3].map((index) => `Shop ${index}`),
    );
    await one.page.getByRole('link', { name: 'Show all lines' }).click();
    expect(await one.page.locator('tbody .row-link').count()).toBe(5);

    // Where nothing was delivered, nothing says that everything was.
    await one.goto('/panel/overview');
    expect(await textOf(one, '#figures')).toContain('nothing was delivered');
    expect(await textOf(one, '.status')).toContain('Nothing is waiting.');
  });

  test('tells of many lines without an access token as one, by their names, and counts each', async () => {
    for (let index = 0; index < 7; index++)
      await scene.line({
        name: `Bare ${index}`,
        phoneNumberId: `20654035224291${index}`,
        accessToken: null,
      });
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/overview');
    expect(await textOf(one, '.attention li')).toContain('Bare 0, Bare 1, Bare 2 and 4 more lines.');
    expect(await textOf(one, '.status')).toMatch(/^8 things need attention, 7 of them urgent\./);
  });
});

test('what is counted no further is told so that it may begin a sentence', () => {
  expect([0, 10_000, 10_001].map((count) => upToMost(count))).toEqual(['0', '10,000', '10,000+']);
});
