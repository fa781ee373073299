import { tooManyLogIns } from '../errors';
import { countedAddress } from '../http/caller-address';
import { wholeSeconds, type RateLimits } from '../rate-limit';
import { type Store } from '../store/database';
import { type UserRow } from '../store/users';
import { type Vault } from '../store/vault';
import { MINUTE, type Clock } from '../time';
import { isPassword } from './password';
import { hashOfText } from './secret-text';
import { stepOfCode } from './totp';

export type LogInLimits = ReturnType<typeof logInLimits>;

const PERIOD = 15 * MINUTE;
/** Addresses from which one account may be tried at full rate, and accounts that one address may try. */
const WIDER = 4;

/**
 * How often a password or a code may be wrong: so many in 15 minutes for one account from one address, and four times
 * as many for one account from all addresses, and from one address for all accounts. Whoever guesses from one address
 * does not lock the owner out by that; whoever has four of them delays the owner's next log-in. What was right gives
 * back what it took; beyond the limit nothing is compared, so that a right guess is not told from a wrong one.
 * @param perPeriod null: any number
 */
export function logInLimits(perPeriod: number | null, limitOf: RateLimits) {
  if (perPeriod === null) return { take: async () => {}, giveBack: async () => {} };
  const wider = perPeriod * WIDER;
  const together = limitOf('log-in', { burst: perPeriod, interval: PERIOD / perPeriod });
  const accounts = limitOf('log-in account', { burst: wider, interval: PERIOD / wider });
  const addresses = limitOf('log-in address', { burst: wider, interval: PERIOD / wider });
  const counted = (name: string, address: string) => {
    // Names are hashed: what is typed as a name may be a password, and any length.
    const account = hashOfText(name);
    const from = countedAddress(address);
    return [
      [together, `${account} ${from}`],
      [accounts, account],
      [addresses, from],
    ] as const;
  };

  return {
    /** Before anything is compared. @throws Refusal where too many were wrong */
    async take(name: string, address: string): Promise<void> {
      // The narrow one first: what it refuses takes nothing from the owner, who comes from elsewhere.
      for (const [limit, key] of counted(name, address)) {
        const { wait } = await limit.take(key);
        if (wait) throw tooManyLogIns(wholeSeconds(wait));
      }
    },

    async giveBack(name: string, address: string): Promise<void> {
      await Promise.all(counted(name, address).map(([limit, key]) => limit.giveBack(key)));
    },
  };
}

export interface LogInDeps {
  store: Pick<Store, 'users'>;
  vault: Vault;
  limits: LogInLimits;
  clock: Clock;
}

export const accountName = (typed: string): string => typed.trim().toLowerCase();

/**
 * Compares a password with a user's.
 * @returns null where it is wrong or there is no such user: nothing tells which, not even the time that it takes
 * @throws Refusal where too many were wrong
 */
export async function checkPassword(
  { store, limits }: LogInDeps,
  typedName: string,
  password: string,
  address: string,
): Promise<UserRow | null> {
  const name = accountName(typedName);
  await limits.take(name, address);
  const user = await store.users.byName(name);
  if (!(await isPassword(user?.password_hash ?? null, password)) || !user) return null;
  await limits.giveBack(name, address);
  return user;
}

/**
 * Compares a code of the authenticator app, or a recovery code; each is taken once.
 * @throws Refusal where too many were wrong
 */
export async function checkCode(
  { store, vault, limits, clock }: LogInDeps,
  user: UserRow,
  typed: string,
  address: string,
): Promise<'code' | 'recovery code' | null> {
  await limits.take(user.name, address);
  const code = typed.replace(/[\s-]/g, '').toLowerCase();
  const kind = await kindOf(code);
  if (kind) await limits.giveBack(user.name, address);
  return kind;

  async function kindOf(given: string): Promise<'code' | 'recovery code' | null> {
    if (user.totp_sealed === null) return null;
    if (/^\d{6}$/.test(given)) {
      const step = stepOfCode(vault.open('users.totp', user.totp_sealed), given, clock());
      return step !== null && (await store.users.takeTotpStep(user.id, step)) ? 'code' : null;
    }
    return (await store.users.takeRecoveryCode(user.id, hashOfText(given))) ? 'recovery code' : null;
  }
}
