import { decodeJwt } from 'jose';
import { fact } from '../../../../gateway/wording/facts';
import { acceptInvitation } from '../../../../gateway/users/invitations/accept-invitation';
import { invite, sendInvitation } from '../../../../gateway/users/invitations/invite';
import { isoTime, MINUTE } from '../../../../gateway/time';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  foreignKey,
  startProvider,
  type TestProvider,
} from '../../../support/oidc-provider';
import { addPanelUser, formTokenIn, PASSWORD } from '../../../support/panel/visitor';
import { rows } from '../../../support/rows';
import { DATABASES } from '../../../support/databases';
import { startScene, type Scene } from '../../../support/scene';

/** A browser without pages: it keeps cookies by host, and follows no redirect by itself. */
class Client {
  readonly #cookies = new Map<string, Map<string, string>>();

  async request(
    url: string,
    form?: Record<string, string>,
  ): Promise<{ status: number; location: string; text: string; refresh: string }> {
    const { host, origin } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    const answer = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '), origin },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(cookie)) jar.delete(name);
      else jar.set(name, value);
    }
    const location = answer.headers.get('location');
    return {
      status: answer.status,
      location: location === null ? '' : new URL(location, url).href,
      refresh: answer.headers.get('refresh')?.replace(/^0; url=/, '') ?? '',
      text: await answer.text(),
    };
  }

  forget(url: string): void {
    this.#cookies.delete(new URL(url).host);
  }

  /** Submits the form of a page to an address. */
  async submit(page: string, to: string, fields: Record<string, string> = {}) {
    const { text } = await this.request(page);
    return this.request(to, { form_token: formTokenIn(text), ...fields });
  }

  /** Follows redirects at the provider until the gateway's answer address. */
  async throughProvider(url: string, issuer: string): Promise<string> {
    let at = url;
    while (at.startsWith(issuer)) at = (await this.request(at)).location;
    return at;
  }
}

const KEY = 'company';

