import { type By } from '../../rights/grants';
import { type Actor } from '../../store/tables/audit';
import { type ChannelRow } from '../../store/tables/alerts';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { isoTime } from '../../time';
import { fact } from '../../wording/facts';
import { inEnglish, newNoticeId, type Notice } from '../notice';
import { type Said } from '../../wording/facts';
import { type Alerts } from '../alerts';
import { saidOfFailure } from '../conditions/channels';
import { checkMayManageChannel } from './alert-rights';
import { channelEntry } from './channel-entry';

/** Where a test alert leads: the gateway's URL, and its page of alerts. */
interface Links {
  gateway: string;
  alerts: string;
}

/** The outcome of a test alert. */
export interface ChannelTest {
  isAccepted: boolean;
  /** Why it did not arrive; null if it arrived or is still being sent. */
  failure: Said | null;
}

/**
 * Sends a test alert now.
 * @throws Refusal if `by` may not change the channel
 */
export async function tryChannel(
  deps: AuditedDeps & { alerts: Pick<Alerts, 'sendTest'> },
  actor: Actor,
  by: By,
  channel: ChannelRow,
  links: Links | null,
): Promise<ChannelTest> {
  const id = await testChannel(deps, actor, by, channel, links);
  await deps.alerts.sendTest(id);
  const sent = await deps.store.alerts.notice(id);
  // The channel stores its failure as a fact, which can be translated; a notice stores English text.
  const tested = sent?.last_failure ? await deps.store.alerts.channel(channel.id) : null;
  return { isAccepted: Boolean(sent?.told_at), failure: tested && saidOfFailure(tested) };
}

/**
 * Puts a test alert for a channel into the outbox. It is sent without retries; the caller reads the result.
 * @param links the gateway's URL and its page of alerts; null if the caller does not know them
 * @returns the id of the test alert
 */
export async function testChannel(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  channel: ChannelRow,
  links: Links | null,
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
  await audited(deps, actor, channelEntry('tested', channel), async ({ store }) => {
    await checkMayManageChannel(store, by, channel);
    await store.alerts.insertNotices([
      {
        id,
        channel_id: channel.id,
        what: 'test',
        kind: 'test',
        body: JSON.stringify(inEnglish(notice, said)),
        created_at: at,
      },
    ]);
  });
  return id;
}
