import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { insertDestination } from '../../../../gateway/forwarding/destinations/destination-rows';
import { destinationRules } from '../../../../gateway/http/destination-address';
import { isoTime } from '../../../../gateway/time';
import { until } from '../../../support/http-peer';
import { checkedPages } from '../../../support/panel/checked-pages';
import { CONTACT, startSandboxShop, type SandboxShop } from '../../../support/panel/sandbox-shop';
import { addPanelUser, axeFaults, closingWindows, loggedIn } from '../../../support/panel/visitor';
import { sceneOf, textTo, type Scene, type TestLine } from '../../../support/scene';

let scene: SandboxShop;
let line: TestLine;
closingWindows();

/** Expects that First steps offers nothing that these roles in all customers may not use. */
async function onlyAllowed(of: Scene): Promise<void> {
  for (const name of ['eddie', 'vera']) {
    const { page, goto, close } = await loggedIn(of, { name, script: false });
    await goto('/panel/start');
    const links = await page
      .locator('main a[href^="/"]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      const answer = await page.request.get(`${of.gateway.url}${link}`);
      expect([name, link, answer.status()]).toEqual([name, link, 200]);
    }
    expect([name, await page.locator('main form').count()]).toEqual([name, 0]);
    await close();
  }
}

beforeAll(async () => {
  scene = await startSandboxShop();
  line = scene.shop;
  await addPanelUser(scene, 'eddie', 'editor');
});
afterAll(() => scene.stop());

test('before a message, an editor and a viewer are offered only what they may do', () => onlyAllowed(scene));

test('the command comes with a token in it, and works as it is copied', async () => {
  const { page, goto } = await loggedIn(scene);
  await goto('/panel/start');
  await page.getByRole('button', { name: 'Generate a token and see how to use it' }).click();
  await page.getByRole('heading', { name: 'The new token' }).waitFor();
  expect(await page.textContent('main')).toContain('Write something from the sandbox phone');
  // Once the contact has written, nothing is to be done first.
  await scene.isWrittenTo();
  scene.clock.now += 2_000;
  await goto('/panel/start');
  await page.getByRole('button', { name: 'Send message', exact: true }).waitFor();
  // Made twice it is the same, so that it is not sent a second time.
  const mark = () => page.getAttribute('#steps', 'data-live');
  const first = await mark();
  await page.reload();
  expect(await mark()).toBe(first);
  await page.getByRole('button', { name: 'Generate a token and see how to use it' }).click();
  await page.getByRole('heading', { name: 'The new token' }).waitFor();
  expect(await page.textContent('main')).not.toContain('Write something from');
  const command = await page.locator('#send-a-text').innerText();
  await page.getByRole('link', { name: 'I have copied it' }).click();
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  if (process.platform === 'win32') return;
  const answer = await promisify(execFile)('sh', ['-c', command.replace('curl', 'curl -sS')]);
  expect(JSON.parse(answer.stdout)).toMatchObject({ success: true });
});

test('with an open window, an editor and a viewer are offered only what they may do', () =>
  onlyAllowed(scene));

test('where no forwarding URL is set, none is offered to be changed', async () => {
  const { id } = await scene.change((world) =>
    insertDestination({ ...world, rules: destinationRules(['127.0.0.0/8']) }, line.id, {
      url: 'http://127.0.0.1:9/other',
      origin: 'operator',
    }),
  );
  const { page, goto } = await loggedIn(scene, { script: false });
  await goto('/panel/start');
  expect(await page.textContent('main')).not.toContain('the forwarding URL');
  await page.getByRole('link', { name: 'See where events go' }).click();
  expect(await page.locator('#destinations').innerText()).toContain('http://127.0.0.1:9/other');
  await scene.change(({ store }) => store.destinations.remove(id, isoTime(scene.clock.now)));
});

