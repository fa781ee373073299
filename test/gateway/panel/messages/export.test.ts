import { type MessageChange } from '../../../../gateway/store/commit/writes';
import { isoTime, MINUTE } from '../../../../gateway/time';
import { toldPricing } from '../../../../gateway/usage/pricing';
import { startTraffic, type Traffic } from '../../../support/panel/traffic';
import { closingWindows, loggedIn } from '../../../support/panel/visitor';
import { rows } from '../../../support/rows';
import { CONTACT, sqliteUrl } from '../../../support/scene';

closingWindows();

describe('an export of messages', () => {
  let scene: Traffic;
  /** More than are read at a time, with three at each time. */
  const COUNT = 431;

  beforeAll(async () => {
    scene = await startTraffic(await sqliteUrl());
    const other = await scene.line({ name: 'Other' });
    const at = (number: number) => isoTime(scene.clock.now - Math.floor(number / 3) * MINUTE);
    const message = (number: number): MessageChange => ({
      line_id: scene.shop.id,
      wamid: `wamid.${number}`,
      contact: CONTACT,
      type: 'text',
      accepted_at: at(number),
      delivered_at: at(number),
    });
    const pricing = { category: 'MARKETING', type: 'regular', pricing_model: 'PMP', billable: true };
    const messages: MessageChange[] = [
      ...Array.from({ length: COUNT }, (_, number) => message(number)),
      { ...message(1), line_id: other.id, wamid: 'wamid.other' },
      {
        ...message(1000),
        wamid: 'wamid.told',
        client_ref: '=HYPERLINK("http://evil.example")',
        ...{ type: 'template', template_name: 'offer', template_language: 'pt_BR' },
        pricing: toldPricing('delivered', pricing),
      },
      {
        ...message(1001),
        wamid: 'wamid.failed',
        delivered_at: null,
        failed_at: at(1001),
        failure: JSON.stringify([{ code: 131047 }]),
      },
    ];
    await scene.change(({ store }) =>
      store.write({ kind: 'notification', events: [], windows: [], messages }),
    );
  });
  afterAll(() => scene.stop());

  async function saved(fields: Record<string, string>) {
    const { context, page } = await loggedIn(scene);
    await page.goto(`${scene.gateway.url}/panel/messages`);
    const form_token = await page.locator('[name=form_token]').first().inputValue();
    return context.request.post(`${scene.gateway.url}/panel/messages/export`, {
      form: { form_token, ...fields },
      headers: { origin: scene.gateway.url },
    });
  }

  const objects = async (fields: Record<string, string>) =>
    (await (await saved({ format: 'ndjson', ...fields })).text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  test('has every message of the filter once, the newest first, however many there are', async () => {
    const found = await objects({ line: String(scene.shop.id), state: 'delivered', q: CONTACT });
    expect(found).toHaveLength(COUNT + 1);
    expect(new Set(found.map(({ message_id: id }) => id)).size).toBe(COUNT + 1);
    const times = found.map(({ accepted_at: time }) => String(time));
    expect(times).toEqual(times.toSorted().reverse());
    expect((await objects({ line: 'Other' })).map(({ message_id: id }) => id)).toEqual(['wamid.other']);
    expect((await objects({ q: '131047' })).map(({ message_id: id }) => id)).toEqual(['wamid.failed']);
    expect((await saved({ line: 'nobody' })).status()).toBe(404);
  });

  test('tells what the platform told of the price, and why a message failed', async () => {
    const [told] = await objects({ q: 'wamid.told' });
    expect(told).toMatchObject({
      line_id: scene.shop.id,
      ...{ contact: CONTACT, type: 'template', template_name: 'offer', template_language: 'pt_BR' },
      ...{ pricing_category: 'marketing', pricing_type: 'regular', pricing_model: 'PMP', billable: true },
      country: 'US',
      ...{ state: 'delivered', failure_code: null },
    });
    expect(await objects({ state: 'failed' })).toMatchObject([
      { state: 'failed', failure_code: 131047, pricing_category: null, billable: null },
    ]);
  });

  test('is a file for spreadsheets that runs no formula, and is in the audit without the words searched for', async () => {
    const csv = await saved({ format: 'csv', q: 'wamid.told', line: String(scene.shop.id) });
    expect(csv.headers()['content-disposition']).toMatch(/^attachment; filename="messages-[\dT-]+\.csv"$/);
    const [head, row, ...more] = (await csv.text()).split('\r\n');
    expect([head?.startsWith('\uFEFFaccepted_at,line_id,message_id,contact,'), more]).toEqual([true, ['']]);
    expect(row).toContain(
      `,wamid.told,${CONTACT},template,,"'=HYPERLINK(""http://evil.example"")",offer,pt_BR,`,
    );
    expect(row).toContain(',marketing,regular,PMP,true,US,');
    const entries = await rows(
      scene.databaseUrl,
      "select details from audit where action = 'messages.exported' order by number desc limit 1",
    );
    expect(JSON.parse(String(entries[0]?.details))).toEqual({
      ...{ searched: true, line: scene.shop.id, format: 'csv' },
    });
  });
});
