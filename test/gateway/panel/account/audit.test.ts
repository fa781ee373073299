import { DatabaseSync } from 'node:sqlite';
import { addChannel } from '../../../../gateway/alerts/use-cases/add-channel';
import { editChannel } from '../../../../gateway/alerts/use-cases/edit-channel';
import { setRules } from '../../../../gateway/alerts/use-cases/set-rules';
import { changeForwardingUrl } from '../../../../gateway/forwarding/destinations/change-forwarding-url';
import { insertDestination } from '../../../../gateway/forwarding/destinations/destination-rows';
import { editDestination } from '../../../../gateway/forwarding/destinations/edit-destination';
import { pauseDestination } from '../../../../gateway/forwarding/destinations/pause-destination';
import { removeDestination } from '../../../../gateway/forwarding/destinations/remove-destination';
import { destinationRules } from '../../../../gateway/http/destination-address';
import { editLine } from '../../../../gateway/lines/edit-line';
import { removeLine } from '../../../../gateway/lines/forget';
import { createToken, revokeToken } from '../../../../gateway/lines/tokens';
import { setOptOutWords } from '../../../../gateway/messages/opt-outs';
import { checkedPages } from '../../../support/panel/checked-pages';
import { audited } from '../../../../gateway/store/with-audit';
import { addPanelUser, axeFaults, loggedIn, type Visitor } from '../../../support/panel/visitor';
import { sceneOf } from '../../../support/scene';
import { addDestination } from '../../store/support';

const scene = sceneOf();

beforeAll(async () => {
  await addPanelUser(scene, 'ana');
  await scene.line({ name: 'My shop' });
});

/** As somebody does who can write to the database. */
function write(statement: string): void {
  const database = new DatabaseSync(scene.databaseUrl.slice('sqlite:'.length));
  database.exec(statement);
  database.close();
}

