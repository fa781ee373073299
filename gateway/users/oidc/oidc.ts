import { providerAnswerRefused, providerUnavailable, tooManyLogIns } from '../../errors';
import { rateLimitKey } from '../../http/caller-address';
import { wholeSeconds, type RateLimit, type RateLimits } from '../../primitives/rate-limit';
import { type Store } from '../../store/store';
import { type AuditedDeps } from '../../store/with-audit';
import { isoTime, MINUTE } from '../../time';
import { LOG_IN_PERIOD } from '../account-name';
import { WIDER } from '../log-in';
import { type LogInWatch } from '../log-in-watch';
import { hashOfText } from '../secret-text';
import { type RequestOrigin } from '../sessions';
import { newAttempt, sealAttempt, takeAttempt, type Attempt, type Purpose } from './attempts';
import { type ClientDeps } from './client';
import { personOf, type Person } from './identify';
import { type Provider } from './provider-input';
import { type ProviderDeps } from './providers';

/** Log-in with OpenID Connect. */
export interface OidcDeps extends AuditedDeps, ProviderDeps, ClientDeps {
  store: Store;
  /** Log-ins begun by one browser or address that are not completed. */
  oidcLimit: RateLimit | null;
  logInWatch: LogInWatch;
  log: { warn(fields: object, message: string): void };
}

/** @param perPeriod as for passwords; null: no limit */
export const oidcLimit = (perPeriod: number | null, limitOf: RateLimits): RateLimit | null => {
  const burst = (perPeriod ?? 0) * WIDER;
  return perPeriod === null ? null : limitOf('log-in provider', { burst, interval: LOG_IN_PERIOD / burst });
};

/** Loaded with the first log-in: most processes never need the library. */
const client = () => import('./client.js');

/** What failed, in the log. */
type Step = 'log-in' | 'answer' | 'log-out' | 'back-channel log-out';

/** Logs the reason of a failure, which is shown to nobody, and returns the refusal to show. */
function refusalOf({ log }: OidcDeps, { key, label }: Provider, step: Step, error: unknown): unknown {
  const { name, message } = error as Error;
  if (name !== 'ProviderUnavailable' && name !== 'AnswerRefused') return error;
  log.warn({ provider: key, step, reason: message }, 'log-in with OpenID Connect failed');
  return name === 'ProviderUnavailable' ? providerUnavailable(label) : providerAnswerRefused(label);
}

const limitKey = ({ known, address }: RequestOrigin): string => known?.id ?? rateLimitKey(address);

/**
 * Begins a log-in at a provider.
 * @param redirectUrl where the provider sends the browser afterwards; registered there
 * @returns the page of the provider, and the value of the cookie that the answer needs
 * @throws Refusal if the provider is not available, or after too many log-ins
 */
export async function beginAtProvider(
  deps: OidcDeps,
  provider: Provider,
  redirectUrl: string,
  purpose: Purpose,
  from: RequestOrigin,
): Promise<{ url: string; attempt: string }> {
  const { wait = 0 } = (await deps.oidcLimit?.take(limitKey(from))) ?? {};
  if (wait) throw tooManyLogIns(wholeSeconds(wait));
  const attempt = newAttempt(deps, provider.key, redirectUrl, purpose);
  const { logInUrl } = await client();
  const url = await logInUrl(deps, provider, attempt, purpose.kind === 'confirm').catch((error: unknown) => {
    throw refusalOf(deps, provider, 'log-in', error);
  });
  return { url, attempt: sealAttempt(deps, attempt) };
}

/**
 * Reads a provider's answer, once.
 * @param sealed the value of the cookie
 * @param query of the redirect from the provider
 * @throws Refusal if the answer is not valid
 */
export async function endAtProvider(
  deps: OidcDeps,
  provider: Provider,
  sealed: string | undefined,
  query: URLSearchParams,
  from: RequestOrigin,
): Promise<{ person: Person; attempt: Attempt }> {
  const attempt = await takeAttempt(deps, sealed, provider.key, query.get('state'));
  if (!attempt) throw providerAnswerRefused(provider.label);
  const { redeem } = await client();
  const claims = await redeem(deps, provider, attempt, query).catch(async (error: unknown) => {
    const refusal = refusalOf(deps, provider, 'answer', error);
    if ((error as Error).name === 'AnswerRefused')
      await deps.logInWatch.refused({ name: provider.issuer, user: null, from }, 'wrong_answer');
    throw refusal;
  });
  await deps.oidcLimit?.giveBack(limitKey(from));
  const person = personOf(provider, claims);
  if (!person) throw providerAnswerRefused(provider.label);
  return { person, attempt };
}

/** How far the clocks of the provider and of the gateway may differ. */
const CLOCKS_APART = MINUTE / 2;

/** Whether the person has logged in at the provider again since the attempt began. */
export const hasAuthenticatedSince = ({ begunAt }: Attempt, { authenticatedAt }: Person): boolean =>
  authenticatedAt !== null && authenticatedAt >= begunAt - CLOCKS_APART;

/** Where the person also logs out of the provider; null if the provider has no such page, or cannot be reached. */
export async function logOutUrlOf(deps: OidcDeps, provider: Provider, back: string): Promise<string | null> {
  const { logOutUrl } = await client();
  return logOutUrl(deps, provider, back).catch((error: unknown) => {
    if (refusalOf(deps, provider, 'log-out', error) === error) throw error;
    return null;
  });
}

/** A token of back-channel log-out is remembered for longer than it can be valid. */
const TOKEN_LIFE = 15 * MINUTE;

/**
 * Ends sessions because a person has logged out at the provider.
 * @returns false if the token is not valid or was used before
 */
export async function logOutByProvider(
  deps: OidcDeps,
  provider: Provider,
  token: string,
  address: string,
): Promise<boolean> {
  const { readLogOut } = await client();
  const { wait = 0 } = (await deps.oidcLimit?.take(`back-channel ${rateLimitKey(address)}`)) ?? {};
  if (wait) throw tooManyLogIns(wholeSeconds(wait));
  try {
    const { subject, session, id } = await readLogOut(deps, provider, token);
    await deps.oidcLimit?.giveBack(`back-channel ${rateLimitKey(address)}`);
    const { store, clock } = deps;
    const [hash, end] = [hashOfText(`log-out ${provider.issuer} ${id}`), isoTime(clock() + TOKEN_LIFE)];
    if (!(await store.usedOnce.take(hash, end, isoTime(clock())))) return false;
    await store.sessions.removeOfIdentity(provider.issuer, subject, session);
    return true;
  } catch (error) {
    if (refusalOf(deps, provider, 'back-channel log-out', error) === error) throw error;
    return false;
  }
}
