import {
  conversationPage,
  writersOf,
  type ConversationPlace,
} from '../../../../gateway/messages/conversations';
import { type Store } from '../../../../gateway/store/store';
import { DATABASES } from '../../../support/databases';
import { addLine, at, event, notificationOf, openStores } from '../support';

const open = openStores();

test.each(DATABASES)('conversations stand once, by their last message, on $name', async ({ createUrl }) => {
  const store = await open(await createUrl());
  const line = await addLine(store);
  const other = await addLine(store, '206540352242922');
  const from = (name: string, contact: string, line_id = line) => event(name, { contact, line_id });
  await store.write(
    notificationOf([
      ...[from('a', '1'), from('b', '2'), from('c', '1', other), from('d', '3'), from('e', '1')],
      event('f', { contact: '2', subject: 'messageStatus' }),
    ]),
  );
  const all = async (search: { lineId?: number; contacts?: string[] }) => {
    const found: string[] = [];
    for (let after: string | null = null, more = true; more;) {
      const { rows, next }: Awaited<ReturnType<typeof store.conversationList.written>> =
        await store.conversationList.written(search, after, 1);
      found.push(...rows.map(({ place, contact }) => `${place.slice('evt_'.length)} ${contact}`));
      [after, more] = [next, next !== null];
    }
    return found;
  };
  expect(await all({})).toEqual(['e 1', 'd 3', 'c 1', 'b 2']);
  expect(await all({ lineId: line })).toEqual(['e 1', 'd 3', 'b 2']);
  expect(await all({ contacts: ['1'] })).toEqual(['e 1', 'c 1']);
});

