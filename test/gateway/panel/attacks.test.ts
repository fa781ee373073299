import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { insertDestination } from '../../../gateway/forwarding/destinations/destination-rows';
import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { dirname, join } from 'node:path';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setForwardingUrl } from '../../../gateway/forwarding/destinations/destination-rows';
import { destinationRules } from '../../../gateway/http/destination-address';
import { createVault } from '../../../gateway/store/vault';
import { audited } from '../../../gateway/store/with-audit';
import { PAGES_WAITING } from '../../../gateway/panel/compressed';
import { PERMISSIONS_OF, ROLES } from '../../../gateway/rights/roles';
import { pagesOf } from '../../../gateway/panel/routes';
import { HOUR, MINUTE } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { sealKnownLink } from '../../../gateway/users/known-browser';
import { totpCode } from '../../../gateway/users/totp';
import { runCommand } from '../../support/gateway-process';
import { until } from '../../support/http-peer';
import { addPanelUser, formTokenIn, loggedIn, PASSWORD } from '../../support/panel/visitor';
import { exchange } from '../../support/raw-http';
import { rows } from '../../support/rows';
import { sqliteUrl, startScene, type Scene } from '../../support/scene';

/** Pages of every role. */
const EVERYBODYS_PAGES = ['overview', 'lines', 'templates', 'events', 'profile'];

let scene: Scene;

interface Told {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** What the answer sets the panel's cookie to; null where it takes it away. */
  cookie: string | null | undefined;
  /** What it sets the cookie to of a browser in which somebody has logged in. */
  known: string | undefined;
}

/** A request that a program makes, from whatever address and with whatever headers. */
function ask(
  path: string,
  { method = 'GET', cookie = '', known = '', form, headers = {}, from = '127.0.0.1' }: Asked = {},
): Promise<Told> {
  const { hostname, port, origin } = new URL(scene.gateway.url);
  const body = form && new URLSearchParams(form).toString();
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        ...{ hostname, port, path, localAddress: from },
        method: form ? 'POST' : method,
        headers: {
          ...((cookie || known) && { cookie: `panel=${cookie}; panel-known=${known}` }),
          ...(form && { origin, 'content-type': 'application/x-www-form-urlencoded' }),
          ...headers,
        },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => {
          const setTo = (name: string) =>
            (answer.headers['set-cookie'] ?? [])
              .find((one) => one.startsWith(`${name}=`))
              ?.match(/=([^;]*)/)?.[1];
          const set = setTo('panel');
          resolve({
            known: setTo('panel-known'),
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text,
            cookie: set === '' ? null : set,
          });
        });
      },
    );
    sent.on('error', reject).end(body);
  });
}

interface Asked {
  method?: string;
  cookie?: string;
  known?: string;
  form?: Record<string, string>;
  headers?: Record<string, string>;
  from?: string;
}

const tokenIn = ({ text }: Told): string => formTokenIn(text);

async function logIn(name: string, password: string, from?: string, known?: string): Promise<Told> {
  const page = await ask('/panel/log-in', { ...(from && { from }) });
  const form = { name, password, form_token: tokenIn(page) };
  return ask('/panel/log-in', {
    cookie: page.cookie ?? '',
    form,
    ...(from && { from }),
    ...(known && { known }),
  });
}

/** Twenty wrong passwords: then nobody who comes from elsewhere is let in. */
async function guessFromEverywhere(name: string): Promise<void> {
  for (let guess = 0; guess < 20; guess++) await logIn(name, 'guess', `127.0.0.${11 + (guess % 4)}`);
  expect((await logIn(name, PASSWORD)).status).toBe(429);
}

async function anaIsIn(): Promise<string> {
  const { cookie } = await logIn('ana', PASSWORD);
  return cookie ?? '';
}

const userNames = async () =>
  (await rows(scene.databaseUrl, 'select name from users order by name')).map(({ name }) => name);

