import { type CloudApi } from '../../cloud-api/client';
import { lacksPermission, refusalOfFailure, UpstreamRefused } from '../../cloud-api/failures';
import { platformUsageRows, pricingAnalyticsField, readPricingAnalytics } from '../../usage/platform-usage';
import { timeZoneOf } from '../../usage/time-zones';
import { digitsOf } from '../../cloud-api/phone-spellings';
import { at, entries, inside, objects, textOf } from '../../cloud-api/json/json-value';
import { type Store } from '../../store/store';
import { isoTime, SECOND, type Clock } from '../../time';
import { accessTokenOf, type Line } from '../line';
import {
  type AccountReading,
  type LineChecks,
  type NumberReading,
  type Reading,
  type TokenReading,
} from './line-checks';

export interface CheckReadingDeps {
  store: Store;
  cloudApi: Pick<CloudApi, 'ask' | 'phoneNumbers' | 'time'>;
  clock: Clock;
}

/** The permission that all these reads need. */
const MANAGEMENT_SCOPE = 'whatsapp_business_management';
const MESSAGING_SCOPE = 'whatsapp_business_messaging';
export const SCOPES = [MESSAGING_SCOPE, MANAGEMENT_SCOPE];

/** Longer than any documented value. */
const LONGEST_VALUE = 512;
const ACCOUNT_FIELDS = ['account_review_status', 'business_verification_status', 'timezone_id'];

/**
 * Reads from the platform what the checks of a line need beyond its status, and how many messages it counted: six requests, whose answers fit all lines
 * with the same business account and access token.
 * @returns a function that stores the result for such a line
 * @throws the errors of every call if the platform gave no answer, or none for now
 */
export async function readLineChecks(
  { store, cloudApi, clock }: CheckReadingDeps,
  line: Line,
): Promise<(line: Line) => Promise<void>> {
  const accessToken = accessTokenOf(line);
  const { wabaId } = line;
  const path = encodeURIComponent(wabaId);
  const now = clock();
  const readAt = isoTime(now);
  const [token, numbers, account, hasPaymentMethod, isSubscribed, analytics, clockAhead] = await Promise.all([
    tokenReading(cloudApi, accessToken, wabaId),
    reading(cloudApi.phoneNumbers({ wabaId, accessToken }, ['id', 'is_pin_enabled'], {}, ['is_pin_enabled'])),
    reading(cloudApi.ask(path, ACCOUNT_FIELDS, ACCOUNT_FIELDS, accessToken).then(accountOf)),
    // Asked for alone, because the platform refuses this field to all but solution partners.
    reading(cloudApi.ask(path, ['primary_funding_id'], [], accessToken).then(isPayable), null),
    reading(cloudApi.ask(`${path}/subscribed_apps`, [], [], accessToken).then(hasEntry)),
    reading(cloudApi.ask(path, [pricingAnalyticsField(now)], [], accessToken)).catch(unanswered),
    cloudApi.time().then((time) => (time === null ? null : Math.round((clock() - time) / SECOND))),
  ]);
  const timeZone = timeZoneIn(account);
  const counts =
    analytics && 'value' in analytics ? readPricingAnalytics(analytics.value, timeZone ?? 'UTC', now) : null;
  const usage = analytics && 'unread' in analytics ? analytics : counts && { value: true as const };
  return async ({ id, phoneNumberId, phoneNumber }) => {
    const number = 'unread' in numbers ? numbers : { value: numberIn(numbers.value, phoneNumberId) };
    const read = { at: readAt, token, number, account, hasPaymentMethod, isSubscribed, usage, clockAhead };
    await store.lines.storeChecks(id, {
      ...{ phoneNumberId, wabaId, checks: JSON.stringify(read satisfies LineChecks) },
      timeZone,
    });
    if (!counts) return;
    const rows = platformUsageRows(counts, { id, phoneNumber: digitsOf(phoneNumber) }, readAt);
    await store.platformUsage.replace(id, counts.from, counts.to, rows);
  };
}

/** The days are read again the next time, so that no check fails. @throws the error if it is not the platform's */
function unanswered(error: unknown): null {
  if (refusalOfFailure(error) === null) throw error;
  return null;
}

/**
 * @param permission that the read needs; null if no permission suffices
 * @throws the error if asking again later may succeed
 */
