import { DATABASES } from '../../support/databases';
import {
  addDestination,
  addLine,
  at,
  attempt,
  claimOf,
  event,
  notificationOf,
  openStores,
  owed,
} from './support';

describe.each(DATABASES)('the attempts of a delivery ($name)', ({ createUrl }) => {
  const open = openStores();

  test('move it on, and are all kept', async () => {
    const store = await open(await createUrl());
    await store.write(notificationOf([owed('a', [1, 2])]));
    await store.write(attempt(1, 'a', 1, { claimed_by: 'me' }));
    expect(await store.deliveries.ofDestination(1)).toMatchObject([
      { state: 'pending', attempts: 1, due_at: at(6), claimed_by: 'me', finished_at: null },
    ]);
    await store.write(
      attempt(1, 'a', 2, { state: 'delivered', outcome: 'delivered', http_status: 204, answer: '' }),
    );
    expect(await store.deliveries.ofDestination(1)).toMatchObject([
      { state: 'delivered', attempts: 2, claimed_by: null, finished_at: at(2) },
    ]);
    expect(await store.deliveries.attemptsOf(1, 'evt_a')).toMatchObject([
      { number: 1, http_status: 500, outcome: 'http_error', answer: 'no', duration_ms: 12 },
      { number: 2, http_status: 204, outcome: 'delivered', answer: '' },
    ]);
    expect(await store.deliveries.ofDestination(2)).toMatchObject([{ state: 'pending', attempts: 0 }]);
    expect(await store.deliveries.attemptsOf(2, 'evt_a')).toEqual([]);
  });

  test.each(['delivered', 'dead', 'canceled'] as const)('do not resurrect one that is %s', async (state) => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const destination = await addDestination(store, line);
    await store.write(notificationOf([owed('a', [destination])]));
    if (state === 'canceled') {
      await store.destinations.remove(destination, at(1));
      await store.deliveries.cancelOfRemoved(destination, at(1));
    }
    if (state !== 'canceled') await store.write(attempt(destination, 'a', 1, { state }));
    await store.write(attempt(destination, 'a', 2, { state: 'pending', claimed_by: 'me' }));
    await store.write(attempt(destination, 'a', 3, { state: 'delivered' }));
    expect(await store.deliveries.ofDestination(destination)).toMatchObject([
      { state, claimed_by: null, finished_at: at(1) },
    ]);
    expect(await store.claim(claimOf('me', { destination_id: destination, due_before: at(3600) }))).toEqual(
      [],
    );
  });

  test('of one number that are recorded twice count once', async () => {
    const store = await open(await createUrl());
    await store.write(notificationOf([owed('a', [1])]));
    await Promise.all([store.write(attempt(1, 'a', 1)), store.write(attempt(1, 'a', 1))]);
    await store.write(attempt(1, 'a', 1));
    expect(await store.deliveries.attemptsOf(1, 'evt_a')).toHaveLength(1);
    expect(await store.deliveries.ofDestination(1)).toMatchObject([{ attempts: 1 }]);
  });
});

