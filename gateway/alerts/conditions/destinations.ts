import { inWords } from '../../forwarding/failure-words';
import { type Line } from '../../lines/line';
import { type GivenUp } from '../../store/reports/alert-facts';
import { type DestinationRow } from '../../store/tables/destinations';
import { DAY, isoTime, MINUTE } from '../../time';
import { hostOf, MOST_WAITING, type Condition } from './condition';

export interface DestinationFacts {
  /** Those that are paused or take nothing, and those of which something was or will be given up. */
  destinations: DestinationRow[];
  lineById(id: number): Line | null;
  /** Within the last day. */
  givenUp: GivenUp[];
  /** How many deliveries to each have one attempt left. */
  ending: { id: number; count: number }[];
  /** Since when the oldest is due of those that nothing holds up; ISO time. */
  oldestDueAt: string | null;
  now: number;
}

/** What was given up longer ago is told no more; the panel shows it as long as it can be sent again. */
export const NEWS = DAY;
/** Deliveries that are due for longer are late. */
const LATE = 2 * MINUTE;

export function destinationConditions(facts: DestinationFacts): Condition[] {
  const byId = new Map(facts.destinations.map((one) => [one.id, one]));
  const about = (id: number, work: (one: DestinationRow, named: Named) => Condition): Condition[] => {
    const one = byId.get(id);
    return one ? [work(one, namedBy(facts, one))] : [];
  };
  return [
    ...facts.destinations
      .filter((one) => one.paused_at !== null || one.failing_since !== null)
      .map((one) => unhealthy(facts, one, namedBy(facts, one))),
    ...facts.givenUp.flatMap((given) =>
      about(given.destination_id, (one, named) => givenUp(given, one, named)),
    ),
    ...facts.ending.flatMap(({ id, count }) => about(id, (one, named) => ending(facts, count, one, named))),
    ...late(facts),
  ];
}

/** The line and the host, and what every condition of a destination has in common. */
interface Named {
  place: string;
  of: Pick<Condition, 'subject' | 'lineId' | 'wabaId' | 'isTold'>;
}

function namedBy({ lineById }: DestinationFacts, { id, line_id: lineId, url }: DestinationRow): Named {
  const line = lineById(lineId);
  return {
    place: placeOf({ line_id: lineId, url }, line),
    of: { subject: String(id), lineId, wabaId: line?.wabaId ?? null, isTold: true },
  };
}

/** As it is named to people: what follows the host may be a secret. */
export const placeOf = (
  { line_id: lineId, url }: Pick<DestinationRow, 'line_id' | 'url'>,
  line: Pick<Line, 'name'> | null,
): string => `${line?.name ?? `Line ${lineId}`}: ${hostOf(url)}`;

/** Tokens register the workflows of n8n, which registers nothing anew when it starts at another address. */
const MOVED =
  "Was n8n's address changed? Enter the new address for this destination in the control panel: what waits is sent there. Or unpublish the workflow and publish it again, which discards what waits.";

const withMoved = (action: string, { origin }: DestinationRow): string =>
  origin === 'token' ? `${action} ${MOVED}` : action;

function unhealthy({ now }: DestinationFacts, one: DestinationRow, { place, of }: Named): Condition {
  // Counted only where it is told (`waiting.ts`).
  const common = { ...of, waiting: null };
  if (one.paused_at !== null)
    return {
      ...common,
      kind: 'destination_paused',
      severity: 'warning',
      title: `${place} is paused`,
      text: one.paused_because ?? '',
      over: `${place} is paused no longer`,
      action: withMoved(
        'Repair the receiver where that is why, then resume the destination: what waits goes out.',
        one,
      ),
      path: `/panel/events?destination=${one.id}&state=parked`,
      remedy: 'See what waits',
      since: one.paused_at,
    };
  return {
    ...common,
    kind: 'destination_failing',
    severity: 'critical',
    title: `${place} isn't accepting events`,
    text: one.last_failure ? `Last attempt: ${inWords(one.last_failure)}.` : '',
    over: `${place} accepts events again`,
    action: withMoved('Repair the receiver, then press Try now, or wait for the next try.', one),
    path: `/panel/events?destination=${one.id}&state=waiting`,
    remedy: 'See what waits',
    since: one.failing_since ?? isoTime(now),
  };
}

const deliveries = (count: number): string => {
  if (count === 1) return 'one delivery';
  return `${count.toLocaleString('en')} ${count >= MOST_WAITING ? 'or more ' : ''}deliveries`;
};

function givenUp({ count, first }: GivenUp, one: DestinationRow, { place, of }: Named): Condition {
  return {
    ...of,
    kind: 'deliveries_given_up',
    severity: 'critical',
    title: `${place}: ${deliveries(count)} ${count === 1 ? 'was' : 'were'} given up in the last day`,
    text: 'Every attempt failed. The deliveries are stored, and you can resend them.',
    over: `${place}: what was given up was resent, or is a day old`,
    action: 'See why, correct it there, and resend them.',
    path: `/panel/events?destination=${one.id}&state=dead`,
    remedy: 'See and resend them',
    since: first,
    waiting: null,
  };
}

function ending(
  { now }: DestinationFacts,
  count: number,
  one: DestinationRow,
  { place, of }: Named,
): Condition {
  return {
    ...of,
    kind: 'deliveries_ending',
    severity: 'warning',
    title: `${place}: ${deliveries(count)} will be given up`,
    text: 'The receiver has refused each of them for days; one or two attempts are left.',
    over: `${place}: nothing is about to be given up any more`,
    action: 'See what the receiver answers to them, and correct it there.',
    path: `/panel/events?destination=${one.id}&state=waiting`,
    remedy: 'See what waits',
    since: isoTime(now),
    waiting: count,
  };
}

function late({ oldestDueAt, now }: DestinationFacts): Condition[] {
  if (oldestDueAt === null || now - Date.parse(oldestDueAt) <= LATE) return [];
  const minutes = Math.round((now - Date.parse(oldestDueAt)) / MINUTE);
  return [
    {
      kind: 'deliveries_late',
      subject: '',
      lineId: null,
      wabaId: null,
      severity: 'warning',
      title: 'Deliveries are late',
      text: `The oldest has been due for ${minutes} minutes. A receiver is slower than what comes in.`,
      over: 'Deliveries are on time again',
      action: 'See what waits, and for whom.',
      path: '/panel/events?state=waiting',
      remedy: 'See what waits',
      since: oldestDueAt,
      waiting: null,
      isTold: true,
    },
  ];
}
