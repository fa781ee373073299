import { type ServerResponse } from 'node:http';
import { type DeliveryRow } from '../../../gateway/store/tables/deliveries';
import { DAY, HOUR, isoTime, MINUTE, SECOND } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer, turns, until, type HttpPeer } from '../../support/http-peer';
import { write } from '../../support/rows';
import { ANA, openForwarding, seedFailing, sleep, statesOf, textOf, type Forwarding } from './support';

const BEN = '16505552222';

/** What answers an event, by its text. */
type Waiting = Map<string, (status: number) => void>;

const isOfAna = ({ body }: { body: string }): boolean => body.includes(ANA);

/** A place at which whoever comes by waits until it goes on. */
function heldUp() {
  const [reached, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return {
    reached: reached.promise,
    goOn: goesOn.resolve,
    here(): Promise<void> {
      reached.resolve();
      return goesOn.promise;
    },
  };
}

describe.each(DATABASES)('the dispatcher ($name)', ({ createUrl }) => {
  let peers: HttpPeer[] = [];
  let running: Forwarding[] = [];

  afterEach(async () => {
    // The peers first: what is still on its way there ends with them.
    await Promise.all(peers.map((peer) => peer.close()));
    await Promise.all(running.map((forwarding) => forwarding.stop()));
    [peers, running] = [[], []];
  });

  async function peer(...answer: Parameters<typeof startPeer>): Promise<HttpPeer> {
    const started = await startPeer(...answer);
    peers.push(started);
    return started;
  }

  /** Answers each event when it is told to. */
  async function peerThatWaits() {
    const open: Waiting = new Map();
    const receiver = await peer(
      (request) => new Promise((resolve) => open.set(textOf(request), (status) => resolve({ status }))),
    );
    return { receiver, open };
  }

  /** Eight events, `0` to `7`, are on their way to its only destination: what comes next waits. */
  async function takeAllPlaces(forwarding: Forwarding, open: Waiting): Promise<void> {
    for (let number = 0; number < 8; number++) await forwarding.receive(`1650555300${number}`, `${number}`);
    await until(() => open.size === 8);
  }

  async function open(url: string, clock?: () => number): Promise<Forwarding> {
    const forwarding = await openForwarding(url, clock);
    running.push(forwarding);
    return forwarding;
  }

  async function start(clock?: () => number): Promise<Forwarding> {
    const forwarding = await open(await createUrl(), clock);
    await forwarding.dispatcher.start();
    return forwarding;
  }

  async function stop(forwarding: Forwarding): Promise<void> {
    running = running.filter((one) => one !== forwarding);
    await forwarding.stop();
  }

  test('cancels a delivery of which nothing is left, and lets its contact go on', async () => {
    const receiver = await peer();
    const url = await createUrl();
    const forwarding = await open(url);
    await forwarding.dispatcher.start();
    const { id } = await forwarding.addDestination(receiver.url);
    await forwarding.pauseDestination(id);
    for (const text of ['gone', 'next']) await forwarding.receive(ANA, text);
    await write(url, `update events set body = '' where wamid = 'wamid.gone'`);
    await forwarding.resumeDestination(id);
    const [request] = await receiver.untilReceived(1);
    expect(textOf(request as { body: string })).toBe('next');
    await until(async () => (await statesOf(forwarding, id)).join() === 'canceled,delivered');
  });

  test('delivers once, with the bytes that came and the attempt that it is', async () => {
    const receiver = await peer();
    const forwarding = await start();
    const { id } = await forwarding.addDestination(receiver.url);
    await forwarding.receive(ANA, 'hello');
    const [request] = await receiver.untilReceived(1);
    expect(textOf(request as { body: string })).toBe('hello');
    expect(request?.headers['x-gateway-attempt']).toBe('1');
    await until(async () => (await statesOf(forwarding, id))[0] === 'delivered');
    await forwarding.receive(ANA, 'hello');
    await sleep(50);
    expect(receiver.received).toHaveLength(1);
    const [delivery] = await forwarding.store.deliveries.ofDestination(id);
    expect(delivery).toMatchObject({ attempts: 1 });
    expect(await forwarding.store.deliveries.attemptsOf(id, delivery?.event_id ?? '')).toMatchObject([
      { number: 1, http_status: 200, outcome: 'delivered', answer: '{}' },
    ]);
  });

  test('sends the events of one contact in order, one after the other, and of others beside them', async () => {
    let open = new Set<string>();
    let together = 0;
    let mostAtOnce = 0;
    const receiver = await peer(async ({ body }) => {
      const contact = body.includes(ANA) ? ANA : BEN;
      if (open.has(contact)) together++;
      open.add(contact);
      mostAtOnce = Math.max(mostAtOnce, open.size);
      await sleep(Math.random() * 8);
      open.delete(contact);
    });
    const forwarding = await start();
    await forwarding.addDestination(receiver.url);
    const numbers = Array.from({ length: 30 }, (_, number) => number);
    await Promise.all(
      numbers.flatMap((number) => [
        forwarding.receive(ANA, `ana ${number}`),
        forwarding.receive(BEN, `ben ${number}`),
      ]),
    );
    await receiver.untilReceived(60);
    const texts = receiver.received.map(textOf);
    expect(texts.filter((text) => text.startsWith('ana'))).toEqual(numbers.map((number) => `ana ${number}`));
    expect(texts.filter((text) => text.startsWith('ben'))).toEqual(numbers.map((number) => `ben ${number}`));
    expect(together).toBe(0);
    expect(mostAtOnce).toBe(2);
    open = new Set();
  });

  test('holds back behind a failing event only its own contact, and tries it again after 4 to 5 seconds', async () => {
    let [fails, now] = [true, Date.now()];
    const receiver = await peer((request) =>
      textOf(request) === 'ana 1' ? { status: fails ? 503 : 200 } : {},
    );
    const forwarding = await start(() => now);
    const { id } = await forwarding.addDestination(receiver.url);
    await forwarding.receive(ANA, 'ana 1');
    await forwarding.receive(ANA, 'ana 2');
    await forwarding.receive(BEN, 'ben 1');
    await receiver.untilReceived(2);
    const rows = () => forwarding.store.deliveries.ofDestination(id);
    await until(async () => (await rows())[0]?.attempts === 1);
    expect(receiver.received.map(textOf).sort()).toEqual(['ana 1', 'ben 1']);
    const [failed] = await rows();
    fails = false;
    now = Date.parse(failed!.due_at) - 1;
    await forwarding.receive(BEN, 'ben 2');
    await receiver.untilReceived(3);
    await turns(10);
    expect(receiver.received.map(textOf).slice(2)).toEqual(['ben 2']);
    now++;
    await receiver.untilReceived(5);
    expect(receiver.received.map(textOf).slice(3)).toEqual(['ana 1', 'ana 2']);
    expect(receiver.received[3]?.headers['x-gateway-attempt']).toBe('2');
    expect(receiver.received[3]?.headers['webhook-id']).toBe(
      receiver.received.find((one) => textOf(one) === 'ana 1')?.headers['webhook-id'],
    );
    const [first] = await forwarding.store.deliveries.attemptsOf(id, failed!.event_id);
    // From its end on: an attempt takes longer where the machine is busy.
    const wait = Date.parse(failed!.due_at) - Date.parse(first!.started_at) - first!.duration_ms;
    expect(wait).toBeGreaterThanOrEqual(4 * SECOND);
    expect(wait).toBeLessThanOrEqual(5 * SECOND);
    await until(async () => (await statesOf(forwarding, id)).every((state) => state === 'delivered'));
  });

  test('holds nothing back any longer after the third attempt has failed', async () => {
    const receiver = await peer((request) => (request.body === '"first"' ? { status: 500 } : {}));
    const forwarding = await open(await createUrl());
    const { id } = await forwarding.addDestination(receiver.url);
    await seedFailing(forwarding, id, 'first', 2);
    await seedFailing(forwarding, id, 'second', 0);
    await forwarding.dispatcher.start();
    await receiver.untilReceived(2);
    expect(receiver.received.map(({ body }) => body)).toEqual(['"first"', '"second"']);
    await until(async () => (await statesOf(forwarding, id))[1] === 'delivered');
    const [first] = await forwarding.store.deliveries.ofDestination(id);
    expect(first).toMatchObject({ state: 'pending', attempts: 3 });
    const wait = Date.parse(first?.due_at ?? '') - Date.now();
    expect(wait).toBeGreaterThan(1.5 * MINUTE);
    expect(wait).toBeLessThan(2.5 * MINUTE);
  });

  test('holds a contact back again behind an event that was failing when its process died', async () => {
    const receiver = await peer();
    let now = Date.now();
    const forwarding = await open(await createUrl(), () => now);
    const { id } = await forwarding.addDestination(receiver.url);
    const soon = { due_at: isoTime(now + SECOND) };
    await seedFailing(forwarding, id, '1', 1, soon);
    await seedFailing(forwarding, id, '2', 0);
    await seedFailing(forwarding, id, '3', 0, { lane: BEN });
    await forwarding.dispatcher.start();
    await receiver.untilReceived(1);
    now += SECOND;
    await receiver.untilReceived(3);
    expect(receiver.received.map(({ body }) => body)).toEqual(['"3"', '"1"', '"2"']);
  });

  test('lets a slow destination delay no other, and has at first 8 on their way to it', async () => {
    let open = 0;
    let most = 0;
    let answer = () => {};
    const othersAreServed = new Promise<void>((resolve) => (answer = resolve));
    const slow = await peer(async () => {
      most = Math.max(most, ++open);
      await othersAreServed;
      await sleep(20);
      open--;
    });
    const fast = await peer();
    const forwarding = await start();
    await forwarding.addDestination(slow.url);
    await forwarding.addDestination(fast.url);
    await Promise.all(
      Array.from({ length: 20 }, (_, number) => forwarding.receive(`1650555${1000 + number}`, `${number}`)),
    );
    await fast.untilReceived(20);
    // On a busy machine its queue may be read after that of the other.
    await slow.untilReceived(8);
    expect(slow.received).toHaveLength(8);
    expect(most).toBe(8);
    answer();
    await slow.untilReceived(20);
  });

  test('asks for nothing in vain while memory is full of what holds contacts back', async () => {
    const hanging = await peer(() => new Promise(() => undefined));
    const healthy = await peer();
    const url = await createUrl();
    let [ahead, looks] = [0, 0];
    const forwarding = await open(url, () => {
      // One that asks again and again never lets anything else run, this test included.
      if (++looks > 5_000) throw new Error('It looks again and again');
      return Date.now() + ahead;
    });
    const { id } = await forwarding.addDestination(hanging.url);
    await seedFailing(forwarding, id, '0', 1, { due_at: isoTime(Date.now() + 30 * SECOND) });
    const numbers = `(with recursive numbers(n) as
      (select 1 union all select n + 1 from numbers where n < 10000) select * from numbers) as given`;
    await write(
      url,
      `insert into events (id, line_id, subject, kind, identity, body, received_at)
        select 'evt_' || n, line_id, subject, kind, '' || n, body, received_at from events, ${numbers}`,
    );
    await write(
      url,
      `insert into deliveries (destination_id, event_id, lane, state, attempts, due_at, sequence)
        select destination_id, 'evt_' || n, 'contact ' || n, state, attempts, due_at, sequence + n
        from deliveries, ${numbers}`,
    );
    let isRead = false;
    const { due } = forwarding.store.queued;
    forwarding.store.queued.due = async (...asked) => {
      const page = await due(...asked);
      isRead ||= page.rows.length > 10_000;
      return page;
    };
    await forwarding.dispatcher.start();
    await until(() => isRead);
    // All of it is due, and what else is by now is not known.
    ahead = 41 * SECOND;
    await forwarding.addDestination(healthy.url);
    await forwarding.receive(BEN, 'fresh');
    await healthy.untilReceived(1);
    await hanging.untilReceived(8);
    expect(healthy.received.map(textOf)).toEqual(['fresh']);
    expect(hanging.received.map(({ body }) => body)).toEqual(Array(8).fill('"0"'));
  });

  test('pauses a destination that answers 410, tells why, and keeps its events', async () => {
    let gone = true;
    const receiver = await peer(() => (gone ? { status: 410 } : {}));
    const url = await createUrl();
    const forwarding = await open(url);
    await forwarding.dispatcher.start();
    const { id } = await forwarding.addDestination(receiver.url);
    await forwarding.receive(ANA, '1');
    await receiver.untilReceived(1);
    await until(() => forwarding.destinations.byId(id)?.pausedAt !== null);
    expect(forwarding.destinations.byId(id)?.pausedBecause).toMatchObject({ word: 'paused.gone' });
    await forwarding.receive(ANA, '2');
    await forwarding.receive(BEN, '3');
    await sleep(100);
    expect(receiver.received).toHaveLength(1);
    await until(async () => (await forwarding.store.deliveries.ofDestination(id))[0]?.attempts === 1);
    expect(await forwarding.store.deliveries.ofDestination(id)).toMatchObject([
      { state: 'pending', attempts: 1 },
      { state: 'pending', attempts: 0 },
      { state: 'pending', attempts: 0 },
    ]);
    gone = false;
    await forwarding.store.destinations.update(id, { paused_at: null, paused_because: null });
    await stop(forwarding);
    // Later, so that nothing has to be waited for.
    await (await open(url, () => Date.now() + 10 * SECOND)).dispatcher.start();
    await receiver.untilReceived(4);
    expect(receiver.received.map(textOf).slice(1).sort()).toEqual(['1', '2', '3']);
    const texts = receiver.received.map(textOf);
    expect(texts.lastIndexOf('1')).toBeLessThan(texts.indexOf('2'));
  });

  test('judges no address by what the one before it answers late', async () => {
    const { receiver, open: waiting } = await peerThatWaits();
    const after = await peer();
    const forwarding = await start();
    const { id } = await forwarding.addDestination(receiver.url);
    await forwarding.receive(ANA, 'one');
    await until(() => waiting.size === 1);
    await forwarding.store.destinations.update(id, { url: after.url });
    await forwarding.registry.refresh();
    waiting.get('one')?.(410);
    await until(async () => (await forwarding.store.deliveries.ofDestination(id))[0]?.attempts === 1);
    await forwarding.receive(BEN, 'two');
    await after.untilReceived(1);
    expect((await forwarding.store.destinations.find(id))?.paused_at).toBeNull();
  });

  test('pauses none by an answer to what was sent before it was paused and resumed', async () => {
    const { receiver, open: waiting } = await peerThatWaits();
    const forwarding = await start();
    const { id } = await forwarding.addDestination(receiver.url);
    await forwarding.receive(ANA, 'one');
    await until(() => waiting.size === 1);
    await forwarding.pauseDestination(id);
    await forwarding.receive(BEN, 'two');
    await forwarding.resumeDestination(id);
    await until(() => waiting.has('two'));
    waiting.get('one')?.(410);
    await until(async () => (await forwarding.store.deliveries.ofDestination(id))[0]?.attempts === 1);
    waiting.get('two')?.(200);
    await until(async () => (await statesOf(forwarding, id))[1] === 'delivered');
    expect((await forwarding.store.destinations.find(id))?.paused_at).toBeNull();
  });

  test('parks what waits in memory for a destination that is paused meanwhile', async () => {
    let first: ServerResponse | undefined;
    const receiver = await peer((_, response) => {
      first ??= response;
      return 'handled';
    });
    const forwarding = await start();
    const { id } = await forwarding.addDestination(receiver.url);
    for (const text of ['1', '2', '3']) await forwarding.receive(ANA, text);
    await receiver.untilReceived(1);
    await forwarding.store.destinations.update(id, { paused_at: isoTime(Date.now()) });
    await forwarding.registry.refresh();
    first?.end();
    await until(async () => (await statesOf(forwarding, id))[0] === 'delivered');
    await sleep(100);
    expect(receiver.received).toHaveLength(1);
    expect(await statesOf(forwarding, id)).toEqual(['delivered', 'pending', 'pending']);
  });

  test('delivers nothing more to a destination that is removed, and cancels what it was owed', async () => {
    const receiver = await peer();
    let now = Date.now();
    const forwarding = await open(await createUrl(), () => now);
    const { id } = await forwarding.addDestination(receiver.url);
    await seedFailing(forwarding, id, '1', 1, { due_at: isoTime(now + SECOND) });
    await forwarding.dispatcher.start();
    await forwarding.receive(ANA, '2');
    await forwarding.removeDestination(id);
    await forwarding.receive(ANA, '3');
    // Past the time of the second attempt.
    now += SECOND;
    await sleep(1300);
    await until(async () => (await statesOf(forwarding, id)).every((state) => state === 'canceled'));
    expect(receiver.received).toEqual([]);
    expect(await statesOf(forwarding, id)).toEqual(['canceled', 'canceled']);
  });

  test('cancels what was recorded for a destination while that was being removed', async () => {
    const receiver = await peer();
    const forwarding = await open(await createUrl());
    const { id } = await forwarding.addDestination(receiver.url);
    await forwarding.removeDestination(id);
    await seedFailing(forwarding, id, 'late', 0);
    await forwarding.dispatcher.start();
    await until(async () => (await statesOf(forwarding, id))[0] === 'canceled');
    expect(receiver.received).toEqual([]);
  });

  test('removes a destination that has expired, also one that expired while no gateway ran', async () => {
    const receiver = await peer();
    let now = Date.now();
    const url = await createUrl();
    const earlier = await open(url, () => now);
    const { id } = await earlier.addDestination(receiver.url, { expiresIn: 60 });
    await seedFailing(earlier, id, 'late', 0);
    await stop(earlier);
    now += 61 * SECOND;
    const forwarding = await open(url, () => now);
    await forwarding.dispatcher.start();
    await until(async () => (await statesOf(forwarding, id))[0] === 'canceled');
    expect(await forwarding.store.destinations.active(isoTime(0))).toEqual([]);
    expect(receiver.received).toEqual([]);
  });

  test('keeps the places for the others where all events of one contact fail', async () => {
    const receiver = await peer((request) => ({ status: textOf(request) === 'ben' ? 200 : 500 }));
    // Its clock stands still, so nothing that failed is tried again.
    const now = Date.now();
    const forwarding = await open(await createUrl(), () => now);
    await forwarding.addDestination(receiver.url);
    await Promise.all(Array.from({ length: 1100 }, (_, number) => forwarding.receive(ANA, `${number}`)));
    await forwarding.receive(BEN, 'ben');
    await forwarding.dispatcher.start();
    await until(() => receiver.received.some((request) => textOf(request) === 'ben'));
  });

  test('sends as soon as it can what was recorded although that was reported as failed', async () => {
    const receiver = await peer();
    const forwarding = await start();
    const { id } = await forwarding.addDestination(receiver.url);
    await forwarding.receive(BEN, 'first');
    await receiver.untilReceived(1);
    const { write } = forwarding.store;
    forwarding.store.write = async (record) => {
      await write(record);
      throw new Error('The connection is lost');
    };
    await expect(forwarding.receive(ANA, 'unsure')).rejects.toThrow('lost');
    forwarding.store.write = write;
    await forwarding.receive(ANA, 'later');
    await receiver.untilReceived(3);
    expect(receiver.received.map(textOf)).toEqual(['first', 'unsure', 'later']);
    await until(async () => (await statesOf(forwarding, id)).every((state) => state === 'delivered'));
  });

  test('sends as soon as it can what could not be read', async () => {
    const receiver = await peer();
    const forwarding = await start();
    const { id } = await forwarding.addDestination(receiver.url);
    const { untried } = forwarding.store.queued;
    forwarding.store.queued.untried = async () => {
      forwarding.store.queued.untried = untried;
      throw new Error('The connection is lost');
    };
    await seedFailing(forwarding, id, 'a', 0);
    await forwarding.store.wake({ waiting: [id] });
    await receiver.untilReceived(1);
    await until(async () => (await statesOf(forwarding, id))[0] === 'delivered');
    expect(receiver.received).toHaveLength(1);
  });

  test('finds what is due for one destination while ever more comes for another', async () => {
    const receiver = await peer();
    const forwarding = await start();
    const { id: busy } = await forwarding.addDestination(receiver.url);
    const { id } = await forwarding.addDestination(receiver.url);
    const { untried } = forwarding.store.queued;
    let count = 0;
    forwarding.store.queued.untried = async (destination, ...asked) => {
      const page = await untried(destination, ...asked);
      if (destination === busy) {
        await seedFailing(forwarding, busy, `busy ${count++}`, 0, { lane: `${count}` });
        await forwarding.store.wake({ waiting: [busy] });
      }
      return page;
    };
    await seedFailing(forwarding, busy, 'first', 0);
    // The scan that finds this one has looked for the other before.
    await receiver.untilReceived(2);
    await seedFailing(forwarding, id, 'other', 0);
    await until(() => receiver.received.some(({ body }) => body === '"other"')).finally(
      () => (forwarding.store.queued.untried = untried),
    );
  });

  test('goes on beside an answer that the database does not take, and records the attempt without it', async () => {
    const receiver = await peer((request) =>
      textOf(request) === 'one' ? { status: 500, body: 'poison' } : {},
    );
    const url = await createUrl();
    const forwarding = await open(url);
    await write(
      url,
      url.startsWith('sqlite:')
        ? `create trigger poison before insert on attempts when new.answer = 'poison'
             begin select raise(abort, 'poison'); end`
        : `alter table attempts add check (answer <> 'poison')`,
    );
    await forwarding.dispatcher.start();
    const { id } = await forwarding.addDestination(receiver.url);
    await forwarding.receive(ANA, 'one');
    await until(() => forwarding.failures.length > 0);
    await forwarding.receive(BEN, 'two');
    await until(async () => (await statesOf(forwarding, id))[1] === 'delivered');
    const [first] = await forwarding.store.deliveries.ofDestination(id);
    const attempts = () => forwarding.store.deliveries.attemptsOf(id, first?.event_id ?? '');
    await until(async () => (await attempts()).length === 1);
    expect(await attempts()).toMatchObject([{ outcome: 'http_error', http_status: 500, answer: null }]);
  });

  test('gives up after the 17th attempt, and keeps the delivery as dead', async () => {
    const receiver = await peer(() => ({ status: 500, body: 'still broken' }));
    const forwarding = await open(await createUrl());
    const { id } = await forwarding.addDestination(receiver.url);
    await seedFailing(forwarding, id, 'a', 16);
    await seedFailing(forwarding, id, 'b', 15);
    await forwarding.dispatcher.start();
    await receiver.untilReceived(2);
    await until(async () => (await forwarding.store.deliveries.ofDestination(id))[1]?.attempts === 16);
    await until(async () => (await statesOf(forwarding, id))[0] === 'dead');
    const [, other] = (await forwarding.store.deliveries.ofDestination(id)) as [DeliveryRow, DeliveryRow];
    expect(other.state).toBe('pending');
    expect(Date.parse(other.due_at) - Date.now()).toBeGreaterThan(15.9 * HOUR);
    const attempts = await forwarding.store.deliveries.attemptsOf(id, 'evt_a');
    expect(attempts).toHaveLength(17);
    expect(attempts[16]).toMatchObject({ number: 17, http_status: 500, answer: 'still broken' });
    await sleep(100);
    expect(receiver.received).toHaveLength(2);
  });

  test('holds a contact back for as long as a receiver asks, where that is a short time', async () => {
    const receiver = await peer((request) =>
      textOf(request) === '1' ? { status: 429, headers: { 'retry-after': '10' } } : {},
    );
    const forwarding = await start();
    const { id } = await forwarding.addDestination(receiver.url);
    const rows = () => forwarding.store.deliveries.ofDestination(id);
    await forwarding.receive(ANA, '1');
    await until(async () => (await rows())[0]?.attempts === 1);
    await forwarding.receive(ANA, '2');
    await forwarding.receive(BEN, '3');
    await until(async () => (await rows())[2]?.state === 'delivered');
    expect(receiver.received.map(textOf)).toEqual(['1', '3']);
    expect((await rows())[0]?.attempts).toBe(1);
  });

  test('waits as long as a receiver asks, up to a day, and holds nobody back meanwhile', async () => {
    const receiver = await peer((request) =>
      textOf(request) === '2'
        ? {}
        : { status: 429, headers: { 'retry-after': textOf(request) === '1' ? '600' : '31536000' } },
    );
    const forwarding = await start();
    const { id } = await forwarding.addDestination(receiver.url);
    await forwarding.receive(ANA, '1');
    await forwarding.receive(ANA, '2');
    await forwarding.receive(BEN, '3');
    await receiver.untilReceived(3);
    await until(async () => (await statesOf(forwarding, id))[1] === 'delivered');
    await until(async () => (await forwarding.store.deliveries.ofDestination(id))[2]?.attempts === 1);
    const [one, , three] = await forwarding.store.deliveries.ofDestination(id);
    const waitOf = (row?: DeliveryRow) => Date.parse(row?.due_at ?? '') - Date.now();
    expect(waitOf(one)).toBeGreaterThan(590 * SECOND);
    expect(waitOf(one)).toBeLessThanOrEqual(600 * SECOND);
    expect(waitOf(three)).toBeGreaterThan(DAY - MINUTE);
    expect(waitOf(three)).toBeLessThanOrEqual(DAY);
    expect(one?.state).toBe('pending');
  });

  test('loses nothing and sends nothing twice when it is stopped and started again', async () => {
    const receiver = await peer(() => sleep(60));
    const url = await createUrl();
    const texts = Array.from({ length: 60 }, (_, number) => `${number}`);
    const first = await open(url);
    await first.dispatcher.start();
    const { id } = await first.addDestination(receiver.url);
    await Promise.all(
      texts.slice(0, 50).map((text) => first.receive(`1650555${1000 + (Number(text) % 10)}`, text)),
    );
    await receiver.untilReceived(10);
    await stop(first);
    const sent = receiver.received.length;
    expect(sent).toBeLessThan(50);
    await sleep(100);
    expect(receiver.received).toHaveLength(sent);
    const second = await open(url);
    // Recorded before it has started: it waits in the database.
    for (const text of texts.slice(50)) await second.receive(`1650555${1000 + (Number(text) % 10)}`, text);
    await second.dispatcher.start();
    await receiver.untilReceived(60);
    await until(async () => (await statesOf(second, id)).every((state) => state === 'delivered'));
    const received = receiver.received.map(textOf);
    expect([...received].sort()).toEqual([...texts].sort());
    for (let contact = 0; contact < 10; contact++) {
      const own = received.filter((text) => Number(text) % 10 === contact).map(Number);
      expect(own).toEqual([...own].sort((one, other) => one - other));
    }
  });

  test('delivers what a process had recorded and not forwarded when it was killed', async () => {
    const receiver = await peer();
    const forwarding = await open(await createUrl());
    const { id } = await forwarding.addDestination(receiver.url);
    await seedFailing(forwarding, id, 'a', 0);
    await forwarding.dispatcher.start();
    await receiver.untilReceived(1);
    await until(async () => (await statesOf(forwarding, id))[0] === 'delivered');
    expect(receiver.received).toHaveLength(1);
  });

  test('delivers also what is too large to wait in memory, in its order', async () => {
    const receiver = await peer();
    const forwarding = await open(await createUrl());
    await forwarding.addDestination(receiver.url);
    const large = 'large '.repeat(10_000).trim();
    for (const text of ['1', large, '3']) await forwarding.receive(ANA, text);
    await forwarding.dispatcher.start();
    const requests = await receiver.untilReceived(3);
    expect(requests.map(textOf)).toEqual(['1', large, '3']);
  });

  test('takes no older event for newer than one that comes while it starts', async () => {
    const receiver = await peer();
    const forwarding = await open(await createUrl());
    await forwarding.addDestination(receiver.url);
    for (let number = 10; number < 40; number++) await forwarding.receive(ANA, `${number}`);
    const starting = forwarding.dispatcher.start();
    for (let number = 40; number < 60; number++) await forwarding.receive(ANA, `${number}`);
    await starting;
    await receiver.untilReceived(50);
    const texts = receiver.received.map(textOf);
    expect(texts).toEqual([...texts].sort());
  });

  test('takes no older event for newer than one that comes while the breaker opens and closes again', async () => {
    const { receiver, open } = await peerThatWaits();
    const forwarding = await start();
    const { id } = await forwarding.addDestination(receiver.url);
    await takeAllPlaces(forwarding, open);
    await forwarding.receive(ANA, 'older');
    // Five failures open the breaker, and what was on its way meanwhile closes it at once.
    for (const failing of ['0', '1', '2', '3', '4']) open.get(failing)?.(503);
    for (const taken of ['5', '6', '7']) open.get(taken)?.(200);
    await until(async () => (await forwarding.store.destinations.healthOf([id]))[0]?.failing_since === null);
    await forwarding.receive(ANA, 'newer');
    await until(() => open.has('older'));
    open.get('older')?.(200);
    await until(() => open.has('newer'));
    expect(receiver.received.filter(isOfAna).map(textOf)).toEqual(['older', 'newer']);
    open.forEach((answer) => answer(200));
  });

  test('takes no older event for newer than one that comes while the older is read', async () => {
    const receiver = await peer();
    const reading = heldUp();
    const forwarding = await openForwarding(await createUrl());
    running.push(forwarding);
    const { untried } = forwarding.store.queued;
    forwarding.store.queued.untried = async (...asked) => {
      const page = await untried(...asked);
      if (page.rows.length) await reading.here();
      return page;
    };
    await forwarding.addDestination(receiver.url);
    await forwarding.receive(ANA, 'older');
    await forwarding.dispatcher.start();
    await reading.reached;
    await forwarding.receive(ANA, 'newer');
    await sleep(100);
    expect(receiver.received).toEqual([]);
    reading.goOn();
    await receiver.untilReceived(2);
    expect(receiver.received.map(textOf)).toEqual(['older', 'newer']);
  });

  test('sends the event of a line to each of its destinations, each on its own', async () => {
    const [good, bad] = [await peer(), await peer(() => ({ status: 404 }))];
    const forwarding = await start();
    const [one, other] = [
      await forwarding.addDestination(good.url),
      await forwarding.addDestination(bad.url),
    ];
    await forwarding.receive(ANA, '1');
    await forwarding.receive(ANA, '2');
    await good.untilReceived(2);
    await until(async () => (await statesOf(forwarding, one.id)).join() === 'delivered,delivered');
    await until(async () => (await forwarding.store.deliveries.ofDestination(other.id))[0]?.attempts === 1);
    expect(bad.received.map(textOf)).toEqual(['1']);
    expect(await statesOf(forwarding, other.id)).toEqual(['pending', 'pending']);
    expect(good.received[0]?.headers['webhook-id']).toBe(bad.received[0]?.headers['webhook-id']);
  });
});
