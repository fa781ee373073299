import { setTimeout as sleep } from 'node:timers/promises';
import { type DestinationRow } from '../../store/tables/destinations';
import { t } from '../languages/t';
import { seeOther, type PanelResponse } from '../outcome';
import { type UserContext } from '../request-context';
import { lastResultOf } from './held-back';

/** Milliseconds before each check for the outcome; about two seconds in total. */
const LOOKS = [50, 100, 150, 200, 300, 500, 700];

/** @param address the destination's URL as this user may see it */
export const failedAgain = (path: string, address: string, result: string): PanelResponse =>
  seeOther(
    path,
    t("{address}: tried just now, {result}. It still isn't accepting events.", { address, result }),
    'bad',
  );

interface CameTo {
  isAccepted: boolean;
  result: string;
}

/** All waiting deliveries of a destination, or only one event. */
interface Tried extends Pick<DestinationRow, 'id' | 'failing_since'> {
  eventId?: string;
}

/**
 * Waits for the outcome of the first try that `work` causes. Reads the database, because another process may
 * make it.
 * @returns null if it takes longer
 */
export async function outcomeOf(
  { deps: { store } }: UserContext,
  { id, failing_since: since, eventId }: Tried,
  work: () => Promise<unknown>,
): Promise<CameTo | 'nothing waits' | null> {
  // For one event, only its own attempts count, because the receiver may accept other events meanwhile.
  const lastAttempt = async () =>
    eventId === undefined
      ? (await store.lastAttempts([id])).get(id)
      : (await store.deliveryList.event(eventId))?.attempts.findLast((one) => one.destination_id === id);
  const look = async () => {
    const [row, attempt = null] = await Promise.all([store.destinations.find(id), lastAttempt()]);
    const last = row && lastResultOf(row, attempt);
    const isRecovered = eventId === undefined && since !== null && row?.failing_since === null;
    return { last, isAccepted: isRecovered || last?.attempt?.outcome === 'delivered' };
  };
  const nameOf = ({ last }: Awaited<ReturnType<typeof look>>) =>
    last && [last.at, last.attempt?.event_id, last.attempt?.number].join();
  const [before, waiting] = await Promise.all([look(), store.backlog.of([id], 1)]);
  await work();
  if (!waiting.get(id)?.count) return 'nothing waits';
  for (const wait of LOOKS) {
    await sleep(wait);
    const now = await look();
    if (nameOf(now) !== nameOf(before) || (now.isAccepted && !before.isAccepted))
      return { isAccepted: now.isAccepted, result: now.last?.result ?? '' };
  }
  return null;
}

/** Redirects after Try now, with the outcome. @param address the destination's URL as this user may see it */
export function toldOutcome(
  path: string,
  address: string,
  cameTo: Awaited<ReturnType<typeof outcomeOf>>,
): PanelResponse {
  if (cameTo === 'nothing waits')
    return seeOther(path, t('{address}: nothing is waiting, so nothing was sent.', { address }), 'idle');
  if (cameTo === null)
    return seeOther(
      path,
      t(
        '{address}: trying now. If the receiver accepts the event, the waiting ones follow. Otherwise the reason appears here.',
        { address },
      ),
    );
  return cameTo.isAccepted
    ? seeOther(path, t('{address}: tried just now and accepted. The waiting events follow.', { address }))
    : failedAgain(path, address, cameTo.result);
}
