import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { SettingError } from './errors';
import { splitEntry } from './http/destination-address';
import { faultOfCredential } from './primitives/credential';
import { isProcessRole, PROCESS_ROLES, type ProcessRoles } from './process-roles';
import { hasHiddenCharacters } from './primitives/visible-text';
import { DAY } from './time';
import { type PasswordLogIn } from './users/log-in';
import { providersIn } from './users/oidc/provider-input';
import { say } from './wording/say';

/**
 * A setting: its environment variable, its sentence in `help config`, and the function that parses its text.
 */
type Setting = { meaning: string } & (
  | {
      /** The default, as text to parse. `help config` shows it. */
      default: string;
      without?: undefined;
      read: (text: string, name: string) => unknown;
    }
  | {
      /** Describes in words how the gateway behaves if the setting is missing. */
      default?: undefined;
      without: string;
      read: (text: string | undefined, name: string) => unknown;
    }
);

/** `debug` logs each delivery attempt. `warn` logs only entries that need attention. */
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Environment variables by name. */
export type Environment = Record<string, string | undefined>;

const REAL_UPSTREAM = 'https://graph.facebook.com';

const optional = (text: string | undefined): string | null => text ?? null;

function credential(text: string | undefined, name: string): string | null {
  const fault = text === undefined ? null : faultOfCredential(text.trim(), { setting: name });
  if (fault) throw new SettingError(say('en', fault));
  return text?.trim() ?? null;
}

/**
 * Parses an http(s) URL without a query. A trailing slash is removed, as in `https://gateway.example.com`.
 */
function address(text: string, name: string): string {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash || url.username) {
    throw new SettingError(`${name} is not an address. Set it to something like https://gateway.example.com`);
  }
  return url.href.replace(/\/+$/, '');
}

/** Splits a list at commas and blanks. */
const entriesOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);

/** Accepts `10.1.2.3`, `10.0.0.0/8` and `fd00::/8`. */
function isNetwork(entry: string): boolean {
  const [address = '', bits = '', ...more] = entry.replace(/^\[|\]$/g, '').split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (!entry.includes('/')) return most > 0;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= most && !more.length;
}

/**
 * Accepts a network, or a host such as `localhost` or `n8n.internal`, with an optional port and without a
 * scheme.
 */
function hostOrNetwork(entry: string): string {
  const { place, port } = splitEntry(entry);
  const isPlace = isNetwork(place) || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(place);
  if (isPlace && (port === null || (port > 0 && port < 65_536))) return entry;
  throw new SettingError(
    `GATEWAY_ALLOW_DESTINATIONS holds "${entry}", which is no host and no network. Set it to names and networks without scheme, with a port or without one, for example: n8n:5678, localhost, 10.0.0.0/8`,
  );
}

function proxy(entry: string): string {
  if (isNetwork(entry) && !entry.includes('%')) return entry.replace(/^\[|\]$/g, '');
  throw new SettingError(
    `GATEWAY_TRUSTED_PROXIES holds "${entry}", which is no address and no network. Set it to those from which the proxies connect, for example: 127.0.0.1, 10.0.0.0/8`,
  );
}

function roles(text: string): ProcessRoles {
  const words = entriesOf(text);
  const strange = words.find((word) => !isProcessRole(word));
  if (words.length && strange === undefined) return new Set(words.filter(isProcessRole));
  throw new SettingError(
    `GATEWAY_ROLES ${strange === undefined ? 'names no role' : `holds "${strange}", which is no role`}. Set it to one or more of ${PROCESS_ROLES.join(', ')}, or remove it for all of them.`,
  );
}

const HIGHEST_LIMIT = 100_000;

/** Parses a limit: a whole number, or `off`, which gives null. */
function limit(text: string, name: string): number | null {
  if (text === 'off') return null;
  if (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= HIGHEST_LIMIT) return Number(text);
  throw new SettingError(
    `${name} is no limit. Set it to a whole number from 1 to ${HIGHEST_LIMIT}, or to the word off to switch it off.`,
  );
}

const MOST_DAYS = 36_500;

/** Parses a retention period in whole days into milliseconds; `forever` gives null. */
function kept(text: string, name: string, least = 1): number | null {
  if (text === 'forever') return null;
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) >= least && Number(text) <= MOST_DAYS)
    return Number(text) * DAY;
  throw new SettingError(
    `${name} is no number of days. Set it to a whole number from ${least} to ${MOST_DAYS}, or to the word forever.`,
  );
}

