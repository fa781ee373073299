import { type Actor } from '../../store/tables/audit';
import { type ChannelRow } from '../../store/tables/alerts';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { isoTime } from '../../time';
import { fact } from '../../wording/facts';
import { inEnglish, newNoticeId, type Notice } from '../notice';
import { channelEntry } from './channel-entry';

/**
 * Puts a test alert for a channel into the outbox. It is sent without retries; the caller reads the result.
 * @param links the gateway's URL and its page of alerts; null if the caller does not know them
 * @returns the id of the test alert
 */
export async function testChannel(
  deps: AuditedDeps,
  actor: Actor,
  channel: ChannelRow,
  links: { gateway: string; alerts: string } | null,
): Promise<string> {
  const id = newNoticeId();
  const at = isoTime(deps.clock());
  const notice: Notice = {
    id,
    what: 'test',
    condition: 'test',
    severity: 'info',
    title: '',
    text: '',
    fact: null,
    action: '',
    url: channel.origin === 'token' ? null : (links?.alerts ?? null),
    since: at,
    ended: null,
    waiting: null,
    count: 0,
    incidents: [],
    gateway: links?.gateway ?? '',
  };
  const said = {
    title: fact('channel.test', { channel: channel.name }),
    text: fact('channel.test.text', { who: actor.who }),
  };
  await audited(deps, actor, channelEntry('tested', channel), ({ store }) =>
    store.alerts.insertNotices([
      {
        id,
        channel_id: channel.id,
        what: 'test',
        kind: 'test',
        body: JSON.stringify(inEnglish(notice, said)),
        created_at: at,
      },
    ]),
  );
  return id;
}
