import { setTimeout as sleep } from 'node:timers/promises';
import { resumeDestination } from '../../forwarding/destinations/resume-destination';
import { tryNow } from '../../forwarding/destinations/try-now';
import { type DestinationRow } from '../../store/tables/destinations';
import { seeOther, type Outcome } from '../outcome';
import { operatorAction, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { pageNotFound } from '../ui/frame/error-page';
import { t } from '../languages/t';
import { lastTryOf, triedNow } from '../ui/held-back';

export const tryNowPages: PanelRoute[] = [
  operatorAction('/destinations/:destination/try-now', tryOneNow),
  operatorAction('/destinations/:destination/resume', resumeOne, {
    confirmed: () => t('To resume a destination'),
  }),
];

/** For an outcome is waited so long, in milliseconds, between one look and the next: two seconds in all. */
const LOOKS = [50, 100, 150, 200, 300, 500, 700];

async function tryOneNow(context: UserContext): Promise<Outcome> {
  const { deps, actor } = context;
  const row = await destinationOf(context);
  const path = pageBefore(context, row);
  const cameTo = await outcomeOf(context, row, () =>
    tryNow(deps, actor, { id: row.id, lineId: row.line_id, url: row.url }),
  );
  if (cameTo === 'nothing waits') return seeOther(path, t('Nothing waits, so nothing was sent.'), 'idle');
  if (cameTo === null) return seeOther(path, triedNow());
  return cameTo.isAccepted
    ? seeOther(path, t('It was tried just now and accepted: all that waits follows.'))
    : failedAgain(path, cameTo.result);
}

async function resumeOne(context: UserContext): Promise<Outcome> {
  const { deps, actor } = context;
  const row = await destinationOf(context);
  const path = pageBefore(context, row);
  const cameTo = await outcomeOf(context, row, () =>
    resumeDestination(deps, actor, { id: row.id, lineId: row.line_id, url: row.url }),
  );
  return cameTo === null || cameTo === 'nothing waits' || cameTo.isAccepted
    ? seeOther(path, t('It goes on: what waited for it is sent now.'))
    : failedAgain(path, cameTo.result);
}

const failedAgain = (path: string, result: string): Outcome =>
  seeOther(path, t('It was tried just now: {result}. It still accepts nothing.', { result }), 'bad');

interface CameTo {
  isAccepted: boolean;
  result: string;
}

/**
 * What the first try came to that follows from this; whichever process makes it, it is kept in the database.
 * @returns null where that takes longer
 */
async function outcomeOf(
  { deps: { store } }: UserContext,
  { id, failing_since: since }: DestinationRow,
  work: () => Promise<void>,
): Promise<CameTo | 'nothing waits' | null> {
  const look = async () => {
    const [row, attempts] = await Promise.all([store.destinations.find(id), store.lastAttempts([id])]);
    const last = row && lastTryOf(row, attempts.get(id) ?? null);
    const isRecovered = since !== null && row?.failing_since === null;
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

async function destinationOf({ deps, params }: UserContext): Promise<DestinationRow> {
  const id = /^\d{1,9}$/.test(params.destination ?? '') ? Number(params.destination) : 0;
  const row = await deps.store.destinations.find(id);
  if (!row || row.removed_at !== null) throw pageNotFound();
  return row;
}

/** Where the button was pressed: of the events those of the destination, as what comes of it stands there. */
function pageBefore({ form }: UserContext, { id, line_id: lineId }: DestinationRow): string {
  const from = String(form.get('from'));
  if (from === 'line') return `/panel/lines/${lineId}`;
  if (from === 'destination') return `/panel/lines/${lineId}/destinations/${id}`;
  if (/^evt_\w{1,60}$/.test(from)) return `/panel/events/${from}`;
  if (from === 'events') return `/panel/events?destination=${id}`;
  return from === 'alerts' ? '/panel/alerts' : '/panel/overview';
}
