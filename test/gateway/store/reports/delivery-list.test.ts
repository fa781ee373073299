import { sentTextSearch } from '../../../../gateway/messages/text-search';
import { type DeliveryCursor, type DeliverySearch } from '../../../../gateway/store/reports/delivery-list';
import { type Store } from '../../../../gateway/store/store';
import { type DeliveryFilter } from '../../../../gateway/store/tables/deliveries';
import { DATABASES } from '../../../support/databases';
import { write } from '../../../support/rows';
import { addDestination, addLine, at, attempt, event, notificationOf, openStores, owed } from '../support';

const open = openStores();

/** Every page of the list, one after the other. */
async function all(store: Store, search: DeliverySearch, limit = 2): Promise<string[]> {
  const found: string[] = [];
  let place: DeliveryCursor | null = null;
  do {
    const { rows, next }: Awaited<ReturnType<Store['deliveryList']['page']>> = await store.deliveryList.page(
      search,
      place,
      limit,
    );
    found.push(...rows.map((row) => `${row.event_id.slice('evt_'.length)} ${row.destination_id}`));
    place = next;
  } while (place);
  return found;
}

describe.each(DATABASES)('the list of deliveries on $name', ({ createUrl }) => {
  async function world() {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const one = await addDestination(store, line);
    const other = await addDestination(store, line);
    return { store, line, one, other };
  }

  test('pages the newest events first, each delivery once', async () => {
    const { store, one, other } = await world();
    await store.write(notificationOf(['a', 'b', 'c'].map((name) => owed(name, [one, other]))));
    const newest = ['c', 'b', 'a'].flatMap((name) => [`${name} ${other}`, `${name} ${one}`]);
    for (const limit of [1, 2, 3, 50]) expect(await all(store, {}, limit)).toEqual(newest);
    expect(await all(store, { destinationIds: [one] })).toEqual([`c ${one}`, `b ${one}`, `a ${one}`]);
    expect(await all(store, { destinationIds: [one, other] })).toEqual(newest);
    expect(await all(store, { destinationIds: [] })).toEqual([]);
  });

  test('tells apart what waits, tried or not, what is parked and what is over', async () => {
    const { store, line, one, other } = await world();
    const failing = await addDestination(store, line);
    await store.destinations.update(other, { paused_at: at(0), paused_because: 'broken' });
    await store.destinations.update(failing, { failing_since: at(0), last_failure: 'HTTP 503' });
    await store.write(
      notificationOf(['fresh', 'gone', 'good', 'soon', 'late'].map((name) => owed(name, [one]))),
    );
    await store.write(
      notificationOf([
        owed('parked late', [other], { due_at: at(9) }),
        owed('parked', [other], { due_at: at(1) }),
        owed('failing', [failing], { due_at: at(5) }),
      ]),
    );
    await store.write(attempt(one, 'late', 1, { due_at: at(9) }));
    await store.write(attempt(one, 'soon', 1, { due_at: at(1) }));
    await store.write(attempt(one, 'gone', 1, { state: 'dead' }));
    await store.write(
      attempt(one, 'good', 1, { state: 'delivered', outcome: 'delivered', http_status: 200 }),
    );
    for (const ids of [{}, { destinationIds: [one, other, failing] }]) {
      // What is due first comes first.
      expect(await all(store, { ...ids, state: 'waiting' }, 1)).toEqual([
        `fresh ${one}`,
        `soon ${one}`,
        `failing ${failing}`,
        `late ${one}`,
      ]);
      expect(await all(store, { ...ids, state: 'parked' }, 1)).toEqual([
        `parked ${other}`,
        `parked late ${other}`,
      ]);
      expect(await all(store, { ...ids, state: 'dead' })).toEqual([`gone ${one}`]);
      expect(await all(store, { ...ids, state: 'delivered' })).toEqual([`good ${one}`]);
      expect(await all(store, { ...ids, state: 'canceled' })).toEqual([]);
    }
    const firstDueAt = expect.any(String) as string;
    const waiting = { [one]: { count: 3, firstDueAt }, [other]: { count: 2, firstDueAt } };
    const ids = [one, other, failing];
    expect(Object.fromEntries(await store.backlog.of(ids))).toEqual({
      ...waiting,
      [failing]: { count: 1, firstDueAt },
    });
    // One more than is asked for tells that there are more.
    expect([...(await store.backlog.of(ids, 1)).values()].map(({ count }) => count)).toEqual([2, 2, 1]);
    expect(await store.backlog.of([])).toEqual(new Map());
    expect(await store.backlog.inAll()).toEqual({ pending: 6, dead: 1, oldestDueAt: firstDueAt });
    expect(await store.deliveries.overview()).toMatchObject({ pending: 6, dead: 1 });
    expect(await store.backlog.linesOfDead(3)).toEqual([line]);
    const within = [[one, other], [other], []].map((some) => store.backlog.dead(some));
    expect(await Promise.all(within)).toEqual([1, 0, 0]);
    // What was given up for a removed destination cannot be sent again: nobody is told of it.
    await store.destinations.update(one, { removed_at: at(1) });
    expect([await store.backlog.dead(), (await store.deliveries.overview()).dead]).toEqual([0, 0]);
    expect(await store.backlog.linesOfDead(3)).toEqual([]);
  });

  test('counts what can be sent again, up to a bound, and says nothing where that takes a long look', async () => {
    const url = await createUrl();
    const store = await open(url);
    const line = await addLine(store);
    const [one, other] = [await addDestination(store, line), await addDestination(store, line)];
    const names = Array.from({ length: 5_100 }, (_, index) => String(index).padStart(5, '0'));
    for (let from = 0; from < names.length; from += 1_700)
      await store.write(notificationOf(names.slice(from, from + 1_700).map((name) => owed(name, [one]))));
    await store.write(notificationOf([owed('99998', [other]), owed('99999', [other])]));
    const over = (more: Partial<DeliveryFilter>) =>
      store.backlog.over({ states: ['delivered', 'dead'], ...more });
    await write(url, "update deliveries set state = 'dead' where event_id in ('evt_00003', 'evt_99998')");
    await write(url, "update deliveries set state = 'delivered' where event_id = 'evt_00004'");
    expect(await over({ to: 'evt_00100' })).toBe(2);
    expect(await over({ states: ['dead'], to: 'evt_00100' })).toBe(1);
    expect(await over({ from: 'evt_00004', to: 'evt_00100' })).toBe(1);
    expect(await over({ destinationIds: [other] })).toBe(1);
    // Of so many most wait; those that were given up have an index of their own.
    expect(await over({})).toBeNull();
    expect(await over({ states: ['dead'] })).toBe(2);
    for (const unknown of [{ cause: 'tls' }, { contacts: ['x'] }, { lineId: line }])
      expect(await over({ to: 'evt_00100', ...unknown })).toBeNull();
    await write(
      url,
      "update deliveries set state = 'delivered' where event_id between 'evt_01000' and 'evt_04000'",
    );
    expect(await over({ from: 'evt_01000', to: 'evt_04000' })).toBe(1_001);
    await store.destinations.update(other, { removed_at: at(1) });
    expect(await over({ destinationIds: [other] })).toBe(0);
  });

  test('finds deliveries by what came of their last attempt', async () => {
    const { store, one, other } = await world();
    await store.write(notificationOf(['a', 'b', 'c'].map((name) => owed(name, [one, other]))));
    await store.write(attempt(one, 'a', 1, { outcome: 'timeout' }));
    await store.write(attempt(one, 'a', 2, { outcome: 'tls', state: 'dead' }));
    await store.write(attempt(one, 'b', 1, { outcome: 'timeout', state: 'dead' }));
    await store.write(attempt(other, 'c', 1, { outcome: 'timeout' }));
    expect(await all(store, { cause: 'timeout' }, 1)).toEqual([`c ${other}`, `b ${one}`]);
    expect(await all(store, { cause: 'timeout', state: 'dead' })).toEqual([`b ${one}`]);
    expect(await all(store, { cause: 'timeout', state: 'waiting' })).toEqual([`c ${other}`]);
    expect(await all(store, { cause: 'tls', destinationIds: [other] })).toEqual([]);
    const replayable = { states: ['dead'] as 'dead'[], cause: 'tls' };
    expect(await store.deliveries.meant(replayable, null, 9)).toEqual([
      { destination_id: one, event_id: 'evt_a' },
    ]);
  });

  test('goes on behind what it looked at in vain, however rare what is looked for is', async () => {
    const { store, one } = await world();
    const names = Array.from({ length: 5_100 }, (_, index) => String(index).padStart(5, '0'));
    for (let from = 0; from < names.length; from += 1_700)
      await store.write(notificationOf(names.slice(from, from + 1_700).map((name) => owed(name, [one]))));
    await store.write(attempt(one, '00007', 1, { state: 'delivered', outcome: 'delivered' }));
    const first = await store.deliveryList.page({ state: 'delivered' }, null, 50);
    expect(first.rows).toEqual([]);
    expect(first.next).toEqual({ dueAt: '', eventId: 'evt_00100', destinationId: one });
    expect(await all(store, { state: 'delivered' })).toEqual([`00007 ${one}`]);
    expect(await all(store, { state: 'delivered', destinationIds: [one] })).toEqual([`00007 ${one}`]);
  });

  test('goes on behind what it looked at of each destination, and shows nothing twice', async () => {
    const { store, one, other } = await world();
    const names = Array.from({ length: 5_100 }, (_, index) => String(index).padStart(5, '0'));
    for (let from = 0; from < names.length; from += 1_700)
      await store.write(
        notificationOf(names.slice(from, from + 1_700).map((name) => owed(name, [one], { due_at: at(5) }))),
      );
    // Of the other one all is looked at, to the very end.
    await store.write(notificationOf([owed('00003x', [other]), owed('00004x', [other], { due_at: at(9) })]));
    await store.write(attempt(other, '00003x', 1, { state: 'delivered', outcome: 'delivered' }));
    await store.write(attempt(other, '00004x', 1, { outcome: 'tls', due_at: at(9) }));
    await store.write(attempt(one, '05090', 1, { outcome: 'tls', due_at: at(6) }));
    const destinationIds = [one, other];
    expect(await all(store, { state: 'delivered', destinationIds })).toEqual([`00003x ${other}`]);
    expect(await all(store, { state: 'waiting', cause: 'tls' })).toEqual([`05090 ${one}`, `00004x ${other}`]);
  });

  test('pages what is due first among more destinations than it looks at, whatever is due together', async () => {
    const { store, line } = await world();
    const many: number[] = [];
    for (let count = 0; count < 103; count++) many.push(await addDestination(store, line));
    const [last = 0] = many.slice(-1);
    await store.write(
      notificationOf([
        owed('a', many),
        owed('soon', [last], { due_at: at(1) }),
        owed('b', many, { due_at: at(2) }),
      ]),
    );
    const of = (name: string) => many.map((id) => `${name} ${id}`);
    const expected = [...of('a'), `soon ${last}`, ...of('b')];
    expect(await all(store, { state: 'waiting' }, 50)).toEqual(expected);
    // Of the first hundred, nothing is due before what the last has.
    expect(await all(store, { state: 'waiting', from: 'evt_b' }, 50)).toEqual(expected.slice(103));
  });

  test('tells one event with its deliveries and every attempt', async () => {
    const { store, one, other } = await world();
    await store.write(notificationOf([owed('a', [one, other])]));
    await store.write(attempt(one, 'a', 1, { answer: 'first' }));
    await store.write(attempt(one, 'a', 2, { answer: 'second' }));
    const found = await store.deliveryList.event('evt_a');
    expect(found?.deliveries.map((row) => [row.destination_id, row.url])).toEqual([
      [one, 'https://example.com/hook'],
      [other, 'https://example.com/hook'],
    ]);
    expect(found?.attempts.map(({ answer }) => answer)).toEqual(['first', 'second']);
    expect(await store.deliveryList.event('evt_none')).toBeNull();
  });
});

