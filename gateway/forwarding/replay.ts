import { type Actor } from '../store/tables/audit';
import { audited, type AuditedDeps, type Transaction } from '../store/with-audit';
import { type DeliveryState } from '../store/schema';
import { type DeliveryFilter, type DeliveryKey } from '../store/tables/deliveries';
import { type DestinationRow } from '../store/tables/destinations';
import { type Store } from '../store/store';
import { eventIdBefore, eventTime } from '../store/event-id';
import { isoTime, SECOND, type Clock } from '../time';
import { makeDueNow } from './destinations/try-now';

/** What one replay takes at most. More is a matter of several, or of a smaller range. */
export const MOST_REPLAYED = 100_000;

/**
 * Replayed deliveries come due a few at a time, so that fresh ones go out beside them: so many in each step. 100,000
 * take an hour and twenty minutes.
 */
const A_STEP = 100;
const STEP = 5 * SECOND;

/** What a replay came to: how many are sent again, and whether the filter means no more than one replay takes. */
export interface Replayed {
  count: number;
  isAll: boolean;
}

/**
 * Begins a replay of which the audit tells: that it has begun, before anything is changed, and what came of it.
 * @param begun changes something else together with the first entry
 * @returns does it; `ended` changes something together with the second one
 */
export async function beginReplay(
  deps: AuditedDeps,
  actor: Actor,
  filter: DeliveryFilter,
  details: Record<string, unknown>,
  begun: (transaction: Transaction) => Promise<void> = async () => {},
) {
  await audited(deps, actor, { action: 'deliveries.replay_begun', details }, begun);
  return async (
    replayed?: (count: number) => void | Promise<void>,
    ended: (transaction: Transaction, came: Replayed) => Promise<void> = async () => {},
  ): Promise<Replayed> => {
    const came = await replay(deps, filter, replayed);
    const entry = { action: 'deliveries.replayed', details: { ...details, count: came.count } };
    await audited(deps, actor, entry, (transaction) => ended(transaction, came));
    return came;
  };
}

/** One delivery: sent again where it is over, and now where it waits for a later attempt. @returns whether it is */
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
 * Those that were ticked: what is over goes out once more, what waits goes out now.
 * @returns how many do, and how many of them wait, as their destination accepts nothing
 */
export async function replayTicked(
  deps: AuditedDeps,
  actor: Actor,
  ticked: DeliveryKey[],
): Promise<{ count: number; held: number }> {
  const destinations = await deps.store.destinations.some(ticked.map(({ destination_id: id }) => id));
  const idsOf = (isMeant: (one: DestinationRow) => boolean) =>
    new Set(destinations.filter(isMeant).map(({ id }) => id));
  const removed = idsOf((one) => one.removed_at !== null);
  const failing = idsOf((one) => one.paused_at === null && one.failing_since !== null);
  const meant = ticked.filter(({ destination_id: id }) => !removed.has(id));
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
 * Sends again what has been delivered or is dead, under the same event ids; where pending ones are meant, what waits for
 * a later attempt is sent now. What comes in after it has begun is left out, unless the filter says otherwise.
 * @param replayed told after each step how many there are by then; waited for
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
    // What cannot be replayed any more keeps nothing waiting that can.
    const step = Math.floor(count / A_STEP);
    const changed = await store.deliveries.again(found, isoTime(now + step * STEP));
    // The first are due now; the others come due one scan after the other.
    if (changed && !step)
      await store.wake({ waiting: [...new Set(found.map(({ destination_id: id }) => id))] });
    count += changed;
    last = found.at(-1) ?? null;
    await replayed(count);
  }
}

/** Above the ids of all events that have come in. Where the clock was set back, what came before that has later ones. */
export const afterNewest = async ({ events }: Pick<Store, 'events'>, now: number): Promise<string> =>
  eventIdBefore(Math.max(now, eventTime((await events.newest()) ?? '')) + 1);
