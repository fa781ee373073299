import { randomUUID } from 'node:crypto';
import { commandActor } from '../../../../gateway/cli/offline';
import { createAdminToken } from '../../../../gateway/admin-tokens/manage-admin-tokens';
import { type AdminTokenInput } from '../../../../gateway/admin-tokens/admin-token-input';
import { DATABASES } from '../../../support/databases';
import { rows } from '../../../support/rows';
import { call, expectRefusal, sceneOf, type Json, type Reply } from '../../../support/scene';

describe.each(DATABASES)('the management API ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_TOKEN_RATE: 'off' });
  let token: string;

  const tokenOf = async (given: Partial<AdminTokenInput> = {}): Promise<string> =>
    (
      await scene.change((deps) =>
        createAdminToken(deps, commandActor(), null, { name: 'terraform', ...given }),
      )
    ).token;
  const ask = (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
    by = token,
  ): Promise<Reply> =>
    call(`${scene.gateway.url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${by}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body && JSON.stringify(body),
    });
  const create = (name: string, more: object = {}): Promise<Reply> =>
    ask('POST', '/customers', { name, ...more });
  const entries = async (action: string): Promise<Json[]> =>
    rows(scene.databaseUrl, `select * from audit where action = '${action}' order by number`);

  beforeAll(async () => {
    token = await tokenOf();
  });

  test('answers who is asking', async () => {
    const { status, body } = await ask('GET', '/me');
    expect([status, body.name, body.customer_ids]).toEqual([200, 'terraform', null]);
    expect(body.permissions).toContain('gateway');
  });

  test('makes, reads, changes and removes a customer', async () => {
    const made = await create('Lucky Shrub', { external_id: 'crm-1' });
    expect([made.status, made.headers.get('location')]).toEqual([201, `/v1/customers/${made.body.id}`]);
    expect(made.body).toMatchObject({ name: 'Lucky Shrub', external_id: 'crm-1', suspended: false });
    const path = `/customers/${made.body.id}`;
    const read = await ask('GET', path);
    expect([read.body, read.headers.get('etag')]).toEqual([made.body, made.headers.get('etag')]);
    const changed = await ask('PATCH', path, { suspended: true, external_id: null });
    expect(changed.body).toEqual({ ...made.body, suspended: true, external_id: null });
    expect((await ask('DELETE', path)).status).toBe(204);
    expectRefusal(await ask('GET', path), 404, 'not_found', 100);
    expectRefusal(await ask('DELETE', path), 404, 'not_found', 100);
    const [entry] = (await entries('customer.removed')).slice(-1);
    expect([entry.who, entry.through]).toEqual([expect.stringMatching(/^admin token \d+ \(….{4}\)$/), 'api']);
  });

  test('refuses a body that is not right, with all faults by field', async () => {
    expectRefusal(await ask('POST', '/customers', {}), 400, 'invalid_payload', 100);
    const { body } = await create('', { external_id: 'x'.repeat(81) });
    expect(body.error.error_data.fields.map(({ path }: Json) => path)).toEqual(['name', 'external_id']);
    expectRefusal(await ask('POST', '/customers', { nam: 'x' }), 400, 'invalid_payload', 100);
  });

  test('PUT makes a customer once, and then changes it', async () => {
    const put = (name: string, more: object = {}) =>
      ask('PUT', '/customers/by-external-id/crm%2F7', { name, ...more });
    const first = await put('Seven');
    expect([first.status, first.body.external_id]).toEqual([201, 'crm/7']);
    const before = (await entries('customer.edited')).length;
    const again = await put('Seven');
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await entries('customer.edited')).toHaveLength(before);
    expect((await put('Seven Ltd', { suspended: true })).body).toEqual({
      ...first.body,
      name: 'Seven Ltd',
      suspended: true,
    });
    const many = await Promise.all(
      Array.from({ length: 20 }, () => ask('PUT', '/customers/by-external-id/crm-many', { name: 'Many' })),
    );
    expect(many.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1);
    expect(new Set(many.map(({ body }) => body.id)).size).toBe(1);
  });

  test('a dry run answers as the change would, and changes nothing', async () => {
    const count = async () => (await entries('customer.added')).length;
    const before = await count();
    const tried = await ask('POST', '/customers?dry_run=1', { name: 'Nobody' });
    expect([tried.status, tried.body.name, tried.headers.get('location')]).toEqual([200, 'Nobody', null]);
    const { body: kept } = await create('Kept', { external_id: 'kept' });
    expect((await ask('PATCH', `/customers/${kept.id}?dry_run=true`, { name: 'Other' })).body).toEqual({
      ...kept,
      name: 'Other',
    });
    expect((await ask('DELETE', `/customers/${kept.id}?dry_run=1`)).status).toBe(204);
    expectRefusal(
      await ask('POST', '/customers?dry_run=1', { name: 'x', external_id: 'kept' }),
      400,
      'invalid_payload',
      131009,
    );
    expectRefusal(await ask('POST', '/customers?dry_run=maybe', { name: 'x' }), 400, 'invalid_query', 100);
    expect((await ask('GET', `/customers/${kept.id}`)).body).toEqual(kept);
    expect(await count()).toBe(before + 1);
  });

  test('If-Match lets only one of many changes through', async () => {
    const made = await create('Version 0');
    const path = `/customers/${made.body.id}`;
    const tag = made.headers.get('etag') ?? '';
    const changes = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        ask('PATCH', path, { name: `Version ${index + 1}` }, { 'if-match': tag }),
      ),
    );
    const through = changes.filter(({ status }) => status === 200);
    expect(through).toHaveLength(1);
    for (const change of changes.filter(({ status }) => status !== 200))
      expectRefusal(change, 412, 'precondition_failed', 100);
    const now = await ask('GET', path);
    expect(now.body).toEqual(through[0]?.body);
    expectRefusal(await ask('DELETE', path, undefined, { 'if-match': tag }), 412, 'precondition_failed', 100);
    const current = now.headers.get('etag') ?? '';
    expect((await ask('DELETE', path, undefined, { 'if-match': current })).status).toBe(204);
  });

  test('an Idempotency-Key makes one customer of 50 requests at once, and all get its answer', async () => {
    const key = randomUUID();
    const send = (name = 'Once', by = token) =>
      ask('POST', '/customers', { name }, { 'idempotency-key': key }, by);
    const replies = await Promise.all(Array.from({ length: 50 }, () => send()));
    for (const reply of replies.filter(({ status }) => status !== 201))
      expectRefusal(reply, 409, 'idempotency_in_progress', 100);
    const { body, headers } = await send();
    expect(headers.get('idempotency-replayed')).toBe('true');
    expect(replies.filter(({ status }) => status === 201).map((reply) => reply.body)).toEqual(
      expect.arrayContaining([body]),
    );
    const made = await rows(scene.databaseUrl, `select id from customers where name = 'Once'`);
    expect(made).toHaveLength(1);
    expectRefusal(await send('Other'), 409, 'idempotency_conflict', 100);
    // Another token has keys of its own, and a refused request frees its key.
    expect((await send('Other', await tokenOf())).status).toBe(201);
    const freed = { 'idempotency-key': randomUUID() };
    expectRefusal(await ask('POST', '/customers', { name: '' }, freed), 400, 'invalid_payload', 131009);
    expect((await ask('POST', '/customers', { name: 'Freed' }, freed)).status).toBe(201);
  });

  test('lists customers in pages, with cursors that only fit the same list and reach', async () => {
    for (let count = 0; count < 5; count++) await create(`Page ${count}`);
    const all = (await ask('GET', '/customers?limit=200')).body;
    expect(all.next).toBeNull();
    const pages: Json[] = [];
    for (let cursor = ''; ;) {
      const { body } = await ask('GET', `/customers?limit=2${cursor && `&cursor=${cursor}`}`);
      pages.push(...body.data);
      if (body.next === null) break;
      cursor = body.next;
    }
    expect(pages).toEqual(all.data);
    const { next } = (await ask('GET', '/customers?limit=2')).body;
    const one = await tokenOf({ customerIds: [pages.at(-1).id] });
    for (const reply of [
      await ask('GET', `/customers?cursor=${next}&external_id=x`),
      await ask('GET', `/customers?cursor=${next}`, undefined, {}, one),
      await ask('GET', `/customers?cursor=${next}x`),
      await ask('GET', '/customers?cursor=2'),
      await ask('GET', '/customers?limit=201'),
    ])
      expectRefusal(reply, 400, 'invalid_query', 100);
  });

  test('a token of one customer sees that customer alone, and changes none', async () => {
    const [mine, theirs] = [(await create('Mine')).body, (await create('Theirs')).body];
    const one = await tokenOf({ customerIds: [mine.id] });
    expect((await ask('GET', '/customers', undefined, {}, one)).body).toEqual({ data: [mine], next: null });
    const of = (id: number) => ask('GET', `/customers/${id}`, undefined, {}, one);
    const without = ({ text, status }: Reply) => [
      status,
      text.replace(/"request_id":.*|"fbtrace_id":"[^"]*"/g, ''),
    ];
    expect(without(await of(theirs.id))).toEqual(without(await of(999_999)));
    expectRefusal(
      await ask('PATCH', `/customers/${mine.id}`, { name: 'x' }, {}, one),
      403,
      'permission_missing',
      10,
    );
    await ask('PATCH', `/customers/${mine.id}`, { suspended: true });
    expectRefusal(await of(mine.id), 403, 'customer_suspended', 200);
  });

  test('says where the operations are described, at a path that is none', async () => {
    for (const path of ['/nothing', '/customers/0'])
      expect(expectRefusal(await ask('GET', path), 404, 'not_found', 2500)).toContain('/v1/docs');
    expectRefusal(await ask('POST', '/me'), 405, 'method_not_allowed', 2500);
  });

  test('accepts no other token', async () => {
    expectRefusal(await call(`${scene.gateway.url}/v1/me`), 401, 'missing_token', 190);
    const line = await scene.line();
    expectRefusal(await call(`${scene.gateway.url}/v1/me?access_token=${token}`), 401, 'missing_token', 190);
    for (const other of ['gwa_wrong', line.token, `${token}x`])
      expectRefusal(await ask('GET', '/me', undefined, {}, other), 401, 'invalid_token', 190);
  });
});
