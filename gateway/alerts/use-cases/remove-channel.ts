import { type Actor } from '../../store/tables/audit';
import { type ChannelRow } from '../../store/tables/alerts';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { channelEntry } from './channel-entry';

/** Removes a channel and its waiting alerts. */
export const removeChannel = (deps: AuditedDeps, actor: Actor, channel: ChannelRow): Promise<void> =>
  audited(deps, actor, channelEntry('removed', channel), async ({ store }) => {
    await store.alerts.removeChannel(channel.id);
  });
