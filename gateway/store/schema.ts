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
  /** When the last refresh began, whoever asked for it: what the gateway asks by itself counts from here. */
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
  /** Since when the bodies of what is sent are kept; null where they are not. */
  sent_kept_at: string | null;
  /** When the line was removed. The row keeps the id, because events and the audit refer to it, but not the name. */
  removed_at: string | null;
  /** Since when the platform refuses its access token, and in which words; null where it was taken after that. */
  credentials_refused_at: Generated<string | null>;
  credentials_refused_because: Generated<string | null>;
}

/**
 * A message that waits at a destination until its contact pauses. The order in which they came is that of `rowid` on
 * SQLite, and on PostgreSQL of a column more, `sequence`.
 */
export interface GatheringTable {
  destination_id: number;
  /** Of its event: the platform may tell it again. */
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
  /** The word that the contact said; null where somebody else noted it. */
  word: string | null;
}

/** For so many hours automations pause at most, if an end is given: a year. */
export const LONGEST_PAUSE_HOURS = 8760;

/**
 * Of a contact: automations pause, or were resumed, which is kept for a while because the platform may report an older
 * answer again.
 */
export interface AutomationPauseTable {
  line_id: number;
  /** A phone number in the first of its spellings, or a user id. */
  contact: string;
  state: 'paused' | 'resumed';
  /** Since when. */
  at: string;
  /** Null: until somebody resumes. */
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
  /** `platform`: answers have the platform's fields alone. Null: those of the gateway beside them. */
  answers: 'platform' | null;
  /** Seconds for which it was to live, whatever became of that; null for good. */
  lifetime: number | null;
  /** The token that this one replaced, or that one's, and so on to the first; null where it replaced none. */
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
  /** Why the platform rejected it, in its word; null where it did not, or did not say. */
  rejected_reason: string | null;
  quality_score: string | null;
  /** The score as the platform's list told it (JSON); null where an event has told another since, or none did. */
  quality_node: string | null;
  parameter_format: string;
  /** The platform's `components`, as JSON. */
  components: string;
  /** 1 for a template that the gateway seeded with the line. */
  is_starter: number;
  /** The platform's time of what is known of each: of the event that told it, or when the reading of the list began. */
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
  /** Null. Where it is a time, there is no list but one secret by itself, as it was stored once; that is its end. */
  previous_secret_until: string | null;
  /** Headers of its own, as a JSON object; they may hold a password. */
  headers_sealed: string | null;
  /**
   * `forwarding`: the line's forwarding URL; `token`: registered through the API with a line token; `operator`: added
   * beside it; `question`: made by the gateway to deliver answers to the callback URLs of questions on one server. It is
   * on no list.
   */
  origin: (typeof ORIGINS)[number] | 'question';
  /**
   * The token with which it was added, or the first of those that replaced each other; null where that is not known.
   */
  token_id: number | null;
  /** `split`: one POST for each event; `raw`: one for each notification, with all that it holds of the line. */
  mode: DestinationMode;
  /** For so long a contact has to be silent before all that it wrote goes there as one event; null: at once. */
  quiet_seconds: number | null;
  /** The event kinds that it receives, as a JSON list. */
  events: string;
  created_at: string;
  expires_at: string | null;
  paused_at: string | null;
  paused_because: string | null;
  /** JSON: `paused_because` as a fact; null if an earlier version paused it. */
  paused_fact: string | null;
  /** Since when nothing but failures came of it; null where something succeeded after that. */
  failing_since: string | null;
  /** The latest of these failures in a word, as `HTTP 503`. */
  last_failure: string | null;
  /** How much of that time counts toward the pause, up to the last failure that was noted. Time without attempts counts little. */
  failing_seconds: Generated<number>;
  /** When it was last tried before it was left alone: such a try uses up no attempt and leaves none. Else null. */
  last_tried_at: string | null;
  /** Until then it is left alone because everything fails; null where it is not, or not yet. It may be past. */
  next_try_at: string | null;
  /** When somebody last asked for what waits to be tried at once. */
  try_now_at: string | null;
  removed_at: string | null;
}

