import { boundedLog } from '../primitives/bounded-log';
import { rateLimitKey } from '../http/caller-address';
import { type RateLimits } from '../primitives/rate-limit';
import { type UserRow } from '../store/tables/users';
import { audited, type AuditedDeps } from '../store/with-audit';
import { MINUTE } from '../time';
import { accountHash, LOG_IN_PERIOD } from './account-name';
import { type RequestOrigin } from './sessions';

/** An account that somebody tries to open, and from where. */
export interface Trial {
  /** As it was typed, but for case and spaces around it. */
  name: string;
  /** Null where nobody has that name. */
  user: UserRow | null;
  from: RequestOrigin;
}

/** What a log-in came to. `locked`: too many were wrong before, and nothing was compared. */
export const LOG_IN_RESULTS = ['in', 'wrong_password', 'wrong_code', 'locked'] as const;
export type LogInResult = (typeof LOG_IN_RESULTS)[number];

export interface LogInWatch {
  /** Told of one that failed, before it is answered. */
  refused(trial: Trial, result: Exclude<LogInResult, 'in'>): Promise<void>;
  /** Told of one that succeeded; the audit tells it with the session that begins. */
  entered(): void;
}

interface WatchDeps extends AuditedDeps {
  log: { warn(fields: object, message: string): void };
  limitOf: RateLimits;
  counted(result: LogInResult): void;
}

/** An attacker writes no more of the audit than this. */
const ENTRIES = { burst: 30, interval: 5 * MINUTE };
const ENTRY_OF_ONE = { burst: 1, interval: LOG_IN_PERIOD };

/** Whoever is not logged in, as the audit tells him; nobody can be called that. */
export const NOT_LOGGED_IN = 'not logged in';

/**
 * Tells of log-ins that fail: each in the log, of each kind the first in the audit for an account and an address in 15
 * minutes, all in the metrics. Who guesses decides what is typed as a name: it is told as a fingerprint, and by itself
 * only where a user has that name.
 */
export function logInWatch(deps: WatchDeps): LogInWatch {
  const { vault, clock, log, limitOf, counted } = deps;
  const warn = boundedLog(log, clock);
  const entries = limitOf('log-ins told', ENTRIES);
  const ofOne = limitOf('log-in told', ENTRY_OF_ONE);

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
    entered: () => counted('in'),
  };
}
