import { chooseProbe } from '../../../gateway/forwarding/backlog';
import { MINUTE, SECOND } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { ANA, openForwarding, textOf, type Forwarding } from './support';

/** Waits for the first two probes, after 5 and 35 seconds. */
jest.setTimeout(100 * SECOND);

describe('the choice of a probe', () => {
  const waiting = (event_id: string, lane: string, due_at: string, attempts = 0) => ({
    event_id,
    lane,
    due_at,
    attempts,
    attempts_before: 0,
  });

  test('is what is due longest, of a contact that was not probed, until all were', () => {
    const all = [waiting('1', 'ana', '1'), waiting('2', 'ana', '2'), waiting('3', 'ben', '3')];
    const probed = new Set<string>();
    expect(chooseProbe(all, '9', probed)).toBe('1');
    probed.add('ana');
    expect(chooseProbe(all, '9', probed)).toBe('3');
    probed.add('ben');
    expect(chooseProbe(all, '9', probed)).toBe('1');
    expect(probed.size).toBe(0);
  });

  test('is the first of its contact, also where that was tried and is due later', () => {
    const all = [waiting('2', 'ana', '2'), waiting('3', 'ben', '3'), waiting('1', 'ana', '7', 1)];
    expect(chooseProbe(all, '5', new Set())).toBe('1');
    const longGone = [waiting('2', 'ana', '2'), waiting('1', 'ana', '7', 3)];
    expect(chooseProbe(longGone, '5', new Set())).toBe('2');
  });

  test('is none where nothing is due', () => {
    expect(chooseProbe([waiting('1', 'ana', '7')], '5', new Set())).toBeNull();
    expect(chooseProbe([], '5', new Set())).toBeNull();
  });
});

describe.each(DATABASES)('a probe that failed ($name)', ({ createUrl }) => {
  let works = false;
  let offset = 0;
  let receiver: HttpPeer;
  let forwarding: Forwarding;

  beforeEach(async () => {
    [works, offset] = [false, 0];
    receiver = await startPeer(() => ({ status: works ? 200 : 503 }));
    forwarding = await openForwarding(await createUrl(), () => Date.now() + offset);
  });
  afterEach(async () => {
    await receiver.close();
    await forwarding.stop();
  });

  test('stays before younger events of its contact', async () => {
    await forwarding.addDestination(receiver.url);
    await forwarding.dispatcher.start();
    // Of these the breaker opens; what comes after them waits.
    for (let number = 0; number < 5; number++)
      await forwarding.receive(`1650555${1000 + number}`, `${number}`);
    await until(
      async () => ((await forwarding.store.destinations.active(''))[0]?.failing_since ?? null) !== null,
    );
    for (const text of ['ana 1', 'ana 2', 'ana 3']) await forwarding.receive(ANA, text);
    // The first probe is one of the five, or Ana's first: each is of another contact.
    for (let probe = 1; probe <= 2; probe++) await receiver.untilReceived(5 + probe, 45_000);
    // The last of them has been judged once it is given back.
    await until(async () =>
      (await forwarding.store.deliveries.ofDestination(1)).every((one) => one.claimed_by === null),
    );
    works = true;
    offset += 6 * MINUTE;
    await until(() => receiver.received.map(textOf).includes('ana 3'), 30_000);
    const ofAna = receiver.received.map(textOf).filter((text) => text.startsWith('ana'));
    expect([...new Set(ofAna)]).toEqual(['ana 1', 'ana 2', 'ana 3']);
  });
});
