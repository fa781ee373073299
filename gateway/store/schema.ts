import { type Generated } from 'kysely';
import { type Role } from '../rights/roles';

/**
 * The tables, as both databases hold them: times are ISO 8601 text in UTC, payloads text as received, states words,
 * and a yes/no with a history is a time that may be null. `…_sealed` columns are encrypted (`vault.ts`).
 */
export interface Schema {
  lines: LineTable;
  tokens: TokenTable;
  templates: TemplateTable;
  destinations: DestinationTable;
  messages: MessageTable;
  sent_bodies: SentBodyTable;
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
  users: UserTable;
  recovery_codes: RecoveryCodeTable;
  sessions: SessionTable;
  links: LinkTable;
  audit: AuditTable;
  audit_head: AuditHeadTable;
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
  /** Entered at the platform beside the address of the line's own callback. */
  verify_token: string;
  window_mode: WindowMode;
  quality_mode: QualityMode;
  deactivated_at: string | null;
  api_disabled_at: string | null;
  created_at: string;
  /** What the platform last told of the phone number, as received (JSON); null when it was never asked. */
  upstream_node: string | null;
  status_checked_at: string | null;
  /** Start of the last refresh, whoever requested it; the gateway's own schedule counts from here. */
  status_refresh_at: string | null;
  templates_synced_at: string | null;
  templates_refresh_at: string | null;
  /** When the last one began that a person asked for: the cooldown counts from here, for all processes. */
  status_asked_at: string | null;
  templates_asked_at: string | null;
  /** Since when a refresh is wanted, because the platform told that something changed; null once one has begun. */
  status_wanted_at: string | null;
  templates_wanted_at: string | null;
  /** Refreshes that failed since the last one that did not. */
  status_failures: Generated<number>;
  templates_failures: Generated<number>;
  /** When the reading of the stored list of templates began: what the platform told before is older than it. */
  templates_read_at: string | null;
  /**
   * When the platform last asked for the handshake with the callback that this line has, its own or that of all lines.
   */
  handshake_at: string | null;
  /**
   * By which words contacts leave and come back (JSON: `OptOutWords`); null for a line that never had an opt-out list.
   */
  opt_out_words: string | null;
  /**
   * For how many hours a colleague's answer pauses automations for its contact; 0: it does not; null: nor was anyone ever
   * paused.
   */
  automation_pause_hours: number | null;
  /** Since when the texts of sent messages are stored; null if they are not. */
  sent_kept_at: string | null;
  /** When the line was removed. The row keeps the id, because events and the audit refer to it, but not the name. */
  removed_at: string | null;
  /**
   * Since when the platform refuses its access token, and in which words; null if it was accepted after that.
   */
  credentials_refused_at: Generated<string | null>;
  credentials_refused_because: Generated<string | null>;
}

/**
 * A message that waits at a destination until its contact pauses. The order in which they came is that of `rowid` on
 * SQLite, and on PostgreSQL of a column more, `sequence`.
 */
export interface GatheringTable {
  destination_id: number;
  /** The identity of its event, by which repeats are recognised. */
  identity: string;
  event_id: string;
  contact: string;
  /** In the platform's envelope; empty once it is done. */
  body: string;
  arrived_at: string;
  /** The event in which it is sent; null while it waits. */
  group_id: string | null;
  /** Since when that event is recorded. */
  done_at: string | null;
}

export const QUESTION_STATES = ['open', 'answered', 'expired', 'canceled', 'replaced'] as const;

/** A question that waits for the answer of a contact, or waited. */
export interface QuestionTable {
  /** `qst_…` */
  id: string;
  line_id: number;
  /** The token that asked it, or the first of those that replaced each other; null if unknown. */
  token_id: number | null;
  /** A phone number in digits, or a user id. */
  contact: string;
  /** `asking`: its message is being sent, and there is no question yet as far as the API shows. */
  state: 'asking' | (typeof QUESTION_STATES)[number];
  /** The message that asks; null while it is being sent. */
  message_id: string | null;
  /** JSON list of the kinds of message that answer it. */
  accepts: string;
  /** JSON list of the reply ids that a tap must have; null for any. */
  choices: string | null;
  /** 1 if the answer also goes to the line's destinations. */
  also_forward: number;
  /** JSON: where the answer goes (`url`), and the `secret` that signs it. */
  callback_sealed: string;
  /** The destination of origin `question` through which the answer is delivered. */
  destination_id: number;
  created_at: string;
  expires_at: string;
  ended_at: string | null;
  answer_event_id: string | null;
  answer_message_id: string | null;
  /** When its delivery ended, be it that the answer went to the line's destinations instead. */
  answer_over_at: string | null;
}

