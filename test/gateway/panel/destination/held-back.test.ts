import { setTimeout as sleep } from 'node:timers/promises';
import { markPaused, setForwardingUrl } from '../../../../gateway/forwarding/destinations/destination-rows';
import { isoTime, MINUTE } from '../../../../gateway/time';
import { startPeer, until, type HttpPeer } from '../../../support/http-peer';
import { checkedPages } from '../../../support/panel/checked-pages';
import {
  addPanelUser,
  closingWindows,
  formTokenIn,
  loggedIn,
  type Visitor,
} from '../../../support/panel/visitor';
import { write } from '../../../support/rows';
import { sqliteUrl, startScene, type Scene, type TestLine } from '../../../support/scene';
import { notification, notify, textFrom } from '../../../support/test-gateway';

closingWindows();

interface Broken {
  scene: Scene;
  receiver: HttpPeer;
  repair(): void;
  /** It goes on refusing events in which this stands, after a while. */
  refuse(text: string): void;
  /** Another contact. */
  wrote(number: number): Promise<number>;
  line: TestLine;
  /** Of the destination that accepts nothing. */
  id: number;
  /** An event that waits for it. */
  event: string;
  host: string;
  stop(): Promise<void>;
}

/** Longer than a phone is wide. */
const PATH = '/api/v2/integrations/messaging/inbound';

/** Longer than is told in a line, and of several. */
const ANSWER = `{"error":\n  "<b>database is locked</b>", "trace": "${'at '.repeat(60)}"}`;

/** A receiver that asks to be left alone for ten minutes: by itself nothing goes out within a test. */
async function broken(): Promise<Broken> {
  const scene = await startScene(await sqliteUrl(), {
    GATEWAY_ALLOW_DESTINATIONS: '127.0.0.1',
  });
  let works = false;
  let refused = '';
  const receiver = await startPeer(async ({ body }) => {
    const isRefused = refused !== '' && body.includes(refused);
    if (isRefused) await sleep(400);
    return works && !isRefused ? {} : { status: 500, headers: { 'retry-after': '600' }, body: ANSWER };
  });
  await addPanelUser(scene, 'ana');
  await addPanelUser(scene, 'ben', 'viewer');
  const line = await scene.line({ name: 'My shop' });
  const rules = { refuseUrl: () => null } as never;
  const { id } = await scene.change((world) =>
    setForwardingUrl({ ...world, rules }, line.id, null, { url: `${receiver.url}${PATH}`, secret: null }),
  );
  const wrote = (number: number) =>
    notify(
      scene.gateway,
      notification(textFrom(`1202555010${number}`, 'Hi', `wamid.${number}`), line.phoneNumberId),
    );
  for (let number = 0; number < 5; number++) await wrote(number);
  const row = () => scene.change(({ store }) => store.destinations.find(id));
  await until(async () => (await row())?.failing_since !== null);
  await wrote(5);
  const deliveries = await scene.change(({ store }) => store.deliveries.ofDestination(id));
  return {
    scene,
    receiver,
    repair: () => (works = true),
    refuse: (text) => (refused = text),
    wrote,
    line,
    id,
    event: deliveries.at(-1)?.event_id ?? '',
    host: new URL(receiver.url).host,
    async stop() {
      await scene.stop();
      await receiver.close();
    },
  };
}

const pagesOf = ({ line, event, id }: Broken) => [
  '/panel/overview',
  `/panel/events?destination=${id}`,
  `/panel/lines/${line.id}`,
  `/panel/events/${event}`,
  `/panel/lines/${line.id}/destinations/${id}`,
];

const textOf = async ({ page }: Visitor): Promise<string> =>
  ((await page.textContent('main')) ?? '').replace(/\s+/g, ' ');

