import { type ChannelRow } from '../../store/alerts';
import { MINUTE } from '../../time';
import { type Kinds } from './kind';
import { type Condition } from './condition';

export const channelKinds = { channel_failing: {} } satisfies Kinds;

/** Alerts are tried again within minutes: a channel that fails for longer notifies nobody. */
const FAILING_FOR = 2 * MINUTE;

export const channelConditions = (channels: ChannelRow[], now: number): Condition[] =>
  channels.flatMap((channel): Condition[] => {
    const { id, name, failing_since: since, paused_at: pausedAt } = channel;
    if (since === null || pausedAt !== null || now - Date.parse(since) < FAILING_FOR) return [];
    return [
      {
        kind: 'channel_failing',
        values: { channel: name, failure: channel.last_failure },
        subject: String(id),
        lineId: null,
        wabaId: null,
        severity: 'warning',
        since,
        waiting: null,
        isTold: true,
      },
    ];
  });
