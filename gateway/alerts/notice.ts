import { randomBytes } from 'node:crypto';
import { neutral } from '../forwarding/failure-words';
import { type NoticeRow, type IncidentRow } from '../store/alerts';
import { type Severity } from '../store/schema';
import { DAY, HOUR, MINUTE, SECOND } from '../time';
import { kindOf } from './kinds';

/** One incident, as it is told. */
export interface ToldIncident {
  id: number;
  title: string;
  text: string;
  severity: Severity;
  /** ISO times; `ended` is null while it lasts. */
  since: string;
  ended: string | null;
  /** How many deliveries wait because of it; null where that is not known. */
  waiting: number | null;
  /** What to do. */
  action: string;
  /** Of the page where it is set right; null for customers, who have no panel. */
  url: string | null;
  line: { id: number; name: string; phone_number_id: string } | null;
}

/** What a channel is told: the `data` of the webhook, and what every other channel makes its words of. */
export interface Notice {
  /** `alrt_…`, the same on every attempt. */
  id: string;
  what: NoticeRow['what'];
  /** As `destination_failing`. */
  condition: string;
  severity: Severity;
  title: string;
  text: string;
  action: string;
  url: string | null;
  since: string;
  ended: string | null;
  waiting: number | null;
  /** How many incidents it tells of, and the first of them. */
  count: number;
  incidents: ToldIncident[];
  /** The address of the gateway that tells it. */
  gateway: string;
}

export const newNoticeId = (): string => `alrt_${randomBytes(15).toString('base64url')}`;

/** Of many, so many are named. */
const MOST_NAMED = 20;

export interface NoticeParts {
  id: string;
  what: NoticeRow['what'];
  incidents: IncidentRow[];
  /** How many of the kind are still open, where some are over. */
  stillOpen: number;
  /** Of those that are over: whether it was never told that they began. */
  isNews: boolean;
  lineOf(id: number): ToldIncident['line'];
  /** Of the gateway, without a slash at its end. */
  gateway: string;
  /** Customers learn nothing of the gateway's panel. */
  isForCustomer: boolean;
}

const URGENCY: Severity[] = ['critical', 'warning', 'info'];

/** One notice of incidents of one kind. */
export function noticeOf({
  id,
  what,
  incidents: rows,
  stillOpen,
  isNews,
  lineOf,
  gateway,
  isForCustomer,
}: NoticeParts): Notice {
  // Why a destination fails may tell which names and addresses there are in the gateway's network.
  const incidents = isForCustomer ? rows.map((row) => ({ ...row, text: neutral(row.text) ?? '' })) : rows;
  const [first] = incidents;
  if (!first) throw new Error('A notice tells of an incident');
  const isOver = what === 'recovered';
  const urlOf = (path: string) => (isForCustomer ? null : `${gateway}${path}`);
  const isOne = incidents.length === 1;
  const counts = incidents.flatMap(({ waiting }) => waiting ?? []);
  const ends = incidents.flatMap(({ closed_at: at }) => at ?? []);
  const words = isOne ? wordsOfOne(first, isOver, isNews) : wordsOfMany(incidents, isOver, stillOpen);
  return {
    id,
    what,
    condition: first.kind,
    severity: URGENCY.find((one) => incidents.some(({ severity }) => severity === one)) ?? 'info',
    ...words,
    action: isOver ? '' : first.action,
    url: urlOf(isOne ? first.path : '/panel/alerts'),
    since: incidents.map(({ since }) => since).toSorted()[0] ?? first.since,
    ended: isOver ? (ends.toSorted().at(-1) ?? null) : null,
    waiting: isOver || !counts.length ? null : counts.reduce((sum, count) => sum + count, 0),
    count: incidents.length,
    incidents: incidents.slice(0, MOST_NAMED).map((one) => ({
      id: one.id,
      title: isOver ? one.over : one.title,
      text: one.text,
      severity: one.severity,
      since: one.since,
      ended: one.closed_at,
      waiting: one.waiting,
      action: one.action,
      url: urlOf(one.path),
      line: one.line_id === null ? null : lineOf(one.line_id),
    })),
    gateway,
  };
}

function wordsOfOne(
  { title, text, over }: IncidentRow,
  isOver: boolean,
  isNews: boolean,
): Pick<Notice, 'title' | 'text'> {
  if (!isOver) return { title, text };
  // It says what it was to whom that could not be told in time.
  return { title: over, text: isNews ? `Not sent in time: ${title}.${text && ` ${text}`}` : '' };
}

function wordsOfMany(
  incidents: IncidentRow[],
  isOver: boolean,
  stillOpen: number,
): Pick<Notice, 'title' | 'text'> {
  const kind = kindOf(incidents[0]?.kind ?? '');
  const say = isOver ? kind?.manyOver : kind?.many;
  return { title: say?.(incidents.length) ?? '', text: named(incidents, isOver ? stillOpen : 0) };
}

/** Of many, three: the page has all. */
function named(incidents: IncidentRow[], stillOpen: number): string {
  const titles = incidents.slice(0, 3).map(({ title }) => title);
  const more = incidents.length - titles.length;
  const list = `${titles.join('; ')}${more > 0 ? `; and ${more.toLocaleString('en')} more` : ''}.`;
  return stillOpen ? `${list} ${stillOpen.toLocaleString('en')} more are not over yet.` : list;
}

/** "2 days", "3 hours", "12 minutes", "40 seconds". */
export function lengthOf(milliseconds: number): string {
  const { count, unit } = inUnit(milliseconds);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** The largest unit of which it has two, rounded. */
export function inUnit(milliseconds: number): { count: number; unit: 'day' | 'hour' | 'minute' | 'second' } {
  const units = [
    [DAY, 'day'],
    [HOUR, 'hour'],
    [MINUTE, 'minute'],
  ] as const;
  const [length, unit] = units.find(([one], index) => {
    const [smaller] = units[index + 1] ?? [SECOND];
    // As it is told in the smaller one: 119.6 seconds are 2 minutes, and not 120 seconds.
    return Math.round(milliseconds / smaller) * smaller >= 2 * one;
  }) ?? [SECOND, 'second' as const];
  return { count: Math.max(1, Math.round(milliseconds / length)), unit };
}
