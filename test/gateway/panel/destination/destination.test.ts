import { hostname } from 'node:os';
import {
  insertDestination,
  setForwardingUrl,
  updateDestination,
} from '../../../../gateway/forwarding/destinations/destination-rows';
import { startPeer, until, type HttpPeer } from '../../../support/http-peer';
import { checkedPages } from '../../../support/panel/checked-pages';
import {
  addPanelUser,
  axeFaults,
  closingWindows,
  loggedIn,
  type Visitor,
} from '../../../support/panel/visitor';
import { HOUR } from '../../../../gateway/time';
import { CONTACT, lineOf, sceneOf, sqliteUrl } from '../../../support/scene';

closingWindows();

/**
 * A line of which one event was refused by its receiver, which asks to be left alone for half a minute; another one of the same
 * contact waits behind it.
 */
const scene = sceneOf(sqliteUrl, { GATEWAY_ALLOW_DESTINATIONS: '127.0.0.1' });
const line = lineOf(scene, { name: 'My shop' });
let receiver: HttpPeer;
let id: number;
let works = false;
/** No answer comes before. */
let answersAfter = Promise.resolve();

const rules = { refuseUrl: () => null } as never;

beforeAll(async () => {
  receiver = await startPeer(async () => {
    await answersAfter;
    return works ? {} : { status: 500, headers: { 'retry-after': '30' }, body: 'Out of order' };
  });
  await addPanelUser(scene, 'ana');
  ({ id } = await scene.change((world) =>
    setForwardingUrl({ ...world, rules }, line.id, null, { url: `${receiver.url}/crm`, secret: null }),
  ));
  await line.wrote(CONTACT, 1);
  await until(
    async () => (await scene.change(({ store }) => store.destinationReport(id))).lastAttempt !== null,
  );
  await line.wrote(CONTACT, 1);
});
afterAll(async () => {
  await receiver?.close();
});

const own = () => `/panel/lines/${line.id}/destinations/${id}`;
const textOf = async ({ page }: Visitor): Promise<string> =>
  ((await page.textContent('main')) ?? '').replace(/\s+/g, ' ');

checkedPages(() => scene, [own, () => `${own()}?range=7d`, () => `/panel/lines/${line.id}`]);

test('a destination that has just refused an event is not told to be active, but why and until when it waits', async () => {
  const one = await loggedIn(scene, { script: false });
  for (const path of [`/panel/lines/${line.id}`, own()]) {
    await one.goto(path);
    const text = await textOf(one);
    expect([path, text]).toEqual([
      path,
      expect.stringMatching(
        /Last attempt failed: HTTP 500, [^.]+ UTC\. 2 deliveries are waiting\. Next try at 10 Mar 2026, 12:00:30 UTC\./,
      ),
    ]);
    expect([path, text]).toEqual([path, expect.stringMatching(/Success, events of 24 h ?0% of 1 attempt/)]);
    expect([path, text]).toEqual([path, expect.not.stringContaining('Active')]);
    expect(await one.page.getByRole('button', { name: /^Try now/ }).count()).toBe(1);
    expect(await one.page.getByRole('button', { name: 'Send test event' }).count()).toBe(1);
  }
  expect(await textOf(one)).toContain('2 events, 1 not tried yet');
  // A bar that is all red tells of nothing that was accepted.
  expect(await one.page.locator('.key span').allInnerTexts()).toEqual(['Accepted', 'Failed']);
});

test('its event shows at once what was answered last, and the payload with a button that copies it', async () => {
  const one = await loggedIn(scene);
  const { lastAttempt } = await scene.change(({ store }) => store.destinationReport(id));
  await one.goto(`/panel/events/${lastAttempt?.event_id}`);
  const answer = one.page.getByRole('region', { name: /^Answer to attempt/ });
  expect(await answer.first().isVisible()).toBe(true);
  expect(await answer.first().textContent()).toContain('Out of order');
  await one.page.locator('.payload summary').click();
  expect(await one.page.locator('.payload').getByRole('button').count()).toBe(1);
});