/** A name of the contact of a question that is being asked or open. A contact has one question in each state. */
export interface QuestionContactTable {
  line_id: number;
  /** A phone number in the first of its spellings, or a user id. */
  name: string;
  state: 'asking' | 'open';
  question_id: string;
}

/** Words by which contacts say that they want no more messages of a line, and that they want them again. */
export interface OptOutWords {
  out: readonly string[];
  back: readonly string[];
}

/** Who wants no more messages of a line: `out`; or came back, which is kept for a while. */
export interface OptOutTable {
  line_id: number;
  /** A phone number in the first of its spellings, or a user id. */
  contact: string;
  state: 'out' | 'back';
  /** Since when. */
  at: string;
  /** The word from the contact; null if the contact was added by hand. */
  word: string | null;
}

/** The longest pause of automations in hours, if it has an end: a year. */
export const LONGEST_PAUSE_HOURS = 8760;

/**
 * Paused automations of a contact. After a resume, the row stays for a while, because the platform may repeat
 * an older answer.
 */
export interface AutomationPauseTable {
  line_id: number;
  /** A phone number in the first of its spellings, or a user id. */
  contact: string;
  state: 'paused' | 'resumed';
  /** Since when. */
  at: string;
  /** Null: until it is resumed. */
  until: string | null;
}

/**
 * `text`: only free-form text needs an open customer service window; `all`: every type but template; `upstream`: the
 * platform judges.
 */
export type WindowMode = 'text' | 'all' | 'upstream';
/** `strict` also refuses to send before the platform has rated the line. */
export type QualityMode = 'normal' | 'strict';

/** What a token may do: send messages and files, look things up, manage where events go. */
export const SCOPES = ['send', 'read', 'destinations'] as const;
export type Scope = (typeof SCOPES)[number];

