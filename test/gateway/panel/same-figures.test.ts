import { isoTime, SECOND } from '../../../gateway/time';
import { startTraffic, type Traffic } from '../../support/panel/traffic';
import { closingWindows, loggedIn } from '../../support/panel/visitor';
import { sqliteUrl } from '../../support/scene';

closingWindows();
let scene: Traffic;

const BARE = 7;
const GIVEN_UP = 3;
const WAITING = 4;

beforeAll(async () => {
  scene = await startTraffic(await sqliteUrl());
  for (let index = 0; index < BARE; index++)
    await scene.line({ name: `Bare ${index}`, phoneNumberId: `20654035224291${index}`, accessToken: null });
  for (let index = 0; index < GIVEN_UP; index++) await scene.dead(20 + index);
  await scene.events(
    10,
    Array.from({ length: WAITING }, (_, index) => ({
      deliveries: [{ destination_id: scene.paused, lane: `x${index}`, due_at: isoTime(scene.clock.now) }],
    })),
  );
  await scene.change(({ store }) =>
    store.write({
      kind: 'notification',
      events: [],
      windows: [],
      messages: ['one', 'other'].map((name) => ({
        line_id: scene.shop.id,
        wamid: `wamid.${name}`,
        contact: '12025550147',
        type: 'text',
        accepted_at: isoTime(scene.clock.now - SECOND),
        failed_at: isoTime(scene.clock.now),
        failure: '[{"code":131026}]',
      })),
    }),
  );
  for (let round = 0; round < 4; round++, scene.clock.now += 10 * SECOND) await scene.gateway.lookForAlerts();
});
afterAll(() => scene.stop());

test('the overview, lists and pages show the same figures of the same things', async () => {
  const { page, goto } = await loggedIn(scene, { script: false });
  const figure = async (selector: string) =>
    Number(/\d+/.exec(await page.locator(selector).first().innerText())?.[0]);
  const badge = (path: string) => figure(`.side-places a[href="${path}"] .count`);
  const rows = (selector = '#deliveries tbody tr') => page.locator(selector).count();

  await goto('/panel/overview');
  const incidents = await badge('/panel/alerts');
  expect(incidents).toBeGreaterThan(BARE);
  expect(await figure('#attention .card-head a[href="/panel/alerts"]')).toBe(incidents);
  expect(await badge('/panel/events')).toBe(GIVEN_UP);
  expect(await figure('#figures a[href="/panel/events?state=dead"]')).toBe(GIVEN_UP);
  expect(await figure('#figures a[href="/panel/events?state=open"]')).toBe(WAITING);
  expect(await figure('#figures a[href="/panel/messages?state=failed"]')).toBe(2);

  await goto('/panel/alerts');
  expect(await figure('#open-incidents h2')).toBe(incidents);
  expect(await rows('#open-incidents .attention > li')).toBe(incidents);

  await goto('/panel/lines');
  const { id } = scene.shop;
  expect(await figure(`#lines a[href="/panel/events?line=${id}&state=open"]`)).toBe(WAITING);
  expect(await figure(`#lines a[href="/panel/events?line=${id}&state=dead"]`)).toBe(GIVEN_UP);

  await goto(`/panel/lines/${id}`);
  const paused = page.locator('.destination').filter({ hasText: 'Paused since' });
  expect(await paused.innerText()).toContain(`${WAITING} events`);
  expect(await figure('.destination a[href*="state=dead"]')).toBe(GIVEN_UP);
  await goto(`/panel/lines/${id}/destinations/${scene.paused}`);
  expect(await figure(`a[href="/panel/events?destination=${scene.paused}&state=parked"]`)).toBe(WAITING);
  await goto(`/panel/lines/${id}/destinations/${scene.open}`);
  expect(await figure(`.facts a[href*="state=dead"]`)).toBe(GIVEN_UP);

  for (const [path, count] of [
    ['/panel/events?state=dead', GIVEN_UP],
    ['/panel/events?state=open', WAITING],
    [`/panel/events?destination=${scene.paused}&state=parked`, WAITING],
    [`/panel/events?destination=${scene.open}&state=dead`, GIVEN_UP],
  ] as const) {
    await goto(path);
    expect([path, await rows()]).toEqual([path, count]);
  }
  await goto('/panel/messages?state=failed');
  expect(await rows('main tbody tr')).toBe(2);
});

test('the list of lines fits a window of 1280 pixels in longer languages', async () => {
  const { page, context, goto } = await loggedIn(scene, { script: false });
  await page.setViewportSize({ width: 1280, height: 900 });
  for (const language of ['pt', 'es']) {
    await context.addCookies([{ name: 'panel-look', value: `..${language}`, url: scene.gateway.url }]);
    await goto('/panel/lines');
    const card = await page.locator('.card:has(#lines)').boundingBox();
    const table = await page.locator('#lines table').boundingBox();
    expect([language, table?.width]).toEqual([language, expect.closeTo(card?.width ?? 0, -1)]);
  }
});
