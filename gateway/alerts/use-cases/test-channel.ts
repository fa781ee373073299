import { type Actor } from '../../store/tables/audit';
import { type ChannelRow } from '../../store/alerts';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { isoTime } from '../../time';
import { newNoticeId, type Notice } from '../notice';
import { channelEntry } from './channel-entry';

/**
 * Puts a test alert for a channel into the outbox. It is tried once; whoever asked reads what came of it.
 * @param address of the gateway; null where whoever asks does not know it
 * @returns its id
 */
export async function testChannel(
  deps: AuditedDeps,
  actor: Actor,
  channel: ChannelRow,
  address: string | null,
): Promise<string> {
  const id = newNoticeId();
  const at = isoTime(deps.clock());
  const notice: Notice = {
    id,
    what: 'test',
    condition: 'test',
    severity: 'info',
    title: `Alerts reach ${channel.name}`,
    text: `This is a test: nothing is wrong. ${actor.who} asked for it.`,
    action: '',
    url: address === null || channel.origin === 'token' ? null : `${address}/panel/alerts`,
    since: at,
    ended: null,
    waiting: null,
    count: 0,
    incidents: [],
    gateway: address ?? '',
  };
  await audited(deps, actor, channelEntry('tested', channel), ({ store }) =>
    store.alerts.insertNotices([
      {
        id,
        channel_id: channel.id,
        what: 'test',
        kind: 'test',
        body: JSON.stringify(notice),
        created_at: at,
      },
    ]),
  );
  return id;
}
