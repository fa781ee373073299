import { hiddenInHeader, hiddenInUrl, hiding } from '../http/hidden-parts';
import { type Vault } from '../store/vault';
import { type ChannelRow, type NoticeRow } from '../store/tables/alerts';
import { HOUR, isoTime, MINUTE, SECOND } from '../time';
import { ChannelFailure, type ChannelSettings, type ChannelDeps } from './channels/channel-kind';
import { channelKind } from './channels/kinds';
import { fact, type Fact, type Said } from '../wording/facts';
import { knownLanguage } from '../wording/language';
import { spoken, type StoredNotice } from './notice';

export interface OutboxDeps extends ChannelDeps {
  vault: Vault;
  log: ChannelDeps['log'] & { warn(fields: object, message: string): void };
}

/** The reason for dropping an alert whose channel was paused or removed first. */
export const PAUSED = 'The channel was paused or removed before the alert was sent.';

/** The duration of a lease on an alert: longer than any channel takes to respond. */
const CLAIM = MINUTE;
/** The most alerts in flight, for all channels together. */
const AT_ONCE = 50;

/** The waits after each failure; the last is repeated for a day. */
const WAITS = [10 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR];
const GIVEN_UP_AFTER = 24 * HOUR;

export const settingsOf = (vault: Vault, channel: Pick<ChannelRow, 'settings_sealed'>): ChannelSettings =>
  JSON.parse(vault.open('alert_channels.settings', channel.settings_sealed)) as ChannelSettings;

/** Sends alerts, for each channel one after the other. A channel that hangs delays no other. */
export interface Outbox {
  /** Starts to send due alerts; the next one of a channel starts when the previous has ended. */
  takeDue(): Promise<void>;
  /** Like `takeDue`, and waits until all alerts are sent. */
  sendDue(): Promise<void>;
  /** Sends a test immediately, before other alerts of its channel. */
  sendTest(id: string): Promise<void>;
  /** Starts no new alert, and waits for those being sent. */
  stop(): Promise<void>;
}

/**
 * A process leases an alert for a minute, sends it and stores the result. A killed process therefore repeats at most
 * one alert per channel, with the same id.
 */
export function outbox(deps: OutboxDeps): Outbox {
  const { store, clock } = deps;
  const underWay = new Set<Promise<void>>();
  let isStopping = false;

  function begin(row: NoticeRow, channel: ChannelRow | undefined): Promise<void> {
    const sending = sendOne(deps, channel, row).finally(() => underWay.delete(sending));
    underWay.add(sending);
    return sending;
  }

  async function takeDue(): Promise<void> {
    const now = clock();
    const room = AT_ONCE - underWay.size;
    if (isStopping || room <= 0) return;
    const claimed = await store.alerts.claim(isoTime(now), isoTime(now + CLAIM), room);
    if (!claimed.length) return;
    const channels = new Map((await store.alerts.channels()).map((one) => [one.id, one]));
    const tellFailed = (error: unknown) =>
      deps.log.warn({ error }, 'alerts under way not noted, or the next ones not begun: tried again');
    for (const notice of claimed)
      void begin(notice, channels.get(notice.channel_id)).then(takeDue).catch(tellFailed);
  }

  return {
    takeDue,
    async sendDue() {
      await takeDue();
      while (underWay.size) {
        await Promise.race([...underWay]).catch(() => undefined);
        await takeDue();
      }
    },
    async sendTest(id) {
      const now = clock();
      const row = await store.alerts.claimOne(id, isoTime(now), isoTime(now + CLAIM));
      if (row) await begin(row, (await store.alerts.channel(row.channel_id)) ?? undefined);
    },
    async stop() {
      isStopping = true;
      await Promise.allSettled(underWay);
    },
  };
}

