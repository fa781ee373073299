import { tooManyAlertWebhooks } from '../../errors';
import { type AlertScope } from '../../store/schema';
import { type Actor } from '../../store/tables/audit';
import { type ChannelRow } from '../../store/alerts';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { isoTime } from '../../time';
import { type ChannelSettings } from '../channels/channel-kind';
import { type ChannelKindName } from '../channels/kinds';
import { channelEntry, shownTarget } from './channel-entry';

/** How a channel is told. */
export interface ChannelTerms {
  name: string;
  scope: AlertScope;
  /** The id of the line, or that of the business account. */
  scopeId: string | null;
  quiet: { from: string; to: string } | null;
  timeZone: string;
  remindHours: number | null;
}

export interface NewChannel extends ChannelTerms {
  kind: ChannelKindName;
  settings: ChannelSettings;
  origin: ChannelRow['origin'];
  tokenId: number | null;
}

/** What is still wrong is told again after so long where nothing else is said. */
export const REMIND_HOURS = 24;

/**
 * Adds a channel; it is told of what is wrong now, and of all that comes.
 * @param most how many the tokens of its line may have registered with it
 * @throws Refusal for one too many
 */
export const addChannel = (
  deps: AuditedDeps,
  actor: Actor,
  given: NewChannel,
  most = Number.POSITIVE_INFINITY,
): Promise<ChannelRow> =>
  audited<ChannelRow>(
    deps,
    actor,
    (added) => channelEntry('added', added, { to: shownTarget(given.kind, given.settings) }),
    async ({ store }) => {
      if (Number.isFinite(most)) {
        const own = (await store.alerts.channels()).filter(
          ({ origin, scope_id: id }) => origin === 'token' && id === given.scopeId,
        );
        if (own.length >= most) throw tooManyAlertWebhooks(most);
      }
      return store.alerts.insertChannel({
        kind: given.kind,
        settings_sealed: deps.vault.seal('alert_channels.settings', JSON.stringify(given.settings)),
        origin: given.origin,
        token_id: given.tokenId,
        created_at: isoTime(deps.clock()),
        ...termsOf(given),
      });
    },
  );

export const termsOf = ({ name, scope, scopeId, quiet, timeZone, remindHours }: ChannelTerms) => ({
  name,
  scope,
  scope_id: scopeId,
  quiet_from: quiet?.from ?? null,
  quiet_to: quiet?.to ?? null,
  time_zone: timeZone,
  remind_hours: remindHours,
});
