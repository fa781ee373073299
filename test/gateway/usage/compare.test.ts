import { storedChecks } from '../../../gateway/lines/checks/line-checks';
import { DAY } from '../../../gateway/time';
import { compareUsage, type ComparedRow } from '../../../gateway/usage/compare';
import { readPricingAnalytics } from '../../../gateway/usage/platform-usage';
import { rebuildAll } from '../../../gateway/usage/rebuild';
import { DATABASES } from '../../support/databases';
import { until } from '../../support/http-peer';
import { startSandboxScene, type SandboxScene } from '../../support/sandbox-scene';

type SandboxLine = Awaited<ReturnType<SandboxScene['line']>>;

/** Messages to it are delivered, but no status comes. */
const LOST = '12025550199';
const USUAL = '12025550147';

const greeting = (to: string): object => ({
  messaging_product: 'whatsapp',
  ...{ to, type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } },
});

describe.each(DATABASES)("the gateway's counts beside the platform's ($name)", ({ createUrl }) => {
  let scene: SandboxScene;
  beforeEach(async () => {
    scene = await startSandboxScene(await createUrl());
    await scene.play(`contacts/${LOST}`, { path: 'lost' });
  });
  afterEach(() => scene.stop());

  const compared = () =>
    scene.change(async ({ store, clock }) => {
      await rebuildAll({ store, clock, goesOn: () => true });
      return compareUsage({ store, clock });
    });
  const later = async (days: number) => {
    scene.clock.now += days * DAY;
    await scene.gateway.pollDue();
  };
  /** Sends through the gateway, and waits for the statuses if they come. */
  async function send({ id, send: post }: SandboxLine, to: string, times: number): Promise<void> {
    for (let sent = 0; sent < times; sent++) expect((await post(greeting(to))).status).toBe(200);
    if (to === LOST) return;
    await until(() =>
      scene.change(async ({ store }) => {
        const rows = await store.db
          .selectFrom('messages')
          .select('read_at')
          .where('line_id', '=', id)
          .execute();
        return rows.every((row) => row.read_at !== null);
      }),
    );
  }
  /** Another program sends from the same number. */
  async function sendPast({ phoneNumberId, accessToken }: SandboxLine, to: string): Promise<void> {
    const answer = await fetch(`${scene.sandboxUrl}/v22.0/${phoneNumberId}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(greeting(to)),
    });
    expect(answer.status).toBe(200);
  }
  const isDelivered = (count: number) =>
    until(async () => {
      const { rows } = await scene.play('book');
      return rows.reduce((sum: number, row: { delivered: number }) => sum + row.delivered, 0) === count;
    });

  test('agree, or say why they probably differ, once the platform has final counts', async () => {
    const [same, past, unreported, priced, border] = [
      await scene.line(),
      await scene.line(),
      await scene.line(),
      await scene.line(),
      await scene.line(),
    ];
    for (const line of [same, past, unreported, priced]) await send(line, USUAL, 2);
    await sendPast(past, LOST);
    await send(unreported, LOST, 1);
    await isDelivered(10);
    const change = (line: SandboxLine, values: { pricing?: string; accepted_at?: string }) =>
      scene.change(({ store }) =>
        store.db.updateTable('messages').set(values).where('line_id', '=', line.id).execute(),
      );
    await change(priced, { pricing: '[1,"marketing","regular","PMP",true]' });

    await later(1);
    // Of the day before, the platform's counts are not final yet.
    expect(await compared()).toMatchObject({ days: { from: '2026-03-01', to: '2026-03-08' }, rows: [] });
    // Accepted just before midnight in Los Angeles, and delivered after it.
    await send(border, USUAL, 2);
    await change(border, { accepted_at: '2026-03-11T06:59:00.000Z' });
    await later(2);
    const { days, rows } = await compared();
    expect(days).toEqual({ from: '2026-03-01', to: '2026-03-10' });
    const row = (
      line: SandboxLine,
      category: string,
      ours: number,
      theirs: number,
      more: Partial<ComparedRow>,
    ) => ({
      ...{ lineId: line.id, category, type: 'regular', ours, theirs },
      countries: ours === theirs ? [] : [{ country: 'US', difference: theirs - ours }],
      isFlagged: ours !== theirs,
      ...more,
    });
    expect(rows).toEqual([
      row(priced, 'marketing', 2, 0, { reason: 'other_price' }),
      row(priced, 'utility', 0, 2, { reason: 'other_price' }),
      row(border, 'utility', 2, 0, { reason: 'day_borders' }),
      row(past, 'utility', 2, 3, { reason: 'past_gateway' }),
      row(unreported, 'utility', 2, 3, { reason: 'no_status' }),
      row(same, 'utility', 2, 2, { reason: null }),
    ]);
  });

  test('remain when the token may not read them any more', async () => {
    const line = await scene.line();
    const reading = async () => {
      const row = await scene.change(({ store }) => store.lines.find(line.id));
      return row && storedChecks(row)?.usage;
    };
    await send(line, USUAL, 1);
    await later(3);
    expect([await reading(), (await compared()).rows.map(({ theirs }) => theirs)]).toEqual([
      { value: true },
      [1],
    ]);
    await scene.play('token', { scopes: ['whatsapp_business_messaging'] });
    await later(2);
    expect(await reading()).toEqual({ unread: { lacks: 'whatsapp_business_management' } });
    // What was read before remains.
    expect((await compared()).rows.map(({ theirs }) => theirs)).toEqual([1]);
  });
});

const point = { start: 1773126000, end: 1773212400, phone_number: '+1 202-555-0123', volume: 2 };
const answerOf = (...points: unknown[]) => ({ pricing_analytics: { data: [{ data_points: points }] } });

test.each([
  ['nothing', null],
  ['no field', { id: '102290129340398' }],
  ['no list', { pricing_analytics: { data: { data_points: [] } } }],
  ['a point without its fields', answerOf(point, {})],
  ['a point at no time', answerOf(point, { ...point, start: 1e20, end: 1e20 })],
  ['a point of no number', answerOf(point, { ...point, phone_number: undefined })],
])('an answer with %s is not read, so that no day is compared as one without messages', (_name, answer) => {
  expect(readPricingAnalytics(answer, 'UTC', Date.parse('2026-03-10T12:00Z'))).toBeNull();
});

test('an answer without points means that nothing was delivered', () => {
  expect(readPricingAnalytics(answerOf(), 'UTC', Date.parse('2026-03-10T12:00Z'))).toEqual({
    ...{ from: '2026-02-28', to: '2026-03-10' },
    counts: [],
  });
});

test("texts of the platform that are no words are not kept, and the days are those of the account's zone", () => {
  const odd = {
    ...{ ...point, country: '<b>' },
    ...{ pricing_type: 'REGULAR', pricing_category: "MARKETING'; drop table lines" },
  };
  const answer = answerOf(odd, odd);
  expect(readPricingAnalytics(answer, 'America/Los_Angeles', Date.parse('2026-03-12T12:00Z'))).toEqual({
    ...{ from: '2026-03-02', to: '2026-03-12' },
    counts: [
      {
        ...{ phoneNumber: '12025550123', day: '2026-03-10', category: '', type: 'regular', country: '??' },
        delivered: 4,
      },
    ],
  });
});
