/**
 * The changeable state of each line: quality rating, restriction, messaging limit, registration, removed fields.
 * In memory only.
 * Changes are announced as on the platform: limits and flags by `phone_number_quality_update`, account
 * changes by `account_update`, names by `phone_number_name_update`. A change of the quality rating alone is
 * not announced, so clients must read it.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/phone_number_quality_update
 */
import { DEMO_LINE, digitsOf, phoneNode, type SandboxLine } from '../platform/account';
import { changedState, flagOf, listOf, oneOf, type StateFields, textOf, wordOf } from '../control/body';
import { ControlRefusal } from '../control/refusal';
import { refusalOf } from '../platform/documented-errors';
import { type GraphRefusal } from '../platform/errors';
import { type JsonObject } from '../platform/json';
import { seconds } from '../platform/notifications';

const QUALITY_RATINGS = ['GREEN', 'YELLOW', 'RED', 'UNKNOWN', 'NA'] as const;
const STATUSES = [
  'CONNECTED',
  'FLAGGED',
  'RESTRICTED',
  'RATE_LIMITED',
  'PENDING',
  'UNVERIFIED',
  'DISCONNECTED',
  'BANNED',
  'DELETED',
  'MIGRATED',
  'LINKED',
  'UNLINKED',
  'UNKNOWN',
] as const;
/** Lowest to highest. */
const MESSAGING_LIMITS = [
  'TIER_NOT_SET',
  'TIER_50',
  'TIER_250',
  'TIER_1K',
  'TIER_2K',
  'TIER_10K',
  'TIER_100K',
  'TIER_UNLIMITED',
] as const;
const NAME_STATUSES = [
  'APPROVED',
  'AVAILABLE_WITHOUT_REVIEW',
  'DECLINED',
  'EXPIRED',
  'PENDING_REVIEW',
  'NONE',
] as const;
const CODE_STATUSES = ['VERIFIED', 'NOT_VERIFIED', 'EXPIRED'] as const;
const PLATFORM_TYPES = ['CLOUD_API', 'ON_PREMISE', 'NOT_APPLICABLE'] as const;
const THROUGHPUTS = ['STANDARD', 'HIGH', 'NOT_APPLICABLE'] as const;

export interface LineState {
  quality_rating: (typeof QUALITY_RATINGS)[number];
  status: (typeof STATUSES)[number];
  messaging_limit: (typeof MESSAGING_LIMITS)[number];
  name_status: (typeof NAME_STATUSES)[number];
  code_verification_status: (typeof CODE_STATUSES)[number];
  platform_type: (typeof PLATFORM_TYPES)[number];
  throughput: (typeof THROUGHPUTS)[number];
  is_pin_enabled: boolean;
  /** Whether the business account lists the number. */
  is_in_account: boolean;
  /** Fields that the platform has removed. A request for one of them fails as a whole. */
  vanished_fields: string[];
}

/** The content of an account notification, without its envelope. */
export interface Announcement {
  field: string;
  value: JsonObject;
}

const AT_FIRST: LineState = {
  quality_rating: 'GREEN',
  status: 'CONNECTED',
  messaging_limit: 'TIER_1K',
  name_status: 'APPROVED',
  code_verification_status: 'VERIFIED',
  platform_type: 'CLOUD_API',
  throughput: 'STANDARD',
  is_pin_enabled: false,
  is_in_account: true,
  vanished_fields: [],
};

const FIELDS: StateFields<LineState> = {
  quality_rating: oneOf(QUALITY_RATINGS),
  status: oneOf(STATUSES),
  messaging_limit: oneOf(MESSAGING_LIMITS),
  name_status: oneOf(NAME_STATUSES),
  code_verification_status: oneOf(CODE_STATUSES),
  platform_type: oneOf(PLATFORM_TYPES),
  throughput: oneOf(THROUGHPUTS),
  is_pin_enabled: flagOf,
  is_in_account: flagOf,
  vanished_fields: vanished,
};

/** What registration of a number changes. */
export const REGISTERED: Partial<LineState> = {
  status: 'CONNECTED',
  code_verification_status: 'VERIFIED',
  platform_type: 'CLOUD_API',
  throughput: 'STANDARD',
};
export const UNREGISTERED: Partial<LineState> = {
  status: 'DISCONNECTED',
  platform_type: 'NOT_APPLICABLE',
  throughput: 'NOT_APPLICABLE',
};

/** The error code for a send on a line with this status. */
const REFUSED_WITH: Partial<Record<LineState['status'], number>> = {
  RESTRICTED: 368,
  RATE_LIMITED: 131048,
  BANNED: 131031,
  PENDING: 133010,
  UNVERIFIED: 133010,
  DISCONNECTED: 133010,
  UNLINKED: 133010,
  MIGRATED: 133010,
  DELETED: 33,
};

/** Fields of the state that the platform's node does not have. */
const NOT_IN_NODE = ['is_in_account'];

const NOT_REGISTERED = 133010;

const DAY = 24 * 60 * 60 * 1000;
/** The announced duration of a restriction. */
const RESTRICTED_FOR = 7 * DAY;

export class LineStates {
  private readonly states = new Map<string, LineState>();

