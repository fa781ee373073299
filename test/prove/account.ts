import { until } from '../support/http-peer';
import { type Produced, type Producer } from './producer';
import { type Arrival, type Receiver } from './receiver';

/** The most events in flight to one destination that keeps up (P9). */
export const MOST_IN_FLIGHT = 32;
/**
 * The most events that one destination may receive again after a fault: those in flight, and those whose
 * answer was not recorded (P22).
 */
export const MOST_REPEATED = MOST_IN_FLIGHT + 64;

/** The result for the acknowledged events. */
export interface Account {
  acknowledged: number;
  /** Acknowledged events that the receiver never accepted. */
  lost: Produced[];
  /** Arrivals of events that the receiver had already accepted. */
  repeated: Arrival[];
  /** First arrivals after a later event of the same contact. */
  outOfOrder: Arrival[];
  /** Arrivals of events that were never posted. */
  strangers: Arrival[];
}

/** @param arrivals at one destination */
export function settle(producers: Producer[], arrivals: readonly Arrival[]): Account {
  const events = new Map(producers.flatMap((producer) => [...producer.events]));
  const acknowledged = [...events.values()].filter(({ acknowledgedAt }) => acknowledgedAt !== null);
  const taken = new Set<string>();
  const seen = new Set<string>();
  const latest = new Map<string, number>();
  const account: Account = {
    acknowledged: acknowledged.length,
    lost: [],
    repeated: [],
    outOfOrder: [],
    strangers: [],
  };
  for (const arrival of arrivals) {
    const { wamid, contact, status } = arrival;
    const event = events.get(wamid);
    if (!event || event.contact !== contact) account.strangers.push(arrival);
    if (taken.has(wamid)) account.repeated.push(arrival);
    if (!seen.has(wamid) && event) {
      seen.add(wamid);
      if (event.postedAt < (latest.get(contact) ?? 0)) account.outOfOrder.push(arrival);
      else latest.set(contact, event.postedAt);
    }
    if (status !== null && status >= 200 && status <= 299) taken.add(wamid);
  }
  account.lost = acknowledged.filter(({ wamid }) => !taken.has(wamid));
  return account;
}

/** Returns the faults that fail every proof. */
export function faultsOf({ lost, outOfOrder, strangers }: Account): string[] {
  const told = (what: string, of: { wamid: string }[]) =>
    of.length
      ? [
          `${of.length} ${what}, such as ${of
            .slice(0, 3)
            .map(({ wamid }) => wamid)
            .join(', ')}`,
        ]
      : [];
  return [
    ...told('acknowledged events are lost', lost),
    ...told('first attempts are out of order', outOfOrder),
    ...told('events arrived that nobody sent', strangers),
  ];
}

/**
 * Checks durations against a limit.
 * @param took milliseconds each
 * @param allowed the limit in milliseconds, and the percentage that may exceed it, because a busy machine
 * stalls at times
 * @returns null if the limit is kept
 */
export function lateOf(took: number[], { budget, late }: { budget: number; late: number }): string | null {
  const longer = took.filter((one) => !(one <= budget));
  return longer.length * 100 > took.length * late
    ? `${longer.length} of ${took.length} after more than ${milliseconds(budget)}, the last after ${milliseconds(Math.max(...took))}`
    : null;
}

/**
 * Waits until the receivers have accepted every acknowledged event.
 * @returns whether they have, in time
 */
export async function untilTaken(
  producers: Producer[],
  receivers: Receiver[],
  within: number,
): Promise<boolean> {
  const missing = () =>
    producers.some((producer) =>
      producer.acknowledged().some(({ wamid }) => !receivers.every(({ taken }) => taken.has(wamid))),
    );
  try {
    await until(() => !missing(), within);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param numbers in any order
 * @param part from 0 to 1
 */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
export const seconds = (value: number): string => `${(value / 1000).toFixed(1)} s`;
/** Formats counts as `503: 12, ECONNREFUSED: 3`. */
export const counted = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([what, count]) => `${what}: ${count}`).join(', ') || 'none';
