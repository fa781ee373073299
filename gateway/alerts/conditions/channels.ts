import { type ChannelRow } from '../../store/alerts';
import { MINUTE } from '../../time';
import { type Condition } from './condition';

/** Alerts are tried again within minutes: what fails for longer reaches nobody. */
const FAILING_FOR = 2 * MINUTE;

export const channelConditions = (channels: ChannelRow[], now: number): Condition[] =>
  channels.flatMap((channel): Condition[] => {
    const { id, name, failing_since: since, last_failure: failure, paused_at: pausedAt } = channel;
    if (since === null || pausedAt !== null || now - Date.parse(since) < FAILING_FOR) return [];
    return [
      {
        kind: 'channel_failing',
        subject: String(id),
        lineId: null,
        wabaId: null,
        severity: 'warning',
        title: `Alerts do not reach the channel ${name}`,
        text: failure ?? '',
        over: `Alerts reach the channel ${name} again`,
        action: 'Correct its settings, and send a test alert.',
        path: `/panel/alerts/channels/${id}`,
        remedy: 'See the channel',
        since,
        waiting: null,
        isTold: true,
      },
    ];
  });