test('on a phone, what is to be entered in n8n is seen whole', async () => {
  const { page, goto } = await loggedIn(scene, { width: 360 });
  await goto('/panel/start');
  await page.locator('details', { hasText: 'In n8n' }).evaluate('(one) => { one.open = true; }');
  const cut = await page.evaluate(
    `[...document.querySelectorAll('.facts pre')].map((one) => one.scrollWidth > one.clientWidth)`,
  );
  expect(cut).toEqual([false, false]);
});

test('the phone tells what comes next while it is open, and leads back', async () => {
  const { page, goto } = await loggedIn(scene);
  await goto(`/panel/phone/${line.id}/${CONTACT}`);
  await page.getByText('You are the contact now: tap a button above, or write below.').waitFor();
  await page.getByLabel('Message as this contact').fill('Thank you');
  await page.getByRole('button', { name: 'Send', exact: true }).first().click();
  await page.getByText('It works. Your answer was received as an event.').waitFor();
  expect(await page.getByRole('link', { name: '← First steps' }).count()).toBe(1);
  await page.getByRole('link', { name: 'Next step' }).click();
  await page.getByText('3 of 5 done').waitFor();
  // What comes next lies open.
  await page.getByText('add a credential Messaging Gateway API with').waitFor();
  // With the next message that has been read.
  await goto(`/panel/phone/${line.id}/${CONTACT}`);
  await page.getByText('It works.').waitFor();
  await scene.play(`/contacts/${CONTACT}/messages`, { text: 'One more thing', line: line.phoneNumberId });
  await page.getByText('It works.').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: '← First steps' }).waitFor();
});

test('once it works, it says what to run for a real number', async () => {
  const { page, goto } = await loggedIn(scene);
  await goto('/panel/start');
  expect(await page.locator('#go-live-settings').innerText()).toContain(
    'GATEWAY_UPSTREAM_URL=https://graph.facebook.com',
  );
  const vera = await loggedIn(scene, { name: 'vera' });
  await vera.goto('/panel/start');
  expect(await vera.page.locator('#go-live').count()).toBe(0);
});

describe('once all is done', () => {
  beforeAll(async () => {
    // Somebody else, who was answered and says no more.
    const other = '12025550188';
    await scene.play(`/contacts/${other}/messages`, { text: 'Hello', line: line.phoneNumberId });
    await until(async () => (await scene.gateway.windows.lastInboundAt(line.id, other)) !== null);
    scene.clock.now += 2_000;
    expect((await line.send(textTo(other, 'Good morning'))).status).toBe(200);
    await scene.change(async (world) => {
      const [token] = await world.store.tokens.ofLine(line.id);
      await world.store.tokens.markUsed([
        { id: token?.id ?? 0, at: isoTime(scene.clock.now), from: '127.0.0.1', by: null },
      ]);
      await insertDestination({ ...world, rules: destinationRules(['127.0.0.0/8']) }, line.id, {
        url: 'http://127.0.0.1:9/crm',
        origin: 'forwarding',
      });
    });
  });

  test('an editor and a viewer are offered only what they may do', () => onlyAllowed(scene));

  test('that is said, apart from the steps beneath', async () => {
    const { page, goto } = await loggedIn(scene);
    await goto('/panel/start');
    // Both at one moment: a live update may scroll the page, or put something above them.
    const distance = await page
      .locator('.notice', { hasText: 'Setup is complete.' })
      .evaluate(
        (said) =>
          (document.querySelector('.card')?.getBoundingClientRect().top ?? 0) -
          said.getBoundingClientRect().bottom,
      );
    expect(distance).toBeGreaterThanOrEqual(8);
    await goto(`/panel/phone/${line.id}/${CONTACT}`);
    await page.getByLabel('Message as this contact').waitFor();
    expect(await page.getByRole('link', { name: '← First steps' }).count()).toBe(0);
    await goto('/panel/start');
    await page.getByText('With curl').click();
    expect(await axeFaults(page)).toEqual([]);
  });

  checkedPages(() => scene, ['/panel/start?sandbox']);
});

