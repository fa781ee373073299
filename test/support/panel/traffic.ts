import { insertDestination, markPaused } from '../../../gateway/forwarding/destinations/destination-rows';
import { eventIdBefore } from '../../../gateway/store/event-id';
import { type AttemptRecord, type NewEvent } from '../../../gateway/store/commit/writes';
import { isoTime, MINUTE, SECOND } from '../../../gateway/time';
import { startPeer, type HttpPeer } from '../http-peer';
import { CONTACT, startScene, type Scene, type TestLine } from '../scene';
import { notification, textFrom } from '../test-gateway';
import { addPanelUser } from './visitor';

/** A text that pages must escape. */
export const HOSTILE = '<script>document.title="stolen"</script><img src=x onerror=alert(1)>"\'&amp;';

/** A gateway with deliveries in every state: delivered, failed and pending. */
export interface Traffic extends Scene {
  shop: TestLine;
  receiver: HttpPeer;
  /** Destinations of the line: `open` accepts everything by now, `paused` is paused. */
  open: number;
  paused: number;
  /**
   * Records events as if they had arrived `ago` minutes ago.
   * @returns their IDs
   */
  events(ago: number, more: Partial<NewEvent>[]): Promise<string[]>;
  /**
   * Adds a failed delivery.
   * @returns the ID of its event
   */
  dead(ago: number, more?: Partial<AttemptRecord>, event?: Partial<NewEvent>): Promise<string>;
}

export async function startTraffic(databaseUrl: string, env: Record<string, string> = {}): Promise<Traffic> {
  const scene = await startScene(databaseUrl, { GATEWAY_ALLOW_DESTINATIONS: '127.0.0.1', ...env });
  const receiver = await startPeer(() => ({ status: 200, body: 'thanks' }));
  await addPanelUser(scene, 'ana');
  await addPanelUser(scene, 'ben', 'viewer');
  const shop = await scene.line({ name: `My shop ${HOSTILE.slice(0, 8)}` });
  // Allows any destination, which the rules of commands would refuse.
  const rules = { refuseUrl: () => null } as never;
  const [open, paused] = await scene.change(async (world) => {
    const one = await insertDestination({ ...world, rules }, shop.id, {
      url: `${receiver.url}/crm`,
      origin: 'forwarding',
      secret: null,
    });
    const other = await insertDestination({ ...world, rules }, shop.id, {
      url: `${receiver.url}/n8n?path=${'a'.repeat(60)}`,
      origin: 'operator',
      secret: null,
      headers: { 'x-password': 'secret-of-the-crm' },
    });
    await markPaused(world, other.id, `Nothing but failures ${HOSTILE}`);
    return [one.id, other.id];
  });
  let count = 0;

  const event = (ago: number, more: Partial<NewEvent>): NewEvent => {
    const at = scene.clock.now - ago * MINUTE + ++count;
    const wamid = `wamid.seed.${count}`;
    return {
      id: `${eventIdBefore(at)}${String(count).padStart(16, '0')}`,
      line_id: shop.id,
      subject: 'message',
      kind: 'text',
      identity: `seed:${count}`,
      contact: CONTACT,
      wamid,
      phone_number_id: shop.phoneNumberId,
      waba_id: null,
      body: JSON.stringify(notification(textFrom(CONTACT, `Hello ${HOSTILE}`, wamid), shop.phoneNumberId)),
      received_at: isoTime(at),
      automation: null,
      deliveries: [],
      ...more,
    };
  };
  const owed = (destination_id: number, at: number) => ({
    destination_id,
    lane: CONTACT,
    due_at: isoTime(at),
  });

  const traffic: Traffic = {
    ...scene,
    shop,
    receiver,
    open,
    paused,
    async events(ago, more) {
      const made = more.map((one) => event(ago, one));
      await scene.change(({ store }) =>
        store.write({ kind: 'notification', events: made, messages: [], windows: [] }),
      );
      return made.map(({ id }) => id);
    },
    async dead(ago, more = {}, of = {}) {
      const one = event(ago, of);
      one.deliveries = [owed(more.destination_id ?? open, scene.clock.now)];
      // Uses one commit, so that the gateway never sees the delivery as pending.
      await scene.change(({ store }) =>
        Promise.all([
          store.write({ kind: 'notification', events: [one], messages: [], windows: [] }),
          ...[1, 2].map((number) =>
            store.write({
              kind: 'attempt',
              attempt: {
                destination_id: open,
                event_id: one.id,
                number,
                started_at: isoTime(scene.clock.now - ago * MINUTE + number * SECOND),
                duration_ms: 1234,
                http_status: 500,
                outcome: 'http_error',
                answer: `Out of order ${HOSTILE}`,
                state: number === 2 ? 'dead' : 'pending',
                due_at: isoTime(scene.clock.now),
                ...more,
              },
            }),
          ),
        ]),
      );
      return one.id;
    },
    async stop() {
      await scene.stop();
      await receiver.close();
    },
  };
  return traffic;
}
