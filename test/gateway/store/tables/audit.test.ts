import { type Fact } from '../../../../gateway/wording/facts';
import { say } from '../../../../gateway/wording/say';
import { audited } from '../../../../gateway/store/with-audit';
import { openStore, type Store } from '../../../../gateway/store/store';
import { createVault } from '../../../../gateway/store/vault';
import { DATABASES } from '../../../support/databases';
import { tamper } from '../../../support/tamper';

const inEnglish = (faults: Fact[]): string[] => faults.map((one) => say('en', one));
const vault = createVault('a key for tests, and for nothing else');
const ANA = { who: 'ana', through: 'panel', address: '192.0.2.1' } as const;

describe.each(DATABASES)('the audit on $name', ({ createUrl }) => {
  let url: string;
  let store: Store;
  let refreshed: number;

  beforeEach(async () => {
    url = await createUrl();
    store = await openStore(url);
    refreshed = 0;
  });
  afterEach(() => store.close());

  const world = () => ({
    store,
    vault,
    registry: { refresh: async () => void refreshed++ },
    clock: () => Date.parse('2026-03-10T12:00:00Z'),
  });
  const write = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        audited(world(), ANA, { action: 'line.edited', lineId: 1, details: { index } }, async () => {}),
      ),
    );
  const faults = async () => inEnglish((await store.audit.verify(vault)).faults);

  test('tells who changed what, when and from where', async () => {
    await audited(
      world(),
      ANA,
      { action: 'line.edited', lineId: 7, details: { name: 'Shop' } },
      async () => {},
    );
    expect(await store.audit.page({}, 10)).toEqual([
      {
        number: 1,
        at: '2026-03-10T12:00:00.000Z',
        ...ANA,
        action: 'line.edited',
        line_id: 7,
        details: '{"name":"Shop"}',
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(refreshed).toBe(1);
  });

  test('holds an entry exactly where the change is done: both are there, or neither', async () => {
    const failed = audited(world(), ANA, { action: 'user.added' }, async ({ store: inside }) => {
      await inside.links.insert({ hash: 'x', user_id: null, created_at: '1', expires_at: '9' });
      throw new Error('broken off');
    });
    await expect(failed).rejects.toThrow('broken off');
    expect(await store.links.find('x', '2')).toBeNull();
    expect(await store.audit.page({}, 10)).toEqual([]);
    expect(await faults()).toEqual([]);
    await audited(
      world(),
      ANA,
      () => null,
      async () => {},
    );
    expect(await store.audit.page({}, 10)).toEqual([]);
  });

  test('is one chain, however many write at once, in however many processes', async () => {
    const other = await openStore(url);
    const elsewhere = Array.from({ length: 10 }, () =>
      audited({ ...world(), store: other }, ANA, { action: 'token.created' }, async () => {}),
    );
    await Promise.all([write(10), ...elsewhere]);
    await other.close();
    const numbers = (await store.audit.page({}, 100)).map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => 20 - index));
    expect(await store.audit.verify(vault)).toMatchObject({ entries: 20, faults: [] });
  });

  describe('whose old entries are cleared away', () => {
    const MARCH = '2026-03-10T12:00:00.000Z';
    const AFTER = '2026-03-10T12:00:00.001Z';
    const clear = (before: string, of = store) =>
      audited<number | null>(
        { ...world(), store: of, clock: () => Date.parse('2028-03-11T00:00:00Z') },
        { who: 'messaging gateway', through: 'gateway', address: null },
        (upTo) => (upTo === null ? null : { action: 'audit.cleared', details: { up_to: upTo } }),
        ({ store: inside }) => inside.audit.clearBefore(vault, before),
      );
    const numbers = async () => (await store.audit.page({}, 100)).map(({ number }) => number);

    test('verifies from there on, as a whole and page by page, and goes on', async () => {
      await write(5);
      expect(await clear(MARCH)).toBeNull();
      expect(await clear(AFTER)).toBe(5);
      expect(await numbers()).toEqual([6]);
      expect(await store.audit.verify(vault)).toMatchObject({ entries: 6, cleared: 5, faults: [] });
      await write(2);
      const rows = await store.audit.page({}, 100);
      expect(await store.audit.check(vault, rows)).toEqual({ verified: rows, faults: [] });
      // One that is not old holds the others behind it.
      expect(await clear(AFTER)).toBeNull();
      expect(await clear('2029')).toBe(8);
      expect(await store.audit.verify(vault)).toMatchObject({ entries: 9, cleared: 8, faults: [] });
    });

    test('clears away nothing that was changed: it shows that somebody did', async () => {
      await write(5);
      await tamper(url, `update audit set who = 'eve' where number = 3`);
      await expect(clear(AFTER)).rejects.toThrow('Nothing of the audit is cleared away. Entry 3 of');
      expect(await numbers()).toEqual([5, 4, 3, 2, 1]);
    });

    test.each([
      ['made to start later', 'delete from audit where number < 7', 'Entry 6 is missing.'],
      ['with old entries put back', `update audit set number = 2 where number = 8`, 'Entry 2 was inserted'],
      [
        'whose start is taken away',
        'update audit_head set start_sealed = null',
        'Entries 1 to 5 are missing.',
      ],
      ['whose start is made up', `update audit_head set start_sealed = key_sealed`, 'The start of the audit'],
    ])('is found out where it is %s', async (_how, statements, fault) => {
      await write(5);
      await clear(AFTER);
      await write(2);
      const rows = await store.audit.page({}, 100);
      await tamper(url, statements);
      expect(await faults()).toContainEqual(expect.stringContaining(fault));
      const { faults: told } = await store.audit.check(vault, rows);
      if (!fault.includes('missing')) expect(inEnglish(told)).toContainEqual(expect.stringContaining(fault));
    });

    test('keeps its start through a new key', async () => {
      await write(2);
      await clear(AFTER);
      const fresh = createVault('another key for tests, and for nothing else', [
        'a key for tests, and for nothing else',
      ]);
      expect(await store.secrets.sealAnew(fresh)).toBe(2);
      const alone = createVault('another key for tests, and for nothing else');
      expect(await store.audit.verify(alone)).toMatchObject({ cleared: 2, faults: [] });
    });

    test('is cleared by one of two that do so at once', async () => {
      await write(5);
      const other = await openStore(url);
      const cleared = await Promise.all([clear(AFTER), clear(AFTER, other)]);
      await other.close();
      expect(cleared.sort()).toEqual([5, null]);
      expect(await faults()).toEqual([]);
    });
  });

  test.each([
    ['an entry that was changed', `update audit set who = 'eve' where number = 3`, 'Entry 3 of 2026'],
    ['a time that was changed', `update audit set at = '2026-01-01' where number = 3`, 'Entry 3 of'],
    ['details that were changed', `update audit set details = '{}' where number = 3`, 'Entry 3 of'],
    ['an entry that was removed', 'delete from audit where number = 3', 'Entry 3 is missing.'],
    [
      'the last entries that were removed',
      'delete from audit where number > 3',
      'Entries 4 to 5 are missing.',
    ],
    [
      'two entries that changed places',
      'update audit set number = 20 where number = 2; update audit set number = 2 where number = 3; update audit set number = 3 where number = 20',
      'Entry 2 of',
    ],
    ['a head that was put back', 'update audit_head set entries = 4', 'The last entry is not the one'],
    [
      'a last entry that was removed with a head that says so',
      'delete from audit where number = 5; update audit_head set entries = 4',
      'The last entry is not the one',
    ],
  ])('finds %s', async (_what, statements, fault) => {
    await write(5);
    expect(await faults()).toEqual([]);
    await tamper(url, statements);
    expect((await faults())[0]).toContain(fault);
  });

  /** An entry that somebody writes who has seen others. */
  const planted = (number: number) =>
    `insert into audit select ${number}, at, 'eve', through, address, action, line_id, details, hash from audit where number = 2`;

  test.each([0, -1, -7, 6, 7, 1005])(
    'finds an entry that was put in outside of it, at %i',
    async (number) => {
      await write(5);
      await tamper(url, planted(number));
      expect(await faults()).toEqual([`Entry ${number} was inserted: it is not part of the audit.`]);
      const rows = await store.audit.page({}, 10);
      expect(rows.map((row) => row.number)).toEqual([5, 4, 3, 2, 1]);
      const checked = await store.audit.check(vault, rows);
      expect({ ...checked, faults: inEnglish(checked.faults) }).toEqual({
        verified: rows,
        faults: await faults(),
      });
    },
  );

  test('goes on where an entry was put in at its end, which stays to be found', async () => {
    await write(5);
    await tamper(url, `${planted(6)}; ${planted(7)}; ${planted(-3)}`);
    await write(3);
    expect((await store.audit.page({}, 10)).map(({ number, who }) => [number, who])).toEqual(
      [8, 7, 6, 5, 4, 3, 2, 1].map((number) => [number, 'ana']),
    );
    expect(await faults()).toEqual(
      [-5, -4, -3].map((number) => `Entry ${number} was inserted: it is not part of the audit.`),
    );
    expect(await store.audit.verify(vault)).toMatchObject({ entries: 8 });
  });

  test('that is empty has no entry that was put in', async () => {
    await tamper(
      url,
      `insert into audit values (1, '2026', 'eve', 'panel', null, 'user.added', null, '{', 'x')`,
    );
    expect(await faults()).toEqual(['Entry 1 was inserted: it is not part of the audit.']);
    expect(await store.audit.page({}, 10)).toEqual([]);
    await write(1);
    expect((await store.audit.page({}, 10)).map(({ who }) => who)).toEqual(['ana']);
  });

  test.each([
    ['nothing', 'update audit set who = who', [5, 4, 3, 2, 1], []],
    [
      'an entry that was changed',
      `update audit set details = '{' where number = 3`,
      [5, 4, 2, 1],
      ['Entry 3 of 2026-03-10T12:00:00.000Z is not as it was written.'],
    ],
    [
      'an entry that was removed',
      'delete from audit where number = 3',
      [5, 2, 1],
      ['Entry 3 is missing. Entry 4 cannot be verified.'],
    ],
    [
      'the last entries that were removed',
      'delete from audit where number > 3',
      [3, 2, 1],
      ['Entries 4 to 5 are missing.'],
    ],
    ['all that was removed', 'delete from audit', [], ['Entries 1 to 5 are missing.']],
    [
      'another hash of the head',
      `update audit_head set hash = 'x'`,
      [4, 3, 2, 1],
      ['The last entry is not the one that the head names.'],
    ],
    [
      'a head that was put back',
      'update audit_head set entries = 4',
      [3, 2, 1],
      [
        'Entry 5 was inserted: it is not part of the audit.',
        'The last entry is not the one that the head names.',
      ],
    ],
    ['a head that is gone', 'delete from audit_head', [], ['The head of the audit is missing.']],
    [
      'a key that is gone',
      'update audit_head set key_sealed = null',
      [],
      ['The key of the audit is missing.'],
    ],
  ])('shows what verifies, and tells of the rest: %s', async (_what, statements, numbers, told) => {
    await write(5);
    await tamper(url, statements);
    const { verified, faults: found } = await store.audit.check(vault, await store.audit.page({}, 10));
    expect(verified.map(({ number }) => number)).toEqual(numbers);
    expect(inEnglish(found)).toEqual(told);
    expect((await faults()).length > 0).toBe(told.length > 0);
  });

  test('that was put back whole to an earlier time is told by a hash that was kept', async () => {
    await write(3);
    const { entries, lastHash } = await store.audit.verify(vault);
    expect(await store.audit.hash(entries)).toBe(lastHash);
    await tamper(
      url,
      'delete from audit where number = 3; update audit_head set entries = 2, hash = (select hash from audit where number = 2)',
    );
    // This is what cannot be seen from within.
    expect(await faults()).toEqual([]);
    expect(await store.audit.hash(entries)).toBeNull();
  });

  test('cannot be written anew by whoever does not have the secret key', async () => {
    await write(2);
    await expect(store.audit.verify(createVault('another key, of more than 32 characters'))).rejects.toThrow(
      'GATEWAY_SECRET_KEY is not the key',
    );
  });

  test('is read from any place onwards, and by who, what and line', async () => {
    await write(5);
    await audited(world(), { ...ANA, who: 'ben' }, { action: 'user.added' }, async () => {});
    const numbers = async (filter: Parameters<Store['audit']['page']>[0], limit = 10) =>
      (await store.audit.page(filter, limit)).map(({ number }) => number);
    expect(await numbers({}, 2)).toEqual([6, 5]);
    expect(await numbers({ before: 5 }, 2)).toEqual([4, 3]);
    expect(await numbers({ who: 'ben' })).toEqual([6]);
    expect(await numbers({ action: 'line.edited', lineId: 1, before: 3 })).toEqual([2, 1]);
    expect(await store.audit.words()).toEqual({
      who: ['ana', 'ben'],
      actions: ['line.edited', 'user.added'],
    });
  });
});
