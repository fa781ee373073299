import { AWAY_AFTER } from '../cloud-api/reach';
import { FAILING_AFTER } from '../forwarding/queue/health';
import { MINUTE } from '../time';

/**
 * Every condition that people are told of, with its rule: whether it is told where nobody has changed that, and from
 * which measure on. To add one: its entry here, and what finds it in `conditions.ts` or `process-watch.ts`.
 */
export interface Kind {
  /** Its rule as a sentence; `N` stands for the threshold. */
  rule: string;
  threshold?: { of: 'minutes' | 'days' | 'megabytes' | 'seconds' | 'times'; default: number; most: number };
  /** That there are many at once, and that they are over. */
  many(count: number): string;
  manyOver(count: number): string;
}

const number = (count: number): string => count.toLocaleString('en');

const pluralOf = (thing: string): string => `${thing}${thing.endsWith('s') ? 'es' : 's'}`;

/** "1 line is", "2 lines are". */
const some = (thing: string, singular: string, plural: string) => (count: number) =>
  `${number(count)} ${count === 1 ? thing : pluralOf(thing)} ${count === 1 ? singular : plural}`;

export const KINDS = {
  destination_failing: {
    rule: 'A destination has accepted no events for N minutes.',
    threshold: { of: 'minutes', default: FAILING_AFTER / MINUTE, most: 1_440 },
    many: some('destination', "isn't accepting events", "aren't accepting events"),
    manyOver: some('destination', 'accepts events again', 'accept events again'),
  },
  destination_paused: {
    rule: 'A destination is paused.',
    many: some('destination', 'is paused', 'are paused'),
    manyOver: some('destination', 'is paused no longer', 'are paused no longer'),
  },
  deliveries_late: {
    rule: 'Deliveries are N minutes late.',
    threshold: { of: 'minutes', default: 5, most: 1_440 },
    many: () => 'Deliveries are late',
    manyOver: () => 'Deliveries are on time again',
  },
  deliveries_ending: {
    rule: 'A delivery has one or two attempts left before it is given up.',
    many: some('destination', 'will lose events', 'will lose events'),
    manyOver: some(
      'destination',
      'has nothing left that is about to be given up',
      'have nothing left that is about to be given up',
    ),
  },
  deliveries_given_up: {
    rule: 'A delivery was given up after its last attempt.',
    many: (count) => `Deliveries to ${number(count)} destinations were given up`,
    manyOver: (count) => `What was given up at ${number(count)} destinations was resent, or is a day old`,
  },
  line_disconnected: {
    rule: 'A line is not connected any more.',
    many: some('line', 'is not connected', 'are not connected'),
    manyOver: some('line', 'is connected again', 'are connected again'),
  },
  line_restricted: {
    rule: 'WhatsApp restricts a line or its account.',
    many: some('line', 'is restricted', 'are restricted'),
    manyOver: some('line', 'is restricted no longer', 'are restricted no longer'),
  },
  line_quality: {
    rule: 'The quality rating of a line is low, or was lowered.',
    many: some('line', 'was rated lower', 'were rated lower'),
    manyOver: some('line', 'is rated as before', 'are rated as before'),
  },
  line_limit: {
    rule: 'The messaging limit of a line was lowered.',
    many: some('line', 'may write to fewer people', 'may write to fewer people'),
    manyOver: some('line', 'has its limit back', 'have their limits back'),
  },
  line_credentials: {
    rule: 'A line has no access token, or WhatsApp refuses it.',
    many: some('line', 'has no access token that works', 'have no access token that works'),
    manyOver: some('line', 'has an access token that works', 'have access tokens that work'),
  },
  template_stopped: {
    rule: 'A template was rejected, paused or disabled.',
    many: some('template', 'cannot be sent', 'cannot be sent'),
    manyOver: some('template', 'is stopped no longer', 'are stopped no longer'),
  },
  token_expiring: {
    rule: 'A token that nothing replaces expires within N days, or has expired.',
    threshold: { of: 'days', default: 7, most: 365 },
    many: some('token', 'is about to expire', 'are about to expire'),
    manyOver: some('token', 'was replaced, or is gone', 'were replaced, or are gone'),
  },
  token_unused: {
    rule: 'A token has not been used for N days.',
    threshold: { of: 'days', default: 90, most: 3_650 },
    many: some('token', 'is not used', 'are not used'),
    manyOver: some('token', 'is used again, or gone', 'are used again, or gone'),
  },
  disk_short: {
    rule: 'Less than N MB are free where the database is.',
    threshold: { of: 'megabytes', default: 1_024, most: 1_000_000 },
    many: () => 'The disk is almost full',
    manyOver: () => 'The disk has room again',
  },
  memory_short: {
    rule: 'A process has less than a tenth of its memory left.',
    many: some('process', 'is short of memory', 'are short of memory'),
    manyOver: some('process', 'has memory again', 'have memory again'),
  },
  overloaded: {
    rule: 'A process has more to do than it can, and refuses requests.',
    many: some('process', 'refuses requests', 'refuse requests'),
    manyOver: some('process', 'accepts requests again', 'accept requests again'),
  },
  database_away: {
    rule: 'The database has not answered for N minutes.',
    threshold: { of: 'minutes', default: 1, most: 60 },
    many: () => 'The database does not answer',
    manyOver: () => 'The database answers again',
  },
  platform_away: {
    rule: 'WhatsApp did not answer N calls in a row.',
    threshold: { of: 'times', default: AWAY_AFTER, most: 100 },
    many: some('process', 'cannot reach WhatsApp', 'cannot reach WhatsApp'),
    manyOver: some('process', 'reaches WhatsApp again', 'reach WhatsApp again'),
  },
  process_gone: {
    rule: 'A process has been gone for N minutes without having been stopped.',
    threshold: { of: 'minutes', default: 1, most: 1_440 },
    many: some('process', 'is gone', 'are gone'),
    manyOver: some('process', 'is missing no longer', 'are missing no longer'),
  },
  clocks_apart: {
    rule: 'The clock of a machine is off by more than N seconds.',
    threshold: { of: 'seconds', default: 30, most: 3_600 },
    many: some('clock', 'is wrong', 'are wrong'),
    manyOver: some('clock', 'is right again', 'are right again'),
  },
  backup_failed: {
    rule: 'The daily backup failed.',
    many: () => 'The daily backup failed',
    manyOver: () => 'The daily backup fails no longer',
  },
  channel_failing: {
    rule: 'Alerts do not reach one of the channels.',
    many: some('alert channel', "isn't accepting alerts", "aren't accepting alerts"),
    manyOver: some('alert channel', 'accepts alerts again', 'accept alerts again'),
  },
  log_in_attack: {
    rule: 'More than N log-ins to the control panel fail within 10 minutes.',
    threshold: { of: 'times', default: 20, most: 4_000 },
    many: () => 'Many log-ins fail',
    manyOver: () => 'Log-ins no longer fail in numbers',
  },
  signature_attack: {
    rule: 'More than N notifications with a wrong signature come within 10 minutes.',
    threshold: { of: 'times', default: 10, most: 4_000 },
    many: () => 'Notifications come with wrong signatures',
    manyOver: () => 'Signatures are right again',
  },
  token_attack: {
    rule: 'More than N requests with a wrong token come within 10 minutes.',
    threshold: { of: 'times', default: 100, most: 4_000 },
    many: () => 'Many requests come with wrong tokens',
    manyOver: () => 'Wrong tokens no longer come in numbers',
  },
} satisfies Record<string, Kind>;

export type ConditionKind = keyof typeof KINDS;
export const CONDITION_KINDS = Object.keys(KINDS) as ConditionKind[];
export const isConditionKind = (word: string): word is ConditionKind => word in KINDS;
export const kindOf = (kind: string): Kind | null => (isConditionKind(kind) ? KINDS[kind] : null);

/** Whether its subject is the id of a destination. */
export const isOfDestination = (kind: string): boolean =>
  ['destination_failing', 'destination_paused', 'deliveries_ending', 'deliveries_given_up'].includes(kind);
