import { MINUTE } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { createDatabase } from '../../support/postgres';
import { openForwarding, sleep, statesOf, textOf, type Forwarding } from './support';

const contact = (number: number): string => `1650555${1000 + number}`;

/** Asks to be left alone for ten minutes until it is repaired: nothing goes out by itself within a test. */
async function brokenReceiver(): Promise<HttpPeer & { repair(): void }> {
  let works = false;
  const peer = await startPeer(() => (works ? {} : { status: 503, headers: { 'retry-after': '600' } }));
  return { ...peer, repair: () => (works = true) };
}

/** Five events fail, so that the destination is left alone, and a sixth comes after that. */
async function leftAlone(receiver: HttpPeer, sender: Forwarding): Promise<number> {
  const { id } = await sender.addDestination(receiver.url);
  for (let number = 0; number < 5; number++) await sender.receive(contact(number), `${number}`);
  await until(async () => (await nextTryOf(sender, id)) !== null);
  // Each is recorded by then: what is recorded later has its own time.
  const attempts = async () => (await sender.store.deliveries.ofDestination(id)).map((one) => one.attempts);
  await until(async () => (await attempts()).every((made) => made === 1));
  await sender.receive(contact(5), '5');
  return id;
}

const rowOf = ({ store }: Forwarding, id: number) => store.destinations.find(id);
const nextTryOf = async (forwarding: Forwarding, id: number) =>
  (await rowOf(forwarding, id))?.next_try_at ?? null;

describe.each(DATABASES)('what waits for a destination that is left alone ($name)', ({ createUrl }) => {
  let receiver: Awaited<ReturnType<typeof brokenReceiver>>;
  let forwarding: Forwarding;

  beforeEach(async () => {
    receiver = await brokenReceiver();
    forwarding = await openForwarding(await createUrl());
    await forwarding.dispatcher.start();
  });
  afterEach(async () => {
    await receiver.close();
    await forwarding.stop();
  });

  const allDelivered = (id: number) =>
    until(async () => (await statesOf(forwarding, id)).every((state) => state === 'delivered'));

  test('is told when it is tried next, and goes out at once where somebody asks', async () => {
    const id = await leftAlone(receiver, forwarding);
    const wait = Date.parse((await nextTryOf(forwarding, id)) ?? '') - Date.now();
    expect(wait).toBeGreaterThan(9 * MINUTE);
    expect(wait).toBeLessThanOrEqual(10 * MINUTE);
    receiver.repair();
    await forwarding.tryNow(id);
    await forwarding.store.wake({ waiting: [id] });
    await receiver.untilReceived(11);
    await allDelivered(id);
    expect(receiver.received.slice(5).map(textOf).sort()).toEqual(['0', '1', '2', '3', '4', '5']);
    expect(await rowOf(forwarding, id)).toMatchObject({ failing_since: null, next_try_at: null });
  });

  test('goes out as well where nobody tells its owner, who looks for itself', async () => {
    const id = await leftAlone(receiver, forwarding);
    receiver.repair();
    await forwarding.tryNow(id);
    await receiver.untilReceived(11);
    await allDelivered(id);
  });

  test('goes out at once where the destination was paused for a moment', async () => {
    const id = await leftAlone(receiver, forwarding);
    receiver.repair();
    await forwarding.pauseDestination(id);
    await forwarding.resumeDestination(id);
    await forwarding.store.wake({ waiting: [id] });
    await receiver.untilReceived(11);
    await allDelivered(id);
  });

  test('waits on where it is not accepted yet, and no attempt is used up by that', async () => {
    const id = await leftAlone(receiver, forwarding);
    const before = await nextTryOf(forwarding, id);
    await forwarding.tryNow(id);
    await forwarding.store.wake({ waiting: [id] });
    await receiver.untilReceived(6);
    await until(async () => ((await nextTryOf(forwarding, id)) ?? '') > (before ?? ''));
    await sleep(200);
    expect(receiver.received).toHaveLength(6);
    const attempts = (await forwarding.store.deliveries.ofDestination(id)).map((one) => one.attempts);
    expect(attempts.toSorted()).toEqual([0, 1, 1, 1, 1, 1]);
  });
});

describe('what waits for a destination of another process', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  test('goes out at once where somebody asks', async () => {
    const receiver = await brokenReceiver();
    const url = await createDatabase();
    const [owner, other] = [await openForwarding(url), await openForwarding(url)];
    closing.push(receiver.close, owner.stop, other.stop);
    await Promise.all([owner.dispatcher.start(), other.dispatcher.start()]);
    const id = await leftAlone(receiver, owner);
    await other.registry.refresh();
    receiver.repair();
    // It hears of the request before it reads it, and looks for nothing by itself.
    owner.store.queued.first = async () => [];
    const { revision } = owner.store.registry;
    owner.store.registry.revision = () => sleep(300).then(revision);
    await other.tryNow(id);
    await other.store.wake({ waiting: [id] });
    await receiver.untilReceived(11);
    expect(await owner.store.owners.all()).toMatchObject([{ process_id: owner.dispatcher.processId }]);
    expect([...owner.failures, ...other.failures]).toEqual([]);
  });
});