async function sendOne(deps: OutboxDeps, channel: ChannelRow | undefined, row: NoticeRow): Promise<void> {
  const { store, clock } = deps;
  const isTest = row.what === 'test';
  if (!channel || (channel.paused_at !== null && !isTest))
    return store.alerts.giveUpNotice(row.id, { last_failure: PAUSED });
  const attempts = row.attempts + 1;
  const failure = await tell(deps, channel, JSON.parse(row.body) as StoredNotice);
  const now = clock();
  const at = isoTime(now);
  if (failure === null) {
    await store.alerts.updateNotice(row.id, {
      ...{ attempts, told_at: at, next_try_at: null, claimed_until: null, last_failure: null },
    });
    await store.alerts.updateChannel(channel.id, {
      failing_since: null,
      last_failure: null,
      failure: null,
      last_told_at: at,
    });
    if (channel.failing_since !== null) await store.alerts.hurryNotices(channel.id, at);
    return;
  }
  const wait = WAITS[Math.min(attempts, WAITS.length) - 1] ?? HOUR;
  const isOver = isTest || now - Date.parse(row.created_at) > GIVEN_UP_AFTER;
  const last_failure = failure.message;
  if (isOver) await store.alerts.giveUpNotice(row.id, { attempts, last_failure });
  else {
    const nextTry = isoTime(now + Math.max(wait, Math.min(failure.retryAfter ?? 0, HOUR)));
    const next = { attempts, next_try_at: nextTry, claimed_until: null, last_failure };
    await store.alerts.updateNotice(row.id, next);
  }
  await store.alerts.updateChannel(channel.id, {
    failing_since: channel.failing_since ?? at,
    last_failure,
    failure: typeof failure.said === 'string' ? null : JSON.stringify(failure.said),
  });
  deps.log.warn(
    { channel: channel.id, kind: channel.kind, notice: row.id, attempts, because: last_failure },
    isOver ? 'alert not delivered' : 'alert not delivered: tried again',
  );
}

/** @returns the failure; null on success */
export async function tell(
  deps: OutboxDeps,
  channel: ChannelRow,
  notice: StoredNotice,
): Promise<ChannelFailure | null> {
  let settings: ChannelSettings = {};
  try {
    const kind = channelKind(channel.kind);
    if (!kind) throw new ChannelFailure(fact('channel.unknown_kind', {}));
    settings = settingsOf(deps.vault, channel);
    const inLanguage = spoken(knownLanguage(channel.language) ?? 'en', notice);
    await kind.send(deps, settings, inLanguage, channel.origin === 'token');
    return null;
  } catch (error) {
    const { message } = error as Error;
    const failure = error instanceof ChannelFailure ? error : new ChannelFailure(message);
    return new ChannelFailure(withoutSecrets(failure.said, channel, settings), failure.retryAfter);
  }
}

/** Characters of a stored failure, which may quote a response. */
const LONGEST_FAILURE = 400;

/** Removes secrets, because a receiver's response or a library's error may repeat parts of the request. */
function withoutSecrets(said: Said, { kind }: ChannelRow, settings: ChannelSettings): Said {
  const fields = channelKind(kind)?.fields ?? [];
  const hidden = fields
    .filter(({ isSecret, type }) => isSecret || type === 'url')
    .flatMap(({ name, type }) => {
      const value = settings[name] ?? '';
      return [value, ...(type === 'url' ? hiddenInUrl(value) : hiddenInHeaders(value))];
    });
  const hide = hiding(hidden);
  const shown = (value: unknown) =>
    typeof value === 'string' ? hide(value).slice(0, LONGEST_FAILURE) : value;
  if (typeof said === 'string') return String(shown(said));
  const values = Object.entries(said.values).map(([name, value]) => [name, shown(value)]);
  return { word: said.word, values: Object.fromEntries(values) } as Fact;
}

/** Also works for a field with a single secret. */
const hiddenInHeaders = (value: string): string[] =>
  value.split('\n').flatMap((line) => hiddenInHeader(line.slice(line.indexOf(':') + 1).trim()));
