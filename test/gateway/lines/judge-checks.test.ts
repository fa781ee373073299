import { type PhoneNumberNode } from '../../../gateway/cloud-api/phone-number';
import {
  judgeLine,
  type Check,
  type CheckState,
  type GatewayFacts,
  type PlatformFacts,
} from '../../../gateway/lines/checks/judge';
import { type LineChecks, type TokenReading } from '../../../gateway/lines/checks/line-checks';
import { say } from '../../../gateway/wording/say';

type Facts = PlatformFacts & GatewayFacts;

const NOW = Date.parse('2026-03-10T12:00:00.000Z');
const DAYS = 24 * 3_600_000;
const SCOPES = ['whatsapp_business_messaging', 'whatsapp_business_management'];
const NODE: PhoneNumberNode = {
  ...{ code_verification_status: 'VERIFIED', platform_type: 'CLOUD_API', throughput: { level: 'STANDARD' } },
  ...{ name_status: 'APPROVED', verified_name: 'Lucky Shrub', quality_rating: 'GREEN' },
};
const TOKEN: TokenReading = {
  ...{ isValid: true, type: 'SYSTEM_USER', expiresAt: '', scopes: SCOPES, holdsAccount: true },
};
const READ: LineChecks = {
  at: '2026-03-10T12:00:00.000Z',
  token: { value: TOKEN },
  number: { value: { hasPin: true } },
  account: { value: { review: 'APPROVED', businessVerification: 'verified' } },
  hasPaymentMethod: { value: true },
  isSubscribed: { value: true },
  clockAhead: 0,
};
const GOOD: Facts = {
  line: { accessToken: 'EAAG', upstream: NODE, phoneNumber: '+12025550123', signatureFailedAt: null },
  ...{ isRefused: false, checks: READ, now: NOW, isCalled: true, hasPublicUrl: true },
  ...{ lastEventAt: '2026-03-08T12:00:00.000Z', hasMessage: true, destinations: { count: 2, failing: 0 } },
};

const node = (more: PhoneNumberNode | null) => ({
  line: { ...GOOD.line, upstream: more && { ...NODE, ...more } },
});
const read = (more: Partial<LineChecks>) => ({ checks: { ...READ, ...more } });
const token = (more: Partial<TokenReading>) => read({ token: { value: { ...TOKEN, ...more } } });
const account = (more: object) =>
  read({ account: { value: { review: 'APPROVED', businessVerification: null, ...more } } });
const expiring = (days: number) => token({ expiresAt: new Date(NOW + days * DAYS).toISOString() });
const wronglySigned = { line: { ...GOOD.line, signatureFailedAt: '2026-03-09T12:00:00.000Z' } };
const UNREPORTED: PhoneNumberNode = { status: 'CONNECTED' };

test('all is well', () => {
  expect(judgeLine(GOOD).filter(({ state }) => state !== 'ok')).toEqual([]);
});

test('what was never read is not known, and never a failure', () => {
  const states = judgeLine({ ...GOOD, ...node(null), checks: null }).map(({ state }) => state);
  expect(new Set(states)).toEqual(new Set(['ok', 'unknown']));
});

