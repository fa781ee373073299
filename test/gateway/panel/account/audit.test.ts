import { DatabaseSync } from 'node:sqlite';
import { checkedPages } from '../../../support/panel/checked-pages';
import { audited } from '../../../../gateway/store/with-audit';
import { addPanelUser, axeFaults, loggedIn } from '../../../support/panel/visitor';
import { sceneOf } from '../../../support/scene';

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
      `insert into audit (number, who, ${columns}) select 1000, 'eve', ${columns} from audit where number = 1`,
    );
    const one = await loggedIn(scene);
    await one.goto('/panel/audit');
    expect(await one.page.locator('table').textContent()).not.toContain('eve');
    expect(await one.page.getByRole('alert').textContent()).toContain('Entry 1000 was put in');
    expect(await axeFaults(one.page)).toEqual([]);
    write(`update audit set who = 'mallory' where number = 1`);
    await one.goto('/panel/audit');
    expect(await one.page.getByRole('alert').textContent()).toContain('Entry 1 of 2026');
    expect(await one.page.locator('table').textContent()).not.toContain('mallory');
    expect(one.complaints).toEqual([]);
    await one.close();
  });
});