describe('with the platform itself', () => {
  const real = sceneOf();
  beforeAll(async () => {
    await addPanelUser(real, 'ana');
    await addPanelUser(real, 'vera', 'viewer');
  });

  test('the callback is a step, which is done once the platform has verified it', async () => {
    const { page, goto } = await loggedIn(real);
    await goto('/panel/start');
    expect(await page.locator('.steps h2').allInnerTexts()).toEqual([
      'Connect your number',
      'Connect the callback',
      'Send the first message',
      'Answer it',
      'Send from n8n, or from your own program',
      'Set your webhook URL',
    ]);
    await real.line({ name: 'My shop' });
    await page.getByText('1 of 6 done').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await goto('/panel/overview');
    await page.getByRole('heading', { name: 'The callback of My shop is not connected' }).waitFor();
    await page.getByRole('link', { name: 'Connect the callback' }).click();
    await page.getByText('Waiting for the platform’s verification').waitFor();

    const vera = await loggedIn(real, { name: 'vera' });
    await vera.goto('/panel/start');
    expect(await vera.page.locator('#callback-url').innerText()).toContain('/webhooks/platform/');
    expect(await vera.page.locator('#verify-token').count()).toBe(0);

    await goto('/panel/start');
    const next = page.locator('.steps > [data-state="next"]');
    expect(await next.locator('h2').innerText()).toBe('Connect the callback');
    const token = await next.locator('#verify-token').innerText();
    const address = new URL(await next.locator('#callback-url').innerText());
    address.search = String(
      new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': 'c' }),
    );
    expect(await (await fetch(address)).text()).toBe('c');
    await page.getByText('2 of 6 done').waitFor();
    expect(await next.locator('h2').innerText()).toBe('Send the first message');
    await goto('/panel/overview');
    expect(await page.textContent('main')).not.toContain('is not connected');
  });

  test('the first message is a template to the own phone, prefilled by one click', async () => {
    const { page, goto } = await loggedIn(real, { script: false });
    await goto('/panel/start');
    const next = page.locator('.steps > [data-state="next"]');
    expect(await next.innerText()).toContain('This line has none yet');
    const template = (name: string) => ({
      ...{ id: `9${name.length}`, name, language: 'en_US', status: 'APPROVED', category: 'UTILITY' },
      components: [{ type: 'BODY', text: 'Hello' }],
    });
    real.upstream.answers.templates = () => ({
      body: { data: [template('a_first_one'), template('hello_world')] },
    });
    await next.getByRole('button', { name: 'Sync templates' }).click();
    await page.getByText('The templates are synced.').waitFor();
    await goto('/panel/start');
    await next.getByLabel('Your WhatsApp number').fill('12025550123');
    await next.getByRole('button', { name: 'Write the message' }).click();
    await page.getByRole('heading', { name: 'Send a message' }).waitFor();
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('12025550123');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const [sent = ''] = real.upstream.asked('messages', '106540352242901').map(({ body }) => body);
    expect(JSON.parse(sent)).toMatchObject({ to: '12025550123', template: { name: 'hello_world' } });
    await goto('/panel/start');
    expect(await next.locator('h2').innerText()).toBe('Answer it');
    expect(await page.locator('#go-live').count()).toBe(0);
  });

  checkedPages(() => real, ['/panel/start']);

  test('an event shows that the callback is connected, too', async () => {
    const one = await real.line({ name: 'Second' });
    const other = await real.line({ name: 'Third' });
    expect(await real.change(({ store }) => store.glance.notCalled())).toEqual([one.id, other.id]);
    await one.wrote(CONTACT, 0);
    expect(await real.change(({ store }) => store.glance.notCalled())).toEqual([other.id]);
    expect(await real.change(({ store }) => store.glance.notCalled(one.id))).toEqual([]);
  });
});
