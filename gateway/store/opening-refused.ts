import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SettingError } from '../errors';
import { lockFileOf } from './sqlite/lock';
import { isDatabaseUnavailable } from './unavailable';

/** Remedies for the most frequent errors, by code or message. */
const REMEDIES: [RegExp, string][] = [
  [/^28/, 'Check the user and the password in it.'],
  [/^3D000/, 'Create that database first, for example with createdb, or name another one.'],
  [/^ERR_INVALID_URL/, 'In its user and password write @ as %40, / as %2F, # as %23 and % as %25.'],
  [/^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOST|ENET)/, 'Check its host and port, and that the server runs.'],
  [
    /^(EACCES|EROFS|EPERM)/,
    'Choose a folder that the user of the gateway may write to, or give it to this user.',
  ],
  [
    /unable to open database file|readonly database/,
    'Check that it is a file, in a folder that this user may write to.',
  ],
  [/^database is locked/, 'Another command, such as migrate-to, has it open. Wait until it ends.'],
];

/** A pooler uses one code for all its refusals. These messages indicate wrong settings. */
const REFUSED_BY_POOLER = /auth|password|no such|config error|not allowed/i;

/** Several hosts: as a list after user and password (which may contain a comma), or as a parameter. */
const SEVERAL_HOSTS = /^postgres(ql)?:\/\/(([^/?#]*@)?[^@/?#]*,[^@/?#]*([/?#]|$)|.*[?&]host=[^&#]*(,|%2C))/i;

/**
 * Refuses a URL with several hosts. It would be resolved as one name that does not exist, and the gateway would wait
 * forever.
 */
export function refuseSeveralHosts(url: string, setting = 'GATEWAY_DATABASE_URL'): void {
  if (SEVERAL_HOSTS.test(url))
    throw new SettingError(`${setting} names several hosts. Name one that always leads to the primary.`);
}

/** Whether `openStore` failed because the server is unreachable, which may be temporary. SQLite has no server. */
export function isServerAway(url: string, error: unknown): boolean {
  if (url.startsWith('sqlite:') || !(error instanceof SettingError)) return false;
  const { code, message = '' } = (error.cause ?? {}) as { code?: string; message?: string };
  if (code === '08P01' && REFUSED_BY_POOLER.test(message)) return false;
  return isDatabaseUnavailable(error.cause);
}

/**
 * The error for the person who configured the database URL. It does not repeat a PostgreSQL URL, which contains a
 * password.
 */
export function openingRefused(url: string, error: unknown, setting = 'GATEWAY_DATABASE_URL'): SettingError {
  const { message = '', code = '' } = error as { message?: string; code?: unknown };
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null;
  const remedy =
    (path !== null && ownedByAnother(path)) ||
    REMEDIES.find(([sign]) => sign.test(String(code)) || sign.test(message))?.[1];
  const why = `${message || String(code)}${path === null ? '' : ` (${path})`}`;
  return new SettingError(`${setting} cannot be used: ${why}${remedy ? `. ${remedy}` : ''}`, {
    cause: error,
  });
}

/** The remedy if the database file or its folder belongs to another user and is not writable; null otherwise. */
function ownedByAnother(path: string): string | null {
  const user = process.getuid?.();
  const refused = [path, `${path}-wal`, `${path}-shm`, lockFileOf(path), dirname(path)].find(isRefused);
  if (user === undefined || refused === undefined) return null;
  const owner = ownerOf(refused);
  if (owner === null || owner === user) return null;
  return `${refused} belongs to ${named(owner)}, and the gateway runs as ${named(user)}. Run as root: chown ${user} ${refused}`;
}

/** Whether a file or folder exists but is not writable. */
function isRefused(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return false;
  } catch (error) {
    return ['EACCES', 'EPERM'].includes((error as { code?: string }).code ?? '');
  }
}

function ownerOf(path: string): number | null {
  try {
    return statSync(path).uid;
  } catch {
    return null;
  }
}

function named(user: number): string {
  const name = accounts()
    .map((line) => line.split(':'))
    .find(([, , uid]) => uid === String(user))?.[0];
  return name ? `${name} (uid ${user})` : `uid ${user}`;
}

function accounts(): string[] {
  try {
    return readFileSync('/etc/passwd', 'utf8').split('\n');
  } catch {
    return [];
  }
}
