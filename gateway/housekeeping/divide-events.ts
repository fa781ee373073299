import { type Store } from '../store/store';

/** The first migration whose programs can use divided tables. Earlier programs could record no more events. */
const DIVIDABLE_SINCE = '062-partitions';

/**
 * Divides the tables of events on PostgreSQL, and makes their next partition, once no process of an earlier version is
 * running. Only the leader does.
 */
export async function divideEvents(
  store: Pick<Store, 'processes' | 'divideEvents'>,
  processId: string,
): Promise<void> {
  if (!(await store.processes.isFirst(processId))) return;
  if (!(await store.processes.isAnyBefore(DIVIDABLE_SINCE))) await store.divideEvents();
}
