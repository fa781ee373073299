import { type UsageDayTable } from '../../../../gateway/store/schema';
import { adminToken, askAdmin } from '../../../support/admin-api';
import { addCustomer } from '../../../support/customer-things';
import { DATABASES } from '../../../support/databases';
import { expectRefusal, sceneOf, type Json, type Reply } from '../../../support/scene';

/** Not the whole month, whose counts are in another table. */
const MARCH = 'from=2026-03-02&to=2026-03-31';

describe.each(DATABASES)('usage in the management API ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_TOKEN_RATE: 'off' });
  let token: string;
  let ofCustomer: string;
  let customer: number;
  let lines: [own: number, customers: number];
  const ask = (query: string, by = token): Promise<Reply> => askAdmin(scene, by, 'GET', `/usage?${query}`);
  const rowsOf = async (query: string, by = token): Promise<Json[]> => (await ask(query, by)).body.rows;

  beforeAll(async () => {
    token = await adminToken(scene);
    customer = await addCustomer(scene, 'Lucky Shrub');
    lines = [(await scene.line()).id, (await scene.line()).id];
    await scene.change(({ store }) => store.lines.update(lines[1], { customer_id: customer }));
    ofCustomer = await adminToken(scene, { customerIds: [customer], permissions: ['usage.read'] });
    const counts = { delivered: 0, read: 0, failed: 0, received: 0, charged: 0 };
    const day = (line_id: number, more: Partial<UsageDayTable>): UsageDayTable => ({
      ...{ line_id, clock: 'line', day: '2026-03-02', direction: 'out', kind: 'template' },
      ...{ template: 'offer', category: 'marketing', type: 'regular', country: 'BR', sent: 1 },
      ...counts,
      ...more,
    });
    await scene.change(async ({ store }) => {
      await store.db
        .insertInto('usage_days')
        .values([
          day(lines[0], { sent: 9, delivered: 8, read: 7, failed: 1, charged: 8 }),
          day(lines[0], { day: '2026-03-31', country: 'PT', sent: 2, delivered: 2, charged: 2 }),
          day(lines[0], { clock: 'utc', sent: 64 }),
          day(lines[1], { sent: 4, template: '' }),
        ])
        .execute();
      await store.rateCards.insert({
        ...{ customer_id: null, name: 'Spring', currency: 'EUR', effective_from: '2026-01-01' },
        ...{ imported_at: '2026-01-01T00:00:00.000Z', rates: '{"marketing": {"BR": 50000}}' },
      });
    });
  });

  test('is counted by value and period, with an estimate that names its rate card', async () => {
    const { status, body } = await ask(`${MARCH}&by=country&per=month&line_id=${lines[0]}`);
    expect([status, body]).toEqual([
      200,
      {
        ...{ from: '2026-03-02', to: '2026-03-31', clock: 'line', as_of: expect.stringMatching(/Z$/) },
        rows: [
          {
            ...{ period: '2026-03', value: 'BR', unpriced: 0 },
            ...{ sent: 9, delivered: 8, read: 7, failed: 1, received: 0, charged: 8 },
            estimates: [
              {
                ...{ currency: 'EUR', micros: 400_000 },
                rate_cards: [{ id: 1, name: 'Spring', effective_from: '2026-01-01' }],
              },
            ],
          },
          {
            ...{ period: '2026-03', value: 'PT', unpriced: 2, estimates: [] },
            ...{ sent: 2, delivered: 2, read: 0, failed: 0, received: 0, charged: 2 },
          },
        ],
        total: expect.objectContaining({ sent: 11, charged: 10, unpriced: 2 }),
      },
    ]);
  });

  test.each([
    ['', [[null, 15]]],
    ['&clock=utc', [[null, 64]]],
    ['&template=', [[null, 4]]],
    ['&country=PT', [[null, 2]]],
    ['&category=utility', []],
    ['&by=template', [['', 4], ['offer', 11]]], // prettier-ignore
  ])('is filtered: %s', async (query, expected) => {
    expect((await rowsOf(MARCH + query)).map(({ value, sent }) => [value, sent])).toEqual(expected);
    const [named] = await rowsOf(`${MARCH}&customer_id=${customer}`);
    expect(named?.sent).toBe(4);
  });

  test('is that of the reach: another line is refused like one that does not exist', async () => {
    expect((await rowsOf(`${MARCH}&by=line`, ofCustomer)).map(({ value }) => value)).toEqual([
      String(lines[1]),
    ]);
    const refused = async (query: string) => {
      const answer = await ask(`${MARCH}&${query}`, ofCustomer);
      return expectRefusal(answer, 400, 'invalid_query', 100);
    };
    expect(await refused(`line_id=${lines[0]}`)).toBe(await refused('line_id=999999'));
    expect(await refused(`customer_id=${customer + 1}`)).toBe(await refused('customer_id=999999'));
    const others = await adminToken(scene, { permissions: ['events.read', 'messages.read', 'gateway'] });
    expectRefusal(await ask(MARCH, others), 403, 'permission_missing', 10);
  });

  test.each(['', 'from=2026-03-01', `${MARCH}&by=type`, `${MARCH}&per=hour`, `${MARCH}&line_id=x`])(
    'is refused with the parameters that are wrong: %s',
    async (query) => {
      expectRefusal(await ask(query), 400, 'invalid_query', 100);
    },
  );
});
