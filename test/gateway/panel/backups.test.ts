import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASES, temporaryFolder } from '../../support/databases';
import { until } from '../../support/http-peer';
import { checkedPages } from '../../support/panel/checked-pages';
import { addPanelUser, closingWindows, loggedIn, PASSWORD } from '../../support/panel/visitor';
import { sceneOf } from '../../support/scene';

closingWindows();

describe('the backups', () => {
  const folder = temporaryFolder();
  const ofAnotherDay = join(folder, 'gateway-2026-01-02T00-00-00.db');
  writeFileSync(ofAnotherDay, '');
  const scene = sceneOf(undefined, { GATEWAY_BACKUP_DIR: folder, GATEWAY_BACKUP_KEEP: '2' });

  beforeAll(async () => {
    await addPanelUser(scene, 'ana');
    await addPanelUser(scene, 'ben', 'viewer');
  });

  checkedPages(() => scene, ['/panel/backups']);

  test('are listed with size and the next one, made at once, and downloaded after the password', async () => {
    const { page, goto } = await loggedIn(scene);
    await goto('/panel/backups');
    const rows = page.locator('tbody tr');
    // The first of the day is made by itself.
    await until(async () => {
      await goto('/panel/backups');
      return (await rows.count()) > 1;
    });
    const before = await rows.count();
    await until(async () => {
      await page.getByRole('button', { name: 'Back up now' }).click();
      await page.getByText(/The backup is made|A backup is being made/).waitFor();
      return (await rows.count()) > before;
    });
    // Those of today take no other day's place.
    expect(existsSync(ofAnotherDay)).toBe(true);
    expect(await page.locator('dl, .facts').first().innerText()).toMatch(/Last backup[^]*MB[^]*Next backup/);

    scene.clock.now += 11 * 60_000;
    await page.getByRole('button', { name: 'Download' }).first().click();
    await page.getByLabel('Password').fill(PASSWORD);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Continue' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^gateway-.+\.db$/);
    expect(
      readFileSync(await download.path())
        .subarray(0, 15)
        .toString(),
    ).toBe('SQLite format 3');
    const entries = await scene.change(({ store }) => store.audit.page({}, 20));
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['backup.requested', 'backup.downloaded']),
    );
    expect(entries.find(({ action }) => action === 'backup.downloaded')).toMatchObject({ who: 'ana' });
  });

  test('are no business of viewers', async () => {
    const { page, goto } = await loggedIn(scene, { name: 'ben' });
    await goto('/panel/overview');
    expect(await page.getByRole('link', { name: 'Backups' }).count()).toBe(0);
    expect((await page.goto(`${scene.gateway.url}/panel/backups`))?.status()).toBe(403);
  });

  test('are shown as failed while their folder is away', async () => {
    renameSync(folder, `${folder}-away`);
    const { page, goto } = await loggedIn(scene);
    await goto('/panel/backups');
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByText('The last backup failed').waitFor();
    renameSync(`${folder}-away`, folder);
  });
});

describe.each(DATABASES)('without a folder for backups ($name)', ({ name, createUrl }) => {
  const scene = sceneOf(createUrl);
  beforeAll(() => addPanelUser(scene, 'ana'));

  test('the page says what to use instead', async () => {
    const { page, goto } = await loggedIn(scene);
    await goto('/panel/backups');
    await page.getByText(name === 'SQLite' ? 'GATEWAY_BACKUP_DIR' : 'pg_dump').waitFor();
    expect(await page.getByRole('button', { name: 'Back up now' }).count()).toBe(0);
  });
});
