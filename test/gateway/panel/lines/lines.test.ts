import { type Page } from 'playwright-core';
import {
  insertDestination,
  setForwardingUrl,
} from '../../../../gateway/forwarding/destinations/destination-rows';
import { destinationRules } from '../../../../gateway/http/destination-address';
import { isoTime } from '../../../../gateway/time';
import { startPeer, until, type HttpPeer } from '../../../support/http-peer';
import { checkedPages, TABLES_CUT_OFF } from '../../../support/panel/checked-pages';
import {
  addPanelUser,
  axeFaults,
  closingWindows,
  loggedIn,
  type VisitorOptions,
} from '../../../support/panel/visitor';
import {
  CONTACT,
  lineOf,
  phoneNumberNode,
  sceneOf,
  sqliteUrl,
  startScene,
  upstreamError,
  type TestLine,
} from '../../../support/scene';

const HOSTILE = `<img src=x onerror="alert(1)"><script>alert(2)</script>"'&`;

closingWindows();

const scene = sceneOf();
const line = lineOf(scene, { name: 'My shop' });
let receiver: HttpPeer;
let hostile: TestLine;

/** A destination beside the forwarding URL, as `destination add` makes one. */
const destination = (lineId: number, url: string) =>
  scene.change((world) =>
    insertDestination({ ...world, rules: destinationRules(['127.0.0.0/8']) }, lineId, {
      url,
      origin: 'operator',
      headers: { 'x-api-key': 'the-password-of-the-crm' },
    }),
  );

beforeAll(async () => {
  await addPanelUser(scene, 'ana');
  await scene.change(({ store, clock }) => store.lines.noteHandshake(null, isoTime(clock())));
  receiver = await startPeer(({ url }) =>
    url.startsWith('/full') ? { status: 503, body: HOSTILE } : { body: {} },
  );
  hostile = await scene.line({ name: HOSTILE });
  await line.rated('GREEN');
  await line.wrote(CONTACT, 1);
  await destination(line.id, `${receiver.url}/crm`);
  await scene.change((world) =>
    setForwardingUrl({ ...world, rules: destinationRules(['127.0.0.0/8']) }, line.id, null, {
      url: `${receiver.url}/forwarded?key=of-the-receiver`,
      secret: null,
    }),
  );
  const paused = await destination(line.id, `${receiver.url}/paused`);
  await scene.change(({ store }) =>
    store.destinations.update(paused.id, {
      paused_at: '2026-03-10T11:00:00.000Z',
      paused_because: HOSTILE,
      failing_since: '2026-03-10T10:00:00.000Z',
      last_failure: 'HTTP 410',
    }),
  );
});
afterAll(async () => {
  await receiver?.close();
});

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText();
const audit = async () => {
  const rows = await scene.change(({ store }) => store.audit.page({}, 50));
  return rows.map(({ who, through, action, details }) => ({
    who,
    through,
    action,
    details: JSON.parse(details),
  }));
};

describe('the pages of lines', () => {
  checkedPages(
    () => scene,
    [
      '/panel/lines',
      '/panel/lines/new',
      () => `/panel/lines/${line.id}`,
      () => `/panel/lines/${hostile.id}`,
      () => `/panel/lines/${line.id}/edit`,
      () => `/panel/lines/${line.id}/destinations/new`,
      () => `/panel/lines/${line.id}/destinations/1`,
    ],
  );
});

test.each(['pt-BR', 'es'])(
  'the list of lines is no wider than its window in longer words: %s',
  async (locale) => {
    const { page, goto } = await loggedIn(scene, { locale });
    await goto('/panel/lines');
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
  },
);

test('the list of lines tells how many destinations each has, and which of them need a look', async () => {
  const { page, goto } = await loggedIn(scene, { script: false });
  await goto('/panel/lines');
  expect(await page.locator('#lines tbody td:nth-child(4)').allInnerTexts()).toEqual(['3\n1 paused', 'none']);
});

