import { contactsWithName, contactsWithNumber } from '../../../../gateway/messages/contact-names';
import { wordSearch } from '../../../../gateway/messages/text-search';
import { DATABASES } from '../../../support/databases';
import { notification, textFrom } from '../../../support/test-gateway';
import { addDestination, addLine, at, event, notificationOf, openStores } from '../support';

const open = openStores();
const BRITON = '447700900269';
const AMERICAN = '13125550145';
/** Wrote long ago. */
const SPANIARD = '34698769122';

const named = (contact: string, name: string): string =>
  JSON.stringify(
    notification({
      ...textFrom(contact, 'Priya said hello', 'wamid.x'),
      contacts: [{ profile: { name }, wa_id: contact }],
    }),
  );

describe.each(DATABASES)('the search for contacts on $name', ({ createUrl }) => {
  test('finds a number by what somebody has of it, and a name by its words', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    await store.write(
      notificationOf(
        [
          event('a', { contact: BRITON, body: named(BRITON, 'Priya Naïr') }),
          event('b', { contact: AMERICAN, body: named(AMERICAN, 'Tom') }),
        ],
        { windows: [{ line_id: line, contact: SPANIARD, last_inbound_at: at(0) }] },
      ),
    );
    for (const [text, ...found] of [
      ['+44 7700 900269', BRITON],
      ['0044 7700', BRITON],
      ['07700 900269', BRITON],
      ['(312) 555-0145', AMERICAN],
      ['555-0145', AMERICAN],
      ['9876', SPANIARD],
      // A plus begins the whole number.
      ['+9876'],
      ['0000'],
      ['Priya'],
    ] as [string, ...string[]][])
      expect([text, await contactsWithNumber(store, ['15550783881', '+44 20 7946 0018'], text)]).toEqual([
        text,
        found,
      ]);
    expect(await contactsWithName(store, 'nair PRIYA')).toEqual([BRITON]);
    expect(await contactsWithName(store, 'hello')).toEqual([]);
  });

  test('finds destinations by their address, and templates by words of their name', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const id = await addDestination(store, line);
    await addDestination(store, line, { removed_at: at(1) });
    expect(await store.search.destinations(wordSearch('HOOK example'))).toEqual([
      { id, line_id: line, url: 'https://example.com/hook' },
    ]);
    expect(await store.search.destinations(wordSearch('hook other'))).toEqual([]);
    expect(await store.search.tokens(wordSearch('hook'))).toEqual([]);
    expect(await store.search.templates(wordSearch('order update'), 9)).toEqual([]);
  });
});
