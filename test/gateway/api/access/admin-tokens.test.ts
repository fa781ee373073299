import { type AdminTokenInput } from '../../../../gateway/admin-tokens/admin-token-input';
import { createAdminToken, revokeAdminToken } from '../../../../gateway/admin-tokens/manage-admin-tokens';
import {
  countOf,
  registrationsOf,
  registrationsOfAdmin,
} from '../../../../gateway/alerts/use-cases/token-registrations';
import { addCustomer, editCustomer } from '../../../../gateway/customers/manage-customers';
import { addToken } from '../../../../gateway/lines/tokens';
import { type CustomerRow } from '../../../../gateway/store/tables/customers';
import { type Actor } from '../../../../gateway/store/tables/audit';
import { DATABASES } from '../../../support/databases';
import { startPeer, type HttpPeer } from '../../../support/http-peer';
import { call, CONTACT, expectRefusal, imageTo, sceneOf, type TestLine } from '../../../support/scene';

const ACTOR: Actor = { who: 'a test', through: 'command', address: null };

describe.each(DATABASES)('an admin token for the operations of lines ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_AUTH_FAILURE_RATE: 'off', GATEWAY_ALLOW_FOR_TOKENS: 'on' });
  let receiver: HttpPeer;
  let customer: CustomerRow;
  /** Two lines of the customer, in one business account, and another line. */
  let [one, two, other] = [] as unknown as [TestLine, TestLine, TestLine];

  beforeAll(async () => {
    receiver = await startPeer(() => ({ status: 200 }));
    customer = await scene.change((deps) =>
      addCustomer(deps, ACTOR, null, { name: 'One', externalId: null }),
    );
    [one, two, other] = [await scene.line(), await scene.line(), await scene.line()];
    for (const line of [one, two]) await line.edit({ customer_id: customer.id, waba_id: '777000111' });
  });
  afterAll(() => receiver.close());

  const create = (given: Omit<AdminTokenInput, 'name'>) =>
    scene.change((deps) => createAdminToken(deps, ACTOR, null, { name: 'n8n', ...given }));
  const ask = (token: string, path: string, body?: object, method = body ? 'POST' : 'GET') =>
    call(`${scene.gateway.url}/v22.0${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });

  test('opens each line of its reach with the needed scope, and other lines like a wrong token', async () => {
    const ofCustomer = () => ({ customerIds: [customer.id] });
    const sends = await create({ ...ofCustomer(), permissions: ['send'] });
    const ofLines = await create({ lineIds: [two.id, other.id], permissions: ['send', 'read'] });
    const ofAll = await create({ permissions: ['read'] });
    for (const { token, opens } of [
      { token: sends.token, opens: [one, two] },
      { token: ofLines.token, opens: [two, other] },
    ])
      for (const line of [one, two, other]) {
        const before = line.sent().length;
        const reply = await ask(token, `/${line.phoneNumberId}/messages`, imageTo(CONTACT));
        if (opens.includes(line)) expect(reply.status).toBe(200);
        else expectRefusal(reply, 401, 'invalid_token', 190);
        expect(line.sent().length - before).toBe(Number(opens.includes(line)));
      }
    expectRefusal(await ask(sends.token, '/404404404/status'), 401, 'invalid_token', 190);
    const lacking = await ask(sends.token, `/${one.id}/status`);
    expect(expectRefusal(lacking, 403, 'scope_missing', 10)).toContain('admin-token create --permissions');
    for (const line of [one, two, other])
      expect((await ask(ofAll.token, `/${line.id}/status`)).body.line.id).toBe(line.id);
    expect((await ask(`${ofAll.token}x`, `/${one.id}/status`)).text).toContain('not a complete token');
  });

  test('is refused as soon as it is revoked or expired, and for the lines of a suspended customer', async () => {
    const both = await create({ lineIds: [one.id, other.id], permissions: ['read'], expiresInDays: 1 });
    const status = (line: TestLine) => ask(both.token, `/${line.id}/status`);
    await scene.change((deps) => editCustomer(deps, ACTOR, null, customer, { isSuspended: true }));
    expectRefusal(await status(one), 403, 'customer_suspended', 200);
    expect((await status(other)).status).toBe(200);
    await scene.change((deps) => editCustomer(deps, ACTOR, null, customer, { isSuspended: false }));
    expect((await status(one)).status).toBe(200);
    scene.clock.now += 24 * 3_600_000;
    expectRefusal(await status(one), 401, 'invalid_token', 190);
    scene.clock.now -= 24 * 3_600_000;
    await scene.change((deps) => revokeAdminToken(deps, ACTOR, null, both.row.id));
    expectRefusal(await status(other), 401, 'invalid_token', 190);
  });

  test('finds the line of a path without one by its object or phone_number_id, and refuses to guess', async () => {
    const { token } = await create({ permissions: ['read', 'manage:read'] });
    const ofOne = await create({ lineIds: [one.id], permissions: ['read', 'manage:read'] });
    expect((await ask(token, `/${other.phoneNumberId}?fields=id`)).body).toEqual({ id: other.phoneNumberId });
    expect((await ask(token, '/777000111')).body).toEqual({ id: '777000111' });
    const unknown = '1227829768162607';
    expect(expectRefusal(await ask(token, `/${unknown}`), 400, 'line_not_named', 100)).toContain(
      'phone_number_id',
    );
    const asked = async (by: string, path: string) => {
      const before = scene.upstream.received.length;
      await ask(by, path);
      return scene.upstream.received.slice(before).map(({ url }) => url);
    };
    const file = (line: TestLine) => [`/v22.0/${unknown}?phone_number_id=${line.phoneNumberId}`];
    expect(await asked(token, `/${unknown}?phone_number_id=${two.phoneNumberId}`)).toEqual(file(two));
    expect(await asked(ofOne.token, `/${unknown}`)).toEqual(file(one));
    const wrong = [
      `/${unknown}?phone_number_id=${two.phoneNumberId}`,
      `/${unknown}?phone_number_id=${other.phoneNumberId}`,
      `/${two.phoneNumberId}?phone_number_id=${one.phoneNumberId}`,
      `/${other.phoneNumberId}`,
    ];
    for (const path of wrong) expectRefusal(await ask(ofOne.token, path), 401, 'invalid_token', 190);
    // The account then has lines of two customers, whose templates differ.
    await other.edit({ waba_id: '777000111' });
    expectRefusal(await ask(token, '/777000111'), 400, 'line_not_named', 100);
    expect((await ask(ofOne.token, '/777000111')).status).toBe(200);
    await other.edit({ waba_id: '777000222' });
  });

  test('is described by debug_token, with the lines that the asking token opens too', async () => {
    const wide = await create({ permissions: ['manage:read', 'send'] });
    const narrow = await create({ lineIds: [one.id], permissions: ['manage:read'] });
    const described = async (by: string, of: string) =>
      (await ask(by, `/debug_token?input_token=${of}`)).body;
    const { data } = await described(wide.token, wide.token);
    expect(data).toMatchObject({ is_valid: true, scopes: expect.arrayContaining(['send', 'manage:read']) });
    expect(data.expires_at).toBe(Math.floor(Date.parse(wide.row.expires_at) / 1000));
    expect(data.granular_scopes[0].target_ids).toEqual(
      expect.arrayContaining([one.phoneNumberId, two.phoneNumberId, other.phoneNumberId]),
    );
    const seen = await described(narrow.token, wide.token);
    expect(seen.data.granular_scopes[0].target_ids).toEqual(['777000111', one.phoneNumberId]);
    expect((await described(narrow.token, one.token)).data.is_valid).toBe(true);
    expect((await described(narrow.token, other.token)).data.is_valid).toBe(false);
  });

  test('owns what it registers, apart from a line token with the same id', async () => {
    const admin = await create({ customerIds: [customer.id], permissions: ['destinations', 'send'] });
    let namesake = { id: 0, token: '' };
    while (namesake.id < admin.row.id)
      namesake = await scene.change((deps) => addToken({ ...deps }, one.id, {}));
    expect(namesake.id).toBe(admin.row.id);
    const path = `/${one.phoneNumberId}`;
    const url = `${receiver.url}/secret`;
    const { id } = (await ask(admin.token, `${path}/destinations`, { url })).body;
    await ask(admin.token, `${path}/alert-webhooks`, { url });
    const question = { contact: CONTACT, accepts: ['text'], expires_in: 3600, callback_url: url };
    await ask(admin.token, `${path}/questions`, { ...question, message: imageTo(CONTACT) });
    const shown = async (token: string) => [
      (await ask(token, `${path}/destinations`)).body.data.find((row: { id: number }) => row.id === id).url,
      (await ask(token, `${path}/alert-webhooks`)).body.data[0].url,
    ];
    expect(await shown(admin.token)).toEqual([url, url]);
    expect((await shown(namesake.token)).join()).not.toContain('/secret');
    await scene.change(async (deps) => {
      const [entry] = await deps.store.audit.page({ action: 'destination.added' }, 1);
      expect(entry?.who).toBe(`admin token ${admin.row.id} (…${admin.token.slice(-4)})`);
      const registered = (await registrationsOfAdmin(deps, [admin.row.id]))(admin.row.id);
      expect(registered.destinations.map((row) => row.id)).toEqual([id]);
      expect([registered.channels.length, registered.questions.length]).toEqual([1, 1]);
      const row = await deps.store.tokens.find(namesake.id);
      expect(row && countOf((await registrationsOf(deps, [row]))(row))).toBe(0);
    });
  });
});
