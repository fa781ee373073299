import { qualityOf } from '../../cloud-api/phone-number';
import { DAY, MINUTE, SECOND } from '../../time';
import { fact, type Fact } from '../../wording/facts';
import { type Line } from '../line';
import { type AccountReading, type LineChecks, type Reading, type Unread } from './line-checks';
import { SCOPES } from './read-checks';

/** `unknown`: it could not be checked. */
export type CheckState = 'ok' | 'warning' | 'failed' | 'unknown';

/** A change that repairs what failed: at the platform, for the business account or the number. */
export const REPAIRS = ['subscribe', 'register', 'set_callback'] as const;
export type Repair = (typeof REPAIRS)[number];

interface Verdict {
  state: CheckState;
  fact: Fact;
  repair?: Repair;
}

export interface CheckResult extends Verdict {
  check: Check;
}

/** What the platform reported. */
export interface PlatformFacts {
  line: Pick<Line, 'accessToken' | 'upstream'>;
  /** Whether the platform refused the access token in its latest answer. */
  isRefused: boolean;
  /** Null if it was never read. */
  checks: LineChecks | null;
  /** Milliseconds. */
  now: number;
}

/** What the gateway itself knows. */
export interface GatewayFacts {
  line: Pick<Line, 'phoneNumber' | 'signatureFailedAt'>;
  /** Whether the platform has ever called the gateway for the line. */
  isCalled: boolean;
  /** Whether the gateway has a public URL. */
  hasPublicUrl: boolean;
  /** When the last event arrived, which was signed rightly (ISO time); null if none is stored. */
  lastEventAt: string | null;
  hasMessage: boolean;
  destinations: { count: number; failing: number };
}

const ok = (said: Fact): Verdict => ({ state: 'ok', fact: said });
const warning = (said: Fact): Verdict => ({ state: 'warning', fact: said });
const failed = (said: Fact, repair?: Repair): Verdict => ({
  ...{ state: 'failed', fact: said },
  ...(repair && { repair }),
});
const unknown = (said: Fact): Verdict => ({ state: 'unknown', fact: said });

const unreported = unknown(fact('check.unreported', {}));
const unread = unknown(fact('check.unread', {}));
/** Says why something could not be read. */
export const unreadFact = (why: Unread): Fact =>
  'lacks' in why ? fact('check.lacks', { permission: why.lacks }) : fact('check.refused', { says: why.says });
const notReadable = (why: Unread): Verdict => unknown(unreadFact(why));

/** Judges a value that was read. */
function whenRead<T>(reading: Reading<T> | undefined, judge: (value: T) => Verdict): Verdict {
  if (!reading) return unread;
  return 'unread' in reading ? notReadable(reading.unread) : judge(reading.value);
}

/** Days before an access token expires from which this is a warning. */
export const EXPIRES_SOON = 60;
/** Seconds. Signatures and times of messages are wrong by more. */
const CLOCK_TOLERANCE = MINUTE / SECOND;

/** Whole days until a time, at least 0. */
export const daysUntil = (at: string, now: number): number =>
  Math.max(0, Math.floor((Date.parse(at) - now) / DAY));

