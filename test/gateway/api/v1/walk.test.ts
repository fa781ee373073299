import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMIN_OPERATIONS } from '../../../../gateway/api/v1/operations';
import { type AdminOperation } from '../../../../gateway/api/v1/operation';
import { PERMISSIONS } from '../../../../gateway/rights/roles';
import { adminToken, askAdmin, exampleBody, pathWith } from '../../../support/admin-api';
import { addCustomer, NOBODYS, thingsOf, type Things } from '../../../support/customer-things';
import { DATABASES } from '../../../support/databases';
import { rows } from '../../../support/rows';
import { asLines } from '../../../support/walk-matrix';
import { startScene, type Json, type Reply, type Scene } from '../../../support/scene';

/**
 * Every operation of the management API, for tokens of all customers, of one customer, of one line, and with each single
 * permission, on what belongs to this customer, to another, and to nobody. Changes are dry runs. `walk.txt` holds the
 * answers, to be read by people; a change is written with `WALK=write`.
 */
const MATRIX = join(__dirname, 'walk.txt');

/** Marks everything of the other customer. */
const RIVAL = /rival|5511900000000/i;

/** Values of path parameters. Add the parameters of new operations here. */
const valuesOf = (things: Things, externalId: string): Record<string, string | number> => ({
  customer_id: things.customer,
  external_id: externalId,
  line_id: things.line,
  destination_id: things.destination,
  token_id: things.token,
  admin_token_id: things.adminToken,
  channel_id: things.channel,
  condition: 'destination_failing',
  mute_id: things.mute,
  draft_id: things.draft,
  user_id: things.user,
  membership: things.customer,
  session_id: '0123456789abcdef',
  invitation_id: things.invitation,
  rate_card_id: things.rateCard,
});

/** Fields of bodies that name something. */
const fieldsOf = (things: Things): Json => ({
  customer_id: things.customer,
  customer_ids: [things.customer],
  line_id: things.line,
  line_ids: [things.line],
});

/** Required parameters of queries that name nothing. */
const DAYS: Json = { from: '2026-01-01', to: '2026-12-31' };

/** The required parameters of the query. */
const queryOf = ({ query }: AdminOperation, fields: Json): URLSearchParams =>
  new URLSearchParams(
    ((query as { required?: string[] } | undefined)?.required ?? []).map((name) => [
      name,
      String(fields[name] ?? DAYS[name] ?? 'order_ready'),
    ]),
  );

/** A body in which the fields that name something name other things. */
function bodyWith(body: Json, fields: Json): Json {
  if (Array.isArray(body)) return body.map((one) => bodyWith(one, fields));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      key in fields && value !== null ? fields[key] : bodyWith(value, fields),
    ]),
  );
}

interface Named {
  values: Record<string, string | number>;
  fields: Json;
}

const masked = ({ text }: Reply): string => text.replace(/"(request_id|fbtrace_id)":"[^"]*"/g, '');

const wordOf = ({ status, body }: Reply): string =>
  [200, 204, 403, 404].includes(status) ? String(status) : `${status} ${body?.error_code}`;

