import { type Clock } from '../time';

/** Failures in a row after which the platform counts as away. */
export const AWAY_AFTER = 3;

export interface PlatformAway {
  /** Calls in a row that got no answer. */
  failures: number;
  /** Of the first of them, in milliseconds. */
  since: number;
  /** Of the last of them, a sentence. */
  because: string;
  isCertificate: boolean;
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
    this.#away = { failures: failures + 1, since, ...causeOf(error) };
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

const CERTIFICATE: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its certificate is self-signed.',
  CERT_HAS_EXPIRED: 'Its certificate has expired.',
  CERT_NOT_YET_VALID: 'Its certificate is not valid yet.',
  UNABLE_TO_GET_ISSUER_CERT: 'The issuer of its certificate is not known.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The issuer of its certificate is not known.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The issuer of its certificate is not known.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another host name.',
};

const OTHERS: Record<string, string> = {
  ENOTFOUND: 'Its host name cannot be resolved.',
  EAI_AGAIN: 'Its host name cannot be resolved.',
  ECONNREFUSED: 'It refuses connections.',
  UND_ERR_CONNECT_TIMEOUT: 'It did not answer in time.',
  ETIMEDOUT: 'It did not answer in time.',
  ECONNABORTED: 'It did not answer in time.',
};

function causeOf(error: unknown): Pick<PlatformAway, 'because' | 'isCertificate'> {
  const { code = '', name = '' } = error as { code?: string; name?: string };
  const certificate = CERTIFICATE[code];
  if (certificate !== undefined) return { because: certificate, isCertificate: true };
  const known = name === 'TimeoutError' ? OTHERS.ETIMEDOUT : OTHERS[code];
  return { because: known ?? 'The connection broke.', isCertificate: false };
}