describe.each(DATABASES)('conversations by what was written and what was sent, on $name', ({ createUrl }) => {
  let store: Store;
  let line: number;
  let other: number;
  const sent = (contact: string, second: number, line_id = line) => ({
    line_id,
    wamid: `wamid.${contact}.${second}`,
    contact,
    type: 'template',
    accepted_at: at(second),
  });
  beforeEach(async () => {
    store = await open(await createUrl());
    line = await addLine(store);
    other = await addLine(store, '206540352242922');
  });
  const START: ConversationPlace = { written: null, sent: null };
  async function all(limit: number, search: { lineId?: number; contacts?: string[]; waits?: boolean } = {}) {
    const found: string[] = [];
    for (let after: ConversationPlace | null = START; after;) {
      const page: Awaited<ReturnType<typeof conversationPage>> = await conversationPage(
        store,
        search,
        after,
        limit,
      );
      found.push(...page.rows.map(({ isOurs, contact }) => `${isOurs ? '>' : '<'}${contact}`));
      after = page.next;
    }
    return found;
  }

  test('stand once, by the last message under any name, whatever a page holds', async () => {
    const from = (name: string, contact: string, second: number) =>
      event(name, { contact, line_id: line, received_at: at(second), body: `{"by":"${contact}"}` });
    await store.write({
      ...notificationOf([
        from('a', '1', 1),
        from('b', '3', 20),
        from('c', '2', 30),
        from('d', '551187654321', 40),
        from('e', 'BR.user', 45),
        event('f', { contact: '1', line_id: line, received_at: at(60), subject: 'messageStatus' }),
      ]),
      windows: ['1', '2', '3', '551187654321', 'BR.user'].map((contact) => ({
        line_id: line,
        contact,
        last_inbound_at: at(1),
      })),
      aliases: [{ line_id: line, contact: '12025550147', identity: 'BR.user' }],
      messages: [
        // These wrote: by the same name, by another spelling, by a user id.
        ...[sent('1', 48), { ...sent('1', 50), failed_at: at(51) }, sent('5511987654321', 51)],
        ...[sent('12025550147', 44), sent('3', 20), sent('7', 10), sent('7', 35), sent('8', 35)],
        ...[sent('9', 21), sent('2', 5, other)],
      ],
    });
    const order = ['>551187654321', '>1', '<BR.user', '>8', '>7', '<2', '>9', '<3', '>2'];
    for (const limit of [1, 2, 3, 50]) expect([limit, await all(limit)]).toEqual([limit, order]);
    expect(await all(2, { lineId: other })).toEqual(['>2']);
    expect(await all(2, { contacts: ['9', '2'] })).toEqual(['<2', '>9', '>2']);
    const { rows } = await conversationPage(store, { lineId: line }, START, 3);
    expect(rows.map((row) => [row.at, row.written, 'has_failed' in row && Boolean(row.has_failed)])).toEqual([
      [at(51), '{"by":"551187654321"}', false],
      [at(50), '{"by":"1"}', true],
      [at(45), '{"by":"BR.user"}', false],
    ]);
  });

  test('wait after what asks for an answer, whatever asks for none comes later', async () => {
    const from = (name: string, contact: string, second: number, kind = 'text') =>
      event(name, { contact, kind, line_id: line, received_at: at(second) });
    const contacts = ['1', '2', '3', '4', '5', '6', '7'];
    await store.write({
      ...notificationOf([
        // Answered, and then nothing that asks; asked once more after it; never answered.
        ...[
          from('a', '1', 1),
          from('p', '1', 30, 'reaction'),
          from('c', '2', 2),
          from('q', '2', 31, 'system'),
        ],
        ...[from('e', '3', 3), from('r', '3', 32, 'revoke'), from('g', '4', 4), from('s', '4', 33)],
        ...[
          from('i', '5', 5),
          from('t', '5', 34, 'reaction'),
          from('u', '6', 35, 'system'),
          from('v', '7', 36, 'edit'),
        ],
      ]),
      windows: contacts.map((contact) => ({ line_id: line, contact, last_inbound_at: at(1) })),
      messages: ['1', '2', '3', '4'].map((contact) => sent(contact, 20)),
    });
    const { rows } = await conversationPage(store, {}, START, 50);
    expect(rows.map(({ contact, waits }) => `${contact} ${waits}`)).toEqual([
      ...['7 true', '6 false', '5 true', '4 true', '3 false', '2 false', '1 false'],
    ]);
    // The list of those that wait has the same, by what asks.
    for (const limit of [1, 2, 50]) expect(await all(limit, { waits: true })).toEqual(['<7', '<4', '<5']);
    expect((await conversationPage(store, { waits: true }, START, 50)).rows.every(({ waits }) => waits)).toBe(
      true,
    );
  });

  test('are looked for among so many for a page, and the next one goes on behind them', async () => {
    await store.write({
      ...notificationOf([]),
      messages: [sent('9', 1), ...Array.from({ length: 5_000 }, (_, index) => sent('7', 10 + index))],
    });
    const first = await conversationPage(store, {}, START, 50);
    expect(first.rows.map(({ contact }) => contact)).toEqual(['7']);
    expect(await all(50)).toEqual(['>7', '>9']);
  });

  test('tell what a contact called himself when he last wrote, under any name, among the latest events of his', async () => {
    const body = (name: string) =>
      JSON.stringify({ entry: [{ changes: [{ value: { contacts: [{ profile: { name } }] } }] }] });
    const said = (id: string, contact: string, name: string, line_id = line) =>
      event(id, { contact, line_id, body: body(name) });
    const told = (id: string, contact: string) =>
      event(id, { contact, line_id: line, subject: 'messageStatus' });
    await store.write({
      ...notificationOf([
        ...[said('a', '1', 'Ann'), said('b', '1', 'Anna'), said('c', '1', 'Bob', other), told('d', '1')],
        ...[said('e', '551187654321', 'Caio'), said('f', 'BR.user', 'Davi'), said('g', '4', 'Eva', other)],
        ...[said('h', '5', 'Fay'), ...Array.from({ length: 99 }, (_, index) => told(`i${index}`, '5'))],
        ...[said('j', '6', 'Gil'), ...Array.from({ length: 100 }, (_, index) => told(`k${index}`, '6'))],
      ]),
      windows: ['1', '551187654321', 'BR.user', '5', '6'].map((contact) => ({
        ...{ line_id: line, contact },
        last_inbound_at: at(1),
      })),
      aliases: [{ line_id: line, contact: '12025550147', identity: 'BR.user' }],
    });
    const asked = ['1', '1', '5511987654321', '12025550147', '4', '5', '6', '7'];
    const writers = await writersOf(
      store,
      asked.map((contact) => ({ line_id: line, contact })),
    );
    expect([...writers]).toEqual([
      [`${line} 1`, 'Anna'],
      [`${line} 5511987654321`, 'Caio'],
      [`${line} 12025550147`, 'Davi'],
      [`${line} 5`, 'Fay'],
    ]);
    expect(await writersOf(store, [])).toEqual(new Map());
  });
});