describe.each(DATABASES)('a claim ($name)', ({ createUrl }) => {
  const open = openStores();
  const ids = (claimed: { event_id: string }[]) => claimed.map(({ event_id: id }) => id).sort();

  test('takes what is due, with its body, and nothing else', async () => {
    const store = await open(await createUrl());
    await store.write(
      notificationOf([
        owed('due', [1], { due_at: at(0), lane: '1650' }),
        owed('later', [1], { due_at: at(1) }),
        event('owed to nobody'),
      ]),
    );
    expect(await store.claim(claimOf('me'))).toEqual([
      {
        destination_id: 1,
        event_id: 'evt_due',
        lane: '1650',
        attempts: 0,
        attempts_before: 0,
        due_at: at(0),
        body: '{"name":"due"}',
      },
    ]);
    expect(await store.deliveries.ofDestination(1)).toMatchObject([
      { event_id: 'evt_due', claimed_by: 'me' },
      { event_id: 'evt_later', claimed_by: null },
    ]);
  });

  test('takes what has been due for longest where there is more than its limit', async () => {
    const store = await open(await createUrl());
    await store.write(
      notificationOf([
        owed('c', [1], { due_at: at(-1) }),
        owed('a', [1], { due_at: at(0) }),
        owed('b', [1], { due_at: at(-9) }),
      ]),
    );
    expect(ids(await store.claim(claimOf('me', { limit: 2 })))).toEqual(['evt_b', 'evt_c']);
    expect(ids(await store.claim(claimOf('me', { limit: 2 })))).toEqual(['evt_a']);
    expect(await store.claim(claimOf('me', { limit: 2 }))).toEqual([]);
  });

  test('ends with the first that fills what it may take, so that large ones never come all at once', async () => {
    const store = await open(await createUrl());
    const large = 'é'.repeat(50_000);
    await store.write(
      notificationOf(['a', 'b', 'c'].map((name) => ({ ...owed(name, [1]), body: `"${name}${large}"` }))),
    );
    expect(ids(await store.claim(claimOf('me', { most_size: 40_000 })))).toEqual(['evt_a']);
    expect(ids(await store.claim(claimOf('me', { most_size: 1_000_000 })))).toEqual(['evt_b', 'evt_c']);
  });

  test('takes no more of a lane than it may, and nothing of one that is left out', async () => {
    const store = await open(await createUrl());
    const ana = ['a', 'b', 'c', 'd'].map((name) => owed(name, [1], { lane: 'ana' }));
    await store.write(notificationOf([...ana, owed('e', [1], { lane: 'ben' })]));
    expect(ids(await store.claim(claimOf('me', { most_of_lane: 2 })))).toEqual(['evt_a', 'evt_b', 'evt_e']);
    expect(await store.claim(claimOf('me', { lanes_left_out: ['ana'] }))).toEqual([]);
    expect(ids(await store.claim(claimOf('me')))).toEqual(['evt_c', 'evt_d']);
  });

  test('takes what is replayed apart from the rest, which does not wait behind it', async () => {
    const store = await open(await createUrl());
    await store.write(notificationOf([owed('a', [1])]));
    await store.write(attempt(1, 'a', 1, { state: 'delivered', outcome: 'delivered' }));
    await store.deliveries.again([{ destination_id: 1, event_id: 'evt_a' }], at(0));
    await store.write(notificationOf([owed('b', [1], { claimed_by: 'me' })]));
    expect(await store.deliveries.ofDestination(1)).toMatchObject([
      { event_id: 'evt_a', claimed_by: null },
      { event_id: 'evt_b', claimed_by: 'me' },
    ]);
    expect(await store.claim(claimOf('me', { replayed: false }))).toEqual([]);
    expect(ids(await store.claim(claimOf('me', { replayed: true })))).toEqual(['evt_a']);
  });

  test('makes due what waits for a later attempt where it is asked for, in its lane and schedule', async () => {
    const store = await open(await createUrl());
    await store.write(notificationOf(['a', 'b', 'c'].map((name) => owed(name, [1]))));
    await store.write(attempt(1, 'a', 16, { due_at: at(9999) }));
    await store.write(attempt(1, 'b', 1, { due_at: at(9999), claimed_by: 'me' }));
    const all = ['evt_a', 'evt_b', 'evt_c'].map((event_id) => ({ destination_id: 1, event_id }));
    const before = await store.deliveries.ofDestination(1);
    expect(await store.deliveries.again(all, at(60))).toBe(1);
    const [first, ...others] = before;
    expect(await store.deliveries.ofDestination(1)).toEqual([{ ...first, due_at: at(60) }, ...others]);
  });

  test('makes due what waits for a later attempt, but for what is held, or keeps the pace of a replay', async () => {
    const store = await open(await createUrl());
    await store.write(notificationOf(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => owed(name, [1, 2]))));
    const [late, dead] = [{ due_at: at(9999) }, { state: 'dead' as const }];
    await store.write(attempt(1, 'a', 16, late));
    await store.write(attempt(2, 'a', 16, late));
    await store.write(attempt(1, 'b', 1, { ...late, claimed_by: 'me' }));
    for (const name of ['c', 'd']) {
      await store.write(attempt(1, name, 17, dead));
      await store.deliveries.again([{ destination_id: 1, event_id: `evt_${name}` }], at(9999));
    }
    await store.write(attempt(1, 'd', 18, late));
    await store.write(attempt(1, 'e', 17, dead));
    await store.deliveries.hasten(1, at(60));
    const due = async (id: number) => (await store.deliveries.ofDestination(id)).map((row) => row.due_at);
    expect(await due(1)).toEqual([at(60), at(9999), at(9999), at(60), at(22), at(0)]);
    expect((await due(2))[0]).toBe(at(9999));
    expect(await store.deliveries.ofDestination(1)).toMatchObject([
      { event_id: 'evt_a', attempts: 16, attempts_before: 0, lane: '16505551234' },
      { event_id: 'evt_b', claimed_by: 'me' },
      {},
      { event_id: 'evt_d', attempts: 18, attempts_before: 17 },
      { event_id: 'evt_e', state: 'dead' },
      {},
    ]);
  });

  test('leaves other destinations alone', async () => {
    const store = await open(await createUrl());
    await store.write(notificationOf([owed('a', [1, 2, 3])]));
    const claimed = await store.claim(claimOf('me', { destination_id: 2 }));
    expect(claimed.map(({ destination_id: id }) => id)).toEqual([2]);
    expect(await store.claim(claimOf('me', { destination_id: 2 }))).toEqual([]);
  });

  test('one of the processes does what one of them has to do', async () => {
    const store = await open(await createUrl());
    for (const id of ['b', 'a', 'c']) await store.processes.keepAlive(id, 60);
    const first = async () =>
      Promise.all(['a', 'b', 'c'].map(async (id) => ((await store.processes.isFirst(id)) ? id : '')));
    expect((await first()).join('')).toBe('a');
    await store.processes.leave('a');
    expect((await first()).join('')).toBe('b');
  });

  test('leaves to a process what it holds, until that has ended', async () => {
    const store = await open(await createUrl());
    expect(await store.processes.keepAlive('living', 60)).toBe(false);
    expect(await store.processes.keepAlive('dying', 60)).toBe(false);
    await store.write(
      notificationOf([
        owed('1', [1], { claimed_by: 'living' }),
        owed('2', [1], { claimed_by: 'dying' }),
        owed('3', [1], { claimed_by: 'never heard of' }),
      ]),
    );
    await store.write(attempt(1, '2', 1, { claimed_by: 'dying', due_at: at(0) }));
    expect(await store.claim(claimOf('me'))).toEqual([]);
    await store.processes.clearEnded();
    expect(await store.claim(claimOf('me'))).toEqual([]);
    await store.processes.clearUnknown();
    expect(ids(await store.claim(claimOf('me')))).toEqual(['evt_3']);
    // Its time is over at once.
    expect(await store.processes.keepAlive('dying', -1)).toBe(true);
    await store.processes.clearEnded();
    expect(ids(await store.claim(claimOf('me')))).toEqual(['evt_2']);
    expect(await store.processes.keepAlive('dying', 60)).toBe(false);
    await store.processes.leave('living');
    expect(ids(await store.claim(claimOf('me')))).toEqual(['evt_1']);
  });

  test('is worth asking for where something waits that is due and that nobody holds', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const [waiting, holding, later, done, removed] = [
      await addDestination(store, line),
      await addDestination(store, line),
      await addDestination(store, line),
      await addDestination(store, line),
      await addDestination(store, line),
    ];
    await store.destinations.remove(removed, at(-100));
    await store.write(
      notificationOf([
        owed('1', [waiting, done, removed]),
        owed('2', [waiting, holding], { claimed_by: 'me' }),
        owed('3', [waiting, later], { due_at: at(1) }),
      ]),
    );
    await store.write(attempt(done, '1', 1, { state: 'delivered' }));
    expect(await store.deliveries.destinationsWaiting(at(0), at(-60))).toEqual([waiting]);
    expect(await store.deliveries.destinationsWaiting(at(1), at(-100))).toEqual([waiting, later]);
    expect(await store.deliveries.destinationsWaiting(at(0), at(-101))).toEqual([waiting, removed]);
  });

  test('never gives the same to two who ask at once', async () => {
    const url = await createUrl();
    const [one, other] = [await open(url), await open(url)];
    await one.write(
      notificationOf(Array.from({ length: 300 }, (_, number) => owed(`${number}`, [1 + (number % 3)]))),
    );
    const claimed = [];
    for (let round = 0; round < 6; round++) {
      const of = { destination_id: 1 + (round % 3) };
      const both = await Promise.all([
        one.claim(claimOf('one', { ...of, limit: 40 })),
        other.claim(claimOf('other', { ...of, limit: 40 })),
        one.claim(claimOf('one', { ...of, limit: 20 })),
      ]);
      claimed.push(...both.flat());
    }
    const keys = claimed.map((delivery) => `${delivery.destination_id} ${delivery.event_id}`);
    expect(keys).toHaveLength(300);
    expect(new Set(keys).size).toBe(300);
  });

  test('that is given back can be claimed again, and only that', async () => {
    const store = await open(await createUrl());
    const names = Array.from({ length: 1100 }, (_, number) => `${number}`.padStart(4, '0'));
    await store.write(notificationOf(names.map((name) => owed(name, [1, 2], { claimed_by: 'me' }))));
    await store.write(notificationOf([owed('of other', [1], { claimed_by: 'other' })]));
    await store.write(attempt(1, '0000', 1, { state: 'delivered' }));
    const kept = { destination_id: 1, event_id: 'evt_0001' };
    const held = await store.deliveries.claimedBy('me', at(1));
    expect(held).toHaveLength(2199);
    await store.deliveries.release(
      [...held, { destination_id: 1, event_id: 'evt_of other' }].filter(
        (one) => one.destination_id !== kept.destination_id || one.event_id !== kept.event_id,
      ),
      'me',
    );
    expect(await store.deliveries.claimedBy('me', at(1))).toEqual([kept]);
    expect(await store.deliveries.claimedBy('me', at(0))).toEqual([]);
    const claimed = [
      ...(await store.claim(claimOf('third', { limit: 5000 }))),
      ...(await store.claim(claimOf('third', { destination_id: 2, limit: 5000 }))),
    ];
    expect(claimed).toHaveLength(2198);
    expect(ids(claimed)).not.toContain('evt_of other');
  });
});

