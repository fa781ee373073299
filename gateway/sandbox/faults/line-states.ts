/**
 * The changeable state of each line: quality rating, restriction, messaging limit, removed fields. In memory
 * only.
 * Changes are announced as on the platform: limits and flags by `phone_number_quality_update`, account
 * changes by `account_update`, names by `phone_number_name_update`. A change of the quality rating alone is
 * not announced, so clients must read it.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/phone_number_quality_update
 */
import { digitsOf, phoneNode, type SandboxLine } from '../platform/account';
import { listOf, onlyFields, textOf, wordOf } from '../control/body';
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

export interface LineState {
  quality_rating: (typeof QUALITY_RATINGS)[number];
  status: (typeof STATUSES)[number];
  messaging_limit: (typeof MESSAGING_LIMITS)[number];
  name_status: (typeof NAME_STATUSES)[number];
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
  vanished_fields: [],
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

const DAY = 24 * 60 * 60 * 1000;
/** The announced duration of a restriction. */
const RESTRICTED_FOR = 7 * DAY;

export class LineStates {
  private readonly states = new Map<string, LineState>();

  of(line: SandboxLine): LineState {
    return this.states.get(line.phoneNumberId) ?? AT_FIRST;
  }

  /** Returns the line as a Graph node in its current state, without removed fields. */
  node(line: SandboxLine): Record<string, unknown> {
    const { quality_rating, status, messaging_limit, name_status, vanished_fields } = this.of(line);
    const node = {
      ...phoneNode(line),
      quality_rating,
      quality_score: { score: quality_rating },
      status,
      name_status,
      messaging_limit_tier: messaging_limit,
      whatsapp_business_manager_messaging_limit: messaging_limit,
    };
    return Object.fromEntries(Object.entries(node).filter(([field]) => !vanished_fields.includes(field)));
  }

  /** Returns the refusal of sends in the current state; undefined if the line can send. */
  refusal(line: SandboxLine): GraphRefusal | undefined {
    const code = REFUSED_WITH[this.of(line).status];
    return code === undefined ? undefined : refusalOf(code);
  }

  /**
   * Sets the given fields.
   * @returns the announcements of the platform
   */
  change(line: SandboxLine, body: JsonObject, now: Date): Announcement[] {
    onlyFields(body, Object.keys(AT_FIRST));
    const before = this.of(line);
    const after: LineState = {
      quality_rating: wordOf(body.quality_rating ?? before.quality_rating, 'quality_rating', QUALITY_RATINGS),
      status: wordOf(body.status ?? before.status, 'status', STATUSES),
      messaging_limit: wordOf(
        body.messaging_limit ?? before.messaging_limit,
        'messaging_limit',
        MESSAGING_LIMITS,
      ),
      name_status: wordOf(body.name_status ?? before.name_status, 'name_status', NAME_STATUSES),
      vanished_fields: vanished(line, body.vanished_fields ?? before.vanished_fields),
    };
    this.states.set(line.phoneNumberId, after);
    return announcements(line, before, after, now);
  }

  forget(): void {
    this.states.clear();
  }
}

function vanished(line: SandboxLine, fields: unknown): string[] {
  const known = Object.keys(phoneNode(line)).filter((field) => field !== 'id');
  if (!Array.isArray(fields) || fields.length > known.length) {
    throw new ControlRefusal(`"vanished_fields" is a list of fields of a line: ${listOf(known)}.`);
  }
  return fields.map((field) => wordOf(textOf(field, 'vanished_fields', 100), 'vanished_fields', known));
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
