import { gatherer } from '../../../gateway/forwarding/gatherer';
import { HOUR, SECOND } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { createDatabase } from '../../support/postgres';
import { write } from '../../support/rows';
import { call, CONTACT, expectRefusal, freshLineOf, sceneOf, type Json } from '../../support/scene';
import { notification, notify, textFrom } from '../../support/test-gateway';
import { openForwarding, statesOf, textOf, type Forwarding } from './support';

describe.each(DATABASES)('messages that wait until their contact pauses ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = freshLineOf(scene);
  let receiver: HttpPeer;
  let wamids = 0;

  beforeAll(async () => {
    receiver = await startPeer(() => ({ status: 200 }));
  });
  beforeEach(() => {
    receiver.received.length = 0;
  });
  afterAll(() => receiver.close());

  const register = (more: object = {}) =>
    call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/destinations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiver.url, events: ['messages'], quiet_seconds: 10, ...more }),
    });
  const tell = async (value: object) =>
    expect(await notify(scene.gateway, notification(value, line.phoneNumberId))).toBe(200);
  const said = (text: string, contact = CONTACT) =>
    textFrom(contact, text, `wamid.said.${++wamids}`, Math.floor(scene.clock.now / 1000));
  const writes = (text: string, contact = CONTACT) => tell(said(text, contact));
  /** The texts of each event that came, those of the handshake left out. */
  const came = () =>
    receiver.received
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => {
        const [{ changes }] = (JSON.parse(body) as Json).entry;
        return changes[0].value.messages.map((one: Json) => one.text?.body ?? one.button?.text);
      });
  /** Longer than the gateway takes to look. */
  const aLook = () => new Promise((resolve) => setTimeout(resolve, 600));

  test('come as one event in their order, once the contact has been silent for so long', async () => {
    expect((await register()).body).toMatchObject({ quiet_seconds: 10 });
    for (const text of ['Hello', 'I have a', 'question']) {
      await writes(text);
      scene.clock.now += 6_000;
    }
    await aLook();
    expect(came()).toEqual([]);
    scene.clock.now += 4_000;
    await until(async () => came().length > 0);
    expect(came()).toEqual([['Hello', 'I have a', 'question']]);
    const [event] = receiver.received.filter(({ method }) => method === 'POST');
    const { contacts, metadata } = (JSON.parse(event?.body ?? '') as Json).entry[0].changes[0].value;
    expect(contacts).toEqual([{ profile: { name: 'Ana' }, wa_id: CONTACT }]);
    expect(metadata.phone_number_id).toBe(line.phoneNumberId);
    expect(event?.headers['x-hub-signature-256']).toMatch(/^sha256=/);

    await writes('One more');
    scene.clock.now += 10_000;
    await until(async () => came().length > 1);
    expect(came()[1]).toEqual(['One more']);
  });

  test('wait each for its own contact, and what a message is told of again comes once', async () => {
    await register();
    const first = said('Hello');
    await tell(first);
    await writes('Good morning', '16505550001');
    scene.clock.now += 6_000;
    await tell(first);
    await writes('again', '16505550001');
    scene.clock.now += 4_000;
    await until(async () => came().length > 0);
    await aLook();
    expect(came()).toEqual([['Hello']]);
    await tell(first);
    scene.clock.now += 60_000;
    await until(async () => came().length > 1);
    await aLook();
    expect(came()).toEqual([['Hello'], ['Good morning', 'again']]);
  });

  test('of whoever writes on and on come after five times as long', async () => {
    await register();
    for (let index = 0; index < 9; index++) {
      await writes(String(index));
      scene.clock.now += 6_000;
    }
    await until(async () => came().length > 0);
    expect(came()[0]?.slice(0, 9)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8']);
  });

  test('come also where the clock is set back meanwhile', async () => {
    await register();
    await writes('Hello');
    scene.clock.now -= HOUR;
    await until(async () => came().length > 0).finally(() => (scene.clock.now += HOUR));
    expect(came()).toEqual([['Hello']]);
  });

  test('come at once with a tap, which ends the wait', async () => {
    await register();
    await writes('Hello');
    const at = String(Math.floor(scene.clock.now / 1000));
    const tap = { from: CONTACT, id: 'wamid.tap', timestamp: at, type: 'button', button: { text: 'Yes' } };
    await tell({ contacts: [{ wa_id: CONTACT }], messages: [tap] });
    await until(async () => came().length > 0);
    expect(came()).toEqual([['Hello', 'Yes']]);
  });

  test('go to another destination one by one and at once', async () => {
    await register();
    await register({ quiet_seconds: undefined });
    await writes('Hello');
    await until(async () => came().length > 0);
    expect(came()).toEqual([['Hello']]);
    scene.clock.now += 10_000;
    await until(async () => came().length > 1);
    expect(came()).toEqual([['Hello'], ['Hello']]);
  });

  test('of many contacts at once come whole, each contact in an event of its own', async () => {
    await register();
    const contacts = Array.from({ length: 600 }, (_, index) => String(16505560000 + index));
    for (const text of ['first', 'second']) {
      const messages = contacts.flatMap((contact) => said(text, contact).messages);
      await tell({ contacts: [], messages });
    }
    scene.clock.now += 10_000;
    await until(async () => came().length >= contacts.length, 60_000);
    expect(came().filter((texts) => texts.join() !== 'first,second')).toEqual([]);
  });

  test('are forgotten with their contact, and with a destination that is removed', async () => {
    const { body } = await register();
    await writes('Hello');
    await scene.change(({ store }) =>
      store.traces.removeRest({ identities: [CONTACT], lines: 'all', countryOf: () => '??' }),
    );
    await writes('Good morning', '16505550001');
    await call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/destinations/${body.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${line.token}` },
    });
    scene.clock.now += 60_000;
    await until(async () => (await scene.change(({ store }) => store.gathering.waiting())).length === 0);
    await aLook();
    expect(came()).toEqual([]);
  });

  test('are gathered of single events alone', async () => {
    const refused = await register({ mode: 'raw' });
    expectRefusal(refused, 400, 'invalid_payload', 131009);
    for (const quiet of [0, 301, 1.5, '10'])
      expect((await register({ quiet_seconds: quiet })).status).toBe(400);
  });
});

describe('what waits until a contact pauses', () => {
  let url: string;
  let forwarding: Forwarding;
  let id: number;

  beforeEach(async () => {
    url = (await DATABASES[0]?.createUrl()) ?? '';
    forwarding = await openForwarding(url);
    ({ id } = await addQuiet());
  });
  afterEach(() => forwarding.stop());

  async function addQuiet() {
    const added = await forwarding.addDestination('http://127.0.0.1:9/');
    await forwarding.store.destinations.update(added.id, { quiet_seconds: 10 });
    await forwarding.registry.refresh();
    return added;
  }

  test('is kept of a notification for many destinations', async () => {
    for (let added = 1; added < 20; added++) await addQuiet();
    const messages = Array.from({ length: 500 }, (_, index) => textFrom(CONTACT, '', `${index}`).messages[0]);
    await forwarding.notified(notification({ messages }));
    const waiting = await forwarding.store.gathering.waiting();
    expect(waiting.map(({ count }) => count)).toEqual(Array.from({ length: 20 }, () => 500));
  });

  test('is left to others by a process that has not heard of its destination', async () => {
    const { store, destinations } = forwarding;
    const messages = Array.from(
      { length: 120 },
      (_, of) => textFrom(`${of}`, 'Hello', `wamid.${of}`).messages[0],
    );
    await forwarding.notified(notification({ messages }));
    for (const one of await store.gathering.waiting())
      await store.gathering.close(one, `evt_${one.contact}`, 100);
    let known = false;
    const ofThis = gatherer({
      ...forwarding,
      destinations: {
        ...destinations,
        byId: (of) => (known ? destinations.byId(of) : null),
        someWait: () => true,
      },
      eventId: () => '',
      isAutomationPaused: async () => false,
      clock: Date.now,
      log: { error: (fields) => expect(fields).toBeNull() },
    });
    const looked = jest.spyOn(store.gathering, 'closed');
    const asked = jest.spyOn(store.destinations, 'some');
    ofThis.start();
    await until(() => looked.mock.calls.length > 2);
    // However many groups wait for it.
    expect(asked.mock.calls.length).toBeLessThan(looked.mock.calls.length);
    expect(await statesOf(forwarding, id)).toEqual([]);
    known = true;
    const isSent = async () => (await statesOf(forwarding, id)).length === messages.length;
    await until(isSent).finally(() => ofThis.stop());
    expect(await store.gathering.closed()).toEqual([]);
  });

  test('goes out in the order in which it came, whatever the clocks of two processes say', async () => {
    const database = await createDatabase();
    const ahead = await openForwarding(database, () => Date.now() + 2 * SECOND);
    const other = await openForwarding(database);
    const added = await ahead.addDestination('http://127.0.0.1:9/');
    await ahead.store.destinations.update(added.id, { quiet_seconds: 10 });
    await Promise.all([ahead.registry.refresh(), other.registry.refresh()]);
    const { gathering } = ahead.store;
    await ahead.receive(CONTACT, 'first');
    await other.receive(CONTACT, 'second');
    await ahead.receive(CONTACT, 'third');
    for (const group of ['evt_2', 'evt_1'])
      for (const one of await gathering.waiting()) await gathering.close(one, group, 2);
    const closed = (await gathering.closed()).map((row) => `${row.group_id} ${textOf(row)}`);
    await Promise.all([ahead.stop(), other.stop()]);
    expect(closed).toEqual(['evt_2 first', 'evt_2 second', 'evt_1 third']);
  });

  test('is sent beside what cannot be sent, but not before that of the same contact', async () => {
    const { store } = forwarding;
    const broken = Array.from({ length: 50 }, (_, index) => [`165055510${index + 10}`, `evt_0_${index}`]);
    const groups = [...broken, [CONTACT, 'evt_1'], [CONTACT, 'evt_2'], ['16505550000', 'evt_3']];
    for (const [contact = '', group = ''] of groups) {
      await forwarding.notified(notification(textFrom(contact, 'Hello', `wamid.${group}`)));
      for (const one of await store.gathering.waiting()) await store.gathering.close(one, group, 100);
    }
    await write(url, `update gathering set body = '{' where group_id < 'evt_2'`);
    const failed: object[] = [];
    const ofThis = gatherer({
      ...forwarding,
      eventId: () => '',
      isAutomationPaused: async () => false,
      clock: Date.now,
      log: { error: (fields) => failed.push(fields) },
    });
    ofThis.start();
    await until(() => failed.length > 1).finally(() => ofThis.stop());
    const sent = await store.deliveries.ofDestination(id);
    expect(sent.map(({ event_id: event }) => event)).toEqual(['evt_3']);
  });
});