describe.each(DATABASES)('attacks on the panel on $name', ({ createUrl }) => {
  beforeEach(async () => {
    scene = await startScene(await createUrl());
    await addPanelUser(scene, 'ana');
  });
  afterEach(() => scene.stop());

  test('a session that somebody planted opens nothing: the key is new at log-in, and the old one void', async () => {
    const planted = 'A'.repeat(43);
    const page = await ask('/panel/log-in', { cookie: planted });
    const inside = await ask('/panel/log-in', {
      cookie: planted,
      form: { name: 'ana', password: PASSWORD, form_token: tokenIn(page) },
    });
    expect(inside.cookie).toMatch(/^[\w-]{43}$/);
    expect(inside.cookie).not.toBe(planted);
    expect((await ask('/panel/audit', { cookie: planted })).status).toBe(303);
    expect((await ask('/panel/audit', { cookie: inside.cookie ?? '' })).status).toBe(200);
    const { 'set-cookie': set } = inside.headers;
    expect(String(set)).toContain('; HttpOnly; SameSite=Lax');
    // What is stored opens nothing.
    const [stored] = await rows(scene.databaseUrl, 'select hash from sessions');
    expect((await ask('/panel/audit', { cookie: String(stored?.hash) })).status).toBe(303);
    const out = await ask('/panel/log-out', {
      cookie: inside.cookie ?? '',
      form: { form_token: tokenIn(await ask('/panel/audit', { cookie: inside.cookie ?? '' })) },
    });
    expect(out.cookie).toBeNull();
    expect((await ask('/panel/audit', { cookie: inside.cookie ?? '' })).status).toBe(303);
  });

  test('passwords cannot be guessed: five, then 429, for known and unknown users alike', async () => {
    for (const name of ['ana', 'nobody']) {
      const told: string[] = [];
      for (let guess = 0; guess < 5; guess++) {
        const { status, text } = await logIn(name, `guess ${guess}`);
        expect(status).toBe(422);
        told.push(text.replace(/value="[^"]*"/g, ''));
      }
      expect(new Set(told).size).toBe(1);
      const limited = await logIn(name, `guess`);
      expect([limited.status, Number(limited.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
    }
    // Not even with the right password, so that nobody learns that it is; but the owner, who comes from elsewhere, may.
    expect((await logIn('ana', PASSWORD)).status).toBe(429);
    expect((await logIn('ana', PASSWORD, '127.0.0.2')).status).toBe(303);
    scene.clock.now += 16 * MINUTE;
    expect((await logIn('ana', PASSWORD)).status).toBe(303);
  });

  test('guessing at the same time, or from many addresses, gains nothing', async () => {
    const guesses = await Promise.all(
      Array.from({ length: 12 }, (_, guess) => logIn('ana', `guess ${guess}`)),
    );
    expect(guesses.filter(({ status }) => status === 422)).toHaveLength(5);
    let compared = 5;
    for (let address = 2; address < 9; address++)
      for (let guess = 0; guess < 5; guess++)
        if ((await logIn('ana', 'guess', `127.0.0.${address}`)).status === 422) compared++;
    expect(compared).toBe(20);
    expect(await rows(scene.databaseUrl, 'select hash from sessions')).toEqual([]);
  });

  test('a browser that has logged in before does so however many others guess; its cookie gives no more', async () => {
    await addPanelUser(scene, 'ben', 'viewer');
    const { known = '', headers } = await logIn('ana', PASSWORD);
    expect(String(headers['set-cookie'])).toMatch(
      /panel-known=v1\.[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=34560000/,
    );
    const bens = (await logIn('ben', PASSWORD)).known ?? '';
    await guessFromEverywhere('ana');
    const later = await logIn('ana', PASSWORD, '127.0.0.2', known);
    expect(later.status).toBe(303);
    // It opens nothing by itself, is good for one account, and cannot be made up.
    expect((await ask('/panel/audit', { known })).status).toBe(303);
    for (const other of [bens, `${known}x`, 'v1.x.y', JSON.stringify({ id: 'x', accounts: [] })])
      expect((await logIn('ana', PASSWORD, '127.0.0.2', other)).status).toBe(429);
    // Whoever steals it guesses as often as anybody, whatever he made of it by logging in elsewhere.
    const statuses: number[] = [];
    for (let guess = 0; guess < 6; guess++)
      statuses.push((await logIn('ana', 'guess', '127.0.0.3', guess % 2 ? known : later.known)).status);
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
    expect((await logIn('ana', PASSWORD, '127.0.0.3', known)).status).toBe(429);
  });

  test('user unlock lets somebody in again, and gives a link that does so while others go on guessing', async () => {
    await guessFromEverywhere('ana');
    const unlock = () => runCommand(['user', 'unlock', 'Ana', '--json'], scene.gateway.env);
    const { link } = JSON.parse((await unlock()).stdout) as { link: string };
    expect((await logIn('ana', PASSWORD)).status).toBe(303);
    await guessFromEverywhere('ana');
    const opened = await ask(link);
    expect([opened.status, opened.headers.location]).toEqual([303, '/panel/log-in']);
    expect((await logIn('ana', PASSWORD, '127.0.0.2', opened.known)).status).toBe(303);
    // The same link gives no other guesses.
    const again = (await ask(link)).known ?? '';
    for (let guess = 0; guess < 5; guess++) await logIn('ana', 'guess', '127.0.0.3', again);
    expect((await logIn('ana', PASSWORD, '127.0.0.2', (await ask(link)).known)).status).toBe(429);
    // A browser that is known already does not take another's place for it.
    expect((await ask(link, { known: opened.known ?? '' })).known).toBeUndefined();
    expect((await runCommand(['user', 'unlock', 'nobody'], scene.gateway.env)).code).toBe(2);
  });

  test('a link makes a browser known to one account more, for a day; the cookie of another browser is no link', async () => {
    await addPanelUser(scene, 'ben', 'viewer');
    const known = (await logIn('ana', PASSWORD)).known ?? '';
    const bens = (await logIn('ben', PASSWORD)).known ?? '';
    expect((await ask(`/panel/log-in?known=${bens}`, { known })).known).toBeUndefined();
    const vault = createVault(scene.gateway.env.GATEWAY_SECRET_KEY ?? '');
    const link = `/panel/log-in?known=${sealKnownLink(vault, 'ben', () => scene.clock.now)}`;
    const both = (await ask(link, { known })).known ?? '';
    await guessFromEverywhere('ana');
    expect((await logIn('ana', PASSWORD, '127.0.0.2', both)).status).toBe(303);
    scene.clock.now += 25 * HOUR;
    expect((await ask(link)).known).toBeUndefined();
  });

  test('attacks are told in the log, the audit and the metrics: from where, on what, and no name that may be a password', async () => {
    await logIn('my secret as a name', 'x', '127.0.0.9');
    await guessFromEverywhere('ana');
    await logIn('ana', PASSWORD, '127.0.0.2');
    const lines = scene.gateway
      .logged()
      .split('\n')
      .filter((line) => line.includes('log-in failed'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({
      level: 40,
      address: '127.0.0.9',
      route: '/panel/log-in',
      kind: 'wrong_password',
      account: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(lines.at(-1)).toMatchObject({ address: '127.0.0.2', kind: 'locked' });
    expect(new Set(lines.map(({ account }) => account)).size).toBe(2);
    expect(scene.gateway.logged()).not.toMatch(/my secret|"ana"/);
    const metrics = (await ask('/metrics')).text;
    expect(metrics).toContain('gateway_log_ins_total{result="wrong_password"} 21');
    expect(metrics).toContain('gateway_log_ins_total{result="locked"} 2');
    // Of each kind, account and address one: an attacker does not fill the audit.
    const entries = await rows(scene.databaseUrl, 'select who, address, action, details from audit');
    expect(entries).toHaveLength(1 + 4 + 2);
    expect(entries[0]).toMatchObject({ who: 'not logged in', action: 'log_in.failed', address: '127.0.0.9' });
    expect(JSON.parse(String(entries[1]?.details))).toEqual({ result: 'wrong_password', user: 'ana' });
    expect(JSON.stringify(entries)).not.toContain('my secret');
  });

  test('however many guess, the log and the audit stay small, and say how much is left out', async () => {
    const guess = (at: number) => logIn(`name ${at}`, 'x', `127.0.1.${at}`);
    for (let round = 0; round < 4; round++)
      await Promise.all(Array.from({ length: 20 }, (_, index) => guess(20 * round + index + 1)));
    const lines = () => scene.gateway.logged().split('log-in failed').length - 1;
    expect(lines()).toBe(60);
    const [{ count } = {}] = await rows(scene.databaseUrl, 'select count(*) as count from audit');
    expect(Number(count)).toBe(30);
    scene.clock.now += MINUTE;
    await guess(99);
    expect(scene.gateway.logged()).toContain('"untold":20');
  });

  test('a viewer reads no path of a receiver anywhere, and nobody its query', async () => {
    await addPanelUser(scene, 'ben', 'viewer');
    const [ana, ben] = [await anaIsIn(), (await logIn('ben', PASSWORD)).cookie ?? ''];
    const line = await scene.line();
    const url = `${scene.upstream.url}/services/T0/path-that-is-a-secret?key=query-that-is-one`;
    const form = { form_token: tokenIn(await ask('/panel/profile', { cookie: ana })) };
    const rules = destinationRules(['127.0.0.0/8']);
    const given = { url, secret: null };
    await scene.change((world) => setForwardingUrl({ ...world, rules }, line.id, null, given));
    const added = await fetch(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/destinations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    });
    expect(added.status).toBe(201);
    await ask(`/panel/lines/${line.id}/destinations/1/pause`, { cookie: ana, form });
    await line.wrote('16505551234', 0);
    const [event] = await rows(scene.databaseUrl, 'select id from events');
    const pages = [`events/${event?.id}`, 'events', 'overview', 'lines', `lines/${line.id}`, 'messages'];
    for (const page of pages) {
      const seen = await ask(`/panel/${page}`, { cookie: ben });
      expect([page, seen.status]).toEqual([page, 200]);
      expect([page, seen.text.includes('path-that-is'), seen.text.includes('query-that')]).toEqual([
        page,
        false,
        false,
      ]);
    }
    // Operators tell receivers apart by it.
    expect((await ask('/panel/events', { cookie: ana })).text).toContain('path-that-is-a-secret');
    expect((await ask('/panel/events', { cookie: ana })).text).not.toContain('query-that-is-one');
    const audit = JSON.stringify(await rows(scene.databaseUrl, 'select * from audit'));
    expect(audit).toContain('destination.paused');
    expect(audit).not.toContain('query-that');
    expect((await ask('/panel/audit', { cookie: ana })).text).toContain('path-that-is-a-secret');
  });

  test('a session ends with the password that it was begun with, and with its user', async () => {
    await addPanelUser(scene, 'ben');
    await addPanelUser(scene, 'eve');
    const ana = await anaIsIn();
    const form = { form_token: tokenIn(await ask('/panel/profile', { cookie: ana })) };
    const users = await rows(scene.databaseUrl, 'select id, name from users');
    for (const [name, doing] of [
      ['ben', 'link'],
      ['eve', 'remove'],
    ] as const) {
      const theirs = { cookie: (await logIn(name, PASSWORD)).cookie ?? '' };
      expect((await ask('/panel/audit', theirs)).status).toBe(200);
      const { id } = users.find((one) => one.name === name) ?? {};
      expect((await ask(`/panel/users/${id}/${doing}`, { cookie: ana, form })).status).toBeLessThan(400);
      expect((await ask('/panel/audit', theirs)).status).toBe(303);
      expect((await logIn(name, PASSWORD)).status).toBe(422);
    }
  });

  test('codes of an authenticator app cannot be guessed, even with the password', async () => {
    await scene.change(async ({ store, vault }) => {
      const ana = await store.users.byName('ana');
      await store.users.update(ana?.id ?? 0, { totp_sealed: vault.seal('users.totp', 'A'.repeat(32)) });
    });
    const guess = async () => {
      const { cookie } = await logIn('ana', PASSWORD);
      const page = await ask('/panel/log-in/code', { cookie: cookie ?? '' });
      const form = { code: '000000', form_token: tokenIn(page) };
      return (await ask('/panel/log-in/code', { cookie: cookie ?? '', form })).status;
    };
    for (let guesses = 0; guesses < 5; guesses++) expect(await guess()).toBe(422);
    expect((await logIn('ana', PASSWORD)).status).toBe(429);
  });

  test('switching the app off, or new recovery codes, take a code, which cannot be guessed', async () => {
    const secret = 'A'.repeat(32);
    const cookie = await anaIsIn();
    const form_token = tokenIn(await ask('/panel/profile', { cookie }));
    const off = (code?: string) =>
      ask('/panel/profile/app/off', { cookie, form: { form_token, ...(code && { code }) } });
    expect((await off('000000')).status).toBe(303);
    await scene.change(async ({ store, vault }) => {
      const ana = await store.users.byName('ana');
      await store.users.update(ana?.id ?? 0, { totp_sealed: vault.seal('users.totp', secret) });
    });
    expect((await off()).status).toBe(422);
    // New recovery codes would do as well.
    const renewed = await ask('/panel/profile/codes', { cookie, form: { form_token } });
    expect(renewed.status).toBe(422);
    expect(await rows(scene.databaseUrl, 'select 1 from recovery_codes')).toEqual([]);
    for (let guess = 0; guess < 5; guess++) expect((await off('000000')).status).toBe(422);
    expect((await off('000000')).status).toBe(429);
    const stored = () => rows(scene.databaseUrl, 'select totp_sealed from users');
    expect(await stored()).not.toEqual([{ totp_sealed: null }]);
    scene.clock.now += 9 * MINUTE;
    const right = totpCode(secret, Math.floor(scene.clock.now / 30_000));
    expect((await off(right)).status).toBe(303);
    expect(await stored()).toEqual([{ totp_sealed: null }]);
    const told = await rows(scene.databaseUrl, "select 1 from audit where action = 'user.app_switched_off'");
    expect(told).toHaveLength(1);
  });

  test('two owners who take each other the role, or remove each other, at once leave one', async () => {
    for (const doing of ['role', 'remove', 'link']) {
      await addPanelUser(scene, 'bea');
      await scene.change(async ({ store }) => {
        for (const user of await store.users.all()) await store.users.update(user.id, { role: 'owner' });
      });
      const users = await rows(scene.databaseUrl, 'select id, name from users');
      const idOf = (name: string) => users.find((one) => one.name === name)?.id;
      const [ana, bea] = [await anaIsIn(), (await logIn('bea', PASSWORD)).cookie ?? ''];
      const against = async (cookie: string, name: string) => {
        const form = { role: 'viewer', form_token: tokenIn(await ask('/panel/users/new', { cookie })) };
        return () => ask(`/panel/users/${idOf(name)}/${doing}`, { cookie, form });
      };
      const [one, other] = [await against(ana, 'bea'), await against(bea, 'ana')];
      await Promise.all([one(), other()]);
      const left = await rows(scene.databaseUrl, "select name from users where role = 'operator'");
      if (doing !== 'link') expect([doing, left.length]).toEqual([doing, 1]);
      // No use case removes the last owner.
      await scene.change(async ({ store }) => {
        for (const { id } of await store.users.all()) {
          await store.sessions.removeOfUser(id, null);
          await store.users.remove(id);
        }
      });
      await addPanelUser(scene, 'ana');
    }
  });

  test('what a borrowed screen must not do asks for the password again after ten minutes', async () => {
    const cookie = await anaIsIn();
    const line = await scene.line();
    await scene.change((world) =>
      insertDestination({ ...world, rules: destinationRules([]) }, line.id, {
        url: 'https://customer.example/hook',
        origin: 'operator',
      }),
    );
    const form_token = tokenIn(await ask('/panel/profile', { cookie }));
    scene.clock.now += 11 * MINUTE;
    for (const path of [
      '/lines',
      `/lines/${line.id}`,
      `/lines/${line.id}/forwarding`,
      `/lines/${line.id}/destinations`,
      ...['', '/rotate', '/test', '/pause', '/remove'].map(
        (doing) => `/lines/${line.id}/destinations/1${doing}`,
      ),
      '/destinations/1/resume',
      ...['/tokens', '/tokens/1/rotate', '/tokens/1/revoke'],
      ...['/users', '/users/1/role', '/users/1/link', '/users/1/remove'],
      ...['/profile/app', '/profile/app/on', '/profile/app/off', '/profile/codes'],
    ]) {
      const { status, text } = await ask(`/panel${path}`, { cookie, form: { form_token } });
      expect([path, status, text.includes('Confirm your password')]).toEqual([path, 200, true]);
    }
    const tokens = await rows(scene.databaseUrl, 'select revoked_at from tokens');
    expect(tokens).toEqual([{ revoked_at: null }]);
  });
});

// What is refused before a database is asked is refused on either.
describe.each(DATABASES.slice(0, 1))(
  'requests that no page of the panel makes, on $name',
  ({ createUrl }) => {
    beforeEach(async () => {
      scene = await startScene(await createUrl());
      await addPanelUser(scene, 'ana');
    });
    afterEach(() => scene.stop());

    test('a form from elsewhere changes nothing: wrong origin, no origin, no token, the token of another', async () => {
      const cookie = await anaIsIn();
      const form_token = tokenIn(await ask('/panel/users/new', { cookie }));
      const other = tokenIn(await ask('/panel/users/new', { cookie: await anaIsIn() }));
      const form = { name: 'eve', role: 'owner', form_token };
      const attempts: Asked[] = [
        { form, headers: { origin: 'https://evil.example' } },
        { form, headers: { origin: 'null' } },
        { form, headers: { origin: '' } },
        { form, headers: { 'sec-fetch-site': 'cross-site' } },
        { form, headers: { 'sec-fetch-site': 'same-site' } },
        { form: { name: 'eve', role: 'owner' } },
        { form: { ...form, form_token: '' } },
        { form: { ...form, form_token: other } },
        { form, headers: { 'content-type': 'text/plain' } },
      ];
      for (const attempt of attempts)
        expect([attempt, (await ask('/panel/users', { cookie, ...attempt })).status]).toEqual([attempt, 403]);
      expect(await userNames()).toEqual(['ana']);
      expect((await ask('/panel/users', { cookie, form })).status).toBe(200);
      expect(await userNames()).toEqual(['ana', 'eve']);
    });

    test('a proxy that nobody named as trusted is told of, once', async () => {
      const headers = { 'x-forwarded-for': '203.0.113.7' };
      for (let times = 0; times < 2; times++) {
        const page = await ask('/panel/log-in');
        const form = { name: 'ana', password: 'x', form_token: tokenIn(page) };
        await ask('/panel/log-in', { cookie: page.cookie ?? '', form, headers });
      }
      expect(scene.gateway.logged().split('set GATEWAY_TRUSTED_PROXIES')).toHaveLength(2);
    });

    test('a log-in leads to pages of the panel alone', async () => {
      for (const next of [
        'https://evil.example',
        '//evil.example',
        '/panel/../x',
        '/panel//evil.example/',
        '/\\evil.example',
        '/panel\\@evil',
        '/panel/log-out',
      ]) {
        const path = `/panel/log-in?next=${encodeURIComponent(next)}`;
        const page = await ask(path);
        const form = { name: 'ana', password: PASSWORD, form_token: tokenIn(page) };
        const { headers } = await ask(path, { cookie: page.cookie ?? '', form });
        expect(new URL(String(headers.location), scene.gateway.url).origin).toBe(scene.gateway.url);
        expect(String(headers.location)).toMatch(/^\/panel(\/|$)/);
      }
    });

    test('whoever is not logged in sees nothing, on any page that there is', async () => {
      const ana = await anaIsIn();
      const form_token = tokenIn(await ask('/panel/profile', { cookie: ana }));
      const inside = pagesOf({ sandboxUrl: null }).filter(({ permission }) => permission !== 'anyone');
      expect(inside.length).toBeGreaterThan(40);
      for (const { method, url } of inside) {
        const path = `/panel${url.replace(/:\w+/g, '1')}`;
        const sent = method === 'POST' ? { form: { form_token, name: 'eve', role: 'owner' } } : {};
        const stranger = await ask(path, sent);
        expect([method, path, stranger.status]).toEqual([method, path, 303]);
        expect(stranger.headers.location).toMatch(/^\/panel\/log-in(\?next=|$)/);
        const stream = { headers: { accept: 'text/event-stream' } };
        if (method === 'GET') expect([path, (await ask(path, stream)).status]).toEqual([path, 204]);
        // Nor does an owner's browser that is made to send a form of another site.
        if (method === 'POST')
          expect([path, (await ask(path, { cookie: ana, form: {} })).status]).toEqual([path, 403]);
      }
      expect(await userNames()).toEqual(['ana']);
    });

    test('each role opens the pages that its permissions name, and no other', async () => {
      for (const role of ROLES.filter((one) => one !== 'owner')) {
        await addPanelUser(scene, role, role);
        const cookie = (await logIn(role, PASSWORD)).cookie ?? '';
        const form_token = tokenIn(await ask('/panel/profile', { cookie }));
        for (const { method, url, permission } of pagesOf({ sandboxUrl: null })) {
          if (permission === 'anyone' || permission === 'own') continue;
          const path = `/panel${url.replace(/:\w+/g, '1')}`;
          const isAllowed = PERMISSIONS_OF[role].has(permission);
          // What is allowed is done by other tests.
          if (isAllowed && method === 'POST') continue;
          const sent = method === 'POST' ? { form: { form_token, name: 'eve', role: 'owner' } } : {};
          const { status, text } = await ask(path, { cookie, ...sent });
          const isRefused = status === 403 && text.includes('Your role does not allow this');
          expect([role, method, path, !isRefused]).toEqual([role, method, path, isAllowed]);
        }
        for (const page of EVERYBODYS_PAGES)
          expect([role, page, (await ask(`/panel/${page}`, { cookie })).status]).toEqual([role, page, 200]);
      }
      expect(await userNames()).toEqual(['admin', 'agent', 'ana', 'developer', 'editor', 'viewer']);
    });

    test('an admin neither makes an owner nor touches one', async () => {
      await addPanelUser(scene, 'ben', 'admin');
      await anaIsIn();
      const cookie = (await logIn('ben', PASSWORD)).cookie ?? '';
      const form_token = tokenIn(await ask('/panel/profile', { cookie }));
      const [{ id } = {}] = await rows(scene.databaseUrl, "select id from users where name = 'ana'");
      const made = await ask('/panel/users', { cookie, form: { form_token, name: 'eve', role: 'owner' } });
      expect(made.status).toBe(403);
      for (const doing of ['role', 'link', 'remove']) {
        const form = { form_token, role: 'viewer' };
        const { status, text } = await ask(`/panel/users/${id}/${doing}`, { cookie, form });
        expect([doing, status, text.includes('Your role does not allow this')]).toEqual([doing, 403, true]);
      }
      expect((await ask('/panel/users', { cookie })).text).not.toContain(`/panel/users/${id}/`);
      const users = await rows(
        scene.databaseUrl,
        'select name, role, password_hash from users order by name',
      );
      expect(users).toEqual([
        { name: 'ana', role: 'operator', password_hash: expect.any(String) },
        { name: 'ben', role: 'admin', password_hash: expect.any(String) },
      ]);
    });

    test('one user takes some of the live streams, and leaves the rest to others', async () => {
      await addPanelUser(scene, 'ben', 'viewer');
      const [ana, ben] = [await anaIsIn(), (await logIn('ben', PASSWORD)).cookie ?? ''];
      const { hostname, port } = new URL(scene.gateway.url);
      const open = (cookie: string) =>
        new Promise<[number, () => void]>((resolve, reject) => {
          const sent = httpRequest(
            {
              ...{ hostname, port, path: '/panel/overview' },
              headers: { cookie: `panel=${cookie}`, accept: 'text/event-stream' },
            },
            (answer) => {
              answer.on('error', () => undefined).resume();
              resolve([answer.statusCode ?? 0, () => sent.destroy()]);
            },
          );
          sent.on('error', reject).end();
        });
      const streams = [];
      for (let count = 0; count < 22; count++) streams.push(await open(ben));
      expect(streams.map(([status]) => status)).toEqual([...Array<number>(20).fill(200), 503, 503]);
      streams.push(await open(ana));
      expect(streams.at(-1)?.[0]).toBe(200);
      streams.forEach(([, close]) => close());
    });

    test('no address leads out of the assets', async () => {
      const cookie = await anaIsIn();
      for (const path of [
        '/panel/assets/../../package.json',
        '/panel/assets/..%2f..%2fpackage.json',
        '/panel/assets/%2e%2e/%2e%2e/package.json',
        '/panel/assets/....//package.json',
        '/panel/assets/%2fetc%2fpasswd',
        '/panel/assets/constructor',
        '/panel/phone/files/..%2f..%2fsecret-key',
      ])
        expect([path, (await ask(path, { cookie })).status]).toEqual([path, 404]);
    });

    test('each answer forbids what is not its own, and is kept nowhere', async () => {
      const cookie = await anaIsIn();
      for (const path of [
        '/panel/log-in',
        '/panel/audit',
        '/panel/nothing',
        '/panel/users/9/x',
        '/panel/assets/x.js',
      ]) {
        const { headers, text } = await ask(path, { cookie });
        expect(headers['content-security-policy']).toBe(
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        );
        expect(headers).toMatchObject({
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'same-origin',
          'x-frame-options': 'DENY',
        });
        expect(text).not.toMatch(/<script(?! src="\/panel)|\sstyle=|\son\w+=|https?:/);
        for (const [, file = ''] of text.matchAll(/(?:src|href)="(\/panel\/assets\/[^"]+)"/g)) {
          const asset = await ask(file);
          expect([asset.status, asset.headers]).toEqual([
            200,
            expect.objectContaining({
              'cache-control': 'public, max-age=31536000, immutable',
              'x-content-type-options': 'nosniff',
            }),
          ]);
          // What runs nothing needs none.
          const policy = file.endsWith('.svg') ? "default-src 'none'" : undefined;
          expect([file, asset.headers['content-security-policy']]).toEqual([file, policy]);
        }
      }
    });

    test('hostile requests are answered by a page, and break nothing', async () => {
      const cookie = await anaIsIn();
      const form_token = tokenIn(await ask('/panel/profile', { cookie }));
      const broken: [string, Asked, number][] = [
        ['/panel/audit?before=1e9&line=-1&who=%00%ff', {}, 400],
        ['/panel/audit?before=1e9&line=-1&who=%ff', {}, 200],
        ['/panel/audit?who=%27%20or%201%3D1--', {}, 200],
        ['/panel/users/1%27/role', { form: { form_token } }, 404],
        ['/panel/users/99999999999999/remove', { form: { form_token } }, 404],
        ['/panel/users', { form: { form_token, name: '<script>', role: 'god' } }, 422],
        ['/panel/users', { form: { form_token, name: 'a\0b', role: 'viewer' } }, 400],
        ['/panel/users', { form: { form_token, name: 'x'.repeat(300_000), role: 'viewer' } }, 413],
        ['/panel/audit', { method: 'DELETE' }, 404],
        ['/panel/audit', { method: 'HEAD' }, 200],
      ];
      for (const [path, asked, status] of broken) {
        const told = await ask(path, { cookie, ...asked });
        expect([path, told.status]).toEqual([path, status]);
        if (asked.method !== 'HEAD') expect(told.text).toMatch(/^<!doctype html>/);
      }
    });
  },
);

describe('in a real browser', () => {
  beforeAll(async () => {
    scene = await startScene(await sqliteUrl());
    await addPanelUser(scene, 'ana');
  });
  afterAll(() => scene.stop());

  test('somebody who logged in here before does so again while strangers guess, and no script can read why', async () => {
    const one = await loggedIn(scene);
    await one.goto('/panel/audit');
    await one.page.locator('.side-places').getByRole('button', { name: 'Log out' }).click();
    await guessFromEverywhere('ana');
    await one.goto('/panel/log-in');
    expect(await one.page.evaluate('document.cookie')).toBe('');
    await one.page.getByLabel('Name').fill('ana');
    await one.page.getByLabel('Password').fill(PASSWORD);
    await one.page.getByRole('button', { name: 'Log in' }).click();
    await one.page.waitForURL((url) => url.pathname !== '/panel/log-in');
    expect(one.complaints).toEqual([]);
    await one.close();
    scene.clock.now += HOUR;
  });

  test('a page of another site cannot change anything, nor frame the panel', async () => {
    const one = await loggedIn(scene);
    const target = scene.gateway.url;
    const evil = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(
        `<form method="post" action="${target}/panel/profile/log-out-everywhere"></form><iframe src="${target}/panel/audit"></iframe><script>document.forms[0].submit()</script>`,
      );
    });
    await new Promise<void>((ready) => evil.listen(0, '127.0.0.1', ready));
    const page = await one.context.newPage();
    await page.goto(`http://localhost:${(evil.address() as AddressInfo).port}/`);
    await page.waitForURL(`${target}/**`);
    // What it sent came without the cookie, or was refused: whoever was logged in still is.
    await one.goto('/panel/audit');
    expect(await one.page.textContent('h1')).toBe('Audit log');
    evil.close();
    await one.close();
  });

  test('names that are script are shown as text, wherever they come from', async () => {
    const hostile = `"><img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;
    await scene.line({ name: hostile });
    await scene.change((world) =>
      audited(
        world,
        { who: hostile, through: 'api', address: hostile },
        { action: `line.${hostile}`, details: { [hostile]: hostile } },
        async () => {},
      ),
    );
    const one = await loggedIn(scene);
    for (const path of [
      '/panel/audit',
      `/panel/audit?who=${encodeURIComponent(hostile)}`,
      '/panel/start',
      '/panel/lines',
      '/panel/overview',
    ]) {
      await one.goto(path);
      expect(await one.page.title()).toContain('Messaging Gateway');
      expect(await one.page.locator('main img[src=x]').count()).toBe(0);
    }
    expect(
      await one.page.goto(`${scene.gateway.url}/panel/audit`).then(() => one.page.textContent('table')),
    ).toContain(hostile);
    expect(one.complaints).toEqual([]);
    await one.close();
  });

  test('a page that is watched follows by itself, and stops when the session ends', async () => {
    await scene.line({ name: 'My shop' });
    const one = await loggedIn(scene);
    await one.goto('/panel/start');
    const [line] = await rows(scene.databaseUrl, 'select id, name from lines order by id');
    await scene.change(({ store }) => store.lines.update(Number(line?.id), { name: 'My new shop' }));
    await one.page.getByText('View My new shop').waitFor();
    // Watching is no sign of somebody who is there.
    scene.clock.now += HOUR;
    await one.page.waitForURL('**/panel/log-in?next=**');
    expect(one.complaints).toEqual([]);
    await one.close();
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

test('behind a proxy that speaks TLS, cookies go by https alone, and forms come from there alone', async () => {
  const url = 'https://gateway.example.com';
  const port = await freePort();
  scene = await startScene(await sqliteUrl(), {
    GATEWAY_PORT: String(port),
    GATEWAY_PUBLIC_URL: url,
  });
  // Where the proxy asks it.
  scene.gateway.url = `http://127.0.0.1:${port}`;
  await addPanelUser(scene, 'ana');
  const cookieOf = ({ headers }: Told) =>
    /(?:^|,)__Host-panel=([\w-]{43}); Path=\/; HttpOnly; SameSite=Lax; Secure(?:,|$)/.exec(
      String(headers['set-cookie']),
    )?.[1] ?? '';
  // Some proxies pass on the host that was asked for, others name the one that they ask.
  for (const host of ['gateway.example.com', '127.0.0.1:8080']) {
    const through = (cookie: string) => ({ cookie: `__Host-panel=${cookie}`, host, origin: url });
    const page = await ask('/panel/log-in', { headers: { host } });
    const form = { name: 'ana', password: PASSWORD, form_token: tokenIn(page) };
    const logIn = (headers: Record<string, string>) => ask('/panel/log-in', { form, headers });
    const planted = cookieOf(page);
    expect((await logIn({ ...through(planted), origin: 'https://gateway.example.com.evil' })).status).toBe(
      403,
    );
    // As another host or a plain connection could have set it.
    expect((await logIn({ ...through(planted), cookie: `panel=${planted}` })).status).toBe(403);
    const inside = await logIn(through(planted));
    expect([inside.status, inside.headers.location]).toEqual([303, '/panel']);
    expect(String(inside.headers['set-cookie'])).toMatch(
      /__Host-panel-known=[^;,]+; Path=\/; HttpOnly; [^,]*Secure/,
    );
    const audit = await ask('/panel/audit', { headers: through(cookieOf(inside)) });
    expect(audit.status).toBe(200);
  }
  await scene.stop();
});

test('secrets that are planted appear in no table, no file, no log, no metric and no page', async () => {
  scene = await startScene(await sqliteUrl());
  const secrets = {
    accessToken: 'planted-access-token-2f9c1e',
    appSecret: 'planted-app-secret-77b0aa',
    destination: 'planted-destination-secret-0c41d3',
  };
  await addPanelUser(scene, 'ana');
  const line = await scene.line({ accessToken: secrets.accessToken, appSecret: secrets.appSecret });
  const added = await fetch(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/destinations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      url: `${scene.upstream.url}/hook?key=planted-query`,
      secret: secrets.destination,
    }),
  });
  expect(added.status).toBe(201);
  scene.upstream.answers.messages = () => ({ status: 500, body: {} });
  await line.send({ messaging_product: 'chat', to: '16505551234', type: 'image', image: { id: '1' } });
  const cookie = await anaIsIn();
  await logIn('ana', 'planted-wrong-password-91');
  await logIn('planted-name-that-is-a-password', 'x');
  const pages = [];
  for (const page of [...EVERYBODYS_PAGES, 'messages', 'users', 'audit', 'start'])
    pages.push((await ask(`/panel/${page}`, { cookie })).text);
  const metrics = (await ask('/metrics')).text;
  const folder = dirname(scene.databaseUrl.slice('sqlite:'.length));
  const files = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'));
  const everywhere = {
    log: scene.gateway.logged(),
    metrics,
    pages: pages.join('\n'),
    files: files.join('\n'),
  };
  const planted = [
    ...Object.values(secrets),
    line.token,
    cookie,
    PASSWORD,
    'planted-wrong-password-91',
    'planted-name-that-is-a-password',
  ];
  for (const [where, text] of Object.entries(everywhere)) {
    const found = planted.filter((secret) => text.includes(secret));
    expect([where, found]).toEqual([where, []]);
  }
  expect(everywhere.files).toContain('Test line');
  expect(everywhere.pages).not.toContain('planted-query');
  await scene.stop();
});

describe('what strangers can make the gateway hold', () => {
  beforeEach(async () => {
    scene = await startScene(await sqliteUrl());
  });
  afterEach(() => scene.stop());

  /** The most encoders of zlib that were made in one turn of the event loop, while `work` ran. */
  async function mostEncoders(work: () => Promise<unknown>): Promise<number> {
    let [made, most, isOver] = [0, 0, false];
    const hook = createHook({
      init(_id, type) {
        if (type === 'ZLIB') most = Math.max(most, ++made);
      },
    }).enable();
    const turn = () => {
      made = 0;
      if (!isOver) setImmediate(turn);
    };
    turn();
    await work().finally(() => hook.disable());
    isOver = true;
    return most;
  }

  test.each([
    ['the log-in page', '/panel/log-in', 200],
    ['an error page', '/panel/none', 404],
  ])('one page is compressed at a time, the others wait: %s', async (_which, path, status) => {
    for (const encoding of ['br', 'gzip']) {
      const statuses: number[] = [];
      const look = async () => {
        const answer = await ask(path, { headers: { 'accept-encoding': encoding } });
        statuses.push(answer.status);
        expect(answer.headers['retry-after']).toBe(answer.status === 503 ? '5' : undefined);
      };
      // The files of the pages are compressed with the first page.
      await look();
      const most = await mostEncoders(() => Promise.all(Array.from({ length: 500 }, look)));
      expect(most).toBe(1);
      expect(statuses.filter((one) => one === status).length).toBeGreaterThanOrEqual(PAGES_WAITING);
      expect(statuses.filter((one) => ![status, 503].includes(one))).toEqual([]);
      await look();
      expect(statuses.at(-1)).toBe(status);
    }
  });

  test.each([
    ['the log-in page', '/panel/log-in'],
    ['an error page', '/panel/none'],
  ])('whoever asks for many pages at once waits for them alone: %s', async (_which, path) => {
    const { hostname, port } = new URL(scene.gateway.url);
    const order: string[] = [];
    /** A connection that the gateway has accepted: it accepts one in each turn of the event loop. */
    const open = async (from: string): Promise<Socket> => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: from });
      socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(socket, 'data');
      socket.once('data', () => void order.push(from));
      return socket;
    };
    await ask(path);
    const many = await Promise.all(Array.from({ length: 100 }, () => open('127.0.0.2')));
    const other = await open('127.0.0.3');
    // In one turn, so that all wait before the first page is made.
    for (const socket of [...many, other]) socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await until(() => order.length === 101);
    expect(order.indexOf('127.0.0.3')).toBeLessThan(50);
    for (const socket of [...many, other]) socket.destroy();
  });

  test('a connection on which requests are piled up is closed; a few are answered', async () => {
    const get = (path: string, ...headers: string[]) =>
      [`GET ${path} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');
    const piled = get('/panel/log-in', 'Accept-Encoding: br').repeat(1_000);
    const answered = await exchange(scene.gateway.url, piled).catch(() => []);
    expect(answered.length).toBeLessThanOrEqual(16);
    const few = get('/healthz').repeat(15) + get('/healthz', 'Connection: close');
    const answers = await exchange(scene.gateway.url, few);
    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
  });
});