describe.each(DATABASES)('the walk of admin tokens on $name', ({ createUrl }) => {
  let scene: Scene;
  let own: Named;
  let other: Named;
  let customer: number;
  let line: number;
  const nobodys: Named = { values: valuesOf(NOBODYS, 'nobody'), fields: fieldsOf(NOBODYS) };

  async function named(name: string, contact: string): Promise<Named & { things: Things }> {
    const id = await addCustomer(scene, `${name} Inc`);
    const things = await thingsOf(scene, id, name, contact);
    things.user = await scene.change(async ({ store: { users } }) => {
      const created_at = new Date(scene.clock.now).toISOString();
      const user = await users.insert({ name: `${name}-guest`, role: null, password_hash: null, created_at });
      await users.setMembership(user?.id ?? 0, id, 'viewer');
      return user?.id ?? 0;
    });
    await scene.change(({ store }) => store.customers.update(id, { external_id: `${name}-crm` }));
    return { things, values: valuesOf(things, `${name}-crm`), fields: fieldsOf(things) };
  }

  beforeAll(async () => {
    scene = await startScene(await createUrl(), { GATEWAY_TOKEN_RATE: 'off' });
    const mine = await named('own', '4915112345678');
    own = mine;
    ({ customer, line } = mine.things);
    other = await named('rival', '5511900000000');
  });
  afterAll(() => scene.stop());

  const everything = async (): Promise<string> => {
    const tables = [
      'lines',
      'destinations',
      'tokens',
      'alert_channels',
      'customers',
      'template_drafts',
      'audit',
    ];
    const found = await Promise.all(
      tables.map((table) => rows(scene.databaseUrl, `select * from ${table} order by 1`)),
    );
    return JSON.stringify(found, (key, value: unknown) => (key.startsWith('last_used_') ? null : value));
  };

  function ask(operation: AdminOperation, token: string, { values, fields }: Named): Promise<Reply> {
    const query = queryOf(operation, fields);
    if (operation.method !== 'get') query.set('dry_run', '1');
    const path = `${pathWith(operation, values)}?${query}`;
    return askAdmin(scene, token, operation.method, path, bodyWith(exampleBody(operation), fields));
  }

  const isOfThings = (operation: AdminOperation): boolean => {
    const body = JSON.stringify(exampleBody(operation) ?? {});
    return (
      operation.path.includes('{') ||
      queryOf(operation, own.fields).size > 0 ||
      Object.keys(own.fields as object).some((key) => body.includes(`"${key}"`))
    );
  };

  test('gives what is written in the matrix, and what belongs to others answers like nothing', async () => {
    const reach = { customerIds: [customer] };
    const tokens: [who: string, token: string][] = [
      ['all', await adminToken(scene)],
      ['customer', await adminToken(scene, reach)],
      ['line', await adminToken(scene, { lineIds: [line] })],
      ['scope:read', await adminToken(scene, { ...reach, permissions: ['read'] })],
    ];
    for (const permission of PERMISSIONS)
      tokens.push([
        permission,
        // What concerns the whole gateway can only be given for all customers.
        await adminToken(scene, { permissions: [permission], ...(permission !== 'gateway' && reach) }),
      ]);
    const before = await everything();
    const lines: string[] = [];
    for (const operation of ADMIN_OPERATIONS) {
      const groups = new Map<string, string[]>();
      for (const [who, token] of tokens) {
        const replies = [await ask(operation, token, own)];
        if (isOfThings(operation))
          replies.push(await ask(operation, token, other), await ask(operation, token, nobodys));
        const [mine, theirs, none] = replies;
        if (who !== 'all' && who !== 'gateway') {
          expect([who, operation.id, mine?.text]).not.toEqual([
            who,
            operation.id,
            expect.stringMatching(RIVAL),
          ]);
          expect([who, operation.id, theirs && masked(theirs)]).toEqual([
            who,
            operation.id,
            none && masked(none),
          ]);
        }
        const words = replies.map(wordOf).join(' | ');
        expect([who, operation.id, words]).not.toEqual([
          who,
          operation.id,
          expect.stringMatching(/\b5\d\d\b/),
        ]);
        groups.set(words, [...(groups.get(words) ?? []), who]);
      }
      lines.push(`${operation.method.toUpperCase().padEnd(6)} ${operation.path}`, ...asLines(groups));
    }
    expect(await everything()).toBe(before);
    const head =
      "# The answers on what is the token's own, of another customer, and nobody's. Changes are dry runs.\n";
    const text = `${head}${lines.join('\n')}\n`;
    if (process.env.WALK === 'write') writeFileSync(MATRIX, text);
    expect(text).toBe(readFileSync(MATRIX, 'utf8'));
  });

  test.each(ADMIN_OPERATIONS.filter(({ query }) => JSON.stringify(query ?? {}).includes('cursor')))(
    'a list has nothing of another customer on any page, and its cursors are of no use to others: $path',
    async (operation) => {
      const [all, one] = [await adminToken(scene), await adminToken(scene, { customerIds: [customer] })];
      const page = async (token: string, query: string) =>
        askAdmin(
          scene,
          token,
          'GET',
          `${pathWith(operation, own.values)}?${queryOf(operation, own.fields)}&${query}`,
        );
      const { status, body: whole, text } = await page(one, 'limit=200');
      // Of the whole gateway.
      if (status === 403) return;
      expect([whole.next, RIVAL.test(text)]).toEqual([null, false]);
      const found: Json[] = [];
      for (let cursor = ''; ;) {
        const { body } = await page(one, `limit=1${cursor && `&cursor=${cursor}`}`);
        found.push(...body.data);
        if (body.next === null) break;
        cursor = body.next;
      }
      expect(found).toEqual(whole.data);
      const { next } = (await page(all, 'limit=1')).body;
      if (next !== null) expect((await page(one, `cursor=${next}`)).status).toBe(400);
    },
  );
});