describe('a destination that accepts nothing', () => {
  let world: Broken;
  beforeAll(async () => {
    world = await broken();
  });
  afterAll(() => world.stop());

  checkedPages(
    () => world.scene,
    [0, 1, 2, 3].map((index) => () => pagesOf(world)[index] ?? ''),
  );

  test('is told of in the same words everywhere: since when, why, how many wait, and when it is tried', async () => {
    const one = await loggedIn(world.scene, { script: false });
    for (const path of pagesOf(world)) {
      await one.goto(path);
      const text = await textOf(one);
      const since = String.raw`[Nn]ot accepting events since \d+ \w+ \d{4}, \d\d:\d\d UTC`;
      const why = path.endsWith(world.event)
        ? String.raw` \(HTTP 500\)\.`
        : String.raw`\. .*Last try \d[^.]+ UTC: HTTP 500\.`;
      expect([path, text]).toEqual([path, expect.stringMatching(new RegExp(since + why))]);
      expect([path, text]).toEqual([
        path,
        expect.stringMatching(/Next try at \d+ \w+ \d{4}, [\d:]{8} UTC\./),
      ]);
      if (path !== `/panel/events/${world.event}`)
        expect([path, text]).toEqual([path, expect.stringContaining('6 deliveries are waiting.')]);
      expect(await one.page.locator('button', { hasText: `Try now: ${world.host}` }).count()).toBe(1);
    }
  });

  test('has told beneath it what the receiver answered last, in one line that leads to the event', async () => {
    const told = `{"error": "<b>database is locked</b>", "trace": "${'at '.repeat(60)}`.slice(0, 159) + '…';
    const { lastAttempt } = await world.scene.change(({ store }) => store.destinationReport(world.id));
    const one = await loggedIn(world.scene, { script: false });
    for (const path of pagesOf(world).filter((page) => !page.endsWith(world.event))) {
      await one.goto(path);
      const answer = one.page.locator('p .answer');
      expect([path, await answer.innerText()]).toEqual([
        path,
        expect.stringMatching(
          path === '/panel/overview' ? /^Last try \d[^.]+ UTC: HTTP 500\. Answer: \S/ : /^Answer: \S/,
        ),
      ]);
      expect([path, await answer.innerText()]).toEqual([path, expect.stringContaining(`Answer: ${told}`)]);
      expect(await answer.getByRole('link').getAttribute('href')).toBe(
        `/panel/events/${lastAttempt?.event_id}`,
      );
    }
  });

  test('has its page named by host and path, its latest attempts listed with their answers, and none accepted', async () => {
    const one = await loggedIn(world.scene, { script: false });
    await one.goto(`/panel/lines/${world.line.id}/destinations/${world.id}`);
    expect(await one.page.getByRole('heading', { level: 1 }).innerText()).toBe(`${world.host}${PATH}`);
    expect(await one.page.getByRole('heading', { name: 'Latest deliveries' }).count()).toBe(0);
    const rows = one.page.locator('#latest tbody tr');
    expect(await rows.count()).toBe(5);
    expect(await rows.first().innerText()).toMatch(/HTTP 500[\s\S]*\d ms/);
    expect(await rows.first().locator('.answer').innerText()).toMatch(/^.{79}…$/);
    expect(await rows.first().getByRole('link').getAttribute('href')).toMatch(/^\/panel\/events\/evt_/);
    expect(await one.page.locator('#state').innerText()).toMatch(/Last accepted\s+none lately/);
  });

  test('has an address that is wider than a phone broken between its parts, not within a word', async () => {
    const one = await loggedIn(world.scene, { width: 360, script: false });
    for (const path of pagesOf(world).slice(2)) {
      await one.goto(path);
      const address = one.page.locator('h1, h2 a, .destination-url', { hasText: 'inbound' }).first();
      const parts = (await address.innerHTML()).split('<wbr>');
      expect([path, parts.at(-1)]).toEqual([path, 'inbound']);
      expect([path, await address.innerText()]).toEqual([path, expect.stringContaining(PATH)]);
    }
  });

  test('is named by its line and its host', async () => {
    const one = await loggedIn(world.scene, { script: false });
    world.scene.clock.now += 3 * MINUTE;
    await one.goto('/panel/overview');
    world.scene.clock.now -= 3 * MINUTE;
    const title = `My shop: ${world.host}${PATH} isn't accepting events`;
    expect(await one.page.getByRole('heading', { name: title }).count()).toBe(1);
    // What is late because of it is not told once more; but that no channel tells anybody.
    expect(await one.page.locator('.attention > li').count()).toBe(2);
    const untold = one.page.locator('.attention > li', { hasText: 'No one is notified of incidents' });
    expect(await untold.locator('.urgency').innerText()).toBe('Warning');
    expect(await untold.getByRole('link', { name: 'Add a channel' }).getAttribute('href')).toBe(
      '/panel/alerts/channels/new',
    );
    const ben = await loggedIn(world.scene, { name: 'ben', script: false });
    await ben.goto('/panel/overview');
    expect(await textOf(ben)).not.toContain('No one is notified of incidents');
  });

  test('takes two lines beneath its title on the overview, however long its answer is', async () => {
    const one = await loggedIn(world.scene);
    await one.page.clock.install({ time: world.scene.clock.now });
    await one.goto('/panel/overview');
    expect(await one.page.locator('#attention .strip').getAttribute('aria-label')).toMatch(
      /^0% of \d+ attempts/,
    );
    await one.page.getByText(/Next try in/).waitFor();
    const told = one.page.locator('.attention p').first();
    const [{ height: both = 0 }, { height: answer = 0 }] = [
      (await told.boundingBox()) ?? {},
      (await told.locator('.answer').boundingBox()) ?? {},
    ] as { height?: number }[];
    expect([answer > 15, answer < 25, both < 2 * answer + 4]).toEqual([true, true, true]);
  });

  test('has the time until its next try counted down', async () => {
    const one = await loggedIn(world.scene);
    await one.page.clock.install({ time: world.scene.clock.now });
    for (const path of pagesOf(world)) {
      await one.goto(path);
      await one.page.getByText(/Next try in\s(10\smin|9\smin\s\d+\ss)/).waitFor();
    }
    await one.page.clock.fastForward(8 * MINUTE);
    await one.page.getByText(/Next try in\s[12]\smin\s\d+\ss/).waitFor();
    await one.page.clock.fastForward(8 * MINUTE);
    await one.page.getByText('Next try any moment now.').waitFor();
  });

  test('is never told to be tried at a time that is past', async () => {
    const { scene, id } = world;
    const noted = await scene.change(({ store }) => store.destinations.find(id));
    await scene.change(async ({ store }) => {
      await store.deliveries.makeDueBy(id, isoTime(scene.clock.now - MINUTE));
      await store.destinations.update(id, { next_try_at: isoTime(scene.clock.now - MINUTE) });
    });
    const one = await loggedIn(scene, { script: false });
    // What the overview counts is kept for some seconds.
    for (const path of pagesOf(world).slice(1)) {
      await one.goto(path);
      const text = await textOf(one);
      expect([path, text]).toEqual([path, expect.stringContaining('It is being tried now.')]);
      expect([path, text]).toEqual([path, expect.not.stringContaining('any moment now')]);
    }
    await scene.change(({ store }) =>
      store.destinations.update(id, { next_try_at: noted?.next_try_at ?? null }),
    );
  });

  test('stands first on the page of its line, with what helps; all else stands on its own page', async () => {
    const one = await loggedIn(world.scene, { script: false });
    await one.goto(`/panel/lines/${world.line.id}`);
    const cards = await one.page.locator('#destinations h2').allInnerTexts();
    expect(cards).toEqual(['Needs attention', 'More destinations', 'Setup checks', 'State']);
    expect(await one.page.locator('.destination .actions > *').allInnerTexts()).toEqual([
      expect.stringMatching(/^Try now/),
      'Send test event',
      expect.stringMatching(/^History and settings/),
    ]);
    expect(await one.page.locator('.destination .button.primary').allInnerTexts()).toEqual([
      expect.stringMatching(/^Try now/),
    ]);
    // Its address leads to its page.
    await one.page
      .getByRole('link', { name: `${world.host}${PATH}` })
      .first()
      .click();
    for (const name of [/^Try now/, 'Send test event', 'Pause', 'Remove'])
      expect(await one.page.getByRole('button', { name }).count()).toBe(1);
    await one.page.getByRole('link', { name: 'Its deliveries' }).click();
    expect(await one.page.locator('#deliveries tbody tr').count()).toBe(6);
  });

  test('has no button that stands out where nothing waits that could be tried', async () => {
    const { scene } = world;
    const line = await scene.line({ name: 'Nothing waits', phoneNumberId: '206540352242977' });
    const rules = { refuseUrl: () => null } as never;
    const { id } = await scene.change((deps) =>
      setForwardingUrl({ ...deps, rules }, line.id, null, { url: world.receiver.url, secret: null }),
    );
    await scene.change(({ store, clock }) =>
      store.destinations.update(id, { failing_since: isoTime(clock()), last_failure: 'HTTP 503' }),
    );
    const one = await loggedIn(scene, { script: false });
    await one.goto(`/panel/lines/${line.id}`);
    expect(await one.page.getByRole('button', { name: /^Try now/ }).count()).toBe(1);
    expect(await one.page.locator('.destination .button.primary').count()).toBe(0);
    await scene.change(({ store }) => store.destinations.remove(id, isoTime(0)));
  });

  test('has what waits for it listed by when it is due, which the list says', async () => {
    const one = await loggedIn(world.scene, { script: false });
    for (const [query, isSaid] of [
      ['?state=waiting', true],
      ['?state=waiting&about=messages', false],
      ['', false],
    ] as const) {
      await one.goto(`/panel/events${query}`);
      expect([query, (await textOf(one)).includes('Next due first.')]).toEqual([query, isSaid]);
      await one.page.locator('#deliveries .row-link').first().click();
      expect([query, (await textOf(one)).includes('Next due first.')]).toEqual([query, isSaid]);
    }
  });

  test('has it told on its page what came of Try now', async () => {
    const { scene, id } = world;
    const triedAt = async () =>
      (await scene.change(({ store }) => store.destinations.find(id)))?.last_tried_at ?? '';
    const before = await triedAt();
    const attempts = (await scene.change(({ store }) => store.destinationReport(id))).lastAttempt;
    scene.clock.now += 8 * MINUTE;
    const one = await loggedIn(scene, { script: false });
    await one.goto(`/panel/lines/${world.line.id}/destinations/${id}`);
    await one.page.getByRole('button', { name: /^Try now/ }).click();
    const told = one.page.getByRole('alert');
    expect(await told.innerText()).toBe(
      `${world.host}${PATH}: tried just now, HTTP 500. It still isn't accepting events.`,
    );
    expect((await triedAt()) > before).toBe(true);
    const text = await textOf(one);
    expect(text).toMatch(
      /Last try 10 Mar 2026, 12:08:\d\d UTC: HTTP 500\. 6 deliveries are waiting\. Next try at/,
    );
    // It is the first of the latest attempts, though no attempt of it is kept.
    const latest = one.page.locator('#latest tbody tr');
    expect(await latest.count()).toBe(6);
    expect((await latest.first().innerText()).replace(/\s+/g, ' ')).toMatch(
      /^10 Mar 2026, 12:08:\d\d UTC Try while it isn't accepting events HTTP 500 –$/,
    );
    await scene.change(({ store }) => store.destinations.update(id, { last_failure: 'timeout' }));
    await one.page.reload();
    expect(await textOf(one)).toMatch(/Last try [^.]+ UTC: No answer in time\./);
    // The last answer that is kept was not to that try.
    expect(await one.page.locator('#state .answer').count()).toBe(0);
    await scene.change(({ store }) => store.destinations.update(id, { last_failure: 'HTTP 500' }));
    // Once is enough.
    expect(text).not.toContain('Last result');
    expect((await scene.change(({ store }) => store.destinationReport(id))).lastAttempt).toEqual(attempts);
  });

  test('leaves whoever tried it by keyboard at the button, with what came of it in sight', async () => {
    const one = await loggedIn(world.scene);
    await one.page.setViewportSize({ width: 1280, height: 420 });
    await one.goto('/panel/overview');
    const button = one.page.getByRole('button', { name: /^Try now/ });
    await button.focus();
    await one.page.keyboard.press('Enter');
    const notice = one.page.locator('main > .notice');
    await notice.waitFor();
    await until(async () => (await one.page.locator(':focus').count()) > 0);
    expect(await one.page.locator(':focus').innerText()).toContain('Try now');
    await one.page.mouse.move(700, 300);
    await one.page.mouse.wheel(0, 300);
    await until(async () => Number(await one.page.evaluate('scrollY')) > 200);
    const told = await notice.boundingBox();
    expect(told?.y).toBeGreaterThanOrEqual(0);
    expect(told?.y).toBeLessThan(100);
  });

  test('is told to have been tried last when an attempt was made later than what is kept of it', async () => {
    const { scene, id, event } = world;
    await write(
      scene.databaseUrl,
      `update attempts set started_at = '2026-03-10T13:00:00.000Z', http_status = 502
       where started_at = (select max(started_at) from attempts where destination_id = ${id})`,
    );
    const one = await loggedIn(scene, { script: false });
    for (const path of pagesOf(world).filter((page) => !page.endsWith(event))) {
      await one.goto(path);
      expect([path, await textOf(one)]).toEqual([
        path,
        expect.stringContaining('Last try 10 Mar 2026, 13:00:00 UTC: HTTP 502.'),
      ]);
    }
  });

  test('is said to have something untried only where there is something', async () => {
    const { scene, id, line } = world;
    const one = await loggedIn(scene, { script: false });
    const waiting = async () => {
      await one.goto(`/panel/lines/${line.id}/destinations/${id}`);
      return one.page.locator('dd', { hasText: 'events' }).first().innerText();
    };
    // It stands for what was tried: no attempt of it is kept, yet it is not untried.
    expect(await waiting()).toBe('6 events, 1 held back');
    await one.goto(`/panel/events?destination=${id}`);
    expect(await one.page.locator('.log-state', { hasText: 'held back' }).count()).toBe(1);
    expect(await textOf(one)).not.toContain('not tried yet');
    await write(
      scene.databaseUrl,
      'update deliveries set attempts = 1, attempts_before = 1 where attempts = 0',
    );
    expect(await waiting()).toBe('6 events');
  });

  test('is tried by an operator alone', async () => {
    const ben = await loggedIn(world.scene, { name: 'ben' });
    for (const path of pagesOf(world)) {
      await ben.goto(path);
      expect([path, await ben.page.getByRole('button', { name: /Try now/ }).count()]).toEqual([path, 0]);
    }
    const html = await (await ben.context.request.get(`${world.scene.gateway.url}/panel/overview`)).text();
    const answer = await ben.context.request.post(
      `${world.scene.gateway.url}/panel/destinations/${world.id}/try-now`,
      {
        form: { from: 'overview', form_token: formTokenIn(html) },
        headers: { origin: world.scene.gateway.url },
      },
    );
    expect(answer.status()).toBe(403);
  });
});

