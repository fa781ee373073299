import { type Store } from '../../store/store';
import { type Vault } from '../../store/vault';
import { isoTime, MINUTE, type Clock } from '../../time';
import { hashOfText, randomText } from '../secret-text';
import { type Checks } from './client';

/** A log-in must be completed at the provider within this time. */
const ATTEMPT_LIFE = 10 * MINUTE;

/** What happens after the person has logged in at the provider. */
export type Purpose =
  /** `next`: the page to open. `form`: a form to submit afterwards, packed; null if there is none. */
  | { kind: 'log-in'; next: string; form: string | null }
  /** Somebody accepts an invitation. `key`: of its link. */
  | { kind: 'invitation'; key: string }
  /** A logged-in user links the person to the own user. `session`: the hash of the user's session. */
  | { kind: 'link'; session: string }
  /** A logged-in user confirms an action. `form`: the action's form, packed; null if it is too large. */
  | { kind: 'confirm'; session: string; next: string; form: string | null };

/** A log-in that is under way at a provider. It is sealed in a cookie, so that only the browser that began can end it. */
export interface Attempt extends Checks {
  /** The key of the provider. */
  provider: string;
  purpose: Purpose;
  begunAt: number;
}

interface AttemptDeps {
  vault: Vault;
  clock: Clock;
}

export function newAttempt(
  { clock }: AttemptDeps,
  provider: string,
  redirectUrl: string,
  purpose: Purpose,
): Attempt {
  return {
    provider,
    redirectUrl,
    purpose,
    state: randomText(),
    nonce: randomText(),
    verifier: randomText(),
    begunAt: clock(),
  };
}

/** The value of the cookie. */
export const sealAttempt = ({ vault }: AttemptDeps, attempt: Attempt): string =>
  vault.seal('panel.oidc_attempt', JSON.stringify(attempt));

/**
 * The attempt of a browser's cookie, which cannot be used again.
 * @param state from the provider's answer
 * @returns null if it is of another browser or provider, too old, or used
 */
export async function takeAttempt(
  { store, vault, clock }: AttemptDeps & { store: Pick<Store, 'usedOnce'> },
  sealed: string | undefined,
  provider: string,
  state: string | null,
): Promise<Attempt | null> {
  const attempt = opened(vault, sealed);
  const now = clock();
  if (!attempt || attempt.provider !== provider || attempt.state !== state) return null;
  const end = attempt.begunAt + ATTEMPT_LIFE;
  if (end < now) return null;
  return (await store.usedOnce.take(hashOfText(`attempt ${state}`), isoTime(end), isoTime(now)))
    ? attempt
    : null;
}

function opened(vault: Vault, sealed: string | undefined): Attempt | null {
  if (sealed === undefined) return null;
  try {
    return JSON.parse(vault.open('panel.oidc_attempt', sealed)) as Attempt;
  } catch {
    // Forged, or sealed with a removed key.
    return null;
  }
}
