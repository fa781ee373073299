import { DAY, isoTime, SECOND } from '../../../gateway/time';
import { startPeer, until } from '../../support/http-peer';
import { createDatabase } from '../../support/postgres';
import { openForwarding, sleep, textOf } from './support';

describe('gateways on PostgreSQL', () => {
  test('that are two deliver each event once between them, and take over what one leaves behind', async () => {
    const receiver = await startPeer(() => sleep(5));
    const url = await createDatabase();
    const one = await openForwarding(url);
    await one.dispatcher.start();
    await one.addDestination(receiver.url);
    const other = await openForwarding(url);
    await other.dispatcher.start();
    const texts = Array.from({ length: 80 }, (_, number) => `${number}`);
    await Promise.all(
      texts.map((text, number) => [one, other][number % 2]?.receive(`1650555${1000 + number}`, text)),
    );
    await one.stop();
    await receiver.untilReceived(80);
    await sleep(100);
    expect(receiver.received.map(textOf).sort()).toEqual([...texts].sort());
    expect(other.failures).toEqual([]);
    await receiver.close();
    await other.stop();
  });

  test('send to a destination from one of them, in the order of arrival whichever receives', async () => {
    let open = 0;
    let most = 0;
    const receiver = await startPeer(async () => {
      most = Math.max(most, ++open);
      await sleep(10);
      open--;
    });
    const url = await createDatabase();
    const [one, other] = [await openForwarding(url), await openForwarding(url)];
    await one.addDestination(receiver.url);
    await other.registry.refresh();
    await Promise.all([one.dispatcher.start(), other.dispatcher.start()]);
    const contacts = Array.from({ length: 30 }, (_, number) => `1650555${1000 + number}`);
    await Promise.all(
      contacts.map(async (contact) => {
        for (let number = 0; number < 8; number++)
          await (Math.random() < 0.5 ? one : other).receive(contact, `${contact} ${number}`);
      }),
    );
    await receiver.untilReceived(240);
    const texts = receiver.received.map(textOf);
    for (const contact of contacts) {
      const own = texts.filter((text) => text.startsWith(contact));
      expect(own).toEqual([...own].sort());
    }
    expect(new Set(texts).size).toBe(240);
    expect(most).toBeLessThanOrEqual(32);
    expect(await one.store.owners.all()).toHaveLength(1);
    await receiver.close();
    await Promise.all([one.stop(), other.stop()]);
    expect([...one.failures, ...other.failures]).toEqual([]);
  });

  test('leave a destination at which everything fails alone, whichever receives', async () => {
    const receiver = await startPeer(() => ({ status: 503 }));
    const url = await createDatabase();
    const now = Date.now();
    // Nothing comes due by a clock that stands still.
    const open = () => openForwarding(url, () => now);
    const [one, other] = [await open(), await open()];
    await one.addDestination(receiver.url);
    await other.registry.refresh();
    await Promise.all([one.dispatcher.start(), other.dispatcher.start()]);
    for (let number = 0; number < 5; number++) await one.receive(`1650555${1000 + number}`, `${number}`);
    await until(async () => (await one.store.destinations.active(''))[0]?.failing_since !== null);
    for (let number = 5; number < 40; number++) {
      await [one, other][number % 2]?.receive(`1650555${1000 + number}`, `${number}`);
    }
    await sleep(500);
    expect(receiver.received).toHaveLength(5);
    await receiver.close();
    await Promise.all([one.stop(), other.stop()]);
  });

  test('let a destination go on at once, whichever is asked, without a look at what is due', async () => {
    const receiver = await startPeer();
    const url = await createDatabase();
    const [one, other] = [await openForwarding(url), await openForwarding(url)];
    const { id } = await one.addDestination(receiver.url);
    await other.registry.refresh();
    await one.dispatcher.start();
    await one.receive('16505551000', 'first');
    await receiver.untilReceived(1);
    await one.pauseDestination(id);
    await other.registry.refresh();
    await one.receive('16505551000', 'second');
    one.store.queued.first = async () => [];
    // It is heard of before the change is read.
    const { revision } = one.store.registry;
    one.store.registry.revision = () => sleep(300).then(revision);
    await other.resumeDestination(id);
    await other.store.wake({ waiting: [id] });
    await receiver.untilReceived(2);
    expect(receiver.received.map(textOf)).toEqual(['first', 'second']);
    await receiver.close();
    await Promise.all([one.stop(), other.stop()]);
  });

  test('know since when a destination fails that another has sent to before', async () => {
    const receiver = await startPeer(() => ({ status: 503 }));
    const url = await createDatabase();
    const [one, other] = [await openForwarding(url), await openForwarding(url)];
    const { id, url: address } = await one.addDestination(receiver.url);
    await other.registry.refresh();
    await Promise.all([one.dispatcher.start(), other.dispatcher.start()]);
    await one.receive('16505551000', 'first');
    await receiver.untilReceived(1);
    const failing_since = '2026-01-01T00:00:00.000Z';
    const note = {
      failing_since,
      last_failure: 'HTTP 503',
      failing_seconds: (5 * DAY) / SECOND,
      last_tried_at: isoTime(Date.now()),
      next_try_at: null,
    };
    await one.store.destinations.note(id, note, address);
    await one.stop();
    for (let number = 0; number < 6; number++) await other.receive(`1650555${1000 + number}`, `${number}`);
    await until(() => other.destinations.byId(id)?.pausedAt !== null, 20 * SECOND);
    expect(other.destinations.byId(id)?.pausedBecause).toMatchObject({ values: { since: failing_since } });
    await receiver.close();
    await other.stop();
  });

  test('repeat nothing of a destination that another sends to by now', async () => {
    const receiver = await startPeer(() => ({ status: receiver.received.length > 1 ? 200 : 500 }));
    const url = await createDatabase();
    const [one, other] = [await openForwarding(url), await openForwarding(url)];
    await one.addDestination(receiver.url);
    await other.registry.refresh();
    await Promise.all([one.dispatcher.start(), other.dispatcher.start()]);
    const { write } = one.store;
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
    one.store.write = async (record) => {
      if (record.kind === 'attempt') await goesOn;
      return write(record);
    };
    await one.receive('16505551000', 'first');
    await receiver.untilReceived(1);
    // As those do who take it for gone, while it can reach nobody.
    const { acquire } = one.store.owners;
    one.store.owners.acquire = () => Promise.reject(new Error('The connection is lost'));
    await other.store.processes.leave(one.dispatcher.processId);
    await receiver.untilReceived(2);
    // It says again that it lives.
    await until(async () => (await one.store.processes.count('deliver')) === 2, 20 * SECOND);
    one.store.owners.acquire = acquire;
    goOn();
    // Longer than the wait after a first attempt.
    await sleep(6000);
    expect(receiver.received).toHaveLength(2);
    await receiver.close();
    await Promise.all([one.stop(), other.stop()]);
  });

  test('share the destinations out when another joins', async () => {
    const receiver = await startPeer();
    const url = await createDatabase();
    const one = await openForwarding(url);
    for (let number = 0; number < 12; number++) await one.addDestination(`${receiver.url}/${number}`);
    await one.dispatcher.start();
    await one.receive('16505551000', 'first');
    await receiver.untilReceived(12);
    expect(await one.store.owners.all()).toHaveLength(12);
    const other = await openForwarding(url);
    await other.dispatcher.start();
    await until(async () => (await one.store.owners.all()).length === 6, 25 * SECOND);
    // What it offers is counted still: it gives up no more of them while nobody has taken them.
    await one.store.wake({ ownerless: [] });
    const ownOfOther = async () =>
      (await one.store.owners.all()).filter(({ process_id: owner }) => owner === other.dispatcher.processId);
    // Whoever is first once something waits takes them.
    const { acquire } = one.store.owners;
    one.store.owners.acquire = (...asked) => sleep(SECOND).then(() => acquire(...asked));
    await until(async () => {
      await other.receive('16505551000', `more ${Math.random()}`);
      await sleep(200);
      return (await ownOfOther()).length > 0;
    }, 25 * SECOND);
    expect(await one.store.owners.all()).toHaveLength(12);
    expect(await ownOfOther()).toHaveLength(6);
    await receiver.close();
    await Promise.all([one.stop(), other.stop()]);
    expect([...one.failures, ...other.failures]).toEqual([]);
  });
});
