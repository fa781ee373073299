import { insertDestination } from '../../../../gateway/forwarding/destinations/destination-rows';
import { destinationRules } from '../../../../gateway/http/destination-address';
import { pagesOf } from '../../../../gateway/panel/routes';
import { startPeer, until, type HttpPeer } from '../../../support/http-peer';
import { checkedPages } from '../../../support/panel/checked-pages';
import { CONTACT, PICTURE, startSandboxShop, type SandboxShop } from '../../../support/panel/sandbox-shop';
import { addPanelUser, axeFaults, loggedIn, type Visitor } from '../../../support/panel/visitor';
import { rows } from '../../../support/rows';
import { textTo, type Json, type TestLine } from '../../../support/scene';

const HOSTILE = '<img src=x onerror=alert(1)>"\'&{{7*7}}\u202e';

let scene: SandboxShop;
let line: TestLine;
let receiver: HttpPeer;

beforeAll(async () => {
  scene = await startSandboxShop();
  line = scene.shop;
  receiver = await startPeer();
  await scene.change((world) =>
    insertDestination({ ...world, rules: destinationRules(['127.0.0.0/8']) }, line.id, {
      url: receiver.url,
      origin: 'operator',
    }),
  );
});
afterAll(async () => {
  await scene.stop();
  await receiver.close();
});

const at = (contact = CONTACT): string => `/panel/phone/${line.id}/${contact}`;

const play: SandboxShop['play'] = (...asked) => scene.play(...asked);

