import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig, SETTINGS } from '../../gateway/config';
import { ALL_ROLES } from '../../gateway/process-roles';
import { DAY } from '../../gateway/time';
import { temporaryFolder } from '../support/databases';

const SECRET_KEY = 'a key of at least thirty-two characters';
const configOf = (env: Record<string, string>) => readConfig({ GATEWAY_SECRET_KEY: SECRET_KEY, ...env });

const PROVIDER = {
  key: 'company',
  issuer: 'https://login.example.com',
  client_id: 'gateway',
  client_secret: 'a client secret',
};

/** A text for each setting that does not take any, and what it is read as where that is not the same. */
const SAMPLES: Record<string, { text: string; value?: unknown }> = {
  GATEWAY_PASSWORD_LOG_IN: { text: 'owners' },
  GATEWAY_OIDC_PROVIDERS: {
    text: JSON.stringify([PROVIDER]),
    value: [expect.objectContaining({ key: 'company', label: 'company', clientSecret: 'a client secret' })],
  },
  GATEWAY_PORT: { text: '8123', value: 8123 },
  GATEWAY_PUBLIC_URL: { text: 'https://gateway.example.com' },
  GATEWAY_DATABASE_URL: { text: 'postgres://user:password@host/name' },
  GATEWAY_DATABASE_SESSION_URL: { text: 'postgres://user:password@host/name' },
  GATEWAY_UPSTREAM_URL: { text: 'sandbox' },
  GATEWAY_OLD_SECRET_KEYS: { text: 'one\nanother', value: ['one', 'another'] },
  GATEWAY_ALLOW_DESTINATIONS: { text: 'localhost', value: ['localhost'] },
  GATEWAY_ALLOW_FOR_TOKENS: { text: 'off', value: false },
  GATEWAY_TRUSTED_PROXIES: { text: '10.0.0.0/8', value: ['10.0.0.0/8'] },
  GATEWAY_METRICS_TOKEN: { text: 'a-token-for-prometheus' },
  GATEWAY_APP_SECRET: { text: 'an-app-secret' },
  GATEWAY_VERIFY_TOKEN: { text: 'a-verify-token' },
  GATEWAY_LINE_RATE: { text: '1000', value: 1000 },
  GATEWAY_PAIR_LIMIT: { text: 'off', value: null },
  GATEWAY_TOKEN_RATE: { text: '6', value: 6 },
  GATEWAY_AUTH_FAILURE_RATE: { text: '5', value: 5 },
  GATEWAY_LOG_IN_LIMIT: { text: '9', value: 9 },
  GATEWAY_REQUIRE_AUTHENTICATOR: { text: 'true', value: true },
  GATEWAY_ROLES: { text: 'Panel api', value: new Set(['api', 'panel']) },
  GATEWAY_KEEP_BODIES: { text: '1', value: DAY },
  GATEWAY_KEEP_EVENTS: { text: 'forever', value: null },
  GATEWAY_KEEP_MESSAGES: { text: '365', value: 365 * DAY },
  GATEWAY_KEEP_CONTACTS: { text: '2', value: 2 * DAY },
  GATEWAY_KEEP_AUDIT: { text: '36500', value: 36_500 * DAY },
  GATEWAY_BACKUP_DIR: { text: '/backups', value: '/backups' },
  GATEWAY_BACKUP_KEEP: { text: '3', value: 3 },
  GATEWAY_LOG_LEVEL: { text: 'debug' },
};