describe.each(DATABASES)('log-in with OpenID Connect on $name', ({ createUrl }) => {
  let provider: TestProvider;
  let scene: Scene;
  beforeEach(async () => {
    provider = await startProvider();
  });
  afterEach(async () => {
    await scene.stop();
    await provider.close();
  });

  const settingsOf = ({ issuer }: TestProvider, more: object = {}) => ({
    key: KEY,
    label: 'Company',
    issuer,
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    ...more,
  });
  /** Starts a gateway with this provider. */
  async function start(more: object = {}, env: Record<string, string> = {}): Promise<void> {
    scene = await startScene(await createUrl(), {
      GATEWAY_OIDC_PROVIDERS: JSON.stringify([settingsOf(provider, more)]),
      ...env,
    });
    scene.clock.now = Date.now();
    provider.open(scene.gateway.url);
    await addPanelUser(scene, 'ana');
  }
  const at = (path: string): string => `${scene.gateway.url}/panel${path}`;
  const WITH_GROUPS = {
    create_users: true,
    roles: [
      { group: 'staff', role: 'viewer' },
      { group: 'leads', role: 'admin' },
    ],
  };
  /** Begins at the log-in page and goes to the provider. @returns the address of the provider's answer */
  const begun = async (client: Client): Promise<string> =>
    client.throughProvider((await client.request(at(`/log-in/with/${KEY}`))).location, provider.issuer);
  const logIn = async (client: Client) => client.request(await begun(client));
  const isIn = async (client: Client) => (await client.request(at('/profile'))).status === 200;
  const usersNow = () => rows(scene.databaseUrl, 'select name, role from users order by name');
  const actions = async () =>
    (await rows(scene.databaseUrl, 'select action from audit order by number')).map(({ action }) => action);

  test('creates a user with the roles of the groups, and changes them at the next log-in', async () => {
    await start(WITH_GROUPS);
    provider.person = { sub: '1', preferred_username: 'Bob Stone', groups: ['staff', 'others'] };
    const bob = new Client();
    expect(await logIn(bob)).toMatchObject({ status: 303, location: at('') });
    expect(await isIn(bob)).toBe(true);
    expect(await usersNow()).toEqual([
      { name: 'ana', role: 'operator' },
      { name: 'bob-stone', role: 'viewer' },
    ]);
    provider.person = { ...provider.person, groups: ['staff', 'leads'] };
    expect(await logIn(new Client())).toMatchObject({ status: 303 });
    expect(await usersNow()).toContainEqual({ name: 'bob-stone', role: 'admin' });
    expect(await actions()).toEqual([
      'identity.linked',
      'session.begun',
      'user.roles_of_groups',
      'session.begun',
    ]);
    // Without a group: no access, no role, and the other session has ended.
    provider.person = { ...provider.person, groups: ['others'] };
    const refused = await logIn(new Client());
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('have no access to this gateway'),
    ]);
    expect(await isIn(bob)).toBe(false);
    expect(await usersNow()).toContainEqual({ name: 'bob-stone', role: 'none' });
  });

  test('leaves a role that was set by hand as it is, but lets nobody in without a group', async () => {
    await start(WITH_GROUPS);
    provider.person = { sub: '1', preferred_username: 'bob', groups: ['staff'] };
    await logIn(new Client());
    await scene.change(async ({ store }) => {
      const bob = await store.users.byName('bob');
      await store.users.update(bob?.id ?? 0, { role: 'agent' });
    });
    provider.person = { ...provider.person, groups: ['leads'] };
    const bob = new Client();
    expect(await logIn(bob)).toMatchObject({ status: 303 });
    expect(await isIn(bob)).toBe(true);
    provider.person = { ...provider.person, groups: [] };
    expect(await logIn(new Client())).toMatchObject({ status: 403 });
    expect(await isIn(bob)).toBe(false);
    expect(await usersNow()).toContainEqual({ name: 'bob', role: 'agent' });
  });

  test('refuses answers that are forged, repeated or meant for another browser', async () => {
    await start(WITH_GROUPS);
    provider.person = { sub: '1', preferred_username: 'bob', groups: ['staff'] };
    const refused = async (client: Client, url: string) => {
      const { status, text } = await client.request(url);
      expect([status, text]).toEqual([403, expect.stringContaining('was not completed')]);
      expect(await isIn(client)).toBe(false);
    };
    const changed = (url: string, change: Record<string, string>) => {
      const other = new URL(url);
      for (const [name, value] of Object.entries(change)) other.searchParams.set(name, value);
      return other.href;
    };
    // Another state; the attempt itself stays good.
    const one = new Client();
    const answer = await begun(one);
    await refused(one, changed(answer, { state: 'x'.repeat(43) }));
    // In another browser.
    await refused(new Client(), answer);
    // Another issuer.
    await refused(one, changed(answer, { iss: 'https://other.example.com' }));
    // The attempt is used now.
    await refused(one, answer);
    // A code that was used before.
    const two = new Client();
    const good = await begun(two);
    expect((await two.request(good)).status).toBe(303);
    const three = new Client();
    const code = new URL(good).searchParams.get('code') ?? '';
    await refused(three, changed(await begun(three), { code }));
    // Another code verifier: the challenge is changed on the way.
    const four = new Client();
    const { location } = await four.request(at(`/log-in/with/${KEY}`));
    const challenged = changed(location, { code_challenge: 'y'.repeat(43) });
    await refused(four, await four.throughProvider(challenged, provider.issuer));
    // Too late.
    const five = new Client();
    const late = await begun(five);
    scene.clock.now += 10 * MINUTE + 1;
    await refused(five, late);
    expect((await usersNow()).map(({ name }) => name)).toEqual(['ana', 'bob']);
    expect(scene.gateway.logged()).not.toContain(CLIENT_SECRET);
    expect(scene.gateway.logged()).toContain('"reason":"invalid_grant"');
  });

  test.each([
    ['another nonce', (claims: object) => ({ ...claims, nonce: 'other' }), {}],
    ['another audience', (claims: object) => ({ ...claims, aud: 'another-client' }), {}],
    ['another issuer', (claims: object) => ({ ...claims, iss: 'https://other.example.com' }), {}],
    ['no time left', (claims: object) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 120 }), {}],
    ['a subject that is too long', (claims: object) => ({ ...claims, sub: 's'.repeat(256) }), {}],
    ['a subject with a NUL', (claims: object) => ({ ...claims, sub: 'a\0b' }), {}],
    ['a signature of another key', (claims: object) => claims, { key: foreignKey() }],
  ])('refuses an ID token with %s', async (_what, change, how) => {
    await start(WITH_GROUPS);
    provider.person = { sub: '1', preferred_username: 'bob', groups: ['staff'] };
    provider.tamper = async ({ id_token: token, ...answer }) => ({
      ...answer,
      id_token: await provider.sign(
        { ...decodeJwt(String(token)), ...change(decodeJwt(String(token))) },
        how,
      ),
    });
    const bob = new Client();
    expect(await logIn(bob)).toMatchObject({ status: 403 });
    // The same token, signed again, is good.
    provider.tamper = async ({ id_token: token, ...answer }) => ({
      ...answer,
      id_token: await provider.sign({ ...decodeJwt(String(token)), email: 'a\0b' }),
    });
    expect(await logIn(bob)).toMatchObject({ status: 303 });
  });

  test('accepts a new key of the provider, and says if the provider is away', async () => {
    await start(WITH_GROUPS);
    provider.person = { sub: '1', preferred_username: 'bob', groups: ['staff'] };
    expect(await logIn(new Client())).toMatchObject({ status: 303 });
    provider.rotateKey();
    provider.open(scene.gateway.url);
    expect(await logIn(new Client())).toMatchObject({ status: 303 });
    provider.failsWith = 500;
    const away = await new Client().request(at(`/log-in/with/${KEY}`));
    expect([away.status, away.text]).toEqual([503, expect.stringContaining('or log in with a password')]);
    expect(await new Client().request(at('/log-in'))).toMatchObject({ status: 200 });
    expect(await passwordLogIn(new Client())).toMatchObject({ status: 303, location: at('') });
  });

  const passwordLogIn = (client: Client, name = 'ana') =>
    client.submit(at('/log-in'), at('/log-in'), { name, password: PASSWORD });

  test('ends sessions when the person logs out at the provider, once for each token', async () => {
    await start(WITH_GROUPS);
    provider.person = { sub: '1', preferred_username: 'bob', groups: ['staff'] };
    const [one, two] = [new Client(), new Client()];
    expect([(await logIn(one)).status, (await logIn(two)).status]).toEqual([303, 303]);
    const [, second] = await rows(
      scene.databaseUrl,
      'select provider_session from sessions order by created_at',
    );
    expect(second?.provider_session).toEqual(expect.any(String));
    const seconds = Math.floor(scene.clock.now / 1000);
    const claims = {
      ...{ iss: provider.issuer, aud: CLIENT_ID, iat: seconds, exp: seconds + 60, jti: 'first' },
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    };
    const told = async (token: string): Promise<number> =>
      (
        await fetch(at(`/log-in/with/${KEY}/back-channel-log-out`), {
          method: 'POST',
          body: new URLSearchParams({ logout_token: token }),
        })
      ).status;
    const of = { sub: '1' };
    for (const wrong of [
      await provider.sign({ ...claims, ...of }, { key: foreignKey() }),
      await provider.sign({ ...claims, ...of, aud: 'other' }),
      await provider.sign({ ...claims, ...of, iss: 'https://other.example.com' }),
      await provider.sign({ ...claims, ...of, iat: seconds - 3600, exp: seconds - 1800 }),
      await provider.sign({ ...claims, ...of, events: {} }),
      await provider.sign({ ...claims, ...of, nonce: 'of an ID token' }),
      await provider.sign(claims),
      'not a token',
    ])
      expect(await told(wrong)).toBe(400);
    expect([await isIn(one), await isIn(two)]).toEqual([true, true]);
    for (const keys of ['null', '{"keys":1}', '{"keys":[{"kty":"oct","k":"AAAA"}]}', '<html>']) {
      provider.instead.set('/jwks', keys);
      expect(await told(await provider.sign({ ...claims, ...of }))).toBe(400);
    }
    provider.instead.clear();
    const { sid } = decodeJwt(await provider.sign({ sid: second?.provider_session }));
    const ofSecond = await provider.sign({ ...claims, sid });
    expect([await told(ofSecond), await told(ofSecond)]).toEqual([200, 400]);
    expect((await isIn(one)) !== (await isIn(two))).toBe(true);
    expect(await told(await provider.sign({ ...claims, ...of, jti: 'second' }))).toBe(200);
    expect([await isIn(one), await isIn(two)]).toEqual([false, false]);
  });

  test('asks for another log-in at the provider where others enter the password again', async () => {
    await start({ ...WITH_GROUPS, roles: [{ group: 'staff', role: 'owner' }] });
    provider.person = { sub: '1', preferred_username: 'bob', groups: ['staff'] };
    const bob = new Client();
    await logIn(bob);
    scene.clock.now += 11 * MINUTE;
    const addCustomer = { name: 'Acme', external_id: '' };
    const asked = await bob.submit(at('/customers/new'), at('/customers'), addCustomer);
    expect(asked.text).toContain('log in at Company again');
    const kept = /name="kept" value="([^"]+)"/.exec(asked.text)?.[1] ?? '';
    const confirm = async () => {
      const { refresh } = await bob.submit(at('/customers/new'), at(`/log-in/with/${KEY}/confirm`), { kept });
      expect(new URL(refresh).searchParams.get('prompt')).toBe('login');
      return bob.request(await bob.throughProvider(refresh, provider.issuer));
    };
    const authenticated = (at: number): void => {
      provider.tamper = async ({ id_token: token, ...answer }) => ({
        ...answer,
        id_token: await provider.sign({ ...decodeJwt(String(token)), auth_time: Math.floor(at / 1000) }),
      });
    };
    // The provider asks nobody, and tells when the person really logged in.
    authenticated(scene.clock.now - MINUTE);
    expect(await confirm()).toMatchObject({ status: 303 });
    const still = await bob.submit(at('/customers/new'), at('/customers'), addCustomer);
    expect(still.text).toContain('log in at Company again');
    // Another person at the provider.
    authenticated(scene.clock.now);
    provider.person = { ...provider.person, sub: '2' };
    bob.forget(provider.issuer);
    expect(await confirm()).toMatchObject({ status: 303 });
    provider.person = { ...provider.person, sub: '1' };
    bob.forget(provider.issuer);
    const offered = await confirm();
    expect(offered.text).toContain('Submit the form now?');
    expect(offered.text).toContain('name="name" value="Acme"');
    expect(await bob.submit(at('/customers/new'), at('/customers'), addCustomer)).toMatchObject({
      status: 303,
    });
    expect(await rows(scene.databaseUrl, 'select name from customers')).toEqual([{ name: 'Acme' }]);
  });

  test('keeps the form of an ended session during the log-in at the provider', async () => {
    await start({ ...WITH_GROUPS, roles: [{ group: 'staff', role: 'owner' }] });
    provider.person = { sub: '1', preferred_username: 'bob', groups: ['staff'] };
    const bob = new Client();
    await logIn(bob);
    const open = await bob.request(at('/customers/new'));
    scene.clock.now += 31 * MINUTE;
    const token = (text: string) => ({ form_token: formTokenIn(text) });
    const ended = await bob.request(at('/customers'), { ...token(open.text), name: 'Acme' });
    expect(ended.text).toContain('Your form is kept.');
    const [, form = ''] = /<form[^>]*action="[^"]*(\/log-in\/with[^>]*>.*?)<\/form>/s.exec(ended.text) ?? [];
    const [, path = ''] = /^([^"]*)"/.exec(form) ?? [];
    const [, kept = ''] = /name="kept" value="([^"]+)"/.exec(form) ?? [];
    const begin = (value: string) => bob.request(at(path), { ...token(form), kept: value });
    expect(await begin('forged')).toMatchObject({ status: 200 });
    const { refresh } = await begin(kept);
    const offered = await bob.request(await bob.throughProvider(refresh, provider.issuer));
    expect(offered.text).toContain('Submit the form now?');
    expect(offered.text).toContain('name="name" value="Acme"');
    scene.clock.now += 11 * MINUTE;
    const { text } = await bob.request(at('/customers/new'));
    const forged = { ...token(text), kept: 'forged' };
    expect(await bob.request(at(`/log-in/with/${KEY}/confirm`), forged)).toMatchObject({ status: 200 });
  });

  test('takes people of two providers for two, though subject, name and address are the same', async () => {
    const other = await startProvider();
    await start(WITH_GROUPS, {
      GATEWAY_OIDC_PROVIDERS: JSON.stringify([
        settingsOf(provider, WITH_GROUPS),
        { ...settingsOf(other, WITH_GROUPS), key: 'other' },
      ]),
    });
    other.open(scene.gateway.url, 'other');
    const person = { sub: '1', preferred_username: 'bob', email: 'bob@example.com', email_verified: true };
    provider.person = { ...person, groups: ['staff'] };
    other.person = { ...person, groups: ['leads'] };
    await logIn(new Client());
    const client = new Client();
    const { location } = await client.request(at('/log-in/with/other'));
    const answer = await client.throughProvider(location, other.issuer);
    // The answer of one provider does not count as the other's.
    const mixed = await client.request(answer.replace('/with/other/', `/with/${KEY}/`));
    expect(mixed.status).toBe(403);
    expect(await client.request(answer)).toMatchObject({ status: 303 });
    expect(await usersNow()).toEqual([
      { name: 'ana', role: 'operator' },
      { name: 'bob', role: 'viewer' },
      { name: expect.stringMatching(/^bob-\w{6}$/), role: 'admin' },
    ]);
    await other.close();
  });

  test('links accounts on the profile, by verified addresses of named domains, and by nothing else', async () => {
    await start({ email_domains: ['example.com'] });
    provider.person = { sub: '1', preferred_username: 'ana', email: 'ana@example.com', email_verified: true };
    const refused = async () => expect(await logIn(new Client())).toMatchObject({ status: 403 });
    // A name is no identity, and nobody has the address yet.
    await refused();
    await scene.change(async ({ store }) => {
      const ana = await store.users.byName('ana');
      await store.users.update(ana?.id ?? 0, { email: 'ana@example.com' });
    });
    provider.person = { ...provider.person, email_verified: false };
    await refused();
    provider.person = { ...provider.person, email: 'ana@example.com.evil.test', email_verified: true };
    await refused();
    provider.person = { ...provider.person, email: 'Ana@Example.com' };
    expect(await logIn(new Client())).toMatchObject({ status: 303, location: at('') });
    // Another person with the same address is not linked too.
    provider.person = { ...provider.person, sub: '2' };
    await refused();
    const ana = new Client();
    await passwordLogIn(ana);
    const change = (what: string) => ana.submit(at('/profile'), at(`/profile/${what}/${KEY}`));
    expect(await change('unlink')).toMatchObject({ status: 303 });
    const { refresh } = await change('link');
    expect(await ana.request(await ana.throughProvider(refresh, provider.issuer))).toMatchObject({
      status: 303,
      location: at('/profile'),
    });
    expect(await rows(scene.databaseUrl, 'select subject from identities')).toEqual([{ subject: '2' }]);
    expect(await actions()).toEqual(
      expect.arrayContaining(['identity.linked', 'identity.unlinked', 'identity.linked']),
    );
  });

  test('asks for the code of the authenticator app, unless the provider confirmed a second factor', async () => {
    await start({ ...WITH_GROUPS, trusted_amr: ['mfa'] });
    provider.person = { sub: '1', preferred_username: 'bob', groups: ['staff'] };
    await logIn(new Client());
    await scene.change(async ({ store, vault }) => {
      const bob = await store.users.byName('bob');
      await store.users.update(bob?.id ?? 0, { totp_sealed: vault.seal('users.totp', 'JBSWY3DPEHPK3PXP') });
    });
    const one = new Client();
    expect(await logIn(one)).toMatchObject({ status: 303, location: at('/log-in/code') });
    expect(await isIn(one)).toBe(false);
    provider.amr = ['pwd', 'mfa'];
    expect(await logIn(new Client())).toMatchObject({ status: 303, location: at('') });
  });

  test('lets only owners use a password, if the others must log in at a provider', async () => {
    await start({}, { GATEWAY_PASSWORD_LOG_IN: 'owners' });
    await addPanelUser(scene, 'bob', 'admin');
    expect((await new Client().request(at('/log-in'))).text).toContain('Only owners can log in');
    const refused = await passwordLogIn(new Client(), 'bob');
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('Only owners can log in with a password'),
    ]);
    expect(await passwordLogIn(new Client())).toMatchObject({ status: 303, location: at('') });
    // A password that may not be used is no way to log in.
    await scene.change(async ({ store, clock }) => {
      const user = await store.users.byName('bob');
      await store.identities.add({
        ...{ issuer: provider.issuer, subject: '1', user_id: user?.id ?? 0, email: null, roles: '[]' },
        ...{ created_at: isoTime(clock()), last_log_in_at: null },
      });
    });
    provider.person = { sub: '1' };
    provider.tamper = async ({ id_token: token, ...answer }) => ({
      ...answer,
      id_token: await provider.sign({
        ...decodeJwt(String(token)),
        auth_time: Math.floor(scene.clock.now / 1000),
      }),
    });
    const bob = new Client();
    await logIn(bob);
    const unlinked = await bob.submit(at('/profile'), at(`/profile/unlink/${KEY}`));
    expect([unlinked.status, unlinked.text]).toEqual([409, expect.stringContaining('only way to log in')]);
  });

  test('links nobody to a user by an address to which no invitation could be sent', async () => {
    await start({ email_domains: ['example.com'] });
    const actor = { who: 'a test', through: 'command', address: null } as const;
    const email = 'ceo@example.com';
    await scene.change(async (world) => {
      const made = await invite(world, actor, null, { name: null, email, role: 'agent', customerIds: null });
      const deps = {
        ...{ store: world.store, publicUrl: 'https://gateway.example' },
        invitationMail: { send: async () => fact('mail.no_server', {}) },
      };
      expect(await sendInvitation(deps, made, email, '/panel/invitation', 'en')).not.toBeNull();
      await acceptInvitation(world, actor, made.key, { name: 'eve', password: PASSWORD });
    });
    provider.person = { sub: '1', preferred_username: 'ceo', email, email_verified: true };
    expect(await logIn(new Client())).toMatchObject({ status: 403 });
    expect(await rows(scene.databaseUrl, 'select email from users')).toEqual([
      { email: null },
      { email: null },
    ]);
  });

  test('accepts an invitation: the person gets its role and logs in at the provider from now on', async () => {
    await start({ email_domains: ['example.com'] });
    const invited = async (email: string | null) =>
      scene.change(async (world) => {
        const actor = { who: 'a test', through: 'command', address: null } as const;
        return (await invite(world, actor, null, { name: null, email, role: 'agent', customerIds: null }))
          .key;
      });
    provider.person = { sub: '1', preferred_username: 'bob', email: 'bob@example.com', email_verified: true };
    const accept = async (client: Client, key: string) => {
      const begin = at(`/log-in/with/${KEY}`);
      const { refresh } = await client.submit(at('/log-in'), begin, { invitation: key });
      return client.request(await client.throughProvider(refresh, provider.issuer));
    };
    const key = await invited(null);
    expect((await new Client().request(at(`/invitation?key=${key}`))).text).toContain('Log in with Company');
    // A link of another site, and a form without the token of the page, accept nothing.
    const lured = new Client();
    await lured.request(at(`/log-in/with/${KEY}?invitation=${key}`));
    expect((await lured.request(at(`/log-in/with/${KEY}`), { invitation: key })).refresh).toBe('');
    const { location } = await lured.request(at(`/log-in/with/${KEY}?invitation=${key}`));
    await lured.request(await lured.throughProvider(location, provider.issuer));
    expect((await usersNow()).map(({ name }) => name)).toEqual(['ana']);
    const bob = new Client();
    expect(await accept(bob, key)).toMatchObject({ status: 303, location: at('') });
    expect(await isIn(bob)).toBe(true);
    expect(await usersNow()).toContainEqual({ name: 'bob', role: 'agent' });
    // Used up, and nobody else gets in with it.
    provider.person = { sub: '2', preferred_username: 'eve' };
    const late = await accept(new Client(), key);
    expect(late.status).toBeGreaterThanOrEqual(400);
    expect((await usersNow()).map(({ name }) => name)).toEqual(['ana', 'bob']);
    // The name at the provider is another user's here.
    provider.person = { sub: '3', preferred_username: 'bob' };
    expect(await accept(new Client(), await invited(null))).toMatchObject({ status: 303, location: at('') });
    expect((await usersNow()).map(({ name }) => name)).toEqual([
      'ana',
      'bob',
      expect.stringMatching(/^bob-[a-z0-9]{4}$/),
    ]);
  });
});
