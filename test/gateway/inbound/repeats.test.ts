import { clearOldEvents } from '../../../gateway/forwarding/retention';
import { DAY, HOUR } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { rows } from '../../support/rows';
import { ANA, openForwarding, type Forwarding } from '../forwarding/support';

/** As short as can be set. */
const KEPT = { bodies: DAY, events: 8 * DAY };

describe.each(DATABASES)('what the platform sends again ($name)', ({ createUrl }) => {
  let forwarding: Forwarding;
  let receiver: HttpPeer;
  let url: string;
  let now = 0;

  beforeEach(async () => {
    now = Date.now();
    url = await createUrl();
    receiver = await startPeer();
    await open();
    await forwarding.addDestination(receiver.url);
    await forwarding.receive(ANA, 'once');
    await receiver.untilReceived(1);
    await until(async () => (await bodies()).every(({ state }) => state === 'delivered'));
  });
  afterEach(async () => {
    await forwarding.stop();
    await receiver.close();
  });

  async function open(): Promise<void> {
    forwarding = await openForwarding(url, () => now);
    await forwarding.dispatcher.start();
  }
  const bodies = () => rows(url, 'select body, state from events join deliveries on event_id = events.id');
  const clear = () => clearOldEvents({ store: forwarding.store, clock: () => now, kept: KEPT }, () => true);
  /** What is new is found behind it. */
  async function isNewAfter(pass: number): Promise<void> {
    now += pass;
    await clear();
    expect(await forwarding.receive(ANA, 'once')).toEqual([]);
    await forwarding.receive(ANA, 'new');
    await receiver.untilReceived(2);
    expect(receiver.received.map(({ body }) => body.includes('"once"'))).toEqual([true, false]);
  }

  test('eight days later is nothing new', () => isNewAfter(8 * DAY));

  test('is nothing new to a gateway that was started since', async () => {
    await forwarding.stop();
    now += HOUR;
    await open();
    await isNewAfter(0);
  });

  test('is nothing new although its body is kept no longer', async () => {
    now += 7 * DAY;
    await clear();
    expect(await bodies()).toEqual([{ body: '', state: 'delivered' }]);
    await isNewAfter(0);
  });
});