describe.each(DATABASES)('a destination that is removed ($name)', ({ createUrl }) => {
  const open = openStores();

  test('cancels what was still to be delivered there, and nothing else', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const [removed, other] = [await addDestination(store, line), await addDestination(store, line)];
    await store.write(notificationOf([owed('a', [removed, other]), owed('b', [removed])]));
    await store.write(attempt(removed, 'b', 1, { state: 'delivered' }));
    await store.destinations.remove(removed, at(9));
    await store.deliveries.cancelOfRemoved(removed, at(9));
    expect(await store.deliveries.ofDestination(removed)).toMatchObject([
      { event_id: 'evt_a', state: 'canceled', finished_at: at(9) },
      { event_id: 'evt_b', state: 'delivered', finished_at: at(1) },
    ]);
    expect(await store.deliveries.ofDestination(other)).toMatchObject([{ state: 'pending' }]);
    expect((await store.destinations.active(at(9))).map(({ id }) => id)).toEqual([other]);
  });

  test('cancels what was recorded while it was being removed, once that is found', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const [removed, other] = [await addDestination(store, line), await addDestination(store, line)];
    await store.destinations.remove(removed, at(1));
    await store.write(notificationOf([owed('late', [removed, other])]));
    await store.deliveries.cancelOfRemoved(removed, at(2));
    await store.deliveries.cancelOfRemoved(other, at(2));
    expect(await store.deliveries.ofDestination(removed)).toMatchObject([
      { state: 'canceled', finished_at: at(2) },
    ]);
    expect(await store.deliveries.ofDestination(other)).toMatchObject([{ state: 'pending' }]);
  });

  test('is told from one that has expired', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const lasting = await addDestination(store, line);
    const passing = await addDestination(store, line, { expires_at: at(60) });
    expect((await store.destinations.active(at(59))).map(({ id }) => id)).toEqual([lasting, passing]);
    expect(await store.destinations.expired(at(59))).toEqual([]);
    expect((await store.destinations.active(at(60))).map(({ id }) => id)).toEqual([lasting]);
    expect(await store.destinations.expired(at(60))).toEqual([{ id: passing }]);
    await store.destinations.remove(passing, at(61));
    expect(await store.destinations.expired(at(62))).toEqual([]);
  });
});
