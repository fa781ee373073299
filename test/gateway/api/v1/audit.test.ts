import { createHash } from 'node:crypto';
import { adminToken, askAdmin } from '../../../support/admin-api';
import { addCustomer } from '../../../support/customer-things';
import { DATABASES } from '../../../support/databases';
import { rows, write } from '../../../support/rows';
import { expectRefusal, sceneOf, type Json } from '../../../support/scene';

describe.each(DATABASES)('the audit in the management API ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_TOKEN_RATE: 'off' });
  let token: string;
  let customer: number;
  const list = async (path: string, by = token) => askAdmin(scene, by, 'GET', path);
  const pages = async (path: string, by = token): Promise<Json[]> => {
    const found: Json[] = [];
    for (let cursor = ''; ;) {
      const { body } = await list(`${path}?limit=2${cursor && `&cursor=${cursor}`}`, by);
      found.push(...body.data);
      if (body.next === null) return found;
      cursor = body.next;
    }
  };

  beforeAll(async () => {
    token = await adminToken(scene);
    customer = await addCustomer(scene, 'Lucky Shrub');
    for (const name of ['One', 'Two', 'Three'])
      await askAdmin(scene, token, 'PATCH', `/customers/${customer}`, { name });
  });

  test('lists all changes, newest first, in pages and with filters', async () => {
    const all = (await list('/audit?limit=200')).body.data;
    expect(await pages('/audit')).toEqual(all);
    expect(all[0]).toMatchObject({ action: 'customer.edited', through: 'api', address: '127.0.0.1' });
    const { who, at } = all[0];
    const only = async (query: string) => (await list(`/audit?${query}`)).body.data;
    expect(await only(`who=${encodeURIComponent(who)}`)).toHaveLength(3);
    expect(await only('action=admin_token.created')).toEqual([all.at(-1)]);
    expect(await only(`to=${at}`)).toEqual([]);
    expect(await only(`from=${at}`)).toEqual(all);
    expect(await only('line_id=7')).toEqual([]);
    for (const query of ['from=yesterday', 'line_id=x', 'limit=0'])
      expectRefusal(await list(`/audit?${query}`), 400, 'invalid_query', 100);
  });

  test('gives a customer a chain of its own, which proves that no entry is missing', async () => {
    const one = await adminToken(scene, { customerIds: [customer], permissions: ['audit.read'] });
    expectRefusal(await list('/audit', one), 403, 'not_permitted', 10);
    const entries = (await pages(`/customers/${customer}/audit`, one)).toReversed();
    expect(entries.map(({ number, action }) => [number, action])).toEqual([
      [1, 'customer.edited'],
      [2, 'customer.edited'],
      [3, 'customer.edited'],
      [4, 'admin_token.created'],
    ]);
    let before = '';
    for (const { hash, number, at, who, through, address, action, line_id, details, ...more } of entries) {
      const covered = [before, number, at, who, through, address, action, line_id, JSON.stringify(details)];
      const expected = createHash('sha256').update(JSON.stringify(covered)).digest('hex');
      expect([hash, more.before]).toEqual([expected, before]);
      before = hash;
    }
  });

  test('leaves out an entry that was changed in the database', async () => {
    const [{ number }] = (await rows(
      scene.databaseUrl,
      `select max(number) as number from audit where action = 'customer.edited'`,
    )) as [{ number: number }];
    await write(scene.databaseUrl, `update audit set who = 'nobody' where number = ${number}`);
    const numbers = (await pages('/audit')).map((entry) => entry.number);
    expect(numbers).not.toContain(number);
    expect(numbers).toContain(number - 1);
  });
});
