import { type Store } from '../store/store';
import { isClockConfirmed, type ClockDeps } from './clear-old';

/** The first migration whose programs can use divided tables. Earlier programs could record no more events. */
const DIVIDABLE_SINCE = '062-partitions';

/**
 * Divides the tables of events on PostgreSQL, and makes their next partition, once no process of an earlier version is
 * running. Only the leader does, and only if the platform confirms its clock, because partitions are made ahead.
 */
export async function divideEvents(
  deps: ClockDeps & { store: Pick<Store, 'processes' | 'divideEvents'> },
  processId: string,
): Promise<void> {
  const { processes, divideEvents: divide } = deps.store;
  if (!(await processes.isFirst(processId)) || (await processes.isAnyBefore(DIVIDABLE_SINCE))) return;
  if (await isClockConfirmed(deps)) await divide();
}
