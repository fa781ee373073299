import { openStore } from '../../../gateway/store/store';
import { SECOND } from '../../../gateway/time';
import { startProcess, type GatewayProcess } from '../../support/gateway-process';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { createDatabase } from '../../support/postgres';
import { addTestLine, notification, notify, settings, textFrom } from '../../support/test-gateway';
import { offline } from '../../../gateway/cli/offline';
import { insertDestination } from '../../../gateway/forwarding/destinations/destination-rows';
import { sleep, textOf } from './support';

const CONTACTS = 25;
const EVENTS = 50;
const MOST_IN_FLIGHT = 32;
/** Of what was answered to a process that is killed. */
const MOST_UNRECORDED = 64;

describe('three gateways on one PostgreSQL', () => {
  let processes: GatewayProcess[] = [];
  let receiver: HttpPeer;
  let most = 0;

  beforeEach(async () => {
    let open = 0;
    most = 0;
    receiver = await startPeer(async () => {
      most = Math.max(most, ++open);
      await sleep(Math.random() * 10);
      open--;
    });
  });
  afterEach(async () => {
    await Promise.all(processes.map((one) => one.end('SIGKILL')));
    await receiver.close();
    processes = [];
  });

  /** Posts as upstream does: what is not answered with 200 is sent again, to any that runs. */
  async function post(body: object, running: () => GatewayProcess[]): Promise<void> {
    for (;;) {
      const candidates = running();
      const to = candidates[Math.floor(Math.random() * candidates.length)] as GatewayProcess;
      const status = await Promise.race([notify(to, body).catch(() => 0), sleep(3000).then(() => 0)]);
      if (status === 200) return;
      await sleep(50);
    }
  }

  /** @param fault what happens to the owner of the destination after a third of the events @returns those that were repeated */
  async function deliverWith(fault: (owner: GatewayProcess) => Promise<unknown>): Promise<string[]> {
    const url = await createDatabase();
    const env = settings(url);
    const { id: lineId } = await addTestLine(env);
    await offline(env, (world) =>
      insertDestination(world, lineId, { url: receiver.url, origin: 'operator' }),
    );
    for (let count = 0; count < 3; count++) processes.push(await startProcess(env));
    const [owner, ...others] = processes as [GatewayProcess, ...GatewayProcess[]];
    expect(await notify(owner, notification(textFrom('16505550000', 'first', 'wamid.first')))).toBe(200);
    await receiver.untilReceived(1);

    let running = processes;
    let acknowledged = 0;
    const failing = async () => {
      while (acknowledged < (CONTACTS * EVENTS) / 3) await sleep(10);
      const failed = fault(owner);
      running = others;
      await failed;
    };
    const write = async (contact: number) => {
      for (let number = 100; number < 100 + EVENTS; number++) {
        const text = `${contact} ${number}`;
        const body = textFrom(`1650555${1000 + contact}`, text, `wamid.${contact}.${number}`);
        await post(notification(body), () => running);
        acknowledged++;
      }
    };
    await Promise.all([failing(), ...Array.from({ length: CONTACTS }, (_, contact) => write(contact))]);

    const all = 1 + CONTACTS * EVENTS;
    const texts = () => receiver.received.map(textOf);
    await until(() => new Set(texts()).size >= all);
    // What might still come twice.
    await sleep(SECOND);
    const first = [...new Set(texts())];
    expect(first).toHaveLength(all);
    for (const [, ofOne] of Map.groupBy(first, (text) => text.split(' ')[0])) {
      expect(ofOne).toEqual([...ofOne].sort());
    }
    const store = await openStore(url);
    const { pending, dead } = await store.deliveries.overview();
    await store.close();
    expect([pending, dead]).toEqual([0, 0]);
    expect(most).toBeLessThanOrEqual(MOST_IN_FLIGHT);
    const seen = new Set<string>();
    return texts().filter((text) => seen.size === seen.add(text).size);
  }

  test('keep the order of each contact and repeat nothing when the one that sends is stopped', async () => {
    expect(await deliverWith((owner) => owner.end('SIGTERM'))).toEqual([]);
  });

  test('lose nothing and keep the order when the one that sends is killed', async () => {
    const repeated = await deliverWith((owner) => owner.end('SIGKILL'));
    expect(repeated.length).toBeLessThanOrEqual(MOST_IN_FLIGHT + MOST_UNRECORDED);
  });

  test('lose nothing and keep the order when the one that sends hangs, and comes back', async () => {
    const repeated = await deliverWith(async ({ pid }) => {
      process.kill(pid, 'SIGSTOP');
      await sleep(17 * SECOND);
      process.kill(pid, 'SIGCONT');
    });
    expect(repeated.length).toBeLessThanOrEqual(MOST_IN_FLIGHT + MOST_UNRECORDED);
  });
});
