import { type Page } from 'playwright-core';
import { checkedPages } from '../../../support/panel/checked-pages';
import { addPanelUser, axeFaults, closingWindows, loggedIn, PASSWORD } from '../../../support/panel/visitor';
import { call, imageTo, lineOf, sceneOf } from '../../../support/scene';
import { notification, notify } from '../../../support/test-gateway';

closingWindows();

const NUMBER = '5511987654321';
const USER_ID = 'BR.13491208655302741918';

describe("a contact, from the conversation's menu", () => {
  const scene = sceneOf();
  const line = lineOf(scene, { name: 'My shop' });
  const at = () => `/panel/conversations/${line.id}/${NUMBER}`;

  beforeAll(async () => {
    await addPanelUser(scene, 'ana');
    await addPanelUser(scene, 'ben', 'viewer');
    const text = {
      ...{ from: NUMBER, from_user_id: USER_ID, id: 'wamid.1', type: 'text', text: { body: 'Oranges' } },
      timestamp: String(Math.floor(scene.clock.now / 1000)),
    };
    const value = { contacts: [{ wa_id: NUMBER, profile: { name: 'Carla' } }], messages: [text] };
    expect(await notify(scene.gateway, notification(value, line.phoneNumberId))).toBe(200);
  });

  checkedPages(() => scene, [at]);

  const menu = (page: Page) => page.locator('.doings > summary').click();
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const answered = async (page: Page, name: string) => {
    await button(page, name).click();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  };
  const lastDeed = async () => (await scene.change(({ store }) => store.audit.page({}, 1)))[0];

  test('is opted out of the line and back in, by every identity', async () => {
    const { page, goto } = await loggedIn(scene);
    await goto(at());
    await menu(page);
    await answered(page, 'Opt out');
    await page.getByText('gets nothing more from this line.').waitFor();
    expect(await lastDeed()).toMatchObject({ action: 'contact.opted_out', who: 'ana' });
    for (const message of [imageTo(NUMBER), { ...imageTo(''), to: undefined, recipient: USER_ID }])
      expect((await line.send(message)).body.error_code).toBe('contact_opted_out');
    await menu(page);
    await answered(page, 'Opt back in');
    await page.getByText('is off the list.').waitFor();
    expect((await line.send(imageTo(NUMBER))).status).toBe(200);
  });

  test('has its automation paused and resumed, and paused by a colleague’s answer where the line says so', async () => {
    const { page, goto } = await loggedIn(scene);
    await goto(at());
    const banner = page.locator('#automation .notice');
    expect(await banner.count()).toBe(0);
    await menu(page);
    await button(page, 'Pause automation').click();
    expect(await axeFaults(page)).toEqual([]);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('For how long').selectOption('Until resumed');
    await dialog.getByRole('button', { name: 'Pause automation' }).click();
    await banner.getByText('Automation paused until you resume it').waitFor();
    expect(await lastDeed()).toMatchObject({ action: 'contact.automation_paused', who: 'ana' });
    const isPaused = async () => (await line.get(`/automation-pauses/${USER_ID}`)).body.paused;
    expect(await isPaused()).toBe(true);
    await menu(page);
    expect(await button(page, 'Pause automation').count()).toBe(0);
    await button(page, 'Resume automation').click();
    await page.getByText('Automation resumed.').waitFor();
    expect([await banner.count(), await isPaused()]).toEqual([0, false]);

    const answers = async (text: string) => {
      await page.getByRole('textbox').fill(text);
      await button(page, 'Send').click();
    };
    await answers('The line is not set so');
    await page.locator('.bubble', { hasText: 'The line is not set so' }).waitFor();
    expect(await isPaused()).toBe(false);
    await goto(`/panel/lines/${line.id}/edit`);
    await page.getByLabel('Pause automation when a colleague answers, in hours').fill('2');
    await button(page, 'Save the line').click();
    await page.getByText('The line is saved.').waitFor();
    await goto(at());
    // An answer counts if it comes after the pause was ended.
    scene.clock.now += 1000;
    await answers('I take over');
    await banner.getByText(/^Automation paused until (?!you)/).waitFor();
    expect(await isPaused()).toBe(true);
    await banner.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Automation resumed.').waitFor();
  });

  test('shows an open question, which operators cancel', async () => {
    const asked = await call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/questions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        contact: USER_ID,
        message: { type: 'text', text: { body: 'Pears as well?' } },
        accepts: ['text'],
        expires_in: 3600,
        callback_url: 'https://example.com/answers/1',
      }),
    });
    expect(asked.status).toBe(201);
    const banner = ({ page }: { page: Page }) =>
      page.locator('#automation .notice', { hasText: 'Waiting for an answer until' });
    const viewer = await loggedIn(scene, { name: 'ben' });
    await viewer.goto(at());
    expect([await banner(viewer).count(), await banner(viewer).getByRole('button').count()]).toEqual([1, 0]);
    const operator = await loggedIn(scene);
    await operator.goto(at());
    expect(await axeFaults(operator.page)).toEqual([]);
    await banner(operator).getByRole('button', { name: 'Cancel question' }).click();
    await operator.page.getByText('Question canceled.').waitFor();
    expect(await banner(operator).count()).toBe(0);
    expect((await line.get(`/questions/${asked.body.id}`)).body.state).toBe('canceled');
    expect(await lastDeed()).toMatchObject({ action: 'question.canceled', who: 'ana', line_id: line.id });
  });

  test('is forgotten after the password was given again', async () => {
    const { page, goto } = await loggedIn(scene);
    await goto(at());
    scene.clock.now += 11 * 60_000;
    await goto(at());
    await menu(page);
    await button(page, 'Forget contact').click();
    expect(await page.getByRole('dialog').innerText()).toContain('on every line and for good');
    await page.getByRole('dialog').getByRole('button', { name: 'Forget contact' }).click();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText(/^Contact forgotten: \d+ messages? and 1 event removed\./).waitFor();
    const deed = await lastDeed();
    expect(deed).toMatchObject({ action: 'contact.forgotten', who: 'ana' });
    expect(JSON.stringify(deed)).not.toContain(NUMBER);
    await goto(at());
    expect(await page.content()).not.toMatch(/Carla|Oranges/);
    expect((await line.get(`/window/${USER_ID}`)).body).toMatchObject({ open: false, last_inbound_at: null });
  });

  test('is left alone by viewers', async () => {
    const { page, goto, context } = await loggedIn(scene, { name: 'ben' });
    await goto(at());
    await menu(page);
    expect(await page.locator('.doings-list button').count()).toBe(0);
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    const { status } = await call(`${scene.gateway.url}${at()}/forget`, {
      method: 'POST',
      headers: { cookie, origin: scene.gateway.url, 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(status).toBe(403);
  });
});
