import { MINUTE, SECOND } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type HttpPeer, type Received } from '../../support/http-peer';
import { ANA, openForwarding, textOf, type Forwarding } from './support';

const contactOf = ({ body }: Received): string => /"from":"(\d+)"/.exec(body)?.[1] ?? '';

describe.each(DATABASES)('a probe that failed ($name)', ({ createUrl }) => {
  let works = false;
  let offset = 0;
  /** How often the breaker has opened. */
  let opened = 0;
  /** How many first attempts were counted. */
  let firsts = 0;
  let receiver: HttpPeer;
  let forwarding: Forwarding;

  beforeEach(async () => {
    [works, offset, opened, firsts] = [false, 0, 0, 0];
    receiver = await startPeer(() => ({ status: works ? 200 : 503 }));
    // Stands still, so that no probe is due before a test says so.
    const now = Date.now();
    forwarding = await openForwarding(await createUrl(), () => now + offset, {
      heard: ({ msg }) => {
        if (msg === 'destination fails: its events wait') opened++;
      },
      attempted: (_outcome, _duration, delay) => {
        if (delay !== null) firsts++;
      },
    });
  });
  afterEach(async () => {
    await receiver.close();
    await forwarding.stop();
  });

  test('stays before younger events of its contact, and the next one is of another', async () => {
    const { id } = await forwarding.addDestination(receiver.url);
    await forwarding.dispatcher.start();
    for (let number = 0; number < 5; number++)
      await forwarding.receive(`1650555${1000 + number}`, `${number}`);
    await until(() => opened === 1);
    for (const text of ['ana 1', 'ana 2', 'ana 3']) await forwarding.receive(ANA, text);

    /** An event that is recorded later makes the dispatcher look at what waits. */
    const probed = async (text: string): Promise<string> => {
      const [before, openedBefore] = [receiver.received.length, opened];
      offset += 6 * MINUTE;
      await forwarding.receive('16505559999', text);
      await receiver.untilReceived(before + 1);
      await until(() => opened > openedBefore);
      return contactOf(receiver.received[before] as Received);
    };
    const first = await probed('later');
    expect(await probed('later still')).not.toBe(first);
    works = true;
    offset += 6 * MINUTE;
    await forwarding.receive('16505559999', 'last');
    await until(() => receiver.received.map(textOf).includes('ana 3'));
    const ofAna = receiver.received.map(textOf).filter((text) => text.startsWith('ana'));
    expect([...new Set(ofAna)]).toEqual(['ana 1', 'ana 2', 'ana 3']);

    await until(() => new Set(receiver.received.map(textOf)).size === 11);
    await until(() => forwarding.dispatcher.inFlightTo(id) === 0);
    expect(firsts).toBe(11);
  });

  test('of a few contacts whose events are never taken does not keep out the others', async () => {
    await receiver.close();
    const doomed = Array.from({ length: 40 }, (_nothing, index) => String(16505551000 + index));
    receiver = await startPeer((received) => ({ status: textOf(received).endsWith(' doomed') ? 503 : 200 }));
    const { id } = await forwarding.addDestination(receiver.url);
    await forwarding.dispatcher.start();
    for (const [index, contact] of doomed.entries()) {
      await forwarding.receive(contact, `${contact} doomed`);
      await forwarding.receive(`1650556${1000 + index}`, `good ${index}`);
    }
    await receiver.untilReceived(2 * doomed.length);
    // Nothing but what is never taken is tried now: the breaker opens.
    offset += 10 * SECOND;
    await forwarding.receive(doomed[0] ?? '', 'behind it');
    // What was on its way then is over: a probe is no attempt, and opens it again.
    await until(async () => {
      const rows = await forwarding.store.deliveries.ofDestination(id);
      const attempts = rows.reduce((sum, row) => sum + row.attempts, 0);
      // One that is sent may not have come yet.
      const isOver = forwarding.dispatcher.inFlightTo(id) === 0;
      return opened > 0 && isOver && attempts + opened - 1 === receiver.received.length;
    });

    const before = receiver.received.length;
    await forwarding.receive(ANA, 'ana');
    offset += MINUTE;
    await forwarding.receive(doomed[0] ?? '', 'far behind it');
    // The first event that was never tried is the probe, and lets all others go on.
    await receiver.untilReceived(before + 1);
    expect(textOf(receiver.received[before] as Received)).not.toMatch(/ doomed$/);
    await until(() => receiver.received.map(textOf).includes('ana'));
  });
});
