import { tooManyAlertWebhooks } from '../../errors';
import { type DestinationRules } from '../../http/destination-address';
import { type By } from '../../rights/grants';
import { type Actor } from '../../store/tables/audit';
import { type AlertTable, type ChannelRow } from '../../store/tables/alerts';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { isoTime, isoTimeOrNull, SECOND } from '../../time';
import { settingsOf } from '../outbox';
import { checkMayManageChannel } from './alert-rights';
import { channelEntry, shownTarget } from './channel-entry';
import { channelInput, type ChannelInput, type ChannelValues } from './channel-input';

export interface NewChannel extends ChannelInput {
  origin: ChannelRow['origin'];
  tokenId: number | null;
  adminTokenId?: number | null;
}

/** The default time after which alerts about open incidents are repeated. */
export const REMIND_HOURS = 24;

/**
 * Adds a channel, which gets the currently open incidents and all later ones. A webhook registered by a token
 * replaces one with the same URL, because the program may have crashed before removing it.
 * @param most how many channels the tokens of its line may register
 * @throws Refusal if `by` may not add it, if there are too many, or with all issues, by field
 */
export async function addChannel(
  deps: AuditedDeps & { rules: DestinationRules },
  actor: Actor,
  by: By,
  given: NewChannel,
  most = Number.POSITIVE_INFINITY,
): Promise<ChannelRow> {
  const values = channelInput(deps.rules, given);
  return audited<ChannelRow>(
    deps,
    actor,
    (added) => channelEntry('added', added, { to: shownTarget(given.kind, values.settings) }),
    async ({ store }) => {
      await checkMayManageChannel(store, by, termsOf(values));
      const now = deps.clock();
      if (given.origin === 'token') {
        // Concurrent requests that add one wait until this transaction ends.
        await store.alerts.inTurn((table) => makeRoom(deps, table, values, { now: isoTime(now), most }));
      }
      return store.alerts.insertChannel({
        kind: given.kind,
        settings_sealed: deps.vault.seal('alert_channels.settings', JSON.stringify(values.settings)),
        origin: given.origin,
        token_id: given.tokenId,
        admin_token_id: given.adminTokenId ?? null,
        created_at: isoTime(now),
        expires_at: isoTimeOrNull(given.expiresIn ? now + given.expiresIn * SECOND : null),
        ...termsOf(values),
      });
    },
  );
}

async function makeRoom(
  { vault }: AuditedDeps,
  table: AlertTable,
  { scopeId, settings: { url } }: ChannelValues,
  { now, most }: { now: string; most: number },
): Promise<void> {
  await table.removeExpiredChannels(now);
  const ofLine = (await table.channels()).filter(
    ({ origin, scope_id: id }) => origin === 'token' && id === scopeId,
  );
  const [same = [], others = []] = [true, false].map((isSame) =>
    ofLine.filter((row) => (settingsOf(vault, row).url === url) === isSame),
  );
  for (const { id } of same) await table.removeChannel(id);
  if (others.length >= most) throw tooManyAlertWebhooks(most);
}

export const termsOf = ({ name, scope, scopeId, quiet, timeZone, remindHours, language }: ChannelValues) => ({
  name,
  scope,
  scope_id: scopeId,
  quiet_from: quiet?.from ?? null,
  quiet_to: quiet?.to ?? null,
  time_zone: timeZone,
  remind_hours: remindHours,
  language,
});
