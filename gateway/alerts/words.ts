import { once } from '../primitives/once';
import { type Severity } from '../store/schema';
import { MOST_WAITING } from './conditions/condition';
import { lengthOf, type Notice } from './notice';

const URGENCY: Record<Severity, string> = { critical: 'Urgent', warning: 'Soon', info: 'Note' };

/** How urgent it is, or that it is over, in a word. */
export function urgencyOf({ what, severity }: Pick<Notice, 'what' | 'severity'>): string {
  if (what === 'recovered') return 'Over';
  if (what === 'test') return 'Test';
  if (what === 'escalated') return 'Now urgent';
  return what === 'reminder' ? 'Still' : URGENCY[severity];
}

/** "Urgent: My shop: hooks.example.com isn't accepting events". */
export const headlineOf = (notice: Notice): string => `${urgencyOf(notice)}: ${notice.title}`;

/** Made when it is first needed: the names of months are 5 MB of what Node brings along. */
const timeFormat = once(
  () =>
    new Intl.DateTimeFormat('en-GB', {
      timeZone: 'UTC',
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
    }),
);

/** "10 Mar, 12:03 UTC". */
const inUtc = (at: string): string => `${timeFormat().format(Date.parse(at))} UTC`;

/** Since when, or how long it lasted. */
export function timesOf({ what, since, ended }: Notice): string {
  if (what === 'test') return '';
  if (ended === null) return `Since ${inUtc(since)}.`;
  return `It lasted ${lengthOf(Date.parse(ended) - Date.parse(since))}, until ${inUtc(ended)}.`;
}

/** What it costs. */
export function costOf({ waiting }: Pick<Notice, 'waiting'>): string {
  if (waiting === null) return '';
  if (waiting === 0) return 'No deliveries are waiting yet.';
  const count = `${waiting.toLocaleString('en')}${waiting >= MOST_WAITING ? ' or more' : ''}`;
  return `${count} ${waiting === 1 ? 'delivery is' : 'deliveries are'} waiting.`;
}

/** All that is told beneath the headline but the link, a sentence or two in each line. */
export const linesOf = (notice: Notice): string[] =>
  [
    notice.text,
    [timesOf(notice), costOf(notice)].filter(Boolean).join(' '),
    notice.action && `What to do: ${notice.action}`,
  ].filter(Boolean);

/** The same as text, with the link at its end. */
export const plainText = (notice: Notice): string =>
  [...linesOf(notice), notice.url ?? ''].filter(Boolean).join('\n');
