import { type ProcessRole } from '../../../gateway/process-roles';
import { SECOND } from '../../../gateway/time';
import { startPeer, until } from '../../support/http-peer';
import { createDatabase } from '../../support/postgres';
import { openForwarding, textOf } from './support';

const INBOUND: ReadonlySet<ProcessRole> = new Set(['inbound']);
const DELIVER: ReadonlySet<ProcessRole> = new Set(['deliver']);

describe('processes with roles on PostgreSQL', () => {
  test('deliver what a process without the role recorded, woken by it, in the order of each contact', async () => {
    const receiver = await startPeer();
    const url = await createDatabase();
    const inbound = await openForwarding(url, Date.now, { roles: INBOUND });
    const deliver = await openForwarding(url, Date.now, { roles: DELIVER });
    await inbound.addDestination(receiver.url);
    await deliver.registry.refresh();
    await Promise.all([inbound.dispatcher.start(), deliver.dispatcher.start()]);
    // Nothing is found by looking for what is due.
    deliver.store.queued.first = async () => [];
    const contacts = Array.from({ length: 10 }, (_, number) => `1650555${1000 + number}`);
    await Promise.all(
      contacts.map(async (contact) => {
        for (let number = 0; number < 8; number++) await inbound.receive(contact, `${contact} ${number}`);
      }),
    );
    await receiver.untilReceived(80);
    const texts = receiver.received.map(textOf);
    for (const contact of contacts) {
      const own = texts.filter((text) => text.startsWith(contact));
      expect(own).toEqual([...own].sort());
    }
    expect(new Set(texts).size).toBe(80);
    const owners = await deliver.store.owners.all();
    expect(owners.map((one) => one.process_id)).toEqual([deliver.dispatcher.processId]);
    await receiver.close();
    await Promise.all([inbound.stop(), deliver.stop()]);
    expect([...inbound.failures, ...deliver.failures]).toEqual([]);
  });

  test('keep what none of them delivers, and send it from the next one that does', async () => {
    const receiver = await startPeer();
    const url = await createDatabase();
    const inbound = await openForwarding(url, Date.now, { roles: INBOUND, processName: 'one' });
    await inbound.addDestination(receiver.url);
    await inbound.dispatcher.start();
    const first = await openForwarding(url, Date.now, { roles: DELIVER, processName: 'first' });
    await first.dispatcher.start();
    await inbound.receive('16505551000', 'before');
    await receiver.untilReceived(1);
    await first.stop();
    await inbound.receive('16505551000', 'meanwhile');
    await inbound.receive('16505551000', 'later');
    expect(await inbound.store.owners.all()).toEqual([]);
    const second = await openForwarding(url, Date.now, { roles: DELIVER, processName: 'second' });
    await second.dispatcher.start();
    await receiver.untilReceived(3);
    expect(receiver.received.map(textOf)).toEqual(['before', 'meanwhile', 'later']);
    await receiver.close();
    await Promise.all([inbound.stop(), second.stop()]);
  });

  test('end the leases of one that is gone, although they do not deliver themselves', async () => {
    const url = await createDatabase();
    const inbound = await openForwarding(url, Date.now, { roles: INBOUND, processName: 'inbound' });
    await inbound.dispatcher.start();
    await inbound.store.processes.keepAlive('gone', 'gone', -1, DELIVER);
    await inbound.store.owners.acquire('gone', [1, 2, 3]);
    await until(async () => !(await inbound.store.owners.all()).length, 40 * SECOND);
    expect((await inbound.store.processes.all()).map(({ name, roles }) => [name, roles])).toEqual([
      ['inbound', 'inbound'],
    ]);
    await inbound.stop();
  });
});
