import { boundedLog } from '../primitives/bounded-log';
import { rateLimitKey } from '../http/caller-address';
import { type RateLimits } from '../primitives/rate-limit';
import { type UserRow } from '../store/tables/users';
import { audited, type AuditedDeps } from '../store/with-audit';
import { MINUTE } from '../time';
import { accountHash, LOG_IN_PERIOD } from './account-name';
import { type RequestOrigin } from './sessions';

/** An attempt to log in. */
export interface Trial {
  /** As typed, trimmed and in lower case; or the issuer at which the person logs in. */
  name: string;
  /** Null if no user has this name. */
  user: UserRow | null;
  from: RequestOrigin;
}

/**
 * The results of a log-in. `locked`: too many attempts failed, so the password was not checked. `wrong_answer`: the answer
 * of an OpenID Connect provider was refused. `owner_password`: an owner is in with a password, although users log in at a
 * provider.
 */
export const LOG_IN_RESULTS = [
  'in',
  'owner_password',
  'wrong_password',
  'wrong_code',
  'wrong_answer',
  'locked',
] as const;
export type LogInResult = (typeof LOG_IN_RESULTS)[number];

export interface LogInWatch {
  /** Called after a failed log-in, before the response. */
  refused(trial: Trial, result: Exclude<LogInResult, 'in' | 'owner_password'>): Promise<void>;
  /** Called after a successful log-in. The audit entry is written with the session. */
  entered(result?: Extract<LogInResult, 'in' | 'owner_password'>): void;
}

interface WatchDeps extends AuditedDeps {
  log: { warn(fields: object, message: string): void };
  limitOf: RateLimits;
  counted(result: LogInResult): void;
}

/** Limits the audit entries that an attacker can cause. */
const ENTRIES = { burst: 30, interval: 5 * MINUTE };
const ENTRY_OF_ONE = { burst: 1, interval: LOG_IN_PERIOD };

/** The audit's name for a person who is not logged in. No user can have this name. */
export const NOT_LOGGED_IN = 'not logged in';

/**
 * Reports failed log-ins to the log and the metrics. The audit gets the first of each kind per account and
 * address in 15 minutes. An unknown typed name is stored only as a fingerprint: it may be a password.
 */
export function logInWatch(deps: WatchDeps): LogInWatch {
  const { vault, clock, log, limitOf, counted } = deps;
  const warn = boundedLog(log, clock);
  const entries = limitOf('log-ins notified', ENTRIES);
  const ofOne = limitOf('log-in notified', ENTRY_OF_ONE);

  function tellLog({ name, from: { address, route } }: Trial, kind: string): void {
    warn({ address, route, kind, account: vault.fingerprint(name) }, 'log-in failed');
  }

  async function tellAudit({ name, user, from: { address } }: Trial, result: string): Promise<void> {
    const one = `${result} ${accountHash(name)} ${rateLimitKey(address)}`;
    if ((await ofOne.take(one)).wait || (await entries.take('')).wait) return;
    const details = { result, ...(user ? { user: user.name } : { account: vault.fingerprint(name) }) };
    const actor = { who: NOT_LOGGED_IN, through: 'panel', address } as const;
    await audited(deps, actor, { action: 'log_in.failed', details }, async () => {});
  }

  return {
    async refused(trial, result) {
      counted(result);
      tellLog(trial, result);
      await tellAudit(trial, result);
    },
    entered: (result = 'in') => counted(result),
  };
}
