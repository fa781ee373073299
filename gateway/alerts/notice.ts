import { randomBytes } from 'node:crypto';
import { type NoticeRow, type IncidentRow } from '../store/tables/alerts';
import { type Severity } from '../store/schema';
import { type Fact } from '../wording/facts';
import { type Language } from '../wording/language';
import { noticeWords, say, sayingKit, sayMany } from '../wording/say';
import { factOf, publicSubject, subjectOf, textOf, type Subject } from './incident-text';
import { isConditionKind } from './kinds';

/** A fact in the webhook's format: the kind of alert, and its values. */
interface SentFact {
  word: string;
  values: object;
}

/** One incident of an alert. */
export interface ToldIncident {
  id: number;
  title: string;
  text: string;
  fact: SentFact | null;
  severity: Severity;
  /** ISO times; `ended` is null while the incident is open. */
  since: string;
  ended: string | null;
  /** Deliveries that wait because of it; null if unknown. */
  waiting: number | null;
  /** What the reader should do. */
  action: string;
  /** The panel page for fixing it; null for customers, who have no panel. */
  url: string | null;
  line: { id: number; name: string; phone_number_id: string } | null;
}

/** The content of an alert: the `data` of the webhook, from which other channels write their message. */
export interface Notice {
  /** `alrt_…`, identical in every attempt. */
  id: string;
  what: NoticeRow['what'];
  /** Such as `destination_failing`. */
  condition: string;
  severity: Severity;
  title: string;
  text: string;
  action: string;
  /** The facts, for programs; null for a test, and for incidents of an earlier version. */
  fact: SentFact | null;
  url: string | null;
  since: string;
  ended: string | null;
  waiting: number | null;
  /** The number of incidents, and the first of them. */
  count: number;
  incidents: ToldIncident[];
  /** The URL of the sending gateway. */
  gateway: string;
}

/** The facts from which an alert is written in the channel's language. */
export type Saying =
  | { title: Fact; text: Fact }
  | {
      /** The incidents named in the text. */
      subjects: Subject[];
      /** The number of incidents of the kind that are still open, if some have ended. */
      stillOpen: number;
      /** Whether the channel was never notified of their start. */
      isNews: boolean;
    };

/** An alert in English, as stored in the outbox. `saying` is missing if an earlier version wrote it. */
export type StoredNotice = Notice & { saying?: Saying };

/** An alert in the channel's language. */
export type SpokenNotice = Notice & { language: Language };

export const newNoticeId = (): string => `alrt_${randomBytes(15).toString('base64url')}`;

/** The most incidents that an alert names. */
const MOST_NAMED = 20;

export interface NoticeParts {
  id: string;
  what: NoticeRow['what'];
  incidents: IncidentRow[];
  stillOpen: number;
  isNews: boolean;
  lineOf(id: number): ToldIncident['line'];
  /** The gateway's URL, without a trailing slash. */
  gateway: string;
  /** The page of all incidents. */
  alertsPath: string;
  /** Alerts for customers contain no links to the panel. */
  isForCustomer: boolean;
}

const URGENCY: Severity[] = ['critical', 'warning', 'info'];

/** Creates one alert about incidents of one kind. */
export function noticeOf(parts: NoticeParts): StoredNotice {
  const { id, what, incidents, stillOpen, isNews, lineOf, gateway, isForCustomer } = parts;
  const [first] = incidents;
  if (!first) throw new Error('A notice needs an incident');
  const isOver = what === 'recovered';
  const isOne = incidents.length === 1;
  const urlOf = (path: string) => (isForCustomer ? null : `${gateway}${path}`);
  const counts = incidents.flatMap(({ waiting }) => waiting ?? []);
  const ends = incidents.flatMap(({ closed_at: at }) => at ?? []);
  const named = incidents.slice(0, MOST_NAMED);
  const subjects = named.map((row) => (isForCustomer ? publicSubject(subjectOf(row)) : subjectOf(row)));
  const facts = subjects.map((subject) => {
    const alert = factOf(subject);
    return alert && { word: alert.kind, values: alert.values };
  });
  const notice: Notice = {
    ...{ id, what, condition: first.kind, title: '', text: '', action: '' },
    fact: isOne ? (facts[0] ?? null) : { word: `${first.kind}.many`, values: { count: incidents.length } },
    severity: URGENCY.find((one) => incidents.some(({ severity }) => severity === one)) ?? 'info',
    url: urlOf(isOne ? first.path : parts.alertsPath),
    since: incidents.map(({ since }) => since).toSorted()[0] ?? first.since,
    ended: isOver ? (ends.toSorted().at(-1) ?? null) : null,
    waiting: isOver || !counts.length ? null : counts.reduce((sum, count) => sum + count, 0),
    count: incidents.length,
    incidents: named.map((one, index) => ({
      ...{ id: one.id, title: '', text: '', action: '', fact: facts[index] ?? null },
      severity: one.severity,
      since: one.since,
      ended: one.closed_at,
      waiting: one.waiting,
      url: urlOf(one.path),
      line: one.line_id === null ? null : lineOf(one.line_id),
    })),
    gateway,
  };
  return inEnglish(notice, { subjects, stillOpen, isNews });
}

/** Creates an alert for the outbox: in English, which the webhook sends, with the facts for other languages. */
export function inEnglish(notice: Notice, saying: Saying): StoredNotice {
  return { ...spoken('en', { ...notice, saying }), saying };
}

/** Translates an alert; one of an earlier version stays in English. */
export function spoken(language: Language, { saying, ...notice }: StoredNotice): SpokenNotice {
  if (!saying) return { ...notice, language: 'en' };
  if ('title' in saying)
    return { ...notice, language, title: say(language, saying.title), text: say(language, saying.text) };
  const { subjects, stillOpen, isNews } = saying;
  const isOver = notice.what === 'recovered';
  const texts = subjects.map((subject) => textOf(language, subject));
  const [first] = texts;
  if (!first) return { ...notice, language };
  const words = noticeWords(language);
  const { number } = sayingKit(language);
  const head = (): Pick<Notice, 'title' | 'text'> => {
    if (notice.count > 1) {
      const titles = texts.slice(0, 3).map(({ title }) => title);
      const more = notice.count - titles.length;
      const list = [...titles, ...(more > 0 ? [words.andMore(number(more))] : [])].join('; ');
      const open = isOver && stillOpen ? ` ${words.stillOpen(number(stillOpen))}` : '';
      const title = isConditionKind(notice.condition)
        ? sayMany(language, notice.condition, notice.count, isOver)
        : first.title;
      return { title, text: `${list}.${open}` };
    }
    if (!isOver) return { title: first.title, text: first.text };
    // A channel that could not be reached during the incident still gets the history.
    return {
      title: first.over,
      text: isNews ? [words.late(first.title), first.text].filter(Boolean).join(' ') : '',
    };
  };
  return {
    ...notice,
    ...head(),
    language,
    action: isOver ? '' : first.action,
    incidents: notice.incidents.map((one, index) => {
      const {
        title = one.title,
        text = one.text,
        over = one.title,
        action = one.action,
      } = texts[index] ?? {};
      return { ...one, title: isOver ? over : title, text, action };
    }),
  };
}
