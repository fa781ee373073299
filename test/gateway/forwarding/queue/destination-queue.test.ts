import { performance } from 'node:perf_hooks';
import { runInThisContext } from 'node:vm';
import { DAY, HOUR, isoTime, MINUTE } from '../../../../gateway/time';
import { DATABASES } from '../../../support/databases';
import { startPeer, until, type HttpPeer } from '../../../support/http-peer';
import { ANA, openForwarding, seedFailing, sleep, textOf, type Forwarding } from '../support';

describe('what waits for one destination', () => {
  let offset = 0;
  let pages = 0;
  /** What scans have asked of removed destinations. */
  let removedAfter: string[];
  let answers: () => number;
  let receiver: HttpPeer;
  let forwarding: Forwarding;
  let id: number;

  beforeEach(async () => {
    [offset, pages, removedAfter, answers] = [0, 0, [], () => 200];
    receiver = await startPeer(() => ({ status: answers() }));
    forwarding = await openForwarding((await DATABASES[0]?.createUrl()) ?? '', () => Date.now() + offset, {
      watched: (store) => ({
        ...store,
        queued: {
          ...store.queued,
          untried: (...of) => (pages++, store.queued.untried(...of)),
          first: (soon, after) => (removedAfter.push(after), store.queued.first(soon, after)),
        },
      }),
    });
    ({ id } = await forwarding.addDestination(receiver.url));
  });
  afterEach(async () => {
    await receiver.close();
    await forwarding.stop();
  });

  /** So many events at once. @param contactOf whose each is, by its number */
  function record(count: number, contactOf: (name: string) => string): Promise<unknown> {
    const now = isoTime(Date.now());
    const events = Array.from({ length: count }, (_, index) => {
      const name = String(index).padStart(4, '0');
      const whose = { line_id: 1, contact: name, wamid: name, phone_number_id: null, waba_id: null };
      const deliveries = [{ destination_id: id, lane: contactOf(name), due_at: now }];
      const what = { subject: 'message', kind: 'text', identity: name, body: '"other"' } as const;
      return { id: `evt_${name}`, ...whose, ...what, received_at: now, automation: null, deliveries };
    });
    return forwarding.store.write({ kind: 'notification', messages: [], windows: [], events });
  }

  test('is read in large pages also while it is only probed', async () => {
    answers = () => 503;
    for (const name of ['a', 'b', 'c', 'd']) await seedFailing(forwarding, id, name, 0, { lane: name });
    await record(2000, () => ANA);
    await forwarding.dispatcher.start();
    await until(async () => (await forwarding.store.destinations.find(id))?.failing_since !== null);
    await until(async () => (await forwarding.store.deliveries.ofDestination(id))[0]?.attempts === 1);
    for (let before = -1; before < pages; await sleep(100)) before = pages;
    expect(pages).toBeLessThan(40);
  });

  test('behind an event that failed goes on beside a backlog of others', async () => {
    await seedFailing(forwarding, id, 'failed', 1);
    await seedFailing(forwarding, id, 'behind it', 0);
    await record(2000, (name) => name);
    await forwarding.dispatcher.start();
    await receiver.untilReceived(2002);
    expect(receiver.received.findIndex(({ body }) => body === '"behind it"')).toBeLessThan(1500);
  });

  /** As every five seconds. */
  const scan = () => forwarding.store.wake({ ownerless: [] });

  test('goes on where the clock is set back', async () => {
    const warnings: Error[] = [];
    /** Node's own, which tells of the gateway's timers. */
    const node = runInThisContext('process') as NodeJS.Process;
    node.on('warning', (warning) => warnings.push(warning));
    answers = () => 503;
    await forwarding.dispatcher.start();
    for (const contact of [ANA, '1', '2', '3', '4']) await forwarding.receive(contact, `of ${contact}`);
    await until(async () => (await forwarding.store.destinations.find(id))?.failing_since !== null);
    await scan();
    await forwarding.receive(ANA, 'behind the first');
    answers = () => 200;
    // No timer can wait for so long.
    offset = -40 * DAY;
    await scan();
    await until(() => receiver.received.map(textOf).includes('behind the first'));
    expect(warnings).toEqual([]);
  });

  test('is canceled where it was removed long ago, also after the clock is set back', async () => {
    await forwarding.dispatcher.start();
    offset = -HOUR;
    await scan();
    await until(() => removedAfter.length > 1);
    expect(removedAfter.at(-1)).not.toBe('');
    const now = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 2 * MINUTE);
    await scan();
    await until(() => removedAfter.at(-1) === '').finally(() => now.mockRestore());
  });
});