describe('in a window', () => {
  const window = (options?: VisitorOptions) => loggedIn(scene, options);

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

  test('a name is shown as text, whatever it holds', async () => {
    const { page, goto, complaints } = await window();
    await goto('/panel/lines');
    await page.getByRole('link', { name: HOSTILE, exact: true }).click();
    expect(await heading(page)).toBe(HOSTILE);
    await goto(`/panel/lines/${hostile.id}/edit`);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe(HOSTILE);
    expect(complaints).toEqual([]);
  });

  test('a line is added, and what the platform refuses is told beside the field', async () => {
    const { page, goto } = await window({ script: false });
    await goto('/panel/lines');
    await page.getByRole('link', { name: 'Add a line' }).click();
    await button(page, 'Add the line').click();
    expect(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).toBe('true');

    await page.getByLabel('Name', { exact: true }).fill('Second shop');
    await page.getByLabel('Phone number ID').fill('777000111222333');
    await page.getByLabel('WhatsApp Business Account ID').fill('888000111222333');
    await page.getByLabel(/^Phone number \(/).fill('\u202a+1 555 078\u20110000\u202c');
    const typeSecrets = async () => {
      await page.getByLabel('Access token').fill('EAAG-of-the-second');
      await page.getByLabel('App secret').fill('0123456789abcdef');
    };
    await typeSecrets();
    scene.upstream.answers.phoneNumber = () => upstreamError(401, 190);
    await button(page, 'Add the line').click();
    expect(await page.locator('#fault-access_token').innerText()).toContain(
      'does not accept this access token',
    );
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Second shop');

    await typeSecrets();
    scene.upstream.answers.phoneNumber = () => upstreamError(400, 100);
    await button(page, 'Add the line').click();
    expect(await page.locator('#fault-phone_number_id').innerText()).toContain(
      'no phone number with this ID',
    );

    await typeSecrets();
    scene.upstream.answers.phoneNumber = () => phoneNumberNode({ display_phone_number: '+1 555-078-1111' });
    await button(page, 'Add the line').click();
    expect(await page.locator('#fault-phone_number').innerText()).toContain('+1 555-078-1111');

    await typeSecrets();
    await page.getByLabel(/^Phone number \(/).fill('');
    await button(page, 'Add the line').click();
    expect(await heading(page)).toBe('Second shop');
    const text = await page.locator('main').innerText();
    expect(text).toContain('The line "Second shop" is added.');
    expect(text).toContain('+1 555-078-1111');
    expect(text).toContain('Connected');
    scene.upstream.answers.phoneNumber = () => phoneNumberNode();

    const [entry] = await audit();
    expect(entry).toEqual({
      who: 'ana',
      through: 'panel',
      action: 'line.added',
      details: { name: 'Second shop', phone_number_id: '777000111222333' },
    });
  });

  test('a line is added although the platform cannot be asked, where somebody says so', async () => {
    const { page, goto } = await window();
    scene.upstream.answers.phoneNumber = () => ({ status: 500, body: 'away' });
    await goto('/panel/lines/new');
    const type = async () => {
      await page.getByLabel('Name', { exact: true }).fill('Unchecked');
      await page.getByLabel('Phone number ID').fill('777000111222444');
      await page.getByLabel('WhatsApp Business Account ID').fill('888000111222444');
      await page.getByLabel(/^Phone number \(/).fill('+1 555 078 4444');
      await page.getByLabel('Access token').fill('EAAG');
      await page.getByLabel('App secret').fill('0123456789abcdef');
    };
    await type();
    await button(page, 'Add the line').click();
    expect(await axeFaults(page)).toEqual([]);
    await type();
    await page.getByLabel('Save it although').check();
    await button(page, 'Add the line').click();
    expect(await heading(page)).toBe('Unchecked');
    scene.upstream.answers.phoneNumber = () => phoneNumberNode();
  });

  test('a line whose access token WhatsApp refuses, or whose number it restricts, is not shown as connected', async () => {
    const refused = await scene.line({ name: 'Refused' });
    const restricted = await scene.line({ name: 'Limited by WhatsApp' });
    await refused.rated('GREEN');
    scene.clock.now += 60_000;
    scene.upstream.answers.phoneNumber = ({ url }) =>
      url.includes(refused.phoneNumberId)
        ? upstreamError(401, 190)
        : phoneNumberNode({ status: 'RESTRICTED' });
    for (const one of [refused, restricted]) await one.get('/status?refresh=1');
    const { page, goto } = await window({ script: false });
    await goto('/panel/lines');
    const rows = page.locator('#lines tbody tr');
    const row = (name: string) => rows.filter({ hasText: name }).locator('td[data-label=State]').innerText();
    expect([await row('Refused'), await row('Limited by WhatsApp'), await row('My shop')]).toEqual([
      'Access token refused',
      'Restricted',
      'Connected',
    ]);
    const other = await window();
    await other.goto('/panel/lines');
    expect(await other.page.evaluate(TABLES_CUT_OFF)).toBe(0);
    // Those that cannot send come first.
    expect(await rows.first().innerText()).toContain('Refused');
    await goto('/panel/lines?state=restricted');
    expect(await rows.locator('th a').allInnerTexts()).toEqual(['Limited by WhatsApp']);

    await goto(`/panel/lines/${restricted.id}`);
    expect(await page.locator('main').innerText()).toContain('Limited by WhatsApp is restricted.');
    await goto(`/panel/lines/${refused.id}`);
    const text = await page.locator('main').innerText();
    expect(text).toContain('WhatsApp refuses the access token of Refused. Nothing can be sent through it.');
    expect(text).not.toContain('Connected');
    await page.getByRole('link', { name: 'Add access token' }).click();
    expect(await heading(page)).toBe('Refused');
    scene.upstream.answers.phoneNumber = () => phoneNumberNode();
    for (const { id } of [refused, restricted])
      await scene.change(({ store }) => store.lines.remove(id, '2026-03-10T12:00:00.000Z', ''));
  });

  test('it waits for the handshake of the platform, and turns green when it came', async () => {
    const one = await scene.line({ name: 'Waits' });
    await one.edit({ handshake_at: null });
    const { page, goto } = await window();
    await goto(`/panel/lines/${one.id}`);
    await page.getByText('Waiting for the platform’s verification').waitFor();
    const token = await page.locator('#verify-token').innerText();
    const address = new URL(await page.locator('#callback-url').innerText());
    address.search = String(
      new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': 'c' }),
    );
    expect(await (await fetch(address)).text()).toBe('c');
    await page.getByText('The platform has verified the callback.').waitFor();
  });

  test('a forwarding URL is set by keyboard alone, its secret shown once, and a test event sent there', async () => {
    const one = await scene.line({ name: 'Forwards' });
    const { page, goto } = await window();
    await goto(`/panel/lines/${one.id}/edit`);
    await page.getByLabel('Forwarding URL').focus();
    await page.keyboard.type('http://10.0.0.7/hook');
    await page.keyboard.press('Enter');
    await page.waitForURL(/forwarding$/);
    expect(await page.locator('#fault-url').innerText()).toContain('GATEWAY_ALLOW_DESTINATIONS');
    expect(await page.getByLabel('Forwarding URL').inputValue()).toBe('http://10.0.0.7/hook');

    await page.getByLabel('Forwarding URL').focus();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(`${receiver.url}/first`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Events are now sent there' }).waitFor();
    expect(await page.locator('#secret').innerText()).toMatch(/^whsec_/);
    expect(await page.locator('main').innerText()).toContain('No handshake. It is optional');
    expect(await axeFaults(page)).toEqual([]);

    await button(page, 'Send test event').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Accepted.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    const sent = receiver.received.find(({ headers }) => headers['x-gateway-test'] === '1');
    expect(sent?.url).toBe('/first');
    expect(sent?.headers['webhook-id']).toMatch(/^evt_test_/);
    expect(sent?.headers['x-hub-signature-256']).toMatch(/^sha256=/);
    expect(JSON.parse(sent?.body ?? '').entry[0].changes[0].value.messages[0]).toMatchObject({
      id: expect.stringMatching(/^wamid\.test\./),
      type: 'text',
    });

    const [tested, added] = await audit();
    expect(tested).toMatchObject({ action: 'destination.tested', details: { outcome: 'delivered' } });
    expect(added).toMatchObject({ action: 'destination.added', details: { url: `${receiver.url}/first` } });
    expect(JSON.stringify(await audit())).not.toContain('whsec_');
  });

  test('what a receiver answers to a test event is shown as text', async () => {
    const full = await destination(hostile.id, `${receiver.url}/full`);
    const { page, goto, complaints } = await window({ width: 360 });
    await goto(`/panel/lines/${hostile.id}`);
    await button(page, 'Send test event').click();
    const told = await page.getByRole('alert').innerText();
    expect(told).toMatch(/^It was not accepted\. HTTP 503\. The receiver didn't return a status/);
    // Nobody asks for a handshake where nothing is accepted.
    expect(await page.locator('main').innerText()).not.toContain('Handshake');
    const back = page.getByRole('link', { name: `← ${new URL(receiver.url).host}/full` });
    expect(await back.getAttribute('href')).toBe(`/panel/lines/${hostile.id}/destinations/${full.id}`);
    expect(await page.getByRole('region', { name: 'Beginning of the answer' }).innerText()).toBe(HOSTILE);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(complaints).toEqual([]);
    expect(await page.locator('main').innerText()).toContain('503');
    await goto(`/panel/lines/${hostile.id}/destinations/${full.id}`);
    expect(await page.locator('main').innerText()).not.toContain('the-password-of-the-crm');
  });

  test.each([
    ['TIER_1K', '1,000 people in 24 hours'],
    ['TIER_UNLIMITED', 'no limit'],
    ['TIER_NEW', 'TIER_NEW'],
  ])('its messaging limit is told in words: %s', async (messaging_limit_tier, words) => {
    const one = await scene.line({ name: `Limited ${messaging_limit_tier}` });
    scene.upstream.answers.phoneNumber = () => phoneNumberNode({ messaging_limit_tier });
    const { page, goto } = await window({ script: false });
    await goto(`/panel/lines/${one.id}`);
    await button(page, 'Refresh status').click();
    scene.upstream.answers.phoneNumber = () => phoneNumberNode();
    expect(await page.locator('main').innerText()).toMatch(new RegExp(`Messaging limit\\s+${words}\\s`));
  });

  test('a destination is added, paused, resumed, filtered, given another secret and removed, without script', async () => {
    const one = await scene.line({ name: 'Sends on' });
    const { page, goto } = await window({ script: false });
    await goto(`/panel/lines/${one.id}`);
    expect(await page.locator('main').innerText()).toContain('Events are stored but not forwarded');
    await page.getByRole('link', { name: 'Add a destination' }).click();
    // It has no forwarding URL beside which they could go there.
    expect(await page.locator('h1 + .lead').innerText()).toBe('Events of Sends on are sent there.');
    await page.getByLabel('URL').fill(`${receiver.url}/more`);
    await page.getByLabel('Messages').uncheck();
    await page.getByLabel('Custom headers').fill('Host: evil');
    await button(page, 'Add it').click();
    expect(await page.locator('#fault-headers').innerText()).toContain('sent by the gateway itself');
    expect(await page.getByLabel('Messages').isChecked()).toBe(false);
    await page.getByLabel('Custom headers').fill('Authorization: Basic cGFzcw==');
    await button(page, 'Add it').click();
    const secret = await page.locator('#secret').innerText();
    await page.getByRole('link', { name: 'To the line' }).click();
    expect(await page.locator('main').innerText()).not.toContain('Events are stored but not forwarded');
    const [stored] = await scene.change(async ({ store }) =>
      (await store.destinations.all()).filter(({ line_id: id }) => id === one.id),
    );
    expect(JSON.parse(stored?.events ?? '')).toEqual(['sent', 'delivered', 'read', 'failed']);

    await page.getByRole('link', { name: /^History and settings/ }).click();
    await button(page, 'Pause').click();
    const paused = await page.locator('main').innerText();
    expect(paused).toContain('Paused by ana.');
    expect(paused).toContain('When the receiver works again, press Resume');
    await button(page, 'Resume').click();
    expect(new URL(page.url()).pathname).toBe(`/panel/lines/${one.id}/destinations/${stored?.id}`);
    await page.getByLabel('Account').check();
    await page.getByLabel('Wait until the contact pauses').fill('301');
    await button(page, 'Save').click();
    expect(await page.locator('#fault-quiet_seconds').innerText()).toContain('from 1 to 300');
    for (const name of ['Pause', 'Remove'])
      expect([name, await button(page, name).count()]).toEqual([name, 1]);
    await page.getByLabel('Wait until the contact pauses').fill('15');
    await button(page, 'Save').click();
    expect(await page.locator('main').innerText()).toMatch(
      /Waiting for a pause\s+After 15 s without a message/,
    );
    expect(await page.locator('main').innerText()).toContain('Account');
    await page.getByRole('link', { name: /^History and settings/ }).click();
    await button(page, 'Make a new secret').click();
    expect(await page.locator('#secret').innerText()).not.toBe(secret);
    const atSecret = async () => {
      await goto(`/panel/lines/${one.id}/destinations/${stored?.id}`);
      return page.locator('main').innerText();
    };
    const told = await atSecret();
    expect(told).toMatch(/also signed with the previous secret until \d+ \w+ 20\d\d, [^;]+\./);
    expect(told.replace(/\s+/g, ' ')).toMatch(
      /State Active Last result none yet Success, events of 24 h no attempt Waiting nothing/,
    );
    await button(page, 'Make a new secret').click();
    expect(await page.locator('main').innerText()).toContain('For 24 hours, the previous secret also signs');
    expect(await atSecret()).toMatch(
      /also signed with the 2 previous secrets until \d+ \w+ 20\d\d, [^;]+; \d+ \w+ 20\d\d, [^;]+\./,
    );
    await page.getByLabel('Keep the old secret valid for').selectOption('0');
    await button(page, 'Make a new secret').click();
    expect(await page.locator('main').innerText()).toContain('Earlier secrets no longer sign.');
    expect(await atSecret()).not.toContain('Replaced recently');
    await button(page, 'Remove').click();
    await button(page, 'Remove it').click();
    expect(await page.locator('main').innerText()).toContain('The destination is removed.');
    expect((await audit()).slice(0, 8).map(({ action }) => action)).toEqual([
      'destination.removed',
      'destination.secret_rotated',
      'destination.secret_rotated',
      'destination.secret_rotated',
      'destination.edited',
      'destination.resumed',
      'destination.paused',
      'destination.added',
    ]);
  });

  test('a line is edited, switched off and on again', async () => {
    const one = await scene.line({ name: 'Old name' });
    const { page, goto } = await window();
    await goto('/panel/lines');
    await page.getByRole('link', { name: 'Settings of Old name' }).click();
    await page.getByLabel('Name', { exact: true }).fill('New name');
    await page.getByLabel(/^Everything except templates/).check();
    await page.getByLabel('Access token').fill('EAAG-new');
    await button(page, 'Save the line').click();
    expect(await heading(page)).toBe('New name');
    expect(await page.locator('main').innerText()).toContain('Everything except templates');
    const [entry] = await audit();
    expect(entry?.details).toEqual({
      name: 'New name',
      changes: [
        { field: 'name', from: 'Old name', to: 'New name' },
        { field: 'window', from: 'text', to: 'all' },
        { field: 'access token' },
      ],
    });

    await page.getByRole('link', { name: 'Settings' }).click();
    await button(page, 'Switch the API off').click();
    expect(await axeFaults(page)).toEqual([]);
    await button(page, 'Switch off').click();
    expect((await one.get('/status')).body.error_code).toBe('api_disabled');
    await button(page, 'Switch the API on').click();
    await button(page, 'Deactivate the line').click();
    await button(page, 'Deactivate it').click();
    await page.getByText('The line is deactivated.').waitFor();
    expect((await one.get('/status')).body.error_code).toBe('line_inactive');
    await button(page, 'Activate the line').click();
    expect((await one.get('/status')).status).toBe(200);
    expect((await audit()).slice(0, 4).map(({ action }) => action)).toEqual([
      'line.activated',
      'line.deactivated',
      'line.api_enabled',
      'line.api_disabled',
    ]);
  });

  test('another credential or number is checked with the platform before it is saved', async () => {
    const one = await scene.line({ name: 'Moves' });
    const { page, goto } = await window({ script: false });
    const save = async (field: string, value: string) => {
      await goto(`/panel/lines/${one.id}/edit`);
      await page.getByLabel(field).fill(value);
      await button(page, 'Save the line').click();
    };
    await save('Phone number ID', line.phoneNumberId);
    expect(await page.locator('#fault-phone_number_id').innerText()).toContain('Another line already has');
    const before = scene.upstream.answers.templates;
    scene.upstream.answers.templates = () => upstreamError(400, 100);
    await save('WhatsApp Business Account ID', '999000111222333');
    expect(await page.locator('#fault-waba_id').innerText()).toContain('no business account with this ID');
    expect(await page.getByLabel('WhatsApp Business Account ID').inputValue()).toBe('999000111222333');
    scene.upstream.answers.templates = before;
    // One token may use several accounts: the number is on the second page of another one's numbers.
    const answered = scene.upstream.answers.phoneNumbers;
    scene.upstream.answers.phoneNumbers = ({ url }) => {
      const isOwn = url.includes('999000111222333');
      if (!isOwn) return { body: { data: [{ id: '1' }] } };
      return url.includes('after=')
        ? { body: { data: [{ id: one.phoneNumberId }] } }
        : { body: { data: [{ id: '2' }], paging: { cursors: { after: 'x' }, next: 'y' } } };
    };
    await save('WhatsApp Business Account ID', '999000111222444');
    expect(await page.locator('#fault-waba_id').innerText()).toContain(
      'does not belong to this business account',
    );
    expect(await page.locator('#hint-waba_id').innerText()).toContain('beside the phone number ID');
    await save('WhatsApp Business Account ID', '999000111222333');
    scene.upstream.answers.phoneNumbers = answered;
    expect(await page.locator('main').innerText()).toContain('The line is saved.');
    expect(await page.locator('main').textContent()).toContain('999000111222333');
  });

  test('the platform is asked for the state, once a minute at most', async () => {
    const one = await scene.line({ name: 'Asked' });
    const { page, goto } = await window();
    await goto(`/panel/lines/${one.id}`);
    await button(page, 'Refresh status').click();
    await page.locator('[data-tone=good]').getByText('Status updated: Connected. Quality: high.').waitFor();
    await button(page, 'Refresh status').click();
    await page.locator('[data-tone=idle]').getByText('less than a minute ago').waitFor();
    const refused = await scene.line({ name: 'Refused' });
    const before = scene.upstream.answers.phoneNumber;
    scene.upstream.answers.phoneNumber = () => upstreamError(401, 190);
    await goto(`/panel/lines/${refused.id}`);
    await button(page, 'Refresh status').click();
    await page.getByRole('alert').getByText('The platform refused:').waitFor();
    scene.upstream.answers.phoneNumber = before;
  });

  test('the list shows what changes while somebody looks at it', async () => {
    const one = await scene.line({ name: 'Watched' });
    const { page, goto } = await window();
    await goto('/panel/lines');
    const row = page.getByRole('row').filter({ hasText: 'Watched' });
    expect(await row.innerText()).toContain('none lately');
    await one.wrote(CONTACT, 0);
    await until(async () => !(await row.innerText()).includes('none lately'));
    await one.edit({ deactivated_at: '2026-03-10T12:00:00.000Z' });
    await row.getByText('Deactivated').waitFor();
  });

  test('on a phone a line in the list takes little height, and says nothing of what there is none of', async () => {
    await scene.line({ name: 'Quiet' });
    const { page, goto } = await window({ width: 360 });
    await goto('/panel/lines');
    const row = page.getByRole('row').filter({ hasText: 'Quiet' });
    expect(await row.getByText('none lately').isVisible()).toBe(false);
    expect(await row.getByText('nothing').isVisible()).toBe(false);
    // Five rows of labels and a button took 200 pixels.
    expect((await row.boundingBox())?.height).toBeLessThan(130);
  });

  test.each([1280, 360])(
    'at %i pixels a line in the list opens wherever it is pressed, beneath a head that stays',
    async (width) => {
      const one = await loggedIn(scene, { width, script: false });
      await one.page.setViewportSize({ width, height: 300 });
      await one.goto('/panel/lines');
      const row = one.page.locator('tbody tr', { hasText: 'My shop' }).first();
      await row.scrollIntoViewIfNeeded();
      await one.page.evaluate('scrollTo(0, scrollY + 40)');
      const search = one.page.getByRole('searchbox', { name: 'Find anything' });
      expect((await search.boundingBox())?.y).toBeGreaterThanOrEqual(0);
      const { x = 0, y = 0, height = 0 } = (await row.boundingBox()) ?? {};
      await one.page.mouse.click(x + width / 3, y + height - 4);
      expect(await heading(one.page)).toBe('My shop');
    },
  );

  test('arrow keys choose among lines, and Enter, or leaving the list, leads to the one chosen', async () => {
    const [first, second] = [
      await scene.line({ name: 'Walked to' }),
      await scene.line({ name: 'Walked on' }),
    ];
    const { page, goto } = await window();
    const field = page.getByLabel('Switch to');
    for (const leave of ['Enter', 'Tab']) {
      await goto(`/panel/lines/${hostile.id}`);
      await field.focus();
      const asked: string[] = [];
      page.on('request', (request) => request.isNavigationRequest() && asked.push(request.url()));
      for (let most = 20; most && (await field.inputValue()) !== String(second.id); most--)
        await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      expect([leave, await field.inputValue(), asked]).toEqual([leave, String(first.id), []]);
      await page.keyboard.press(leave);
      await page.waitForURL(`**/panel/lines/${first.id}`);
    }
    // With the mouse it leads there at once, and from a list that was opened by a key.
    await field.selectOption('Walked on');
    await page.waitForURL(`**/panel/lines/${second.id}`);
    await field.focus();
    for (const key of ['Space', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
    await page.waitForURL(`**/panel/lines/${first.id}`);
  });

  test('what is not there, or is of another line, is not found', async () => {
    const { page, goto } = await window();
    for (const path of ['/panel/lines/999', '/panel/lines/x', `/panel/lines/${hostile.id}/destinations/1`]) {
      await goto(path);
      expect(await heading(page)).toBe('There is no such page');
    }
    await page.getByLabel('Find anything').waitFor();
    await page.getByRole('link', { name: 'To the overview' }).click();
    expect(await heading(page)).toBe('Overview');
  });
});

describe('with the sandbox as the platform', () => {
  test('a line needs a name and nothing else', async () => {
    const sandboxed = await startScene(await sqliteUrl(), {
      GATEWAY_UPSTREAM_URL: 'sandbox',
    });
    try {
      await addPanelUser(sandboxed, 'ana');
      const { page, goto } = await loggedIn(sandboxed);
      await goto('/panel/lines');
      await page.getByRole('link', { name: 'Add the first line' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Play');
      await page.getByRole('button', { name: 'Add the line' }).click();
      expect(await heading(page)).toBe('Play');
      await page.getByRole('button', { name: 'Refresh status' }).click();
      await page.getByText('Status updated: Connected.').waitFor();
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Play on');
      await page.getByRole('button', { name: 'Save the line' }).click();
      expect(await heading(page)).toBe('Play on');
      await page.getByRole('link', { name: 'Templates' }).last().click();
      await page.getByRole('button', { name: 'Sync now' }).click();
      await page.getByText('The templates are synced.').waitFor();
    } finally {
      await sandboxed.stop();
    }
  });
});