export interface TokenTable {
  id: Generated<number>;
  line_id: number;
  /** SHA-256 of the token, hex. */
  hash: string;
  last_four: string;
  created_at: string;
  /** What uses it, in the operator's words. */
  name: string | null;
  /** JSON list of its scopes; null for all of them. */
  scopes: string | null;
  /** `platform`: answers have only the platform's fields. Null: also those of the gateway. */
  answers: 'platform' | null;
  /** Its lifetime in seconds as given at its creation; null if unlimited. */
  lifetime: number | null;
  /** The first of the tokens that replaced each other up to this one; null if it replaced none. */
  first_id: number | null;
  /** To a minute. */
  last_used_at: string | null;
  /** The address that it was last used from, and what the program there calls itself. */
  last_used_from: string | null;
  last_used_by: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

export interface TemplateTable {
  line_id: number;
  name: string;
  language: string;
  /** The platform's id; null for a starter template that the platform does not have. */
  upstream_id: string | null;
  category: string;
  /** The platform's word; null for a starter template that the platform does not have. */
  upstream_status: string | null;
  /** The platform's reason for a rejection; null if there is none. */
  rejected_reason: string | null;
  quality_score: string | null;
  /** The score as the platform's list told it (JSON); null where an event has told another since, or none did. */
  quality_node: string | null;
  parameter_format: string;
  /** The platform's `components`, as JSON. */
  components: string;
  /** 1 for a template that the gateway seeded with the line. */
  is_starter: number;
  /** The platform's time of each fact: of its event, or of the start of reading the list. */
  status_at: string | null;
  quality_at: string | null;
  category_at: string | null;
  components_at: string | null;
}

export const DESTINATION_MODES = ['split', 'raw'] as const;
export type DestinationMode = (typeof DESTINATION_MODES)[number];

export const ORIGINS = ['forwarding', 'token', 'operator'] as const;

export interface DestinationTable {
  id: Generated<number>;
  line_id: number;
  url: string;
  /** When the address last changed: attempts before that went to another one. Null: never. */
  url_changed_at: string | null;
  secret_sealed: string;
  /** The secrets before this one: a JSON list of them, the newest first, each with its end (`secret`, `until`). */
  previous_secret_sealed: string | null;
  /**
   * Null. If it is a time, the column has one secret instead of a list, as in earlier versions; the time is
   * its end.
   */
  previous_secret_until: string | null;
  /** Custom headers, as a JSON object; they may contain a password. */
  headers_sealed: string | null;
  /**
   * `forwarding`: the line's forwarding URL; `token`: registered through the API with a line token; `operator`: added
   * beside it; `question`: made by the gateway to deliver answers to the callback URLs of questions on one server. It is
   * on no list.
   */
  origin: (typeof ORIGINS)[number] | 'question';
  /** The token that added it, or the first of the tokens that replaced each other; null if unknown. */
  token_id: number | null;
  /** `split`: one POST for each event; `raw`: one for each notification, with all that it holds of the line. */
  mode: DestinationMode;
  /**
   * How long a contact must not write before its messages are sent as one event; null: each message is sent
   * immediately.
   */
  quiet_seconds: number | null;
  /** The event kinds that it receives, as a JSON list. */
  events: string;
  created_at: string;
  expires_at: string | null;
  paused_at: string | null;
  paused_because: string | null;
  /** JSON: `paused_because` as a fact; null if an earlier version paused it. */
  paused_fact: string | null;
  /** Since when all attempts have failed; null if a later one succeeded. */
  failing_since: string | null;
  /** The latest failure in a word, such as `HTTP 503`. */
  last_failure: string | null;
  /** How much of that time counts toward the pause, up to the last failure that was noted. Time without attempts counts little. */
  failing_seconds: Generated<number>;
  /**
   * The time of the last probe while the breaker is open: a probe uses up no attempt and stores none.
   * Otherwise null.
   */
  last_tried_at: string | null;
  /** The end of the pause between probes while the breaker is open; null if it is closed. It may be past. */
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
  /** The template of the message; null for other messages. */
  template_name: string | null;
  template_language: string | null;
  /** `app`: from the phone app of the business, beside the gateway. */
  sent_from: string | null;
  client_ref: string | null;
  accepted_at: string | null;
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
  played_at: string | null;
  failed_at: string | null;
  /** The platform's errors of a failed message, as JSON. */
  failure: string | null;
}

/**
 * The sent message. From operators, and from programs if the line stores their messages: the body of the
 * request, as received. From the phone app: the message as the platform sends it.
 */
export interface SentBodyTable {
  line_id: number;
  wamid: string;
  body: string;
  accepted_at: string;
}

export interface WindowTable {
  line_id: number;
  contact: string;
  last_inbound_at: string;
}

/**
 * `contact` is the name that customers use, in the first of its spellings; `identity` is the name from the
 * platform.
 */
export interface AliasTable {
  line_id: number;
  contact: string;
  identity: string;
}

export interface EventTable {
  /** `evt_…`, sorts by arrival; sent as `webhook-id`. */
  id: string;
  /** Null if it belongs to no line of this gateway, or to several. */
  line_id: number | null;
  /**
   * `notification`: all events of a line in one POST of the platform, for destinations that take
   * notifications whole.
   */
  subject: 'message' | 'echo' | 'messageStatus' | 'account' | 'notification';
  kind: string;
  /** The same for every repeat from the platform. */
  identity: string;
  contact: string | null;
  wamid: string | null;
  phone_number_id: string | null;
  waba_id: string | null;
  body: string;
  received_at: string;
  /** Whether automations paused for its contact when it was recorded; null if not. */
  automation: 'paused' | null;
  /** The ended question that this message answers too late; null otherwise. */
  late_answer_to: Generated<string | null>;
}

/** `canceled`: its destination was removed before it was delivered. */
export type DeliveryState = 'pending' | 'delivered' | 'dead' | 'canceled';

export interface DeliveryTable {
  destination_id: number;
  event_id: string;
  /**
   * The ordering key: deliveries with the same key are sent one after the other. The contact, or the event
   * itself if there is none.
   */
  lane: string;
  /**
   * Increases with each recorded delivery, independent of clocks: the order of deliveries with the same
   * ordering key. Null if the delivery ended before the column existed.
   */
  sequence: Generated<number | null>;
  state: DeliveryState;
  attempts: number;
  /** Made before it was last replayed: its schedule begins after them. */
  attempts_before: Generated<number>;
  due_at: string;
  finished_at: string | null;
}

/** Why an attempt failed, in a word. */
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
  /** Null if no answer came. */
  http_status: number | null;
  /** One of `FAILED_OUTCOMES`, or `delivered`. */
  outcome: string;
  /** The beginning of the answer, or the error's message. */
  answer: string | null;
}

export interface ProcessTable {
  /** Of one run: each start has another. */
  id: string;
  /** By the database's clock. */
  alive_until: string;
  /** By which it is known again after a restart (`GATEWAY_PROCESS_NAME`); null for a process of an older version. */
  name: string | null;
}

