import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say } from '../../../../gateway/wording/say';
import { audited } from '../../../../gateway/store/with-audit';
import { openStore, type Store } from '../../../../gateway/store/store';
import { checkEntries, type CustomerEntry } from '../../../../gateway/store/tables/customer-audit';
import { createVault } from '../../../../gateway/store/vault';
import { DATABASES } from '../../../support/databases';
import { tamper } from '../../../support/tamper';
import { addLine } from '../support';

const vault = createVault('a key for tests, and for nothing else');
const ANA = { who: 'ana', through: 'panel', address: '192.0.2.1' } as const;

describe.each(DATABASES)('the audit of each customer on $name', ({ createUrl }) => {
  let url: string;
  let store: Store;
  let one: number;
  let other: number;
  let line: number;

  beforeEach(async () => {
    url = await createUrl();
    store = await openStore(url);
    [one, other] = [await customer('One Inc'), await customer('Other Inc')];
    line = await addLine(store);
    await give(line, one);
  });
  afterEach(() => store.close());

  const customer = async (name: string): Promise<number> =>
    (await store.customers.insert({ name, external_id: null, created_at: '2026-03-10T12:00:00Z' }))?.id ?? 0;
  const give = async (lineId: number, customerId: number | null): Promise<void> =>
    store.lines.update(lineId, { customer_id: customerId });
  const world = () => ({
    store,
    vault,
    registry: { refresh: async () => {} },
    clock: () => Date.parse('2026-03-10T12:00:00Z'),
  });
  const write = (what: string, lineId: number | null = line) =>
    audited(world(), ANA, { action: 'line.edited', lineId, details: { what } }, async () => {});
  const page = async (customerId: number): Promise<CustomerEntry[]> =>
    checkEntries(await store.customerAudit.page(customerId, {}, 50)).verified;
  const told = async (customerId: number): Promise<string[]> =>
    (await page(customerId)).map(({ number, details }) => `${number} ${String(JSON.parse(details).what)}`);
  const faults = async (): Promise<string[]> =>
    (await store.audit.verify(vault)).faults.map((fault) => say('en', fault));

  test('numbers its own entries without gaps, and keeps them when a line moves', async () => {
    await write('a');
    await write('of the gateway', null);
    await write('b');
    await give(line, other);
    await write('c');
    await give(line, null);
    await write('d');
    expect(await told(one)).toEqual(['2 b', '1 a']);
    expect(await told(other)).toEqual(['1 c']);
    expect(await faults()).toEqual([]);
  });

  test('tells each customer of an entry only what concerns it', async () => {
    const customers = [{ id: one, details: { what: 'One Inc' } }, { id: other }];
    const entry = { action: 'user.added', details: { what: 'both' }, customers };
    await audited(world(), ANA, entry, async () => {});
    expect([await told(one), await told(other)]).toEqual([['1 One Inc'], ['1 both']]);
    expect(await faults()).toEqual([]);
  });

  test.each([
    ['an altered entry', `update audit set who = 'eve' where number = 2`, 2],
    ['altered details', `update customer_audit set details = '{}' where number = 2`, 2],
    ['a removed entry', 'delete from customer_audit where number = 2', 2],
    ['a removed last entry', 'delete from customer_audit where number = 3', 3],
    ['a removed first entry', 'delete from customer_audit where number = 1', 1],
    [
      'swapped entries',
      'update customer_audit set audit_number = case audit_number when 1 then 2 when 2 then 1 else audit_number end',
      1,
    ],
  ])('finds %s', async (_what, statement, number) => {
    for (const what of ['a', 'b', 'c']) await write(what);
    await tamper(url, statement);
    expect(await faults()).toContain(`Customer One Inc's audit was changed from entry ${number} on.`);
  });

  test('goes on after old entries are removed', async () => {
    for (const what of ['a', 'b', 'c']) await write(what);
    await audited(world(), ANA, { action: 'audit.cleared' }, ({ store: inside }) =>
      inside.audit.clearBefore(vault, '2026-03-10T12:00:01Z'),
    );
    await write('d');
    expect(await told(one)).toEqual(['4 d']);
    expect(await faults()).toEqual([]);
    await tamper(url, 'delete from customer_audit where number = 4');
    expect(await faults()).toHaveLength(1);
  });

  test('is verified by the documented program, without a key', async () => {
    for (const what of ['a', 'b', 'c']) await write(what);
    const folder = mkdtempSync(join(tmpdir(), 'gateway-audit-'));
    const guide = readFileSync(join(__dirname, '../../../../docs/panel.md'), 'utf8');
    const [, program = ''] = /```js\n(\/\/ verify-audit\.mjs[\s\S]*?)```/.exec(guide) ?? [];
    writeFileSync(join(folder, 'verify-audit.mjs'), program);
    const verify = (entries: object[]): string => {
      const file = join(folder, 'audit.ndjson');
      writeFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      try {
        return execFileSync(process.execPath, [join(folder, 'verify-audit.mjs'), file], { encoding: 'utf8' });
      } catch (error) {
        return `failed: ${(error as { stdout: string }).stdout}`;
      }
    };
    const entries = (await page(one)).map(({ details, ...entry }) => ({
      ...entry,
      details: JSON.parse(details),
    }));
    const [c, b, a] = entries;
    expect(verify(entries)).toContain('3 entries, 1 to 3');
    expect(verify([{ ...c, who: 'eve' }, b ?? {}, a ?? {}])).toContain('Entry 3');
    expect(verify([c ?? {}, a ?? {}])).toContain('Entry 3');
    expect(verify([c ?? {}, { ...b, number: 1 }, { ...a, number: 2 }])).toMatch(/^failed/);
  });
});
