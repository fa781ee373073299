import { Client } from 'pg';
import { type Store } from '../../../gateway/store/store';
import { type Wake } from '../../../gateway/store/processes/wake';
import { isoTime, SECOND } from '../../../gateway/time';
import { startPeer, until, type Answer, type HttpPeer, type Received } from '../../support/http-peer';
import { createDatabase } from '../../support/postgres';
import { notification, textFrom } from '../../support/test-gateway';
import { ANA, openForwarding, seedFailing, sleep, statesOf, textOf, type Forwarding } from './support';

const BEN = '16505552222';
const CID = '16505551000';
/** Generous, and shorter than what would come by a look at what is due, where that would be too late. */
const SOON = 20 * SECOND;

const lost = (): Promise<never> => Promise.reject(new Error('The connection is lost'));

/** What is asked there from now on waits until it may go on. */
function barrier() {
  const [reached, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return {
    reached: reached.promise,
    goOn: goesOn.resolve,
    pass(): Promise<void> {
      reached.resolve();
      return goesOn.promise;
    },
  };
}

/** Of two gateways on one PostgreSQL, `one` has the lease on the only destination, and `other` records as well. */
describe('of two gateways', () => {
  let url: string;
  let receiver: HttpPeer;
  let answer: (received: Received) => Answer | void | Promise<Answer | void>;
  let [one, other] = [] as unknown as [Forwarding, Forwarding];
  let more: Forwarding[];
  let destination: number;
  /** Whether `one` hears what other processes tell. */
  let hears: boolean;
  /** By how much the clock of `other` is ahead. */
  let ahead: number;
  /** From here on another connection to the database. */
  let client: Client;

  beforeEach(async () => {
    [answer, ahead, hears, more] = [() => undefined, 0, true, []];
    receiver = await startPeer((received) => answer(received));
    url = await createDatabase();
    one = await openForwarding(url, Date.now, { processName: 'one' });
    other = await openForwarding(url, () => Date.now() + ahead, { processName: 'other' });
    ({ id: destination } = await one.addDestination(receiver.url));
    await other.registry.refresh();
    const { onWake } = one.store;
    one.store.onWake = (listener: (wake: Wake | null) => void) =>
      onWake((wake) => (hears ? listener(wake) : undefined));
    await one.dispatcher.start();
    await one.receive(CID, 'first');
    await receiver.untilReceived(1, SOON);
    await until(async () => (await statesOf(one, destination))[0] === 'delivered', SOON);
    await other.dispatcher.start();
    expect(await owner()).toBe(one.dispatcher.processId);
    client = new Client({ connectionString: url });
    await client.connect();
  });
  afterEach(async () => {
    await receiver.close();
    await Promise.all([one, other, ...more].map((forwarding) => forwarding.stop()));
    await client.end();
  });

  const texts = () => receiver.received.slice(1).map(textOf);
  const owner = async () => (await other.store.owners.all())[0]?.process_id;
  const rowsOf = () => other.store.deliveries.ofDestination(destination);
  const delivered = (within = SOON) =>
    until(
      async () => (await statesOf(other, destination)).every((state) => state === 'delivered'),
      within,
      () => `received: ${texts().slice(0, 20).join()}`,
    );
  const recordedAre = (count: number) => until(async () => (await rowsOf()).length === count, SOON);

  /** Lets `one` hear only later of the next that it records, though that is committed at once. */
  function lateReply(): () => void {
    const { write } = one.store;
    const { pass, goOn } = barrier();
    one.store.write = (async (asked) => {
      if (asked.kind !== 'notification') return write(asked);
      one.store.write = write;
      const done = await write(asked);
      await pass();
      return done;
    }) as Store['write'];
    return goOn;
  }

  /** `one` looks for nothing from now on, and hears nothing. */
  function isDeaf(): void {
    hears = false;
    one.store.destinations.expired = lost;
  }

  /** The lease goes from `one` to `other`, as where `one` is taken for gone. */
  async function takeOver(): Promise<void> {
    one.store.owners.acquire = lost;
    await other.store.processes.leave(one.dispatcher.processId);
    await other.receive('16505553333', 'taken over');
    await until(async () => (await owner()) === other.dispatcher.processId, SOON);
  }

  describe('the one that sends has a fresh event wait behind what another has recorded before', () => {
    test('although it was not told of that', async () => {
      isDeaf();
      await other.receive(ANA, '1');
      await one.receive(ANA, '2');
      await receiver.untilReceived(3, SOON);
      expect(texts()).toEqual(['1', '2']);
      await delivered();
    });

    test.each<[string, () => Forwarding]>([
      ['itself', () => one],
      ['another', () => other],
    ])(
      'also where %s records it in the order of sequence before what is just being read',
      async (_, recorder) => {
        const numbersFrom = (next: number) => client.query(`select setval('delivery_sequence', ${next})`);
        const reading = barrier();
        const { untried } = one.store.queued;
        one.store.queued.untried = async (...asked) => {
          await reading.pass();
          return untried(...asked);
        };
        await numbersFrom(2000);
        await other.receive(BEN, 'read from here on');
        await reading.reached;
        await numbersFrom(1000);
        await recorder().receive(ANA, '1');
        await numbersFrom(3000);
        await other.receive(ANA, '2');
        reading.goOn();
        await receiver.untilReceived(4, SOON);
        expect(texts().filter((text) => text.length === 1)).toEqual(['1', '2']);
      },
    );

    test('while that is still being read', async () => {
      const reading = barrier();
      const { untried } = one.store.queued;
      one.store.queued.untried = async (...asked) => {
        const page = await untried(...asked);
        await reading.pass();
        return page;
      };
      await other.receive(ANA, '1');
      await reading.reached;
      await one.receive(ANA, '2');
      await one.receive(ANA, '3');
      await sleep(300);
      expect(texts()).toEqual([]);
      reading.goOn();
      await receiver.untilReceived(4, SOON);
      expect(texts()).toEqual(['1', '2', '3']);
    });

    test('where it is read just before that is recorded', async () => {
      // The read has begun, and does not see what comes now.
      const reading = barrier();
      const { untried } = one.store.queued;
      one.store.queued.untried = async (...asked) => {
        const page = await untried(...asked);
        await reading.pass();
        return page;
      };
      await other.receive(BEN, 'of another contact');
      await reading.reached;
      hears = false;
      await other.receive(ANA, '1');
      await one.receive(ANA, '2');
      reading.goOn();
      await receiver.untilReceived(4, SOON);
      expect(texts().filter((text) => text !== 'of another contact')).toEqual(['1', '2']);
    });

    test('where that was parked in a pause, and it goes on', async () => {
      const { promise: answered, resolve: answerIt } = Promise.withResolvers<void>();
      answer = (received) => (textOf(received) === '0' ? answered : undefined);
      await one.receive(ANA, '0');
      await receiver.untilReceived(2, SOON);
      await one.receive(ANA, '1');
      await other.receive(ANA, '2');
      await one.pauseDestination(destination);
      await other.receive(ANA, '3');
      answerIt();
      await until(async () => (await rowsOf())[1]?.state === 'delivered', SOON);
      await one.resumeDestination(destination);
      await one.receive(ANA, '4');
      await receiver.untilReceived(6, SOON);
      expect(texts()).toEqual(['0', '1', '2', '3', '4']);
    });

    test('where it is taken for gone, and records nevertheless', async () => {
      const { keepAlive } = one.store.processes;
      const { all } = one.store.owners;
      one.store.processes.keepAlive = lost;
      one.store.owners.all = lost;
      hears = false;
      await until(async () => (await other.store.processes.count('deliver')) === 1, 40 * SECOND);
      // The other sends from now on, and knows all that waits.
      await other.receive(BEN, 'taken over');
      await delivered();
      await one.receive(ANA, '1');
      await other.receive(ANA, '2');
      await receiver.untilReceived(4, SOON);
      expect(texts()).toEqual(['taken over', '1', '2']);
      one.store.processes.keepAlive = keepAlive;
      one.store.owners.all = all;
    });
  });

  describe('a commit', () => {
    test.each([
      ['itself', () => one],
      ['the other', () => other],
    ])('whose reply is late keeps its place where upstream repeats it to %s', async (_, to) => {
      const goOn = lateReply();
      const recording = one.receive(ANA, '1');
      await recordedAre(2);
      await to().receive(ANA, '1');
      await other.receive(ANA, '2');
      await sleep(500);
      goOn();
      await recording;
      await receiver.untilReceived(3, SOON);
      expect(texts()).toEqual(['1', '2']);
    });

    test.each([
      ['itself', () => one],
      ['the other', () => other],
    ])('whose reply is lost keeps its place where upstream repeats it to %s', async (_, to) => {
      const { write } = one.store;
      one.store.write = async (asked) => {
        await write(asked);
        return lost();
      };
      await expect(one.receive(ANA, '1')).rejects.toThrow('lost');
      one.store.write = write;
      isDeaf();
      await to().receive(ANA, '1');
      await one.receive(ANA, '2');
      await receiver.untilReceived(3, SOON);
      expect(texts()).toEqual(['1', '2']);
    });

    test.each([
      ['itself', () => one],
      ['the other', () => other],
    ])(
      'that is reported failed and done later keeps its place where upstream repeats it to %s',
      async (_, to) => {
        const { write } = one.store;
        let later: Promise<unknown> = Promise.resolve();
        one.store.write = ((asked) => {
          if (asked.kind !== 'notification') return write(asked);
          later = sleep(1000).then(() => write(asked));
          return lost();
        }) as Store['write'];
        await expect(one.receive(ANA, '1')).rejects.toThrow('lost');
        one.store.write = write;
        await later;
        isDeaf();
        await to().receive(ANA, '1');
        await one.receive(ANA, '2');
        await receiver.untilReceived(3, SOON);
        expect(texts()).toEqual(['1', '2']);
      },
    );
  });

  describe('a lease that changes hands', () => {
    test('while its owner records: the new one waits until that has ended', async () => {
      const statesBefore = (await rowsOf()).length;
      await one.receive(ANA, 'window');
      await delivered();
      // The recording inserts its deliveries, and then waits for this.
      await client.query('begin');
      await client.query('select from windows where contact = $1 for update', [ANA]);
      const recording = one.receive(ANA, '1');
      await until(async () => {
        const { rows } = await client.query('select from pg_locks where not granted');
        return rows.length > 0;
      }, SOON);
      await takeOver();
      await until(() => texts().includes('taken over'), SOON);
      one.store.wake = async () => undefined;
      await client.query('commit');
      await recording;
      await other.receive(ANA, '2');
      await until(() => texts().includes('2'), SOON);
      expect(texts()).toEqual(['window', 'taken over', '1', '2']);
      expect(statesBefore).toBe(1);
    });

    test('and comes back while an exchange hangs: what hangs is not sent again', async () => {
      const { promise: answered, resolve: answerIt } = Promise.withResolvers<void>();
      answer = (received) => (textOf(received) === 'hangs' ? answered : undefined);
      await one.receive(ANA, 'hangs');
      await receiver.untilReceived(2, SOON);
      other.store.owners.acquire = lost;
      const { acquire } = one.store.owners;
      one.store.owners.acquire = lost;
      await client.query('delete from owners');
      await one.store.wake({ ownerless: [destination] });
      await until(() => one.failures.some((line) => JSON.stringify(line).includes('due')), SOON);
      const found: string[] = [];
      const { untried } = one.store.queued;
      one.store.queued.untried = async (...asked) => {
        const page = await untried(...asked);
        found.push(...page.rows.map(({ body }) => textOf({ body: body ?? '' })));
        return page;
      };
      one.store.owners.acquire = acquire;
      await until(async () => (await owner()) === one.dispatcher.processId, SOON);
      await until(() => found.includes('hangs'), SOON);
      await one.receive(BEN, 'of another contact');
      await one.receive(ANA, 'behind it');
      await until(() => texts().includes('of another contact'), SOON);
      await sleep(500);
      expect(texts()).toEqual(['hangs', 'of another contact']);
      answerIt();
      await delivered();
      expect(texts()).toEqual(['hangs', 'of another contact', 'behind it']);
    });

    test('before a failure is recorded: what the new owner delivered stays delivered', async () => {
      answer = () => ({ status: receiver.received.length > 2 ? 200 : 500 });
      const { write } = one.store;
      const recording = barrier();
      one.store.write = (async (asked) => {
        if (asked.kind === 'attempt') await recording.pass();
        return write(asked);
      }) as Store['write'];
      await one.receive(ANA, '1');
      await recording.reached;
      await takeOver();
      await until(async () => (await rowsOf())[1]?.state === 'delivered', SOON);
      recording.goOn();
      // Longer than the wait after a first attempt.
      await sleep(6 * SECOND);
      expect((await rowsOf())[1]).toMatchObject({ state: 'delivered', attempts: 1 });
      expect(texts().filter((text) => text === '1')).toHaveLength(2);
    });

    test('before a success is recorded: a replay that was asked for since is made all the same', async () => {
      const { write } = one.store;
      const recording = barrier();
      let recorded: Promise<unknown> = Promise.resolve();
      one.store.write = (async (asked) => {
        if (asked.kind !== 'attempt') return write(asked);
        await recording.pass();
        const done = write(asked);
        recorded = done;
        return done;
      }) as Store['write'];
      await one.receive(ANA, '1');
      await recording.reached;
      await takeOver();
      await delivered();
      await other.pauseDestination(destination);
      const [, { event_id: eventId = '' } = {}] = await rowsOf();
      await other.store.deliveries.again(
        [{ destination_id: destination, event_id: eventId }],
        isoTime(Date.now()),
      );
      recording.goOn();
      await until(async () => (await Promise.race([recorded, sleep(50)])) !== undefined, SOON);
      expect((await rowsOf())[1]).toMatchObject({ state: 'pending', attempts: 1, attempts_before: 1 });
      await other.resumeDestination(destination);
      await delivered();
      expect(texts().filter((text) => text === '1')).toHaveLength(3);
    });

    test('goes to no second process of the same name', async () => {
      const second = await openForwarding(url, Date.now, { processName: 'one' });
      more.push(second);
      await second.dispatcher.start();
      expect(await owner()).toBe(one.dispatcher.processId);
      await second.receive(ANA, '1');
      await one.receive(ANA, '2');
      await receiver.untilReceived(3, SOON);
      expect(texts()).toEqual(['1', '2']);
      expect(await owner()).toBe(one.dispatcher.processId);
    });

    test('goes at once to who comes back under the name of a process that was killed', async () => {
      // Its connections end, and nothing else is done.
      one.store.processes.leave = async () => undefined;
      await one.stop();
      const left = await other.store.owners.all();
      expect(left).toHaveLength(1);
      const again = await openForwarding(url, Date.now, { processName: 'one' });
      one = again;
      await other.receive(ANA, '1');
      await again.dispatcher.start();
      expect(await owner()).toBe(again.dispatcher.processId);
      // Sooner than the one before is taken for gone.
      await receiver.untilReceived(2);
      await again.receive(ANA, '2');
      await receiver.untilReceived(3, SOON);
      expect(texts()).toEqual(['1', '2']);
    });
  });

  test('the order of a contact is kept although their clocks are two seconds apart', async () => {
    ahead = 2 * SECOND;
    const write = async (texts: string[]) => {
      for (const [index, text] of texts.entries()) await (index % 3 ? one : other).receive(ANA, text);
    };
    const live = Array.from({ length: 30 }, (_, number) => `live ${number}`);
    await write(live);
    await receiver.untilReceived(31, SOON);
    await delivered();
    await one.pauseDestination(destination);
    // More than memory holds of a contact.
    const parked = Array.from({ length: 120 }, (_, number) => `parked ${number}`);
    await write(parked);
    await one.resumeDestination(destination);
    await receiver.untilReceived(151, SOON);
    expect(texts()).toEqual([...live, ...parked]);
  });

  test('a third failure lets the others pass once, also where a read still shows it due', async () => {
    const bodies = () => receiver.received.map(({ body }) => body).filter((body) => body === '"fails"');
    const answering = barrier();
    answer = async ({ body }) => {
      if (body !== '"fails"') return {};
      await answering.pass();
      return { status: 500 };
    };
    await seedFailing(one, destination, 'fails', 2);
    await one.store.wake({ waiting: [destination] });
    await answering.reached;
    const reading = barrier();
    const { due } = one.store.queued;
    one.store.queued.due = async (...asked) => {
      const page = await due(...asked);
      if (asked[0] === 'holding') await reading.pass();
      return page;
    };
    await one.store.wake({ waiting: [destination] });
    await reading.reached;
    answering.goOn();
    await until(async () => (await rowsOf()).some(({ attempts }) => attempts === 3), SOON);
    await sleep(300);
    reading.goOn();
    await sleep(1500);
    expect(bodies()).toHaveLength(1);
    expect((await rowsOf()).find(({ attempts }) => attempts > 1)).toMatchObject({
      state: 'pending',
      attempts: 3,
    });
  });

  describe('a large notification', () => {
    interface Notified {
      entry: object[];
    }
    /** Of each of so many contacts a message. */
    const large = (from: number, to: number) => ({
      object: 'whatsapp_business_account',
      entry: Array.from({ length: to - from }, (_, index) => {
        const text = `${from + index}`;
        return (notification(textFrom(`1650556${1000 + from + index}`, text, `wamid.${text}`)) as Notified)
          .entry[0];
      }),
    });
    const split = () => receiver.received.filter(({ url: path }) => path === '/');
    const raw = () => receiver.received.filter(({ url: path }) => path === '/raw');

    beforeEach(async () => {
      await one.addDestination(`${receiver.url}/raw`, { mode: 'raw' });
      await other.registry.refresh();
    });

    test('of which a part was recorded when its process died is sent whole, and once, when it is repeated', async () => {
      const { write } = one.store;
      let parts = 0;
      one.store.write = ((asked) =>
        asked.kind === 'notification' && parts++ === 1 ? lost() : write(asked)) as Store['write'];
      const whole = large(0, 900);
      await expect(one.notified(whole)).rejects.toThrow('lost');
      expect(parts).toBe(2);
      one.store.write = write;
      await other.notified(whole);
      await until(() => split().length >= 901 && raw().length >= 1, 60 * SECOND);
      await delivered();
      await sleep(500);
      expect(new Set(split().map(textOf)).size).toBe(901);
      expect(split()).toHaveLength(901);
      expect(raw().map(({ headers }) => headers['x-gateway-attempt'])).toEqual(['1']);
    });

    test('whose first parts are all repeats is still sent to who takes it whole', async () => {
      await one.notified(large(0, 500));
      await until(() => raw().length === 1, 60 * SECOND);
      await other.notified(large(0, 900));
      await until(() => split().length >= 901 && raw().length >= 2, 60 * SECOND);
      await delivered();
      await sleep(500);
      expect([split().length, raw().length]).toEqual([901, 2]);
      expect(JSON.parse(raw()[1]?.body ?? '').entry).toHaveLength(900);
    });
  });

  describe('where very much waits', () => {
    /** What waits for the destination: each contact, ordering key and state by SQL of the number `n`. */
    async function seed(count: number, { contact = "'1'", attempts = 0, from = 0 }): Promise<void> {
      const id = `'evt_' || lpad((n + ${from})::text, 9, '0')`;
      const body = JSON.stringify(notification(textFrom('16505550000', 'SEED', 'wamid')));
      await client.query(`insert into events
        (id, line_id, subject, kind, identity, contact, wamid, phone_number_id, waba_id, body, received_at)
        select ${id}, 1, 'message', 'text', ${id}, ${contact}, ${id}, null, null,
          replace('${body}', 'SEED', ${id}), '2026-01-01T00:00:00.000Z' from generate_series(1, ${count}) n order by n`);
      await client.query(`insert into deliveries
        (destination_id, event_id, lane, state, attempts, attempts_before, due_at)
        select ${destination}, ${id}, ${attempts ? id : contact}, 'pending', ${attempts}, ${attempts},
          '2026-01-01T00:00:00.000Z' from generate_series(1, ${count}) n order by n`);
      await client.query('analyze');
    }

    test('20,000 events of one contact do not delay those of another', async () => {
      answer = () => sleep(20);
      await seed(20_000, { contact: `'${ANA}'` });
      await one.store.wake({ waiting: [destination] });
      await until(() => receiver.received.length > 5, SOON);
      await other.receive(BEN, 'of another contact');
      await until(() => texts().includes('of another contact'), SOON);
      expect(texts().length).toBeLessThan(5000);
      const ofAna = () => texts().filter((text) => text.startsWith('evt_'));
      // Beyond what memory holds of a contact, in order.
      await until(() => ofAna().length > 300, SOON);
      expect(ofAna()).toEqual([...ofAna()].sort());
      expect(new Set(ofAna()).size).toBe(ofAna().length);
    });

    test('70,000 that are replayed do not delay fresh ones', async () => {
      answer = () => sleep(20);
      await seed(70_000, { attempts: 1 });
      await one.store.wake({ waiting: [destination] });
      await until(() => receiver.received.length > 50, SOON);
      await one.receive(ANA, '1');
      await other.receive(ANA, '2');
      await until(() => texts().includes('2'), SOON);
      expect(texts().filter((text) => !text.startsWith('evt_'))).toEqual(['1', '2']);
      expect(texts().length).toBeLessThan(20_000);
      expect(new Set(texts()).size).toBe(texts().length);
    });

    test('failures of a tenth of what comes do not fill memory: the others go on', async () => {
      const fails = (text: string) => Number(text) % 10 === 7;
      answer = (received) => ({ status: fails(textOf(received)) ? 500 : 200 });
      const count = 3_000;
      for (let from = 0; from < count; from += 3) {
        const numbers = Array.from({ length: 3 }, (_, index) => from + index);
        const receiving = numbers.map((number) => one.receive(`${16505000000 + number}`, `${number}`));
        await Promise.all([...receiving, sleep(8)]);
      }
      const good = () => new Set(texts().filter((text) => !fails(text))).size;
      await until(
        () => good() === (count / 10) * 9,
        60 * SECOND,
        () => `${good()} came`,
      );
    });

    test('failures of a quarter of them do not fill memory: the others go on', async () => {
      const fails = (text: string) => Number(text.slice('evt_'.length)) % 4 === 0;
      // Later attempts that fail as well would open the breaker.
      const isFirst = ({ headers }: Received) => headers['x-gateway-attempt'] === '1';
      answer = (received) => ({ status: isFirst(received) && fails(textOf(received)) ? 500 : 200 });
      await seed(4_800, { contact: "'1650' || n" });
      await one.store.wake({ waiting: [destination] });
      const good = () => new Set(texts().filter((text) => text.startsWith('evt_') && !fails(text)));
      await until(
        () => good().size === 3_600,
        60 * SECOND,
        () => `${good().size} of 3,600 came`,
      );
    });
  });

  describe('where answers cannot be recorded', () => {
    const all = Array.from({ length: 300 }, (_, number) => `${number}`);
    const receiveAll = () =>
      Promise.all(all.map((text, index) => one.receive(`1650557${1000 + index}`, text)));

    test('nothing else is sent until they are, and nothing twice', async () => {
      const { write } = one.store;
      one.store.write = ((asked) => (asked.kind === 'attempt' ? lost() : write(asked))) as Store['write'];
      await receiveAll();
      await until(() => texts().length >= 8, SOON);
      await sleep(1000);
      const sent = texts().length;
      // What was on its way when the first answer could not be recorded.
      expect(sent).toBeLessThanOrEqual(32);
      await other.receive(ANA, 'of another contact');
      await sleep(3000);
      expect(texts()).toHaveLength(sent);
      one.store.write = write;
      await until(() => texts().length >= all.length + 1, 40 * SECOND);
      await delivered(40 * SECOND);
      expect(new Set(texts()).size).toBe(texts().length);
    });

    test('64 of them at most wait for that: what a crash would have sent again', async () => {
      const { write } = one.store;
      const recording = barrier();
      one.store.write = (async (asked) => {
        if (asked.kind === 'attempt') await recording.pass();
        return write(asked);
      }) as Store['write'];
      await receiveAll();
      await until(() => texts().length >= 64, SOON);
      await sleep(1000);
      expect(texts().length).toBeLessThanOrEqual(64 + 32);
      recording.goOn();
      await delivered(40 * SECOND);
      expect(new Set(texts()).size).toBe(all.length);
    });
  });
});