test('how long ago that was is told as time goes on', async () => {
  const one = await loggedIn(scene);
  await one.page.clock.install({ time: scene.clock.now + 12_000 });
  await one.goto(own());
  await one.page.getByText(/HTTP 500, 1\d\ss ago/).waitFor();
  await one.page.clock.fastForward(600_000);
  await one.page.getByText(/HTTP 500, 10\smin \d+\ss ago/).waitFor();
});

test('a time of today is told without its day, one of this year without its year', async () => {
  const one = await loggedIn(scene);
  const { now } = scene.clock;
  await one.page.clock.install({ time: now });
  await one.goto(own());
  const oldest = one.page.locator('#state dd time').last();
  await until(async () => /^12:00:\d\d$/.test((await oldest.textContent()) ?? ''));
  // It is midnight meanwhile.
  await one.page.clock.fastForward(24 * HOUR);
  await until(async () => /^10 Mar, 12:00:\d\d$/.test((await oldest.textContent()) ?? ''));
  await one.page.clock.fastForward(365 * 24 * HOUR);
  await until(async () => /^10 Mar 2026, 12:00:\d\d$/.test((await oldest.textContent()) ?? ''));
});

test('a bar of its chart leads to the events whose attempts it counts, and to no others', async () => {
  const one = await loggedIn(scene, { script: false });
  for (const range of ['24 h', '7 d', '30 d']) {
    await one.goto(own());
    await one.page.getByRole('link', { name: range, exact: true }).click();
    const bars = one.page.locator('#history .chart a');
    expect(await bars.count()).toBe(1);
    expect(await bars.getAttribute('aria-label')).toContain(': 0 accepted, 1 failed');
    await bars.click();
    expect(new URL(one.page.url()).searchParams.get('destination')).toBe(String(id));
    expect(await one.page.locator('#deliveries tbody tr').count()).toBe(2);
  }
});

test('Try now on its page sends what waits, in order, and the page follows', async () => {
  const one = await loggedIn(scene);
  await one.goto(own());
  works = true;
  await one.page.getByRole('button', { name: /^Try now/ }).click();
  await one.page.getByText('tried just now and accepted').waitFor();
  expect(new URL(one.page.url()).pathname).toBe(own());
  await one.page.locator('#state').getByText('Active').waitFor();
  await one.page.locator('#history').getByText('66.6% of 3 attempts').waitFor();
  expect(await one.page.getByRole('button', { name: /^Try now/ }).count()).toBe(0);
  expect(receiver.received.filter(({ method }) => method === 'POST')).toHaveLength(3);
});

test('its page tells how many events are on their way, for as long as they are', async () => {
  const held = Promise.withResolvers<void>();
  answersAfter = held.promise;
  await line.wrote('16505552222', 1);
  const one = await loggedIn(scene, { script: false });
  const shown = async (): Promise<boolean> => {
    await one.goto(own());
    return /In flight ?1 event/.test(await textOf(one));
  };
  await until(shown);
  held.resolve();
  await until(async () => !(await shown()));
});

describe('where no private address is allowed', () => {
  const scene = sceneOf(sqliteUrl, { GATEWAY_ALLOW_DESTINATIONS: 'n8n.internal' });
  const line = lineOf(scene);
  beforeAll(() => addPanelUser(scene, 'ana'));

  test('a changed address is tried at once: a private name says which setting allows it', async () => {
    const other = await scene.change((world) =>
      insertDestination(world, line.id, { url: 'https://crm.example.com/hook', origin: 'operator' }),
    );
    const one = await loggedIn(scene);
    await one.goto(`/panel/lines/${line.id}/destinations/${other.id}`);
    await one.page.getByLabel('URL').fill(`http://${hostname()}:5678/webhook`);
    await one.page.getByRole('button', { name: 'Save' }).click();
    await one.page.getByRole('heading', { name: 'The destination is saved' }).waitFor();
    expect(await textOf(one)).toMatch(
      new RegExp(
        `The gateway may not connect to this address\\. ${hostname()} \\(\\S+\\) is not a public address\\. Set GATEWAY_ALLOW_DESTINATIONS=${hostname()}:5678, or`,
      ),
    );
    await one.page.setViewportSize({ width: 360, height: 800 });
    const [wide, window] = await one.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    expect(wide).toBe(window);
    expect(await axeFaults(one.page)).toEqual([]);
  });
});

