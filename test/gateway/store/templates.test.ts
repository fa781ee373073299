import { DATABASES } from '../../support/databases';
import { addLine, at, openStores } from './support';

const template = (name: string, more: object = {}) => ({
  line_id: 1,
  name,
  language: 'en_US',
  upstream_id: `id of ${name}`,
  category: 'UTILITY',
  upstream_status: 'APPROVED',
  quality_score: 'GREEN',
  parameter_format: 'POSITIONAL',
  components: '[]',
  is_starter: 0,
  ...more,
});

const starter = (name: string) =>
  template(name, {
    upstream_id: null,
    upstream_status: null,
    quality_score: null,
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
      at(1),
    );
    expect(await store.templates.ofLine(line)).toMatchObject([
      { name: 'goodbye', upstream_status: null, is_starter: 1 },
      { name: 'kept', upstream_status: 'APPROVED', is_starter: 0 },
      { name: 'old', is_starter: 0 },
      { name: 'welcome', upstream_status: 'APPROVED', components: '["upstream"]', is_starter: 1 },
    ]);
    await store.templates.replaceSynced(line, [template('kept', { upstream_status: 'PAUSED' })], at(2));
    expect(await store.templates.ofLine(line)).toMatchObject([
      { name: 'goodbye', upstream_status: null },
      { name: 'kept', upstream_status: 'PAUSED' },
      { name: 'welcome', upstream_status: null, upstream_id: null, quality_score: null, is_starter: 1 },
    ]);
    expect(await store.templates.syncedAt(line)).toBe(at(2));
    expect(await store.templates.find(line, 'old', 'en_US')).toBeNull();
  });

  test('of other lines are left alone', async () => {
    const store = await open(await createUrl());
    const [one, other] = [await addLine(store, '1'), await addLine(store, '2')];
    await store.templates.replaceSynced(other, [template('theirs', { line_id: other })], at(1));
    await store.templates.replaceSynced(one, [template('ours', { line_id: one })], at(2));
    expect((await store.templates.ofLine(other)).map(({ name }) => name)).toEqual(['theirs']);
    expect(await store.templates.syncedAt(other)).toBe(at(1));
  });

  test('are replaced all at once, or not at all', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    await store.templates.replaceSynced(line, [template('before')], at(1));
    const broken = [template('after'), template('broken', { category: null })];
    await expect(store.templates.replaceSynced(line, broken, at(2))).rejects.toThrow();
    expect((await store.templates.ofLine(line)).map(({ name }) => name)).toEqual(['before']);
    expect(await store.templates.syncedAt(line)).toBe(at(1));
  });

  test('may be told of twice in one list', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const twice = [template('a', { category: 'MARKETING' }), template('b'), template('a')];
    await store.templates.replaceSynced(line, twice, at(1));
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
      at(1),
    );
    await store.templates.replaceSynced(
      line,
      names.map((name) => template(name)),
      at(2),
    );
    const stored = (await store.templates.ofLine(line)).map(({ name }) => name);
    expect(stored).toEqual([...names].sort());
  });
});
