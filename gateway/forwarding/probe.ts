import { type Store } from '../store/database';
import { type QueuedDelivery } from '../store/queued';
import { isoTime, SECOND } from '../time';
import { holdsLane, LONGEST_HELD } from './retry-schedule';

/** So much of what waits is looked at to choose a probe. */
const PROBE_WINDOW = 200;
/** What failed holds its contact back although it is due a little later. */
const DUE_SOON = LONGEST_HELD + 5 * SECOND;

/**
 * What is sent as a probe: of another contact each time as far as there is one.
 * @param probed the contacts that were probed; forgotten once there is no other
 * @returns null where nothing is due
 */
export async function readProbe(
  { queued }: Pick<Store, 'queued'>,
  destinationId: number,
  probed: Set<string>,
  now: number,
): Promise<QueuedDelivery | null> {
  const choose = async (passedOver: Iterable<string>) =>
    chooseProbe(
      await queued.forProbe(destinationId, isoTime(now + DUE_SOON), PROBE_WINDOW, [...passedOver]),
      now,
    );
  const chosen = await choose(probed);
  if (chosen !== null || !probed.size) return chosen;
  probed.clear();
  return choose([]);
}

/**
 * One that was never tried comes before those that have failed, so that a few events which are never taken do not keep
 * the destination closed. As at any other time none goes out before it is due, nor while an earlier one holds its
 * contact back.
 * @param waiting the first of them, longest due first
 */
export function chooseProbe(waiting: QueuedDelivery[], now: number): QueuedDelivery | null {
  const first = new Map<string, QueuedDelivery>();
  for (const one of waiting) {
    const before = first.get(one.lane);
    if (holdsItsContact(one, now) && (!before || one.sequence < before.sequence)) first.set(one.lane, one);
  }
  const ready = waiting.filter(
    (one) => Date.parse(one.due_at) <= now && (first.get(one.lane) === one || !holdsItsContact(one, now)),
  );
  return ready.find(isUntried) ?? ready[0] ?? null;
}

const isUntried = ({ attempts, attempts_before: before }: QueuedDelivery): boolean => attempts === before;

const holdsItsContact = (one: QueuedDelivery, now: number): boolean =>
  isUntried(one) || holdsLane(one.attempts - one.attempts_before, Date.parse(one.due_at) - now);
