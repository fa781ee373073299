import { contactText } from '../../../../gateway/panel/ui/contact';
import { HOUR, isoTime, MINUTE } from '../../../../gateway/time';
import { until } from '../../../support/http-peer';
import { checkedPages } from '../../../support/panel/checked-pages';
import { HOSTILE, startTraffic, type Traffic } from '../../../support/panel/traffic';
import { axeFaults, closingWindows, loggedIn } from '../../../support/panel/visitor';
import { rows, write } from '../../../support/rows';
import { CONTACT, sqliteUrl } from '../../../support/scene';
import { textFrom, notification } from '../../../support/test-gateway';

const OTHER = '5511987654321';
/** Never wrote. */
const SILENT = '4915112345678';
/** May be written to freely for 90 minutes. */
const SOON_OVER = '4915112345680';
/** Whose messages were passed on, or not. */
const WRITER = '34698769122';
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
closingWindows();

describe('conversations', () => {
  let scene: Traffic;
  const at = (contact: string) => `/panel/conversations/${scene.shop.id}/${contact}`;

  beforeAll(async () => {
    scene = await startTraffic(await sqliteUrl(), { GATEWAY_UPSTREAM_URL: 'sandbox' });
    const said = (text: string) => ({
      contact: OTHER,
      body: JSON.stringify(notification(textFrom(OTHER, text, 'wamid.x'), scene.shop.phoneNumberId)),
    });
    await scene.events(
      30,
      Array.from({ length: 60 }, (_, index) => said(`Text ${index}`)),
    );
    const sent = (wamid: string, contact: string, ago: number) => ({
      line_id: scene.shop.id,
      wamid,
      contact,
      type: 'template',
      accepted_at: isoTime(scene.clock.now - ago * MINUTE),
    });
    await scene.change(({ store }) =>
      store.write({
        kind: 'notification',
        events: [],
        windows: [
          { line_id: scene.shop.id, contact: OTHER, last_inbound_at: isoTime(scene.clock.now - 30 * MINUTE) },
          {
            line_id: scene.shop.id,
            contact: SOON_OVER,
            last_inbound_at: isoTime(scene.clock.now - 22.5 * HOUR),
          },
        ],
        messages: [
          sent('wamid.ours', OTHER.replace('119', '11'), 20),
          sent('wamid.silent', SILENT, 26),
          sent('wamid.silent.2', SILENT, 25),
        ],
      }),
    );
    const file = (data: Buffer, mime_type: string) => ({ data: data.toString('base64'), mime_type });
    for (const content of [
      { image: { ...file(PICTURE, 'image/png'), caption: `My garden ${HOSTILE}` } },
      { document: { ...file(Buffer.from('<script>'), 'text/html'), filename: `${HOSTILE}.html` } },
    ])
      await fetch(`${scene.gateway.sandboxUrl}/sandbox/contacts/${CONTACT}/messages`, {
        method: 'POST',
        body: JSON.stringify({ ...content, line: scene.shop.phoneNumberId }),
      });
    await until(async () => {
      const [found] = await rows(
        scene.databaseUrl,
        "select count(*) as n from events where kind = 'document'",
      );
      return Number(found?.n) > 0;
    });
  });
  afterAll(() => scene.stop());

  checkedPages(() => scene, ['/panel/conversations', () => at(OTHER), () => at(CONTACT)]);

  test('are listed by their last message, found by any spelling, and read on both sides without script', async () => {
    const { page, goto } = await loggedIn(scene, { name: 'ben', script: false });
    await goto('/panel/conversations');
    expect(await page.locator('.chats a').allTextContents()).toEqual([
      'Contact 1234',
      'Ana',
      contactText(SILENT),
    ]);
    const words = await page.locator('.chats p').allTextContents();
    expect(words.map((text) => text.trim()).slice(1)).toEqual([
      'You: template (not stored)',
      'You: template (not stored)',
    ]);
    // Each row tells the time it stands by: what was sent to Ana, not what she wrote before.
    expect(await page.locator('.chats time').nth(1).getAttribute('datetime')).toBe(
      isoTime(scene.clock.now - 20 * MINUTE),
    );
    // Whom nobody has answered: marked in the row, in words too, and listed alone.
    expect(await page.locator('.chats [data-waits] a').allTextContents()).toEqual(['Contact 1234']);
    expect(await page.locator('.chats [data-waits] p').textContent()).toContain('waiting for a reply');
    expect(await page.locator('.chats [data-waits] span[title]').getAttribute('title')).toMatch(/shop/i);
    // The dot is beside the time, not beneath it.
    const dot = await page.locator('.chats [data-waits] time').evaluate((time) => {
      const { top, height } = getComputedStyle(time, '::after');
      return Number.parseFloat(top) + Number.parseFloat(height) - time.clientHeight;
    });
    expect(dot).toBeLessThanOrEqual(0);
    await page.getByRole('link', { name: 'Waiting for a reply' }).click();
    expect(await page.locator('.chats a').allTextContents()).toEqual(['Contact 1234']);
    await page.getByLabel('Contact').fill('Ana');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('No conversations found').waitFor();
    await page.getByRole('link', { name: 'Show all conversations' }).click();
    await page.getByLabel('Contact').fill('+55 11 8765-4321');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page
      .locator('.chats')
      .getByRole('listitem')
      .filter({ hasText: contactText(OTHER) })
      .getByRole('link', { name: 'Ana' })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Ana' }).waitFor();
    // Of all of it once, as it was said on one day.
    expect(await page.locator('.conversation > .chat-day').count()).toBe(1);
    const said = await page.locator('.bubble .said').allTextContents();
    expect(said.slice(-2)).toEqual(['Text 59', 'Template']);
    expect(said).toHaveLength(50);
    await page.getByRole('link', { name: 'Older' }).click();
    expect(await page.locator('.bubble .said').allTextContents()).toEqual(
      Array.from({ length: 11 }, (_, index) => `Text ${index}`),
    );
  });

  test('show pictures, and give every other file to be saved; those of another line are not there', async () => {
    const { page, goto, context } = await loggedIn(scene);
    await goto(at(CONTACT));
    await page.locator('.said', { hasText: `My garden ${HOSTILE}` }).waitFor();
    // The name of a file stands once.
    expect(await page.locator('.said').last().textContent()).toBe(`Save ${HOSTILE}.html`);
    await page.getByRole('button', { name: 'A picture that the contact sent' }).click();
    await page.getByRole('dialog', { name: 'A picture that the contact sent' }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close' }).click();
    const width = "document.querySelector('.thread-picture img').naturalWidth";
    await until(async () => (await page.evaluate(width)) === 1);
    const href = (await page.getByRole('link', { name: /^Save/ }).getAttribute('href')) ?? '';
    const document = await context.request.get(scene.gateway.url + href);
    expect(document.headers()).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(await document.text()).toBe('<script>');
    const { id } = await scene.line({ phoneNumberId: '206540352242777' });
    for (const path of [href.replace(`/${scene.shop.id}/`, `/${id}/`), href.replace(/[^/]+$/, 'none')])
      expect((await context.request.get(scene.gateway.url + path)).status()).toBe(404);
    expect((await fetch(scene.gateway.url + href, { redirect: 'manual' })).status).toBe(303);
  });

  test('hold what was sent, once the line says so', async () => {
    const ana = await loggedIn(scene, { script: false });
    await ana.goto(at(SILENT));
    // Of what was not kept, the types stand side by side, and once why.
    expect(await ana.page.locator('.run .said').allTextContents()).toEqual(['Template', 'Template']);
    await ana.page.getByRole('link', { name: 'Store it from now on' }).click();
    await ana.page.getByLabel('Store the text of messages that programs send').check();
    await ana.page.getByRole('button', { name: 'Save the line' }).click();
    await ana.goto(`/panel/lines/${scene.shop.id}/edit`);
    expect(await ana.page.getByLabel('Store the text of messages that programs send').isChecked()).toBe(true);
    await ana.goto(at(CONTACT));
    // As long as hours are left of it, that is said to screen readers alone.
    const window = ana.page.locator('.reply .chat-window');
    expect(await window.innerText()).toContain('24-hour window open until');
    expect((await window.boundingBox())?.width).toBe(1);
    await ana.goto(at(SOON_OVER));
    expect((await window.boundingBox())?.width).toBeGreaterThan(200);
    await ana.goto(at(CONTACT));
    scene.clock.now += MINUTE;
    await ana.page.getByLabel('Text').fill(`Thank *you* ${HOSTILE}`);
    await ana.page.getByRole('button', { name: 'Send', exact: true }).click();
    expect(ana.page.url()).toBe(`${scene.gateway.url}${at(CONTACT)}#latest`);
    expect(await ana.page.locator('.ours strong').last().textContent()).toBe('you');
    // Its ticks say how far it came, and nothing else has to.
    await ana.page.locator('.ours .ticks').last().waitFor();
    expect(await ana.page.getByRole('status').count()).toBe(0);
    await ana.goto('/panel/conversations');
    const row = ana.page.getByRole('listitem').filter({ hasText: 'Contact 1234' });
    expect((await row.locator('p').innerText()).trim()).toBe(`You: Thank you ${HOSTILE}`);
    await ana.goto('/panel/messages');
    const cell = ana.page.locator('#messages td[data-label=Message]').first();
    expect(await cell.innerText()).toBe(`Thank you ${HOSTILE}`);
    const ben = await loggedIn(scene, { name: 'ben' });
    await ben.goto(at(CONTACT));
    expect(await ben.page.locator('.reply').count()).toBe(0);
    expect(await ben.page.locator('.ours .said').last().textContent()).toBe(`Thank you ${HOSTILE}`);
  });

  test('show a template that was sent as its recipient read it, with its values in their places', async () => {
    const body = (name: string) =>
      JSON.stringify({
        type: 'template',
        template: {
          name,
          language: { code: 'pt_BR' },
          components: [
            { type: 'header', parameters: [{ type: 'text', text: 'Ana' }] },
            {
              type: 'body',
              parameters: [{ type: 'text', parameter_name: 'day', text: `*Friday* ${HOSTILE}` }],
            },
          ],
        },
      });
    const components = [
      { type: 'HEADER', format: 'TEXT', text: 'For {{1}}' },
      { type: 'BODY', text: 'We come on {{ day }} at {{time}}.' },
      { type: 'FOOTER', text: 'My shop' },
    ];
    const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
    const id = scene.shop.id;
    const kept = (wamid: string, name: string) =>
      `insert into sent_bodies (line_id, wamid, body, accepted_at)
       values (${id}, '${wamid}', ${quoted(body(name))}, '${isoTime(scene.clock.now - 20 * MINUTE)}')`;
    await write(
      scene.databaseUrl,
      `insert into templates (line_id, name, language, category, parameter_format, components, is_starter)
       values (${id}, 'visit', 'pt_BR', 'UTILITY', 'NAMED', ${quoted(JSON.stringify(components))}, 0);
       ${kept('wamid.ours', 'visit')}; ${kept('wamid.silent', 'gone')}`,
    );
    const { page, goto } = await loggedIn(scene, { name: 'ben', script: false });
    const read = `For Ana\nWe come on Friday ${HOSTILE} at {{time}}.`;
    await goto(at(OTHER));
    expect(await page.locator('.ours .said').last().innerText()).toBe(`${read}\nMy shop`);
    // Of one that is no longer there, what was sent of it.
    await goto(at(SILENT));
    expect(await page.locator('.ours .said').first().innerText()).toBe(`gone · Ana · Friday ${HOSTILE}`);
    await goto(`/panel/messages?q=${OTHER}`);
    expect(await page.locator('#messages .reason').textContent()).toBe(read);
    await goto(`/panel/messages/${id}/wamid.ours`);
    expect(await page.locator('[data-this] .said').innerText()).toBe(`${read}\nMy shop`);
  });

  test('show what was offered with what was sent: header, footer, buttons and rows', async () => {
    const id = scene.shop.id;
    const reply = (title: string) => ({ type: 'reply', reply: { id: title, title } });
    const bodies = {
      'wamid.silent': {
        header: { type: 'text', text: 'Order A-1042' },
        body: { text: 'Shall we come?' },
        footer: { text: 'Lucky Shrub' },
        action: { buttons: [reply('Yes'), reply(HOSTILE.slice(0, 20))] },
      },
      'wamid.silent.2': {
        body: { text: 'What do you prefer?' },
        action: { button: 'Choose', sections: [{ rows: [{ id: '1', title: 'Exchange' }] }] },
      },
    };
    for (const [wamid, interactive] of Object.entries(bodies)) {
      const body = JSON.stringify({ type: 'interactive', interactive }).replaceAll("'", "''");
      await write(
        scene.databaseUrl,
        `delete from sent_bodies where wamid = '${wamid}';
         insert into sent_bodies (line_id, wamid, body, accepted_at)
         values (${id}, '${wamid}', '${body}', '${isoTime(scene.clock.now - 20 * MINUTE)}')`,
      );
    }
    const { page, goto } = await loggedIn(scene, { name: 'ben', script: false });
    await goto(at(SILENT));
    const said = await page.locator('.ours .said').allInnerTexts();
    expect(said.map((one) => one.split('\n'))).toEqual([
      ['Order A-1042', 'Shall we come?', 'Lucky Shrub', 'Yes', HOSTILE.slice(0, 20)],
      ['What do you prefer?', 'Exchange'],
    ]);
  });

  test.each([1280, 1000, 360])(
    'have one head above and the reply at the bottom, long or short, wherever one is in them, at %d pixels',
    async (width) => {
      const { page, goto } = await loggedIn(scene, { width, script: false });
      const height = 900;
      for (const contact of [OTHER, CONTACT, SILENT]) {
        await goto(at(contact));
        const reply = await page.locator('.reply').boundingBox();
        expect([contact, Math.round((reply?.y ?? 0) + (reply?.height ?? 0))]).toEqual([contact, height]);
        expect([contact, await page.locator('main > .page-head').count()]).toEqual([contact, 1]);
        const head = await page.locator('.page-head').boundingBox();
        expect((head?.height ?? 0) + (reply?.height ?? 0)).toBeLessThan(180);
      }
      await goto(at(OTHER));
      expect(await page.locator('h1').innerText()).toBe('Ana');
      expect(await page.getByText(contactText(OTHER), { exact: true }).locator('visible=true').count()).toBe(
        1,
      );
      // What was said is longer than the window, and scrolls by itself.
      expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBe(height);
      await page.getByRole('link', { name: 'Older' }).click();
      await page.getByLabel('Text').fill('Good morning');
      const reply = await page.locator('.reply').boundingBox();
      expect(Math.round((reply?.y ?? 0) + (reply?.height ?? 0))).toBe(height);
    },
  );

  test.each([
    [360, 740],
    [360, 420],
    [740, 360],
  ])('leave %d × %d pixels to what was said, whatever is written', async (width, height) => {
    const { page, goto } = await loggedIn(scene, { width });
    await page.setViewportSize({ width, height });
    await goto('/panel/conversations');
    expect((await page.locator('.chats > li').first().boundingBox())?.y).toBeLessThan(260);
    await goto(at(CONTACT));
    const text = page.getByLabel('Text');
    const [head, reply] = [page.locator('.page-head'), page.locator('.reply')];
    const last = page.locator('.conversation .bubble').last();
    const places = async () => {
      const [above, below, said] = await Promise.all([head, reply, last].map((one) => one.boundingBox()));
      if (!above || !below || !said) throw new Error('Not shown');
      return { above, below, said };
    };
    for (const words of ['', 'One\ntwo\nthree']) {
      await text.fill(words);
      await until(async () => {
        const { below, said } = await places();
        return said.y + said.height <= below.y;
      });
      const { above, below } = await places();
      expect(above.y).toBe(0);
      expect(above.height).toBeLessThan(60);
      expect(below.y + below.height).toBe(height);
      expect(below.height).toBeLessThanOrEqual(height < 480 || !words ? 64 : 120);
      expect(await page.evaluate('[scrollY, document.documentElement.scrollHeight]')).toEqual([0, height]);
    }
    expect(await axeFaults(page)).toEqual([]);
    // The menu of the panel is in the same line.
    await page.locator('.menu > summary').click();
    await page.getByRole('link', { name: 'Overview' }).locator('visible=true').click();
    await page.waitForURL('**/panel/overview');
  });

  test.each([360, 1280])(
    'offer all else that can be sent behind a sign, and what there is of the contact, at %d pixels',
    async (width) => {
      const { page, goto } = await loggedIn(scene, { width, script: false });
      for (const [kind, label] of [
        ['template', 'Template'],
        ['buttons', 'Buttons'],
        ['list', 'List'],
        ['media', 'Media'],
      ]) {
        await goto(at(CONTACT));
        await page.getByText('Send something else').locator('..').click();
        await page.locator(`.attach-sheet a[href*="kind=${kind}"]`).click();
        expect(await page.getByRole('radio', { name: label, exact: true }).isChecked()).toBe(true);
        // It leads back to where it was begun.
        await page.locator('.page-head .back').click();
        expect(page.url()).toBe(`${scene.gateway.url}${at(CONTACT)}#latest`);
      }
      await page.getByText('More of this contact').locator('..').click();
      await page.getByRole('link', { name: 'Messages sent' }).click();
      expect(new URL(page.url()).searchParams.get('q')).toBe(CONTACT);
    },
  );

  test('say of what a contact wrote what was not forwarded, and keep his name in sight', async () => {
    const delivery = (destination_id: number) => ({
      destination_id,
      lane: WRITER,
      due_at: isoTime(scene.clock.now),
    });
    await scene.dead(4, {}, { contact: WRITER });
    const [passed, waits, nobody] = await scene.events(3, [
      { contact: WRITER, deliveries: [delivery(scene.open)] },
      { contact: WRITER, deliveries: [delivery(scene.open), delivery(scene.paused)] },
      { contact: WRITER },
    ]);
    await until(async () => {
      const done = `select count(*) as n from deliveries where lane = '${WRITER}' and state = 'delivered'`;
      return Number((await rows(scene.databaseUrl, done))[0]?.n) === 2;
    });
    const { page, goto } = await loggedIn(scene, { name: 'ben', script: false });
    await goto(at(WRITER));
    const later = [passed, waits, nobody].map((id) => page.locator(`.bubble a[href$="${id}"] .badge`));
    // Of what was forwarded nothing is said.
    expect(await page.locator('.theirs .badge').allTextContents()).toEqual(['Given up', 'Paused']);
    expect(await Promise.all(later.map((one) => one.count()))).toEqual([0, 1, 0]);
    await page.setViewportSize({ width: 1000, height: 900 });
    await goto(at(OTHER));
    await page.evaluate('document.querySelector(".talk-said").scrollTop = 1000');
    expect((await page.locator('.page-head').boundingBox())?.y).toBe(0);
  });

  test('keep the place of a picture before it is there, in a bubble of its width', async () => {
    const { page } = await loggedIn(scene);
    await page.route('**/files/*', () => {});
    await page.goto(scene.gateway.url + at(CONTACT), { waitUntil: 'domcontentloaded' });
    const [picture, bubble] = [page.locator('.thread-picture'), page.locator('.bubble:has(.thread-picture)')];
    expect(await picture.boundingBox()).toMatchObject({ width: 240, height: 240 });
    expect((await bubble.boundingBox())?.width).toBeLessThan(280);
  });

  const talk = 'document.querySelector(".talk-said")';

  test.each([1280, 1000])(
    'open at what was said last, and at the top of what was said before, at %d pixels',
    async (width) => {
      const { page, goto } = await loggedIn(scene, { width });
      for (const path of [`${at(OTHER)}#latest`, at(OTHER)]) {
        await goto(path);
        const last = page.locator('.conversation .bubble').last();
        await until(async () => {
          const [said, reply] = [await last.boundingBox(), await page.locator('.reply').boundingBox()];
          return said !== null && reply !== null && said.y >= 0 && said.y + said.height <= reply.y;
        });
        // Whoever opens one can write at once.
        await page.keyboard.type('Good morning');
        expect(await page.getByLabel('Text').inputValue()).toBe('Good morning');
      }
      await goto(at(OTHER));
      await page.getByRole('link', { name: 'Older' }).first().click();
      await page.waitForURL(/before=/);
      expect(await page.evaluate(`${talk}.scrollTop`)).toBe(0);
    },
  );

  test.each([1280, 1000])(
    'follow what comes for whoever reads the newest, and leave who reads further up, at %d pixels',
    async (width) => {
      const { page, goto } = await loggedIn(scene, { width });
      await goto(`${at(OTHER)}#latest`);
      const fromEnd = () =>
        page.evaluate<number>(`${talk}.scrollHeight - ${talk}.scrollTop - ${talk}.clientHeight`);
      await until(async () => (await fromEnd()) < 20);
      const comes = async (text: string) => {
        const message = textFrom(OTHER, text, `wamid.${text}`);
        await scene.events(0, [
          { contact: OTHER, body: JSON.stringify(notification(message, scene.shop.phoneNumberId)) },
        ]);
        await page.locator('.said', { hasText: text }).waitFor();
      };
      await comes(`First of two at ${width}`);
      expect(await fromEnd()).toBeLessThan(20);
      // Its row tells of it as well.
      await page.locator('.pane li', { hasText: `First of two at ${width}` }).waitFor({ state: 'attached' });
      await page.evaluate(`${talk}.scrollTop = 100`);
      await comes(`Second of two at ${width}`);
      expect(await page.evaluate(`${talk}.scrollTop`)).toBe(100);
    },
  );

  test('that wait for a reply stay the list beside the one that is answered', async () => {
    const contacts = ['34698772001', '34698772002', '34698772003'];
    await scene.events(
      4,
      contacts.map((contact) => ({ line_id: scene.shop.id, contact, identity: `waits:${contact}` })),
    );
    const { page, goto } = await loggedIn(scene);
    await goto('/panel/conversations?waits=yes');
    const waiting = await page.locator('.chats .row-link').count();
    expect(waiting).toBeGreaterThan(1);
    await page.locator('.chats .row-link').first().click();
    const pane = page.locator('.pane');
    expect(await pane.locator('[data-waits]').count()).toBe(Math.min(waiting, 25));
    expect(await pane.getByRole('listitem').count()).toBe(Math.min(waiting, 25));
    const { pathname } = new URL(page.url());
    // What is typed is written, until one leaves the field.
    await page.keyboard.type('j');
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('j');
    await page.keyboard.press('Escape');
    await page.keyboard.type('j');
    await page.waitForURL((url) => url.pathname !== pathname);
    await pane.getByRole('link', { name: '← Conversations' }).click();
    expect(new URL(page.url()).search).toBe('?waits=yes');
  });

  test('lead to their line by a finger that comes down around its name', async () => {
    const { page, goto } = await loggedIn(scene, { width: 360, touch: true, script: false });
    await goto(at(SILENT));
    const name = await page.locator('.page-head .lead a').boundingBox();
    await page.touchscreen.tap((name?.x ?? 0) + 10, (name?.y ?? 0) - 12);
    await page.waitForURL(`**/panel/lines/${scene.shop.id}`);
  });

  test('are answered by a template alone, where the window is closed', async () => {
    const { page, goto } = await loggedIn(scene, { script: false });
    await goto(at(SILENT));
    await page.getByText('24-hour window closed').waitFor();
    // The number stands once, where nobody has a name.
    expect(await page.locator('h1').innerText()).toBe('+49 151 123 456 78');
    expect(await page.locator('.page-head .lead').innerText()).toMatch(/^My shop/);
    expect(await page.getByLabel('Text').isVisible()).toBe(false);
    await page.locator('.reply').getByRole('link', { name: 'Send a template' }).click();
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(SILENT);
    expect(await page.getByLabel('Template', { exact: true }).first().isChecked()).toBe(true);
  });

  test('have the latest beside them where there is room, those of their line where they were listed so', async () => {
    const { page, goto } = await loggedIn(scene, { name: 'ben', script: false });
    const pane = page.locator('.pane');
    const current = pane.locator('[aria-current=page]');
    await goto('/panel/conversations');
    await page.locator('.chats').getByRole('link', { name: 'Ana' }).click();
    expect(await current.innerText()).toMatch(/^Ana\s/);
    expect(await pane.getByRole('listitem').locator('time').count()).toBeGreaterThan(2);
    await pane.getByRole('link', { name: contactText(SILENT) }).click();
    await page.getByRole('heading', { level: 1, name: contactText(SILENT) }).waitFor();
    expect(await current.innerText()).toContain('You:');
    const { id } = await scene.line({ phoneNumberId: '206540352242778', name: 'Quiet line' });
    const others = Array.from({ length: 26 }, (_, index) => `3469877${1000 + index}`);
    await scene.events(
      5,
      others.map((contact) => ({ line_id: id, contact, identity: `beside:${contact}` })),
    );
    // It is older than those by now, and stands last.
    await goto(at(SILENT));
    expect(await pane.getByRole('listitem').count()).toBe(26);
    expect(await pane.getByRole('link').last().getAttribute('aria-current')).toBe('page');
    expect(await pane.innerText()).toContain('Quiet line');
    await goto(`/panel/conversations?line=${scene.shop.id}`);
    await page.locator('.chats').getByRole('link', { name: 'Ana' }).click();
    const listed = await pane.getByRole('listitem').getByRole('link').allInnerTexts();
    expect(listed.length).toBeLessThan(10);
    expect(listed.join()).not.toContain('Quiet line');
    await pane.getByRole('link', { name: contactText(SILENT) }).click();
    await pane.getByRole('link', { name: 'Conversations' }).click();
    expect(page.url()).toBe(`${scene.gateway.url}/panel/conversations?line=${scene.shop.id}`);
    // Who is meant is looked for among the same.
    await page.locator('.chats').getByRole('link', { name: 'Ana' }).click();
    expect(await pane.locator('[data-waits]').first().innerText()).toContain('waiting for a reply');
    await pane.getByLabel('Name or number').fill(SILENT);
    await pane.getByLabel('Name or number').press('Enter');
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      line: String(scene.shop.id),
      contact: SILENT,
    });
    expect(await page.locator('.chats a').allTextContents()).toEqual([contactText(SILENT)]);
    await page.setViewportSize({ width: 1199, height: 900 });
    await goto(at(OTHER));
    expect(await pane.isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Conversations' }).locator('visible=true').last().click();
    expect(page.url()).toBe(`${scene.gateway.url}/panel/conversations`);
  });
});
