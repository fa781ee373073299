import { timeZoneOf } from '../../../gateway/usage/time-zones';
import { DAY } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { startSandboxScene, type SandboxScene } from '../../support/sandbox-scene';

test('every id of the platform names a time zone, and others name none', () => {
  const zones = Array.from({ length: 141 }, (_, index) => timeZoneOf(String(index + 1)));
  for (const timeZone of zones) {
    expect(timeZone).not.toBeNull();
    expect(() => new Intl.DateTimeFormat('en', { timeZone: timeZone ?? '' })).not.toThrow();
  }
  expect(new Set(zones).size).toBe(zones.length);
  // Spot checks against the platform's list.
  expect(['1', '7', '25', '47', '71', '141'].map(timeZoneOf)).toEqual([
    ...['America/Los_Angeles', 'America/New_York', 'America/Sao_Paulo', 'Europe/Berlin', 'Asia/Kolkata'],
    'Africa/Johannesburg',
  ]);
  expect(['0', '142', '', 'x', '1.5'].map(timeZoneOf)).toEqual([null, null, null, null, null]);
});

describe.each(DATABASES)('the time zone of a line ($name)', ({ createUrl }) => {
  let scene: SandboxScene;
  beforeAll(async () => {
    scene = await startSandboxScene(await createUrl());
  });
  afterAll(() => scene.stop());

  test('is that of its business account, and its days are marked when it changes', async () => {
    const { id } = await scene.line();
    const counts = { sent: 1, delivered: 1, read: 0, failed: 0, received: 0, charged: 1 };
    const words = {
      direction: 'out',
      kind: 'text',
      template: '',
      category: '',
      type: '',
      country: 'US',
    } as const;
    const marks = () =>
      scene.change(async ({ store }) => {
        const rows = await store.db
          .selectFrom('usage_marks')
          .select('day')
          .where('line_id', '=', id)
          .execute();
        await store.db.deleteFrom('usage_marks').where('line_id', '=', id).execute();
        return rows.map(({ day }) => day).sort();
      });
    const zone = async () => (await scene.change(({ store }) => store.lines.find(id)))?.time_zone;
    await scene.gateway.pollDue();
    expect(await zone()).toBe('America/Los_Angeles');

    await scene.change(({ store }) =>
      store.db
        .insertInto('usage_days')
        .values([
          { line_id: id, clock: 'utc', day: '2026-03-02', ...words, ...counts },
          { line_id: id, clock: 'line', day: '2026-03-01', ...words, ...counts },
        ])
        .execute(),
    );
    await marks();
    const readAgain = async () => {
      scene.clock.now += 2 * DAY;
      await scene.gateway.pollDue();
    };
    await readAgain();
    expect(await marks()).toEqual([]);
    await scene.play('account', { timezone_id: '25' });
    await readAgain();
    expect([await zone(), await marks()]).toEqual(['America/Sao_Paulo', ['2026-03-01', '2026-03-02']]);
    // A new id of the platform.
    await scene.play('account', { timezone_id: '999' });
    await readAgain();
    expect([await zone(), await marks()]).toEqual([null, ['2026-03-01', '2026-03-02']]);
  });
});