test('whoever is not logged in sees no phone, and a viewer writes on none', async () => {
  const vera = await loggedIn(scene, { name: 'vera' });
  const cookie = (await vera.context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const { url } = scene.gateway;
  const pages = pagesOf({ sandboxUrl: url }).filter((one) => one.url.startsWith('/phone'));
  expect(pages).toHaveLength(5);
  for (const one of pages) {
    const ask = (headers: Record<string, string>) =>
      fetch(`${url}/panel${one.url.replace(':line', String(line.id)).replace(':contact', CONTACT)}`, {
        method: one.method,
        headers: { origin: url, ...headers },
        redirect: 'manual',
      });
    expect([one.url, (await ask({})).status]).toEqual([one.url, 303]);
    if (one.permission === 'messages.send')
      expect([one.url, (await ask({ cookie })).status]).toEqual([one.url, 403]);
  }
  // The sandbox's time and failures are shared by all customers.
  await addPanelUser(scene, 'aga', 'agent');
  const aga = await loggedIn(scene, { name: 'aga' });
  await aga.goto(at('12025550179'));
  await aga.page.getByRole('heading', { name: 'Messages to this contact' }).waitFor();
  expect(await aga.page.getByRole('heading', { name: /^(Time|Failures of the platform)$/ }).count()).toBe(0);
  const before = await play('');
  const answers = await aga.page.evaluate(async (address) => {
    const form_token = document.querySelector<HTMLInputElement>('[name="form_token"]')?.value ?? '';
    const statuses: number[] = [];
    for (const fields of ['do=clock&advance=1h', 'do=trouble&trouble=cut&for=1m', 'do=usual']) {
      const body = new URLSearchParams(`${fields}&form_token=${encodeURIComponent(form_token)}`);
      statuses.push((await fetch(address, { method: 'POST', body })).status);
    }
    return statuses;
  }, at('12025550179'));
  expect(answers).toEqual([403, 403, 403]);
  const { clock, outage } = await play('');
  expect([(clock as Json).ahead, outage]).toEqual([(before.clock as Json).ahead, before.outage]);
  await aga.close();
  await vera.goto(at('12025550179'));
  await vera.page.locator('.phone').getByText('No messages yet').waitFor();
  expect(await vera.page.getByText('Try it in three steps').count()).toBe(0);
  await vera.close();
});

/** The window of a contact is open, as the gateway knows. */
async function opened(contact: string, more: object = {}): Promise<void> {
  await play(`/contacts/${contact}/messages`, { text: 'Hello', line: line.phoneNumberId, ...more });
  await until(async () => (await scene.gateway.windows.lastInboundAt(line.id, contact)) !== null);
}

async function sent(body: object): Promise<string> {
  const reply = await line.send(body);
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  return reply.body.messages[0].id;
}

const to = (contact: string, type: string, content: object, more: object = {}): object => ({
  messaging_product: 'whatsapp',
  to: contact,
  type,
  [type]: content,
  ...more,
});

const interactive = (contact: string, content: object): object => to(contact, 'interactive', content);

const buttons = {
  type: 'button',
  header: { type: 'text', text: 'Your order' },
  body: { text: 'Shall we *deliver* it on _Friday_?' },
  footer: { text: 'My shop' },
  action: {
    buttons: ['Yes, please', 'Another day'].map((title) => ({
      type: 'reply',
      reply: { id: `id-${title.slice(0, 3)}`, title },
    })),
  },
};

const list = {
  type: 'list',
  body: { text: 'When shall we come?' },
  action: {
    button: 'Choose a time',
    sections: [
      { title: 'Morning', rows: [{ id: 'row-9', title: '9 to 10', description: 'Before work' }] },
      { title: 'Evening', rows: [{ id: 'row-18', title: '18 to 19' }] },
    ],
  },
};

/** The messages of a contact that came to the customer's destination. */
const arrived = (contact: string): Json[] =>
  receiver.received
    .map(({ body }): Json => JSON.parse(body))
    .flatMap((event) => event.entry ?? [])
    .flatMap((entry: Json) => entry.changes)
    .flatMap((change: Json) => change.value.messages ?? [])
    .filter((message: Json) => message.from === contact);

/** What became of a message, as the customer's destination was told. */
const told = (wamid: string): string[] =>
  receiver.received
    .flatMap(({ body }): Json[] => JSON.parse(body).entry ?? [])
    .flatMap((entry) => entry.changes)
    .flatMap((change: Json) => change.value.statuses ?? [])
    .filter((status: Json) => status.id === wamid)
    .map((status: Json) => status.status);

/** Events that the platform has told again, in all. */
async function repeated(): Promise<number> {
  const metrics = await (await fetch(`${scene.gateway.url}/metrics`)).text();
  return Number(/^gateway_events_total\{result="repeated"\} (\d+)/m.exec(metrics)?.[1] ?? 0);
}

async function untilArrived(contact: string, is: object): Promise<void> {
  await until(() => {
    try {
      expect(arrived(contact)).toContainEqual(expect.objectContaining(is));
      return true;
    } catch {
      return false;
    }
  }).catch(() => expect(arrived(contact)).toContainEqual(expect.objectContaining(is)));
}

describe('the sandbox phone', () => {
  let ana: Visitor;
  beforeAll(async () => {
    ana = await loggedIn(scene);
  });

  const chat = ({ page }: Visitor = ana) => page.getByRole('log', { name: 'Messages' });
  const bubble = (text: string, visitor = ana) =>
    chat(visitor).getByRole('article').filter({ hasText: text });

  describe('of a busy chat', () => {
    const busy = '12025550101';
    beforeAll(async () => {
      await opened(busy, { name: `Ana Lima ${HOSTILE}` });
      const { id } = await play(`/contacts/${busy}/messages`, {
        image: { data: PICTURE.toString('base64'), mime_type: 'image/png', caption: 'It came *like* this' },
        line: line.phoneNumberId,
      });
      await sent(
        textTo(
          busy,
          'Hello *Ana*, _thank you_ for ~writing~ ```A-1042```\nhttps://example.com/a_b_c. See you!',
        ),
      );
      await sent(
        to(
          busy,
          'text',
          { body: 'See https://example.com/help', preview_url: true },
          { context: { message_id: id } },
        ),
      );
      await sent(textTo(busy, `${HOSTILE} *${HOSTILE}* javascript:alert(1)`));
      await sent(interactive(busy, buttons));
      await sent(interactive(busy, list));
      await sent(
        to(busy, 'location', {
          latitude: -23.55,
          longitude: -46.63,
          name: 'My shop',
          address: 'Rua Augusta 1',
        }),
      );
      await sent(
        to(busy, 'document', { link: 'https://example.com/a.pdf', filename: HOSTILE, caption: 'The bill' }),
      );
      await sent(
        to(busy, 'contacts', [
          { name: { formatted_name: 'Ana Lima' }, phones: [{ phone: '+1 202-555-0163' }] },
        ]),
      );
      await sent(
        to(busy, 'template', {
          name: 'appointment_reminder',
          language: { code: 'en_US' },
          components: [
            {
              type: 'body',
              parameters: ['Ana', 'Friday', '15:30'].map((text) => ({ type: 'text', text })),
            },
          ],
        }),
      );
      await sent(to(busy, 'reaction', { message_id: id, emoji: '👍' }));
      await play(`/contacts/${busy}`, { path: 'failed', code: 131026, next: 1 });
      await sent(textTo(busy, 'This one fails'));
      await until(async () => (await scene.gateway.windows.lastInboundAt(line.id, busy)) !== null);
    });

    checkedPages(() => scene, [() => at(busy), () => at('12025550109'), '/panel/phone/new?contact=ana']);

    it('is shown as the contact sees it', async () => {
      await ana.goto(at(busy));
      await expectVisible(bubble('Hello Ana, thank you'));
      const text = bubble('Hello Ana, thank you');
      expect(await text.locator('strong').first().innerText()).toBe('Ana');
      expect(await text.locator('em').innerText()).toBe('thank you');
      expect(await text.locator('s').innerText()).toBe('writing');
      expect(await text.locator('code').innerText()).toBe('A-1042');
      const link = text.getByRole('link');
      expect(await link.getAttribute('href')).toBe('https://example.com/a_b_c');
      expect(await link.getAttribute('rel')).toContain('noopener noreferrer');
      expect(await bubble('See https://example.com/help').locator('.quote').innerText()).toBe(
        'It came like this',
      );
      expect(await bubble('See https://example.com/help').locator('.chat-preview').innerText()).toContain(
        'example.com',
      );
      expect(await bubble('Your appointment').innerText()).toMatch(
        /Hello Ana, we expect you on Friday at 15:30/,
      );
      expect(await bubble('Your appointment').getByRole('button', { name: 'Yes' }).count()).toBe(1);
      expect(await bubble('My shop').filter({ hasText: 'Rua Augusta 1' }).innerText()).toContain(
        '-23.55000, -46.63000',
      );
      expect(await bubble('+1 202-555-0163').innerText()).toContain('Ana Lima');
      expect(await bubble('It came like this').locator('.reactions').innerText()).toContain('👍');
    });

    it('shows pictures of the sandbox through the panel, and nothing of another host', async () => {
      await ana.goto(at(busy));
      const address = await bubble('It came like this').getByRole('img').getAttribute('src');
      const answer = await ana.page.request.get(`${scene.gateway.url}${address}`);
      expect(answer.headers()).toMatchObject({
        'content-type': 'image/png',
        'content-disposition': 'inline',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      });
      expect(await answer.body()).toEqual(PICTURE);
      const outside = await fetch(`${scene.gateway.url}${address}`, { redirect: 'manual' });
      expect(outside.status).toBe(303);
      expect(ana.complaints).toEqual([]);
    });

    it('takes what is hostile for text', async () => {
      await ana.goto(at(busy));
      await expectVisible(bubble('javascript:alert(1)'));
      expect(await ana.page.locator('img[src=x]').count()).toBe(0);
      expect(await ana.page.locator('a[href^="javascript"]').count()).toBe(0);
      // The name of a file stands in its real order.
      expect(HOSTILE).toContain('\u202e');
      expect(await bubble('The bill').innerText()).toContain(HOSTILE.replace('\u202e', ''));
      // Of what is elsewhere nobody is told that a phone had it.
      expect(await bubble('The bill').innerText()).toContain(
        'on the web, not fetched here: https://example.com',
      );
      expect(await ana.page.getByRole('region', { name: /Phone of Ana Lima/ }).count()).toBe(1);
    });

    it('names each contact in one line of the list, with the time beside it', async () => {
      await ana.goto(at(busy));
      const list = await ana.page.locator('.contact-list').boundingBox();
      const time = ana.page.locator('.contact-list a', { hasText: '<img' }).locator('time').first();
      const { x = NaN, width = NaN } = (await time.boundingBox()) ?? {};
      expect(x + width).toBeLessThanOrEqual((list?.x ?? NaN) + (list?.width ?? NaN));
    });

    it('says what did not arrive, and why', async () => {
      await ana.goto(at(busy));
      await expectVisible(bubble('This one fails').getByText('Not on this phone.'));
      expect(await bubble('This one fails').innerText()).toContain('131026');
      await expectVisible(bubble('Hello Ana, thank you').getByText('Read', { exact: true }));
    });
  });

  it('gives anything but a picture to be saved', async () => {
    const contact = '12025550110';
    await play(`/contacts/${contact}/messages`, {
      document: {
        data: Buffer.from('<script>alert(1)</script>').toString('base64'),
        mime_type: 'text/html',
        filename: 'a.html',
      },
      line: line.phoneNumberId,
    });
    await ana.goto(at(contact));
    const address = await bubble('a.html').getByRole('link', { name: 'a.html' }).getAttribute('href');
    const answer = await ana.page.request.get(`${scene.gateway.url}${address}`);
    expect(answer.headers()).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect((await ana.page.request.get(`${scene.gateway.url}/panel/phone/files/1`)).status()).toBe(404);
    const created_at = new Date().toISOString();
    const customer = await scene.change(({ store }) =>
      store.customers.insert({ name: 'Another', external_id: null, created_at }),
    );
    await addPanelUser(scene, 'eva', 'viewer', customer?.id ?? 0);
    const eva = await loggedIn(scene, { name: 'eva' });
    expect((await eva.page.request.get(`${scene.gateway.url}${address}`)).status()).toBe(404);
    await eva.close();
  });

  it('stays at its end as its pictures load and messages come', async () => {
    const contact = '12025550111';
    const image = { data: PICTURE.toString('base64'), mime_type: 'image/png' };
    await opened(contact);
    await play(`/contacts/${contact}/messages`, { image, line: line.phoneNumberId });
    for (const text of ['One', 'Two', 'Three']) await sent(textTo(contact, text));
    const { page, goto, close } = await loggedIn(scene, { width: 360 });
    const left = `new Promise(requestAnimationFrame).then(() => {
      const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.chat');
      return Math.round(scrollHeight - scrollTop - clientHeight);
    })`;
    await goto(at(contact));
    const isLoaded = `document.querySelector('.chat-picture img').naturalWidth > 0`;
    await until(() => page.evaluate<boolean>(isLoaded));
    await until(async () => (await page.evaluate(left)) === 0);
    // Whoever has scrolled up by less than a message still follows.
    await page.evaluate(`document.querySelector('.chat').scrollBy(0, -60)`);
    await sent(textTo(contact, 'Four'));
    await page.locator('.chat').getByText('Four', { exact: true }).waitFor();
    await until(async () => (await page.evaluate(left)) === 0);
    await close();
  });

  it('shows a send by API while it is open, with its status', async () => {
    const contact = '12025550102';
    await opened(contact);
    await ana.goto(at(contact));
    await sent(textTo(contact, 'Is it you?'));
    await expectVisible(bubble('Is it you?'));
    await expectVisible(bubble('Is it you?').getByText('Read', { exact: true }));
    // A phone has ticks at what was written on it.
    expect(await chat().locator('[data-side=line] .tick').count()).toBe(0);
    expect(await chat().locator('[data-side=own] .tick').count()).toBe(1);
  });

  it.each([
    [740, 360],
    [844, 390],
    [360, 420],
    [1280, 420],
  ])('is written on, with two messages in sight, on a screen of %i by %i pixels', async (width, height) => {
    const contact = '12025550198';
    await opened(contact);
    for (const text of ['Are you there?', 'It is ready.']) await sent(textTo(contact, text));
    const { page, goto, close } = await loggedIn(scene, { width });
    await page.setViewportSize({ width, height });
    await goto(at(contact));
    await page.locator('.told').nth(1).waitFor();
    const write = await page.getByLabel('Message as this contact').boundingBox();
    expect((write?.y ?? height) + (write?.height ?? 0)).toBeLessThanOrEqual(height);
    // Both at once: what arrives puts another chat in its place.
    await until(() =>
      page.evaluate(`{
        const top = (one) => one.getBoundingClientRect().top;
        const [chat, first] = [document.querySelector('.chat'), [...document.querySelectorAll('.phone-bubble')].at(-2)];
        Boolean(first) && top(first) >= top(chat);
      }`),
    );
    await close();
  });

  it('writes, and tells how to begin', async () => {
    const contact = '12025550103';
    await ana.goto(`${at(contact)}?name=Ana`);
    await expectVisible(ana.page.getByText('Try it in three steps'));
    await ana.page.locator('.phone').getByRole('button', { name: 'Send', exact: true }).click();
    await expectVisible(bubble('Hello'));
    await expectVisible(chat().getByText('24-hour window open until'));
    await untilArrived(contact, { type: 'text', text: { body: 'Hello' } });
    // Twelve of one name are told apart.
    const listed = ana.page.locator('.contact-list [aria-current]');
    await expectVisible(listed.filter({ hasText: /Ana.*\+1 202-555-0103.*Hello/ }));
    expect(await ana.page.getByText('Try it in three steps').count()).toBe(0);
  });

  it.each([
    ['with script', true],
    ['without script', false],
  ])('taps, chooses, reacts, sends a file and a location: %s', async (_name, script) => {
    const contact = script ? '12025550104' : '12025550105';
    await opened(contact);
    const asked = await sent(interactive(contact, buttons));
    const offered = await sent(interactive(contact, list));
    const visitor = script ? ana : await loggedIn(scene, { script });
    const { page } = visitor;
    await visitor.goto(at(contact));

    await bubble('Shall we', visitor).getByRole('button', { name: 'Yes, please' }).click();
    await untilArrived(contact, {
      type: 'interactive',
      context: expect.objectContaining({ id: asked }),
      interactive: { type: 'button_reply', button_reply: { id: 'id-Yes', title: 'Yes, please' } },
    });

    await bubble('When shall we', visitor).getByRole('button', { name: 'Choose a time' }).click();
    const sheet = page.getByRole('dialog', { name: 'Choose a time' });
    if (script) expect(await axeFaults(page)).toEqual([]);
    // At the foot of the phone, not of the window.
    const [around, within] = [await page.locator('.phone').boundingBox(), await sheet.boundingBox()];
    expect(within?.x).toBeGreaterThan(around?.x ?? Infinity);
    expect(within?.width).toBeLessThan(around?.width ?? 0);
    await sheet.getByRole('button', { name: '9 to 10' }).click();
    await untilArrived(contact, {
      type: 'interactive',
      context: expect.objectContaining({ id: offered }),
      interactive: {
        type: 'list_reply',
        list_reply: { id: 'row-9', title: '9 to 10', description: 'Before work' },
      },
    });

    await bubble('Shall we', visitor).first().locator('.doings > summary').click();
    await bubble('Shall we', visitor).first().getByRole('button', { name: 'Heart' }).click();
    await untilArrived(contact, { type: 'reaction', reaction: { message_id: asked, emoji: '❤️' } });
    await expectVisible(bubble('Shall we', visitor).locator('.reactions'));

    const attach = page.getByText('Send a picture, a file or a location').locator('..');
    await attach.click();
    await page.getByLabel('Picture or file').setInputFiles({
      name: 'a.png',
      mimeType: 'image/png',
      buffer: PICTURE,
    });
    if (script) expect(await axeFaults(page)).toEqual([]);
    await page.getByLabel('Caption').fill('My *garden*');
    await page.getByRole('button', { name: 'Send file' }).click();
    await untilArrived(contact, {
      type: 'image',
      image: expect.objectContaining({ caption: 'My *garden*', mime_type: 'image/png' }),
    });
    await expectVisible(bubble('My garden', visitor).getByRole('img'));

    await attach.click();
    await page.getByLabel('Latitude').fill('52.52');
    await page.getByLabel('Longitude').fill('13.405');
    await page.getByLabel('Name of the place').fill('Here');
    await page.getByRole('button', { name: 'Send location' }).click();
    await untilArrived(contact, {
      type: 'location',
      location: { latitude: 52.52, longitude: 13.405, name: 'Here' },
    });
    expect(visitor.complaints).toEqual([]);
    if (!script) await visitor.close();
  });

  it('answers a message, and takes its own back, by keyboard alone', async () => {
    const contact = '12025550106';
    await opened(contact);
    const id = await sent(textTo(contact, 'Which one?'));
    await ana.goto(at(contact));
    const { page } = ana;
    await bubble('Which one?').locator('.doings > summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/reply=/);
    await page.getByLabel('Message as this contact').focus();
    await page.keyboard.type('The blue one');
    await page.keyboard.press('Enter');
    await untilArrived(contact, {
      type: 'text',
      text: { body: 'The blue one' },
      context: expect.objectContaining({ id }),
    });
    await expectVisible(bubble('The blue one'));
    expect(await page.evaluate('document.activeElement.id')).toBe('field-text');
    await bubble('The blue one').last().locator('.doings > summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expectVisible(bubble('Deleted by this contact'));
  });

  it('offers what can be done with a message beneath it, and moves nothing', async () => {
    const contact = '12025550112';
    await opened(contact);
    await opened(contact, { text: 'Good morning' });
    await ana.goto(at(contact));
    const [first, second] = [bubble('Hello'), bubble('Good morning')];
    const summary = first.locator('.doings > summary');
    const places = () => Promise.all([summary, first, second].map((one) => one.boundingBox()));
    const before = await places();
    await summary.click();
    await expectVisible(first.getByRole('button', { name: 'Delete' }));
    expect(await places()).toEqual(before);
    expect((await first.locator('.doings-list').boundingBox())?.x).toBe(before[0]?.x);
    expect(
      await ana.page.evaluate(
        `{ const chat = document.querySelector('.chat'); chat.scrollWidth - chat.clientWidth }`,
      ),
    ).toBe(0);
  });

  it('closes what a message offers with a press beside it, with that of another message, and with Escape', async () => {
    const contact = '12025550114';
    await opened(contact);
    await opened(contact, { text: 'Good morning' });
    await ana.goto(at(contact));
    const [first, second] = [bubble('Hello'), bubble('Good morning')].map((one) =>
      one.locator('.doings > summary'),
    );
    const isOpen = async () => [
      await bubble('Hello').locator('.doings[open]').count(),
      await bubble('Good morning').locator('.doings[open]').count(),
    ];
    await first?.click();
    await second?.click();
    expect(await isOpen()).toEqual([0, 1]);
    expect(await ana.page.locator('.phone-who p').innerText()).toBe('+1 555-078-3881');
    await ana.page.locator('.phone-who').click();
    expect(await isOpen()).toEqual([0, 0]);
    await first?.click();
    await ana.page.getByRole('button', { name: 'Delete' }).focus();
    await ana.page.keyboard.press('Escape');
    expect(await isOpen()).toEqual([0, 0]);
    expect(await first?.evaluate((one: unknown) => one === globalThis.document.activeElement)).toBe(true);
  });

  it.each([
    ['with script', true],
    ['without script', false],
  ])('closes its sheet with a press beside it, which does nothing else: %s', async (_name, script) => {
    const contact = script ? '12025550115' : '12025550116';
    await opened(contact);
    await sent(interactive(contact, buttons));
    const visitor = await loggedIn(scene, { script });
    await visitor.goto(at(contact));
    const { page } = visitor;
    const sheet = page.locator('.phone .attach-sheet');
    await page.locator('.phone .attach > summary').click();
    await expectVisible(sheet);
    const covered = await sheet.boundingBox();
    await page.mouse.click((covered?.x ?? 0) + 40, (covered?.y ?? 0) - 10);
    await sheet.waitFor({ state: 'hidden' });
    const { messages } = await play(`/contacts/${contact}/messages?line=${line.phoneNumberId}`);
    expect(messages).toHaveLength(2);
    if (script) {
      await page.locator('.phone .attach > summary').click();
      await page.keyboard.press('Escape');
      await sheet.waitFor({ state: 'hidden' });
    }
    await visitor.close();
  });

  it('is written in lines, of which four are seen, and sends with Enter', async () => {
    const contact = '12025550113';
    await opened(contact);
    const { page } = ana;
    await ana.goto(at(contact));
    const field = page.getByLabel('Message as this contact');
    const height = async () => (await field.boundingBox())?.height ?? 0;
    const one = await height();
    await field.fill('One');
    expect(await height()).toBe(one);
    await field.press('Shift+Enter');
    await page.keyboard.type('Two');
    expect(await height()).toBeGreaterThan(one);
    await field.press('Enter');
    await untilArrived(contact, { type: 'text', text: { body: 'One\nTwo' } });
    await field.fill('A line\n'.repeat(20));
    expect(await height()).toBeLessThan(4.5 * one);
    await page.getByLabel('Text', { exact: true }).fill('An\nanswer');
    await page.getByLabel('Text', { exact: true }).press('Enter');
    await expectVisible(bubble('answer'));
    const { messages } = await play(`/contacts/${contact}/messages?line=${line.phoneNumberId}`);
    expect(messages.at(-1).text.body).toBe('An\nanswer');
    await page.getByRole('link', { name: 'View status' }).click();
    await page.waitForURL(
      new RegExp(`/panel/messages/${line.id}/${encodeURIComponent(messages.at(-1).id)}$`),
    );
  });

  it('says what it cannot send, and keeps what was typed', async () => {
    await ana.goto(at('12025550107'));
    await ana.page.getByLabel('Message as this contact').fill('   ');
    await ana.page.locator('.phone').getByRole('button', { name: 'Send', exact: true }).click();
    await expectVisible(ana.page.getByRole('alert').getByText('Enter a message first.'));
    expect(await ana.page.getByLabel('Message as this contact').inputValue()).toBe('   ');
    await ana.goto('/panel/phone/new?contact=7');
    await expectVisible(ana.page.locator('.fault').getByText('A number has 5 to 20 digits'));
  });

  it.each([
    [1280, 720, 'field-text'],
    [1280, 800, 'field-text'],
    [1366, 768, 'field-text'],
    // Where a keyboard would come up over half of it, nothing asks for one.
    [360, 740, ''],
  ])(
    'is seen whole as it opens, from its head to the field to write in: %i × %i',
    async (width, height, focused) => {
      const { page } = ana;
      await page.setViewportSize({ width, height });
      await ana.goto(at('12025550109'));
      await page.evaluate('new Promise(requestAnimationFrame)');
      expect(await page.evaluate('[scrollY, document.activeElement.id]')).toEqual([0, focused]);
      const phone = await page.locator('.phone').boundingBox();
      expect(phone?.y).toBeGreaterThan(0);
      expect((phone?.y ?? 0) + (phone?.height ?? 0)).toBeLessThanOrEqual(height);
      await page.setViewportSize({ width: 1280, height: 900 });
    },
  );

  it('is the page on a narrow window: below one line with the menu, from side to side', async () => {
    const { page, goto, close } = await loggedIn(scene, { width: 360 });
    await goto(at('12025550109'));
    const around = await page.locator('.phone').boundingBox();
    expect(around).toMatchObject({ x: 0, width: 360 });
    expect(around?.y).toBeLessThan(50);
    expect((around?.y ?? 0) + (around?.height ?? 0)).toBe(900);
    expect((await page.locator('.chat').boundingBox())?.height).toBeGreaterThan(640);
    // The line's name stands once, in the phone's head.
    expect(await page.locator('.page-head .lead').innerText()).not.toContain('My shop');
    await close();
  });

  describe('has switches', () => {
    const contact = '12025550108';
    beforeAll(() => opened(contact));

    async function set(path: string, times: string): Promise<void> {
      await ana.goto(at(contact));
      await ana.page.getByRole('heading', { name: 'Messages to this contact' }).click();
      await ana.page.getByLabel('Result').selectOption({ label: path });
      await ana.page.getByLabel('For', { exact: true }).selectOption({ label: times });
      await ana.page.getByRole('button', { name: 'Set', exact: true }).click();
      await expectVisible(ana.page.getByText('Set. It applies'));
    }

    it('for what becomes of messages', async () => {
      await set('Read receipts off', 'from now on');
      await ana.page.getByRole('heading', { name: 'Messages to this contact' }).click();
      expect(await ana.page.getByLabel('Result').inputValue()).toBe('delivered');
      await sent(textTo(contact, 'One'));
      await expectVisible(bubble('One').getByText('Delivered', { exact: true }));
      await set('Phone switched off', 'the next message');
      await sent(textTo(contact, 'Two'));
      await expectVisible(bubble('Two').getByText('Sent, not delivered'));
      await set('Fails after it was sent', 'the next message');
      await sent(textTo(contact, 'Three'));
      await expectVisible(bubble('Three').getByText('Not on this phone.'));
      await set('Refused at once', 'the next message');
      expect((await line.send(textTo(contact, 'Four'))).status).toBe(400);
      await set('Each status twice', 'from now on');
      expect(await play(`/contacts/${contact}`)).toMatchObject({ path: { path: 'repeated' } });
      await ana.page.getByRole('button', { name: 'Back to normal' }).click();
      await expectVisible(ana.page.getByText('Everything is back to normal.'));
      expect((await play(`/contacts/${contact}`)).path).toEqual({ path: 'read' });
      const { action, who, details } = (
        await rows(scene.databaseUrl, 'select * from audit order by number')
      ).at(-1) as Json;
      expect([action, who, JSON.parse(details)]).toEqual(['sandbox.switched', 'ana', { do: 'usual' }]);
    });

    it.each([
      ['Each status twice', ['sent', 'delivered', 'read'], 3],
      ['Statuses out of order', ['read', 'delivered', 'sent'], 0],
      ['Read, never delivered', ['sent', 'read'], 0],
      ['All in one notification', ['sent', 'delivered', 'read'], 0],
    ])('for statuses that come in other ways: %s', async (path, statuses, repeats) => {
      const before = await repeated();
      await set(path, 'the next message');
      const id = await sent(textTo(contact, path));
      await until(() => told(id).length === statuses.length);
      // What is sent twice is passed on once.
      expect(told(id)).toEqual(statuses);
      await until(async () => (await repeated()) === before + repeats);
      expect((await play(`/contacts/${contact}`)).path).toEqual({ path: 'read' });
    });

    it('for no more than can be followed, which is told with the way out', async () => {
      const script = { code: 130429, contact, line: line.phoneNumberId, times: 1 };
      for (let index = 0; index < 100; index++) await play('/failures', script);
      await ana.goto(at(contact));
      await ana.page.getByRole('heading', { name: 'Messages to this contact' }).click();
      await ana.page.getByLabel('Result').selectOption({ label: 'Refused at once' });
      await ana.page.getByRole('button', { name: 'Set', exact: true }).click();
      await expectVisible(ana.page.getByText('Too many simulations are set. Press Back to normal first.'));
      await ana.page.getByRole('button', { name: 'Back to normal' }).click();
      await expectVisible(ana.page.getByText('Everything is back to normal.'));
    });

    it('for answers that take long', async () => {
      await ana.goto(at(contact));
      await ana.page.getByRole('heading', { name: 'Failures of the platform' }).click();
      await ana.page.getByLabel('What happens').selectOption({ label: 'Answers take 2 seconds' });
      await ana.page.getByRole('button', { name: 'Start' }).click();
      await expectVisible(ana.page.getByText(/Answers take 2s until/));
      expect((await play('')).latency).toMatchObject({ delay: '2s' });
      await ana.page.getByRole('button', { name: 'Back to normal' }).click();
      await expectVisible(ana.page.getByText('Everything is back to normal.'));
    });

    it('for a platform in trouble', async () => {
      await ana.goto(at(contact));
      await ana.page.getByRole('heading', { name: 'Failures of the platform' }).click();
      await ana.page.getByLabel('What happens').selectOption({ label: 'Answers are HTTP 503' });
      await ana.page.getByRole('button', { name: 'Start' }).click();
      await expectVisible(ana.page.getByText('Failing', { exact: true }));
      expect((await line.send(textTo(contact, 'Five'))).status).toBeGreaterThanOrEqual(500);
      await ana.page.getByRole('button', { name: 'Back to normal' }).click();
      await expectVisible(ana.page.getByText('Everything is back to normal.'));
      await sent(textTo(contact, 'Six'));
    });

    it('for a platform that is gone, which an open phone tells of until it is back', async () => {
      await ana.goto(at(contact));
      await play('/outage', { kind: 'refused', for: '4s' });
      await expectVisible(ana.page.getByText('The sandbox does not answer.'));
      await ana.page.getByText('The sandbox does not answer.').waitFor({ state: 'detached' });
      await expectVisible(bubble('Hello'));
    });

    it('for a flood', async () => {
      await ana.goto(at(contact));
      await ana.page.getByRole('heading', { name: 'Flood' }).click();
      const count = ana.page.getByLabel('How many messages');
      await count.fill('5000');
      await ana.page.getByRole('button', { name: 'Send them' }).click();
      // Where it was asked for, with what was typed.
      await expectVisible(ana.page.locator('.fold', { has: count }).getByText('A flood has 1 to 1000'));
      expect([await count.isVisible(), await count.inputValue()]).toEqual([true, '5000']);
      await count.fill('3');
      await ana.page.getByRole('button', { name: 'Send them' }).click();
      await expectVisible(ana.page.getByText('3 messages are on their way.'));
      await untilArrived('12025550102', { type: 'text', text: { body: 'Message 3 of 3' } });
    });

    it('for 24 hours later, and to forget the contact', async () => {
      await ana.goto(at(contact));
      await ana.page.getByRole('heading', { name: 'Time' }).click();
      const advances = ana.page.locator('[name=advance]');
      expect(await advances.allInnerTexts()).toEqual(['1 hour later', '24 hours later']);
      await advances.last().click();
      await expectVisible(chat().getByText('24-hour window closed'));
      await expectVisible(ana.page.getByText('Ahead', { exact: true }));
      await ana.page.getByRole('heading', { name: 'Messages to this contact' }).click();
      await ana.page.getByRole('button', { name: 'Forget this contact' }).click();
      await ana.page.getByRole('button', { name: 'Forget it' }).click();
      await expectVisible(ana.page.getByText('The sandbox has forgotten this contact.'));
      expect((await play(`/contacts/${contact}/messages?line=${line.phoneNumberId}`)).messages).toEqual([]);
    });
  });

  it('begins a new day at midnight of the reader, wherever that is', async () => {
    const contact = '12025550177';
    await opened(contact);
    await play('/clock', { advance: '2h' });
    await opened(contact);
    const { messages } = await play(`/contacts/${contact}/messages?line=${line.phoneNumberId}`);
    const hour = new Date(messages[0].at).getUTCHours();
    // Of the two, one disagrees with UTC at any hour.
    for (const [local, days] of [
      [23, 2],
      [12, 1],
    ] as const) {
      const ahead = ((local - hour + 36) % 24) - 12;
      // As POSIX has it: west of Greenwich is positive.
      const one = await loggedIn(scene, { timezone: `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}` });
      await one.goto(at(contact));
      await one.page.locator('.chat-day:visible').first().waitFor();
      expect([local, await one.page.locator('.chat-day:visible').count()]).toEqual([local, days]);
      await one.close();
    }
  });

  it('keeps its sheets within itself on a narrow window, and says what is refused in its language', async () => {
    const contact = '12025550178';
    await opened(contact);
    await sent(interactive(contact, list));
    await sent(interactive(contact, buttons));
    const one = await loggedIn(scene, { width: 360, locale: 'es-ES' });
    await one.goto(at(contact));
    const width = async (selector: string) => (await one.page.locator(selector).boundingBox())?.width ?? 0;
    const top = async (selector: string) => (await one.page.locator(selector).boundingBox())?.y ?? 0;
    const phone = await width('.phone');
    // What a message at the foot of the chat offers is scrolled into view.
    await one.page.setViewportSize({ width: 360, height: 640 });
    await one.page.evaluate(
      `{ const summary = [...document.querySelectorAll('.doings:has(.emoji) > summary')].at(-1), chat = summary.closest('.chat');
         chat.scrollTop += summary.getBoundingClientRect().bottom - chat.getBoundingClientRect().bottom; summary.click(); }`,
    );
    const foot = await top('.phone-foot');
    await until(async () => (await top('.doings[open] .doings-list')) + 44 < foot);
    await one.page.setViewportSize({ width: 360, height: 900 });
    await one.goto(at(contact));
    await one.page.locator('.phone .attach > summary').click();
    expect(await top('.phone .attach-sheet')).toBeGreaterThan(await top('.phone'));
    for (const field of await one.page.locator('.phone .attach-sheet input:visible').all())
      expect((await field.boundingBox())?.width).toBeLessThan(phone);
    await one.page.locator('.phone .attach > summary').click();
    await one.page.getByRole('button', { name: 'Choose a time' }).click();
    expect(await width('.sheet[open]')).toBeLessThanOrEqual(phone);
    await one.page.getByRole('button', { name: 'Cerrar' }).click();
    // The page is shown still, of messages that are gone.
    await one.page.route('**', (route) =>
      route.request().headers().accept?.includes('event-stream') ? route.abort() : route.continue(),
    );
    await one.goto(at(contact));
    await play('/reset', { contact });
    await one.page.getByRole('button', { name: 'Another day' }).click();
    await expectVisible(one.page.getByText('El sandbox ya no tiene este mensaje'));
    await one.close();
  });

  it('shows another line as soon as it is chosen; without script, by a button', async () => {
    const other = await scene.line({ name: 'Another shop' });
    for (const script of [true, false]) {
      const { page, goto, close } = await loggedIn(scene, { script });
      await goto(at());
      const show = page.getByRole('button', { name: 'Show', exact: true });
      expect(await show.isVisible()).toBe(!script);
      await page.getByLabel('Line', { exact: true }).selectOption(String(other.id));
      if (!script) await show.click();
      await page.waitForURL(new RegExp(`/panel/phone/${other.id}/`));
      await close();
    }
  });
});

const expectVisible = async (found: ReturnType<Visitor['page']['locator']>): Promise<void> => {
  await found.first().waitFor({ state: 'visible' });
};
