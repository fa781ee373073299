import { type Generated } from 'kysely';
import { type MemberRole, type Role } from '../rights/roles';

/**
 * The tables, as both databases store them: times are ISO 8601 text in UTC, payloads text as received, and states
 * words. A yes/no with a history is a nullable time. `…_sealed` columns are encrypted (`vault.ts`).
 */
export interface Schema {
  lines: LineTable;
  tokens: TokenTable;
  admin_tokens: AdminTokenTable;
  templates: TemplateTable;
  template_owners: TemplateOwnerTable;
  template_drafts: TemplateDraftTable;
  template_draft_files: TemplateDraftFileTable;
  template_submissions: TemplateSubmissionTable;
  destinations: DestinationTable;
  messages: MessageTable;
  sent_bodies: SentBodyTable;
  usage_days: UsageDayTable;
  usage_months: UsageMonthTable;
  usage_marks: UsageMarkTable;
  platform_usage: PlatformUsageTable;
  windows: WindowTable;
  aliases: AliasTable;
  events: EventTable;
  deliveries: DeliveryTable;
  attempts: AttemptTable;
  processes: ProcessTable;
  owners: OwnerTable;
  arrivals: ArrivalTable;
  registry: RegistryTable;
  registry_changes: RegistryChangeTable;
  idempotency_keys: IdempotencyKeyTable;
  admin_requests: AdminRequestTable;
  customers: CustomerTable;
  rate_cards: RateCardTable;
  looks: LookTable;
  memberships: MembershipTable;
  users: UserTable;
  recovery_codes: RecoveryCodeTable;
  sessions: SessionTable;
  links: LinkTable;
  invitations: InvitationTable;
  oidc_providers: OidcProviderTable;
  identities: IdentityTable;
  used_once: UsedOnceTable;
  audit: AuditTable;
  audit_head: AuditHeadTable;
  customer_audit: CustomerAuditTable;
  replays: ReplayTable;
  opt_outs: OptOutTable;
  automation_pauses: AutomationPauseTable;
  questions: QuestionTable;
  question_contacts: QuestionContactTable;
  gathering: GatheringTable;
  alert_incidents: AlertIncidentTable;
  alert_channels: AlertChannelTable;
  alert_notices: AlertNoticeTable;
  alert_told: AlertToldTable;
  alert_mutes: AlertMuteTable;
  alert_rules: AlertRuleTable;
  alert_marks: AlertMarkTable;
  alert_turns: AlertTurnTable;
}

export interface LineTable {
  id: Generated<number>;
  name: string;
  phone_number_id: string;
  phone_number: string;
  waba_id: string;
  access_token_sealed: string | null;
  app_secret_sealed: string | null;
  /** Entered at the platform together with the URL of the line's own callback. */
  verify_token: string;
  window_mode: WindowMode;
  quality_mode: QualityMode;
  deactivated_at: string | null;
  api_disabled_at: string | null;
  created_at: string;
  /** The platform's last data about the phone number, as received (JSON); null if it was never read. */
  upstream_node: string | null;
  status_checked_at: string | null;
  /** Start of the last refresh, by a user or the gateway. The gateway's own schedule counts from here. */
  status_refresh_at: string | null;
  templates_synced_at: string | null;
  templates_refresh_at: string | null;
  /** Start of the last refresh that a user requested. The cooldown counts from here, for all processes. */
  status_asked_at: string | null;
  templates_asked_at: string | null;
  /** Since when a refresh is pending because the platform reported a change; null after one has started. */
  status_wanted_at: string | null;
  templates_wanted_at: string | null;
  /** Failed refreshes since the last successful one. */
  status_failures: Generated<number>;
  templates_failures: Generated<number>;
  /** When reading the stored list of templates began. Earlier events from the platform are older than the list. */
  templates_read_at: string | null;
  /** When the platform last verified the callback that this line uses, its own or the shared one. */
  handshake_at: string | null;
  /**
   * Words with which contacts opt out and in again (JSON: `OptOutWords`); null if the line never had an opt-out list.
   */
  opt_out_words: string | null;
  /**
   * Hours for which a colleague's reply pauses automations for its contact. 0: replies don't pause; null: as 0, and
   * no contact was ever paused.
   */
  automation_pause_hours: number | null;
  /** Since when the texts of sent messages are stored; null if they aren't. */
  sent_kept_at: string | null;
  /** The customer that the line belongs to; null if none. */
  customer_id: Generated<number | null>;
  /** When the line was removed. The row remains without the name, because events and the audit refer to its id. */
  removed_at: string | null;
  /** Since when the platform has refused the access token, and its error message; null if it was accepted since. */
  credentials_refused_at: Generated<string | null>;
  credentials_refused_because: Generated<string | null>;
  /** What the platform last reported for the checks of the line (JSON: `LineChecks`); null if it was never read. */
  checks: Generated<string | null>;
  /** As for the status. A new line, and one with other credentials, wants its checks. */
  checks_refresh_at: Generated<string | null>;
  checks_asked_at: Generated<string | null>;
  checks_wanted_at: Generated<string | null>;
  checks_failures: Generated<number>;
  /** Since when notifications to the line's own callback have a wrong signature; null if the last one was right. */
  signature_failed_at: Generated<string | null>;
  /** The time zone of the line's business account (IANA); null if it is unknown, which means UTC. */
  time_zone: Generated<string | null>;
}

