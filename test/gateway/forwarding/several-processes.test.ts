import { MINUTE, SECOND } from '../../../gateway/time';
import { startPeer, until } from '../../support/http-peer';
import { createDatabase } from '../../support/postgres';
import { openForwarding, seedFailing, sleep, statesOf, textOf } from './support';

/** Each waits for the next due-scan. */
jest.setTimeout(15 * SECOND);

describe('gateways on PostgreSQL', () => {
  test('find claims of their own again that they do not hold', async () => {
    const receiver = await startPeer();
    let now = Date.now();
    const forwarding = await openForwarding(await createDatabase(), () => now);
    const { id } = await forwarding.addDestination(receiver.url);
    await forwarding.dispatcher.start();
    // Committed, although the connection broke before that could be told.
    await seedFailing(forwarding, id, 'a', 0, { claimed_by: forwarding.dispatcher.processId });
    await sleep(100);
    expect(receiver.received).toEqual([]);
    now += 2 * MINUTE;
    await receiver.untilReceived(1, 8000);
    await until(async () => (await statesOf(forwarding, id))[0] === 'delivered');
    expect(receiver.received).toHaveLength(1);
    await receiver.close();
    await forwarding.stop();
  });

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
    await receiver.untilReceived(80, 10_000);
    await sleep(100);
    expect(receiver.received.map(textOf).sort()).toEqual([...texts].sort());
    expect(other.failures).toEqual([]);
    await receiver.close();
    await other.stop();
  });
});
