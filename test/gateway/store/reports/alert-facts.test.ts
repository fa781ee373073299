import { DATABASES } from '../../../support/databases';
import { write } from '../../../support/rows';
import { addDestination, addLine, at, attempt, openStores, owed, record, tried } from '../support';

const open = openStores();

test.each(DATABASES)(
  'what was given up, and what is about to be, of each destination ($name)',
  async ({ createUrl }) => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const ids: number[] = [];
    for (let count = 0; count < 4; count++) ids.push(await addDestination(store, line));
    const answers = {
      line_id: line,
      url: 'https://callbacks.example.com/',
      secret_sealed: '',
      created_at: at(0),
    };
    ids.push((await store.destinations.ofQuestions(answers)).id);
    const [ending = 0, dead = 0, paused = 0, removed = 0, ofQuestions = 0] = ids;
    await record(store, [owed('a', ids), owed('b', ids)]);
    for (const destination of [ending, paused]) await tried(store, destination, 'a', { to: 14 });
    expect(await store.alertFacts.lastAttempts(15)).toEqual([]);
    for (const destination of [ending, paused]) await store.write(attempt(destination, 'a', 15));
    for (const destination of [dead, removed, ofQuestions]) {
      await store.write(attempt(destination, 'a', 1, { state: 'dead' }));
      await store.write(attempt(destination, 'b', 1, { state: 'dead', started_at: at(5) }));
    }
    await store.destinations.update(paused, { paused_at: at(9) });
    await store.destinations.remove(removed, at(9));
    expect(await store.alertFacts.lastAttempts(15)).toEqual([{ id: ending, count: 1 }]);
    expect(await store.alertFacts.givenUp(at(0))).toEqual([
      { destination_id: dead, count: 2, first: at(1), latest: at(5) },
    ]);
    expect(await store.alertFacts.givenUp(at(6))).toEqual([]);
  },
);

test.each(DATABASES)(
  'what was given up lately is found behind however much that was given up long ago ($name)',
  async ({ createUrl }) => {
    const url = await createUrl();
    const store = await open(url);
    const line = await addLine(store);
    const [old, late] = [await addDestination(store, line), await addDestination(store, line)];
    await record(store, [owed('a', [old, late])]);
    for (const destination of [old, late])
      await store.write(attempt(destination, 'a', 1, { state: 'dead', started_at: at(50) }));
    // 10,050 more, half of them of each.
    await write(
      url,
      `insert into deliveries (destination_id, event_id, state, attempts, due_at, lane, finished_at)
       select d.destination_id, 'evt_old_' || n.n, 'dead', 17, '${at(0)}', '', '${at(1)}'
       from deliveries d, (with recursive n(n) as (select 1 union all select n + 1 from n where n < 5025) select n from n) n`,
    );
    expect(await store.alertFacts.givenUp(at(40))).toEqual([
      { destination_id: old, count: 1, first: expect.any(String), latest: expect.any(String) },
      { destination_id: late, count: 1, first: expect.any(String), latest: expect.any(String) },
    ]);
    expect(await store.alertFacts.givenUp(at(0))).toMatchObject([{ count: 1_000 }, { count: 1_000 }]);
  },
);
