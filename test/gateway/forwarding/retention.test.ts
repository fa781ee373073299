import { DatabaseSync } from 'node:sqlite';
import { clearOldEvents, clearRemovedDestinations } from '../../../gateway/forwarding/retention';
import { eventIdBefore } from '../../../gateway/store/event-id';
import { openStore } from '../../../gateway/store/store';
import { DAY } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { write } from '../../support/rows';
import { addDestination, addLine, at, notificationOf, openStores, owed } from '../store/support';
import { sleep } from './support';

const KEPT = { bodies: 30 * DAY, events: 90 * DAY };

test('an event that is replayed while old ones are removed stays', async () => {
  const url = (await DATABASES[0]?.createUrl()) ?? '';
  const store = await openStore(url);
  const to = await addDestination(store, await addLine(store));
  await store.write(notificationOf([owed('old', [to])]));
  await write(url, "update deliveries set state = 'delivered', attempts = 1");
  // As a command replays it, beside the gateway.
  const command = new DatabaseSync(url.slice('sqlite:'.length));
  command.exec('begin immediate');
  const removing = store.events.remove('', 'f', 10);
  await sleep(300);
  command.exec("update deliveries set state = 'pending', attempts_before = 1; commit");
  await removing;
  command.close();
  expect(await store.deliveries.ofDestination(to)).toMatchObject([{ state: 'pending' }]);
  await store.close();
});

describe.each(DATABASES)('what is kept of destinations ($name)', ({ createUrl }) => {
  const open = openStores();

  test('goes with the last event of one that was removed', async () => {
    const url = await createUrl();
    const store = await open(url);
    const line = await addLine(store);
    const removed = { removed_at: at(0) };
    const kept = await addDestination(store, line);
    const told = await addDestination(store, line, removed);
    // Tried out again and again, as n8n does while somebody builds a workflow.
    for (let count = 0; count < 600; count++) await addDestination(store, line, removed);
    const lately = await addDestination(store, line, { removed_at: at(3 * 24 * 3600) });
    await store.write(
      notificationOf([owed(eventIdBefore(Date.parse(at(0))).slice('evt_'.length), [kept, told])]),
    );
    await write(url, "update deliveries set state = 'delivered'");

    const ids = async () => (await store.destinations.all()).map(({ id }) => id);
    const clear = async (now: number, goesOn = true) => {
      const deps = { store, clock: () => now, kept: KEPT };
      await clearOldEvents(deps, () => goesOn);
      await clearRemovedDestinations(deps, () => goesOn);
    };
    const soon = Date.parse(at(0)) + 3 * DAY;
    await clear(soon, false);
    expect(await ids()).toHaveLength(603);
    await clear(soon);
    expect(await ids()).toEqual([kept, told, lately]);
    await clear(soon + KEPT.events);
    expect(await ids()).toEqual([kept]);
  });
});
