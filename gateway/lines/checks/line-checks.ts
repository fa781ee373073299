/** What the platform reported about a line when its checks were last read, as stored in `lines.checks`. */
export interface LineChecks {
  /** When it was read, as ISO time. */
  at: string;
  /** The line's access token, as `debug_token` describes it. */
  token: Reading<TokenReading>;
  /** The line's number in the list of the business account; null if the list lacks it. */
  number: Reading<NumberReading | null>;
  account: Reading<AccountReading>;
  /** Whether the business account has a payment method; null if the platform did not tell. */
  hasPaymentMethod: Reading<boolean | null>;
  /** Whether the business account sends its events to an app; null if the platform did not tell. */
  isSubscribed: Reading<boolean | null>;
  /** Whether the platform's counts of messages can be read; null if it did not answer. Earlier readings lack it. */
  usage?: Reading<true> | null;
  /** Seconds by which the gateway's clock is ahead of the platform's; null if the platform sent no time. */
  clockAhead: number | null;
}

/** A value that was read, or why it was not. */
export type Reading<T> = { value: T } | { unread: Unread };

/** `lacks`: the permission that the access token lacks; `says`: the platform's error message. */
export type Unread = { lacks: string } | { says: string };

/** A field is null if the platform did not return it. */
export interface TokenReading {
  isValid: boolean | null;
  /** `USER`, `SYSTEM_USER`, … */
  type: string | null;
  /** ISO time; empty if the token never expires. */
  expiresAt: string | null;
  /** Those that a line needs. */
  scopes: string[] | null;
  /** Whether the token may use the line's business account. */
  holdsAccount: boolean | null;
}

export interface NumberReading {
  /** Whether two-step verification has a PIN; null if the platform did not return it. */
  hasPin: boolean | null;
}

/** A field is null if the platform did not return it. */
export interface AccountReading {
  /** The platform's words, such as `APPROVED` and `verified`. */
  review: string | null;
  businessVerification: string | null;
  /** The platform's number of its time zone. Readings of earlier versions lack it. */
  timeZoneId?: string | null;
}

/** What the platform last reported for a line's checks; null if it was never read. */
export const storedChecks = ({ checks }: { checks: string | null }): LineChecks | null =>
  checks === null ? null : (JSON.parse(checks) as LineChecks);
