import { type MessageChange } from '../../../gateway/store/commit/writes';
import { eventIds } from '../../../gateway/store/event-id';
import { HOUR, isoTime, MINUTE } from '../../../gateway/time';
import { toldPricing } from '../../../gateway/usage/pricing';
import { rebuildAll } from '../../../gateway/usage/rebuild';
import { dump } from '../../prove/usage-account';
import { DATABASES } from '../../support/databases';
import { addLine, event, notificationOf, openStores } from '../store/support';

const open = openStores();
const NOON = Date.parse('2026-11-10T12:00:00Z');
const CONTACTS = [
  '5511987654321',
  '14165550199',
  '18765550199',
  '77015550199',
  'MX.1349120865',
  '88351000',
  null,
];
const TEMPLATES = [null, 'order_ready', 'Order_ready', 'ähnlich', 'zzz', '注文'];
const CATEGORIES = ['MARKETING', 'utility', 'service', 'referral_conversion', undefined];
const STATUSES = ['sent', 'delivered', 'read', 'played', 'failed'] as const;

/** Stores 300 messages over three days with some of their statuses in any order; the same for each database. */
async function rowsOn(createUrl: () => Promise<string>): Promise<string> {
  const url = await createUrl();
  const store = await open(url);
  const lines = [await addLine(store), await addLine(store, '206540352242922')];
  await store.db.updateTable('lines').set({ time_zone: 'Asia/Kolkata' }).where('id', '=', 2).execute();
  let state = 7;
  const next = <Value>(of: readonly Value[]): Value => {
    state = (state * 48_271) % 2_147_483_647;
    return of[state % of.length] as Value;
  };
  const hours = Array.from({ length: 72 }, (_, hour) => NOON - hour * HOUR);
  for (let index = 0; index < 300; index++) {
    const [line_id, contact, at] = [next(lines), next(CONTACTS), next(hours)];
    const about = { line_id, wamid: `wamid.${index}`, contact };
    const template_name = next(TEMPLATES);
    const type = template_name === null ? next(['text', 'image', 'Zoo']) : 'template';
    const told: MessageChange[] = STATUSES.filter(() => next([true, false])).map((status) => ({
      ...about,
      [`${status}_at`]: isoTime(at + MINUTE * next([1, 2, 30, 700])),
      pricing: toldPricing(status, {
        category: next(CATEGORIES),
        type: next(['regular', 'free_entry_point']),
      }),
    }));
    const tell = () => store.write(notificationOf([], { messages: told }));
    if (next([true, false])) await tell();
    // Some are sent past the gateway.
    if (next([true, true, false]))
      await store.write({
        kind: 'message',
        message: { ...about, type, template_name, accepted_at: isoTime(at) },
      });
    await tell();
    const received = { id: eventIds(() => at)(), received_at: isoTime(at), line_id, contact, deliveries: [] };
    await store.write(
      notificationOf([event(`in.${index}`, { ...received, kind: next(['text', 'Zoo', 'image']) })]),
    );
  }
  await rebuildAll({ store, clock: () => NOON + HOUR, goesOn: () => true });
  return dump(url);
}

test('the same messages, statuses and events make the same rows on both databases', async () => {
  const [sqlite = '', postgres = ''] = await Promise.all(DATABASES.map(({ createUrl }) => rowsOn(createUrl)));
  expect(sqlite.split('\n').length).toBeGreaterThan(300);
  expect(postgres).toBe(sqlite);
});
