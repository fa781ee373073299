import { openStore } from '../../../../gateway/store/store';
import { type QueuePage } from '../../../../gateway/store/tables/queued';
import { isoTime } from '../../../../gateway/time';
import { DATABASES } from '../../../support/databases';
import { rows, write } from '../../../support/rows';
import {
  addDestination,
  addLine,
  at,
  attempt,
  event,
  notificationOf,
  openStores,
  owed,
  record,
  tried,
} from '../support';

describe.each(DATABASES)('the attempts of a delivery ($name)', ({ createUrl }) => {
  const open = openStores();

  test('move it on, and are all kept', async () => {
    const store = await open(await createUrl());
    await store.write(notificationOf([owed('a', [1, 2])]));
    expect(await store.write(attempt(1, 'a', 1))).toEqual({ moved: true });
    expect(await store.deliveries.ofDestination(1)).toMatchObject([
      { state: 'pending', attempts: 1, due_at: at(6), finished_at: null },
    ]);
    await store.write(
      attempt(1, 'a', 2, { state: 'delivered', outcome: 'delivered', http_status: 204, answer: '' }),
    );
    expect(await store.deliveries.ofDestination(1)).toMatchObject([
      { state: 'delivered', attempts: 2, finished_at: at(2) },
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
    const moved = { moved: false };
    expect(await store.write(attempt(destination, 'a', 2, { state: 'pending' }))).toEqual(moved);
    expect(await store.write(attempt(destination, 'a', 3, { state: 'delivered' }))).toEqual(moved);
    expect(await store.deliveries.ofDestination(destination)).toMatchObject([{ state, finished_at: at(1) }]);
    expect(await store.queued.first(at(3600), '')).toEqual([]);
  });

  test('make of it what was known when they were made: a failure that is told late changes nothing', async () => {
    const store = await open(await createUrl());
    await record(store, [owed('a', [1])]);
    await store.write(attempt(1, 'a', 1, { state: 'delivered', outcome: 'delivered' }));
    // Of whoever had sent it before, and has lost the right to it.
    expect(await store.write(attempt(1, 'a', 1, { started_at: at(9) }))).toEqual({ moved: false });
    expect(await store.write(attempt(1, 'a', 2))).toEqual({ moved: false });
    expect(await store.deliveries.ofDestination(1)).toMatchObject([{ state: 'delivered', attempts: 1 }]);
    await record(store, [owed('b', [1])]);
    await tried(store, 1, 'b', { to: 3 });
    expect(await store.write(attempt(1, 'b', 2, { state: 'dead' }))).toEqual({ moved: false });
    expect(await store.write(attempt(1, 'b', 5))).toEqual({ moved: false });
    expect(await store.deliveries.ofDestination(1)).toMatchObject([{}, { state: 'pending', attempts: 3 }]);
  });

  test('that deliver it count although a failure was recorded meanwhile, and never fall back', async () => {
    const store = await open(await createUrl());
    await record(store, [owed('a', [1])]);
    await tried(store, 1, 'a', { to: 2 });
    const success = attempt(1, 'a', 1, { state: 'delivered', outcome: 'delivered' });
    expect(await store.write(success)).toEqual({ moved: true });
    expect(await store.deliveries.ofDestination(1)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  });

  test('that were made before it was replayed do not end the replay', async () => {
    const store = await open(await createUrl());
    await record(store, [owed('a', [1])]);
    await store.write(attempt(1, 'a', 1, { state: 'dead' }));
    await store.deliveries.again([{ destination_id: 1, event_id: 'evt_a' }], at(60));
    const success = { state: 'delivered', outcome: 'delivered' } as const;
    expect(await store.write(attempt(1, 'a', 1, success))).toEqual({ moved: false });
    expect(await store.deliveries.ofDestination(1)).toMatchObject([{ state: 'pending', attempts_before: 1 }]);
    expect(await store.write(attempt(1, 'a', 2, success))).toEqual({ moved: true });
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

describe.each(DATABASES)('what waits for a destination ($name)', ({ name, createUrl }) => {
  const open = openStores();
  const ids = ({ rows }: QueuePage) => rows.map(({ event_id: id }) => id);

  test('is read in the order in which it was recorded, with its body, and changed by nothing', async () => {
    const store = await open(await createUrl());
    await record(store, [owed('b', [1], { lane: '1650' }), owed('other', [2]), event('owed to nobody')]);
    // Its clock was behind, and it came later.
    await record(store, [owed('a', [1], { due_at: at(-9) })]);
    const before = await store.deliveries.ofDestination(1);
    const page = await store.queued.untried(1, 0, 9);
    expect(page).toMatchObject({ isLast: true, rows: [{}, {}] });
    expect(page.rows[0]).toMatchObject({
      event_id: 'evt_b',
      lane: '1650',
      attempts: 0,
      attempts_before: 0,
      due_at: at(0),
      body: '{"name":"b"}',
    });
    expect(ids(page)).toEqual(['evt_b', 'evt_a']);
    expect(await store.deliveries.ofDestination(1)).toEqual(before);
    expect(await store.queued.body('evt_b')).toBe('{"name":"b"}');
    expect(await store.queued.body('evt_none')).toBeNull();
  });

  test('is told to who recorded it, in that order', async () => {
    const store = await open(await createUrl());
    await store.owners.acquire('me', [1]);
    const writes = ['b', 'a'].map((one) => notificationOf([owed(one, [1])], { recorder: 'me' }));
    const own = (await Promise.all(writes.map((one) => store.write(one)))).flatMap((one) => one.own);
    expect(own.map(({ event_id: id }) => id)).toEqual(['evt_b', 'evt_a']);
    expect(own[0]?.sequence).toBeLessThan(own[1]?.sequence ?? 0);
    const { rows } = await store.queued.untried(1, 0, 9);
    expect(rows.map(({ sequence }) => sequence)).toEqual(own.map(({ sequence }) => sequence));
  });

  test('is read from any place on, and page by page', async () => {
    const store = await open(await createUrl());
    await record(
      store,
      ['a', 'b', 'c'].map((one) => owed(one, [1])),
    );
    const first = await store.queued.untried(1, 0, 2);
    expect([ids(first), first.isLast]).toEqual([['evt_a', 'evt_b'], false]);
    const next = await store.queued.untried(1, (first.rows[1]?.sequence ?? 0) + 1, 2);
    expect([ids(next), next.isLast]).toEqual([['evt_c'], true]);
  });

  test('is read with its body, but for a large one, of which the size is told', async () => {
    const store = await open(await createUrl());
    const large = `"${'é'.repeat(8 * 1024)}"`;
    const small = `"${'é'.repeat(8 * 1024 - 1)}"`;
    await record(store, [
      { ...owed('a', [1]), body: large },
      { ...owed('b', [1]), body: small },
    ]);
    const { rows } = await store.queued.untried(1, 0, 9);
    expect(rows.map(({ body, size }) => [body, size])).toEqual([
      ['', 16 * 1024 + 2],
      [small, 16 * 1024],
    ]);
    expect(await store.queued.body('evt_a')).toBe(large);
  });

  test('is read of one contact by itself', async () => {
    const store = await open(await createUrl());
    await record(store, [
      ...['a', 'b', 'c'].map((one) => owed(one, [1], { lane: 'ana' })),
      owed('d', [1], { lane: 'ben' }),
    ]);
    await store.write(attempt(1, 'a', 1));
    const page = await store.queued.ofContact(1, 'ana', [], 2);
    expect([ids(page), page.isLast]).toEqual([['evt_b', 'evt_c'], false]);
    expect(ids(await store.queued.ofContact(1, 'cid', [], 2))).toEqual([]);
  });

  test('is told apart by what has become of it: untried, holding its contact back, later, and replayed', async () => {
    const store = await open(await createUrl());
    const destination = await addDestination(store, await addLine(store));
    await record(
      store,
      ['untried', 'once', 'thrice', 'replayed', 'over'].map((one) => owed(one, [destination])),
    );
    await tried(store, destination, 'once', { to: 1 }, { due_at: at(30) });
    await tried(store, destination, 'thrice', { to: 3 }, { due_at: at(40) });
    for (const one of ['replayed', 'over'])
      await store.write(attempt(destination, one, 1, { state: 'delivered', outcome: 'delivered' }));
    await store.deliveries.again([{ destination_id: destination, event_id: 'evt_replayed' }], at(50));
    const due = async (kind: 'holding' | 'later' | 'replayed', by: number) =>
      ids(await store.queued.due(kind, destination, at(by), 9));
    expect(ids(await store.queued.untried(destination, 0, 9))).toEqual(['evt_untried']);
    expect([await due('holding', 29), await due('holding', 30)]).toEqual([[], ['evt_once']]);
    expect([await due('later', 39), await due('later', 40)]).toEqual([[], ['evt_thrice']]);
    expect([await due('replayed', 49), await due('replayed', 50)]).toEqual([[], ['evt_replayed']]);
    const first = { id: destination, untried: 'evt_untried', lane: '16505551234' };
    const nothing = { holding: null, later: null, replayed: null };
    expect(await store.queued.first(at(0), '')).toEqual([{ ...first, ...nothing }]);
    const holding = 'evt_once';
    expect(await store.queued.first(at(35), '')).toEqual([{ ...first, ...nothing, holding }]);
    expect(await store.queued.first(at(50), '')).toEqual([
      { ...first, holding, later: 'evt_thrice', replayed: 'evt_replayed' },
    ]);
  });

  test('is read of one contact without what is known already', async () => {
    const store = await open(await createUrl());
    await record(
      store,
      ['a', 'b', 'c'].map((one) => owed(one, [1], { lane: 'ana' })),
    );
    const page = await store.queued.ofContact(1, 'ana', ['evt_a', 'evt_b'], 2);
    expect([ids(page), page.isLast]).toEqual([['evt_c'], true]);
  });

  test('comes without its body where it was tried before, and with the size of that', async () => {
    const store = await open(await createUrl());
    await record(store, [owed('a', [1])]);
    await store.write(attempt(1, 'a', 1, { due_at: at(5) }));
    await store.write(attempt(1, 'a', 2, { started_at: at(4), due_at: at(5) }));
    const { rows } = await store.queued.due('holding', 1, at(5), 9);
    expect(rows).toMatchObject([
      { body: null, size: '{"name":"a"}'.length, failed_at: Date.parse(at(1)) + 12 },
    ]);
    expect(await store.queued.body('evt_a')).toBe('{"name":"a"}');
  });

  test('is told of each destination, a removed one for a while', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const [waiting, done, removed] = [
      await addDestination(store, line),
      await addDestination(store, line),
      await addDestination(store, line),
    ];
    await store.destinations.remove(removed, at(-100));
    await record(store, [owed('1', [waiting, done, removed])]);
    await store.write(attempt(done, '1', 1, { state: 'delivered' }));
    const found = async (removedAfter: string) =>
      (await store.queued.first(at(0), removedAfter)).map(({ id }) => id).sort();
    expect(await found(at(-100))).toEqual([waiting]);
    expect(await found(at(-101))).toEqual([waiting, removed]);
  });

  test('goes on above what waits when the database is opened again', async () => {
    const url = await createUrl();
    const first = await openStore(url);
    const destination = await addDestination(first, await addLine(first));
    await record(first, [owed('b', [destination])]);
    await first.close();
    const store = await open(url);
    await record(store, [owed('a', [destination])]);
    expect(ids(await store.queued.untried(destination, 0, 9))).toEqual(['evt_b', 'evt_a']);
  });

  test('is made due where it waits for a later attempt and is asked for, in its lane and schedule', async () => {
    const store = await open(await createUrl());
    await record(
      store,
      ['a', 'b'].map((one) => owed(one, [1])),
    );
    await tried(store, 1, 'a', { to: 16 }, { due_at: at(9999) });
    const all = ['evt_a', 'evt_b'].map((event_id) => ({ destination_id: 1, event_id }));
    const before = await store.deliveries.ofDestination(1);
    expect(await store.deliveries.again(all, at(60))).toBe(1);
    const [first, ...others] = before;
    expect(await store.deliveries.ofDestination(1)).toEqual([{ ...first, due_at: at(60) }, ...others]);
  });

  test('is made due where it waits for a later attempt, but for what keeps the pace of a replay', async () => {
    const store = await open(await createUrl());
    await record(
      store,
      ['a', 'c', 'd', 'e', 'f'].map((one) => owed(one, [1, 2])),
    );
    const [late, dead] = [{ due_at: at(9999) }, { state: 'dead' as const }];
    await tried(store, 1, 'a', { to: 16 }, late);
    await tried(store, 2, 'a', { to: 16 }, late);
    for (const one of ['c', 'd']) {
      await tried(store, 1, one, { to: 17 }, dead);
      await store.deliveries.again([{ destination_id: 1, event_id: `evt_${one}` }], at(9999));
    }
    await store.write(attempt(1, 'd', 18, late));
    await tried(store, 1, 'e', { to: 17 }, dead);
    await store.deliveries.makeDueBy(1, at(60));
    const due = async (id: number) => (await store.deliveries.ofDestination(id)).map((row) => row.due_at);
    expect(await due(1)).toEqual([at(60), at(9999), at(60), at(22), at(0)]);
    expect((await due(2))[0]).toBe(at(9999));
    expect(await store.deliveries.ofDestination(1)).toMatchObject([
      { event_id: 'evt_a', attempts: 16, attempts_before: 0, lane: '16505551234' },
      {},
      { event_id: 'evt_d', attempts: 18, attempts_before: 17 },
      { event_id: 'evt_e', state: 'dead' },
      {},
    ]);
  });

  test('one of the processes does what one of them has to do', async () => {
    const store = await open(await createUrl());
    for (const id of ['b', 'a', 'c']) await store.processes.keepAlive(id, id, 60);
    const first = async () =>
      Promise.all(['a', 'b', 'c'].map(async (id) => ((await store.processes.isFirst(id)) ? id : '')));
    expect((await first()).join('')).toBe('a');
    await store.processes.leave('a');
    expect((await first()).join('')).toBe('b');
  });

  test('has an owner until that has ended, or leaves', async () => {
    const store = await open(await createUrl());
    expect(await store.processes.keepAlive('living', 'one', 60)).toBe(false);
    expect(await store.processes.keepAlive('dying', 'other', 60)).toBe(false);
    await store.owners.acquire('living', [1]);
    await store.owners.acquire('dying', [2]);
    await store.owners.acquire('never heard of', [3]);
    const owners = async () => (await store.owners.all()).map((one) => one.destination_id).sort();
    expect((await store.owners.acquire('me', [1]))[0]?.process_id).toBe('living');
    await store.processes.clearEnded();
    expect(await owners()).toEqual([1, 2, 3]);
    // Its time is over at once.
    expect(await store.processes.keepAlive('dying', 'other', -1)).toBe(true);
    await store.processes.clearEnded();
    expect(await owners()).toEqual([1, 3]);
    expect(await store.processes.keepAlive('dying', 'other', 60)).toBe(false);
    await store.processes.leave('living');
    expect(await owners()).toEqual([3]);
    // Nobody knows its owner, nor the destination.
    await store.processes.clearUnknown();
    expect(await owners()).toEqual([]);
  });

  test('is told to nobody while its destination is paused', async () => {
    const url = await createUrl();
    const store = await open(url);
    const line = await addLine(store);
    const [paused, justPaused] = [await addDestination(store, line), await addDestination(store, line)];
    await store.destinations.update(paused, { paused_at: at(0) });
    // Its owner may not have heard of it, and goes by what it is told.
    await store.destinations.update(justPaused, { paused_at: isoTime(Date.now()) });
    const other = await addDestination(store, line);
    for (const id of [paused, justPaused, other]) await write(url, `insert into arrivals values (${id}, 1)`);
    await store.processes.clearUnknown();
    const told = await rows(url, 'select destination_id from arrivals order by destination_id');
    expect(told).toEqual([{ destination_id: justPaused }, { destination_id: other }]);
  });

  test('goes to who comes back under the name of its owner', async () => {
    const store = await open(await createUrl());
    await store.processes.keepAlive('before', 'a', 60);
    await store.processes.keepAlive('other', 'b', 60);
    await store.owners.acquire('before', [1, 2]);
    await store.owners.acquire('other', [3]);
    await store.processes.keepAlive('after', 'a', 60);
    await store.processes.succeed('after', 'a');
    const owners = (await store.owners.all()).map((one) => [one.destination_id, one.process_id]).sort();
    expect(owners).toEqual([
      [1, 'after'],
      [2, 'after'],
      [3, 'other'],
    ]);
    expect(await store.processes.count('deliver')).toBe(2);
    // The one before is not known any more: it is not alive by saying so.
    expect(await store.processes.keepAlive('before', 'a', 60)).toBe(false);
  });

  test('is free for others if its owner comes back without the role to deliver', async () => {
    const store = await open(await createUrl());
    await store.processes.keepAlive('before', 'a', 60);
    await store.owners.acquire('before', [1]);
    await store.processes.keepAlive('after', 'a', 60, new Set(['api']));
    await store.processes.succeed('after', 'a', false);
    expect(await store.owners.all()).toEqual([]);
    expect(await store.processes.count('api')).toBe(1);
    expect(await store.processes.count('deliver')).toBe(0);
  });

  if (name === 'PostgreSQL')
    test('is told to its owner where another process has recorded it, once it is taken', async () => {
      const store = await open(await createUrl());
      await store.processes.keepAlive('me', 'a', 60);
      await store.owners.acquire('me', [1]);
      const of = (recorder: string) => ({ recorder });
      const own = await store.write(notificationOf([owed('a', [1])], of('me')));
      expect(own).toMatchObject({ own: [{ destination_id: 1, event_id: 'evt_a' }], behind: [] });
      const others = await store.write(notificationOf([owed('b', [1]), owed('c', [1, 2])], of('other')));
      expect(others).toMatchObject({ fresh: ['evt_b', 'evt_c'], own: [], behind: [] });
      expect(await store.write(notificationOf([owed('d', [1])], of('me')))).toMatchObject({ behind: [1] });
      const told = async (destination: number, owner: string) =>
        ids(await store.queued.untried(destination, null, 9, owner));
      expect(await told(1, 'other')).toEqual([]);
      // Nothing is read, and it is told all the same.
      expect(await store.queued.untried(1, null, 0, 'me')).toMatchObject({ rows: [] });
      expect(await told(1, 'me')).toEqual([]);
      expect(await store.write(notificationOf([owed('e', [1])], of('me')))).toMatchObject({ behind: [] });
      await store.write(notificationOf([owed('f', [1])], of('other')));
      await store.write(notificationOf([owed('g', [1])], of('me')));
      const { rows } = await store.queued.untried(1, 0, 9, 'other');
      const sequence = rows.find((row) => row.event_id === 'evt_f')?.sequence;
      const page = await store.queued.untried(1, 99, 9, 'me');
      expect([ids(page), page.from]).toEqual([['evt_f', 'evt_g'], sequence]);
      expect(await told(1, 'me')).toEqual([]);
      // Nobody owns it yet.
      expect(await told(2, 'me')).toEqual([]);
      await store.owners.acquire('me', [2]);
      expect(await told(2, 'me')).toEqual(['evt_c']);
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

test('what waits for its time is looked for beside a backlog without reading that, on PostgreSQL', async () => {
  const url = (await DATABASES[1]?.createUrl()) ?? '';
  await write(
    url,
    `insert into deliveries (destination_id, event_id, lane, state, attempts, due_at)
     select 1 + least(i % 3, 1), 'evt_' || i, 'lane', case when i % 3 = 0 then 'pending' else 'delivered' end,
       case when i % 3 = 0 then 0 else 1 + i % 4 end, '2026-01-01T00:00:00.000Z'
     from generate_series(1, 60000) i`,
  );
  await write(url, 'analyze deliveries');
  const store = await openStore(url);
  await store.queued.due('later', 1, '2026-01-02T00:00:00.000Z', 200);
  // What it has counted is written down once its connections end.
  await store.close();
  const read = `select idx_tup_read from pg_stat_user_indexes where indexrelname = 'deliveries_pending'`;
  const [index] = await rows(url, read);
  expect(Number(index?.idx_tup_read)).toBeLessThan(1_000);
});