/**
 * A message that waits at a destination until its contact pauses. The order of arrival is the order of `rowid` on
 * SQLite, and of an additional column `sequence` on PostgreSQL.
 */
export interface GatheringTable {
  destination_id: number;
  /** The identity of the event, which identifies repeats. */
  identity: string;
  event_id: string;
  contact: string;
  /** The message in the platform's envelope; empty after it is sent. */
  body: string;
  arrived_at: string;
  /** The id of the event that contains the message; null while it waits. */
  group_id: string | null;
  /** When that event was recorded; null before. */
  done_at: string | null;
}

export const QUESTION_STATES = ['open', 'answered', 'expired', 'canceled', 'replaced'] as const;

/** A question to a contact that has an answer or waits for one. */
export interface QuestionTable {
  /** `qst_…`. */
  id: string;
  line_id: number;
  /** The line token that asked, or the first of its chain of replacements; null if none, or unknown. */
  token_id: number | null;
  /** The admin token that asked; null if none did. */
  admin_token_id: Generated<number | null>;
  /** A phone number in digits, or a user id. */
  contact: string;
  /** `asking`: its message is being sent, and the API does not show the question yet. */
  state: 'asking' | (typeof QUESTION_STATES)[number];
  /** The message with the question; null while it is being sent. */
  message_id: string | null;
  /** JSON list of the message kinds that can answer. */
  accepts: string;
  /** JSON list of the reply ids that a tap can have; null for any. */
  choices: string | null;
  /** 1 if the answer also goes to the line's destinations. */
  also_forward: number;
  /** JSON: the callback URL (`url`) and the `secret` that signs the answer. */
  callback_sealed: string;
  /** The destination (origin `question`) through which the answer is delivered. */
  destination_id: number;
  created_at: string;
  expires_at: string;
  ended_at: string | null;
  answer_event_id: string | null;
  answer_message_id: string | null;
  /** When the delivery of the answer ended, including when it was released to the line's destinations. */
  answer_over_at: string | null;
}

/**
 * A name of the contact of a question that is `asking` or `open`. A contact has at most one question in each of these
 * states.
 */
export interface QuestionContactTable {
  line_id: number;
  /** A phone number in its first spelling, or a user id. */
  name: string;
  state: 'asking' | 'open';
  question_id: string;
}

/** Words with which contacts opt out of a line's messages, and opt in again. */
export interface OptOutWords {
  out: readonly string[];
  back: readonly string[];
}

/** Contacts who opted out of a line's messages (`out`), or opted in again, which is stored for a while. */
export interface OptOutTable {
  line_id: number;
  /** A phone number in its first spelling, or a user id. */
  contact: string;
  state: 'out' | 'back';
  /** Time of the opt-out or opt-in. */
  at: string;
  /** The contact's word; null if a user added the contact. */
  word: string | null;
}

/** The longest temporary pause of automations, in hours: a year. */
export const LONGEST_PAUSE_HOURS = 8760;

/**
 * A pause of automations for a contact. After a resume, the row remains for a while, because the platform may repeat
 * an older reply.
 */
export interface AutomationPauseTable {
  line_id: number;
  /** A phone number in its first spelling, or a user id. */
  contact: string;
  state: 'paused' | 'resumed';
  /** Time of the pause or resume. */
  at: string;
  /** Null: until an explicit resume. */
  until: string | null;
}

/**
 * Which messages need an open customer service window. `text`: only free-form text; `all`: every type except
 * template; `upstream`: the platform decides.
 */
export type WindowMode = 'text' | 'all' | 'upstream';
/** `strict` also refuses to send while the platform has not rated the line. */
export type QualityMode = 'normal' | 'strict';

