import { type ProcessRole } from '../process-roles';
import { type CheckFactValues } from './checks';
import { type IssueValues } from './issues';
import { type Kit } from './kit';
import { type RateCardFactValues } from './rate-cards';
import { type TemplateFactValues } from './template-issues';

/**
 * Everything that the gateway tells users about itself, as facts: a word, and the values of its sentence. All parts
 * of the gateway create facts; code that knows the reader's language turns them into sentences (`say.ts`). The
 * compiler requires that the catalogues in `en/`, `pt/` and `es/` have a sentence for every word.
 */

/** A destination in the form shown to users. */
export interface Place {
  /** The name of the line; null if the line no longer exists. */
  line: string | null;
  lineId: number;
  /** Only the host: the path may be a secret. The panel shows more to users who may see it. */
  address: string;
}

/** A business account. Named by its only line; with several lines, others may belong to another customer. */
export interface Account {
  line: string | null;
  wabaId: string;
}

export interface NamedToken {
  line: string;
  name: string | null;
  lastFour: string;
}

/** Why the platform did not respond. */
export type Unreached =
  | 'self_signed'
  | 'expired'
  | 'not_yet_valid'
  | 'unknown_issuer'
  | 'other_host'
  | 'dns'
  | 'refused'
  | 'timeout'
  | 'broken';

/**
 * The values of each alert. `warning`, `because` and `failure` may also be sentences of an earlier version or of the
 * platform.
 */
export interface AlertValues {
  /**
   * `last`: the last failure of an attempt, as stored. `isRegistered`: whether a token registered it, as n8n does.
   */
  destination_failing: { place: Place; last: string | null; isRegistered: boolean };
  destination_paused: { place: Place; because: Said | null; isRegistered: boolean };
  deliveries_late: { minutes: number };
  /** `isMore`: whether `count` is a minimum. */
  deliveries_ending: { place: Place; count: number; isMore: boolean };
  deliveries_given_up: { place: Place; count: number; isMore: boolean };
  /** `status`: the platform's status of the number. */
  line_disconnected: { name: string; status: string | null };
  /** The subject is a line or a business account; `lineId` is set if the account has only one line. */
  line_restricted:
    { name: string; status: string } | { account: Account; lineId: number | null; warning: Said };
  line_quality: { name: string; isLow: boolean };
  /** Contacts per day that the line may write to first; null: unlimited. */
  line_limit: { name: string; limit: number | null; before: number | null };
  /** `because`: the platform's error message. */
  line_credentials: { name: string; isMissing: boolean; because: string | null };
  /** `failed`: what the checks found. */
  line_setup: { name: string; failed: Said[] };
  /** Whole days until the access token of the platform expires; null if it has expired. */
  access_token_expiring: { name: string; days: number | null };
  /** The platform's words, such as `UTILITY`. `lineId`: a line of the account. */
  template_category: {
    template: string;
    account: Account;
    before: string;
    category: string;
    lineId: number;
  };
  /** `state`: the platform's status. `lineId`: a line of the account. */
  template_stopped: { template: string; account: Account; state: string; lineId: number };
  /** `days` until the token expires; null if it has expired. */
  token_expiring: { token: NamedToken; days: number | null };
  token_unused: { token: NamedToken; wasUsed: boolean };
  /** Amounts in `currency`. `unpriced`: charged messages that `spent` leaves out. `isHeld`: marketing is refused. */
  budget_used: {
    customer: string;
    budget: number;
    spent: number;
    currency: string;
    unpriced: number;
    isReached: boolean;
    isHeld: boolean;
  };
  disk_short: { megabytes: number };
  memory_short: { process: string; percent: number };
  overloaded: { process: string; causes: Shortage[] };
  database_away: { process: string };
  platform_away: { process: string; because: Unreached };
  process_gone: { process: string };
  /** No running process has the role. */
  role_missing: { role: ProcessRole };
  clocks_apart: { process: string; seconds: number; isAhead: boolean; of: 'database' | 'platform' };
  backup_failed: { failure: string };
  channel_failing: { channel: string; failure: Said | null };
  log_in_attack: { times: number };
  signature_attack: { times: number };
  token_attack: { times: number };
  /** An owner logged in with a password, although only owners may. */
  owner_password: { times: number };
}

export type Shortage = 'event_loop' | 'backlog' | 'disk';

export type AlertKind = keyof AlertValues;

/** The sentences of one incident: `title` and `over` are headlines without a full stop. */
export interface AlertText {
  title: string;
  text: string;
  over: string;
  action: string;
}

export type AlertWords = {
  [Kind in AlertKind]: {
    one(values: AlertValues[Kind], kit: SayingKit): AlertText;
    /** The headline of several incidents that started, and of several that ended. */
    many(count: number, kit: SayingKit): string;
    manyOver(count: number, kit: SayingKit): string;
    /** The rule as a sentence, in which `N` is replaced by the threshold. */
    rule: string;
  };
};

/** All other facts. */
export interface FactValues extends CheckFactValues, IssueValues, RateCardFactValues, TemplateFactValues {
  /** Why an attempt failed: an outcome (`timeout`), or `HTTP 500`. */
  'attempt.failed': { failure: string };
  /** What is wrong with a line of a file, from 1. */
  'rate_card.line': { line: number; because: Said };
  /** The user who paused a destination; null: a command. */
  'paused.by': { who: string | null };
  'paused.undeliverable': { since: string; last: string };
  'paused.gone': Record<never, never>;

