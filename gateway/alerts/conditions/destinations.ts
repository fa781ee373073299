import { type Line } from '../../lines/line';
import { saidOfPause } from '../../forwarding/failures';
import { FAILING_AFTER } from '../../forwarding/queue/health';
import { type GivenUp } from '../../store/reports/alert-facts';
import { type DestinationRow } from '../../store/tables/destinations';
import { DAY, isoTime, MINUTE } from '../../time';
import { type Place } from '../../wording/facts';
import { type Kinds } from './kind';
import { hostOf, MOST_WAITING, type Condition } from './condition';

export const destinationKinds = {
  destination_failing: {
    threshold: { of: 'minutes', default: FAILING_AFTER / MINUTE, most: 1_440 },
    isOfDestination: true,
    turnsInto: 'destination_paused',
  },
  destination_paused: { isOfDestination: true },
  deliveries_late: { threshold: { of: 'minutes', default: 5, most: 1_440 } },
  deliveries_ending: { isOfDestination: true, turnsInto: 'deliveries_given_up' },
  deliveries_given_up: { isOfDestination: true },
} satisfies Kinds;

export interface DestinationFacts {
  /** Destinations that are paused or failing, or have deliveries that were or will be given up. */
  destinations: DestinationRow[];
  lineById(id: number): Line | null;
  /** Deliveries given up within the last day. */
  givenUp: GivenUp[];
  /** Deliveries with one attempt left, by destination. */
  ending: { id: number; count: number }[];
  /** The oldest due time of deliveries that could be sent (ISO). */
  oldestDueAt: string | null;
  now: number;
}

/** Deliveries given up longer ago cause no alert. The panel shows them while they can be resent. */
export const NEWS = DAY;
/** A delivery is late this long after its due time. */
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
    ...facts.givenUp.flatMap(({ destination_id: id, count, first }) =>
      about(id, (_, { place, of }) => ({
        ...of,
        kind: 'deliveries_given_up',
        values: { place, count, isMore: count >= MOST_WAITING },
        severity: 'critical',
        since: first,
        waiting: null,
      })),
    ),
    ...facts.ending.flatMap(({ id, count }) =>
      about(id, (_, { place, of }) => ({
        ...of,
        kind: 'deliveries_ending',
        values: { place, count, isMore: count >= MOST_WAITING },
        severity: 'warning',
        since: isoTime(facts.now),
        waiting: count,
      })),
    ),
    ...late(facts),
  ];
}

/** The destination, and the common fields of its conditions. */
interface Named {
  place: Place;
  of: Pick<Condition, 'subject' | 'lineId' | 'wabaId' | 'isTold'>;
}

function namedBy({ lineById }: DestinationFacts, one: DestinationRow): Named {
  const line = lineById(one.line_id);
  return {
    place: placeOf(one, line),
    of: { subject: String(one.id), lineId: one.line_id, wabaId: line?.wabaId ?? null, isTold: true },
  };
}

export const placeOf = (
  { line_id: lineId, url }: Pick<DestinationRow, 'line_id' | 'url'>,
  line: Pick<Line, 'name'> | null,
): Place => ({ line: line?.name ?? null, lineId, address: hostOf(url) });

function unhealthy({ now }: DestinationFacts, one: DestinationRow, { place, of }: Named): Condition {
  const isRegistered = one.origin === 'token';
  // Waiting deliveries are counted only if the alert is sent or shown (`waiting.ts`).
  const common = { ...of, waiting: null };
  if (one.paused_at !== null)
    return {
      ...common,
      kind: 'destination_paused',
      values: { place, because: saidOfPause(one), isRegistered },
      severity: 'warning',
      since: one.paused_at,
    };
  return {
    ...common,
    kind: 'destination_failing',
    values: { place, last: one.last_failure, isRegistered },
    severity: 'critical',
    since: one.failing_since ?? isoTime(now),
  };
}

function late({ oldestDueAt, now }: DestinationFacts): Condition[] {
  if (oldestDueAt === null || now - Date.parse(oldestDueAt) <= LATE) return [];
  return [
    {
      kind: 'deliveries_late',
      values: { minutes: Math.round((now - Date.parse(oldestDueAt)) / MINUTE) },
      subject: '',
      lineId: null,
      wabaId: null,
      severity: 'warning',
      since: oldestDueAt,
      waiting: null,
      isTold: true,
    },
  ];
}