/** The scopes of a token for which none are named: send messages and files, read, manage destinations. */
export const USUAL_SCOPES = ['send', 'read', 'destinations'] as const;
/** All scopes. The last two read and change what the platform manages, such as templates and the profile. */
export const SCOPES = [...USUAL_SCOPES, 'manage:read', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

export interface TokenTable {
  id: Generated<number>;
  line_id: number;
  /** SHA-256 of the token, hex. */
  hash: string;
  last_four: string;
  created_at: string;
  /** The operator's name for what uses the token. */
  name: string | null;
  /** JSON list of scopes; null for all. */
  scopes: string | null;
  /** `platform`: responses contain only the platform's fields. Null: also the gateway's. */
  answers: 'platform' | null;
  /** Lifetime in seconds, as given at creation; null if unlimited. */
  lifetime: number | null;
  /** The first token of the chain of replacements; null if this token replaced none. */
  first_id: number | null;
  /** Precise to a minute. */
  last_used_at: string | null;
  /** The address of the last use, and the client's user agent. */
  last_used_from: string | null;
  last_used_by: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

/** A token for several lines, and for what people manage in the panel. */
export interface AdminTokenTable {
  id: Generated<number>;
  /** SHA-256 of the token, hex. */
  hash: string;
  last_four: string;
  name: string;
  /** JSON list of permissions (`rights/roles.ts`), and of scopes for the operations of lines. */
  permissions: string;
  /** JSON list of the customers that the token reaches; null: all, unless `line_ids` has lines. */
  customer_ids: string | null;
  /** JSON list of the lines that the token reaches; null: those of its customers. */
  line_ids: string | null;
  created_at: string;
  /** Who created it, as the audit names them. */
  created_by: string;
  /** Precise to a minute. */
  last_used_at: string | null;
  /** The address of the last use, and the client's user agent. */
  last_used_from: string | null;
  last_used_by: string | null;
  expires_at: string;
  revoked_at: string | null;
}

/** The customer that a template belongs to in all its languages. Without a row it belongs to all lines of the account. */
export interface TemplateOwnerTable {
  waba_id: string;
  name: string;
  /** Null: the lines without a customer. */
  customer_id: number | null;
}

/** A template that people write in the panel, in all its languages. It may be incomplete or invalid. */
export interface TemplateDraftTable {
  id: Generated<number>;
  /** The customer that the draft belongs to; null: the lines without a customer. */
  customer_id: number | null;
  name: string;
  category: string;
  /** JSON: the format of the variables, the languages with the platform's `components`, and further fields. */
  content: string;
  /** Counts the saves, so that nobody overwrites a save that they did not see. */
  revision: number;
  created_at: string;
  updated_at: string;
  /** The user, or the program, of the last save. */
  updated_by: string;
}

/** A sample file of a draft. The platform's handle of an upload belongs to one app, so it is uploaded at submission. */
export interface TemplateDraftFileTable {
  draft_id: number;
  /** SHA-256 of the bytes, in hexadecimal. */
  hash: string;
  name: string;
  /** The MIME type, by the content. */
  type: string;
  bytes: Uint8Array;
  added_at: string;
}

/** The last submission of a draft to a business account in one language. */
export interface TemplateSubmissionTable {
  draft_id: number;
  waba_id: string;
  language: string;
  at: string;
  /** Why it failed, as sentences (JSON); null if the platform accepted it. */
  failure: string | null;
}

export interface TemplateTable {
  line_id: number;
  name: string;
  language: string;
  /** The platform's id; null for a starter template that the platform does not have. */
  upstream_id: string | null;
  category: string;
  /** The platform's status; null for a starter template that the platform does not have. */
  upstream_status: string | null;
  /** The platform's reason for a rejection; null if none. */
  rejected_reason: string | null;
  quality_score: string | null;
  /** The quality score in the platform's list (JSON); null if the list had none, or if a later event changed it. */
  quality_node: string | null;
  parameter_format: string;
  /** The platform's `components` (JSON). */
  components: string;
  /** 1 for a template that the gateway created with the line. */
  is_starter: number;
  /** The platform's time of each value: the time of its event, or the start of reading the list. */
  status_at: string | null;
  quality_at: string | null;
  category_at: string | null;
  components_at: string | null;
  /** The category before the platform changed it, and the time of the change; null if it never did. */
  category_before: Generated<string | null>;
  category_changed_at: Generated<string | null>;
}

export const DESTINATION_MODES = ['split', 'raw'] as const;
export type DestinationMode = (typeof DESTINATION_MODES)[number];

export const ORIGINS = ['forwarding', 'token', 'operator'] as const;

export interface DestinationTable {
  id: Generated<number>;
  line_id: number;
  url: string;
  /** When the URL last changed; earlier attempts used the previous URL. Null: never. */
  url_changed_at: string | null;
  secret_sealed: string;
  /** Previous secrets: JSON list of `secret` and `until` (when it stops signing), newest first. */
  previous_secret_sealed: string | null;
  /**
   * Null. A time means that `previous_secret_sealed` has the single secret of an earlier version, which signs until
   * then.
   */
  previous_secret_until: string | null;
  /** Custom headers (JSON object), which may contain credentials. */
  headers_sealed: string | null;
  /**
   * `forwarding`: the line's forwarding URL; `token`: registered with a token through the API of lines; `operator`: added
   * in addition; `question`: created by the gateway to deliver answers to one callback server, and never listed.
   */
  origin: (typeof ORIGINS)[number] | 'question';
  /** The line token that added the destination, or the first of its chain of replacements; null if none, or unknown. */
  token_id: number | null;
  /** The admin token that added it; null if none did. */
  admin_token_id: Generated<number | null>;
  /** `split`: one POST per event; `raw`: one per notification, with everything that it contains about the line. */
  mode: DestinationMode;
  /**
   * Seconds without a message from the contact before its messages are sent as one event; null: each is sent
   * immediately.
   */
  quiet_seconds: number | null;
  /** The subscribed event kinds (JSON list). */
  events: string;
  created_at: string;
  expires_at: string | null;
  paused_at: string | null;
  paused_because: string | null;
  /** JSON: `paused_because` as a fact; null if an earlier version paused the destination. */
  paused_fact: string | null;
  /** Start of the current failure; null if a later attempt succeeded. */
  failing_since: string | null;
  /** The latest failure as one word, such as `HTTP 503`. */
  last_failure: string | null;
  /**
   * The part of that time that counts toward the automatic pause, up to the last stored failure. Time without
   * attempts counts little.
   */
  failing_seconds: Generated<number>;
  /**
   * Time of the last probe while the breaker is open; otherwise null. Probes use up no attempt and are not stored as
   * one.
   */
  last_tried_at: string | null;
  /** When the next probe is due while the breaker is open, which may be in the past; null if it is closed. */
  next_try_at: string | null;
  /** The last request to send waiting deliveries now. */
  try_now_at: string | null;
  removed_at: string | null;
}

export interface MessageTable {
  line_id: number;
  wamid: string;
  contact: string | null;
  type: string | null;
  /** The template's name; null for messages without a template. */
  template_name: string | null;
  template_language: string | null;
  /** `app`: sent from the business's phone app, not through the gateway. */
  sent_from: string | null;
  client_ref: string | null;
  accepted_at: string | null;
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
  played_at: string | null;
  failed_at: string | null;
  /** The platform's errors of a failed message (JSON). */
  failure: string | null;
  /** What statuses tell about its pricing (`usage/pricing.ts`); null if none did. */
  pricing: Generated<string | null>;
  /** The country of an erased contact; otherwise null, because the contact tells it. */
  country: Generated<string | null>;
}

/**
 * A sent message. From operators, and from programs if the line stores sent messages: the request body as received.
 * From the phone app: the message as the platform reported it.
 */
export interface SentBodyTable {
  line_id: number;
  wamid: string;
  body: string;
  accepted_at: string;
}

/**
 * What a line sent and received on a day, rebuilt from messages and events. Dimensions that are unknown are empty, an
 * unknown country is `??`.
 */
export interface UsageDayTable {
  line_id: number;
  /** Whether the day is one of the line's time zone or of UTC. */
  clock: 'line' | 'utc';
  day: string;
  /** `app`: sent from the business's phone app. */
  direction: 'out' | 'in' | 'app';
  /** The message type, such as `text`. */
  kind: string;
  template: string;
  /** The pricing that the platform told: its category and type. */
  category: string;
  type: string;
  country: string;
  sent: number;
  /** Delivered, read or played. */
  delivered: number;
  /** Read or played. */
  read: number;
  /** Failed and never delivered. */
  failed: number;
  received: number;
  /** Delivered, and charged according to the platform. */
  charged: number;
}

/** The days of a month added up, so that a report about a year reads few rows. */
export interface UsageMonthTable extends Omit<UsageDayTable, 'day'> {
  /** Such as `2026-11`. */
  month: string;
}

/** A UTC day of a line that must be rebuilt. Rows are only inserted, so that parallel writes never wait for each other. */
export interface UsageMarkTable {
  id: Generated<number>;
  line_id: number;
  day: string;
}

/**
 * What the platform counted for a line: `pricing_analytics` of its business account. A day without messages has one row
 * with empty texts, so that each day that was read has a row.
 */
export interface PlatformUsageTable {
  line_id: number;
  /** Of the line's time zone. */
  day: string;
  /** The pricing category and type, in lower case. */
  category: string;
  type: string;
  country: string;
  delivered: number;
  /** When the platform was asked. */
  read_at: string;
}

export interface WindowTable {
  line_id: number;
  contact: string;
  last_inbound_at: string;
}

/**
 * Two names of one contact. `contact` is the name that API clients use, in its first spelling; `identity` is the
 * platform's name.
 */
export interface AliasTable {
  line_id: number;
  contact: string;
  identity: string;
}

export interface EventTable {
  /** `evt_…`, sorts by arrival; sent as `webhook-id`. */
  id: string;
  /** Null if the event belongs to no line of this gateway, or to several. */
  line_id: number | null;
  /** `notification`: all events of a line in one POST from the platform, for destinations in mode `raw`. */
  subject: 'message' | 'echo' | 'messageStatus' | 'account' | 'notification';
  kind: string;
  /** The same for every repeat of the event by the platform. */
  identity: string;
  contact: string | null;
  wamid: string | null;
  phone_number_id: string | null;
  waba_id: string | null;
  body: string;
  received_at: string;
  /** Whether automations were paused for the contact when the event was recorded; null if not. */
  automation: 'paused' | null;
  /** The ended question that this message answers too late; null if none. */
  late_answer_to: Generated<string | null>;
  /** The country of an erased contact; otherwise null. */
  country: Generated<string | null>;
}

/** `canceled`: the destination was removed before the delivery. */
export type DeliveryState = 'pending' | 'delivered' | 'dead' | 'canceled';

export interface DeliveryTable {
  destination_id: number;
  event_id: string;
  /**
   * The ordering key: the contact, or the event itself if there is none. Deliveries with the same key are sent one
   * after the other.
   */
  lane: string;
  /**
   * Increases with each recorded delivery, independent of clocks, and orders deliveries with the same key. Null if
   * the delivery ended before the column existed.
   */
  sequence: Generated<number | null>;
  state: DeliveryState;
  attempts: number;
  /** Attempts before the last replay, which starts a new retry schedule. */
  attempts_before: Generated<number>;
  due_at: string;
  finished_at: string | null;
}

/** Why an attempt failed, as one word. */
export const FAILED_OUTCOMES = [
  'http_error',
  'timeout',
  'dns',
  'tls',
  'connection',
  'address_refused',
] as const;

export interface AttemptTable {
  destination_id: number;
  event_id: string;
  number: number;
  started_at: string;
  duration_ms: number;
  /** Null if no response arrived. */
  http_status: number | null;
  /** One of `FAILED_OUTCOMES`, or `delivered`. */
  outcome: string;
  /** The beginning of the response, or the error message. */
  answer: string | null;
}

export interface ProcessTable {
  /** New after each start of the process. */
  id: string;
  /** By the database's clock. */
  alive_until: string;
  /** The stable name across restarts (`GATEWAY_PROCESS_NAME`); null for a process of an older version. */
  name: string | null;
  /** The latest migration that the process knows; null for a process of a version before `042-customers`. */
  step: Generated<string | null>;
  /** What it does (`GATEWAY_ROLES`): `api,inbound`. Null for a process of a version without roles, which does all. */
  roles: Generated<string | null>;
}

/** The lease on a destination: only this process sends to it while the process is alive. */
export interface OwnerTable {
  destination_id: number;
  process_id: string;
}

/**
 * Deliveries that another process recorded for a destination, from this sequence on. One row per commit and
 * destination, which the owner deletes when it reads the deliveries.
 */
export interface ArrivalTable {
  destination_id: number;
  sequence: number;
}

/**
 * One row. Its revision increases with every change of lines, tokens or destinations, so that other processes notice.
 */
export interface RegistryTable {
  id: number;
  revision: number;
  /** On SQLite: the revision that the gateway has read; null if none has stored one yet. */
  followed: number | null;
  /** Increases when contacts are erased: processes then drop what they remember of contacts. */
  forgotten: Generated<number>;
  /** The last UTC day whose usage was rebuilt for all lines after its end; null if none was yet. */
  usage_settled: Generated<string | null>;
  /** Days that begin before this time are not rebuilt any more, because their messages were deleted; null: none. */
  usage_frozen_before: Generated<string | null>;
}

/**
 * The rows that a revision of the registry changed. Only recent revisions are stored; a revision without a row may
 * have changed anything.
 */
export interface RegistryChangeTable {
  revision: number;
  changed: 'lines' | 'tokens' | 'admin_tokens' | 'destinations';
  row_id: number;
}

/** One `Idempotency-Key` of a line. */
export interface IdempotencyKeyTable {
  line_id: number;
  key: string;
  /** SHA-256 of the body, hex. */
  body_hash: string;
  started_at: string;
  /** The response as JSON; `unknown` if the platform never responded; null while the send is running. */
  answer: string | null;
}

/** One `Idempotency-Key` of an admin token. */
export interface AdminRequestTable {
  id: Generated<number>;
  token_id: number;
  key: string;
  /** SHA-256 of method, path and body, hex. */
  request_hash: string;
  started_at: string;
  /** The answer (JSON), which may have secrets; null while the request is running, and if its outcome is unknown. */
  answer_sealed: string | null;
}

/** A company whose lines the gateway runs. */
export interface CustomerTable {
  id: Generated<number>;
  name: string;
  /** The customer's id in the operator's own systems, unique; null if none. */
  external_id: string | null;
  /** Since when its users cannot log in and its tokens are refused; null if it is not suspended. */
  suspended_at: string | null;
  created_at: string;
  /** JSON: the ends of the customer's audit (`store/tables/customer-audit.ts`); null while it has no entries. */
  audit_sealed: Generated<string | null>;
  /** Null: off. */
  audit_looks: Generated<Exclude<AuditedLooks, 'off'> | null>;
  /** 1: its users must set up an authenticator app before they see anything else. */
  requires_app: Generated<number>;
  /** The most that a month may cost, in millionths of `budget_currency`; null if there is no budget. */
  budget_micros: Generated<number | null>;
  /** ISO 4217. */
  budget_currency: Generated<string | null>;
  /** 1: marketing templates are refused while the budget is reached. */
  budget_holds: Generated<number>;
  /** The estimate of the current month when it was last compared; null if it was not. */
  budget_spent_micros: Generated<number | null>;
  /** Charged messages of the current month that this estimate leaves out: they have no price in its currency. */
  budget_unpriced: Generated<number>;
  /** Since when the estimate is at least 80 % and 100 % of the budget; null while it is less. */
  budget_warned_at: Generated<string | null>;
  budget_reached_at: Generated<string | null>;
}

/** Prices of messages from a date on, as imported. */
export interface RateCardTable {
  id: Generated<number>;
  /** The only customer for which it applies; null for all customers without a card of their own. */
  customer_id: number | null;
  name: string;
  /** ISO 4217. */
  currency: string;
  /** The first day (`YYYY-MM-DD`) on which it applies, until a later card of the same customer. */
  effective_from: string;
  /** JSON: `Rates` (`usage/prices.ts`). */
  rates: string;
  imported_at: string;
}

/** Whose looks at messages a customer's audit records: those of users with a role in all customers, or of all users. */
export const AUDITED_LOOKS = ['off', 'agency', 'everybody'] as const;
export type AuditedLooks = (typeof AUDITED_LOOKS)[number];

/** An entry of the audit in the current hour (`messages/looks.ts`). */
export interface LookTable {
  user_id: number;
  /** A contact of a customer, or a list. */
  subject: string;
  /** ISO time at which the hour begins. */
  hour: string;
}

/** The role of a user in one customer. */
export interface MembershipTable {
  user_id: number;
  customer_id: number;
  role: MemberRole;
}

/** Users of the control panel. */
export interface UserTable {
  id: Generated<number>;
  /** Lowercase: the login is case-insensitive. */
  name: string;
  /**
   * The role in all customers (`rights/roles.ts`); `none` for a user with memberships only. Owners are stored as
   * `operator`, because processes of an earlier version know only that word.
   */
  role: MemberRole | 'operator' | 'none';
  /** argon2id; null until it is set through a one-time link. */
  password_hash: string | null;
  /** The secret of the authenticator app; null if none is set up. */
  totp_sealed: string | null;
  /** The time step of the last accepted code, so that each code is accepted only once. */
  totp_step: number | null;
  created_at: string;
  last_log_in_at: string | null;
  /** When an operator last reset the count of wrong passwords and codes; null: never. */
  unlocked_at: string | null;
  /** Lowercase, unique; null if unknown. A provider that verified the address may link a person to the user. */
  email: Generated<string | null>;
}

/** Recovery codes, which replace a code of the authenticator app. Each is removed after its use. */
export interface RecoveryCodeTable {
  user_id: number;
  /** SHA-256, hex. */
  hash: string;
}

export interface SessionTable {
  /** SHA-256 of the cookie's value, hex. */
  hash: string;
  user_id: number;
  created_at: string;
  seen_at: string;
  /** When the password was last entered. */
  confirmed_at: string;
  /** 1 after the correct password, while the code of the authenticator app is awaited. */
  awaits_code: number;
  address: string;
  /** The browser's user agent. */
  browser: string;
  /** The notice for the next page, with the result of the last form. */
  notice: string | null;
  /** 1: the provider of the log-in confirmed a second factor, so that no authenticator app is required. */
  has_second_factor: Generated<number>;
  /** The OpenID Connect provider of the log-in, and the person's id there; null for a log-in with a password. */
  issuer: Generated<string | null>;
  subject: Generated<string | null>;
  /** The provider's id of its own session (`sid`); null if unknown. */
  provider_session: Generated<string | null>;
}

/** An OpenID Connect provider that was added in the panel. */
export interface OidcProviderTable {
  id: Generated<number>;
  /** Part of the redirect URL. */
  key: string;
  issuer: string;
  /** JSON: everything else except the client secret. */
  settings: string;
  secret_sealed: string;
  created_at: string;
}

/** A person at an OpenID Connect provider who is linked to a user. */
export interface IdentityTable {
  issuer: string;
  subject: string;
  user_id: number;
  /** The e-mail address at the last log-in, for display only; null if unknown. */
  email: string | null;
  /** JSON list: the roles that the person's groups gave at the last log-in. */
  roles: string;
  created_at: string;
  last_log_in_at: string | null;
}

/** A text that was accepted and must not be accepted again. */
export interface UsedOnceTable {
  /** SHA-256, hex. */
  hash: string;
  expires_at: string;
}

/** One-time links to set a password. A link without a user creates the first user. */
export interface LinkTable {
  /** SHA-256 of the link's token, hex. */
  hash: string;
  user_id: number | null;
  created_at: string;
  expires_at: string;
}

/** An invitation that waits to be accepted. It is removed when it is accepted or revoked. */
export interface InvitationTable {
  id: Generated<number>;
  /** SHA-256 of the link's key, hex. */
  hash: string;
  /** The address to which the link was sent; null for a link that was shown to the inviter. */
  email: string | null;
  /** A note for the list, such as the person's name; null if none. */
  name: string | null;
  role: Role;
  /** JSON: the ids of the customers in which the role is given; null: in all. */
  customer_ids: string | null;
  /** The name of the inviter, as in the audit. */
  invited_by: string;
  /** The inviting user, who must still be allowed to give the role. */
  user_id: number | null;
  /** The inviting admin token, likewise. Null with `user_id`: a command. */
  admin_token_id: number | null;
  created_at: string;
  expires_at: string;
}

/** The audit: who changed what. Rows are only added; `store/tables/audit.ts` explains the hash chain. */
export interface AuditTable {
  /** 1, 2, 3 … without gaps. */
  number: number;
  at: string;
  /** A user's name, `token 12 (…a1b2) of` a line, or the operating system account that ran a command. */
  who: string;
  through: 'panel' | 'command' | 'api' | 'gateway';
  /** The client's address; null for commands and for the gateway's own actions. */
  address: string | null;
  /** The action, such as `line.edited`. */
  action: string;
  line_id: number | null;
  /** JSON: the subject and the changed values, without secrets. */
  details: string;
  hash: string;
}

/** One row: the number of entries, and the hash of the last one. */
export interface AuditHeadTable {
  id: number;
  entries: number;
  hash: string;
  /** The key for the hashes; null before the first entry. */
  key_sealed: string | null;
  /** Number and hash of the last removed entry (JSON); null if none was removed. */
  start_sealed: string | null;
}

/** The entries of the audit that concern a customer, with a hash chain of their own. */
export interface CustomerAuditTable {
  customer_id: number;
  /** 1, 2, 3 … without gaps, for each customer. */
  number: number;
  /** The entry in `audit`. */
  audit_number: number;
  /** The entry's details for this customer (JSON); null: as in `audit`. */
  details: string | null;
  /** The hash of the customer's previous entry; empty for the first. */
  before: string;
  hash: string;
}

/** Replays requested in the panel. Old ended ones are removed. */
export interface ReplayTable {
  id: string;
  who: string;
  /** A description of the deliveries that it resends. */
  what: string;
  /** The number of deliveries resent so far. */
  count: number;
  begun_at: string;
  /** The time of the last progress report. */
  told_at: string;
  /**
   * Null while running; `all` when complete; `ceiling` if it reached the limit of one replay; `broken` if it failed
   * (see the log).
   */
  came_to: 'all' | 'ceiling' | 'broken' | null;
}

/** `critical` alerts are sent at any hour; the others wait during quiet hours. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A problem, from its start to its end. At most one incident per kind and subject is open. */
export interface AlertIncidentTable {
  id: Generated<number>;
  /** The condition, such as `destination_failing`. */
  kind: string;
  /** The affected object, unique within the kind, such as a destination's id. */
  subject: string;
  /** Null if the incident does not concern a single line. */
  line_id: number | null;
  waba_id: string | null;
  /** The only process that can observe the problem, such as a full disk; null if it is visible in the database. */
  process: string | null;
  severity: Severity;
  /** Sentences: the problem, details, the end, and the remedy. */
  title: string;
  text: string;
  over: string;
  action: string;
  /** The panel page for fixing the problem. */
  path: string;
  /** The last count of deliveries that wait because of the problem; null if unknown. */
  waiting: number | null;
  since: string;
  opened_at: string;
  closed_at: string | null;
  /** JSON: the incident's facts (`wording/facts.ts`); null if an earlier version opened it. */
  facts: string | null;
}

/** `account`: all lines of one business account, which belongs to one customer. */
export const ALERT_SCOPES = ['gateway', 'account', 'line'] as const;
export type AlertScope = (typeof ALERT_SCOPES)[number];

/** A channel that alerts are sent to. */
export interface AlertChannelTable {
  id: Generated<number>;
  /** The type of channel, such as `slack`. */
  kind: string;
  name: string;
  /** JSON: addresses and secrets, depending on the kind. */
  settings_sealed: string;
  scope: AlertScope;
  /** The id of the line or business account; null for the gateway. */
  scope_id: string | null;
  /** `token`: registered with a token through the API of lines; gets no alerts about the gateway itself. */
  origin: 'operator' | 'token';
  token_id: number | null;
  admin_token_id: Generated<number | null>;
  /** `22:00`, in the channel's time zone. Alerts that aren't critical wait until the end. Null: no quiet hours. */
  quiet_from: string | null;
  quiet_to: string | null;
  /** Such as `America/Sao_Paulo`. */
  time_zone: string;
  /** Alerts about open incidents are repeated after this many hours; null: never. */
  remind_hours: number | null;
  created_at: string;
  /** When the channel is removed automatically; null: never. */
  expires_at: string | null;
  /** When the channel was paused; null if it isn't. */
  paused_at: string | null;
  /** Start of the current failure, and its reason; null if the last alert was accepted. */
  failing_since: string | null;
  last_failure: string | null;
  last_told_at: string | null;
  /** JSON: `last_failure` as a fact; null if it is text from another program, or if an earlier version stored it. */
  failure: string | null;
  /** The language of the channel's alerts. */
  language: Generated<string>;
}

export const NOTICES = ['opened', 'escalated', 'reminder', 'recovered', 'test'] as const;

/** One message to one channel, about one incident or many of a kind. It is stored before it is sent. */
export interface AlertNoticeTable {
  /** `alrt_…`; sent as `webhook-id`. */
  id: string;
  channel_id: number;
  what: (typeof NOTICES)[number];
  kind: string;
  /** JSON: the alert, identical in every attempt. */
  body: string;
  created_at: string;
  attempts: Generated<number>;
  /** Null after it was sent or given up. */
  next_try_at: string | null;
  /** The sending process has a lease on the alert until then. */
  claimed_until: string | null;
  last_failure: string | null;
  told_at: string | null;
}

/** The last alert that a channel got about a subject. */
export interface AlertToldTable {
  channel_id: number;
  kind: string;
  subject: string;
  incident_id: number;
  state: 'open' | 'over';
  told_at: string;
  /** JSON list of the times (ISO) of the subject's alerts in the last hour. */
  times: string;
  /** The alert and its severity; null if an earlier version sent it. */
  notice_id: string | null;
  severity: Severity | null;
}

/** A mute: incidents that match all its conditions cause no alerts until its end. */
export interface AlertMuteTable {
  id: Generated<number>;
  kind: string | null;
  subject: string | null;
  line_id: number | null;
  /** A description of the mute. */
  what: string;
  who: string;
  created_at: string;
  until: string;
  /** JSON: the muted incident as a fact; null if an earlier version muted it. */
  facts: string | null;
}

/** An operator's changes to the rule of a condition. Rules without a row have their defaults. */
export interface AlertRuleTable {
  kind: string;
  is_on: number;
  /** In the unit of the condition. */
  threshold: number | null;
}

/** The last known value of something whose changes cause alerts, such as a line's messaging limit. */
export interface AlertMarkTable {
  kind: string;
  subject: string;
  value: string;
  at: string;
}

/** One row. Changing it makes a transaction the only one that checks incidents and channels until its commit. */
export interface AlertTurnTable {
  id: number;
  turn: number;
}