describe('after its address changed', () => {
  const scene = sceneOf(sqliteUrl, { GATEWAY_ALLOW_DESTINATIONS: '127.0.0.1' });
  const line = lineOf(scene, { name: 'My shop' });
  const ELSEWHERE = 'http://crm.example.invalid/hook';
  let receiver: HttpPeer;
  let id: number;
  let event: string;

  beforeAll(async () => {
    receiver = await startPeer(() => ({
      status: 500,
      headers: { 'retry-after': '600' },
      body: 'Out of order',
    }));
    await addPanelUser(scene, 'ana');
    ({ id } = await scene.change((world) =>
      insertDestination({ ...world, rules }, line.id, { url: `${receiver.url}/crm`, origin: 'operator' }),
    ));
    await line.wrote(CONTACT, 1);
    const reported = () => scene.change(({ store }) => store.destinationReport(id));
    await until(async () => (await reported()).lastAttempt !== null);
    event = (await reported()).lastAttempt?.event_id ?? '';
    scene.clock.now += 1000;
  });
  afterAll(() => receiver?.close());

  const pages = () => [
    `/panel/lines/${line.id}/destinations/${id}`,
    `/panel/lines/${line.id}`,
    '/panel/lines',
    '/panel/overview',
    '/panel/alerts',
    `/panel/events?destination=${id}`,
  ];
  const TOLD = /HTTP 500(?!, 1 attempt, to the previous address)|Out of order|Last attempt failed/;

  test('saving warns of a name that does not exist, and no page tells of the failure of the other address', async () => {
    const one = await loggedIn(scene, { script: false });
    const [own] = pages();
    await one.goto(own ?? '');
    expect(await textOf(one)).toMatch(TOLD);
    await one.page.getByLabel('URL').fill(ELSEWHERE);
    await one.page.getByRole('button', { name: 'Save' }).click();
    await one.page.getByRole('heading', { name: 'The destination is saved' }).waitFor();
    expect(await textOf(one)).toContain(
      'The gateway could not connect to this address. The host name crm.example.invalid cannot be found. Check its spelling.',
    );
    const texts: [string, string][] = [];
    for (const path of pages()) {
      await one.goto(path);
      texts.push([path, await textOf(one)]);
    }
    expect(texts.filter(([, text]) => TOLD.test(text))).toEqual([]);
    expect(texts[0]?.[1]).toMatch(/Last result ?none yet/);
    expect(texts[0]?.[1]).toMatch(/Address changed ?10 Mar 2026, 12:00:01/);
  });

  test('its event says which attempts went to the address before', async () => {
    const one = await loggedIn(scene, { script: false });
    await one.goto(`/panel/events/${event}`);
    const first = one.page.locator('.attempts summary').first();
    expect((await first.textContent())?.replace(/\s/g, ' ')).toMatch(
      /took [\d,]+ ms, to the previous address/,
    );
  });

  test('the address that it has, saved again, leaves that as it is', async () => {
    const one = await loggedIn(scene, { script: false });
    await one.goto(pages()[0] ?? '');
    scene.clock.now += 1000;
    await one.page.getByRole('button', { name: 'Save' }).click();
    await scene.change((world) => updateDestination(world, id, { url: ELSEWHERE }));
    const row = await scene.change(({ store }) => store.destinations.find(id));
    expect(row?.url_changed_at).toBe('2026-03-10T12:00:01.000Z');
  });
});
