/**
 * The changeable state of each business account and of each access token. In memory only.
 * https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account
 * https://developers.facebook.com/docs/graph-api/reference/debug_token
 */
import { changedState, flagOf, numberOf, oneOf, type StateFields, textOf, textsOf } from '../control/body';
import { type SandboxLine } from '../platform/account';
import { permissionMissing, tokenExpired } from '../platform/errors';
import { type JsonObject } from '../platform/json';

const REVIEW_STATUSES = ['APPROVED', 'PENDING', 'REJECTED'] as const;
const VERIFICATION_STATUSES = [
  'verified',
  'not_verified',
  'pending',
  'pending_submission',
  'pending_need_more_info',
  'rejected',
  'failed',
  'expired',
  'revoked',
] as const;
const TOKEN_TYPES = ['SYSTEM_USER', 'USER', 'PAGE', 'APP'] as const;
export const PLATFORM_SCOPES = ['whatsapp_business_management', 'whatsapp_business_messaging'] as const;
export type PlatformScope = (typeof PLATFORM_SCOPES)[number];

export interface AccountState {
  account_review_status: (typeof REVIEW_STATUSES)[number];
  business_verification_status: (typeof VERIFICATION_STATUSES)[number];
  /** The payment method; null if there is none. */
  primary_funding_id: string | null;
  /** The platform's number of the account's time zone. */
  timezone_id: string;
  /** Whether the app receives the account's notifications. */
  is_subscribed: boolean;
}

export interface AccessTokenState {
  type: (typeof TOKEN_TYPES)[number];
  /** Seconds since 1970; 0 if the token never expires. */
  expires_at: number;
  scopes: string[];
  /** IDs of the business accounts that the token may use; null for those of its lines. */
  accounts: string[] | null;
}

const ACCOUNT_AT_FIRST: AccountState = {
  account_review_status: 'APPROVED',
  business_verification_status: 'verified',
  primary_funding_id: '2714985532',
  timezone_id: '1',
  is_subscribed: true,
};
const ACCOUNT_FIELDS: StateFields<AccountState> = {
  account_review_status: oneOf(REVIEW_STATUSES),
  business_verification_status: oneOf(VERIFICATION_STATUSES),
  primary_funding_id: (value, name) => (value === null ? null : textOf(value, name, 100)),
  timezone_id: (value, name) => textOf(value, name, 10),
  is_subscribed: flagOf,
};

const TOKEN_AT_FIRST: AccessTokenState = {
  type: 'SYSTEM_USER',
  expires_at: 0,
  scopes: [...PLATFORM_SCOPES],
  accounts: null,
};
/** Seconds since 1970 in the year 2100. */
const EXPIRY_MOST = 4_102_444_800;
const LIST_MOST = 20;
const TOKEN_FIELDS: StateFields<AccessTokenState> = {
  type: oneOf(TOKEN_TYPES),
  expires_at: (value, name) => numberOf(value, name, 0, EXPIRY_MOST),
  scopes: (value, name) => textsOf(value, name, LIST_MOST),
  accounts: (value, name) => (value === null ? null : textsOf(value, name, LIST_MOST)),
};

export class AccountStates {
  private readonly accounts = new Map<string, AccountState>();
  private readonly tokens = new Map<string, AccessTokenState>();

  of(wabaId: string): AccountState {
    return this.accounts.get(wabaId) ?? ACCOUNT_AT_FIRST;
  }

  change(wabaId: string, body: JsonObject | Partial<AccountState>): AccountState {
    const after = changedState(ACCOUNT_FIELDS, this.of(wabaId), body);
    this.accounts.set(wabaId, after);
    return after;
  }

  ofToken(accessToken: string): AccessTokenState {
    return this.tokens.get(accessToken) ?? TOKEN_AT_FIRST;
  }

  changeToken(accessToken: string, body: JsonObject): AccessTokenState {
    const after = changedState(TOKEN_FIELDS, this.ofToken(accessToken), body);
    this.tokens.set(accessToken, after);
    return after;
  }

  /**
   * Returns the lines that a token may use in its current state.
   * @param needed the permission of the request; undefined if it needs none
   * @throws {GraphRefusal} if the token has expired or lacks the permission
   */
  admit(lines: SandboxLine[], needed: PlatformScope | undefined, now: Date): SandboxLine[] {
    const [{ accessToken }] = lines as [SandboxLine];
    const { expires_at, scopes, accounts } = this.ofToken(accessToken);
    if (expires_at !== 0 && now.getTime() >= expires_at * 1000) throw tokenExpired();
    if (needed && !scopes.includes(needed)) throw permissionMissing(needed);
    return accounts ? lines.filter(({ wabaId }) => accounts.includes(wabaId)) : lines;
  }

  forget(): void {
    this.accounts.clear();
    this.tokens.clear();
  }
}
