import { type By } from '../../rights/grants';
import { type Actor } from '../../store/tables/audit';
import { type ChannelRow } from '../../store/tables/alerts';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { checkMayManageChannel } from './alert-rights';
import { channelEntry } from './channel-entry';

/** Removes a channel and its waiting alerts. */
export const removeChannel = (deps: AuditedDeps, actor: Actor, by: By, channel: ChannelRow): Promise<void> =>
  audited(deps, actor, channelEntry('removed', channel), async ({ store }) => {
    await checkMayManageChannel(store, by, channel);
    await store.alerts.removeChannel(channel.id);
  });
