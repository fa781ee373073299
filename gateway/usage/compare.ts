import { type SentOnDay } from '../store/reports/usage';
import { type Store } from '../store/store';
import { type PlatformUsageRow } from '../store/tables/platform-usage';
import { HOUR, type Clock } from '../time';
import { UNKNOWN_COUNTRY } from './country-of-number';
import { dateIn, datePlus, startOf } from './days';

/** The platform's counts of a day are final this long after its end. */
const FINAL_AFTER = 48 * HOUR;
/** Days that are compared at most. */
const DAYS_COMPARED = 30;
/** The first day that is compared. @param now milliseconds */
export const comparedSince = (now: number): string => datePlus(dateIn('UTC', now), -DAYS_COMPARED);

/** A difference from which a row is flagged, as share of the messages and in messages. */
const FLAGGED = { share: 0.01, messages: 10 };

/**
 * Why the counts probably differ.
 * - `no_status`: the platform reported no delivery of messages that the gateway sent
 * - `other_price`: it counts them in another category or type, such as a free entry point
 * - `day_borders`: it counts them on another day, because it counts deliveries and the gateway counts sends
 * - `past_gateway`: another program sent them
 */
export const COMPARED_REASONS = [
  ...(['no_status', 'other_price', 'day_borders', 'past_gateway', 'unexplained'] as const),
] as const;
export type ComparedReason = (typeof COMPARED_REASONS)[number];

/** Delivered messages of a line in a pricing category and type, on all days that are compared. */
export interface ComparedRow {
  lineId: number;
  /** Empty if it is unknown. */
  category: string;
  type: string;
  ours: number;
  theirs: number;
  /** Where the counts differ, the largest difference first: theirs without ours. */
  countries: { country: string; difference: number }[];
  isFlagged: boolean;
  /** Null if the counts are the same. */
  reason: ComparedReason | null;
}

export interface ComparedUsage {
  /** The first and last day of all lines that are compared; null if none is final yet. */
  days: { from: string; to: string } | null;
  /** When the platform was last asked (ISO time); null if it never answered. */
  readAt: string | null;
  /** The flagged ones first, then by difference. */
  rows: ComparedRow[];
}

/**
 * Compares what lines sent with what the platform counted, on the days whose counts are final.
 * @param deps a store within the reader's reach
 */
export async function compareUsage({ store, clock }: { store: Store; clock: Clock }): Promise<ComparedUsage> {
  const since = comparedSince(clock());
  const [lines, theirs, ours] = await Promise.all([
    store.lines.all(),
    store.platformUsage.since(since),
    store.usageReport.sentSince(since),
  ]);
  const theirsOf = Map.groupBy(theirs, (row) => row.line_id);
  const oursOf = Map.groupBy(ours, (row) => row.line_id);
  const compared = lines.flatMap(({ id, time_zone: zone }) => {
    const final = (theirsOf.get(id) ?? []).filter(isFinalIn(zone ?? 'UTC'));
    const days = [...new Set(final.map(({ day }) => day))].sort();
    const sent = (oursOf.get(id) ?? []).filter(({ day }) => days.includes(day));
    return days.length ? [{ days, rows: compareLine({ id, days }, sent, final) }] : [];
  });
  const days = compared.flatMap((one) => one.days).sort();
  const [from, to] = [days[0], days.at(-1)];
  return {
    days: from !== undefined && to !== undefined ? { from, to } : null,
    readAt:
      theirs
        .map((row) => row.read_at)
        .sort()
        .at(-1) ?? null,
    rows: compared.flatMap((one) => one.rows).toSorted(byImportance),
  };
}

/** @returns whether the platform was asked after the count of the row's day was final */
function isFinalIn(zone: string): (row: PlatformUsageRow) => boolean {
  const finalAt = new Map<string, number>();
  return ({ day, read_at: readAt }) => {
    const at = finalAt.get(day) ?? startOf(zone, datePlus(day, 1)) + FINAL_AFTER;
    finalAt.set(day, at);
    return Date.parse(readAt) >= at;
  };
}

/** A line and the days that are compared, in order. */
interface ComparedLine {
  id: number;
  days: string[];
}

type Counted = Pick<SentOnDay, 'day' | 'category' | 'type' | 'country' | 'delivered'>;

function compareLine(line: ComparedLine, sent: SentOnDay[], told: PlatformUsageRow[]): ComparedRow[] {
  // Theirs without ours, so that each sum is a difference.
  const differences: Counted[] = [...told, ...sent.map((row) => ({ ...row, delivered: -row.delivered }))];
  const all = {
    difference: sumOf(differences),
    unreported: sent.reduce((sum, row) => sum + row.sent - row.delivered - row.failed, 0),
  };
  const priceOf = ({ category, type }: Counted): string => `${category} ${type}`;
  const oursOf = Map.groupBy(sent, priceOf);
  const groups = [...Map.groupBy(differences, priceOf)].map(([price, rows]) => {
    const [{ category, type }] = rows as [Counted];
    const ours = sumOf(oursOf.get(price) ?? []);
    const difference = sumOf(rows);
    const row = { lineId: line.id, category, type, ours, theirs: ours + difference };
    return {
      ...row,
      countries: countriesIn(rows),
      isFlagged: isFlagged(row),
      reason: difference ? reasonFor(line, rows, difference, all) : null,
    };
  });
  return groups.filter(({ ours, theirs }) => ours > 0 || theirs > 0);
}

const sumOf = (rows: Pick<Counted, 'delivered'>[]): number =>
  rows.reduce((sum, { delivered }) => sum + delivered, 0);

function isFlagged({ ours, theirs }: { ours: number; theirs: number }): boolean {
  const difference = Math.abs(theirs - ours);
  return difference >= FLAGGED.messages || difference > FLAGGED.share * Math.max(ours, theirs);
}

const countriesIn = (rows: Counted[]): ComparedRow['countries'] =>
  [...Map.groupBy(rows, (row) => row.country || UNKNOWN_COUNTRY)]
    .map(([country, some]) => ({ country, difference: sumOf(some) }))
    .filter(({ difference }) => difference !== 0)
    .toSorted((one, other) => Math.abs(other.difference) - Math.abs(one.difference));

/** @param all of the line: the difference of all prices, and messages without a delivery or failure */
function reasonFor(
  { days }: ComparedLine,
  rows: Counted[],
  difference: number,
  all: { difference: number; unreported: number },
): ComparedReason {
  if (difference > 0 && difference <= all.unreported) return 'no_status';
  if (Math.sign(all.difference) !== Math.sign(difference)) return 'other_price';
  // Sent before the first day and delivered on it, or sent on the last day and delivered after it.
  const border = difference > 0 ? days[0] : days.at(-1);
  if (sumOf(rows.filter(({ day }) => day !== border)) === 0) return 'day_borders';
  return difference > 0 ? 'past_gateway' : 'unexplained';
}

const byImportance = (one: ComparedRow, other: ComparedRow): number =>
  Number(other.isFlagged) - Number(one.isFlagged) ||
  Math.abs(other.theirs - other.ours) - Math.abs(one.theirs - one.ours) ||
  one.lineId - other.lineId ||
  (`${one.category} ${one.type}` < `${other.category} ${other.type}` ? -1 : 1);