/** The checks of what the platform reports. */
const OF_PLATFORM = {
  access_token({ line, isRefused, checks, now }) {
    if (line.accessToken === null) return failed(fact('check.token_missing', {}));
    if (isRefused) return failed(fact('check.token_refused', {}));
    return whenRead(checks?.token, ({ isValid, type, expiresAt, scopes, holdsAccount }) => {
      if (isValid === null) return unreported;
      if (!isValid) return failed(fact('check.token_refused', {}));
      if (expiresAt && Date.parse(expiresAt) <= now)
        return failed(fact('check.token_expired', { at: expiresAt }));
      const permissions = SCOPES.filter((one) => scopes?.includes(one) === false);
      if (permissions.length) return failed(fact('check.token_lacks', { permissions }));
      if (holdsAccount === false) return failed(fact('check.token_other_account', {}));
      if (expiresAt && daysUntil(expiresAt, now) <= EXPIRES_SOON)
        return warning(fact('check.token_expires', { at: expiresAt, days: daysUntil(expiresAt, now) }));
      if (type === 'USER') return warning(fact('check.token_of_user', {}));
      return ok(
        expiresAt === '' ? fact('check.token_lasting', {}) : fact('check.token', { expires: expiresAt }),
      );
    });
  },

  phone_number: ({ checks }) =>
    whenRead(checks?.number, (number) =>
      number ? ok(fact('check.number', {})) : failed(fact('check.number_elsewhere', {})),
    ),

  registration({ line: { upstream } }) {
    if (!upstream) return unread;
    const { platform_type: type, throughput, code_verification_status: verification } = upstream;
    if (type === undefined && throughput === undefined) return unreported;
    if ((type ?? 'CLOUD_API') !== 'CLOUD_API' || throughput?.level === 'NOT_APPLICABLE')
      return failed(fact('check.unregistered', {}), 'register');
    return verification === 'NOT_VERIFIED'
      ? warning(fact('check.unverified', {}))
      : ok(fact('check.registered', {}));
  },

  display_name({ line: { upstream } }) {
    if (!upstream) return unread;
    switch (upstream.name_status) {
      case 'APPROVED':
      case 'AVAILABLE_WITHOUT_REVIEW':
        return ok(fact('check.name', { name: upstream.verified_name ?? '' }));
      case 'PENDING_REVIEW':
        return warning(fact('check.name_pending', {}));
      case 'DECLINED':
      case 'EXPIRED':
        return failed(fact('check.name_declined', {}));
      default:
        return unreported;
    }
  },

  subscription: ({ checks }) =>
    whenRead(checks?.isSubscribed, (isSubscribed) => {
      if (isSubscribed === null) return unreported;
      return isSubscribed
        ? ok(fact('check.subscribed', {}))
        : failed(fact('check.unsubscribed', {}), 'subscribe');
    }),

  quality({ line: { upstream } }) {
    if (!upstream) return unread;
    const rating = qualityOf(upstream.quality_rating);
    const said = fact('check.quality', {
      rating,
      limit: upstream.whatsapp_business_manager_messaging_limit ?? upstream.messaging_limit_tier ?? '',
      throughput: upstream.throughput?.level ?? '',
    });
    if (rating === 'LOW') return failed(said);
    return rating === 'MEDIUM' ? warning(said) : ok(said);
  },

  payment_method: ({ checks }) =>
    whenRead(checks?.hasPaymentMethod, (hasPaymentMethod) => {
      if (hasPaymentMethod === null) return unreported;
      return hasPaymentMethod ? ok(fact('check.paid', {})) : failed(fact('check.unpaid', {}));
    }),

  account_review: ({ checks }) => whenRead(checks?.account, reviewed),

  pin: ({ checks }) =>
    whenRead(checks?.number, (number) => {
      if (typeof number?.hasPin !== 'boolean') return unreported;
      return number.hasPin ? ok(fact('check.pin', {})) : warning(fact('check.pin_missing', {}));
    }),

  clock({ checks }) {
    if (!checks) return unread;
    const { clockAhead } = checks;
    if (clockAhead === null) return unreported;
    return Math.abs(clockAhead) <= CLOCK_TOLERANCE
      ? ok(fact('check.clock', {}))
      : failed(fact('check.clock_wrong', { seconds: Math.abs(clockAhead), isAhead: clockAhead > 0 }));
  },
} satisfies Record<string, (facts: PlatformFacts) => Verdict>;

function reviewed({ review, businessVerification: verification }: AccountReading): Verdict {
  if (review === null) return unreported;
  if (review === 'PENDING') return warning(fact('check.account_pending', { review }));
  if (review !== 'APPROVED') return failed(fact('check.account_rejected', { review }));
  return verification === null || verification === 'verified'
    ? ok(fact('check.account', {}))
    : warning(fact('check.business_unverified', { verification }));
}

/** The checks of what the gateway knows. */
const OF_GATEWAY = {
  callback({ isCalled, hasPublicUrl: canSet }) {
    if (isCalled) return ok(fact('check.called', {}));
    return failed(fact('check.uncalled', { canSet }), canSet ? 'set_callback' : undefined);
  },

  app_secret({ line: { signatureFailedAt: since }, lastEventAt }) {
    // Strangers can send wrong signatures, and the events of a line may come through the shared callback.
    if (since !== null && (lastEventAt ?? '') <= since) return failed(fact('check.signed_wrong', { since }));
    return lastEventAt !== null ? ok(fact('check.signed', {})) : unknown(fact('check.unsigned', {}));
  },

  destination({ destinations: { count, failing } }) {
    if (!count) return warning(fact('check.destination_missing', {}));
    if (!failing) return ok(fact('check.destinations', { count }));
    const said = fact('check.destinations_failing', { failing, count });
    return failing === count ? failed(said) : warning(said);
  },

  round_trip: ({ line, hasMessage }) =>
    hasMessage
      ? ok(fact('check.received', {}))
      : unknown(fact('check.unreceived', { number: line.phoneNumber })),
} satisfies Record<string, (facts: GatewayFacts) => Verdict>;

export type PlatformCheck = keyof typeof OF_PLATFORM;
export type Check = PlatformCheck | keyof typeof OF_GATEWAY;

/** All checks, in the order in which a line is set up. */
export const CHECKS: readonly Check[] = [
  ...(['access_token', 'phone_number', 'registration', 'subscription', 'callback', 'app_secret'] as const),
  ...(['destination', 'round_trip', 'payment_method', 'account_review', 'display_name', 'quality'] as const),
  ...(['pin', 'clock'] as const),
];

/** The result of one check of what the platform reported. */
export const judgePlatform = (check: PlatformCheck, facts: PlatformFacts): CheckResult => ({
  check,
  ...OF_PLATFORM[check](facts),
});

/** The results of all checks of a line. */
export const judgeLine = (facts: PlatformFacts & GatewayFacts): CheckResult[] =>
  CHECKS.map((check) => ({ check, ...{ ...OF_PLATFORM, ...OF_GATEWAY }[check](facts) }));
