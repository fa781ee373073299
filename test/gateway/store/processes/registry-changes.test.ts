import { destinationRegistry } from '../../../../gateway/forwarding/destination-registry';
import { lineRegistry } from '../../../../gateway/lines/line-registry';
import { type Store } from '../../../../gateway/store/store';
import { followRegistry } from '../../../../gateway/store/follow-registry';
import { createVault } from '../../../../gateway/store/vault';
import { DATABASES } from '../../../support/databases';
import { write } from '../../../support/rows';
import { addDestination as addRow, addLine, at, openStores } from '../support';

const KEY = 'a key for tests, and for nothing else';

describe.each(DATABASES)('a change of the registry ($name)', ({ createUrl }) => {
  const open = openStores();
  const vault = createVault(KEY);
  let url: string;
  let store: Store;

  beforeEach(async () => {
    url = await createUrl();
    store = await open(url);
  });

  /** Both registries of a process, and how many rows with a secret it has read so far. */
  async function followed(of: Store) {
    const seen = { opened: 0, failures: [] as unknown[] };
    const counting = {
      ...vault,
      open: (...given: Parameters<typeof vault.open>) => {
        seen.opened++;
        return vault.open(...given);
      },
    };
    const log = { error: (fields: object) => void seen.failures.push(fields) };
    const lines = lineRegistry(of, counting, () => Date.parse(at(0)), log);
    const destinations = destinationRegistry(of, counting, () => Date.parse(at(0)), log);
    const { refresh } = await followRegistry(
      of,
      async (changes) => {
        await Promise.all([lines.load(changes), destinations.load(changes)]);
      },
      (error) => seen.failures.push(error),
    );
    const known = (ids: number[], hashes: string[]) => ({
      lines: lines.all(),
      byNumber: lines.all().map(({ phoneNumberId }) => lines.byPhoneNumberId(phoneNumberId)?.id),
      destinations: lines.all().map(({ id }) => destinations.ofLine(id)),
      each: ids.map((id) => destinations.byId(id)),
      opened: hashes.map((hash) => lines.openedBy(hash)),
    });
    return { seen, lines, destinations, refresh, known };
  }
  const addDestination = (line: number) =>
    addRow(store, line, { secret_sealed: vault.seal('destinations.secret', 'a secret of sixteen') });
  const addToken = (line: number, hash: string) =>
    store.tokens.insert({ line_id: line, hash, last_four: 'abcd', created_at: at(0) });

  test('reads the row that changed, and no other', async () => {
    const line = await addLine(store);
    const ids: number[] = [];
    for (let count = 0; count < 100; count++) ids.push(await addDestination(line));
    const process = await followed(store);
    expect(process.seen.opened).toBe(100);
    for (const change of [
      () => addDestination(line),
      () => store.destinations.update(ids[3] ?? 0, { paused_at: at(1) }),
      () => store.destinations.remove(ids[4] ?? 0, at(1)),
      () => addToken(line, 'hash'),
      () => store.lines.update(line, { name: 'Renamed' }),
    ]) {
      await change();
      await process.refresh();
    }
    expect(process.seen.opened).toBe(102);
    expect(process.destinations.ofLine(line)).toHaveLength(100);
  });

  test('leaves each process with what it would have read from the beginning', async () => {
    const hashes = ['one', 'two', 'three'];
    const lines = [await addLine(store, '1'), await addLine(store, '2')];
    const [first = 0, second = 0] = lines;
    const ids = [await addDestination(first), await addDestination(second), await addDestination(first)];
    const [a = 0, b = 0, c = 0] = ids;
    const tokens = [await addToken(first, 'one'), await addToken(second, 'two')];
    const [here, there] = [await followed(store), await followed(await open(url))];
    const changes: (() => Promise<unknown>)[] = [
      async () => lines.push(await addLine(store, '3')),
      async () => ids.push(await addDestination(first), await addDestination(lines[2] ?? 0)),
      () => store.destinations.remove(a, at(1)),
      () => store.destinations.update(b, { url: 'https://example.com/other' }),
      // Two lines exchange their numbers.
      async () => {
        await store.lines.update(first, { phone_number_id: '9' });
        await store.lines.update(second, { phone_number_id: '1' });
        await store.lines.update(first, { phone_number_id: '2' });
      },
      () => store.tokens.revoke(tokens[0]?.id ?? 0, at(1)),
      () => addToken(lines[2] ?? 0, 'three'),
      () => store.tokens.expire(tokens[1]?.id ?? 0, at(-1)),
      // A version before this one does not write down what it changed.
      async () => {
        await write(url, `update destinations set url = 'https://example.com/old' where id = ${c}`);
        await write(url, 'update registry set revision = revision + 1');
      },
      () => store.registry.touch(),
      async () => {
        await write(url, `delete from tokens where line_id = ${second}`);
        await write(url, `delete from destinations where line_id = ${second}`);
        await write(url, `delete from lines where id = ${second}`);
        await write(url, 'update registry set revision = revision + 1');
      },
    ];
    for (const change of changes) {
      await change();
      await Promise.all([here.refresh(), there.refresh()]);
      const fresh = await followed(store);
      const expected = fresh.known(ids, hashes);
      expect(here.known(ids, hashes)).toEqual(expected);
      expect(there.known(ids, hashes)).toEqual(expected);
    }
    expect([...here.seen.failures, ...there.seen.failures]).toEqual([]);
  });

  test('is written down for the latest thousand; who has missed more reads everything', async () => {
    const line = await addLine(store);
    const id = await addDestination(line);
    const process = await followed(store);
    await write(url, 'update registry set revision = revision + 1000');
    for (const path of ['one', 'two'])
      await store.destinations.update(id, { url: `https://example.com/${path}` });
    await process.refresh();
    expect(process.destinations.byId(id)?.url).toBe('https://example.com/two');
    const revision = await store.registry.revision();
    expect(await store.registry.changes(revision - 2, revision)).toEqual({
      lines: [],
      tokens: [],
      admin_tokens: [],
      destinations: [id],
    });
    expect(await store.registry.changes(revision - 3, revision)).toBeNull();
    // As after a copy of the database was put back.
    expect(await store.registry.changes(revision + 1, revision)).toBeNull();
  });
});