/** In days. The platform resends an event for up to a week, and the gateway must recognize duplicates. */
const LEAST_EVENTS = 8;
/** In days. The customer service window stays open for one day. */
const LEAST_CONTACTS = 2;

/** Least number of different characters in a key. Even 32 random hexadecimal digits have more. */
const LEAST_DIFFERENT = 8;

/** All settings, in the order of `help config`. */
export const SETTINGS = {
  GATEWAY_HOST: {
    meaning: 'The host name or address on which the gateway listens.',
    default: '127.0.0.1',
    read: (text) => text,
  },
  GATEWAY_PORT: {
    meaning: 'The port on which the gateway listens; 0 takes any free one.',
    default: '8080',
    read: (text) => {
      if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) {
        throw new SettingError(
          'GATEWAY_PORT is not a port. Set it to a number from 0 to 65535, for example 8080.',
        );
      }
      return Number(text);
    },
  },
  GATEWAY_PUBLIC_URL: {
    meaning:
      'The address that customers and the platform use to reach the gateway, for example https://gateway.example.com.',
    without: 'http://HOST:PORT',
    read: (text, name) => (text === undefined ? null : address(text, name)),
  },
  GATEWAY_DATABASE_URL: {
    meaning:
      'Where everything is stored: sqlite:PATH for a file on this machine, or postgres://USER:PASSWORD@HOST/NAME.',
    default: 'sqlite:data/gateway.db',
    read: (text) => {
      if (!/^(sqlite:.|postgres(ql)?:\/\/.)/.test(text)) {
        throw new SettingError(
          'GATEWAY_DATABASE_URL is not a database. Set it to sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME.',
        );
      }
      return text;
    },
  },
  GATEWAY_DATABASE_SESSION_URL: {
    meaning:
      'The address of PostgreSQL itself, if GATEWAY_DATABASE_URL leads to a pooler in transaction mode such as PgBouncer. A process opens one connection there, for notifications and locks.',
    without: 'the same as GATEWAY_DATABASE_URL',
    read: (text) => {
      if (text !== undefined && !/^postgres(ql)?:\/\/./.test(text))
        throw new SettingError(
          'GATEWAY_DATABASE_SESSION_URL is not a PostgreSQL database. Set it to postgres://USER:PASSWORD@HOST/NAME.',
        );
      return optional(text);
    },
  },
  GATEWAY_PROCESS_NAME: {
    meaning:
      'The name of this process if several share a PostgreSQL. A process that restarts with the same name continues its work at once.',
    without: 'the name of the machine and the port, as gateway-1:8080',
    read: (text) => {
      if (text !== undefined && hasHiddenCharacters(text))
        throw new SettingError(
          'GATEWAY_PROCESS_NAME contains a tab, a line break or an invisible character. Type it again.',
        );
      return optional(text);
    },
  },
  GATEWAY_ROLES: {
    meaning:
      'What this process does if several share a PostgreSQL, separated by commas: api (requests of programs), inbound (the callback of the platform), deliver (events to destinations), panel (the control panel).',
    default: PROCESS_ROLES.join(', '),
    read: roles,
  },
  GATEWAY_SECRET_KEY: {
    meaning:
      'The key that encrypts credentials and signing secrets in the database. Keep it: without it they are lost.',
    without: 'none, it is required; quick-start makes one in the file secret-key beside its database',
    read: (text) => {
      if (text === undefined || text.length < 32) {
        throw new SettingError(
          `GATEWAY_SECRET_KEY is ${text === undefined ? 'not set' : 'shorter than 32 characters'}. It encrypts the credentials in the database; set it to a random text and keep it, for example: ${randomBytes(32).toString('base64url')}\nFor a database that quick-start has made, set GATEWAY_SECRET_KEY_FILE to the file secret-key beside it, for example: data/secret-key`,
        );
      }
      if (new Set(text).size < LEAST_DIFFERENT)
        throw new SettingError(
          `GATEWAY_SECRET_KEY has fewer than ${LEAST_DIFFERENT} different characters, and can be guessed. Set it to a random text, for example: ${randomBytes(32).toString('base64url')}`,
        );
      return text;
    },
  },
  GATEWAY_OLD_SECRET_KEYS: {
    meaning:
      'Previous values of GATEWAY_SECRET_KEY, one a line. They decrypt existing secrets until "rekey" has encrypted them again.',
    without: 'none',
    read: (text = '') => text.split(/\r?\n/).filter(Boolean),
  },
  GATEWAY_UPSTREAM_URL: {
    meaning:
      'The address of the messaging platform, or the word "sandbox" for a simulated one inside the gateway.',
    default: REAL_UPSTREAM,
    read: (text, name) => (text === 'sandbox' ? text : address(text, name)),
  },
  GATEWAY_APP_SECRET: {
    meaning:
      'The app secret with which the platform signs the callback for all lines (/webhooks/platform). Without it, that callback answers 404.',
    without: 'none',
    read: credential,
  },
  GATEWAY_VERIFY_TOKEN: {
    meaning:
      'The verify token that you enter at the platform together with the address of the callback for all lines.',
    without: 'none',
    read: credential,
  },
  GATEWAY_ALLOW_DESTINATIONS: {
    meaning:
      'Hosts and networks that may receive events although they are not public, separated by commas, for example: n8n:5678, localhost, 10.0.0.0/8. With a port, only that port. Customers can use these addresses with the token of a line, too, unless GATEWAY_ALLOW_FOR_TOKENS is off.',
    without: 'none: only public addresses',
    read: (text = '') => entriesOf(text).map(hostOrNetwork),
  },
  GATEWAY_ALLOW_FOR_TOKENS: {
    meaning:
      'Whether customers may use the addresses of GATEWAY_ALLOW_DESTINATIONS with the token of a line: on, or off if only operators may. The n8n trigger registers itself with a token.',
    default: 'on',
    read: (text) => {
      if (text === 'on' || text === 'off') return text === 'on';
      throw new SettingError(
        'GATEWAY_ALLOW_FOR_TOKENS is neither on nor off. Set it to one of the two words.',
      );
    },
  },
  GATEWAY_TRUSTED_PROXIES: {
    meaning:
      'Addresses and networks of the proxies in front of the gateway, separated by commas, for example: 127.0.0.1, 10.0.0.0/8. Their X-Forwarded-For decides which address a request comes from, for rate limits and in the audit.',
    without: 'none: a request comes from the address that connects',
    read: (text = '') => entriesOf(text).map(proxy),
  },
  GATEWAY_METRICS_TOKEN: {
    meaning:
      'The token for /metrics from anywhere, in the header "Authorization: Bearer …". Without it, /metrics answers only to private addresses and not through a proxy.',
    without: 'none',
    read: (text) => {
      if (text !== undefined && !/^[\x21-\x7e]{16,}$/.test(text))
        throw new SettingError(
          `GATEWAY_METRICS_TOKEN is too short or contains a space. Set it to 16 characters or more, for example: ${randomBytes(24).toString('base64url')}`,
        );
      return text ?? null;
    },
  },
  GATEWAY_LINE_RATE: {
    meaning: 'Messages per second that one line may send, with bursts of twice as many, or "off".',
    default: '80',
    read: limit,
  },
  GATEWAY_PAIR_LIMIT: {
    meaning: 'Messages that a line may send to one contact in a burst; then one every 6 seconds. Or "off".',
    default: '45',
    read: limit,
  },
  GATEWAY_TOKEN_RATE: {
    meaning:
      'Changes per minute beside sends that the tokens of one line may make (for example, add destinations, delete files), with bursts of twice as many. Ten times as many reads and files. An admin token may make ten times as many of each. Or "off".',
    default: '60',
    read: limit,
  },
  GATEWAY_AUTH_FAILURE_RATE: {
    meaning: 'Requests per minute with a wrong token from one address before the answer is 429, or "off".',
    default: '20',
    read: limit,
  },
  GATEWAY_LOG_IN_LIMIT: {
    meaning:
      'Wrong passwords or codes in 15 minutes for one user of the control panel from one address, or "off".',
    default: '5',
    read: limit,
  },
  GATEWAY_REQUIRE_AUTHENTICATOR: {
    meaning: 'Whether every user of the control panel must set up an authenticator app: true or false.',
    default: 'false',
    read: (text) => {
      if (['true', 'false'].includes(text)) return text === 'true';
      throw new SettingError(
        'GATEWAY_REQUIRE_AUTHENTICATOR is neither true nor false. Set it to one of them.',
      );
    },
  },
  GATEWAY_PASSWORD_LOG_IN: {
    meaning:
      'Who may log in to the control panel with a password: everyone, or owners if all others must log in at an OpenID Connect provider. Owners always can, so that nobody is locked out if the provider fails.',
    default: 'everyone',
    read: (text): PasswordLogIn => {
      if (text === 'everyone' || text === 'owners') return text;
      throw new SettingError(
        'GATEWAY_PASSWORD_LOG_IN is neither everyone nor owners. Set it to one of the two words.',
      );
    },
  },
  GATEWAY_OIDC_PROVIDERS: {
    meaning:
      'OpenID Connect providers for logging in to the control panel, as a JSON list; docs/log-in.md describes its fields. More can be added in the panel.',
    without: 'none',
    read: (text, name) => (text === undefined ? [] : providersIn(text, name)),
  },
  GATEWAY_KEEP_BODIES: {
    meaning:
      'Days to keep received events, which can be read, replayed and exported, and the text of sent messages if the line stores it, or "forever". Events that are not delivered yet are kept longer.',
    default: '30',
    read: kept,
  },
  GATEWAY_KEEP_EVENTS: {
    meaning: 'Days to keep the record of an event and its deliveries, or "forever".',
    default: '90',
    read: (text, name) => kept(text, name, LEAST_EVENTS),
  },
  GATEWAY_KEEP_MESSAGES: {
    meaning: 'Days to keep the recipient and the statuses of a sent message, or "forever".',
    default: '90',
    read: kept,
  },
  GATEWAY_KEEP_CONTACTS: {
    meaning: 'Days to keep a contact after their last message, with their names, or "forever".',
    default: '90',
    read: (text, name) => kept(text, name, LEAST_CONTACTS),
  },
  GATEWAY_KEEP_AUDIT: {
    meaning: 'Days to keep audit entries, or "forever". The remaining entries can still be verified.',
    default: '730',
    read: kept,
  },
  GATEWAY_BACKUP_DIR: {
    meaning: 'A folder, best on another disk, for daily backups of the SQLite database.',
    without: 'none: no backups are made',
    read: optional,
  },
  GATEWAY_BACKUP_KEEP: {
    meaning: 'Backups to keep. Older ones are removed.',
    default: '7',
    read: (text) => {
      if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
      throw new SettingError(
        'GATEWAY_BACKUP_KEEP is no number of backups. Set it to a whole number from 1 to 9999.',
      );
    },
  },
  GATEWAY_LOG_LEVEL: {
    meaning: 'The log level: debug (also each delivery attempt), info, warn (needs attention) or error.',
    default: 'info',
    read: (text) => {
      const level = LOG_LEVELS.find((one) => one === text);
      if (level) return level;
      throw new SettingError(`GATEWAY_LOG_LEVEL is no level. Set it to one of ${LOG_LEVELS.join(', ')}.`);
    },
  },
} satisfies Record<string, Setting>;

