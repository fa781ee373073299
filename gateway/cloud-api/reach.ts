import { type Clock } from '../time';
import { type Unreached } from '../wording/facts';

/** Consecutive failures after which the platform counts as unreachable. */
export const AWAY_AFTER = 3;

export interface PlatformAway {
  /** Consecutive calls without an answer. */
  failures: number;
  /** Time of the first failure, in milliseconds. */
  since: number;
  /** Reason of the last failure. */
  because: Unreached;
}

/** Tracks whether the platform answers this process's calls. Any answer counts, including an error. */
export class PlatformReach {
  readonly #clock: Clock;
  #away: PlatformAway | null = null;
  #hasCalled = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  answered(): void {
    this.#hasCalled = true;
    this.#away = null;
  }

  failed(error: unknown): void {
    this.#hasCalled = true;
    const { failures, since } = this.#away ?? { failures: 0, since: this.#clock() };
    this.#away = { failures: failures + 1, since, because: causeOf(error) };
  }

  /** Null if the last call was answered. */
  get away(): PlatformAway | null {
    return this.#away;
  }

  /** False until the first call ends. */
  get isKnown(): boolean {
    return this.#hasCalled;
  }

  get isUp(): boolean {
    return (this.#away?.failures ?? 0) < AWAY_AFTER;
  }
}

const CAUSES: Record<string, Unreached> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'self_signed',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not_yet_valid',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown_issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown_issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown_issuer',
  ERR_TLS_CERT_ALTNAME_INVALID: 'other_host',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ECONNREFUSED: 'refused',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  ECONNABORTED: 'timeout',
};

function causeOf(error: unknown): Unreached {
  const { code = '', name = '' } = error as { code?: string; name?: string };
  return name === 'TimeoutError' ? 'timeout' : (CAUSES[code] ?? 'broken');
}