describe('the settings', () => {
  test('have defaults for all but the secret key', () => {
    expect(configOf({})).toEqual({
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PORT: 8080,
      GATEWAY_PUBLIC_URL: null,
      GATEWAY_PROCESS_NAME: null,
      GATEWAY_ROLES: ALL_ROLES,
      GATEWAY_DATABASE_URL: 'sqlite:data/gateway.db',
      GATEWAY_DATABASE_SESSION_URL: null,
      GATEWAY_SECRET_KEY: SECRET_KEY,
      GATEWAY_OLD_SECRET_KEYS: [],
      GATEWAY_UPSTREAM_URL: 'https://graph.facebook.com',
      GATEWAY_APP_SECRET: null,
      GATEWAY_VERIFY_TOKEN: null,
      GATEWAY_ALLOW_DESTINATIONS: [],
      GATEWAY_ALLOW_FOR_TOKENS: true,
      GATEWAY_TRUSTED_PROXIES: [],
      GATEWAY_METRICS_TOKEN: null,
      GATEWAY_LINE_RATE: 80,
      GATEWAY_PAIR_LIMIT: 45,
      GATEWAY_TOKEN_RATE: 60,
      GATEWAY_AUTH_FAILURE_RATE: 20,
      GATEWAY_LOG_IN_LIMIT: 5,
      GATEWAY_REQUIRE_AUTHENTICATOR: false,
      GATEWAY_PASSWORD_LOG_IN: 'everyone',
      GATEWAY_OIDC_PROVIDERS: [],
      GATEWAY_KEEP_BODIES: 30 * DAY,
      GATEWAY_KEEP_EVENTS: 90 * DAY,
      GATEWAY_KEEP_MESSAGES: 90 * DAY,
      GATEWAY_KEEP_CONTACTS: 90 * DAY,
      GATEWAY_KEEP_AUDIT: 730 * DAY,
      GATEWAY_BACKUP_DIR: null,
      GATEWAY_BACKUP_KEEP: 7,
      GATEWAY_LOG_LEVEL: 'info',
    });
  });

  test('all have their line in the documents', () => {
    const lines =
      readFileSync(join(__dirname, '../../docs/gateway.md'), 'utf8').match(/^\| `GATEWAY_.*/gm) ?? [];
    const named = lines.flatMap((line) => line.split('|')[1]?.match(/GATEWAY_\w+/g) ?? []);
    expect(named.sort()).toEqual(Object.keys(SETTINGS).sort());
  });

  test('that are empty are not set', () => {
    expect(configOf({ GATEWAY_PORT: '', GATEWAY_APP_SECRET: '' })).toEqual(configOf({}));
  });

  test('that are addresses lose the slash at their end', () => {
    const config = configOf({
      GATEWAY_PUBLIC_URL: 'https://x.example/',
      GATEWAY_UPSTREAM_URL: 'http://u/g/',
    });
    expect(config.GATEWAY_PUBLIC_URL).toBe('https://x.example');
    expect(config.GATEWAY_UPSTREAM_URL).toBe('http://u/g');
  });

  test('allow destinations by name, address and network, separated by commas or blanks', () => {
    const allowed = 'LOCALHOST, n8n.internal 10.0.0.0/8,fd00::/8 [::1]';
    expect(configOf({ GATEWAY_ALLOW_DESTINATIONS: allowed }).GATEWAY_ALLOW_DESTINATIONS).toEqual([
      'localhost',
      'n8n.internal',
      '10.0.0.0/8',
      'fd00::/8',
      '[::1]',
    ]);
  });

  test.each(Object.keys(SETTINGS))('%s may come from a file, without the line end after it', (name) => {
    const { text = SECRET_KEY, value = text } = SAMPLES[name] ?? {};
    const file = join(temporaryFolder(), 'setting');
    writeFileSync(file, `${text}\n`);
    const env = name === 'GATEWAY_SECRET_KEY' ? {} : { GATEWAY_SECRET_KEY: SECRET_KEY };
    expect(readConfig({ ...env, [`${name}_FILE`]: file })).toMatchObject({ [name]: value });
  });

  test.each([
    [{ ...PROVIDER, key: 'Not A Key' }, 'key: Use up to 40 lowercase letters'],
    [{ ...PROVIDER, issuer: 'login.example.com' }, 'issuer: Enter the issuer'],
    [{ ...PROVIDER, secret: 'x' }, '"secret" is no field'],
    [{ ...PROVIDER, roles: 'admin' }, 'roles is no list'],
    [{ ...PROVIDER, roles: [{ group: 'a', role: 'owner', customer: 'acme' }] }, 'roles: Owners manage'],
    [{ ...PROVIDER, create_users: true }, 'create_users: New users get their roles from groups'],
    [[PROVIDER, PROVIDER], 'two providers with the same key'],
    ['{"client_secret": "a client secret"', 'is no JSON list of providers'],
  ])('refuse a provider, and never repeat its secret: %j', (given, fault) => {
    const text = typeof given === 'string' ? given : JSON.stringify([given].flat());
    const reading = () => configOf({ GATEWAY_OIDC_PROVIDERS: text });
    expect(reading).toThrow(fault);
    expect(reading).not.toThrow('a client secret');
  });

  test.each(['GATEWAY_APP_SECRET', 'GATEWAY_VERIFY_TOKEN'])(
    '%s is refused with a line break in it',
    (name) => {
      expect(() => configOf({ [name]: 'one\ntwo' })).toThrow(`${name} contains a space or a line break.`);
    },
  );

  test('that come both ways are refused: nobody could tell which one counts', () => {
    expect(() => configOf({ GATEWAY_APP_SECRET: 'x', GATEWAY_APP_SECRET_FILE: '/x' })).toThrow(
      'Both GATEWAY_APP_SECRET and GATEWAY_APP_SECRET_FILE are set. Keep one of them.',
    );
  });

  test('whose file cannot be read are refused, with the name of the file', () => {
    expect(() => configOf({ GATEWAY_APP_SECRET_FILE: '/no/such/file' })).toThrow(
      'GATEWAY_APP_SECRET_FILE names a file that cannot be read: /no/such/file',
    );
  });

  test('trust proxies by address and network', () => {
    const trusted = '127.0.0.1, fd00::/8 [::1]';
    expect(configOf({ GATEWAY_TRUSTED_PROXIES: trusted }).GATEWAY_TRUSTED_PROXIES).toEqual([
      '127.0.0.1',
      'fd00::/8',
      '::1',
    ]);
  });

  test.each([
    ['GATEWAY_SECRET_KEY', '', 'GATEWAY_SECRET_KEY is not set.'],
    ['GATEWAY_SECRET_KEY', 'too short', 'GATEWAY_SECRET_KEY is shorter than 32 characters.'],
    ['GATEWAY_SECRET_KEY', 'a'.repeat(32), 'GATEWAY_SECRET_KEY has fewer than 8 different characters'],
    ['GATEWAY_PORT', '80a', 'Set it to a number from 0 to 65535'],
    ['GATEWAY_PORT', '65536', 'Set it to a number from 0 to 65535'],
    ['GATEWAY_PUBLIC_URL', 'gateway.example.com', 'Set it to something like https://'],
    ['GATEWAY_PUBLIC_URL', 'ftp://gateway.example.com', 'Set it to something like https://'],
    ['GATEWAY_UPSTREAM_URL', 'Sandbox', 'GATEWAY_UPSTREAM_URL is not an address.'],
    ['GATEWAY_DATABASE_URL', 'data/gateway.db', 'Set it to sqlite:PATH or postgres://'],
    ['GATEWAY_DATABASE_URL', 'mysql://localhost/x', 'Set it to sqlite:PATH or postgres://'],
    ['GATEWAY_DATABASE_SESSION_URL', 'sqlite:data/gateway.db', 'Set it to postgres://'],
    ['GATEWAY_ALLOW_FOR_TOKENS', 'no', 'Set it to one of the two words'],
    ['GATEWAY_ALLOW_DESTINATIONS', 'http://localhost:5678', 'without scheme, with a port or without one'],
    ['GATEWAY_ALLOW_DESTINATIONS', 'localhost, n8n:65536', 'holds "n8n:65536"'],
    ['GATEWAY_ALLOW_DESTINATIONS', '10.0.0.0/33', 'holds "10.0.0.0/33"'],
    ['GATEWAY_TRUSTED_PROXIES', 'proxy.internal', 'holds "proxy.internal", which is no address'],
    ['GATEWAY_TRUSTED_PROXIES', '10.0.0.0/33', 'holds "10.0.0.0/33"'],
    ...['0', '-1', '1.5', '100001', '1e3', 'none', 'OFF', '80/s'].map((text) => [
      'GATEWAY_LINE_RATE',
      text,
      'GATEWAY_LINE_RATE is no limit. Set it to a whole number from 1 to 100000, or to the word off',
    ]),
    ['GATEWAY_PAIR_LIMIT', '0', 'GATEWAY_PAIR_LIMIT is no limit.'],
    ['GATEWAY_PROCESS_NAME', 'one\u202eowt', 'GATEWAY_PROCESS_NAME contains a tab'],
    [
      'GATEWAY_ROLES',
      'api, web',
      'holds "web", which is no role. Set it to one or more of api, inbound, deliver, panel',
    ],
    ['GATEWAY_ROLES', ' , ', 'GATEWAY_ROLES names no role.'],
    ['GATEWAY_METRICS_TOKEN', 'short', 'GATEWAY_METRICS_TOKEN is too short'],
    ['GATEWAY_AUTH_FAILURE_RATE', 'x', 'GATEWAY_AUTH_FAILURE_RATE is no limit.'],
    ...['0', '-1', '36501', '30d', 'off'].map((text) => [
      'GATEWAY_KEEP_BODIES',
      text,
      'GATEWAY_KEEP_BODIES is no number of days. Set it to a whole number from 1 to 36500, or to the word forever.',
    ]),
    // The platform repeats what it told for a week; a window is open for a day.
    ['GATEWAY_KEEP_EVENTS', '7', 'a whole number from 8 to'],
    ['GATEWAY_KEEP_CONTACTS', '1', 'a whole number from 2 to'],
  ])('refuse %s = "%s" with a sentence that says what to set', (name, value, sentence) => {
    expect(() => configOf({ [name]: value })).toThrow(sentence);
  });

  test('that are wrong are refused without being repeated where they are secret', () => {
    expect(() => configOf({ GATEWAY_SECRET_KEY: 'hunter2' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
    expect(() => configOf({ GATEWAY_DATABASE_URL: 'mysql://u:hunter2@h/x' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});
