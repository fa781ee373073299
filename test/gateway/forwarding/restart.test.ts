import { markRepaired, updateDestination } from '../../../gateway/forwarding/destinations/destination-rows';
import { isoTime, DAY, HOUR, MINUTE, SECOND } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { write } from '../../support/rows';
import { openForwarding, seedFailing, statesOf, textOf, type Forwarding } from './support';

const contact = (number: number): string => `1650555${1000 + number}`;

describe.each(DATABASES)('a destination that has been failing ($name)', ({ createUrl }) => {
  let works: boolean;
  let receiver: HttpPeer;
  let forwarding: Forwarding;

  beforeEach(async () => {
    works = false;
    receiver = await startPeer(() => ({ status: works ? 200 : 503 }));
  });
  afterEach(async () => {
    await receiver.close();
    await forwarding.stop();
  });

  const health = async () => (await forwarding.store.destinations.active(''))[0];

  async function open(url: string, clock?: () => number): Promise<void> {
    forwarding = await openForwarding(url, clock);
    await forwarding.dispatcher.start();
  }

  test('before the restart is known to work again after its first success', async () => {
    const url = await createUrl();
    await open(url);
    const { id, url: address } = await forwarding.addDestination(receiver.url);
    const failing = { failing_since: isoTime(Date.now() - 4 * DAY), last_failure: 'HTTP 503' };
    const note = { ...failing, failing_seconds: 0, last_tried_at: null, next_try_at: null };
    await forwarding.store.destinations.note(id, note, address);
    await forwarding.stop();
    await open(url);
    works = true;
    expect((await health())?.failing_since).toBe(failing.failing_since);
    await forwarding.receive(contact(1), '1');
    await until(async () => (await health())?.failing_since === null);
  });

  test('is known to fail since its first failure after what it last accepted, though nothing is tried for hours', async () => {
    const url = await createUrl();
    await open(url);
    const { id } = await forwarding.addDestination(receiver.url);
    const later = isoTime(Date.now() + DAY);
    const now = Date.now();
    const ago = (hours: number) => isoTime(now - hours * HOUR);
    await seedFailing(forwarding, id, 'refused', 3, { due_at: later });
    await seedFailing(forwarding, id, 'later', 1, { due_at: later });
    await seedFailing(forwarding, id, 'taken', 1, { due_at: later });
    await forwarding.stop();
    await write(url, `update attempts set started_at = '${ago(9)}' where number = 1`);
    await write(url, `update attempts set started_at = '${ago(7)}' where event_id = 'evt_later'`);
    await write(url, `update attempts set started_at = '${ago(5)}', http_status = 404 where number > 1`);
    await write(
      url,
      `update attempts set outcome = 'delivered', started_at = '${ago(8)}' where event_id = 'evt_taken'`,
    );
    await write(
      url,
      `update deliveries set state = 'delivered', finished_at = '${ago(8)}' where event_id = 'evt_taken'`,
    );
    await open(url);
    await until(async () => ((await health())?.failing_since ?? null) !== null);
    expect((await health())?.failing_since).toBe(ago(7));
    expect((await health())?.last_failure).toMatch(/^HTTP 404/);
    works = true;
    await forwarding.receive(contact(1), '1');
    await until(async () => (await health())?.failing_since === null);
  });

  test.each([
    ['it has accepted something since', 2 * HOUR, isoTime(Date.now() - HOUR)],
    ['its first failure is a minute old', MINUTE, null],
  ])('is not told to fail where %s', async (_why, age, acceptedAt) => {
    const url = await createUrl();
    await open(url);
    const { id } = await forwarding.addDestination(receiver.url);
    const later = { due_at: isoTime(Date.now() + DAY) };
    await seedFailing(forwarding, id, 'refused', 1, later);
    await seedFailing(forwarding, id, 'other', 1, later);
    await forwarding.stop();
    await write(url, `update attempts set started_at = '${isoTime(Date.now() - age)}'`);
    if (acceptedAt !== null)
      await write(
        url,
        `update deliveries set state = 'delivered', finished_at = '${acceptedAt}' where event_id = 'evt_other'`,
      );
    await open(url);
    // It waits for what the first scan asks.
    await forwarding.dispatcher.stop();
    expect((await health())?.failing_since).toBeNull();
  });

  test.each(['resent', 'moved', 'tested'] as const)(
    'is told nothing by what failed before it was %s',
    async (since) => {
      const url = await createUrl();
      await open(url);
      const { id } = await forwarding.addDestination(receiver.url);
      const { store, vault, registry } = forwarding;
      const due_at = isoTime(Date.now() + DAY);
      const ago = isoTime(Date.now() - 6 * DAY);
      await seedFailing(forwarding, id, 'old', 2, { due_at });
      await write(url, `update attempts set started_at = '${ago}'`);
      await write(url, `update deliveries set state = 'dead', finished_at = '${ago}'`);
      if (since === 'resent') {
        const accepted = `outcome = 'delivered', http_status = 200 where number = 2`;
        await write(url, `update attempts set ${accepted}`);
        await write(url, `update deliveries set state = 'delivered'`);
        await store.deliveries.again([{ destination_id: id, event_id: 'evt_old' }], due_at);
      }
      const rules = { refuseUrl: () => null } as never;
      const deps = { store, vault, registry, rules, clock: () => Date.now() - MINUTE };
      if (since === 'moved') await updateDestination(deps, id, { url: `${receiver.url}/other` });
      if (since === 'tested') await markRepaired(deps, id);
      expect(await store.failingSince.of(id)).toBeNull();
      await seedFailing(forwarding, id, 'fresh', 1, { due_at });
      expect((await store.failingSince.of(id))?.since.slice(0, 10)).toBe(isoTime(Date.now()).slice(0, 10));
    },
  );

  test('is known to work again although that could not be kept at first', async () => {
    await open(await createUrl());
    const { id } = await forwarding.addDestination(receiver.url);
    const failing_since = isoTime(Date.now());
    await forwarding.store.destinations.update(id, { failing_since, last_failure: 'HTTP 503' });
    await forwarding.registry.refresh();
    const { note } = forwarding.store.destinations;
    forwarding.store.destinations.note = async () => {
      forwarding.store.destinations.note = note;
      throw new Error('The connection is lost');
    };
    works = true;
    await forwarding.receive(contact(1), '1');
    await until(async () => (await statesOf(forwarding, id))[0] === 'delivered');
    await forwarding.receive(contact(2), '2');
    await until(async () => (await health())?.failing_since === null);
  });

  test('is known to work again once it is resumed, also where a failure from before is kept after that', async () => {
    await open(await createUrl());
    const { id } = await forwarding.addDestination(receiver.url);
    const { note } = forwarding.store.destinations;
    const resumed = Promise.withResolvers<void>();
    let late: Promise<void> | undefined;
    forwarding.store.destinations.note = (...told) =>
      late ? note(...told) : (late = resumed.promise.then(() => note(...told)));
    for (let number = 0; number < 5; number++) await forwarding.receive(contact(number), `${number}`);
    await until(() => late !== undefined);
    await forwarding.pauseDestination(id);
    await forwarding.receive(contact(5), '5');
    works = true;
    await forwarding.resumeDestination(id);
    await until(async () => (await statesOf(forwarding, id)).includes('delivered'));
    resumed.resolve();
    await late;
    await until(async () => (await health())?.failing_since === null);
  });

  test('begins anew once someone lets it go on', async () => {
    await open(await createUrl());
    const { id } = await forwarding.addDestination(receiver.url);
    const since = isoTime(Date.now() - 6 * DAY);
    await forwarding.store.destinations.update(id, {
      failing_since: since,
      last_failure: 'HTTP 503',
      failing_seconds: (6 * DAY) / SECOND,
      last_tried_at: isoTime(Date.now()),
    });
    await forwarding.registry.refresh();
    for (let number = 0; number < 6; number++) await forwarding.receive(contact(number), `${number}`);
    await until(() => forwarding.destinations.byId(id)?.pausedAt !== null);
    // What was on its way is over.
    await until(async () => {
      const rows = await forwarding.store.deliveries.ofDestination(id);
      return rows.reduce((sum, { attempts }) => sum + attempts, 0) === receiver.received.length;
    });
    await forwarding.store.destinations.update(id, {
      paused_at: null,
      paused_because: null,
      failing_since: null,
      last_failure: null,
    });
    await forwarding.registry.refresh();
    const before = receiver.received.length;
    for (let number = 10; number < 17; number++) await forwarding.receive(contact(number), `${number}`);
    await receiver.untilReceived(before + 1);
    await until(async () => (await health())?.failing_since !== null);
    expect((await health())?.paused_at).toBeNull();
  });

  test('goes on where someone lets it before anybody has looked at the pause', async () => {
    await receiver.close();
    receiver = await startPeer(() => ({ status: works ? 200 : 410 }));
    await open(await createUrl());
    const { id } = await forwarding.addDestination(receiver.url);
    // What is due is not looked for.
    forwarding.store.destinations.expired = () => Promise.reject(new Error('The connection is lost'));
    await forwarding.receive(contact(1), '1');
    await until(() => forwarding.destinations.byId(id)?.pausedAt !== null);
    await until(async () => (await forwarding.store.deliveries.ofDestination(id))[0]?.attempts === 1);
    works = true;
    await forwarding.resumeDestination(id);
    await forwarding.receive(contact(2), '2');
    await until(() => receiver.received.map(textOf).includes('2'));
  });

  test('is probed although the clock is set back meanwhile', async () => {
    let offset = 0;
    await open(await createUrl(), () => Date.now() + offset);
    await forwarding.addDestination(receiver.url);
    await Promise.all(
      Array.from({ length: 7 }, (_, number) => forwarding.receive(contact(number), `${number}`)),
    );
    await until(async () => ((await health())?.failing_since ?? null) !== null);
    offset = -1 * SECOND;
    works = true;
    const texts = () => new Set(receiver.received.slice(5).map(textOf));
    await until(() => texts().size === 7);
  });

  test('gets the events of each contact in the order in which they came, however many come at once', async () => {
    works = true;
    await open(await createUrl());
    await forwarding.addDestination(receiver.url);
    const numbers = Array.from({ length: 400 }, (_, number) => number);
    await Promise.all(numbers.map((number) => forwarding.receive(contact(number % 5), `${number}`)));
    await receiver.untilReceived(400);
    for (let one = 0; one < 5; one++) {
      const own = receiver.received.map((request) => Number(textOf(request))).filter((n) => n % 5 === one);
      expect(own).toEqual([...own].sort((first, second) => first - second));
    }
  });
});
