import { DATABASES } from '../../../support/databases';
import { addDestination, addLine, at, attempt, notificationOf, openStores, owed } from '../support';

const open = openStores();

describe.each(DATABASES)('how a destination fares, on $name', ({ createUrl }) => {
  async function world() {
    const store = await open(await createUrl());
    const line = await addLine(store);
    return { store, id: await addDestination(store, line), other: await addDestination(store, line) };
  }

  test('what waits behind a failed one of its contact goes out no earlier than that', async () => {
    const { store, id } = await world();
    await store.write(notificationOf(['a', 'b', 'c'].map((name) => owed(name, [id]))));
    await store.write(attempt(id, 'a', 1, { due_at: at(30) }));
    expect(await store.destinationReport(id)).toMatchObject({
      waiting: 3,
      untried: 2,
      dueAt: at(30),
      lastAttempt: { event_id: 'evt_a', number: 1, http_status: 500, outcome: 'http_error' },
    });
    await store.write(notificationOf([owed('d', [id], { lane: '16505550000', due_at: at(3) })]));
    expect((await store.destinationReport(id)).dueAt).toBe(at(3));
    // After its third attempt it holds nobody back any more.
    await store.write(attempt(id, 'a', 2, { due_at: at(40) }));
    await store.write(attempt(id, 'a', 3, { due_at: at(50) }));
    expect((await store.destinationReport(id)).dueAt).toBe(at(0));
  });
});
