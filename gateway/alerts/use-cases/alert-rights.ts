import { lineUnknown, notPermitted } from '../../errors';
import { mayFor, mayIn, type By } from '../../rights/grants';
import { type Tables } from '../../store/store';
import { type ChannelRow } from '../../store/tables/alerts';
import { ownedLine } from '../../store/tables/lines';

/**
 * @param lineId null: what concerns lines of all customers
 * @throws Refusal if `by` may not change alerts of the line. What `by` does not reach answers like what does not exist
 */
export async function checkMayManageAlerts(
  { lines }: Pick<Tables, 'lines'>,
  by: By,
  lineId: number | null,
): Promise<void> {
  if (!by) return;
  if (lineId === null) {
    if (!mayIn(by, 'alerts.manage', null)) throw notPermitted();
    return;
  }
  const row = await lines.find(lineId);
  if (!row || !mayFor(by, 'alerts.manage', ownedLine(row))) throw lineUnknown();
}

/** @throws Refusal if `by` may not change channels with this scope, or if its line or business account does not exist */
export async function checkMayManageChannel(
  store: Pick<Tables, 'lines'>,
  by: By,
  { scope, scope_id: id }: Pick<ChannelRow, 'scope' | 'scope_id'>,
): Promise<void> {
  if (!by) return;
  if (scope === 'gateway' && !mayIn(by, 'gateway', null)) throw notPermitted();
  if (scope !== 'gateway') await checkMayManageAlerts(store, by, scope === 'line' ? Number(id) : null);
}
