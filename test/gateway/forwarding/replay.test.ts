import { beginReplay, replay } from '../../../gateway/forwarding/replay';
import { clearOldEvents } from '../../../gateway/forwarding/retention';
import { openStore } from '../../../gateway/store/store';
import { createVault } from '../../../gateway/store/vault';
import { eventIdBefore } from '../../../gateway/store/event-id';
import { DAY, HOUR, MINUTE, SECOND } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { openForwarding, seedFailing, sleep, statesOf, textOf, type Forwarding } from './support';

const contact = (number: number): string => `1650555${1000 + number}`;
const KEPT = { bodies: 30 * DAY, events: 90 * DAY };

describe.each(DATABASES)('events that are kept ($name)', ({ name, createUrl }) => {
  let forwarding: Forwarding;
  let receiver: HttpPeer;
  let answers: () => number;
  let clock: { now: number };
  /** What it says, and goes on. */
  let time: () => number;
  let id: number;
  let url: string;
  /** No scan finds anything. */
  let noScans: boolean;

  beforeEach(async () => {
    answers = () => 200;
    clock = { now: Date.now() };
    const started = Date.now();
    time = () => clock.now + Date.now() - started;
    receiver = await startPeer(() => ({ status: answers() }));
    url = await createUrl();
    noScans = false;
    forwarding = await openForwarding(url, time, {
      watched: (store) => ({
        ...store,
        queued: { ...store.queued, first: async (...of) => (noScans ? [] : store.queued.first(...of)) },
      }),
    });
    await forwarding.dispatcher.start();
    ({ id } = await forwarding.addDestination(receiver.url));
  });
  afterEach(async () => {
    await forwarding.stop();
    await receiver.close();
  });

  const all = { states: ['delivered' as const, 'dead' as const] };
  const rows = () => forwarding.store.deliveries.ofDestination(id);
  const delivered = (within?: number) =>
    until(async () => (await statesOf(forwarding, id)).every((one) => one === 'delivered'), within);
  const again = (filter: Parameters<typeof replay>[1]) =>
    replay({ store: forwarding.store, clock: time }, filter);

  test('are replayed under their own ids, with the attempts that were made counted on', async () => {
    await forwarding.receive(contact(1), 'one');
    await forwarding.receive(contact(2), 'two');
    await delivered();
    const [first] = await rows();
    expect(await again({ ...all, eventId: first?.event_id ?? '' })).toEqual({ count: 1, isAll: true });
    await receiver.untilReceived(3);
    await delivered();
    expect(receiver.received[2]?.headers['webhook-id']).toBe(first?.event_id);
    expect(receiver.received[2]?.headers['x-gateway-attempt']).toBe('2');
    expect(receiver.received[2]?.body).toBe(receiver.received[0]?.body);
    expect(await forwarding.store.deliveries.attemptsOf(id, first?.event_id ?? '')).toHaveLength(2);
  });

  test('are sent again at once, whoever asks for it, without a look at what is due', async () => {
    await forwarding.receive(contact(1), 'one');
    await delivered();
    noScans = true;
    await again(all);
    await receiver.untilReceived(2);
    if (name === 'SQLite') return;
    const other = await openStore(url);
    await delivered();
    await replay({ store: other, clock: time }, all);
    await receiver.untilReceived(3);
    await other.close();
  });

  test('that are dead get a schedule of their own from the beginning', async () => {
    await forwarding.receive(contact(1), 'one');
    await delivered();
    const [{ event_id: eventId = '' } = {}] = await rows();
    for (let number = 2; number <= 17; number++) {
      await forwarding.store.deliveries.again([{ destination_id: id, event_id: eventId }], '9999');
      await forwarding.store.write({
        kind: 'attempt',
        attempt: {
          destination_id: id,
          event_id: eventId,
          number,
          started_at: new Date(clock.now).toISOString(),
          duration_ms: 1,
          http_status: 500,
          outcome: 'http_error',
          answer: '',
          state: 'dead',
          due_at: new Date(clock.now).toISOString(),
        },
      });
    }
    expect(await statesOf(forwarding, id)).toEqual(['dead']);
    answers = () => 500;
    expect(await again({ states: ['dead'] })).toEqual({ count: 1, isAll: true });
    await receiver.untilReceived(2);
    await until(async () => (await rows())[0]?.attempts === 18);
    const [row] = await rows();
    expect(row).toMatchObject({ state: 'pending', attempts_before: 17 });
    expect(Date.parse(row?.due_at ?? '') - clock.now).toBeLessThan(MINUTE);
  });

  test('are sent at once by their ids where they wait for a later attempt', async () => {
    await seedFailing(forwarding, id, 'a', 16, { due_at: '9999' });
    await seedFailing(forwarding, id, 'b', 16, { due_at: '9999' });
    noScans = true;
    expect(await again(all)).toEqual({ count: 0, isAll: true });
    expect(await again({ states: ['pending', ...all.states], eventId: 'evt_a' })).toEqual({
      count: 1,
      isAll: true,
    });
    await receiver.untilReceived(1);
    expect(receiver.received[0]?.headers).toMatchObject({ 'webhook-id': 'evt_a', 'x-gateway-attempt': '17' });
    await until(async () => (await rows())[0]?.state === 'delivered');
    expect(await rows()).toMatchObject([{ attempts_before: 0 }, { state: 'pending', due_at: '9999' }]);
  });

  test('are chosen by range, destination and state, and pending ones stay as they are', async () => {
    await forwarding.receive(contact(1), 'early');
    clock.now += HOUR;
    const from = eventIdBefore(clock.now - MINUTE);
    await forwarding.receive(contact(1), 'late');
    await delivered();
    answers = () => 500;
    await forwarding.receive(contact(2), 'failing');
    await until(async () => (await rows())[2]?.attempts === 1);
    expect(await again({ states: ['dead'] })).toEqual({ count: 0, isAll: true });
    expect(await again({ ...all, destinationIds: [id + 1] })).toEqual({ count: 0, isAll: true });
    expect(await again({ ...all, to: from })).toEqual({ count: 1, isAll: true });
    expect(await again({ ...all, from })).toEqual({ count: 1, isAll: true });
    expect((await rows())[2]).toMatchObject({ attempts: 1, attempts_before: 0 });
  });

  test('wait for none of those that cannot be replayed any more', async () => {
    const texts = Array.from({ length: 150 }, (_, number) => `${number}`);
    await Promise.all(texts.map((text, number) => forwarding.receive(contact(number), text)));
    await delivered();
    clock.now += KEPT.bodies + DAY;
    await clearOldEvents({ store: forwarding.store, clock: () => clock.now, kept: KEPT }, () => true);
    await forwarding.receive(contact(1), 'late');
    await delivered();
    noScans = true;
    expect(await again(all)).toEqual({ count: 1, isAll: true });
    await receiver.untilReceived(152);
    expect(receiver.received.slice(150).map(textOf)).toEqual(['late', 'late']);
  });

  test('come due a few at a time, so that fresh ones go out beside them', async () => {
    const texts = Array.from({ length: 350 }, (_, number) => `${number}`);
    await Promise.all(texts.map((text, number) => forwarding.receive(contact(number), text)));
    await delivered();
    const begun = time();
    expect(await again(all)).toEqual({ count: 350, isAll: true });
    const due = (await rows()).map((row) => Math.round((Date.parse(row.due_at) - begun) / SECOND));
    // The first go out at once; of what is over it is told when that was.
    expect(due.filter((seconds) => seconds < 5)).toHaveLength(100);
    expect(due.filter((seconds) => seconds === 5)).toHaveLength(100);
    expect(due.filter((seconds) => seconds === 15)).toHaveLength(50);
    await receiver.untilReceived(350 + 100);
    await forwarding.receive(contact(1), 'fresh');
    await until(() => receiver.received.some((request) => textOf(request) === 'fresh'));
    expect(receiver.received.length).toBeLessThan(350 + 320);
  });

  test('that come in while others are replayed are none of them', async () => {
    const texts = Array.from({ length: 150 }, (_, number) => `${number}`);
    await Promise.all(texts.map((text, number) => forwarding.receive(contact(number), text)));
    await delivered(15 * SECOND);
    const [{ event_id: first = '' } = {}] = await rows();
    // It goes out beside those that are replayed, and not only once it is looked for.
    noScans = true;
    const comesLate = async () => {
      await forwarding.receive(contact(1), 'late');
      await until(async () => (await rows()).at(-1)?.state === 'delivered', 15 * SECOND);
    };
    const { count } = await replay(
      { store: forwarding.store, clock: time },
      { ...all, from: first },
      (soFar) => (soFar === 100 ? comesLate() : undefined),
    );
    expect(count).toBe(150);
    expect(await rows()).toHaveLength(151);
    expect((await rows()).at(-1)).toMatchObject({ state: 'delivered', attempts_before: 0 });
  });

  test('are replayed also where the clock was set back since they came', async () => {
    await forwarding.receive(contact(1), 'one');
    await delivered();
    clock.now -= HOUR;
    expect(await again(all)).toEqual({ count: 1, isAll: true });
  });

  test('are told of in the audit before the first of them is sent again, and once all are', async () => {
    await forwarding.receive(contact(1), 'one');
    await delivered();
    const { store, registry } = forwarding;
    const world = {
      store,
      registry,
      vault: createVault('a key for tests, and for nothing else'),
      clock: time,
    };
    const ana = { who: 'ana', through: 'command', address: null } as const;
    const told = async () =>
      (await store.audit.page({}, 9)).map(({ action, details }) => [action, JSON.parse(details)]);
    const run = await beginReplay(world, ana, null, all, { dead: true });
    expect(await rows()).toMatchObject([{ attempts_before: 0 }]);
    expect(await told()).toEqual([['deliveries.replay_begun', { dead: true }]]);
    expect(await run()).toEqual({ count: 1, isAll: true });
    expect(await told()).toEqual([
      ['deliveries.replayed', { dead: true, count: 1 }],
      ['deliveries.replay_begun', { dead: true }],
    ]);
  });

  test('lose their bodies after 30 days and go after 90, but for what is still owed to someone', async () => {
    await forwarding.receive(contact(1), 'one');
    await delivered();
    const paused = await forwarding.addDestination(`${receiver.url}/paused`);
    await forwarding.store.destinations.update(paused.id, { paused_at: '2026' });
    await forwarding.registry.refresh();
    await forwarding.receive(contact(2), 'two');
    await until(async () => (await rows()).every(({ state }) => state === 'delivered'));
    const { store } = forwarding;
    const clear = (goesOn = true) =>
      clearOldEvents({ store, clock: () => clock.now, kept: KEPT }, () => goesOn);
    const events = async () => {
      const { rows: listed } = await forwarding.store.eventList.page({}, null, 10, true);
      const each = listed.map(({ event_id: id, body }) => [id, { id, body: body ?? '' }] as const);
      return [...new Map(each).values()];
    };
    clock.now += KEPT.bodies - DAY;
    await clear();
    expect((await events()).map(({ body }) => body !== '')).toEqual([true, true]);
    clock.now += 2 * DAY;
    await clear();
    expect((await events()).map(({ body }) => body !== '')).toEqual([false, true]);
    // What is done is not looked at again.
    const owed = (await events())[1]?.id;
    expect(await store.events.emptyBodies('', eventIdBefore(clock.now), 1)).toBe(owed);
    expect(await again(all)).toEqual({ count: 1, isAll: true });
    await sleep(50);
    clock.now += KEPT.events - KEPT.bodies;
    await clear(false);
    expect(await events()).toHaveLength(2);
    await clear();
    expect(await events()).toHaveLength(1);
    expect(await rows()).toHaveLength(1);
    expect(await forwarding.store.deliveries.ofDestination(paused.id)).toMatchObject([{ state: 'pending' }]);
  });
});
