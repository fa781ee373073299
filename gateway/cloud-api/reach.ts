import { type Clock } from '../time';
import { type Unreached } from '../wording/facts';

/** Failures in a row after which the platform counts as away. */
export const AWAY_AFTER = 3;

export interface PlatformAway {
  /** Calls in a row that got no answer. */
  failures: number;
  /** The time of the first of them, in milliseconds. */
  since: number;
  /** Why the last of them failed. */
  because: Unreached;
}

/** Whether the platform answers this process, as its calls find. Any answer counts, an error of the platform too. */
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

  /** False until the first call has ended. */
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
