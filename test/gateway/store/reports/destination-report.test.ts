import { isoTime } from '../../../../gateway/time';
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
      untried: 2,
      dueAt: at(30),
      lastAttempt: { event_id: 'evt_a', number: 1, http_status: 500, outcome: 'http_error' },
    });
    expect((await store.backlog.of([id])).get(id)).toEqual({ count: 3, firstDueAt: at(30) });
    await store.write(notificationOf([owed('d', [id], { lane: '16505550000', due_at: at(3) })]));
    expect((await store.destinationReport(id)).dueAt).toBe(at(3));
    // After its third attempt it holds nobody back any more.
    await store.write(attempt(id, 'a', 2, { due_at: at(40) }));
    await store.write(attempt(id, 'a', 3, { due_at: at(50) }));
    expect((await store.destinationReport(id)).dueAt).toBe(at(0));
  });

  test('its last attempts are told with the beginning of their answers, the latest first, and what was accepted last', async () => {
    const { store, id, other } = await world();
    const all = ['a', 'b', 'c'];
    await store.write(notificationOf(all.map((name) => owed(name, [id, other], { lane: name }))));
    const answered = (event: string, number: number, second: number, answer: string | null) =>
      store.write(attempt(id, event, number, { started_at: at(second), answer }));
    await answered('a', 1, 1, 'first');
    await answered('b', 1, 2, 'x'.repeat(5000));
    await answered('a', 2, 4, null);
    expect(await store.latestAttempts(id, 10)).toMatchObject({ accepted: null });
    await store.write(
      attempt(id, 'c', 1, { started_at: at(3), outcome: 'delivered', state: 'delivered', answer: 'ok' }),
    );
    await store.write(attempt(other, 'c', 1, { started_at: at(5) }));
    const { latest, accepted } = await store.latestAttempts(id, 3);
    expect(latest.map((one) => [one.event_id, one.number, one.answer])).toEqual([
      ['evt_a', 2, null],
      ['evt_c', 1, 'ok'],
      ['evt_b', 1, 'x'.repeat(400)],
    ]);
    expect(accepted).toEqual({ event_id: 'evt_c', started_at: at(3) });
    expect((await store.lastAttempts([id, other])).get(id)).toEqual(latest[0]);
  });

  test('attempts at an address that it no longer has are left out', async () => {
    const { store, id, other } = await world();
    await store.write(notificationOf(['a', 'b'].map((name) => owed(name, [id, other], { lane: name }))));
    await store.write(attempt(id, 'a', 1, { outcome: 'delivered', state: 'delivered' }));
    await store.write(attempt(id, 'b', 1, { started_at: at(2) }));
    await store.write(attempt(other, 'b', 1, { started_at: at(2) }));
    await store.destinations.update(id, { url: 'https://example.com/another', url_changed_at: at(3) });
    expect(await store.destinationReport(id)).toMatchObject({ lastAttempt: null });
    expect(await store.latestAttempts(id, 3)).toEqual({ latest: [], accepted: null });
    await store.write(attempt(id, 'b', 2, { started_at: at(4) }));
    const last = await store.lastAttempts([id, other]);
    expect([id, other].map((one) => last.get(one)?.number)).toEqual([2, 1]);
    expect((await store.latestAttempts(id, 3)).latest).toHaveLength(1);
  });

  test('what was given up there is counted, up to a bound, and that of others is not', async () => {
    const { store, id, other } = await world();
    const all = ['a', 'b', 'c', 'd'];
    await store.write(notificationOf(all.map((name) => owed(name, [id, other], { lane: name }))));
    for (const name of ['a', 'b', 'c']) await store.write(attempt(id, name, 1, { state: 'dead' }));
    expect(await store.backlog.deadOf([id, other])).toEqual(
      new Map([
        [id, 3],
        [other, 0],
      ]),
    );
    expect(await store.backlog.deadOf([id], 1)).toEqual(new Map([[id, 2]]));
    expect(await store.backlog.deadOf([])).toEqual(new Map());
  });

  test('its attempts are counted by when their events came, and those of others are not', async () => {
    const { store, id, other } = await world();
    const all = ['a', 'b', 'c', 'd'];
    await store.write(notificationOf(all.map((name) => owed(name, [id, other], { lane: name }))));
    for (const name of all) await store.write(attempt(id, name, 1, { outcome: 'timeout' }));
    await store.write(attempt(id, 'b', 2, { outcome: 'delivered', state: 'delivered' }));
    await store.write(attempt(other, 'c', 1, { outcome: 'delivered', state: 'delivered' }));
    expect(await store.history.attempts([id, other], 'evt_b', 'evt_d')).toEqual(
      new Map([
        [id, { made: 3, failed: 2 }],
        [other, { made: 1, failed: 0 }],
      ]),
    );
    expect(await store.history.attempts([id], 'evt_b', '~')).toEqual(new Map([[id, { made: 4, failed: 3 }]]));
    expect(await store.history.attempts([id], 'evt_e', '~')).toEqual(new Map());
    expect(await store.history.attempts([], 'evt_a', '~')).toEqual(new Map());
    await store.destinations.remove(other, isoTime(0));
    expect(await store.history.attempts(null, 'evt_a', 'evt_d')).toEqual(
      new Map([[id, { made: 4, failed: 3 }]]),
    );
  });
});