/**
 * The value of each setting. Null: an optional setting is not set, a limit is off, or data is kept forever.
 */
export type Config = { [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['read']> };

/**
 * Reads every setting from the environment, or from the file named by `NAME_FILE`, whose end is trimmed.
 * @throws SettingError if a setting is invalid; the message says what to set
 */
export function readConfig(env: Environment): Config {
  const names = Object.keys(SETTINGS) as (keyof Config)[];
  return Object.fromEntries(names.map((name) => [name, readSetting(name, env)])) as unknown as Config;
}

/** Reads one setting. @throws SettingError if the setting is invalid */
export function readSetting<Name extends keyof Config>(name: Name, env: Environment): Config[Name] {
  const setting: Setting = SETTINGS[name];
  const text = valueOf(name, env);
  const value =
    setting.default === undefined ? setting.read(text, name) : setting.read(text ?? setting.default, name);
  return value as Config[Name];
}

/** The default of a setting, as `help config` shows it. */
export const defaultOf = (setting: Setting): string => setting.default ?? setting.without;

/** Whether the environment sets the setting, directly or through a file. */
export const isSet = (name: keyof Config, env: Environment): boolean =>
  Boolean(env[name] || env[`${name}_FILE`]);

/** Variables that begin with `GATEWAY_` but match no setting: misspelled, or from another program. */
export const unknownSettings = (env: Environment): string[] =>
  Object.keys(env).filter(
    (name) => name.startsWith('GATEWAY_') && !Object.hasOwn(SETTINGS, name.replace(/_FILE$/, '')),
  );

/** The paths in all `NAME_FILE` variables. */
export const settingFiles = (env: Environment): string[] =>
  Object.keys(SETTINGS).flatMap((name) => env[`${name}_FILE`] || []);

function valueOf(name: string, env: Environment): string | undefined {
  const file = env[`${name}_FILE`];
  if (!file) return env[name] || undefined;
  if (env[name]) throw new SettingError(`Both ${name} and ${name}_FILE are set. Keep one of them.`);
  try {
    return readFileSync(file, 'utf8').trimEnd() || undefined;
  } catch {
    throw new SettingError(`${name}_FILE names a file that cannot be read: ${file}`);
  }
}
