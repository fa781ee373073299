import { until } from '../support/http-peer';
import { type Produced, type Producer } from './producer';
import { type Arrival, type Receiver } from './receiver';

/** In flight at once to one destination that keeps up with it (P9). */
export const MOST_IN_FLIGHT = 32;
/** What may come again to one destination after a fault: what was in flight, and answers that were not recorded (P22). */
export const MOST_REPEATED = MOST_IN_FLIGHT + 64;

/** What became of what was acknowledged. */
export interface Account {
  acknowledged: number;
  /** Acknowledged, and never taken by the receiver. */
  lost: Produced[];
  /** Arrivals of events that the receiver had taken before. */
  repeated: Arrival[];
  /** First arrivals that came after one of a later event of the same contact. */
  outOfOrder: Arrival[];
  /** What arrived and was never posted. */
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

/** The faults that no proof forgives. */
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
 * What took longer than it may.
 * @param took milliseconds each
 * @param allowed in milliseconds, and how many of 100 may take longer: a machine that runs other programs stands still at times
 * @returns null where it holds
 */
export function lateOf(took: number[], { budget, late }: { budget: number; late: number }): string | null {
  const longer = took.filter((one) => !(one <= budget));
  return longer.length * 100 > took.length * late
    ? `${longer.length} of ${took.length} after more than ${milliseconds(budget)}, the last after ${milliseconds(Math.max(...took))}`
    : null;
}

/** Waits until the receiver has taken all that was acknowledged. @returns whether it has, in time */
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

/** @param sorted or not @param part from 0 to 1 */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
export const seconds = (value: number): string => `${(value / 1000).toFixed(1)} s`;
/** As `503: 12, ECONNREFUSED: 3`. */
export const counted = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([what, count]) => `${what}: ${count}`).join(', ') || 'none';
