import { accessSuspended, passwordLogInOff, Refusal, tooManyLogIns } from '../errors';
import { rateLimitKey } from '../http/caller-address';
import { wholeSeconds, type RateLimits } from '../primitives/rate-limit';
import { validGrants } from '../rights/grants';
import { type Store } from '../store/store';
import { type UserRow } from '../store/tables/users';
import { type Vault } from '../store/vault';
import { type Clock } from '../time';
import { accountHash, accountName, LOG_IN_PERIOD } from './account-name';
import { type LogInWatch, type Trial } from './log-in-watch';
import { isPassword } from './password';
import { hashOfText } from './secret-text';
import { type RequestOrigin } from './sessions';
import { stepOfCode } from './totp';

export type LogInLimits = ReturnType<typeof logInLimits>;

/** Factor for the wider limits: all addresses for one account, and all accounts for one address. */
export const WIDER = 4;

/**
 * Limits wrong passwords and codes in 15 minutes: `perPeriod` per account and address, and `WIDER` times as many
 * per account and per address. A known browser has its own count, so that other people's guesses don't lock
 * the user out. Beyond the limit nothing is compared, so that a right guess looks like a wrong one.
 * @param perPeriod null: no limit
 */
export function logInLimits(perPeriod: number | null, limitOf: RateLimits) {
  if (perPeriod === null) return { take: async () => {}, giveBack: async () => {} };
  const wider = perPeriod * WIDER;
  const together = limitOf('log-in', { burst: perPeriod, interval: LOG_IN_PERIOD / perPeriod });
  const accounts = limitOf('log-in account', { burst: wider, interval: LOG_IN_PERIOD / wider });
  const addresses = limitOf('log-in address', { burst: wider, interval: LOG_IN_PERIOD / wider });
  const browsers = limitOf('log-in browser', { burst: perPeriod, interval: LOG_IN_PERIOD / perPeriod });

  const counted = ({ name, user, from: { address, known } }: Trial) => {
    const account = accountHash(name);
    // `user unlock` changes the key, which resets the count.
    const since = `${account} ${user?.unlocked_at ?? ''}`;
    if (known?.accounts.includes(account)) return [[browsers, `${known.id} ${since}`]] as const;
    const from = rateLimitKey(address);
    return [
      [together, `${since} ${from}`],
      [accounts, since],
      [addresses, from],
    ] as const;
  };

  return {
    /** Called before a comparison. @throws Refusal if too many attempts failed */
    async take(trial: Trial): Promise<void> {
      // The narrowest limit comes first, so that its refusals don't count against the account's wider limit.
      for (const [limit, key] of counted(trial)) {
        const { wait } = await limit.take(key);
        if (wait) throw tooManyLogIns(wholeSeconds(wait));
      }
    },

    async giveBack(trial: Trial): Promise<void> {
      await Promise.all(counted(trial).map(([limit, key]) => limit.giveBack(key)));
    },
  };
}

/** Who may log in with a password. Others log in at an OpenID Connect provider. */
export type PasswordLogIn = 'everyone' | 'owners';

export interface LogInDeps {
  store: Pick<Store, 'users'>;
  vault: Vault;
  logInLimits: LogInLimits;
  logInWatch: LogInWatch;
  passwordLogIn: PasswordLogIn;
  clock: Clock;
}

/**
 * Checks a user's password.
 * @returns null if the password is wrong or the user is unknown; both take the same time
 * @throws Refusal if too many attempts failed, if the user must log in at a provider, or if all customers of the user are
 * suspended
 */
export async function checkPassword(
  deps: LogInDeps,
  typedName: string,
  password: string,
  from: RequestOrigin,
): Promise<UserRow | null> {
  const name = accountName(typedName);
  const user = await deps.store.users.byName(name);
  const isRight = await inLimits(deps, { name, user, from }, 'password', async () =>
    (await isPassword(user?.password_hash ?? null, password)) ? true : null,
  );
  if (!isRight || !user) return null;
  if (!mayUsePassword(deps, user)) throw passwordLogInOff();
  if (!validGrants(user).length) throw accessSuspended();
  return user;
}

export const mayUsePassword = (
  { passwordLogIn }: Pick<LogInDeps, 'passwordLogIn'>,
  { role }: Pick<UserRow, 'role'>,
): boolean => passwordLogIn === 'everyone' || role === 'owner';

/**
 * Checks a code of the authenticator app, or a recovery code. Each code works once.
 * @throws Refusal if too many attempts failed
 */
export function checkCode(
  deps: LogInDeps,
  user: UserRow,
  typed: string,
  from: RequestOrigin,
): Promise<'code' | 'recovery code' | null> {
  const { store, vault, clock } = deps;
  const given = typed.replace(/[\s-]/g, '').toLowerCase();
  return inLimits(deps, { name: user.name, user, from }, 'code', async () => {
    if (user.totp_sealed === null) return null;
    if (/^\d{6}$/.test(given)) {
      const step = stepOfCode(vault.open('users.totp', user.totp_sealed), given, clock());
      return step !== null && (await store.users.takeTotpStep(user.id, step)) ? 'code' : null;
    }
    return (await store.users.takeRecoveryCode(user.id, hashOfText(given))) ? 'recovery code' : null;
  });
}

/** @param compare resolves with null if the password or code is wrong */
async function inLimits<T>(
  { logInLimits: limits, logInWatch: watch }: LogInDeps,
  trial: Trial,
  kind: 'password' | 'code',
  compare: () => Promise<T | null>,
): Promise<T | null> {
  await limits.take(trial).catch(async (error: unknown) => {
    if (error instanceof Refusal) await watch.refused(trial, 'locked');
    throw error;
  });
  const right = await compare();
  if (right === null) await watch.refused(trial, `wrong_${kind}`);
  else await limits.giveBack(trial);
  return right;
}
