import { hash, randomUUID } from 'node:crypto';
import { type AdminOperation } from '../../../../gateway/api/v1/operation';
import { ADMIN_OPERATIONS } from '../../../../gateway/api/v1/operations';
import { adminToken, askAdmin, exampleBody, NOTHING, pathWith } from '../../../support/admin-api';
import { addCustomer, thingsOf, type Things } from '../../../support/customer-things';
import { rows } from '../../../support/rows';
import { expectRefusal, sceneOf, type Json, type Reply } from '../../../support/scene';

describe('a request of the management API', () => {
  const scene = sceneOf(undefined, { GATEWAY_TOKEN_RATE: 'off' });
  let token: string;
  let things: Things;
  let values: Record<string, string | number>;

  beforeAll(async () => {
    token = await adminToken(scene);
    const customer = await addCustomer(scene, 'Own Inc');
    things = await thingsOf(scene, customer, 'own', '4915112345678');
    await scene.change(async ({ store }) => {
      await store.customers.update(customer, { external_id: 'own-crm' });
      const created_at = new Date(scene.clock.now).toISOString();
      const user = await store.users.insert({ name: 'ana', role: null, password_hash: null, created_at });
      things.user = user?.id ?? 0;
      await store.users.setMembership(things.user, customer, 'viewer');
    });
    values = {
      ...{ customer_id: customer, external_id: 'own-crm', line_id: things.line, token_id: things.token },
      ...{ destination_id: things.destination, channel_id: things.channel, draft_id: things.draft },
      ...{ condition: 'destination_failing', user_id: things.user, membership: customer },
      ...{ invitation_id: things.invitation, rate_card_id: things.rateCard },
    };
  });

  const ask = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
    askAdmin(scene, token, method, path, body, headers);
  /** Sends what the OpenAPI document does not allow. */
  const send = async (
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: Json }> => {
    const answer = await fetch(`${scene.gateway.url}/v1${path}`, {
      method: method.toUpperCase(),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  };

  test.each(ADMIN_OPERATIONS)('is refused with a mistyped or repeated parameter: $id', async (operation) => {
    const path = pathWith(operation, NOTHING);
    const body = exampleBody(operation) as object | undefined;
    const names = Object.keys((operation.query as { properties?: object } | undefined)?.properties ?? {});
    for (const query of ['dryrun=1', ...names.map((name) => `${name}=1&${name}=1`)]) {
      const refused = await send(operation.method, `${path}?${query}`, body);
      expect([query, refused.status, refused.body.error_code]).toEqual([query, 400, 'invalid_query']);
    }
  });

  const guarded = ADMIN_OPERATIONS.filter(({ headers }) => headers?.['If-Match']);
  const guardedAsk = (operation: AdminOperation, dryRun: number, body?: object): Promise<Reply> =>
    ask(operation.method, `${pathWith(operation, values)}?dry_run=${dryRun}`, body, {
      'if-match': '"other"',
    });

  test.each(guarded)('is refused if the object has changed, also in a dry run: $id', async (operation) => {
    expectRefusal(
      await guardedAsk(operation, 1, exampleBody(operation) as object),
      412,
      'precondition_failed',
      100,
    );
    if (operation.method === 'patch')
      expectRefusal(await guardedAsk(operation, 0, {}), 412, 'precondition_failed', 100);
  });

  test('with If-Match is refused if PUT would make the object, and POST ignores it', async () => {
    const any = { 'if-match': '*' };
    const path = '/customers/by-external-id/new';
    expectRefusal(await ask('PUT', path, { name: 'New' }, any), 412, 'precondition_failed', 100);
    expect((await ask('PUT', '/customers/by-external-id/own-crm', { name: 'Own' }, any)).status).toBe(200);
    expect((await ask('POST', '/customers', { name: 'New' }, any)).status).toBe(201);
  });

  test('finds a customer by an external id with spaces around it', async () => {
    const put = () =>
      ask('PUT', `/customers/by-external-id/${encodeURIComponent(' crm-9 ')}`, { name: 'Nine' });
    const first = await put();
    expect([first.status, first.body.external_id]).toEqual([201, 'crm-9']);
    const again = await put();
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  test('is refused with a word that is not possible', async () => {
    for (const [path, body, field] of [
      ['/customers', { name: 'New', audit_looks: 'nobody' }, 'audit_looks'],
      [`/lines/${things.line}/repair`, { repair: 'registr' }, 'repair'],
      ['/deliveries/replay', { states: ['failed'] }, 'states[0]'],
      ['/deliveries/replay', { states: [] }, 'states'],
    ] as const) {
      const { status, body: refused } = await send('POST', path, body);
      expect([path, status, refused.error.error_data?.fields?.[0].path]).toEqual([path, 400, field]);
    }
    expect(await rows(scene.databaseUrl, "select * from audit where action like 'number.%'")).toEqual([]);
  });

  test('is refused with the names that its own fields have', async () => {
    const nobody = 999_999;
    const channel = { kind: 'slack', name: 'On call', settings: { url: 'nowhere' } };
    for (const [method, path, body, ...fields] of [
      ['POST', '/admin-tokens', { name: 'CRM', customer_ids: [nobody] }, 'customer_ids'],
      ['POST', '/admin-tokens', { name: 'CRM', line_ids: [nobody] }, 'line_ids'],
      ['PATCH', `/lines/${things.line}`, { customer_id: nobody }, 'customer_id'],
      ['PATCH', `/lines/${things.line}`, { automation_pause_hours: -1 }, 'automation_pause_hours'],
      ['POST', `/tokens/${things.token}/rotate`, { overlap_hours: -1 }, 'overlap_hours'],
      ['POST', `/destinations/${things.destination}/secret`, { overlap_hours: -1 }, 'overlap_hours'],
      ['POST', '/users', { name: 'bob', role: 'agent', customer_ids: [] }, 'customer_ids'],
      ['POST', '/invitations', { role: 'agent', customer_ids: [nobody] }, 'customer_ids'],
      ['POST', '/alert-mutes', { line_id: nobody, hours: 1 }, 'line_id'],
      ['PATCH', '/alert-rules/destination_failing', { threshold: 0 }, 'threshold'],
      [
        ...(['POST', '/alert-channels', { ...channel, quiet_hours: { from: '1', to: '2' } }] as const),
        ...['settings.url', 'quiet_hours.from', 'quiet_hours.to'],
      ],
    ] as const) {
      const { status, body: refused } = await send(method, path, body);
      const named = refused.error.error_data.fields as { path: string; message: string }[];
      expect([path, status, ...named.map((one) => one.path)]).toEqual([path, 400, ...fields]);
      for (const { path: field, message } of named)
        expect(/^\w+: /.test(message) ? message : `${field}: `).toContain(`${field}: `);
    }
  });

  test('beyond the token is refused in words for a program', async () => {
    const own = await adminToken(scene, { customerIds: [things.customer] });
    for (const [method, path, body] of [
      ['GET', '/audit'],
      ['POST', '/invitations', { role: 'viewer' }],
    ] as const) {
      const refused = await askAdmin(scene, own, method, path, body);
      expect(expectRefusal(refused, 403, 'not_permitted', 10)).toContain('GET /v1/me');
    }
  });

  test('that sends deliveries again is in the audit of the customers whose deliveries they are', async () => {
    const own = await adminToken(scene, { customerIds: [things.customer] });
    const ofLine = await adminToken(scene, { lineIds: [things.line] });
    const other = await adminToken(scene, { customerIds: [await addCustomer(scene, 'Other Inc')] });
    const path = `/customers/${things.customer}/audit?action=deliveries.replayed`;
    for (const [by, line_id, count] of [
      [token, undefined, 0],
      [token, things.line, 1],
      [own, undefined, 2],
      [ofLine, things.line, 3],
      [other, things.line, 3],
    ] as const) {
      const replay = { states: ['dead'], ...(line_id && { line_id }) };
      expect((await askAdmin(scene, by, 'POST', '/deliveries/replay', replay)).status).toBe(200);
      expect((await ask('GET', path)).body.data).toHaveLength(count);
    }
  });

  test('frees its key if the platform refused the change', async () => {
    const repair = { repair: 'subscribe' };
    const key = { 'idempotency-key': randomUUID() };
    for (let count = 0; count < 2; count++) {
      const refused = await ask('POST', `/lines/${things.line}/repair`, repair, key);
      expect([refused.status, refused.body.error_code]).toEqual([404, 'upstream_error']);
    }
  });

  test('under a key leaves no plain hash of its body, which may have a PIN, and no refusal quotes a PIN', async () => {
    const repair = { repair: 'register', pin: '12345' };
    const refused = await send('POST', `/lines/${things.line}/repair`, repair);
    expect(JSON.stringify(refused.body)).not.toContain('12345');
    const key = randomUUID();
    const body = { name: 'Guessable' };
    expect((await ask('POST', '/customers', body, { 'idempotency-key': key })).status).toBe(201);
    const [stored] = await rows(scene.databaseUrl, `select * from admin_requests where key = '${key}'`);
    const guess = `POST /v1/customers\n${Buffer.from(JSON.stringify(body)).toString('base64')}`;
    expect(stored?.request_hash).toMatch(/./);
    expect(stored?.request_hash).not.toBe(hash('sha256', guess));
  });
});
