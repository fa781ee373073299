import { DATABASES } from '../../../support/databases';
import { addLine, at, openStores } from '../support';

/** A list of the account's templates that was read in one second. */
const list = (second: number) => ({
  wabaId: '102290129340398',
  readAt: at(second),
  syncedAt: at(second),
});

const template = (name: string, more: object = {}) => ({
  name,
  language: 'en_US',
  upstream_id: `id of ${name}`,
  category: 'UTILITY',
  upstream_status: 'APPROVED',
  quality_score: 'GREEN',
  rejected_reason: null,
  quality_node: '{"score":"GREEN","date":1}',
  parameter_format: 'POSITIONAL',
  components: '[]',
  ...more,
});

const starter = (name: string) => ({
  ...template(name),
  line_id: 1,
  upstream_id: null,
  upstream_status: null,
  quality_score: null,
  rejected_reason: null,
  quality_node: null,
  components: '["starter"]',
  is_starter: 1,
});

describe.each(DATABASES)('the templates of a line ($name)', ({ createUrl }) => {
  const open = openStores();

  test('are replaced by what upstream tells: starters stay, others go', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    await store.templates.insertStarters([starter('welcome'), starter('goodbye')]);
    await store.templates.replaceSynced(
      line,
      [template('welcome', { components: '["upstream"]' }), template('old'), template('kept')],
      list(1),
    );
    expect(await store.templates.ofLine(line)).toMatchObject([
      { name: 'goodbye', upstream_status: null, is_starter: 1 },
      { name: 'kept', upstream_status: 'APPROVED', is_starter: 0 },
      { name: 'old', is_starter: 0 },
      { name: 'welcome', upstream_status: 'APPROVED', components: '["upstream"]', is_starter: 1 },
    ]);
    await store.templates.replaceSynced(line, [template('kept', { upstream_status: 'PAUSED' })], list(2));
    expect(await store.templates.ofLine(line)).toMatchObject([
      { name: 'goodbye', upstream_status: null },
      { name: 'kept', upstream_status: 'PAUSED' },
      {
        name: 'welcome',
        upstream_status: null,
        upstream_id: null,
        quality_score: null,
        rejected_reason: null,
        quality_node: null,
      },
    ]);
    expect(await store.templates.syncedAt(line)).toBe(at(2));
    expect(await store.templates.find(line, 'old', 'en_US')).toBeNull();
  });

  test('of other lines are left alone', async () => {
    const store = await open(await createUrl());
    const [one, other] = [await addLine(store, '1'), await addLine(store, '2')];
    await store.templates.replaceSynced(other, [template('theirs')], list(1));
    await store.templates.replaceSynced(one, [template('ours')], list(2));
    expect((await store.templates.ofLine(other)).map(({ name }) => name)).toEqual(['theirs']);
    expect(await store.templates.syncedAt(other)).toBe(at(1));
  });

  test('are replaced all at once, or not at all', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    await store.templates.replaceSynced(line, [template('before')], list(1));
    const broken = [template('after'), template('broken', { category: null })];
    await expect(store.templates.replaceSynced(line, broken, list(2))).rejects.toThrow();
    expect((await store.templates.ofLine(line)).map(({ name }) => name)).toEqual(['before']);
    expect(await store.templates.syncedAt(line)).toBe(at(1));
  });

  test('are not replaced by a list that was read before the one that is stored, or is of another account', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    await store.templates.replaceSynced(line, [template('newer')], list(5));
    await store.templates.replaceSynced(line, [template('older')], { ...list(4), syncedAt: at(9) });
    await store.templates.replaceSynced(line, [template('theirs')], { ...list(6), wabaId: '7' });
    expect((await store.templates.ofLine(line)).map(({ name }) => name)).toEqual(['newer']);
    expect(await store.templates.syncedAt(line)).toBe(at(5));
    // What a clock stored that was wrong counts for nothing.
    await store.templates.replaceSynced(line, [template('now')], list(3));
    expect((await store.templates.ofLine(line)).map(({ name }) => name)).toEqual(['now']);
  });

  test('have the status of the later of two lists that were read in one second', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const read = (upstream_status: string) =>
      store.templates.replaceSynced(line, [template('a', { upstream_status })], list(10));
    await read('PENDING');
    await read('APPROVED');
    expect(await store.templates.find(line, 'a', 'en_US')).toMatchObject({ upstream_status: 'APPROVED' });
    // An event of that second may be newer than the list.
    const change = { upstream_id: 'id of a', name: 'a', language: 'en_US', at: at(10) };
    await store.templates.applyChanges(line, [{ ...change, upstream_status: 'PAUSED' }]);
    await read('APPROVED');
    expect(await store.templates.find(line, 'a', 'en_US')).toMatchObject({ upstream_status: 'PAUSED' });
  });

  test('keep of each fact what was told last, whatever the order of arrival', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    await store.templates.replaceSynced(line, [template('a')], list(10));
    const change = (second: number, more: object) => ({
      upstream_id: 'id of a',
      name: 'a',
      language: 'en_US',
      at: at(second),
      ...more,
    });
    const apply = (...changes: ReturnType<typeof change>[]) => store.templates.applyChanges(line, changes);
    expect(
      await apply(
        change(14, { upstream_status: 'PAUSED' }),
        change(12, { upstream_status: 'REJECTED', category: 'MARKETING' }),
        change(9, { quality_score: 'RED' }),
      ),
    ).toBe(false);
    expect(await apply(change(13, { upstream_status: 'APPROVED' }))).toBe(false);
    expect(await store.templates.find(line, 'a', 'en_US')).toMatchObject({
      upstream_status: 'PAUSED',
      status_at: at(14),
      category: 'MARKETING',
      category_at: at(12),
      quality_score: 'GREEN',
      quality_at: at(9.999),
    });
    // Newer than the list's reading: stays. Older: is replaced.
    const read = template('a', { upstream_status: 'APPROVED', category: 'UTILITY' });
    await store.templates.replaceSynced(line, [read], list(13));
    expect(await store.templates.find(line, 'a', 'en_US')).toMatchObject({
      upstream_status: 'PAUSED',
      status_at: at(14),
      category: 'UTILITY',
      category_at: at(12.999),
    });
  });

  test('are found by their id where they are told of under another name, and missed where there are none', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    await store.templates.insertStarters([{ ...starter('welcome'), line_id: line }]);
    await store.templates.replaceSynced(line, [template('a')], list(1));
    const change = { name: 'a', language: 'en', at: at(2), upstream_status: 'PAUSED' };
    expect(await store.templates.applyChanges(line, [{ ...change, upstream_id: 'id of a' }])).toBe(false);
    expect(await store.templates.applyChanges(line, [{ ...change, upstream_id: 'another' }])).toBe(true);
    expect(
      await store.templates.applyChanges(line, [
        { ...change, name: 'welcome', language: 'en_US', upstream_id: null },
      ]),
    ).toBe(true);
    expect(await store.templates.ofLine(line)).toMatchObject([
      { name: 'a', upstream_status: 'PAUSED' },
      { name: 'welcome', upstream_status: null },
    ]);
  });

  test('may be told of twice in one list', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const twice = [template('a', { category: 'MARKETING' }), template('b'), template('a')];
    await store.templates.replaceSynced(line, twice, list(1));
    expect(await store.templates.ofLine(line)).toMatchObject([
      { name: 'a', category: 'UTILITY' },
      { name: 'b' },
    ]);
  });

  test('may be thousands, and come in the order of their code points', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const names = Array.from({ length: 1200 }, (_, number) => `t_${number}`);
    await store.templates.replaceSynced(
      line,
      names.map((name) => template(name)),
      list(1),
    );
    await store.templates.replaceSynced(
      line,
      names.map((name) => template(name)),
      list(2),
    );
    const stored = (await store.templates.ofLine(line)).map(({ name }) => name);
    expect(stored).toEqual([...names].sort());
  });
});
