import { notPermitted } from '../../errors';
import { type DestinationRules } from '../../http/destination-address';
import { type By } from '../../rights/grants';
import { type Actor } from '../../store/tables/audit';
import { type ChannelRow } from '../../store/tables/alerts';
import { audited, changesIn, type AuditedDeps, type FieldChange } from '../../store/with-audit';
import { isoTime } from '../../time';
import { type ChannelSettings } from '../channels/channel-kind';
import { settingsOf } from '../outbox';
import { termsOf } from './add-channel';
import { checkMayManageChannel } from './alert-rights';
import { channelEntry, shownTarget } from './channel-entry';
import { channelInput, type ChannelInput, type ChannelValues } from './channel-input';

const NOT_FAILING = { failing_since: null, last_failure: null, failure: null };

/**
 * Changes the settings of a channel. Its waiting alerts are sent immediately.
 * @returns the channel after the change
 * @throws Refusal if `by` may not change it, if a token of its line registered it, or with all issues, by field
 */
export async function editChannel(
  deps: AuditedDeps & { rules: DestinationRules },
  actor: Actor,
  by: By,
  channel: ChannelRow,
  given: ChannelInput,
): Promise<ChannelRow> {
  if (channel.origin === 'token') throw notPermitted();
  const before = settingsOf(deps.vault, channel);
  const values = channelInput(deps.rules, given, { name: channel.name, settings: before });
  const changes = changesOf(channel, before, values);
  const entry = channelEntry('edited', { ...channel, name: values.name }, { changes });
  const columns = {
    settings_sealed: deps.vault.seal('alert_channels.settings', JSON.stringify(values.settings)),
    ...NOT_FAILING,
    ...termsOf(values),
  };
  await audited(
    deps,
    actor,
    () => (changes.length ? entry : null),
    async ({ store }) => {
      await checkMayManageChannel(store, by, channel);
      await checkMayManageChannel(store, by, columns);
      await store.alerts.updateChannel(channel.id, columns);
      await store.alerts.hurryNotices(channel.id, isoTime(deps.clock()));
    },
  );
  return { ...channel, ...columns };
}

function changesOf(channel: ChannelRow, before: ChannelSettings, values: ChannelValues): FieldChange[] {
  const { settings } = values;
  const [target, shown] = [before, settings].map((one) => shownTarget(channel.kind, one));
  const rows = termsOf(values);
  const changes = changesIn({
    name: [channel.name, rows.name],
    to: [target, shown],
    scope: [scopeText(channel), scopeText(rows)],
    'quiet hours': [hoursText(channel), hoursText(rows)],
    'time zone': [channel.time_zone, rows.time_zone],
    'remind hours': [channel.remind_hours, rows.remind_hours],
    language: [channel.language, rows.language],
  });
  // The entry only says that a secret part of the target, such as the path of a URL, has changed.
  const isOther = target === shown && changesIn({ settings: [before, settings] }).length > 0;
  return [...changes, ...(isOther ? [{ field: 'settings' }] : [])];
}

const scopeText = ({ scope, scope_id: id }: Pick<ChannelRow, 'scope' | 'scope_id'>): string =>
  id === null ? scope : `${scope} ${id}`;

const hoursText = ({ quiet_from: from, quiet_to: to }: Pick<ChannelRow, 'quiet_from' | 'quiet_to'>) =>
  from === null || to === null ? null : `${from}–${to}`;

/** Pauses a channel. After a resume, it gets the incidents that are open then. @returns the paused channel */
export async function pauseChannel(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  channel: ChannelRow,
): Promise<ChannelRow> {
  const columns = { paused_at: isoTime(deps.clock()) };
  await audited(deps, actor, channelEntry('paused', channel), async ({ store }) => {
    await checkMayManageChannel(store, by, channel);
    await store.alerts.updateChannel(channel.id, columns);
  });
  return { ...channel, ...columns };
}

/** @returns the resumed channel */
export async function resumeChannel(
  deps: AuditedDeps,
  actor: Actor,
  by: By,
  channel: ChannelRow,
): Promise<ChannelRow> {
  const columns = { paused_at: null, ...NOT_FAILING };
  await audited(deps, actor, channelEntry('resumed', channel), async ({ store }) => {
    await checkMayManageChannel(store, by, channel);
    await store.alerts.updateChannel(channel.id, columns);
    await store.alerts.hurryNotices(channel.id, isoTime(deps.clock()));
  });
  return { ...channel, ...columns };
}