/** The lease on a destination: the one process that sends to it, while that process lives. */
export interface OwnerTable {
  destination_id: number;
  process_id: string;
}

/**
 * Tells the owner of a destination that another process recorded deliveries for it, from this sequence on.
 * One row per commit and destination. The owner removes the row when it reads the deliveries.
 */
export interface ArrivalTable {
  destination_id: number;
  sequence: number;
}

/** One row. Its revision grows with every change of lines, tokens or destinations, so that other processes notice. */
export interface RegistryTable {
  id: number;
  revision: number;
  /** On SQLite: the revision that the gateway has read; null if none has stored one yet. */
  followed: number | null;
  /** Increases when people are forgotten: processes then drop what they remember of contacts. */
  forgotten: Generated<number>;
}

/** What a revision of the registry changed. The latest are kept; a revision without a row may have changed anything. */
export interface RegistryChangeTable {
  revision: number;
  changed: 'lines' | 'tokens' | 'destinations';
  row_id: number;
}

/** One `Idempotency-Key` of a line. */
export interface IdempotencyKeyTable {
  line_id: number;
  key: string;
  /** SHA-256 of the body, hex. */
  body_hash: string;
  started_at: string;
  /** The answer as JSON; `unknown` where the platform never gave one; null while the send is being made. */
  answer: string | null;
}

/** Who may use the control panel. */
export interface UserTable {
  id: Generated<number>;
  /** In lowercase: the log-in ignores case. */
  name: string;
  /** A role (`rights/roles.ts`), but `operator` for an owner: processes of the previous version know only that word. */
  role: Exclude<Role, 'owner'> | 'operator';
  /** argon2id; null until it is set through a one-time link. */
  password_hash: string | null;
  /** The secret of the authenticator app; null if none is used. */
  totp_sealed: string | null;
  /** The time step of the last accepted code: each code is accepted once. */
  totp_step: number | null;
  created_at: string;
  last_log_in_at: string | null;
  /** When wrong passwords and codes last ceased to count, because an operator said so; null: never. */
  unlocked_at: string | null;
}

/** Codes that replace the authenticator app. Each is removed when it is used. */
export interface RecoveryCodeTable {
  user_id: number;
  /** SHA-256, hex. */
  hash: string;
}

export interface SessionTable {
  /** SHA-256 of what the cookie holds, hex. */
  hash: string;
  user_id: number;
  created_at: string;
  seen_at: string;
  /** When the password was last given. */
  confirmed_at: string;
  /** 1 while the password was right and the code of the authenticator app is still to come. */
  awaits_code: number;
  address: string;
  /** What the browser calls itself. */
  browser: string;
  /** The notice for the next page: the result of the last form. */
  notice: string | null;
}

/** One-time links: to set a password, or, of no user, to set up the first one. */
export interface LinkTable {
  /** SHA-256 of what the link holds, hex. */
  hash: string;
  user_id: number | null;
  created_at: string;
  expires_at: string;
}

/**
 * Who changed what. Rows are added and never changed; `store/tables/audit.ts` explains the chain of hashes.
 */
export interface AuditTable {
  /** 1, 2, 3 … without a gap. */
  number: number;
  at: string;
  /** A user's name, `token 12 (…a1b2) of` a line, or the account that ran a command. */
  who: string;
  through: 'panel' | 'command' | 'api' | 'gateway';
  /** The address of the request; null for commands, and for the gateway's own actions. */
  address: string | null;
  /** The action, in words such as `line.edited`. */
  action: string;
  line_id: number | null;
  /** JSON: its subject, and the values that are no secrets. */
  details: string;
  hash: string;
}

/** One row: how many entries there are, and the hash of the last one. */
export interface AuditHeadTable {
  id: number;
  entries: number;
  hash: string;
  /** The key of the hashes; null before the first entry. */
  key_sealed: string | null;
  /** The number and the hash of the last removed entry (JSON); null if none was removed. */
  start_sealed: string | null;
}

/** Replays that were requested in the panel. Those that ended long ago are removed. */
export interface ReplayTable {
  id: string;
  who: string;
  /** Which deliveries it resends, in words. */
  what: string;
  /** The number of deliveries resent so far. */
  count: number;
  begun_at: string;
  /** The time of the last progress report. */
  told_at: string;
  /**
   * Null while it runs; `ceiling` if it reached the limit of one replay, `broken` if it failed (the log says
   * why).
   */
  came_to: 'all' | 'ceiling' | 'broken' | null;
}

