import { type AuditEntry } from '../../store/tables/audit';
import { type ChannelRow } from '../../store/tables/alerts';
import { type ChannelSettings } from '../channels/channel-kind';
import { channelKind } from '../channels/kinds';

/** The audit entry of a channel. @param what the action, such as `alert_channel.added` */
export const channelEntry = (
  what: string,
  {
    id,
    kind,
    name,
    scope,
    scope_id: scopeId,
  }: Pick<ChannelRow, 'id' | 'kind' | 'name' | 'scope' | 'scope_id'>,
  details: Record<string, unknown> = {},
): AuditEntry => ({
  action: `alert_channel.${what}`,
  lineId: scope === 'line' ? Number(scopeId) : null,
  details: { channel: id, kind, name, ...details },
});

/** The receiver, in a form that every user may see. */
export const shownTarget = (kind: string, settings: ChannelSettings): string =>
  channelKind(kind)?.shown(settings) ?? '';
