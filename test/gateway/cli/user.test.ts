import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { offline } from '../../../gateway/cli/offline';
import { destinationOf } from '../../../gateway/forwarding/destination';
import { temporaryFolder } from '../../support/databases';
import { runCommand } from '../../support/gateway-process';
import { until } from '../../support/http-peer';
import { rows } from '../../support/rows';
import { secretFile } from '../../support/secret-file';
import {
  ACCESS_TOKEN,
  addLine,
  command,
  freshSettings,
  json,
  LINE_SECRET,
  PHONE_NUMBER_ID,
  start,
} from './support';

const MAIN = join(__dirname, '../../../gateway/dist/main.js');

/** As in: echo PASSWORD | messaging-gateway … */
const piped = (words: string[], input: string, env: Record<string, string>) =>
  new Promise<{ code: number | null; text: string }>((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...words], { env: { PATH: process.env.PATH, ...env } });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
    child.on('close', (code) => resolve({ code, text }));
    child.stdin.end(input);
  });

describe('the users of the control panel', () => {
  test('are added with a link that opens once, and listed, reset and removed', async () => {
    const env = freshSettings();
    const added = await json<{ link: string }>(['user', 'add', 'Ana', '--role', 'viewer'], env);
    expect(added).toEqual({
      user: 'ana',
      role: 'viewer',
      link: expect.stringMatching(/^\/panel\/set-up\?key=[\w-]{43}$/),
    });
    const gateway = await start(env);
    const page = await fetch(gateway.url + added.link);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Choose your password')]);
    // There is a user: nobody else may set up the first one.
    expect(gateway.stderr()).not.toContain('set-up');
    expect(await json(['user', 'list'], env)).toMatchObject({
      users: [{ name: 'ana', role: 'viewer', password: false }],
    });
    const reset = await json<{ link: string }>(['user', 'reset', 'ana'], env);
    expect(reset.link).not.toBe(added.link);
    expect((await fetch(gateway.url + added.link)).status).toBe(404);
    expect((await command(['user', 'remove', 'ana'], env)).code).toBe(0);
    expect((await fetch(gateway.url + reset.link)).status).toBe(404);
    expect(await json(['user', 'list'], env)).toEqual({ users: [] });
  });

  test('belong to customers, which have lines', async () => {
    const env = freshSettings();
    const added = await json(['customer', 'add', '--name', 'Loja A', '--external-id', 'crm-7'], env);
    expect(added).toEqual({
      customer: {
        id: 1,
        name: 'Loja A',
        budget: null,
        external_id: 'crm-7',
        suspended: false,
        audit_looks: 'off',
        requires_authenticator: false,
      },
    });
    await json(['customer', 'add', '--name', 'Loja B'], env);
    const ana = ['user', 'add', 'ana', '--role', 'admin', '--customer', '1', '--customer', '2'];
    const memberships = [
      { customer: 1, name: 'Loja A', role: 'admin' },
      { customer: 2, name: 'Loja B', role: 'admin' },
    ];
    expect(await json(ana, env)).toEqual({ user: 'ana', role: null, memberships, link: expect.any(String) });
    expect(await json(['user', 'list'], env)).toMatchObject({ users: [{ name: 'ana', memberships }] });
    const listed = await command(['user', 'list'], env);
    expect(listed.stdout).toContain('admin of Loja A, admin of Loja B');

    const { line } = await addLine(env, '--customer', '1');
    expect(line.customer).toBe(1);
    expect((await command(['customer', 'remove', '1'], env)).stderr).toBe(
      'This customer still has lines (My shop) and users (ana). Move or remove them first.\n',
    );
    const edit = ['line', 'edit', PHONE_NUMBER_ID, '--customer'];
    expect(await json([...edit, '2'], env)).toMatchObject({ line: { customer: 2 } });
    expect(await json([...edit, 'none'], env)).not.toHaveProperty('line.customer');
    const change = [
      'customer',
      'edit',
      '2',
      '--name',
      'Loja C',
      '--external-id',
      'none',
      '--suspended',
      'true',
      '--audit-looks',
      'agency',
      '--require-authenticator',
      'true',
    ];
    expect(await json(change, env)).toEqual({
      customer: {
        id: 2,
        name: 'Loja C',
        budget: null,
        external_id: null,
        suspended: true,
        audit_looks: 'agency',
        requires_authenticator: true,
      },
    });
    expect(await json(['customer', 'list'], env)).toEqual({
      customers: [
        {
          id: 1,
          name: 'Loja A',
          budget: null,
          external_id: 'crm-7',
          suspended: false,
          audit_looks: 'off',
          requires_authenticator: false,
          lines: 0,
          users: 1,
        },
        {
          id: 2,
          name: 'Loja C',
          budget: null,
          external_id: null,
          suspended: true,
          audit_looks: 'agency',
          requires_authenticator: true,
          lines: 0,
          users: 1,
        },
      ],
    });
    await command(['user', 'remove', 'ana'], env);
    expect(await command(['customer', 'remove', '2'], env)).toMatchObject({ code: 0 });
    for (const words of [
      ['customer', 'add'],
      ['customer', 'add', '--name', 'X', '--external-id', 'crm-7'],
      ['customer', 'edit', '1'],
      ['customer', 'edit', '9', '--name', 'X'],
      ['customer', 'edit', '1', '--audit-looks', 'all'],
      ['customer', 'remove', '2'],
      [...edit, '9'],
      [...edit, 'x'],
      ['user', 'add', 'ben', '--customer', '1'],
      ['user', 'add', 'ben', '--role', 'viewer', '--customer', '9'],
    ])
      expect([words, (await command(words, env)).code]).toEqual([words, 2]);
  });

  test('get their password from a pipe; nothing is asked where nobody is at a terminal', async () => {
    const env = freshSettings();
    const weak = await piped(['user', 'add', 'ana', '--password-file', '-'], 'short\n', env);
    expect(weak).toEqual({ code: 2, text: expect.stringContaining('at least 12 characters') });
    const done = await piped(['user', 'add', 'ana', '--password-file', '-'], 'correct horse battery\n', env);
    expect(done).toEqual({ code: 0, text: 'The owner ana is added.\n' });
    const again = await command(['user', 'add', 'ANA'], env);
    expect([again.code, again.stderr]).toEqual([2, 'This name is already in use. Choose another.\n']);
    for (const words of [
      ['add', 'a b'],
      ['add'],
      ['reset', 'nobody'],
      ['remove', 'nobody'],
      ['add', 'x', '--role', 'god'],
    ])
      expect((await command(['user', ...words], env)).code).toBe(2);
    const [stored] = await rows(env.GATEWAY_DATABASE_URL ?? '', 'select password_hash from users');
    expect(stored?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });
});

test('a gateway without users prints a one-time link to set up the first', async () => {
  const env = freshSettings();
  const gateway = await start(env);
  await until(() => gateway.stderr().endsWith('\n'));
  const link = /http:\S+\/panel\/set-up\?key=[\w-]{43}/.exec(gateway.stderr())?.[0] ?? '';
  expect((await fetch(link)).status).toBe(200);
  expect(gateway.stdout()).not.toContain('set-up');
});

describe('the audit', () => {
  test('tells every change that a command made, and that nobody changed it since', async () => {
    const env = freshSettings();
    const secret = 'a-credential-that-must-not-be-told';
    await addLine(env, '--forward-url', `https://example.com/hook?key=${secret}`);
    const token = secretFile(secret);
    const header = secretFile(`Authorization: ${secret}`);
    for (const line of [
      `line edit ${PHONE_NUMBER_ID} --access-token-file ${token} --active false`,
      `token create ${PHONE_NUMBER_ID}`,
      'token revoke 1',
      `destination add ${PHONE_NUMBER_ID} --url https://example.com/other --secret-file ${token}`,
      `destination rotate 2 --secret-file ${secretFile(`${secret}-2`)}`,
      'destination pause 2',
      'destination resume 2',
      `destination edit 2 --mode raw --header-file ${header}`,
      'destination remove 2',
      'deliveries replay --dead',
      'user add ana',
    ])
      expect([line, (await command(line.split(' '), env)).code]).toEqual([line, 0]);
    const entries = await rows(env.GATEWAY_DATABASE_URL ?? '', 'select * from audit order by number');
    expect(entries.map(({ action }) => action)).toEqual([
      'line.added',
      'line.edited',
      'token.created',
      'token.revoked',
      'destination.added',
      'destination.secret_rotated',
      'destination.paused',
      'destination.resumed',
      'destination.edited',
      'destination.removed',
      'deliveries.replay_begun',
      'deliveries.replayed',
      'user.added',
    ]);
    expect(entries[0]).toMatchObject({ through: 'command', line_id: 1, who: expect.stringMatching(/.+@.+/) });
    const details = entries
      .filter(({ action, line_id: line }) => line === 1 && String(action).startsWith('destination.'))
      .map((entry) => JSON.parse(String(entry.details)) as object);
    for (const one of details)
      expect(one).toMatchObject({
        destination: 2,
        url: expect.stringMatching(/^https:\/\/example\.com\/[^?]+$/),
      });
    const told = JSON.stringify(entries);
    for (const hidden of [secret, ACCESS_TOKEN, LINE_SECRET]) expect(told).not.toContain(hidden);

    const verified = await command(['audit', 'verify'], env);
    expect([verified.code, verified.stdout]).toEqual([
      0,
      expect.stringContaining('All 13 entries are as they were'),
    ]);
    const expected = /--expect (\d+:[0-9a-f]{64})/.exec(verified.stdout)?.[1] ?? '';
    expect((await command(['audit', 'verify', '--expect', expected], env)).code).toBe(0);
    const wrong = await command(['audit', 'verify', '--expect', `12:${'0'.repeat(64)}`], env);
    expect([wrong.code, wrong.stdout]).toEqual([
      1,
      expect.stringContaining('Entry 12 is not the expected one'),
    ]);
  });
});

describe('a new secret key', () => {
  test('opens everything once it is encrypted anew, while the gateway runs', async () => {
    const env = freshSettings();
    await addLine(env, '--forward-url', 'https://example.com/hook');
    const fresh = 'another key for tests, and for nothing else';
    const both = { ...env, GATEWAY_SECRET_KEY: fresh, GATEWAY_OLD_SECRET_KEYS: env.GATEWAY_SECRET_KEY ?? '' };
    const alone = { ...env, GATEWAY_SECRET_KEY: fresh };
    expect((await command(['line', 'list'], alone)).code).toBe(2);
    await offline(env, async ({ store, vault }) => {
      await store.users.insert({ name: 'ana', role: 'owner', created_at: '2026-03-10T12:00:00.000Z' });
      const ana = await store.users.byName('ana');
      await store.users.update(ana?.id ?? 0, { totp_sealed: vault.seal('users.totp', 'of the app') });
    });
    for (const secret of ['the second secret', 'the third secret of all'])
      expect(
        (await command(['destination', 'rotate', '1', '--secret-file', secretFile(secret)], env)).code,
      ).toBe(0);
    const gateway = await start(both);
    const folder = dirname((env.GATEWAY_DATABASE_URL ?? '').slice('sqlite:'.length));
    // Another process reads them: one that closes such a file lets go of all locks that it has on it.
    const files = () =>
      execFileSync(
        'cat',
        readdirSync(folder).map((file) => join(folder, file)),
        { encoding: 'latin1' },
      );
    const [line] = await rows(env.GATEWAY_DATABASE_URL ?? '', 'select access_token_sealed from lines');
    const [sealedWithOld = ''] = /^v1\.[\w-]+\./.exec(String(line?.access_token_sealed)) ?? [];
    expect(files()).toContain(sealedWithOld);
    // Access token, app secret, the destination's secrets, that of the authenticator app, the key of the audit.
    expect(await json(['rekey'], both)).toEqual({ rekeyed: 6 });
    // Nothing is left that the key from before opens, in whatever part of the files.
    expect(files()).not.toContain(sealedWithOld);
    expect(await json(['rekey'], both)).toEqual({ rekeyed: 0 });
    const told = (await command(['rekey'], both)).stdout;
    expect(told).toContain('The files of the database no longer contain data under the old keys.');
    expect(told).toContain('Replace the access tokens and app secrets at the platform');
    await offline(alone, async ({ store, vault }) => {
      const ana = await store.users.byName('ana');
      expect(vault.open('users.totp', ana?.totp_sealed ?? '')).toBe('of the app');
      const [destination] = (await store.destinations.all()).map((row) => destinationOf(row, vault));
      expect([destination?.secret, destination?.previousSecrets[0]?.secret]).toEqual([
        'the third secret of all',
        'the second secret',
      ]);
      expect(destination?.previousSecrets).toHaveLength(2);
    });
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    expect((await command(['line', 'list'], alone)).code).toBe(0);
    expect((await command(['audit', 'verify'], alone)).code).toBe(0);
    expect((await command(['line', 'list'], env)).code).toBe(2);
  });
});

describe('a backup', () => {
  test('is the whole database, made while the gateway runs, for its owner alone', async () => {
    const env = freshSettings();
    await addLine(env);
    await start(env);
    const file = join(temporaryFolder(), 'backup.db');
    // A process of its own: whose files they are, it settles before all else.
    expect((await runCommand(['backup', file], env)).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const restored = join(temporaryFolder(), 'data', 'gateway.db');
    mkdirSync(dirname(restored));
    copyFileSync(file, restored);
    const lines = await json<{ lines: unknown[] }>(['line', 'list'], {
      ...env,
      GATEWAY_DATABASE_URL: `sqlite:${restored}`,
    });
    expect(lines.lines).toHaveLength(1);
  });

  test('replaces nothing, and says what PostgreSQL has for it', async () => {
    const env = freshSettings();
    await addLine(env);
    const file = join(temporaryFolder(), 'kept');
    writeFileSync(file, 'as it was');
    const taken = await command(['backup', file], env);
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('is there already')]);
    expect(statSync(file).size).toBe(9);
    const postgres = await command(['backup', 'x'], {
      ...env,
      GATEWAY_DATABASE_URL: 'postgres://a@127.0.0.1/b',
    });
    expect([postgres.code, postgres.stderr]).toEqual([2, expect.stringContaining('pg_dump')]);
  });
});
