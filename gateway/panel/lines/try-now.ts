import { resumeDestination } from '../../forwarding/destinations/resume-destination';
import { tryNow } from '../../forwarding/destinations/try-now';
import { type DestinationRow } from '../../store/tables/destinations';
import { seeOther, type Outcome } from '../outcome';
import { operatorAction, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { pageNotFound } from '../ui/frame/error-page';
import { t } from '../languages/t';
import { triedNow } from '../ui/held-back';

export const tryNowPages: PanelRoute[] = [
  operatorAction('/destinations/:destination/try-now', tryOneNow),
  operatorAction('/destinations/:destination/resume', resumeOne, {
    confirmed: () => t('To resume a destination'),
  }),
];

async function tryOneNow(context: UserContext): Promise<Outcome> {
  const row = await destinationOf(context);
  await tryNow(context.deps, context.actor, { id: row.id, lineId: row.line_id, url: row.url });
  return seeOther(pageBefore(context, row), triedNow());
}

async function resumeOne(context: UserContext): Promise<Outcome> {
  const row = await destinationOf(context);
  await resumeDestination(context.deps, context.actor, { id: row.id, lineId: row.line_id, url: row.url });
  return seeOther(pageBefore(context, row), t('It goes on: what waited for it is sent now.'));
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
