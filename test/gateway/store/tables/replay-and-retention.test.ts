import { Client } from 'pg';
import { type Store } from '../../../../gateway/store/store';
import { createDatabase } from '../../../support/postgres';
import { until } from '../../../support/http-peer';
import { notificationOf, openStores, owed } from '../support';

const BEFORE_ALL = 'evt_';
const AFTER_ALL = 'evt_z';

describe('an old event that is replayed at the moment at which its body is emptied (PostgreSQL)', () => {
  const open = openStores();

  async function delivered() {
    const url = await createDatabase();
    const store = await open(url);
    await store.write(notificationOf([owed('a', [1])]));
    const other = new Client({ connectionString: url });
    await other.connect();
    await other.query("update deliveries set state = 'delivered', attempts = 1");
    const isWaitedFor = async () =>
      (await other.query('select from pg_locks where not granted')).rows.length > 0;
    const bodies = async () => (await other.query<{ body: string }>('select body from events')).rows;
    return { store, other, isWaitedFor, bodies };
  }

  test('does not go out without one, where that was first', async () => {
    const { store, other, isWaitedFor, bodies } = await delivered();
    // What replays has seen the body, and waits for the delivery.
    await other.query('begin');
    await other.query('select from deliveries for update');
    const replayed = store.deliveries.again([{ destination_id: 1, event_id: 'evt_a' }], '');
    await until(isWaitedFor);
    await store.events.emptyBodies(BEFORE_ALL, AFTER_ALL, 10);
    await other.query('commit');
    expect(await replayed).toBe(0);
    expect(await bodies()).toEqual([{ body: '' }]);
    expect(await store.deliveries.ofDestination(1)).toMatchObject([{ state: 'delivered' }]);
    await other.end();
  });

  test.each([
    ['with age', (store: Store) => store.events.emptyBodies(BEFORE_ALL, AFTER_ALL, 10)],
    ['because it names somebody', (store: Store) => store.traces.emptyMentions(['a'], 'all', '', 10)],
  ])('keeps it, where the replay was first: %s', async (_why, empty) => {
    const { store, other, isWaitedFor, bodies } = await delivered();
    // What empties has seen that nobody is owed it, and waits for the event.
    await other.query('begin');
    await other.query('select from events for update');
    const emptied = empty(store);
    await until(isWaitedFor);
    expect(await store.deliveries.again([{ destination_id: 1, event_id: 'evt_a' }], '')).toBe(1);
    await other.query('commit');
    await emptied;
    expect(await bodies()).toEqual([{ body: '{"name":"a"}' }]);
    expect(await store.deliveries.ofDestination(1)).toMatchObject([{ state: 'pending' }]);
    await other.end();
  });
});