export interface MessageTable {
  line_id: number;
  wamid: string;
  contact: string | null;
  type: string | null;
  /** Of the template by which it was sent; null for other messages. */
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
 * What was sent: the body of the request, as received, of operators and of lines that keep what programs send; of what
 * was sent from the phone app, the message as the platform tells it.
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
 * `contact` is how customers address somebody, in the first of its spellings; `identity` is how the platform reports
 * him.
 */
export interface AliasTable {
  line_id: number;
  contact: string;
  identity: string;
}

export interface EventTable {
  /** `evt_…`, sorts by arrival; goes out as `webhook-id`. */
  id: string;
  /** Null where no line of this gateway is meant, or several. */
  line_id: number | null;
  /** `notification`: all that one POST of the platform held of a line, for destinations that take it whole. */
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
   * The ordering key: deliveries that share it go out one after the other. The contact, or the event alone where there
   * is none.
   */
  lane: string;
  /**
   * Grows with each delivery that is recorded, whatever clocks say: the order of those that share an ordering key. Null
   * for what was over before the column was there.
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
  /** Null where no answer came. */
  http_status: number | null;
  /** One of `FAILED_OUTCOMES`; `delivered` where it did not fail. */
  outcome: string;
  /** The beginning of the answer, or the error's message. */
  answer: string | null;
}

export interface ProcessTable {
  /** Of one incarnation: each start has another. */
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
 * Tells the owner of a destination that another process has recorded deliveries for it, from this sequence on. One row
 * for each commit and destination; the owner removes them when it reads the deliveries.
 */
export interface ArrivalTable {
  destination_id: number;
  sequence: number;
}

/** One row. Its revision grows with every change of lines, tokens or destinations, so that other processes notice. */
export interface RegistryTable {
  id: number;
  revision: number;
  /** On SQLite: the revision that the gateway has read; null where none has said so yet. */
  followed: number | null;
  /** Grows when people are forgotten: processes then forget what they remember of contacts. */
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
  /** In small letters: what is typed at log-in is compared without regard to case. */
  name: string;
  /** A role (`rights/roles.ts`), but `operator` for an owner: processes of the previous version know only that word. */
  role: Exclude<Role, 'owner'> | 'operator';
  /** argon2id; null until it is set through a one-time link. */
  password_hash: string | null;
  /** The secret of the authenticator app; null where none is used. */
  totp_sealed: string | null;
  /** The time step of the last code that was taken: each is taken once. */
  totp_step: number | null;
  created_at: string;
  last_log_in_at: string | null;
  /** When wrong passwords and codes last ceased to count, because an operator said so; null: never. */
  unlocked_at: string | null;
}

/** Codes that stand in for the authenticator app; each is removed when it is used. */
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
  /** What the next page tells: what came of the last form. */
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

/** Who changed what. Rows are added and never changed; `store/tables/audit.ts` tells how the hashes hang together. */
export interface AuditTable {
  /** 1, 2, 3 … without a gap. */
  number: number;
  at: string;
  /** A user's name, `token 12 (…a1b2) of` a line, or the account that ran a command. */
  who: string;
  through: 'panel' | 'command' | 'api' | 'gateway';
  /** Where it came from; null for a command, and for what the gateway does by itself. */
  address: string | null;
  /** What was done, in words such as `line.edited`. */
  action: string;
  line_id: number | null;
  /** JSON: what it was done to, and the values that are no secrets. */
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
  /** The number and the hash of the last entry that was cleared away (JSON); null where none was. */
  start_sealed: string | null;
}

/** Replays that somebody asked for in the panel; those that were over long ago are removed. */
export interface ReplayTable {
  id: string;
  who: string;
  /** What it means, in words. */
  what: string;
  /** So many are sent again by now. */
  count: number;
  begun_at: string;
  /** When the process that does it last said how far it is. */
  told_at: string;
  /** Null while it runs; `ceiling` where there is more than one replay takes, `broken` where the log tells why. */
  came_to: 'all' | 'ceiling' | 'broken' | null;
}

/** How urgent it is: `critical` is told at any hour, the others not in quiet hours. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Something that is wrong, from when it began until it is over. There is one open incident of a kind and a subject. */
export interface AlertIncidentTable {
  id: Generated<number>;
  /** The condition, as `destination_failing`. */
  kind: string;
  /** What it is about, among those of its kind: as the id of a destination. */
  subject: string;
  /** Null where it is not about one line. */
  line_id: number | null;
  waba_id: string | null;
  /** The process that sees it, where others do not, as a full disk; null where it stands in the database. */
  process: string | null;
  severity: Severity;
  /** Sentences: what happened, more about it, that it is over, and what to do. */
  title: string;
  text: string;
  over: string;
  action: string;
  /** Of the panel's page where it is set right. */
  path: string;
  /** How many deliveries wait because of it, as counted last; null where that is not known. */
  waiting: number | null;
  since: string;
  opened_at: string;
  closed_at: string | null;
  /** JSON: what it says, as facts (`wording/facts.ts`); null if an earlier version opened it. */
  facts: string | null;
}

/** `account`: all lines of one business account, which is one customer's. */
export const ALERT_SCOPES = ['gateway', 'account', 'line'] as const;
export type AlertScope = (typeof ALERT_SCOPES)[number];

/** Where people are told of incidents. */
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
  /** `22:00`, in its time zone: what is not critical waits until the end. Null: there are no quiet hours. */
  quiet_from: string | null;
  quiet_to: string | null;
  /** As `America/Sao_Paulo`. */
  time_zone: string;
  /** What is still wrong is told again after so many hours; null: never. */
  remind_hours: number | null;
  created_at: string;
  /** When it ends by itself; null: somebody removes it. */
  expires_at: string | null;
  /** Since when it is told nothing, because somebody said so. */
  paused_at: string | null;
  /** Since when it takes nothing, and why; null where it took the last notice. */
  failing_since: string | null;
  last_failure: string | null;
  last_told_at: string | null;
  /** JSON: `last_failure` as a fact; null if it is another program's words, or an earlier version stored it. */
  failure: string | null;
  /** The language of what it is sent. */
  language: Generated<string>;
}

export const NOTICES = ['opened', 'escalated', 'reminder', 'recovered', 'test'] as const;

/** One message to one channel, of one incident or of many of a kind. It is here before it is sent. */
export interface AlertNoticeTable {
  /** `alrt_…`; goes out as `webhook-id`. */
  id: string;
  channel_id: number;
  what: (typeof NOTICES)[number];
  kind: string;
  /** JSON: what is told, the same on every attempt. */
  body: string;
  created_at: string;
  attempts: Generated<number>;
  /** Null once it was told, or given up. */
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
  /** When it was told of it in the last hour, as a JSON list of ISO times. */
  times: string;
  /** By which it knows, and how urgent that said it was; null of what a version before told. */
  notice_id: string | null;
  severity: Severity | null;
}

/** Incidents that nobody wants to be told of until then: all that fulfil everything that is given. */
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
  /** JSON: what is muted, as a fact; null if an earlier version muted it. */
  facts: string | null;
}

/** What an operator has changed of a condition's rule; the others are as they come. */
export interface AlertRuleTable {
  kind: string;
  is_on: number;
  /** In the unit of its condition. */
  threshold: number | null;
}

/** What was seen last of something of which a change is what matters, as the messaging limit of a line. */
export interface AlertMarkTable {
  kind: string;
  subject: string;
  value: string;
  at: string;
}

/** One row. Whoever has changed it looks at incidents and channels alone until that is committed. */
export interface AlertTurnTable {
  id: number;
  turn: number;
}
