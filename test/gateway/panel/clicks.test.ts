import { type Locator } from 'playwright-core';
import { isoTime, MINUTE } from '../../../gateway/time';
import { startTraffic, type Traffic } from '../../support/panel/traffic';
import { closingWindows, loggedIn, type Visitor } from '../../support/panel/visitor';
import { sqliteUrl } from '../../support/scene';

/** The line that tasks are about; with many lines, the last one of the last customer. */
const LINE = 'Zulu shop';
const CONTACT = '15550001111';

/** Works with pages as an owner does, and counts clicks, and fields that are filled or chosen. */
class Hand {
  clicks = 0;
  entries = 0;

  constructor(private readonly visitor: Visitor) {}

  get page() {
    return this.visitor.page;
  }

  async click(target: Locator): Promise<void> {
    await target.click();
    this.clicks++;
  }

  menu = (name: string | RegExp): Promise<void> =>
    this.click(this.page.locator('.side-places').getByRole('link', { name }));
  link = (name: string | RegExp): Promise<void> =>
    this.click(this.page.locator('#main').getByRole('link', { name }).first());
  button = (name: string | RegExp): Promise<void> =>
    this.click(this.page.locator('#main').getByRole('button', { name, exact: true }).first());

  async fill(label: string, text: string): Promise<void> {
    await this.page.locator('#main').getByLabel(label, { exact: true }).first().fill(text);
    this.entries++;
  }

  /** Chooses the line from a list, or types its name; nothing if it is chosen already. */
  async chooseLine(form: Locator): Promise<void> {
    const field = form.locator('[name=line]');
    const isList = (await field.evaluate(({ tagName }) => tagName)) === 'SELECT';
    if (isList && (await field.locator('option:checked').innerText()) === LINE) return;
    await (isList ? field.selectOption(LINE) : field.fill(LINE));
    this.entries++;
  }

  /** Opens a line from the list, with the search if the list does not show it at once. */
  async line(): Promise<void> {
    await this.menu('Lines');
    if (!(await this.page.locator('#lines').getByRole('link', { name: LINE, exact: true }).count())) {
      await this.fill('Name or number', LINE);
      await this.button('Search');
    }
    await this.link(LINE);
  }
}

const TASKS: Record<string, (hand: Hand) => Promise<void>> = {
  'find the events of a line': async (hand) => {
    await hand.line();
    await hand.link('Events');
    await hand.page.getByRole('heading', { name: LINE }).waitFor();
  },
  'resend a failed delivery': async (hand) => {
    await hand.menu(/^Events/);
    await hand.link(/^Given up/);
    await hand.click(hand.page.locator('#deliveries .row-link').first());
    await hand.button(/^Resend/);
  },
  'answer a conversation': async (hand) => {
    await hand.menu('Conversations');
    await hand.click(hand.page.locator('.chats .row-link', { hasText: 'Ana' }));
    await hand.fill('Text', 'Hello');
    await hand.click(hand.page.getByRole('button', { name: 'Send', exact: true }));
    await hand.page.locator('.talk').getByText('Hello').first().waitFor();
  },
  'make a token': async (hand) => {
    await hand.menu('API tokens');
    await hand.chooseLine(hand.page.locator('#generate form'));
    await hand.button('Generate token');
    await hand.page.getByText(`It opens ${LINE}`).waitFor();
  },
  'add a destination': async (hand) => {
    await hand.line();
    await hand.link('Add a destination');
    await hand.fill('URL', 'http://127.0.0.1:9/hook');
    await hand.button('Add it and show the secret');
    await hand.page.getByRole('heading', { name: 'Handshake' }).waitFor();
  },
  'pause a destination': async (hand) => {
    await hand.line();
    await hand.link(/crm/);
    await hand.button('Pause');
  },
  'mute an alert': async (hand) => {
    await hand.menu(/^Alerts/);
    await hand.link(/^Mute/);
    await hand.button('Mute');
    await hand.page.getByText('Muted').first().waitFor();
  },
  'see why a message failed': async (hand) => {
    await hand.menu('Messages');
    await hand.link('Failed');
    await hand.click(hand.page.locator('#messages .row-link').first());
  },
  'find a contact': async (hand) => {
    const search = hand.page.locator('.side input[type=search]');
    await search.fill(CONTACT);
    hand.entries++;
    await search.press('Enter');
    hand.clicks++;
    await hand.link(/000-1111/);
  },
  'add a user': async (hand) => {
    await hand.menu('Users');
    await hand.link('Add user');
    await hand.fill('Name', 'lia');
    const ofCustomer = hand.page.locator('#main').getByLabel('Zulu Ltd');
    if (await ofCustomer.count()) {
      await ofCustomer.check();
      hand.entries++;
    }
    await hand.button('Add user');
    await hand.page.getByRole('heading', { name: 'lia is added' }).waitFor();
  },
  // Last, because with a second line the page of tokens asks for the line.
  'add a line': async (hand) => {
    await hand.menu('Lines');
    await hand.link('Add a line');
    await hand.fill('Name', 'New shop');
    await hand.button('Add the line');
  },
};

