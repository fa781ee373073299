import { lineFieldRefused, tooManyAlertWebhooks } from '../../errors';
import { faultOfCharacters } from '../../primitives/visible-text';
import { type AlertScope } from '../../store/schema';
import { type Actor } from '../../store/tables/audit';
import { type AlertTable, type ChannelRow } from '../../store/tables/alerts';
import { audited, type AuditedDeps } from '../../store/with-audit';
import { isoTime, isoTimeOrNull, SECOND } from '../../time';
import { type Language } from '../../wording/language';
import { type ChannelSettings } from '../channels/channel-kind';
import { type ChannelKindName } from '../channels/kinds';
import { settingsOf } from '../outbox';
import { channelEntry, shownTarget } from './channel-entry';

/** When and how a channel is notified. */
export interface ChannelTerms {
  name: string;
  scope: AlertScope;
  /** The id of the line, or that of the business account. */
  scopeId: string | null;
  quiet: { from: string; to: string } | null;
  timeZone: string;
  remindHours: number | null;
  /** The language of its alerts. */
  language: Language;
}

export interface NewChannel extends ChannelTerms {
  kind: ChannelKindName;
  settings: ChannelSettings;
  origin: ChannelRow['origin'];
  tokenId: number | null;
  /** Seconds, after which it ends by itself. */
  expiresIn?: number | undefined;
}

/** Open incidents are repeated after this time by default. */
export const REMIND_HOURS = 24;

/**
 * Adds a channel. It gets the incidents that are open now, and all later ones. A webhook that a token registers
 * replaces the one with the same URL: the program may have crashed before it could remove it.
 * @param most how many channels the tokens of its line may register
 * @throws Refusal for one too many, or a name with invisible characters
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
      checkName(given.name);
      const now = deps.clock();
      if (given.origin === 'token') {
        // Another request that adds one waits until this one is committed or rolled back.
        await store.alerts.inTurn((table) => makeRoom(deps, table, given, { now: isoTime(now), most }));
      }
      return store.alerts.insertChannel({
        kind: given.kind,
        settings_sealed: deps.vault.seal('alert_channels.settings', JSON.stringify(given.settings)),
        origin: given.origin,
        token_id: given.tokenId,
        created_at: isoTime(now),
        expires_at: isoTimeOrNull(given.expiresIn ? now + given.expiresIn * SECOND : null),
        ...termsOf(given),
      });
    },
  );

/** @throws Refusal */
export function checkName(name: string): void {
  const fault = faultOfCharacters(name);
  if (fault !== null) throw lineFieldRefused('name', fault);
}

async function makeRoom(
  { vault }: AuditedDeps,
  table: AlertTable,
  { scopeId, settings: { url } }: NewChannel,
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

export const termsOf = ({ name, scope, scopeId, quiet, timeZone, remindHours, language }: ChannelTerms) => ({
  name,
  scope,
  scope_id: scopeId,
  quiet_from: quiet?.from ?? null,
  quiet_to: quiet?.to ?? null,
  time_zone: timeZone,
  remind_hours: remindHours,
  language,
});
