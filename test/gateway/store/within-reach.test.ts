import { DATABASES } from '../../support/databases';
import { addDestination, addLine, event, notificationOf, openStores, owed } from './support';

const open = openStores();

describe.each(DATABASES)('the store within a reach on $name', ({ createUrl }) => {
  test('lists, counts and finds only what belongs to the lines', async () => {
    const store = await open(await createUrl());
    const [own, others] = [await addLine(store), await addLine(store, '206540352242922')];
    const [near, far] = [await addDestination(store, own), await addDestination(store, others)];
    await store.write(
      notificationOf([
        owed('a', [near]),
        event('b', { line_id: own }),
        { ...owed('c', [far]), line_id: others },
        event('d', { line_id: others }),
      ]),
    );
    const seen = store.within({ lines: [own], content: [own], customers: [] });
    const { rows } = await seen.eventList.page({}, null, 50);
    expect(rows.map(({ event_id: id }) => id)).toEqual(
      (await store.eventList.page({ lineId: own }, null, 50)).rows.map(({ event_id: id }) => id),
    );
    expect(await seen.lines.all()).toHaveLength(1);
    expect(await seen.destinations.find(far)).toBeNull();
    expect(await seen.destinations.find(near)).not.toBeNull();
    expect(await seen.deliveryList.event('evt_c')).toBeNull();
    expect((await seen.backlog.inAll()).pending).toBe(1);
    const nobody = store.within({ lines: [], content: [], customers: [] });
    expect(await nobody.eventList.page({}, null, 50)).toEqual({ rows: [], next: null });
    expect((await nobody.backlog.inAll()).pending).toBe(0);
  });
});
