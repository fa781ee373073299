import { DAY, HOUR, isoTime, MINUTE, SECOND } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { write } from '../../support/rows';
import { notification, textFrom } from '../../support/test-gateway';
import { ANA, openForwarding, seedFailing, sleep, statesOf, textOf, type Forwarding } from './support';

const contact = (number: number): string => `1650555${1000 + number}`;

/** Lets time pass, and waits until the first event is attempted again. */
async function nextAttempt(forwarding: Forwarding, id: number, pass: () => void): Promise<void> {
  const attempts = async () => (await forwarding.store.deliveries.ofDestination(id))[0]?.attempts ?? 0;
  const before = await attempts();
  pass();
  await forwarding.store.wake({ waiting: [id] });
  await until(async () => (await attempts()) > before);
}

describe.each(DATABASES)('a destination at which everything fails ($name)', ({ createUrl }) => {
  let closing: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const close of closing) await close();
    closing = [];
  });

  async function peer(...answer: Parameters<typeof startPeer>): Promise<HttpPeer> {
    const started = await startPeer(...answer);
    closing.unshift(() => started.close());
    return started;
  }

  async function start(
    clock?: () => number,
    more: Parameters<typeof openForwarding>[2] = {},
  ): Promise<Forwarding> {
    const forwarding = await openForwarding(await createUrl(), clock, more);
    closing.push(() => forwarding.stop());
    await forwarding.dispatcher.start();
    return forwarding;
  }

  const rowsOf = (forwarding: Forwarding, id: number) => forwarding.store.deliveries.ofDestination(id);

  test.each([
    [5, 503],
    [1, 410],
  ])(
    'fares no worse at its new address for %i events that the one before answers %i',
    async (events, status) => {
      const url = await createUrl();
      let changed: Promise<void> | undefined;
      const before = await peer(async () => {
        // By another process, of which this one has not heard.
        await (changed ??= write(
          url,
          `update destinations set url = 'http://127.0.0.1:9/new' where id = ${id}`,
        ));
        return { status };
      });
      const forwarding = await openForwarding(url);
      closing.push(() => forwarding.stop());
      const { id } = await forwarding.addDestination(before.url);
      for (let number = 0; number < events; number++)
        await forwarding.receive(contact(number), String(number));
      // All of them go out at once.
      await forwarding.dispatcher.start();
      await before.untilReceived(events);
      await forwarding.dispatcher.stop();
      const [row] = await forwarding.store.destinations.some([id]);
      expect(row).toMatchObject({ url: 'http://127.0.0.1:9/new', paused_at: null, failing_since: null });
    },
  );

  test('is left alone after five failures; nothing uses up an attempt, and one probe brings everything', async () => {
    let works = false;
    let [atOnce, answered] = [0, 0];
    let isFlooded = false;
    const receiver = await peer(async () => {
      if (!works) return { status: 503 };
      // One at first, and one more with each answer.
      isFlooded ||= ++atOnce > Math.max(1, answered);
      await sleep(20);
      atOnce--;
      answered++;
      return {};
    });
    const begun = Date.now();
    // It stands still until the receiver works: nothing comes due before.
    const forwarding = await start(() => (works ? Date.now() : begun));
    const { id } = await forwarding.addDestination(receiver.url);
    for (let number = 0; number < 5; number++) await forwarding.receive(contact(number), `${number}`);
    await receiver.untilReceived(5);
    await until(
      async () => ((await forwarding.store.destinations.active(''))[0]?.failing_since ?? null) !== null,
    );
    for (let number = 5; number < 60; number++) await forwarding.receive(contact(number), `${number}`);
    await sleep(200);
    expect(receiver.received).toHaveLength(5);
    const waiting = await rowsOf(forwarding, id);
    expect(waiting.slice(5).every((row) => row.attempts === 0)).toBe(true);
    expect(await forwarding.store.destinations.active('')).toMatchObject([{ last_failure: 'HTTP 503' }]);
    works = true;
    await receiver.untilReceived(65);
    await until(async () => (await statesOf(forwarding, id)).every((state) => state === 'delivered'));
    expect(isFlooded).toBe(false);
    expect(receiver.received.slice(5).map(textOf).sort()).toEqual(
      Array.from({ length: 60 }, (_, number) => `${number}`).sort(),
    );
    const after = await rowsOf(forwarding, id);
    expect(after.slice(5).map(({ attempts }) => attempts)).toEqual(Array(55).fill(1));
    expect(await forwarding.store.destinations.active('')).toMatchObject([
      { failing_since: null, last_failure: null },
    ]);
  });

  test('begins anew once it has accepted a test and nothing waits for it', async () => {
    const url = await createUrl();
    const receiver = await peer(() => ({ status: 503 }));
    const forwarding = await openForwarding(url);
    closing.push(() => forwarding.stop());
    await forwarding.dispatcher.start();
    const { id } = await forwarding.addDestination(receiver.url);
    const health = async () => (await forwarding.store.destinations.find(id))?.failing_since ?? null;
    for (let number = 0; number < 5; number++) await forwarding.receive(contact(number), `${number}`);
    await until(async () => (await health()) !== null);
    await forwarding.repaired(id);
    // What waits shows whether it accepts events too.
    expect(await health()).not.toBeNull();
    await write(url, `update deliveries set state = 'canceled'`);
    await forwarding.repaired(id);
    expect(await health()).toBeNull();
    await forwarding.receive(contact(6), '6');
    // An attempt, and no probe, which would leave none.
    await until(async () => (await rowsOf(forwarding, id)).at(-1)?.attempts === 1);
    expect(await health()).toBeNull();
  });

  test('is probed with one event at a time, each time with another, and a failed probe is no attempt', async () => {
    let offset = 0;
    const receiver = await peer(() => ({ status: 500 }));
    const forwarding = await start(() => Date.now() + offset);
    const { id } = await forwarding.addDestination(receiver.url);
    for (let number = 0; number < 5; number++) await forwarding.receive(contact(number), `${number}`);
    await receiver.untilReceived(5);
    for (let number = 5; number < 9; number++) await forwarding.receive(contact(number), `${number}`);
    await sleep(100);
    // Its own first retries would be due as well: what counts is that only one goes out.
    await receiver.untilReceived(6);
    await sleep(300);
    expect(receiver.received).toHaveLength(6);
    offset += MINUTE;
    await forwarding.receive(contact(9), '9');
    await receiver.untilReceived(7);
    await sleep(300);
    expect(receiver.received).toHaveLength(7);
    const [first, second] = receiver.received.slice(5).map(textOf);
    expect(first).not.toBe(second);
    const rows = await rowsOf(forwarding, id);
    expect(rows.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
  });

  test('is probed once that is due by the clock, though timers fire before that', async () => {
    const receiver = await peer(() => ({ status: 500 }));
    const begun = Date.now();
    const forwarding = await start(() => begun + Math.floor((Date.now() - begun) * 0.95));
    await forwarding.addDestination(receiver.url);
    for (let number = 0; number < 5; number++) await forwarding.receive(contact(number), `${number}`);
    await receiver.untilReceived(5);
    await sleep(100);
    await forwarding.receive(contact(5), '5');
    await receiver.untilReceived(6);
  });

  test('is paused after five days of nothing but failures, says why, and keeps everything', async () => {
    const receiver = await peer(() => ({ status: 404 }));
    const forwarding = await start();
    const { id } = await forwarding.addDestination(receiver.url);
    const since = isoTime(Date.now() - 5 * DAY - MINUTE);
    await forwarding.store.destinations.update(id, {
      failing_since: since,
      last_failure: 'HTTP 404',
      failing_seconds: (5 * DAY) / SECOND,
      last_tried_at: isoTime(Date.now()),
    });
    await forwarding.registry.refresh();
    for (let number = 0; number < 7; number++) await forwarding.receive(contact(number), `${number}`);
    await until(() => forwarding.destinations.byId(id)?.pausedAt !== null);
    expect(forwarding.destinations.byId(id)?.pausedBecause).toEqual({
      word: 'paused.undeliverable',
      values: { since, last: 'HTTP 404' },
    });
    await forwarding.receive(ANA, 'one more');
    await sleep(100);
    expect(await statesOf(forwarding, id)).toEqual(Array(8).fill('pending'));
  });

  test('is paused after five days only once another clock confirms them, and at once where it is gone', async () => {
    let offset = 0;
    let isConfirmed = false;
    let asked = 0;
    const isClockConfirmed = async () => {
      asked++;
      return isConfirmed;
    };
    const forwarding = await start(() => Date.now() + offset, { isClockConfirmed });
    const isPaused = (id: number) => forwarding.destinations.byId(id)?.pausedAt !== null;
    const gone = await forwarding.addDestination((await peer(() => ({ status: 410 }))).url);
    const failing = await forwarding.addDestination((await peer(() => ({ status: 500 }))).url);
    const since = isoTime(Date.now() - 100 * DAY);
    await forwarding.store.destinations.update(failing.id, {
      failing_since: since,
      last_failure: 'HTTP 500',
      failing_seconds: (100 * DAY) / SECOND,
      last_tried_at: isoTime(Date.now()),
    });
    await forwarding.registry.refresh();
    await forwarding.receive(ANA, 'one');
    await until(() => isPaused(gone.id) && asked === 1);
    await sleep(200);
    expect(isPaused(failing.id)).toBe(false);
    isConfirmed = true;
    offset += MINUTE;
    await until(() => isPaused(failing.id));
    expect(asked).toBe(2);
  });

  test('is known to fail after two minutes, and paused after five days, also where a single event comes', async () => {
    let offset = 0;
    const receiver = await peer(() => ({ status: 500 }));
    const forwarding = await start(() => Date.now() + offset);
    const { id } = await forwarding.addDestination(receiver.url);
    const known = async () => (await forwarding.store.destinations.healthOf([id]))[0];
    await forwarding.receive(ANA, 'one');
    await until(async () => (await rowsOf(forwarding, id))[0]?.attempts === 1);
    expect((await known())?.failing_since).toBeNull();
    offset += 2 * MINUTE;
    await until(async () => (await known())?.failing_since !== null);
    expect(await known()).toMatchObject({ last_failure: 'HTTP 500' });
    const failsAfter = (hours: number) => nextAttempt(forwarding, id, () => (offset += hours * HOUR));
    // A month in which the gateway is off.
    await failsAfter(30 * 24);
    for (let day = 1; day < 4; day++) await failsAfter(25);
    expect(forwarding.destinations.byId(id)?.pausedAt).toBeNull();
    offset += 25 * HOUR;
    await until(() => forwarding.destinations.byId(id)?.pausedAt !== null);
    expect(await statesOf(forwarding, id)).toEqual(['pending']);
  });

  test('still counts as failing once it is resumed, is given five days again, and is well with what it takes', async () => {
    let offset = 0;
    let works = false;
    const receiver = await peer(() => (works ? {} : { status: 500 }));
    const forwarding = await start(() => Date.now() + offset);
    const { id } = await forwarding.addDestination(receiver.url);
    const since = isoTime(Date.now() - 5 * DAY - MINUTE);
    const told = { failing_since: since, last_failure: 'HTTP 500' };
    const counted = { failing_seconds: (5 * DAY) / SECOND, last_tried_at: isoTime(Date.now()) };
    await forwarding.store.destinations.update(id, { ...told, ...counted });
    await forwarding.registry.refresh();
    await forwarding.receive(ANA, 'one');
    const isPaused = () => forwarding.destinations.byId(id)?.pausedAt !== null;
    await until(isPaused);
    const { length } = receiver.received;

    await forwarding.resumeDestination(id);
    await forwarding.store.wake({ waiting: [id] });
    await receiver.untilReceived(length + 1);
    await sleep(200);
    expect(await forwarding.store.destinations.find(id)).toMatchObject({ ...told, paused_at: null });

    for (let day = 1; day < 6; day++) await nextAttempt(forwarding, id, () => (offset += 25 * HOUR));
    await until(isPaused);
    works = true;
    await forwarding.resumeDestination(id);
    await forwarding.store.wake({ waiting: [id] });
    await until(async () => (await statesOf(forwarding, id))[0] === 'delivered');
    await until(async () => (await forwarding.store.destinations.find(id))?.failing_since === null);
  });

  test('counts as failing no more once it is resumed and nothing waits that could show it', async () => {
    const forwarding = await start();
    const { id } = await forwarding.addDestination((await peer()).url);
    const told = { failing_since: isoTime(Date.now() - DAY), last_failure: 'HTTP 500' };
    await forwarding.store.destinations.update(id, { ...told, paused_at: isoTime(Date.now()) });
    await forwarding.registry.refresh();
    await forwarding.resumeDestination(id);
    expect(await forwarding.store.destinations.find(id)).toMatchObject({
      failing_since: null,
      paused_at: null,
    });
  });

  test('delays no other, however much waits for it', async () => {
    const dead = await peer(() => ({ status: 500 }));
    const good = await peer();
    const forwarding = await start();
    const { id } = await forwarding.addDestination(dead.url);
    await forwarding.addDestination(good.url);
    for (let round = 0; round < 15; round++) {
      await Promise.all(
        Array.from({ length: 200 }, (_, number) => forwarding.receive(contact(number), `${round}.${number}`)),
      );
    }
    await good.untilReceived(3000);
    expect(dead.received.length).toBeLessThan(40);
    const rows = await rowsOf(forwarding, id);
    expect(rows.filter(({ state }) => state === 'pending')).toHaveLength(3000);
  });

  test('that hangs takes a few of the places of all, so that the others go on', async () => {
    const open: { end(): void }[] = [];
    const hanging = await peer((_, response) => {
      open.push(response);
      return 'handled';
    });
    const good = await peer();
    const forwarding = await start();
    for (let number = 0; number < 40; number++) await forwarding.addDestination(`${hanging.url}/${number}`);
    await forwarding.addDestination(good.url);
    await Promise.all(
      Array.from({ length: 20 }, (_, number) => forwarding.receive(contact(number), `${number}`)),
    );
    await good.untilReceived(20);
    // A quarter of all, and of the second quarter one event to each; eight to each would be 320.
    expect(hanging.received.length).toBeLessThanOrEqual(256 + 40);
    open.forEach((response) => response.end());
  });

  test('that hang, a hundred of one line, keep no place from another line', async () => {
    const open: { end(): void }[] = [];
    const hanging = await peer((_, response) => {
      open.push(response);
      return 'handled';
    });
    const good = await peer();
    const forwarding = await start();
    for (let number = 0; number < 100; number++) await forwarding.addDestination(`${hanging.url}/${number}`);
    const other = '106540352242923';
    await forwarding.addDestination(good.url, {}, await forwarding.addLine(other));
    await forwarding.registry.refresh();
    await Promise.all(
      Array.from({ length: 20 }, (_, number) => forwarding.receive(contact(number), `${number}`)),
    );
    await hanging.untilReceived(256);
    await forwarding.notified(notification(textFrom(ANA, 'Hello', 'wamid.other'), other));
    // The hundred are given up after 20 seconds each.
    await good.untilReceived(1);
    expect(hanging.received.length).toBeLessThanOrEqual(512);
    open.forEach((response) => response.end());
  });

  test('goes on where a process that ended had left it, in the order of arrival', async () => {
    const receiver = await peer();
    const url = await createUrl();
    const forwarding = await openForwarding(url);
    closing.push(() => forwarding.stop());
    const { id } = await forwarding.addDestination(receiver.url);
    for (let number = 100; number < 160; number++) {
      await seedFailing(forwarding, id, `${number}`, 0);
    }
    await forwarding.dispatcher.start();
    await receiver.untilReceived(60);
    const bodies = receiver.received.map(({ body }) => body);
    expect(bodies).toEqual([...bodies].sort());
  });
});
