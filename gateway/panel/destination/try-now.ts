import { resumeDestination } from '../../forwarding/destinations/resume-destination';
import { tryNow } from '../../forwarding/destinations/try-now';
import { type DestinationRow } from '../../store/tables/destinations';
import { seeOther, type PanelResponse } from '../outcome';
import { actionRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { shortAddress } from '../ui/shown-address';
import { pageNotFound } from '../ui/frame/error-page';
import { t } from '../languages/t';
import { failedAgain, outcomeOf, toldOutcome } from './try-outcome';

export const tryNowPages: PanelRoute[] = [
  actionRoute('deliveries.replay', '/destinations/:destination/try-now', tryOneNow),
  actionRoute('destinations.manage', '/destinations/:destination/resume', resumeOne, {
    confirmed: () => t('To resume a destination'),
  }),
];

async function tryOneNow(context: UserContext): Promise<PanelResponse> {
  const { deps, actor } = context;
  const row = await destinationOf(context);
  const path = pageBefore(context, row);
  const cameTo = await outcomeOf(context, row, () =>
    tryNow(deps, actor, { id: row.id, lineId: row.line_id, url: row.url }),
  );
  return toldOutcome(path, shortAddress(context, row.line_id, row.url), cameTo);
}

async function resumeOne(context: UserContext): Promise<PanelResponse> {
  const { deps, actor } = context;
  const row = await destinationOf(context);
  const path = pageBefore(context, row);
  const cameTo = await outcomeOf(context, row, () =>
    resumeDestination(deps, actor, { id: row.id, lineId: row.line_id, url: row.url }),
  );
  const address = shortAddress(context, row.line_id, row.url);
  return cameTo === null || cameTo === 'nothing waits' || cameTo.isAccepted
    ? seeOther(path, t('{address} is resumed. Waiting events are being sent.', { address }))
    : failedAgain(path, address, cameTo.result);
}

async function destinationOf({ deps, params }: UserContext): Promise<DestinationRow> {
  const id = /^\d{1,9}$/.test(params.destination ?? '') ? Number(params.destination) : 0;
  const row = await deps.store.destinations.find(id);
  if (!row || row.removed_at !== null) throw pageNotFound();
  return row;
}

/**
 * The page to return to. From the event list: the list filtered by this destination, which shows the result.
 */
function pageBefore({ form }: UserContext, { id, line_id: lineId }: DestinationRow): string {
  const from = String(form.get('from'));
  if (from === 'line') return `/panel/lines/${lineId}`;
  if (from === 'destination') return `/panel/lines/${lineId}/destinations/${id}`;
  if (/^\/panel\/events\/evt_\w{1,60}(\?[\w%&=.+*-]*)?$/.test(from)) return from;
  if (from === 'events') return `/panel/events?destination=${id}`;
  return from === 'alerts' ? '/panel/alerts' : '/panel/overview';
}