async function reading<T>(
  asked: Promise<T>,
  permission: string | null = MANAGEMENT_SCOPE,
): Promise<Reading<T>> {
  try {
    return { value: await asked };
  } catch (error) {
    if (!(error instanceof UpstreamRefused)) throw error;
    const { code, message } = error.answer;
    if (isForNow(error)) throw error;
    const lacks = lacksPermission(code) ? permission : null;
    return { unread: lacks === null ? { says: message.slice(0, LONGEST_VALUE) } : { lacks } };
  }
}

const isForNow = (error: UpstreamRefused): boolean =>
  ['upstream_rate_limited', 'upstream_unavailable'].includes(refusalOfFailure(error)?.errorCode ?? '');

const WRONG_TOKEN = 190;

/** A token may read its own description. */
async function tokenReading(
  cloudApi: Pick<CloudApi, 'ask'>,
  accessToken: string,
  wabaId: string,
): Promise<Reading<TokenReading>> {
  const asked = cloudApi.ask('debug_token', [], [], accessToken, { input_token: accessToken });
  return reading(
    asked.then(
      (answer) => tokenOf(inside(answer, 'data'), wabaId),
      (error: unknown) => {
        if (error instanceof UpstreamRefused && error.answer.code === WRONG_TOKEN) return REFUSED_TOKEN;
        throw error;
      },
    ),
  );
}

const REFUSED_TOKEN: TokenReading = {
  isValid: false,
  type: null,
  expiresAt: null,
  scopes: null,
  holdsAccount: null,
};

function tokenOf(data: object, wabaId: string): TokenReading {
  const scopes = at(data, 'scopes');
  const isValid = at(data, 'is_valid');
  return {
    isValid: typeof isValid === 'boolean' ? isValid : null,
    type: wordIn(data, 'type'),
    expiresAt: expiryOf(at(data, 'expires_at')),
    scopes: Array.isArray(scopes) ? SCOPES.filter((one) => scopes.includes(one)) : null,
    holdsAccount: holdsAccount(at(data, 'granular_scopes'), wabaId),
  };
}

/** @param seconds since 1970; 0: never */
function expiryOf(seconds: unknown): string | null {
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds < 1e10)) return null;
  return seconds === 0 ? '' : isoTime(seconds * SECOND);
}

/** A scope without `target_ids` applies to all accounts. Null if the platform does not tell. */
function holdsAccount(granular: unknown, wabaId: string): boolean | null {
  const ofUs = objects(granular).filter(({ scope }) => SCOPES.includes(textOf(scope)));
  if (!ofUs.length) return null;
  return ofUs.every(
    ({ target_ids: ids }) => !Array.isArray(ids) || entries(ids).map(textOf).includes(wabaId),
  );
}

const numberIn = (numbers: { id: string }[], phoneNumberId: string): NumberReading | null => {
  const number = objects(numbers).find(({ id }) => id === phoneNumberId);
  const hasPin = at(number, 'is_pin_enabled');
  return number ? { hasPin: typeof hasPin === 'boolean' ? hasPin : null } : null;
};

const accountOf = (node: object): AccountReading => ({
  review: wordIn(node, 'account_review_status'),
  businessVerification: wordIn(node, 'business_verification_status'),
  timeZoneId: textOf(at(node, 'timezone_id')).slice(0, LONGEST_VALUE) || null,
});

/** The time zone of a business account; undefined if the platform did not tell. */
function timeZoneIn(account: Reading<AccountReading>): string | null | undefined {
  const id = 'value' in account ? account.value.timeZoneId : null;
  return id ? timeZoneOf(id) : undefined;
}

/** Without a payment method, the platform leaves out the field, as it documents. Null if it is no answer about it. */
const isPayable = (node: object): boolean | null => {
  const funding = textOf(at(node, 'primary_funding_id'));
  if (funding !== '' && funding !== '0') return true;
  return wordIn(node, 'id') === null ? null : false;
};

/** Null if the answer is no list. */
const hasEntry = (list: object): boolean | null => {
  const entries = at(list, 'data');
  return Array.isArray(entries) ? entries.length > 0 : null;
};

const wordIn = (value: object, key: string): string | null => {
  const word = at(value, key);
  return typeof word === 'string' && word !== '' ? word.slice(0, LONGEST_VALUE) : null;
};
