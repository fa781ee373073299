import { type Actor } from '../../store/tables/audit';
import { type ChannelRow } from '../../store/alerts';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { isoTime } from '../../time';
import { type ChannelSettings } from '../channels/channel-kind';
import { termsOf, type ChannelTerms } from './add-channel';
import { channelEntry, shownTarget } from './channel-entry';

/** Changes where a channel goes, and how it is told. What waits for it goes there at once. */
export const editChannel = (
  deps: AuditedDeps,
  actor: Actor,
  channel: ChannelRow,
  settings: ChannelSettings,
  terms: ChannelTerms,
): Promise<void> =>
  audited(
    deps,
    actor,
    channelEntry('edited', { ...channel, name: terms.name }, { to: shownTarget(channel.kind, settings) }),
    async ({ store }) => {
      await store.alerts.updateChannel(channel.id, {
        settings_sealed: deps.vault.seal('alert_channels.settings', JSON.stringify(settings)),
        failing_since: null,
        last_failure: null,
        ...termsOf(terms),
      });
      await store.alerts.hurryNotices(channel.id, isoTime(deps.clock()));
    },
  );

/** Tells a channel nothing until it is resumed; then it is told of what is wrong at that time. */
export const pauseChannel = (deps: AuditedDeps, actor: Actor, channel: ChannelRow): Promise<void> =>
  audited(deps, actor, channelEntry('paused', channel), ({ store }) =>
    store.alerts.updateChannel(channel.id, { paused_at: isoTime(deps.clock()) }),
  );

export const resumeChannel = (deps: AuditedDeps, actor: Actor, channel: ChannelRow): Promise<void> =>
  audited(deps, actor, channelEntry('resumed', channel), async ({ store }) => {
    await store.alerts.updateChannel(channel.id, {
      paused_at: null,
      failing_since: null,
      last_failure: null,
    });
    await store.alerts.hurryNotices(channel.id, isoTime(deps.clock()));
  });
