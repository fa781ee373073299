import { SettingError } from '../errors';
import { isDatabaseUnavailable } from './unavailable';

/** What to do about the reasons for which a database is most often not opened: what their message or code says. */
const REMEDIES: [RegExp, string][] = [
  [/^28/, 'Check the user and the password in it.'],
  [/^3D000/, 'Create that database first, for example with createdb, or name another one.'],
  [
    /^ERR_INVALID_URL/,
    'In its user and password write @ as %40, / as %2F, # as %23 and % as %25. It names one host, not several.',
  ],
  [/^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOST|ENET)/, 'Check its host and port, and that the server runs.'],
  [
    /^(EACCES|EROFS|EPERM)/,
    'Choose a folder that the user of the gateway may write to, or give it to this user.',
  ],
  [
    /unable to open database file|readonly database/,
    'Check that it is a file, in a folder that this user may write to.',
  ],
];

/** A pooler has one code for all that it refuses, of which these are wrong settings. */
const REFUSED_BY_POOLER = /auth|password|no such|config error|not allowed/i;

/** Whether `openStore` failed because the server is away, which may be over soon; a SQLite file has no server. */
export function isServerAway(url: string, error: unknown): boolean {
  if (url.startsWith('sqlite:') || !(error instanceof SettingError)) return false;
  const { code, message = '' } = (error.cause ?? {}) as { code?: string; message?: string };
  if (code === '08P01' && REFUSED_BY_POOLER.test(message)) return false;
  return isDatabaseUnavailable(error.cause);
}

/** A sentence for whoever set the database that cannot be opened; that of PostgreSQL is not repeated: it holds a password. */
export function openingRefused(url: string, error: unknown): SettingError {
  const { message = '', code = '' } = error as { message?: string; code?: unknown };
  const remedy = REMEDIES.find(([sign]) => sign.test(String(code)) || sign.test(message))?.[1];
  const file = url.startsWith('sqlite:') ? ` (${url.slice('sqlite:'.length)})` : '';
  const why = `${message || String(code)}${file}`;
  return new SettingError(`GATEWAY_DATABASE_URL cannot be used: ${why}${remedy ? `. ${remedy}` : ''}`, {
    cause: error,
  });
}