  of(line: SandboxLine): LineState {
    return this.states.get(line.phoneNumberId) ?? AT_FIRST;
  }

  /**
   * Returns the line as a Graph node in its current state, without removed fields.
   * @param webhooks the node's `webhook_configuration`
   */
  node(line: SandboxLine, webhooks: JsonObject): Record<string, unknown> {
    const { messaging_limit, throughput, vanished_fields, ...same } = this.of(line);
    const node = {
      ...phoneNode(line),
      ...same,
      quality_score: { score: same.quality_rating },
      throughput: { level: throughput },
      webhook_configuration: webhooks,
      messaging_limit_tier: messaging_limit,
      whatsapp_business_manager_messaging_limit: messaging_limit,
    };
    const left = [...vanished_fields, ...NOT_IN_NODE];
    return Object.fromEntries(Object.entries(node).filter(([field]) => !left.includes(field)));
  }

  /** Returns the refusal of sends in the current state; undefined if the line can send. */
  refusal(line: SandboxLine): GraphRefusal | undefined {
    const { status, platform_type } = this.of(line);
    const code = REFUSED_WITH[status] ?? (platform_type === 'NOT_APPLICABLE' ? NOT_REGISTERED : undefined);
    return code === undefined ? undefined : refusalOf(code);
  }

  /**
   * Sets the given fields.
   * @returns the announcements of the platform
   */
  change(line: SandboxLine, body: JsonObject | Partial<LineState>, now: Date): Announcement[] {
    const before = this.of(line);
    const after = changedState(FIELDS, before, body);
    this.states.set(line.phoneNumberId, after);
    return announcements(line, before, after, now);
  }

  forget(): void {
    this.states.clear();
  }
}

function vanished(fields: unknown, name: string): string[] {
  const known = Object.keys(phoneNode({ ...DEMO_LINE, accessToken: '' })).filter((field) => field !== 'id');
  if (!Array.isArray(fields) || fields.length > known.length) {
    throw new ControlRefusal(`"${name}" is a list of fields of a line: ${listOf(known)}.`);
  }
  return fields.map((field) => wordOf(textOf(field, name, 100), name, known));
}

function announcements(line: SandboxLine, before: LineState, after: LineState, now: Date): Announcement[] {
  return [
    ...flagAnnounced(line, before, after),
    ...limitAnnounced(line, before, after),
    ...accountAnnounced(line, before.status, after.status, now),
    ...nameAnnounced(line, before.name_status, after.name_status),
  ];
}

function flagAnnounced(line: SandboxLine, before: LineState, after: LineState): Announcement[] {
  const wasFlagged = before.status === 'FLAGGED';
  const isFlagged = after.status === 'FLAGGED';
  if (wasFlagged === isFlagged) return [];
  return [quality(line, isFlagged ? 'FLAGGED' : 'UNFLAGGED', after.messaging_limit)];
}

function limitAnnounced(line: SandboxLine, before: LineState, after: LineState): Announcement[] {
  const old = MESSAGING_LIMITS.indexOf(before.messaging_limit);
  const current = MESSAGING_LIMITS.indexOf(after.messaging_limit);
  if (old === current) return [];
  const announced = quality(line, current > old ? 'UPGRADE' : 'DOWNGRADE', after.messaging_limit);
  return [{ ...announced, value: { ...announced.value, old_limit: before.messaging_limit } }];
}

const quality = (line: SandboxLine, event: string, limit: string): Announcement => ({
  field: 'phone_number_quality_update',
  value: {
    display_phone_number: digitsOf(line),
    event,
    current_limit: limit,
    max_daily_conversations_per_business: limit,
  },
});

function accountAnnounced(
  line: SandboxLine,
  before: LineState['status'],
  after: LineState['status'],
  now: Date,
): Announcement[] {
  if (before === after) return [];
  const update = (value: JsonObject): Announcement[] => [{ field: 'account_update', value }];
  if (after === 'RESTRICTED') {
    const expiration = Number(seconds(new Date(now.getTime() + RESTRICTED_FOR)));
    return update({
      phone_number: digitsOf(line),
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration }],
    });
  }
  const ban = (state: string) =>
    update({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: state, waba_ban_date: dateOf(now) } });
  if (after === 'BANNED') return ban('DISABLE');
  if (before === 'BANNED') return ban('REINSTATE');
  if (after === 'DELETED') return update({ phone_number: digitsOf(line), event: 'PHONE_NUMBER_REMOVED' });
  return [];
}

/** Formats a date as "January 31, 2021". */
const dateOf = (at: Date): string =>
  at.toLocaleDateString('en-US', { year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' });

/** Announces the platform's decision about a name, which comes without a reason. */
function nameAnnounced(
  line: SandboxLine,
  before: LineState['name_status'],
  after: LineState['name_status'],
): Announcement[] {
  if (before === after || (after !== 'APPROVED' && after !== 'DECLINED')) return [];
  const value = {
    display_phone_number: digitsOf(line),
    decision: after === 'APPROVED' ? 'APPROVED' : 'REJECTED',
    requested_verified_name: line.verifiedName,
    rejection_reason: after === 'APPROVED' ? null : 'NAME_DOES_NOT_MEET_GUIDELINES',
  };
  return [{ field: 'phone_number_name_update', value }];
}
