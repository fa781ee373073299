import { type Language } from '../wording/language';
import { noticeWords, sayingKit } from '../wording/say';
import { MOST_WAITING } from './conditions/condition';
import { type SpokenNotice } from './notice';

/** The severity in a word, or that the incident has ended. */
export function urgencyOf({ language, what, severity }: SpokenNotice): string {
  const { urgency } = noticeWords(language);
  return what === 'opened' ? urgency[severity] : urgency[what];
}

/** "Urgent: My shop: hooks.example.com isn't accepting events". */
export const headlineOf = (notice: SpokenNotice): string => `${urgencyOf(notice)}: ${notice.title}`;

/** The start of the incident, or its duration. */
export function timesOf({ language, what, since, ended }: SpokenNotice): string {
  if (what === 'test') return '';
  const words = noticeWords(language);
  const { time, duration } = sayingKit(language);
  if (ended === null) return words.since(time(since));
  return words.lasted(duration(Date.parse(ended) - Date.parse(since)), time(ended));
}

/** The number of deliveries that wait because of it. */
export function costText(language: Language, waiting: number | null): string {
  if (waiting === null) return '';
  const words = noticeWords(language);
  if (waiting === 0) return words.noneWaiting;
  return words.waiting(waiting, waiting >= MOST_WAITING, sayingKit(language));
}

export const costOf = ({ language, waiting }: SpokenNotice): string => costText(language, waiting);

export const actionOf = ({ language, action }: SpokenNotice): string =>
  action && noticeWords(language).whatToDo(action);

/** Everything below the headline except the link, one or two sentences per line. */
export const linesOf = (notice: SpokenNotice): string[] =>
  [notice.text, [timesOf(notice), costOf(notice)].filter(Boolean).join(' '), actionOf(notice)].filter(
    Boolean,
  );

/** The alert as text, with the link at the end. */
export const plainText = (notice: SpokenNotice): string =>
  [...linesOf(notice), notice.url ?? ''].filter(Boolean).join('\n');
