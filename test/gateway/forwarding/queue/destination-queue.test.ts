import { HOUR, isoTime } from '../../../../gateway/time';
import { DATABASES } from '../../../support/databases';
import { startPeer, until, type HttpPeer } from '../../../support/http-peer';
import { ANA, openForwarding, seedFailing, textOf, type Forwarding } from '../support';

describe('what waits for one destination', () => {
  let offset = 0;
  let answers: () => number;
  let receiver: HttpPeer;
  let forwarding: Forwarding;
  let id: number;

  beforeEach(async () => {
    [offset, answers] = [0, () => 200];
    receiver = await startPeer(() => ({ status: answers() }));
    forwarding = await openForwarding((await DATABASES[0]?.createUrl()) ?? '', () => Date.now() + offset);
    ({ id } = await forwarding.addDestination(receiver.url));
  });
  afterEach(async () => {
    await receiver.close();
    await forwarding.stop();
  });

  test('behind an event that failed goes on beside a backlog of others', async () => {
    await seedFailing(forwarding, id, 'failed', 1);
    await seedFailing(forwarding, id, 'behind it', 0);
    const now = isoTime(Date.now());
    const others = Array.from({ length: 2000 }, (_, index) => {
      const name = String(index).padStart(4, '0');
      const whose = { line_id: 1, contact: name, wamid: name, phone_number_id: null, waba_id: null };
      const deliveries = [{ destination_id: id, lane: name, due_at: now }];
      const what = { subject: 'message', kind: 'text', identity: name, body: '"other"' } as const;
      return { id: `evt_${name}`, ...whose, ...what, received_at: now, deliveries };
    });
    await forwarding.store.write({ kind: 'notification', messages: [], windows: [], events: others });
    await forwarding.dispatcher.start();
    await receiver.untilReceived(2002, 20_000);
    expect(receiver.received.findIndex(({ body }) => body === '"behind it"')).toBeLessThan(1500);
  }, 30_000);

  test('goes on where the clock is set back', async () => {
    /** As every five seconds. */
    const scan = () => forwarding.store.wake({ ownerless: [] });
    answers = () => 503;
    await forwarding.dispatcher.start();
    for (const contact of [ANA, '1', '2', '3', '4']) await forwarding.receive(contact, `of ${contact}`);
    await until(async () => (await forwarding.store.destinations.find(id))?.failing_since !== null);
    await scan();
    await forwarding.receive(ANA, 'behind the first');
    answers = () => 200;
    offset = -HOUR;
    await scan();
    await until(() => receiver.received.map(textOf).includes('behind the first'));
  });
});
