import { tryNow } from '../../forwarding/destinations/try-now';
import {
  operatorAction,
  seeOther,
  type Outcome,
  type PanelRoute,
  type UserContext,
} from '../request-context';
import { pageNotFound } from '../ui/frame/error-page';
import { triedNow } from '../ui/held-back';

export const tryNowPages: PanelRoute[] = [operatorAction('/destinations/:destination/try-now', tryOneNow)];

async function tryOneNow(context: UserContext): Promise<Outcome> {
  const { deps, params, form } = context;
  const id = /^\d{1,9}$/.test(params.destination ?? '') ? Number(params.destination) : 0;
  const row = await deps.store.destinations.find(id);
  if (!row || row.removed_at !== null) throw pageNotFound();
  await tryNow(deps, context.actor, { id, lineId: row.line_id, url: row.url });
  const from = form.get('from');
  const line = `/panel/lines/${row.line_id}`;
  if (from === 'line') return seeOther(line, triedNow());
  if (from === 'destination') return seeOther(`${line}/destinations/${id}`, triedNow());
  return seeOther(from === 'events' ? '/panel/events' : '/panel/overview', triedNow());
}
