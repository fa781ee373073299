import { decodeJwt } from 'jose';
import { MINUTE } from '../../../../gateway/time';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  foreignKey,
  startProvider,
  type TestProvider,
} from '../../../support/oidc-provider';
import { addPanelUser, formTokenIn } from '../../../support/panel/visitor';
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
  });

  test.each([
    ['another nonce', (claims: object) => ({ ...claims, nonce: 'other' }), {}],
    ['another audience', (claims: object) => ({ ...claims, aud: 'another-client' }), {}],
    ['another issuer', (claims: object) => ({ ...claims, iss: 'https://other.example.com' }), {}],
    ['no time left', (claims: object) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 120 }), {}],
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
      id_token: await provider.sign(decodeJwt(String(token))),
    });
    expect(await logIn(bob)).toMatchObject({ status: 303 });
  });
});