/** `critical` alerts are sent at any hour, the others not during quiet hours. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A problem, from its start to its end. There is one open incident of a kind and a subject. */
export interface AlertIncidentTable {
  id: Generated<number>;
  /** The condition, as `destination_failing`. */
  kind: string;
  /** What it is about, unique within its kind, such as the id of a destination. */
  subject: string;
  /** Null if it is not about one line. */
  line_id: number | null;
  waba_id: string | null;
  /** The process that alone can see it, such as a full disk; null if it can be seen in the database. */
  process: string | null;
  severity: Severity;
  /** Sentences: what happened, details, the end, and what to do. */
  title: string;
  text: string;
  over: string;
  action: string;
  /** The panel's page to fix it. */
  path: string;
  /** The last count of deliveries that wait because of it; null if unknown. */
  waiting: number | null;
  since: string;
  opened_at: string;
  closed_at: string | null;
  /** JSON: its facts (`wording/facts.ts`); null if an earlier version opened it. */
  facts: string | null;
}

/** `account`: all lines of one business account, which is one customer's. */
export const ALERT_SCOPES = ['gateway', 'account', 'line'] as const;
export type AlertScope = (typeof ALERT_SCOPES)[number];

/** Where alerts are sent. */
export interface AlertChannelTable {
  id: Generated<number>;
  /** As `slack`. */
  kind: string;
  name: string;
  /** JSON: addresses and secrets, as its kind needs them. */
  settings_sealed: string;
  scope: AlertScope;
  /** The id of the line, or that of the business account; null for the gateway. */
  scope_id: string | null;
  /** `token`: registered through the API with a line token; it learns nothing of the gateway itself. */
  origin: 'operator' | 'token';
  token_id: number | null;
  /** `22:00`, in its time zone: all but critical alerts wait until the end. Null: no quiet hours. */
  quiet_from: string | null;
  quiet_to: string | null;
  /** As `America/Sao_Paulo`. */
  time_zone: string;
  /** Open incidents are sent again after this many hours; null: never. */
  remind_hours: number | null;
  created_at: string;
  /** When it is removed automatically; null: never. */
  expires_at: string | null;
  /** Since when the channel is paused. */
  paused_at: string | null;
  /** Since when it has been failing, and why; null if the last alert was accepted. */
  failing_since: string | null;
  last_failure: string | null;
  last_told_at: string | null;
  /** JSON: `last_failure` as a fact; null if it is another program's words, or an earlier version stored it. */
  failure: string | null;
  /** The language of its alerts. */
  language: Generated<string>;
}

export const NOTICES = ['opened', 'escalated', 'reminder', 'recovered', 'test'] as const;

/** One message to one channel, of one incident or of many of a kind. It is here before it is sent. */
export interface AlertNoticeTable {
  /** `alrt_…`; sent as `webhook-id`. */
  id: string;
  channel_id: number;
  what: (typeof NOTICES)[number];
  kind: string;
  /** JSON: the alert, the same in every attempt. */
  body: string;
  created_at: string;
  attempts: Generated<number>;
  /** Null once it was sent, or given up. */
  next_try_at: string | null;
  /** Until then the process that sends it has it to itself. */
  claimed_until: string | null;
  last_failure: string | null;
  told_at: string | null;
}

/** What a channel knows of a subject. */
export interface AlertToldTable {
  channel_id: number;
  kind: string;
  subject: string;
  incident_id: number;
  state: 'open' | 'over';
  told_at: string;
  /** The times of its alerts in the last hour, as a JSON list of ISO times. */
  times: string;
  /** By which it knows, and how urgent that said it was; null of what a version before told. */
  notice_id: string | null;
  severity: Severity | null;
}

/** Muted incidents, until that time: all that match every given condition. */
export interface AlertMuteTable {
  id: Generated<number>;
  kind: string | null;
  subject: string | null;
  line_id: number | null;
  /** In words. */
  what: string;
  who: string;
  created_at: string;
  until: string;
  /** JSON: the muted incident, as a fact; null if an earlier version muted it. */
  facts: string | null;
}

/** What an operator has changed of a condition's rule; the others are as they come. */
export interface AlertRuleTable {
  kind: string;
  is_on: number;
  /** In the unit of its condition. */
  threshold: number | null;
}

/** The last seen value of something whose change is reported, such as the messaging limit of a line. */
export interface AlertMarkTable {
  kind: string;
  subject: string;
  value: string;
  at: string;
}

/**
 * One row. A transaction that has changed it is the only one that checks incidents and channels until it is
 * committed.
 */
export interface AlertTurnTable {
  id: number;
  turn: number;
}