test.each<[Check, CheckState, Partial<Facts>, RegExp, string?]>([
  ['access_token', 'failed', { line: { ...GOOD.line, accessToken: null } }, /has no access token/],
  ['access_token', 'failed', { isRefused: true }, /refuses the access token/],
  ['access_token', 'failed', token({ isValid: false }), /refuses the access token/],
  ['access_token', 'unknown', token({ isValid: null }), /did not report/],
  ['access_token', 'failed', expiring(-1), /expired on 9 Mar/],
  ['access_token', 'warning', expiring(60), /expires in 60 days/],
  ['access_token', 'ok', expiring(61), /is valid until 10 May/],
  ['access_token', 'ok', token({ expiresAt: null, scopes: null, holdsAccount: null }), /is valid\.$/],
  [
    'access_token',
    'failed',
    token({ scopes: [] }),
    /lacks whatsapp_business_messaging and whatsapp_business_man/,
  ],
  ['access_token', 'failed', token({ holdsAccount: false }), /may not use this business account/],
  ['access_token', 'warning', token({ type: 'USER' }), /belongs to a person/],
  ['access_token', 'unknown', read({ token: { unread: { says: 'No.' } } }), /WhatsApp says: No\./],
  ['phone_number', 'failed', read({ number: { value: null } }), /does not have this phone number/],
  ['phone_number', 'unknown', read({ number: { unread: { lacks: 'a_scope' } } }), /the permission a_scope/],
  ['registration', 'failed', node({ platform_type: 'ON_PREMISE' }), /not registered/, 'register'],
  ['registration', 'failed', node({ throughput: { level: 'NOT_APPLICABLE' } }), /not registered/, 'register'],
  ['registration', 'unknown', { line: { ...GOOD.line, upstream: UNREPORTED } }, /did not report/],
  ['registration', 'warning', node({ code_verification_status: 'NOT_VERIFIED' }), /not verified/],
  ['registration', 'ok', node({ code_verification_status: 'EXPIRED' }), /is registered/],
  ['subscription', 'failed', read({ isSubscribed: { value: false } }), /No app is subscribed/, 'subscribe'],
  ['subscription', 'unknown', read({ isSubscribed: { value: null } }), /did not report/],
  ['callback', 'failed', { isCalled: false }, /set it for this number/, 'set_callback'],
  ['callback', 'failed', { isCalled: false, hasPublicUrl: false }, /Set GATEWAY_PUBLIC_URL/],
  ['app_secret', 'failed', wronglySigned, /since 9 Mar/],
  ['app_secret', 'failed', { ...wronglySigned, lastEventAt: null }, /since 9 Mar/],
  ['app_secret', 'ok', { ...wronglySigned, lastEventAt: '2026-03-09T12:00:01.000Z' }, /./],
  ['app_secret', 'unknown', { lastEventAt: null }, /with the first event/],
  ['destination', 'warning', { destinations: { count: 0, failing: 0 } }, /no destination/],
  ['destination', 'warning', { destinations: { count: 2, failing: 1 } }, /1 of 2/],
  ['destination', 'failed', { destinations: { count: 2, failing: 2 } }, /2 of 2/],
  ['round_trip', 'unknown', { hasMessage: false }, /Write to \+12025550123/],
  ['payment_method', 'failed', read({ hasPaymentMethod: { value: false } }), /has no payment method/],
  ['payment_method', 'unknown', read({ hasPaymentMethod: { value: null } }), /did not report/],
  ['account_review', 'failed', account({ review: 'REJECTED' }), /\(REJECTED\)/],
  ['account_review', 'unknown', account({ review: null }), /did not report/],
  ['account_review', 'ok', account({}), /is approved/],
  ['display_name', 'failed', node({ name_status: 'EXPIRED' }), /does not accept/],
  ['display_name', 'unknown', node({ name_status: 'A_NEW_WORD' }), /did not report/],
  ['quality', 'warning', node({ quality_rating: 'YELLOW' }), /Quality: medium\. .+ Throughput: STANDARD\./],
  ['quality', 'ok', node({ quality_rating: 'UNKNOWN' }), /not rated yet\. Messaging limit: not reported/],
  ['pin', 'unknown', read({ number: { value: { hasPin: null } } }), /did not report/],
  ['pin', 'warning', read({ number: { value: { hasPin: false } } }), /is off/],
  ['clock', 'ok', read({ clockAhead: -60 }), /is right/],
  ['clock', 'failed', read({ clockAhead: 61 }), /61 seconds ahead of WhatsApp/],
  ['clock', 'unknown', read({ clockAhead: null }), /did not report/],
])('%s is %s', (check, state, facts, sentence, ...[repair]) => {
  const found = judgeLine({ ...GOOD, ...facts }).find((one) => one.check === check);
  expect(found).toMatchObject({ check, state });
  expect(found && say('en', found.fact)).toMatch(sentence);
  expect(found?.repair).toBe(repair);
});
