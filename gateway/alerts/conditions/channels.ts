import { type ChannelRow } from '../../store/tables/alerts';
import { MINUTE } from '../../time';
import { type Fact, type Said } from '../../wording/facts';
import { type Kinds } from './kind';
import { type Condition } from './condition';

export const channelKinds = { channel_failing: {} } satisfies Kinds;

/** Alerts are retried within minutes, so a channel that fails for longer notifies no one. */
const FAILING_FOR = 2 * MINUTE;

/** Why a channel fails: a fact, or text from another program. */
export const saidOfFailure = ({
  failure,
  last_failure: prose,
}: Pick<ChannelRow, 'failure' | 'last_failure'>): Said | null =>
  failure === null ? prose : (JSON.parse(failure) as Fact);

export const channelConditions = (channels: ChannelRow[], now: number): Condition[] =>
  channels.flatMap((channel): Condition[] => {
    const { id, name, failing_since: since, paused_at: pausedAt } = channel;
    if (since === null || pausedAt !== null || now - Date.parse(since) < FAILING_FOR) return [];
    return [
      {
        kind: 'channel_failing',
        values: { channel: name, failure: saidOfFailure(channel) },
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
