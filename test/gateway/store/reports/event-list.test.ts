import { textSearch } from '../../../../gateway/messages/text-search';
import { type DeliveryCursor } from '../../../../gateway/store/reports/delivery-list';
import { type EventSearch } from '../../../../gateway/store/reports/event-list';
import { type Store } from '../../../../gateway/store/store';
import { DATABASES } from '../../../support/databases';
import { notification, textFrom } from '../../../support/test-gateway';
import { addDestination, addLine, attempt, event, notificationOf, openStores, owed } from '../support';

const open = openStores();
const OTHER = '5511987654321';

/** Every page of the list, one after the other; `a 1` for what destination 1 is owed, `a` for what nobody is. */
async function all(store: Store, search: EventSearch, limit = 2, oldest = false): Promise<string[]> {
  const found: string[] = [];
  let place: DeliveryCursor | null = null;
  do {
    const { rows, next }: Awaited<ReturnType<Store['eventList']['page']>> = await store.eventList.page(
      search,
      place,
      limit,
      oldest,
    );
    found.push(
      ...rows.map((row) => [row.event_id.slice('evt_'.length), row.destination_id].join(' ').trim()),
    );
    place = next;
  } while (place);
  return found;
}

const saying = (text: string): string => JSON.stringify(notification(textFrom(OTHER, text, 'wamid.x')));

describe.each(DATABASES)('the list of events on $name', ({ createUrl }) => {
  test('holds each delivery once, and what was passed on to nobody, whatever is asked', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const quiet = await addLine(store, '206540352242922');
    const one = await addDestination(store, line);
    const other = await addDestination(store, line);
    await store.write(
      notificationOf([
        owed('a', [one, other]),
        event('b', { line_id: quiet, contact: OTHER, body: saying('Where is my caf\u00e9_au 100% lait?') }),
        owed('c', [one]),
        event('d', { line_id: quiet, subject: 'messageStatus', contact: OTHER, wamid: 'wamid.d' }),
        event('e', {
          line_id: quiet,
          contact: OTHER,
          body: saying('Another').replace('Another', 'caf\\u00e9'),
        }),
      ]),
    );
    await store.write(attempt(one, 'a', 1, { state: 'dead', outcome: 'tls' }));
    await store.write(attempt(one, 'c', 1, { state: 'dead', outcome: 'timeout' }));
    const everything = ['e', 'd', `c ${one}`, 'b', `a ${other}`, `a ${one}`];
    for (const limit of [1, 2, 4, 50]) {
      expect(await all(store, {}, limit)).toEqual(everything);
      expect(await all(store, {}, limit, true)).toEqual(everything.toReversed());
    }
    for (const [search, found] of [
      [{ lineId: quiet }, ['e', 'd', 'b']],
      [{ contacts: [OTHER] }, ['e', 'd', 'b']],
      [{ contacts: ['551187654321', OTHER], lineId: line }, []],
      [{ contacts: [OTHER], wamid: 'wamid.d' }, ['d']],
      [{ lineId: quiet, subjects: ['message'] }, ['e', 'b']],
      [{ eventId: 'evt_a' }, [`a ${other}`, `a ${one}`]],
      [{ from: 'evt_b', to: 'evt_d' }, [`c ${one}`, 'b']],
      [{ text: textSearch('CAF\u00c9') }, ['e', 'b']],
      [{ text: textSearch('caf\u00e9_au 100%') }, ['b']],
      [{ text: textSearch('100% cafe') }, ['b']],
      [{ text: textSearch('whatsapp') }, []],
      // What only deliveries know: by their own indexes, and among events.
      [{ state: 'dead', from: 'evt_b' }, [`c ${one}`]],
      [{ state: 'dead', cause: 'tls', to: 'evt_b' }, [`a ${one}`]],
      [{ state: 'waiting', to: 'evt_b' }, [`a ${other}`]],
      [{ state: 'waiting', from: 'evt_b' }, []],
      [{ state: 'dead', contacts: ['16505551234'] }, [`c ${one}`, `a ${one}`]],
      [{ destinationIds: [other], lineId: line }, [`a ${other}`]],
      [{ cause: 'timeout', lineId: line }, [`c ${one}`]],
    ] as [EventSearch, string[]][]) {
      expect([search, await all(store, search, 1)]).toEqual([search, found]);
      expect([search, await all(store, search, 2, true)]).toEqual([search, found.toReversed()]);
    }
    const replayable = { states: ['dead'] as 'dead'[], contacts: ['16505551234'], from: 'evt_b' };
    expect(await store.deliveries.meant(replayable, null, 9)).toEqual([
      { destination_id: one, event_id: 'evt_c' },
    ]);
  });

  test('goes on behind what it looked at in vain, in both directions', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const names = Array.from({ length: 5_100 }, (_, index) => String(index).padStart(5, '0'));
    const rare = (name: string) => ['00007', '05090'].includes(name);
    for (let from = 0; from < names.length; from += 1_700)
      await store.write(
        notificationOf(
          names
            .slice(from, from + 1_700)
            .map((name) => event(name, { line_id: line, subject: rare(name) ? 'message' : 'messageStatus' })),
        ),
      );
    const search: EventSearch = { lineId: line, subjects: ['message'] };
    expect(await store.eventList.page(search, null, 50)).toMatchObject({
      rows: [{ event_id: 'evt_05090' }],
      next: { eventId: 'evt_00100' },
    });
    expect(await all(store, search)).toEqual(['05090', '00007']);
    expect(await all(store, search, 2, true)).toEqual(['00007', '05090']);
  });
});
