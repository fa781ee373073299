import { adminToken, askAdmin } from '../../../support/admin-api';
import { addCustomer } from '../../../support/customer-things';
import { DATABASES } from '../../../support/databases';
import { addPanelUser, PASSWORD } from '../../../support/panel/visitor';
import { rows } from '../../../support/rows';
import { expectRefusal, sceneOf, type Json, type Reply } from '../../../support/scene';
import { acceptInvitation } from '../../../../gateway/users/invitations/accept-invitation';

describe.each(DATABASES)('people in the management API ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl, { GATEWAY_TOKEN_RATE: 'off' });
  let [one, other] = [0, 0];
  let token: string;
  let ofOne: string;
  beforeAll(async () => {
    [one, other] = [await addCustomer(scene, 'One'), await addCustomer(scene, 'Other')];
    token = await adminToken(scene);
    ofOne = await adminToken(scene, { customerIds: [one] });
  });
  const ask = (method: string, path: string, body?: object, by = token): Promise<Reply> =>
    askAdmin(scene, by, method, path, body);

  test('a user is made with a link, gets and loses roles, and is removed', async () => {
    const dry = await ask('POST', '/users?dry_run=1', { name: 'ben', role: 'agent', customer_ids: [one] });
    expect([dry.status, dry.body.link]).toEqual([200, undefined]);
    const made = await ask('POST', '/users', { name: 'ben', role: 'agent', customer_ids: [one] });
    expect([made.status, made.headers.get('location')]).toEqual([201, `/v1/users/${made.body.id}`]);
    expect(made.body).toMatchObject({ name: 'ben', role: null, has_password: false });
    const key = new URL(String(made.body.link), scene.gateway.url).searchParams.get('key') ?? '';
    expect((await fetch(`${scene.gateway.url}/panel/set-up?key=${key}`)).status).toBe(200);
    const path = `/users/${made.body.id}`;
    const roles = ({ body }: Reply) =>
      body.memberships.map(({ customer_id, role }: Json) => `${role} in ${customer_id}`);
    expect(roles(await ask('PUT', `${path}/memberships/${other}`, { role: 'editor' }))).toEqual([
      ...[`agent in ${one}`, `editor in ${other}`],
    ]);
    // A token of one customer sees one role.
    expect(roles(await ask('GET', path, undefined, ofOne))).toEqual([`agent in ${one}`]);
    expectRefusal(
      await ask('PUT', `${path}/memberships/${other}`, { role: 'viewer' }, ofOne),
      403,
      'not_permitted',
      10,
    );
    expectRefusal(await ask('POST', `${path}/reset`, undefined, ofOne), 403, 'not_permitted', 10);
    expect((await ask('DELETE', `${path}/memberships/${one}`)).status).toBe(204);
    expectRefusal(await ask('DELETE', `${path}/memberships/${other}`), 409, 'last_role', 100);
    expectRefusal(await ask('GET', path, undefined, ofOne), 404, 'not_found', 100);
    expect((await ask('POST', `${path}/reset`)).body.link).toContain(
      `${scene.gateway.url}/panel/set-up?key=`,
    );
    expect((await ask('DELETE', path)).status).toBe(204);
    expectRefusal(await ask('GET', path), 404, 'not_found', 100);
  });

  test('sessions are listed and ended, and the last owner stays', async () => {
    await addPanelUser(scene, 'ana');
    const [{ id } = {}] = await rows(scene.databaseUrl, "select id from users where name = 'ana'");
    const path = `/users/${String(id)}`;
    for (const [method, below] of [
      ['DELETE', ''],
      ['POST', '/reset'],
    ] as const)
      expectRefusal(await ask(method, path + below), 409, 'last_owner', 100);
    const at = new Date(scene.clock.now).toISOString();
    await scene.change(async ({ store }) => {
      for (const hash of ['a', 'b', 'c'])
        await store.sessions.insert({
          ...{ hash, user_id: Number(id), created_at: at, seen_at: at, confirmed_at: at, awaits_code: 0 },
          ...{ address: '192.0.2.1', browser: 'Firefox', notice: null },
        });
    });
    const sessions = async () => (await ask('GET', `${path}/sessions`)).body.sessions as Json[];
    const [first] = await sessions();
    expect(Object.keys(first as object)).toEqual(['id', 'browser', 'address', 'created_at', 'seen_at']);
    expect((await ask('DELETE', `${path}/sessions/${String(first.id)}`)).status).toBe(204);
    expect(await sessions()).toHaveLength(2);
    expect((await ask('DELETE', `${path}/sessions`)).status).toBe(204);
    expect(await sessions()).toEqual([]);
  });

  test('an invitation is void once its token is revoked', async () => {
    const by = await adminToken(scene);
    const made = await ask('POST', '/invitations', { role: 'viewer', email: 'ana@example.com' }, by);
    expect(made.status).toBe(201);
    // Without a public URL and a mail server.
    expect(made.body.email_failure).toContain('GATEWAY_PUBLIC_URL');
    // The token has the link, so it proves nothing about the address.
    expect((await ask('GET', `/invitations/${made.body.id}`)).body).toMatchObject({
      ...{ email: null, name: 'ana@example.com' },
    });
    const accept = (link: string) =>
      scene.change((world) =>
        acceptInvitation(
          world,
          { who: 'not logged in', through: 'panel', address: null },
          new URL(link, scene.gateway.url).searchParams.get('key') ?? '',
          { name: 'dora', password: PASSWORD },
        ),
      );
    const renewed = await ask('POST', `/invitations/${made.body.id}/renew`, undefined, by);
    await expect(accept(made.body.link)).rejects.toMatchObject({ errorCode: 'invitation_gone' });
    const { body } = await ask('GET', '/me', undefined, by);
    await scene.change(({ store }) => store.adminTokens.revoke(Number(body.id), '2026-03-10T12:00:00.000Z'));
    await expect(accept(renewed.body.link)).rejects.toMatchObject({ errorCode: 'invitation_void' });
    expect((await ask('DELETE', `/invitations/${made.body.id}`)).status).toBe(204);
    expect((await ask('GET', '/invitations')).body).toEqual({ data: [], next: null });
  });
});
