import type { INodeParameters } from 'n8n-workflow';

import { until } from '../support/http-peer';
import { listening, openInbox, type Inbox, type Listening } from '../support/listening';
import { runAction } from '../support/n8n';
import { expectOnlyValidRequests } from './support/wire';
import { openWorld, type World } from './support/world';

const CONTACT = '5511987654321';
const ALL = ['messages', 'sent', 'delivered', 'read', 'failed'];

let world: World;
let inbox: Inbox;
let trigger: Listening;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  inbox = await openInbox(() => trigger);
  start({ events: ALL });
});
afterEach(async () => {
  await trigger.deactivate();
  await trigger.endTest();
  await inbox.close();
  expectOnlyValidRequests(world.wire);
  expect(await destinations()).toEqual([]);
});
afterAll(() => world.close());

/** The workflow as a person opens it, or as n8n loads it after a restart with what it had kept. */
function start(
  parameters: INodeParameters,
  kept: Listening | undefined = undefined,
  n8nUrl = inbox.n8nUrl,
): void {
  trigger = listening(world, parameters, kept?.workflow.staticData, n8nUrl);
}

interface Destination {
  id: number;
  url: string;
  events: string[];
  expires_at: string | null;
}

async function destinations(): Promise<Destination[]> {
  const { baseUrl, line, token } = world.credentials;
  const answer = await fetch(`${baseUrl}/v22.0/${line}/destinations`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return ((await answer.json()) as { data: Destination[] }).data;
}

const registered = () =>
  world.wire.exchanges.filter(({ method, status }) => method === 'POST' && status === 201).at(-1)?.answer;

/** What came out of one output so far, over all runs. */
const output = (index: 0 | 1) => inbox.runs.flatMap((run) => run[index].map(({ json }) => json));

test('registers with every choice of events, and is known again after a restart of n8n', async () => {
  for (const events of [...ALL.map((event) => [event]), ALL]) {
    start({ events }, trigger);
    expect(await trigger.activate()).toBe('created');
    expect((await destinations()).map((one) => one.events)).toEqual([events]);
    start({ events }, trigger);
    expect(await trigger.activate()).toBe('existed');
  }
});

test('keeps what the gateway answers: the id to remove it by, the secret to check events with', async () => {
  await trigger.activate();
  const { id, secret, url, handshake } = registered() as Record<string, unknown>;
  expect(trigger.registrations()).toEqual([
    { id: String(id), url: trigger.productionUrl, urlAtGateway: url, secret, test: false },
  ]);
  expect(handshake).toEqual({ ok: true, detail: expect.any(String) });
});

test('knows its own destination when the gateway writes the address otherwise', async () => {
  const { port } = new URL(inbox.n8nUrl);
  start({ events: ALL }, undefined, `http://LocalHost:${port}/büro`);
  await trigger.activate();
  const [{ url }] = await destinations();
  expect(url).toContain(`http://localhost:${port}/b%C3%BCro/`);
  expect(await trigger.activate()).toBe('existed');
});

test('test listening has a destination of its own that expires; each is removed alone', async () => {
  await trigger.activate();
  await trigger.listenForTest();
  const [production, test] = await destinations();
  expect([production.url, production.expires_at]).toEqual([trigger.productionUrl, null]);
  expect(test.url).toBe(trigger.testUrl);
  const seconds = (Date.parse(test.expires_at ?? '') - Date.now()) / 1000;
  expect(seconds).toBeGreaterThan(280);
  expect(seconds).toBeLessThanOrEqual(300);

  await trigger.endTest();
  expect((await destinations()).map(({ url }) => url)).toEqual([trigger.productionUrl]);
});

test('what a contact writes and what becomes of an answer come out as items, signed by the gateway', async () => {
  await trigger.activate();
  await world.does(CONTACT, { text: 'Is it ready?' });
  await until(() => output(0).length === 1);
  expect(output(0)).toEqual([
    expect.objectContaining({ from: CONTACT, name: 'Ana', kind: 'text', text: 'Is it ready?' }),
  ]);

  const { items } = await runAction(world.credentials, {
    resource: 'message',
    operation: 'send',
    to: CONTACT,
    messageType: 'text',
    text: 'Yes',
    options: { clientRef: 'order 1042', replyTo: output(0)[0].messageId as string },
  });
  await until(() => output(1).length === 3);
  expect(output(1).map(({ messageStatus }) => messageStatus)).toEqual(['sent', 'delivered', 'read']);
  for (const status of output(1)) {
    expect(status).toMatchObject({ messageId: items[0].json.messageId, clientRef: 'order 1042' });
  }
});

test('answers of a flow, an order, an advertisement and a forwarded text come out as fields', async () => {
  await trigger.activate();
  await world.does(CONTACT, { flow: { guests: 4 } });
  await world.does(CONTACT, { order: true });
  await world.does(CONTACT, { text: 'Hi', referral: true, forwarded: true });
  await until(() => output(0).length === 3);
  expect(output(0)).toEqual([
    expect.objectContaining({ flowAnswers: { guests: 4 }, order: null, referral: null, forwarded: false }),
    expect.objectContaining({
      order: {
        catalogId: expect.any(String),
        items: [
          { productId: 'di9ozbzfi4', quantity: 2, price: 30, currency: 'USD' },
          { productId: 'nqryix03ez', quantity: 1, price: 25, currency: 'USD' },
        ],
      },
    }),
    expect.objectContaining({
      forwarded: true,
      referral: expect.objectContaining({ sourceType: 'ad', headline: 'Chat with us' }),
    }),
  ]);
});

test('the button, the row and the quick reply that a contact taps come back by the IDs that were entered', async () => {
  await trigger.activate();
  const arrived = async (doing: object) => {
    const before = output(0).length;
    await world.does(CONTACT, doing);
    await until(() => output(0).length > before);
    return output(0).at(-1) ?? {};
  };
  await arrived({ text: 'Hello' });
  const send = { resource: 'message', operation: 'send', to: CONTACT };
  const tapped = async (parameters: INodeParameters, tap: object) => {
    const { error } = await runAction(world.credentials, { ...send, ...parameters });
    expect(error).toBeUndefined();
    const { replyId, replyTitle } = await arrived(tap);
    return [replyId, replyTitle];
  };

  const buttons = { button: [{ title: 'Today', id: 'deliver_today' }, { title: 'Tomorrow' }] };
  const asked = { messageType: 'buttons', body: 'When?', buttons };
  expect(await tapped(asked, { button: 'Today' })).toEqual(['deliver_today', 'Today']);
  expect(await tapped(asked, { button: 'Tomorrow' })).toEqual(['Tomorrow', 'Tomorrow']);

  const sections = { section: [{ rows: { row: [{ title: '9 to 10', id: 'slot_9' }] } }] };
  const list = { messageType: 'list', body: 'When?', listButton: 'See times', sections };
  expect(await tapped(list, { row: '9 to 10' })).toEqual(['slot_9', '9 to 10']);

  const template = { __rl: true, mode: 'list', value: 'appointment_reminder|en_US' };
  const value = { 'body-1': 'Ana', 'body-2': 'Friday', 'body-3': '15:30', 'button-0-payload': 'will_come' };
  const templateVariables = { mappingMode: 'defineBelow', value, schema: [] } as never;
  const reminder = { messageType: 'template', template, templateVariables };
  expect(await tapped(reminder, { button: 'Yes' })).toEqual(['will_come', 'Yes']);
});
