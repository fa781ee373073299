import { type Vault } from '../store/vault';
import { type ChannelRow, type NoticeRow } from '../store/alerts';
import { HOUR, isoTime, MINUTE, SECOND } from '../time';
import { ChannelFailure, type ChannelSettings, type SendingWorld } from './channels/channel-kind';
import { channelKind } from './channels/kinds';
import { type Notice } from './notice';

export interface OutboxDeps extends SendingWorld {
  vault: Vault;
  log: { warn(fields: object, message: string): void };
}

/** A process that has taken a notice has it for so long: longer than any channel may take to answer. */
const CLAIM = MINUTE;
const AT_ONCE = 10;

/** After the first failure, the second, …; the last is repeated, until a day is over. */
const WAITS = [10 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR];
const GIVEN_UP_AFTER = 24 * HOUR;

export const settingsOf = (vault: Vault, channel: Pick<ChannelRow, 'settings_sealed'>): ChannelSettings =>
  JSON.parse(vault.open('alert_channels.settings', channel.settings_sealed)) as ChannelSettings;

/**
 * Sends what is due. A notice is taken by one process for a minute, sent, and noted as told: one that is killed between
 * the last two repeats it once, under the same id.
 */
export async function sendDue(deps: OutboxDeps, goesOn: () => boolean): Promise<void> {
  const { store, clock } = deps;
  while (goesOn()) {
    const now = clock();
    const claimed = await store.alerts.claim(isoTime(now), isoTime(now + CLAIM), AT_ONCE);
    if (!claimed.length) return;
    const channels = new Map((await store.alerts.channels()).map((one) => [one.id, one]));
    await Promise.all(claimed.map((notice) => sendOne(deps, channels.get(notice.channel_id), notice)));
  }
}

async function sendOne(deps: OutboxDeps, channel: ChannelRow | undefined, row: NoticeRow): Promise<void> {
  const { store, clock } = deps;
  const isTest = row.what === 'test';
  if (!channel || (channel.paused_at !== null && !isTest)) {
    const last_failure = 'The channel was paused or removed before it was told.';
    return store.alerts.updateNotice(row.id, { next_try_at: null, claimed_until: null, last_failure });
  }
  const attempts = row.attempts + 1;
  const failure = await tell(deps, channel, JSON.parse(row.body) as Notice);
  const now = clock();
  const at = isoTime(now);
  if (failure === null) {
    await store.alerts.updateNotice(row.id, {
      ...{ attempts, told_at: at, next_try_at: null, claimed_until: null, last_failure: null },
    });
    await store.alerts.updateChannel(channel.id, {
      failing_since: null,
      last_failure: null,
      last_told_at: at,
    });
    return;
  }
  const wait = WAITS[Math.min(attempts, WAITS.length) - 1] ?? HOUR;
  const isOver = isTest || now - Date.parse(row.created_at) > GIVEN_UP_AFTER;
  const nextTry = isOver ? null : isoTime(now + Math.max(wait, Math.min(failure.retryAfter ?? 0, HOUR)));
  const last_failure = failure.message;
  await store.alerts.updateNotice(row.id, {
    attempts,
    next_try_at: nextTry,
    claimed_until: null,
    last_failure,
  });
  await store.alerts.updateChannel(channel.id, { failing_since: channel.failing_since ?? at, last_failure });
  deps.log.warn(
    { channel: channel.id, kind: channel.kind, notice: row.id, attempts, because: last_failure },
    nextTry === null ? 'alert not delivered' : 'alert not delivered: tried again',
  );
}

/** @returns why it did not arrive; null where it did */
export async function tell(
  deps: OutboxDeps,
  channel: ChannelRow,
  notice: Notice,
): Promise<ChannelFailure | null> {
  let settings: ChannelSettings = {};
  try {
    const kind = channelKind(channel.kind);
    if (!kind) throw new ChannelFailure('This version of the gateway does not know this kind of channel.');
    settings = settingsOf(deps.vault, channel);
    await kind.send(deps, settings, notice, channel.origin === 'token');
    return null;
  } catch (error) {
    const { message } = error as Error;
    const failure = error instanceof ChannelFailure ? error : new ChannelFailure(message);
    return new ChannelFailure(withoutSecrets(failure.message, channel, settings), failure.retryAfter);
  }
}

/** Of why an alert did not arrive, which may repeat an answer. */
const LONGEST_FAILURE = 250;
const SHORTEST_SECRET = 4;
/** Of a part of an address or of a header: shorter ones are words as "api". */
const SHORTEST_PART = 8;

/** What a receiver answers, and what a library says, may repeat what it was sent, or a part of it. */
function withoutSecrets(text: string, { kind }: ChannelRow, settings: ChannelSettings): string {
  const fields = channelKind(kind)?.fields ?? [];
  return fields
    .filter(({ isSecret, type }) => isSecret || type === 'url')
    .flatMap(({ name, type }) => {
      const value = settings[name] ?? '';
      const parts = type === 'url' ? partsOfAddress(value) : partsOfHeaders(value);
      return [
        ...[value].filter(({ length }) => length >= SHORTEST_SECRET),
        ...parts.filter(({ length }) => length >= SHORTEST_PART),
      ];
    })
    .toSorted((one, other) => other.length - one.length)
    .reduce((left, secret) => left.replaceAll(secret, '…'), text)
    .slice(0, LONGEST_FAILURE);
}

function partsOfAddress(value: string): string[] {
  const url = URL.parse(value);
  if (!url) return [];
  const path = `${url.pathname}${url.search}`;
  return [path, url.pathname, url.password, ...path.split(/[/?&=]/)];
}

function partsOfHeaders(value: string): string[] {
  const values = value.split('\n').map((line) => line.slice(line.indexOf(':') + 1).trim());
  return [...values, ...values.flatMap((one) => one.split(' '))];
}