describe('the audit', () => {
  checkedPages(() => scene, ['/panel/audit', '/panel/audit?who=nobody']);

  test('tells what was done in the language of the reader, and what was done in some time', async () => {
    const one = await loggedIn(scene, { locale: 'pt-BR' });
    await one.goto('/panel/audit');
    const row = one.page.getByRole('row', { name: 'Sessão iniciada' }).first();
    expect(await row.textContent()).toContain('Painel');
    await one.goto('/panel/audit?to=2020-01-01');
    await one.page.getByText('Nada corresponde a este filtro').waitFor();
    await one.goto('/panel/audit?from=2020-01-01');
    await row.waitFor();
    await one.close();
  });

  test('tells what entries hold in the language of the reader', async () => {
    const actor = { who: 'ben', through: 'command', address: null } as const;
    const { id: lineId } = await scene.line({ name: 'Loja' });
    await scene.change(async (world) => {
      await createToken(world, actor, lineId, { scopes: ['send', 'read'] }, 'quick-start');
      const details: [string, Record<string, unknown>][] = [
        ['destination.edited', { receives: ['messages', 'read'], mode: 'raw' }],
        ['alert_channel.added', { kind: 'email' }],
        ['token.rotated', { works_until: 'now' }],
        ['user.password_set', { with: 'one-time link' }],
        ['deliveries.replayed', { state: 'dead', since: '2026-03-10T12:00:00.000Z' }],
        ['backup.downloaded', { file: 'gateway.db' }],
      ];
      for (const [action, held] of details)
        await audited(world, actor, { action, details: held }, async () => {});
      for (const who of ['not logged in', 'token 7 (…uL-A) of Loja'])
        await audited(world, { ...actor, who }, { action: 'user.added', details: {} }, async () => {});
    });
    const one = await loggedIn(scene, { locale: 'pt-BR' });
    await one.goto('/panel/audit');
    const told = await one.page.locator('main').innerText();
    for (const words of ['pode: enviar, ler', 'Mensagens, Lidas', 'E-mail', 'agora', 'link de uso único'])
      expect(told).toContain(words);
    expect(told).toContain('o primeiro início');
    for (const words of ['estado: Abandonada', 'desde:', 'arquivo: gateway.db'])
      expect(told).toContain(words);
    for (const who of ['sem login', 'token 7 (…uL-A) de Loja']) {
      expect(told).toContain(who);
      expect(await one.page.getByLabel('Quem').locator('option').allInnerTexts()).toContain(who);
    }
    expect(told).not.toMatch(/not logged|of Loja|send, read|: raw|email|: now|one-time|quick-start/);
    await one.close();
  });

  test('names lines, destinations and tokens as they are called, or were', async () => {
    const shop = await scene.line({ name: 'Corner shop' });
    const kept = await scene.change(async (world) => {
      const actor = { who: 'ben', through: 'command', address: null } as const;
      const { store } = world;
      await createToken(world, actor, shop.id, { name: 'n8n at the office' });
      const token = (await store.tokens.ofLine(shop.id)).at(-1);
      await revokeToken(world, actor, token?.id ?? 0);
      // As an entry was until it held the name.
      const details = { token: `…${token?.last_four}` };
      await audited(world, actor, { action: 'token.rotated', lineId: shop.id, details }, async () => {});
      const secret_sealed = world.vault.seal('destinations.secret', 'a secret of sixteen');
      const url = 'https://hooks.example.com/webhook/orders?key=hidden';
      const there = { lineId: shop.id, url };
      const add = async () => {
        const id = await addDestination(store, shop.id, { secret_sealed });
        await store.destinations.update(id, { url });
        return { ...there, id };
      };
      const [paused, gone] = [await add(), await add()];
      await pauseDestination(world, actor, paused, 'Paused.');
      await removeDestination(world, actor, gone);
      await setRules(world, actor, null, [{ kind: 'deliveries_late', isOn: false, threshold: 9 }]);
      return paused.id;
    });
    const one = await loggedIn(scene);
    const row = async (action: string) =>
      one.page.getByRole('row', { name: action }).first().getByRole('cell').first().innerText();
    await one.goto('/panel/audit');
    expect(await row('Token revoked')).toMatch(/^Corner shop · n8n at the office \(….{4}\)$/);
    expect(await row('Token rotated')).toBe(await row('Token revoked'));
    expect(await row('Alert rule changed')).toMatch(
      /^Deliveries are 9 minutes late · switched on: yes →\s+is now\s+no · threshold: \d+ →\s+is now\s+9$/,
    );
    const destination = 'Corner shop · hooks.example.com/webhook/orders';
    expect([await row('Destination paused'), await row('Destination removed')]).toEqual([
      destination,
      destination,
    ]);
    const link = one.page.getByRole('row', { name: 'Destination paused' }).getByRole('link').last();
    expect(await link.getAttribute('href')).toBe(`/panel/lines/${shop.id}/destinations/${kept}`);

    await scene.change(async (world) => {
      const line = await world.store.lines.find(shop.id);
      if (line) await removeLine(world, { who: 'ben', through: 'command', address: null }, line, false);
    });
    await one.goto('/panel/audit');
    // Only the entry of the removal still has its name.
    expect(await row('Line removed')).toMatch(/^Corner shop/);
    expect(await row('Token revoked')).toMatch(/^Line \d+ · n8n at the office/);
    expect(await row('Destination paused')).toMatch(
      /^Line \d+ · https:\/\/hooks.example.com\/webhook\/orders\?… \(\d+\)$/,
    );
    expect(await one.page.locator('main').innerText()).not.toContain('hidden');
    await one.close();
  });

  test('tells what each change was from and to, with whole paths, and no secret', async () => {
    const shop = await scene.line({ name: 'Old name' });
    await scene.change(async (bare) => {
      const actor = { who: 'ben', through: 'command', address: null } as const;
      const world = { ...bare, rules: destinationRules(['127.0.0.0/8']) };
      const { store, vault } = world;
      const row = await store.lines.find(shop.id);
      if (!row) throw new Error('The line is gone');
      await editLine(world, actor, null, row, {
        name: 'New name',
        qualityMode: 'strict',
        accessToken: 'EAAG-secret',
      });
      const [url, headers] = ['http://127.0.0.1:9/webhook/old?key=hidden', { 'x-key': 'password-1' }];
      const one = await insertDestination(world, shop.id, { url, headers, origin: 'operator' });
      await editDestination(world, actor, one, {
        url: 'http://127.0.0.1:9/webhook/new?key=hidden',
        events: one.events,
        mode: one.mode,
        quietSeconds: 15,
        headers: { 'x-key': 'password-2' },
      });
      const forwarding = await changeForwardingUrl(world, actor, shop.id, null, 'http://127.0.0.1:9/first');
      await changeForwardingUrl(world, actor, shop.id, forwarding, 'http://127.0.0.1:9/second');
      await setOptOutWords(world, actor, { ...row, name: 'New name' }, { out: ['STOP'], back: [] });
      const channel = {
        ...{ name: 'Old', kind: 'webhook' as const, scope: 'gateway' as const, scopeId: null, quiet: null },
        ...{
          timeZone: 'UTC',
          remindHours: null,
          origin: 'operator' as const,
          tokenId: null,
          language: 'en' as const,
        },
        settings: { url: 'https://alerts.example.com/secret-1', secret: 'secret-2 of sixteen' },
      };
      await editChannel(world, actor, null, await addChannel(world, actor, null, channel), {
        ...channel,
        settings: { url: 'https://other.example.com/secret-1', secret: '' },
        remindHours: 4,
      });
      expect((await store.audit.verify(vault)).faults).toEqual([]);
    });
    const one = await loggedIn(scene);
    await one.goto('/panel/audit?who=ben');
    const told = async ({ page }: Visitor, action: string, index = 0) =>
      (await page.getByRole('row', { name: action }).nth(index).getByRole('cell').first().innerText())
        .replaceAll('is now', '')
        .replace(/\s+/g, ' ');
    expect(await told(one, 'Line edited', 1)).toBe(
      'New name · name: Old name → New name · quality: Normal → Strict · access token',
    );
    expect(await told(one, 'Line edited')).toBe('New name · opt-out words: none → STOP');
    expect(await told(one, 'Destination edited', 1)).toMatch(
      / · URL: http:\/\/127.0.0.1:9\/webhook\/old\?… → http:\/\/127.0.0.1:9\/webhook\/new\?… · seconds of silence: none → 15 · headers$/,
    );
    expect(await told(one, 'Destination edited')).toContain(
      'URL: http://127.0.0.1:9/first → http://127.0.0.1:9/second',
    );
    expect(await told(one, 'Alert channel edited')).toContain(
      'to: alerts.example.com/… → other.example.com/… · hours between reminders: none → 4',
    );
    const page = await one.page.content();
    for (const secret of ['key=hidden', 'password-', 'secret-1', 'secret-2', 'EAAG-secret'])
      expect([secret, page.includes(secret)]).toEqual([secret, false]);
    await one.close();
  });

  test('is saved as the filter shows it, on all pages', async () => {
    const actor = { who: 'zoe', through: 'command', address: null } as const;
    await scene.change(async (world) => {
      for (let index = 0; index < 201; index++)
        await audited(
          world,
          actor,
          {
            action: 'destination.added',
            details: { index, url: 'https://crm.example.com/s3cret', changes: [{ to: '=1+1' }] },
          },
          async () => {},
        );
    });
    const saved = async (format: string) => {
      const { context, page } = await loggedIn(scene);
      await page.goto(`${scene.gateway.url}/panel/audit?who=zoe`);
      const form = page.locator('form[action="/panel/audit/export"]');
      expect(await page.locator('.card form[action="/panel/audit/export"]').count()).toBe(0);
      const fields = await form
        .locator('input')
        .evaluateAll((inputs) => inputs.map((one) => [one.getAttribute('name'), one.getAttribute('value')]));
      const answer = await context.request.post(`${scene.gateway.url}/panel/audit/export`, {
        form: { ...(Object.fromEntries(fields) as Record<string, string>), format },
        headers: { origin: scene.gateway.url },
      });
      expect(answer.headers()['content-disposition']).toMatch(
        new RegExp(`^attachment; filename="audit-[\\dT-]+\\.${format}"$`),
      );
      return answer.text();
    };
    const lines = (await saved('ndjson')).trim().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as { who: string; details: { index: number } });
    expect(entries.map(({ details }) => details.index)).toEqual(
      Array.from({ length: 201 }, (_, index) => 200 - index),
    );
    expect(entries[0]).toMatchObject({ who: 'zoe', details: { url: 'https://crm.example.com/s3cret' } });
    const [head, first, ...more] = (await saved('csv')).split('\r\n');
    expect(head).toBe('\uFEFFnumber,at,who,through,address,action,line_id,details');
    expect(first).toContain('""url"":""https://crm.example.com/s3cret""');
    expect(more).toHaveLength(201);
    const exports = await scene.change(({ store }) => store.audit.page({ action: 'audit.exported' }, 3));
    expect(exports.map(({ details }) => JSON.parse(details) as object)).toEqual([
      { format: 'csv' },
      { format: 'ndjson' },
    ]);
  });

  test('is grouped by the days of the reader, with and without script', async () => {
    // What an entry holds may be a time of another day.
    const details = { until: '2030-01-01T00:00:00.000Z' };
    const at = (time: string) => () => Date.parse(time);
    await scene.change(async (world) => {
      const actor = { who: 'night', through: 'command', address: null } as const;
      for (const time of ['2026-03-09T23:30:00.000Z', '2026-03-10T00:30:00.000Z'])
        await audited(
          { ...world, clock: at(time) },
          actor,
          { action: 'alert.muted', details },
          async () => {},
        );
    });
    for (const [script, timezone, days] of [
      [true, 'Etc/GMT+2', 1],
      [true, 'UTC', 2],
      [false, 'Etc/GMT+2', 2],
    ] as const) {
      const one = await loggedIn(scene, { script, timezone });
      await one.goto('/panel/audit?who=night');
      expect(await one.page.getByRole('rowheader', { name: 'Alert muted' }).count()).toBe(2);
      const heads = await one.page.locator('.group').allInnerTexts();
      expect([script, timezone, heads.length, heads.join().includes('2030')]).toEqual([
        script,
        timezone,
        days,
        false,
      ]);
      await one.close();
    }
  });

  test('underlines links on a phone, where they are within the text', async () => {
    const { id: lineId } = await scene.line({ name: 'Linked' });
    const actor = { who: 'ben', through: 'api', address: null } as const;
    await scene.change((world) => audited(world, actor, { action: 'line.edited', lineId }, async () => {}));
    const one = await loggedIn(scene, { width: 390 });
    await one.goto('/panel/audit');
    const links = one.page.locator('.entry td a:visible');
    expect(await links.count()).toBeGreaterThan(0);
    const lines = await links.evaluateAll((all) =>
      all.map((link) => getComputedStyle(link).textDecorationLine),
    );
    expect(new Set(lines)).toEqual(new Set(['underline']));
    expect(await axeFaults(one.page)).toEqual([]);
  });

  test('tells what is not as it was written, and shows none of it', async () => {
    await scene.change((world) =>
      audited(
        world,
        { who: 'ben', through: 'api', address: null },
        { action: 'line.edited' },
        async () => {},
      ),
    );
    const columns = 'at, through, address, action, line_id, details, hash';
    write(
      `insert into audit (number, who, ${columns}) select 1000, 'evelyn', ${columns} from audit where number = 1`,
    );
    const one = await loggedIn(scene);
    await one.goto('/panel/audit');
    expect(await one.page.locator('table').textContent()).not.toContain('evelyn');
    expect(await one.page.getByRole('alert').textContent()).toContain('Entry 1000 was inserted');
    expect(await axeFaults(one.page)).toEqual([]);
    // The latest of the others: a page checks its own entries.
    write(
      `update audit set who = 'mallory' where number = (select max(number) from audit where number < 1000)`,
    );
    await one.goto('/panel/audit');
    expect(await one.page.getByRole('alert').textContent()).toMatch(/Entry \d+ of 2026/);
    expect(await one.page.locator('table').textContent()).not.toContain('mallory');
    // A page reports its own entries, not the first of the next page.
    write(
      `update audit set details = '{}' where number = (select min(number) from (select number from audit where who = 'zoe' order by number desc limit 51) as latest)`,
    );
    await one.goto('/panel/audit?who=zoe');
    expect(await one.page.getByRole('alert').textContent()).not.toMatch(/Entry \d+ of 2026/);
    await one.page.getByRole('link', { name: 'Older' }).click();
    expect(await one.page.getByRole('alert').textContent()).toMatch(/Entry \d+ of 2026/);
    expect(one.complaints).toEqual([]);
    await one.close();
  });
});