  /** `entry`: for GATEWAY_ALLOW_DESTINATIONS. */
  'address.allow': { entry: string };
  /** The results of a handshake with a destination. */
  'handshake.done': Record<never, never>;
  'handshake.ignored': { status: number };
  'handshake.forbidden': { because: Said };
  'handshake.unknown_host': { host: string };
  'handshake.failed': { message: string };
  /** The same for every unreachable address, so that no token can explore the gateway's network. */
  'handshake.unreached': Record<never, never>;

  'account.restricted': { from: string[] };
  'account.violation': { type: string | null };
  'account.disabled': { state: string; date: string | null };
  'account.deleted': Record<never, never>;

  'over.process_ended': { process: string };
  'over.line_deactivated': { name: string };
  'over.line_removed': { id: number };
  'over.destination_removed': { place: Place };
  'over.destination_expired': { place: Place };
  'over.destination_paused': { place: Place };
  'over.resumed_failing': { place: Place };
  'over.channel_removed': Record<never, never>;
  'over.channel_paused': { channel: string };
  'over.channel_changed': { channel: string };
  'over.process_missed': { process: string };
  'over.token_expired': { token: NamedToken; milliseconds: number };
  'over.token_replaced': { name: string };
  'over.unreported': { what: 'connection' | 'restriction' | 'rating' | 'limit' | 'setup'; name: string };
  /** `name`: of the line. */
  'over.usual': { what: 'rating' | 'limit' | 'category'; name: string | null };

  /** The scope of a mute, if it is not a single incident. */
  'muted.line': { line: string };
  'muted.everything': Record<never, never>;

  /** How the audit differs from the original entries. `at`: the time of the entry, as stored. */
  'entry.inserted': { number: number };
  'entry.many_inserted': { most: number };
  'entry.missing': { from: number; to: number };
  'entry.unverifiable': { missing: number; number: number };
  'entry.changed': { number: number; at: string };
  'entry.no_head': Record<never, never>;
  'entry.no_key': Record<never, never>;
  'entry.other_start': Record<never, never>;
  'entry.other_last': Record<never, never>;
  'entry.of_customer': { customer: string; number: number };
  'entry.unexpected': { number: number };

  /** Why a channel did not accept an alert. */
  'channel.late': Record<never, never>;
  'channel.unreached': { why: string };
  /** `status`: null if the response itself was invalid. */
  'channel.answered': { status: number | null; text: string };
  'channel.no_line': Record<never, never>;
  'channel.no_template': { template: string };
  /** The platform's error message. */
  'channel.whatsapp': { why: string };
  'channel.smtp_late': Record<never, never>;
  'channel.smtp': { why: string };
  'channel.telegram': Record<never, never>;
  'channel.unknown_kind': Record<never, never>;

  /** Why an invitation was not sent by e-mail. */
  'mail.no_server': Record<never, never>;
  'invitation.subject': Record<never, never>;
  'invitation.text': { link: string };

  'channel.test': { channel: string };
  'channel.test.text': { who: string };
}

export type Word = keyof FactValues;
export type Fact<W extends Word = Word> = { [One in W]: { word: One; values: FactValues[One] } }[W];

/**
 * An English sentence of the API, in which `{name}` is replaced by a value. Pages show it in the reader's language if
 * that language's `sentences.ts` contains it.
 */
export interface Sentence {
  english: string;
  values: Record<string, SentenceValue>;
}

/** `{ seconds: 5 }` is a duration. */
export type SentenceValue = Sayable | number | { seconds: number } | { minutes: number } | { hours: number };

type Holes<English extends string> = English extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Holes<Rest>
  : never;

/** @param english with `{name}` for each of `values` */
export const sentence = <English extends string>(
  english: English,
  ...values: [Holes<English>] extends [never] ? [] : [Record<Holes<English>, SentenceValue>]
): Sentence => ({ english, values: values[0] ?? {} });

/** A fact, or a text without translation: from an earlier version or the platform. */
export type Said = Fact | string;

/** Everything that can be translated. */
export type Sayable = Said | Sentence;

export const fact = <W extends Word>(word: W, values: FactValues[W]): Fact<W> =>
  ({ word, values }) as Fact<W>;

/** An alert as a fact. */
export type AlertFact<Kind extends AlertKind = AlertKind> = {
  [One in Kind]: { kind: One; values: AlertValues[One] };
}[Kind];

export type FactWords = { [W in Word]: (values: FactValues[W], kit: SayingKit) => string };

/** The helpers for writing sentences, including other facts in the same language. */
export interface SayingKit extends Kit {
  say(said: Said | null): string;
}

/** The fixed parts of an alert. */
export interface NoticeWords {
  urgency: Record<'critical' | 'warning' | 'info' | 'recovered' | 'test' | 'escalated' | 'reminder', string>;
  since(at: string): string;
  lasted(length: string, until: string): string;
  waiting(count: number, isMore: boolean, kit: SayingKit): string;
  noneWaiting: string;
  whatToDo(action: string): string;
  /** Follows up to three headlines. */
  andMore(count: string): string;
  stillOpen(count: string): string;
  /** For incidents that ended before their alert could be sent. */
  late(title: string): string;
  openPanel: string;
  /** The footer of an e-mail. @param gateway its URL; empty if unknown */
  foot(gateway: string): string;
}

export interface Catalogue {
  alerts: AlertWords;
  facts: FactWords;
  notice: NoticeWords;
  /** API sentences shown on pages, by their English text. */
  sentences: Record<string, string>;
}
