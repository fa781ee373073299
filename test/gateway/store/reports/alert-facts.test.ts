import { DATABASES } from '../../../support/databases';
import { addDestination, addLine, at, attempt, openStores, owed, record, tried } from '../support';

const open = openStores();

test.each(DATABASES)(
  'what was given up, and what is about to be, of each destination ($name)',
  async ({ createUrl }) => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const ids: number[] = [];
    for (let count = 0; count < 4; count++) ids.push(await addDestination(store, line));
    const [ending = 0, dead = 0, paused = 0, removed = 0] = ids;
    await record(store, [owed('a', ids), owed('b', ids)]);
    for (const destination of [ending, paused]) await tried(store, destination, 'a', { to: 14 });
    expect(await store.alertFacts.lastAttempts(15)).toEqual([]);
    for (const destination of [ending, paused]) await store.write(attempt(destination, 'a', 15));
    for (const destination of [dead, removed]) {
      await store.write(attempt(destination, 'a', 1, { state: 'dead' }));
      await store.write(attempt(destination, 'b', 1, { state: 'dead', started_at: at(5) }));
    }
    await store.destinations.update(paused, { paused_at: at(9) });
    await store.destinations.remove(removed, at(9));
    expect(await store.alertFacts.lastAttempts(15)).toEqual([{ id: ending, count: 1 }]);
    expect(await store.alertFacts.givenUp()).toEqual([
      { destination_id: dead, count: 2, first: at(1), latest: at(5) },
    ]);
  },
);
