import { DATABASES } from '../../../support/databases';
import { addLine, event, notificationOf, openStores } from '../support';

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
      const { rows, next }: Awaited<ReturnType<typeof store.conversationList.page>> =
        await store.conversationList.page(search, after, 1);
      found.push(...rows.map(({ id, contact }) => `${id.slice('evt_'.length)} ${contact}`));
      [after, more] = [next, next !== null];
    }
    return found;
  };
  expect(await all({})).toEqual(['e 1', 'd 3', 'c 1', 'b 2']);
  expect(await all({ lineId: line })).toEqual(['e 1', 'd 3', 'b 2']);
  expect(await all({ contacts: ['1'] })).toEqual(['e 1', 'c 1']);
});
