import { type Store } from '../../../gateway/store/database';
import { type Wake } from '../../../gateway/store/wake';
import { SECOND } from '../../../gateway/time';
import { startPeer, until, type HttpPeer, type Received } from '../../support/http-peer';
import { createDatabase } from '../../support/postgres';
import { notification, textFrom } from '../../support/test-gateway';
import { ANA, openForwarding, sleep, statesOf, textOf, type Forwarding } from './support';

/** Some wait until a process that is silent is taken for gone. */
jest.setTimeout(40 * SECOND);

const BEN = '16505552222';

/** Of two gateways on one PostgreSQL, `one` sends to the only destination, and `other` records as well. */
describe('of two gateways, the one that sends keeps the order of a contact', () => {
  let receiver: HttpPeer;
  let answer: (received: Received) => { status?: number } | void | Promise<{ status?: number } | void>;
  let ahead: number;
  let [one, other] = [] as unknown as [Forwarding, Forwarding];
  let destination: number;
  /** Whether `one` hears of what waits, and what tells it nevertheless. */
  let hears: boolean;
  let tell: () => void;

  beforeEach(async () => {
    [answer, ahead, hears] = [() => undefined, 0, true];
    receiver = await startPeer((received) => answer(received));
    const url = await createDatabase();
    const clock = () => Date.now() + ahead;
    [one, other] = [await openForwarding(url, clock), await openForwarding(url, clock)];
    ({ id: destination } = await one.addDestination(receiver.url));
    await other.registry.refresh();
    const { onWake } = one.store;
    one.store.onWake = (listener: (wake: Wake | null) => void) => {
      tell = () => listener({ waiting: [destination] });
      onWake((wake) => (hears ? listener(wake) : undefined));
    };
    await Promise.all([one.dispatcher.start(), other.dispatcher.start()]);
    await one.receive('16505551000', 'first');
    await receiver.untilReceived(1);
    await until(async () => (await statesOf(one, destination))[0] === 'delivered');
  });
  afterEach(async () => {
    await receiver.close();
    await Promise.all([one.stop(), other.stop()]);
  });

  const texts = () => receiver.received.slice(1).map(textOf);

  /** From now on what `one` asks for is done at once, and it hears of it later. @returns lets it hear */
  function holdBack<Asked extends 'write' | 'claim'>(asked: Asked): () => void {
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
    const ask = one.store[asked] as (of: { kind?: string }) => Promise<unknown>;
    const late = async (of: { kind?: string }) => {
      const done = await ask(of);
      if (of.kind !== 'attempt') await goesOn;
      return done;
    };
    one.store[asked] = late as Store[Asked];
    return goOn;
  }

  /** How many deliveries nobody holds. */
  const waiting = async () =>
    (await other.store.deliveries.ofDestination(destination)).filter(
      ({ state, claimed_by: holder }) => state === 'pending' && holder === null,
    ).length;

  const recordedAre = (count: number) =>
    until(async () => (await statesOf(other, destination)).length === count);

  test('where it keeps what came first in memory', async () => {
    answer = () => sleep(100);
    const goOn = holdBack('claim');
    const { claim } = one.store;
    one.store.claim = async (asked) => {
      const claimed = await claim(asked);
      // Long enough for what was claimed before to be answered.
      if (asked.replayed) await sleep(300);
      return claimed;
    };
    await other.receive(BEN, 'of another contact');
    await until(async () => (await waiting()) === 0);
    await one.receive(ANA, '1');
    await other.receive(ANA, '2');
    await sleep(100);
    goOn();
    await receiver.untilReceived(4);
    expect(texts()).toEqual(['of another contact', '1', '2']);
  });

  test('where it is still recording what came first', async () => {
    const goOn = holdBack('write');
    const recording = one.receive(ANA, '1');
    await recordedAre(2);
    // Upstream sends it again, to the other.
    await other.receive(ANA, '1');
    await other.receive(ANA, '2');
    await sleep(300);
    goOn();
    await recording;
    await receiver.untilReceived(3);
    expect(texts()).toEqual(['1', '2']);
  });

  test('where something else is answered before all that waits is claimed', async () => {
    const { promise: answered, resolve: answerIt } = Promise.withResolvers<void>();
    answer = (received) => (textOf(received) === 'on its way' ? answered : undefined);
    await one.receive(BEN, 'on its way');
    await receiver.untilReceived(2);
    const { claim } = one.store;
    one.store.claim = async (asked) => {
      const claimed = await claim(asked);
      // Long enough for what is on its way to be over.
      if (asked.replayed) await sleep(300);
      return claimed;
    };
    const goOn = holdBack('write');
    const recording = one.receive(ANA, '1');
    await recordedAre(3);
    await other.receive(ANA, '2');
    await until(async () => (await waiting()) === 0);
    goOn();
    await recording;
    answerIt();
    await receiver.untilReceived(4);
    expect(texts()).toEqual(['on its way', '1', '2']);
  });

  test('however much the other goes on to record', async () => {
    const { claim } = one.store;
    let more = 0;
    one.store.claim = async (asked) => {
      const claimed = await claim(asked);
      if (asked.replayed || more === 10) return claimed;
      if (more === 0) await one.receive(ANA, 'from memory');
      await other.receive(BEN, `${++more}`);
      await sleep(50);
      return claimed;
    };
    await other.receive(BEN, '0');
    await receiver.untilReceived(13);
    expect(texts().indexOf('from memory')).toBeLessThan(texts().indexOf('3'));
  });

  test('where what came first is given back during a claim, because of a pause', async () => {
    const { promise: answered, resolve: answerIt } = Promise.withResolvers<void>();
    answer = (received) => (textOf(received) === '0' ? answered : undefined);
    await one.receive(ANA, '0');
    await receiver.untilReceived(2);
    await one.receive(ANA, '1');
    const goOn = holdBack('claim');
    await other.receive(ANA, '2');
    await until(async () => (await waiting()) === 0);
    await one.pauseDestination(destination);
    answerIt();
    await until(async () => (await waiting()) === 1);
    await one.resumeDestination(destination);
    goOn();
    await receiver.untilReceived(4, 8 * SECOND);
    expect(texts()).toEqual(['0', '1', '2']);
  });

  test('where the breaker has opened since it began to record what came first', async () => {
    // So that all of them are on their way while the breaker is still shut.
    answer = () => sleep(500).then(() => ({ status: 503 }));
    for (let number = 0; number < 5; number++) await one.receive(`1650555300${number}`, `fails ${number}`);
    await receiver.untilReceived(6);
    const goOn = holdBack('write');
    const recording = one.receive(ANA, '1');
    await until(async () => (await waiting()) === 5);
    await sleep(200);
    ahead = 6 * SECOND;
    await other.receive(ANA, '1');
    await other.receive(ANA, '2');
    tell();
    await sleep(500);
    goOn();
    await recording;
    await receiver.untilReceived(7, 12 * SECOND);
    expect(texts()[5]).toBe('1');
  });

  test('where it is taken for gone, and records nevertheless', async () => {
    const { keepAlive } = one.store.processes;
    const { all } = one.store.owners;
    one.store.processes.keepAlive = () => Promise.reject(new Error('The connection is lost'));
    one.store.owners.all = () => Promise.reject(new Error('The connection is lost'));
    hears = false;
    await until(async () => (await other.store.processes.count()) === 1, 20 * SECOND);
    await one.receive(ANA, '1');
    await other.receive(ANA, '2');
    await receiver.untilReceived(3, 10 * SECOND);
    expect(texts()).toEqual(['1', '2']);
    one.store.processes.keepAlive = keepAlive;
    one.store.owners.all = all;
  });

  describe('and sends without a look at what is due', () => {
    beforeEach(() => {
      one.store.destinations.expired = () => Promise.reject(new Error('It looks for nothing'));
    });

    test('what it had claimed when recording something else failed', async () => {
      const { write } = one.store;
      const { promise: fails, resolve: fail } = Promise.withResolvers<void>();
      one.store.write = async (asked) => {
        if (asked.kind !== 'notification') return write(asked);
        await fails;
        throw new Error('The connection is lost');
      };
      const recording = one.receive(ANA, '1').catch(() => 'failed');
      await other.receive(BEN, 'of another contact');
      await sleep(200);
      fail();
      expect(await recording).toBe('failed');
      await receiver.untilReceived(2, 15 * SECOND);
    });

    test('what it is still recording, where more is claimed than it may hold', async () => {
      const goOn = holdBack('write');
      const recording = one.receive(ANA, '1');
      await recordedAre(2);
      hears = false;
      for (const number of [2, 3, 4]) {
        const text = `${number}${'x'.repeat(2_900_000)}`;
        await other.notified(notification(textFrom(ANA, text, `wamid.${number}`)));
      }
      tell();
      await sleep(300);
      goOn();
      await recording;
      await receiver.untilReceived(2, 15 * SECOND);
      await receiver.untilReceived(5);
      expect(texts().map((text) => text[0])).toEqual(['1', '2', '3', '4']);
    });

    test('the events of others, however many of one contact wait behind one that it still records', async () => {
      const { promise: answered, resolve: answerThem } = Promise.withResolvers<void>();
      const goOn = holdBack('write');
      const recording = one.receive(ANA, '1');
      await recordedAre(2);
      hears = false;
      await Promise.all(Array.from({ length: 700 }, (_, number) => other.receive(ANA, `more ${number}`)));
      answer = (received) => (textOf(received) === 'of another contact' ? undefined : answered);
      tell();
      await sleep(500);
      goOn();
      await recording;
      await receiver.untilReceived(2);
      hears = true;
      await other.receive(BEN, 'of another contact');
      await receiver.untilReceived(3, 15 * SECOND);
      answerThem();
    });
  });

  test('where it was to give the destination up, and something came for it', async () => {
    await Promise.all([1, 2, 3, 4].map((number) => one.addDestination(`${receiver.url}/${number}`)));
    await other.registry.refresh();
    await one.receive('16505551000', 'to all');
    await receiver.untilReceived(6);
    await one.addDestination(`${receiver.url}/new`);
    const { count } = one.store.processes;
    const { acquire } = one.store.owners;
    const { release } = one.store.deliveries;
    let recording: Promise<unknown> | undefined;
    one.store.processes.count = async () => {
      // The new destination is nobody's: an owner is asked for, and the recording waits for that.
      recording ??= one.receive(ANA, '1');
      await count();
      return 10;
    };
    one.store.owners.acquire = async (...asked) => {
      const owners = await acquire(...asked);
      await sleep(100);
      return owners;
    };
    one.store.deliveries.release = async (...asked) => {
      await sleep(300);
      return release(...asked);
    };
    await one.store.wake({ ownerless: [] });
    await until(() => recording !== undefined, 8 * SECOND);
    await recording;
    one.store.processes.count = count;
    await one.receive(ANA, '2');
    await receiver.untilReceived(6 + 12, 9 * SECOND);
    const ofAna = receiver.received.slice(6);
    for (const [, sent] of Map.groupBy(ofAna, ({ url }) => url)) expect(sent.map(textOf)).toEqual(['1', '2']);
  });
});