closingWindows();

describe('the clicks that tasks take', () => {
  const scenes: Traffic[] = [];
  afterAll(() => Promise.all(scenes.map((scene) => scene.stop())));

  /** A gateway with something for each task, on the line that they are about. */
  async function start(): Promise<Traffic> {
    const scene = await startTraffic(await sqliteUrl(), { GATEWAY_UPSTREAM_URL: 'sandbox' });
    scenes.push(scene);
    const at = isoTime(scene.clock.now - MINUTE);
    await scene.shop.edit({ name: LINE });
    await scene.dead(3);
    await scene.shop.wrote(CONTACT, 1);
    await scene.change(async ({ store }) => {
      await store.alerts.openIncidents([
        {
          ...{
            kind: 'line_credentials',
            subject: String(scene.shop.id),
            line_id: scene.shop.id,
            waba_id: null,
          },
          ...{ process: null, severity: 'critical', title: 'No access token', waiting: null },
          ...{ text: 'Nothing can be sent.', over: '', action: '', since: at, opened_at: at },
          path: `/panel/lines/${scene.shop.id}/edit`,
        },
      ]);
      await store.write({
        ...{ kind: 'notification', events: [], windows: [] },
        messages: [
          {
            ...{ line_id: scene.shop.id, wamid: 'wamid.failed', contact: CONTACT, type: 'text' },
            ...{ accepted_at: at, failed_at: at, failure: '[]' },
          },
        ],
      });
    });
    return scene;
  }

  /** 59 other lines, in 24 other customers. */
  async function grow(scene: Traffic): Promise<void> {
    const ids: number[] = [];
    await scene.change(async ({ store }) => {
      for (let index = 1; index <= 25; index++) {
        const name = index === 25 ? 'Zulu Ltd' : `Customer ${index}`;
        const added = await store.customers.insert({ name, external_id: null, created_at: isoTime(0) });
        ids.push(added?.id ?? 0);
      }
    });
    for (let index = 0; index < 59; index++)
      await scene.line({
        name: `Shop ${index}`,
        phoneNumberId: `2065403522429${100 + index}`,
        customerId: ids[index % 24] ?? null,
      });
    await scene.shop.edit({ customer_id: ids[24] ?? null });
  }

  async function counted(scene: Traffic): Promise<Record<string, { clicks: number; entries: number }>> {
    const counts: Record<string, { clicks: number; entries: number }> = {};
    for (const [task, work] of Object.entries(TASKS)) {
      const visitor = await loggedIn(scene);
      await visitor.goto('/panel/overview');
      const hand = new Hand(visitor);
      await work(hand);
      counts[task] = { clicks: hand.clicks, entries: hand.entries };
      await visitor.close();
    }
    return counts;
  }

  test('are as many with 60 lines of 25 customers as with one line, but for naming the line or customer', async () => {
    const one = await counted(await start());
    const scene = await start();
    await grow(scene);
    const many = await counted(scene);
    expect(many).toEqual({
      ...one,
      'make a token': { clicks: 2, entries: 1 },
      'add a user': { clicks: 3, entries: 2 },
    });
    expect(one).toEqual({
      'add a line': { clicks: 3, entries: 1 },
      'find the events of a line': { clicks: 3, entries: 0 },
      'resend a failed delivery': { clicks: 4, entries: 0 },
      'answer a conversation': { clicks: 3, entries: 1 },
      'make a token': { clicks: 2, entries: 0 },
      'add a destination': { clicks: 4, entries: 1 },
      'pause a destination': { clicks: 4, entries: 0 },
      'mute an alert': { clicks: 3, entries: 0 },
      'see why a message failed': { clicks: 3, entries: 0 },
      'find a contact': { clicks: 2, entries: 1 },
      'add a user': { clicks: 3, entries: 1 },
    });
  });
});