describe('what waits for a destination that is repaired', () => {
  let world: Broken;
  beforeEach(async () => {
    world = await broken();
    world.repair();
  });
  afterEach(() => world.stop());

  const audited = async () =>
    (await world.scene.change(({ store }) => store.audit.page({}, 50)))
      .filter(({ who }) => who === 'ana')
      .map(({ action }) => action);

  test.each([0, 1, 2, 3])('goes out at once by a press of Try now (%i)', async (index) => {
    const path = pagesOf(world)[index] ?? '';
    const one = await loggedIn(world.scene, { script: index % 2 === 0 });
    await one.goto(path);
    await one.page.getByRole('button', { name: /^Try now/ }).click();
    await one.page.getByText(`${world.host}${PATH}: tried just now and accepted.`).waitFor();
    expect(one.page.url()).toBe(world.scene.gateway.url + path);
    await world.receiver.untilReceived(11);
    await until(async () => {
      await one.page.reload();
      return !/[Nn]ot accepting/.test(await textOf(one));
    });
    expect(await audited()).toContain('destination.tried_now');
  });

  test('is told of one event by its own attempts, whatever is accepted meanwhile', async () => {
    const one = await loggedIn(world.scene);
    await one.goto(`/panel/lines/${world.line.id}/destinations/${world.id}`);
    await one.page.getByRole('button', { name: /^Try now/ }).click();
    await one.page.locator('#state').getByText('Active').waitFor();
    world.refuse('wamid.8');
    await world.wrote(8);
    await one.page.locator('#latest').getByText('HTTP 500').first().waitFor();
    await one.page.locator('#latest tbody a').first().click();
    await one.page.getByRole('button', { name: /^Try now/ }).click({ noWaitAfter: true });
    await world.wrote(9);
    await one.page.getByText(`${world.host}${PATH}: tried just now, HTTP 500`).waitFor();
  });

  test('is told to have been tried by the window in which it was, and by no other', async () => {
    const one = await loggedIn(world.scene);
    const other = await one.context.newPage();
    const path = `/panel/lines/${world.line.id}/destinations/${world.id}`;
    await one.goto(path);
    // As if its answer were still on its way.
    await one.page.evaluate(`{
      const form = document.querySelector('form[action$="/try-now"]');
      fetch(form.action, { method: 'post', body: new URLSearchParams(new FormData(form)), redirect: 'manual' })
        .then(({ type }) => type);
    }`);
    await other.goto(`${world.scene.gateway.url}/panel/lines`);
    expect(await other.textContent('main')).not.toContain('tried just now');
    await one.goto(path);
    expect(await textOf(one)).toContain('tried just now');
  });

  test('goes out by a press of Try now though its destination has accepted something since', async () => {
    const one = await loggedIn(world.scene);
    await one.goto(`/panel/lines/${world.line.id}/destinations/${world.id}`);
    await one.page.getByRole('button', { name: /^Try now/ }).click();
    await world.receiver.untilReceived(11);
    world.refuse('wamid.8');
    await world.wrote(8);
    await one.page.locator('#latest').getByText('HTTP 500').first().waitFor();
    await world.wrote(9);
    await one.page.locator('#state').getByText('Active').waitFor();
    world.refuse('');
    const before = world.receiver.received.length;
    await one.page.getByRole('button', { name: /^Try now/ }).click();
    await world.receiver.untilReceived(before + 1);
    expect(world.receiver.received.at(-1)?.body).toContain('wamid.8');
    await one.page.getByRole('button', { name: /^Try now/ }).waitFor({ state: 'detached' });
  });

  test('is paused and resumed elsewhere, and the buttons of its page follow', async () => {
    const one = await loggedIn(world.scene);
    await one.goto(`/panel/lines/${world.line.id}/destinations/${world.id}`);
    await one.page.getByRole('button', { name: 'Pause' }).waitFor();
    await world.scene.change((deps) => markPaused(deps, world.id, 'By hand'));
    await one.page.getByRole('button', { name: 'Resume' }).waitFor();
    expect(await one.page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
  });

  test.each(['Send test event', 'Pause'])('goes out at once after %s', async (name) => {
    const one = await loggedIn(world.scene);
    await one.goto(`/panel/lines/${world.line.id}/destinations/${world.id}`);
    await one.page.getByRole('button', { name }).click();
    if (name === 'Pause') await one.page.getByRole('button', { name: 'Resume' }).click();
    else await one.page.getByText('Waiting events are sent now.').waitFor();
    // The test event is one of them, and so is the handshake.
    await world.receiver.untilReceived(name === 'Pause' ? 11 : 13);
  });
});
