import { type Page, type Request } from 'playwright-core';
import { MINUTE } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { addPanelUser, closingWindows, loggedIn, PASSWORD } from '../../support/panel/visitor';
import { call, startScene, type Scene, type TestLine } from '../../support/scene';

const CONTACT = '12025550147';

let scene: Scene;
let line: TestLine;
closingWindows();

beforeAll(async () => {
  // The sandbox keeps its file beside the database.
  const sqlite = await DATABASES.find(({ name }) => name === 'SQLite')?.createUrl();
  scene = await startScene(sqlite ?? '', { GATEWAY_UPSTREAM_URL: 'sandbox' });
  await addPanelUser(scene, 'ana');
  line = await scene.line({ name: 'My shop' });
});
afterAll(() => scene.stop());

/** As the contact, on the sandbox phone. */
const write = (text: string) =>
  call(`${scene.gateway.sandboxUrl}/sandbox/contacts/${CONTACT}/messages`, {
    method: 'POST',
    body: JSON.stringify({ text, line: line.phoneNumberId }),
  });

/** Chromium without a screen takes every tab for one that is seen: it is told otherwise, as a browser tells a page. */
const show = (page: Page, isSeen: boolean): Promise<void> =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${!isSeen} });
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${isSeen ? 'visible' : 'hidden'}' });
    document.dispatchEvent(new Event('visibilitychange'));
  `);

test('eight tabs are open at once: each loads, a form is sent, and a tab that is seen again is current', async () => {
  const ana = await loggedIn(scene);
  const phone = `/panel/phone/${line.id}/${CONTACT}`;
  const paths = [
    phone,
    '/panel/overview',
    '/panel/events',
    '/panel/messages',
    '/panel/start',
    '/panel/lines',
    '/panel/tokens',
    '/panel/templates',
  ];
  const tabs: Page[] = [];
  for (const path of paths) {
    const seenLast = tabs.at(-1);
    if (seenLast) await show(seenLast, false);
    const tab = tabs.length ? await ana.context.newPage() : ana.page;
    await tab.goto(scene.gateway.url + path, { waitUntil: 'domcontentloaded' });
    tabs.push(tab);
  }
  for (const tab of tabs) expect(await tab.locator('h1').count()).toBe(1);

  const [first, ...others] = tabs;
  if (!first) throw new Error('There is no tab.');
  const chat = first.getByRole('log', { name: 'Messages' });
  await write('While nobody looked');
  await others.at(-1)?.goto(scene.gateway.url + '/panel/audit');
  expect(await chat.getByText('While nobody looked', { exact: true }).count()).toBe(0);
  await show(first, true);
  await chat.getByText('While nobody looked', { exact: true }).waitFor();
  await first.getByLabel('Message as this contact').fill('With eight tabs');
  await first.locator('.phone').getByRole('button', { name: 'Send', exact: true }).click();
  await chat.getByText('With eight tabs', { exact: true }).waitFor();
});

/** As a browser tells a page that somebody turns to its window. */
const turnTo = (page: Page): Promise<void> => page.evaluate(`window.dispatchEvent(new Event('focus'))`);

test('nine windows are seen at once: each loads, and the ones that nobody has turned to lately are current too', async () => {
  const ana = await loggedIn(scene);
  const windows: Page[] = [];
  for (let count = 0; count < 9; count++) {
    const one = count ? await ana.context.newPage() : ana.page;
    // The ten seconds of the first are over when the test says so, however long the others take to load.
    const now = Date.now();
    await one.clock.install({ time: now });
    if (!count) await one.clock.pauseAt(now + 60_000);
    await one.goto(`${scene.gateway.url}/panel/phone/${line.id}/${CONTACT}`);
    windows.push(one);
  }
  const [first, ...others] = windows;
  const last = others.at(-1);
  if (!first || !last) throw new Error('There is no window.');
  const arrived = (one: Page, text: string) =>
    one.getByRole('log', { name: 'Messages' }).getByText(text, { exact: true }).waitFor();
  await write('With nine windows');
  await arrived(last, 'With nine windows');
  expect(await first.getByText('With nine windows', { exact: true }).count()).toBe(0);
  await first.clock.resume();
  for (const one of windows) {
    await one.clock.fastForward(10_000);
    await arrived(one, 'With nine windows');
    await one.clock.fastForward(2000);
  }
  await turnTo(first);
  await write('Turned to');
  await arrived(first, 'Turned to');
});

test('what somebody types is left alone by what arrives, and the focus stays at the row where it is', async () => {
  const { page, goto } = await loggedIn(scene);
  await write('Before one types');
  await goto(`/panel/conversations/${line.id}/${CONTACT}`);
  const field = page.getByLabel('Text', { exact: true });
  await field.pressSequentially('Half a sen');
  await write('While one types');
  await page.locator('#conversation').getByText('While one types', { exact: true }).waitFor();
  await page.keyboard.type('tence');
  expect(await field.inputValue()).toBe('Half a sentence');

  await goto('/panel/events');
  await page.getByRole('link', { name: 'While one types' }).focus();
  await write('Above the focus');
  await page.getByRole('link', { name: 'Above the focus' }).waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('While one types');
});

test('a press on what is live does what it began with, even if something arrives before it ends', async () => {
  const ana = await loggedIn(scene);
  const other = await ana.context.newPage();
  await write('Before the press');
  for (const tab of [ana.page, other])
    await tab.goto(`${scene.gateway.url}/panel/phone/${line.id}/${CONTACT}`);
  const doings = ana.page.locator('.doings').last();
  await doings.locator('summary').hover();
  await ana.page.mouse.down();
  await write('During the press');
  const arrived = (tab: Page) =>
    tab.getByRole('log', { name: 'Messages' }).getByText('During the press', { exact: true }).waitFor();
  await arrived(other);
  await other.waitForTimeout(200);
  await ana.page.mouse.up();
  await ana.page.locator('.doings[open]').waitFor();
  await arrived(ana.page);
});

test('what somebody has typed stays where it is when the session ends, and can be sent after the log-in', async () => {
  const { page, goto } = await loggedIn(scene);
  await goto(`/panel/phone/${line.id}/${CONTACT}`);
  await page.getByLabel('Message as this contact').fill('Typed for half an hour');
  const isStream = (one: Request) => one.resourceType() === 'eventsource';
  const ended = Promise.race([
    page.waitForEvent('requestfinished', isStream),
    page.waitForEvent('requestfailed', isStream),
  ]);
  scene.clock.now += 31 * MINUTE;
  await ended;
  await page.locator('.phone').getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('You were logged out after 30 minutes without activity.').waitFor();
  await page.getByLabel('Name').fill('ana');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Submit form' }).click();
  await page
    .getByRole('log', { name: 'Messages' })
    .getByText('Typed for half an hour', { exact: true })
    .waitFor();
});