describe.each(DATABASES)('the list of messages on $name', ({ createUrl }) => {
  test('pages the newest first, by contact, state and line', async () => {
    const store = await open(await createUrl());
    const message = (name: string, seconds: number, more: object = {}) => ({
      line_id: 1,
      wamid: name,
      contact: 'ana',
      accepted_at: at(seconds),
      ...more,
    });
    const errors = JSON.stringify([{ code: 131026, title: 'away' }, { code: 131047 }, { code: '470' }]);
    await store.write(
      notificationOf([event('hi', { contact: 'ana' }), event('other', { contact: 'ben' })], {
        messages: [
          message('a', 1, { sent_at: at(2), delivered_at: at(3) }),
          message('b', 2, { failed_at: at(3), failure: errors }),
          message('c', 2, { contact: 'ben', sent_at: at(3) }),
          message('d', 4, { line_id: 2, failed_at: at(5), delivered_at: at(6) }),
          message('e', 5, { accepted_at: null, sent_at: at(5) }),
        ],
      }),
    );
    type Search = Parameters<Store['messageList']['page']>[0];
    const found = async (search: Search): Promise<string> => {
      const wamids: string[] = [];
      let place: Parameters<Store['messageList']['page']>[1] = null;
      do {
        const page: Awaited<ReturnType<Store['messageList']['page']>> = await store.messageList.page(
          search,
          place,
          1,
        );
        wamids.push(...page.rows.map(({ wamid }) => wamid));
        place = page.next;
      } while (place);
      return wamids.join('');
    };
    expect(await found({})).toBe('dcba');
    expect(await found({ contacts: ['ben', 'bén'] })).toBe('c');
    expect(await found({ lineId: 1 })).toBe('cba');
    expect(await found({ state: 'failed' })).toBe('b');
    for (const [code, failed] of [
      [131026, 'b'],
      [131047, 'b'],
      [470, 'b'],
      [13102, ''],
      [31026, ''],
    ] as const)
      expect([code, await found({ state: 'failed', code })]).toEqual([code, failed]);
    expect(await found({ state: 'delivered' })).toBe('da');
    expect(await found({ state: 'delivered', contacts: ['ana'], lineId: 2 })).toBe('d');
    expect((await store.messageList.byId([1, 2], 'e')).map(({ wamid }) => wamid)).toEqual(['e']);
    const written = await store.messageList.written(1, ['ana'], 'evt_~', 9);
    expect(written.map(({ id }) => id)).toEqual(['evt_hi']);
    const sent = await store.messageList.sent(1, ['ana'], at(2), 9);
    expect(sent.map(({ wamid }) => wamid)).toEqual(['a']);
    // From a time on, the earliest first.
    const later = await store.messageList.sent(1, ['ana'], at(1), 1, true);
    expect(later.map(({ wamid }) => wamid)).toEqual(['a']);
    const from = await store.messageList.written(1, ['ana'], 'evt_h', 9, true);
    expect(from.map(({ id }) => id)).toEqual(['evt_hi']);
  });

  test('finds words of what is kept of what was sent, however much was sent since', async () => {
    const url = await createUrl();
    const store = await open(url);
    const sent = (wamid: string, text: string, seconds: number, line_id = 1) =>
      store.write({
        kind: 'message',
        message: { line_id, wamid, contact: 'ana', accepted_at: at(seconds) },
        sent: {
          line_id,
          wamid,
          body: JSON.stringify({ type: 'text', text: { body: text } }),
          accepted_at: at(seconds),
        },
      });
    await sent('a', 'Where is the caf\u00e9_au 100% lait?', 1);
    await sent('b', `Too long ${'x'.repeat(40_000)} lait`, 2);
    await sent('c', 'Only what is said: another', 3);
    await sent('d', 'More LAIT', 3, 2);
    const list = async (words: string, search: { lineId?: number; to?: string } = {}, limit = 1) => {
      const found: (string | null)[] = [];
      let place: Parameters<Store['messageList']['page']>[1] = null;
      do {
        const page: Awaited<ReturnType<Store['messageList']['page']>> = await store.messageList.withText(
          { ...search, text: sentTextSearch(words) },
          place,
          limit,
        );
        found.push(...page.rows.map(({ wamid }) => wamid));
        // A page that found nothing is told, where another follows.
        if (!page.rows.length && page.next) found.push(null);
        place = page.next;
      } while (place);
      return found;
    };
    for (const limit of [1, 2]) expect(await list('lait', {}, limit)).toEqual(['d', 'a']);
    expect(await list('CAF\u00c9_AU 100%')).toEqual(['a']);
    expect(await list('lait', { lineId: 1 })).toEqual(['a']);
    expect(await list('lait', { to: at(3) })).toEqual(['a']);
    // What stands in the JSON beside the words was not said.
    expect(await list('body')).toEqual([]);
    const many = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 5200)`;
    await write(
      url,
      `insert into messages (line_id, wamid, accepted_at) ${many} select 1, 'm' || n, '${at(9)}' from numbers`,
    );
    await write(
      url,
      `insert into sent_bodies (line_id, wamid, body, accepted_at)
       ${many} select 1, 'm' || n, '{"type":"text","text":{"body":"no"}}', '${at(9)}' from numbers`,
    );
    expect(await list('lait')).toEqual([null, 'd', 'a']);
    expect(await list('text')).toEqual([null]);
  });
});
