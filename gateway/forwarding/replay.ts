import { rightsOf, type By } from '../rights/grants';
import { type Actor, type AuditEntry } from '../store/tables/audit';
import { audited, type AuditedDeps, type Transaction } from '../store/with-audit';
import { type DeliveryState } from '../store/schema';
import { type DeliveryFilter, type DeliveryKey } from '../store/tables/deliveries';
import { type DestinationRow } from '../store/tables/destinations';
import { type Store } from '../store/store';
import { eventIdBefore, eventTime } from '../store/event-id';
import { isoTime, SECOND, type Clock } from '../time';
import { makeDueNow } from './destinations/try-now';

/** The most deliveries in one replay. For more, use several replays or a smaller range. */
export const MOST_REPLAYED = 100_000;

/**
 * Deliveries in each step of a replay. The steps become due one after the other, so that new events are sent in
 * between: 100,000 take an hour and twenty minutes.
 */
const A_STEP = 100;
const STEP = 5 * SECOND;

/** The result of a replay: the number of deliveries, and whether these are all that match. */
export interface Replayed {
  count: number;
  isAll: boolean;
}

/**
 * Prepares a replay with two audit entries: one before any change, one with the result.
 * @param begun another change in the transaction of the first entry
 * @returns runs the replay; its `ended` is another change in the transaction of the second entry
 */
export async function beginReplay(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  filter: DeliveryFilter,
  details: Record<string, unknown>,
  begun: (transaction: Transaction) => Promise<void> = async () => {},
) {
  const about = { ...concerned(by, filter.lineId), details };
  await audited(deps, actor, { action: 'deliveries.replay_begun', ...about }, begun);
  return async (
    replayed?: (count: number) => void | Promise<void>,
    ended: (transaction: Transaction, came: Replayed) => Promise<void> = async () => {},
  ): Promise<Replayed> => {
    const came = await replay(deps, filter, replayed);
    const counted = { ...details, count: came.count };
    const entry = { action: 'deliveries.replayed', ...about, details: counted };
    await audited(deps, actor, entry, (transaction) => ended(transaction, came));
    return came;
  };
}

/** The line or the customers in whose audit a replay is. */
function concerned(by: By, lineId: number | undefined): Pick<AuditEntry, 'lineId' | 'customers'> {
  const customers = by ? rightsOf(by, () => []).customers('deliveries.replay') : 'all';
  if (customers !== 'all' && customers.size) return { customers: [...customers].map((id) => ({ id })) };
  // A line beyond the reach has no entry.
  const isReached = customers === 'all' || by?.some(({ lineIds }) => lineId && lineIds?.has(lineId));
  return lineId !== undefined && isReached ? { lineId } : {};
}

/** Resends one delivery that has ended, or sends it now if it waits for a retry. @returns whether it is sent */
export async function replayDelivery(
  deps: AuditedDeps,
  actor: Actor,
  { event_id, destination_id, line_id, state }: DeliveryKey & { line_id: number; state: DeliveryState },
): Promise<boolean> {
  const isPending = state === 'pending';
  const action = isPending ? 'destination.tried_now' : 'deliveries.replayed';
  const count = await audited<number>(
    deps,
    actor,
    (changed) =>
      changed
        ? {
            action,
            lineId: line_id,
            details: { event: event_id, destination: destination_id, count: changed },
          }
        : null,
    async (transaction) => {
      const key = { event_id, destination_id };
      const again = await transaction.store.deliveries.again([key], isoTime(deps.clock()));
      if (!isPending) return again;
      await makeDueNow({ ...deps, ...transaction }, destination_id);
      return 1;
    },
  );
  await deps.store.wake({ waiting: [destination_id] });
  return count > 0;
}

/**
 * Resends the selected deliveries that have ended, and sends those now that wait for a retry.
 * @returns how many are sent, and how many of them wait because their destination accepts no events
 */
export async function replayTicked(
  deps: AuditedDeps,
  actor: Actor,
  ticked: DeliveryKey[],
): Promise<{ count: number; held: number }> {
  const destinations = await deps.store.destinations.some(ticked.map(({ destination_id: id }) => id));
  const idsOf = (isMeant: (one: DestinationRow) => boolean) =>
    new Set(destinations.filter(isMeant).map(({ id }) => id));
  const present = idsOf((one) => one.removed_at === null);
  const failing = idsOf((one) => one.paused_at === null && one.failing_since !== null);
  const meant = ticked.filter(({ destination_id: id }) => present.has(id));
  const [held, free] = [true, false].map((isHeld) =>
    meant.filter(({ destination_id: id }) => failing.has(id) === isHeld),
  ) as [DeliveryKey[], DeliveryKey[]];
  const at = isoTime(deps.clock());
  const changed = await audited<{ count: number; held: number }>(
    deps,
    actor,
    ({ count }) =>
      count ? { action: 'deliveries.replayed', details: { ticked: ticked.length, count } } : null,
    async ({ store }) => {
      const ofHeld = await store.deliveries.again(held, at);
      return { count: ofHeld + (await store.deliveries.again(free, at)), held: ofHeld };
    },
  );
  await deps.store.wake({ waiting: [...new Set(meant.map(({ destination_id: id }) => id))] });
  return changed;
}

/**
 * Resends delivered and dead deliveries with the same event ids. If the filter selects pending ones, those that wait
 * for a retry are sent now. Events that arrive after the start are excluded, unless the filter includes them.
 * @param replayed called and awaited after each step, with the count so far
 */
export async function replay(
  { store, clock }: { store: Store; clock: Clock },
  filter: DeliveryFilter,
  replayed: (count: number) => void | Promise<void> = () => undefined,
): Promise<Replayed> {
  const now = clock();
  const meant = filter.eventId === undefined ? { to: await afterNewest(store, now), ...filter } : filter;
  let last: DeliveryKey | null = null;
  let count = 0;
  for (;;) {
    const found: DeliveryKey[] = await store.deliveries.meant(meant, last, A_STEP);
    if (!found.length) return { count, isAll: true };
    if (count >= MOST_REPLAYED) return { count, isAll: false };
    // Counts only the deliveries that are replayed, so that the steps have no gaps.
    const step = Math.floor(count / A_STEP);
    const changed = await store.deliveries.again(found, isoTime(now + step * STEP));
    // The first step is due now; each further step is found by a later scan.
    if (changed && !step)
      await store.wake({ waiting: [...new Set(found.map(({ destination_id: id }) => id))] });
    count += changed;
    last = found.at(-1) ?? null;
    await replayed(count);
  }
}

/**
 * An id above those of all stored events. After the clock was set back, older events may have greater ids than new
 * ones.
 */
export const afterNewest = async ({ events }: Pick<Store, 'events'>, now: number): Promise<string> =>
  eventIdBefore(Math.max(now, eventTime((await events.newest()) ?? '')) + 1);
