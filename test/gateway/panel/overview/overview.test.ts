import { upToMost } from '../../../../gateway/panel/ui/counts';
import { HOUR, isoTime, MINUTE } from '../../../../gateway/time';
import { DATABASES } from '../../../support/databases';
import { checkedPages } from '../../../support/panel/checked-pages';
import { startTraffic, type Traffic } from '../../../support/panel/traffic';
import { addPanelUser, closingWindows, loggedIn, type Visitor } from '../../../support/panel/visitor';
import { CONTACT, startScene, type Scene } from '../../../support/scene';

const [sqlite] = DATABASES;
closingWindows();
const textOf = async ({ page }: Visitor, selector = 'main'): Promise<string> =>
  (await page.textContent(selector)) ?? '';

describe('the overview of a gateway at work', () => {
  let scene: Traffic;

  beforeAll(async () => {
    scene = await startTraffic((await sqlite?.createUrl()) ?? '');
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
    await scene.dead(20);
    const waits = {
      deliveries: [{ destination_id: scene.paused, lane: 'y', due_at: now }],
    };
    await scene.events(3 * 60, [waits, waits, waits]);
  }, 60_000);
  afterAll(() => scene.stop());

  checkedPages(() => scene, ['/panel/overview']);

  test('says what needs attention, each with the way to set it right', async () => {
    const one = await loggedIn(scene, { name: 'ben', script: false });
    await one.goto('/panel/overview');
    for (const [remedy, path] of [
      [/^Let it go on/, '/panel/events'],
      [/^See them and send them again/, '/panel/events'],
      [/^See why/, '/panel/messages'],
    ] as const) {
      await one.page.locator('.attention').getByRole('link', { name: remedy }).click();
      expect(new URL(one.page.url()).pathname).toBe(path);
      await one.page.locator('main tbody tr').first().waitFor();
      await one.goto('/panel/overview');
    }
  });

  test('tells every value of its charts in a table too, and names each chart', async () => {
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/overview');
    const charts = one.page.getByRole('img');
    expect(await charts.count()).toBe(5);
    expect(await one.page.locator('.charts figcaption').allTextContents()).toEqual(
      expect.arrayContaining([expect.stringMatching(/in all; most at/)]),
    );
    await one.page.getByText('As a table: Deliveries that still waited').click();
    const cells = await one.page
      .getByRole('region', { name: 'Deliveries that still waited' })
      .locator('td')
      .allTextContents();
    expect(cells.length).toBe(24);
    // Three wait since three hours ago.
    expect(cells.slice(-5)).toEqual(['0', '3', '3', '3', '3']);
  });

  test.each([
    { script: true, zone: 'America/Sao_Paulo', last: '09:00' },
    { script: false, zone: 'UTC', last: '12:00' },
  ])('tells its times in one zone, and which: $zone', async ({ script, zone, last }) => {
    const one = await loggedIn(scene, { script, timezone: 'America/Sao_Paulo' });
    await one.goto('/panel/overview');
    expect(await textOf(one, '.lead')).toContain(`Times are in ${zone}.`);
    const chart = one.page.locator('figure', { has: one.page.locator('#chart-backlog-title') });
    expect(await chart.locator('th[scope=col]').first().textContent()).toBe(`Hour (${zone})`);
    const hours = await chart.locator('th[scope=row]').allTextContents();
    expect(hours.at(-1)).toBe(last);
    expect(await chart.locator('text[data-local]').allTextContents()).toEqual(
      hours.filter((_, index) => index % 6 === 0),
    );
    expect(await chart.locator('figcaption').textContent()).toContain(`since ${hours[0]}`);
  });

  test('shows what happens without being asked again', async () => {
    const one = await loggedIn(scene);
    await one.goto('/panel/overview');
    expect(await textOf(one)).toContain('One delivery was given up');
    await scene.dead(5);
    await one.page.getByRole('heading', { name: '2 deliveries were given up' }).waitFor();
  });
});

describe('the overview of a new gateway', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await startScene((await sqlite?.createUrl()) ?? '');
    await addPanelUser(scene, 'ana');
    await addPanelUser(scene, 'ben', 'viewer');
  });
  afterAll(() => scene.stop());

  checkedPages(() => scene, ['/panel/overview?new']);

  test('shows what to do first', async () => {
    const one = await loggedIn(scene, { script: false });
    await one.goto('/panel/overview');
    expect(await textOf(one, '#attention')).toContain('This gateway has no line yet');
    await one.page.locator('#attention').getByRole('link', { name: 'First steps' }).click();
    expect(await textOf(one, 'h1')).toBe('First steps');
    const ben = await loggedIn(scene, { name: 'ben' });
    await ben.goto('/panel/overview');
    expect(await textOf(ben, '#attention')).toContain('An operator has to add one.');
  });
});

test('what is counted no further is told so that it may begin a sentence', () => {
  expect([0, 10_000, 10_001].map(upToMost)).toEqual(['0', '10,000', '10,000+']);
});
