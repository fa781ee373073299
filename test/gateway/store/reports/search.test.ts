import { contactsWithName, contactsWithNumber } from '../../../../gateway/messages/contact-names';
import { wordSearch } from '../../../../gateway/messages/text-search';
import { DATABASES } from '../../../support/databases';
import { notification, textFrom } from '../../../support/test-gateway';
import { addDestination, addLine, at, event, notificationOf, openStores } from '../support';

const open = openStores();
const BRITON = '447700900269';
const AMERICAN = '13125550145';
const LINES = [{ phoneNumber: '15550783881' }, { phoneNumber: '+44 20 7946 0018' }];
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
      // A piece that begins with a zero.
      ['0269', BRITON],
      // A plus begins the whole number.
      ['+9876'],
      ['0000'],
      ['Priya'],
    ] as [string, ...string[]][])
      expect([text, await contactsWithNumber(store, LINES, text)]).toEqual([text, found]);
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
    const template = {
      line_id: line,
      language: 'pt_BR',
      category: 'UTILITY',
      parameter_format: 'POSITIONAL',
    };
    for (const name of ['order_update', 'hello_world'])
      await store.templates.insertStarters([{ ...template, name, components: '[]', is_starter: 1 }]);
    const names = async (words: string) =>
      (await store.search.templates(wordSearch(words))).map((one) => one.name);
    expect(await names('update ORDER')).toEqual(['order_update']);
    expect(await names('order world')).toEqual([]);
  });
});
