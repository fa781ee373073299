import { connectionStateOf, qualityOf } from '../cloud-api/phone-number';
import { type Line } from '../lines/line';
import { type LineRegistry } from '../lines/line-registry';
import { type ChannelRow, type IncidentRow } from '../store/alerts';
import { type Store } from '../store/store';
import { type DestinationRow } from '../store/tables/destinations';
import { type TokenRow } from '../store/tables/tokens';
import { isoTime, type Clock } from '../time';
import { placeOf } from './conditions/destinations';
import { limitOf, limitWord, LOWERED_FOR } from './conditions/lines';
import { EXPIRED_FOR, nameOf } from './conditions/tokens';
import { MISSED_FOR } from './conditions/processes';
import { isOfDestination } from './kinds';
import { lengthOf } from './notice';

export interface EndingDeps {
  store: Store;
  lines: Pick<LineRegistry, 'byId'>;
  clock: Clock;
}

/**
 * What really ended incidents, by id, where it is not that all is well: their line or destination was removed or switched
 * off, their process runs no more, or nobody says any more how it is. Of the others what was foreseen is told
 * (`Condition.over`).
 * @param gone the ids of those whose process runs no more
 */
export async function endingsOf(
  { store, lines, clock }: EndingDeps,
  closed: IncidentRow[],
  gone: ReadonlySet<number>,
): Promise<Map<number, string>> {
  const ofDestinations = closed.filter(({ kind }) => isOfDestination(kind));
  const rows = await store.destinations.some([
    ...new Set(ofDestinations.map(({ subject }) => Number(subject))),
  ]);
  const destinations = new Map(rows.map((row) => [row.id, row]));
  const ofTokens = closed.filter(({ kind }) => kind === 'token_expiring');
  const tokenRows = await store.tokens.some(ofTokens.map(({ subject }) => Number(subject)));
  const tokens = new Map(tokenRows.map((row) => [String(row.id), row]));
  const channels = closed.some(({ kind }) => kind === 'channel_failing') ? await store.alerts.channels() : [];
  const endings = new Map<number, string>();
  for (const one of closed) {
    const ending =
      (gone.has(one.id) && `${one.process} has ended: what it saw is watched no longer`) ||
      (await endOfLine({ store, lines }, one)) ||
      (isOfDestination(one.kind) &&
        endOfDestination(one, destinations.get(Number(one.subject)), lines, isoTime(clock()))) ||
      (one.kind === 'channel_failing' &&
        endOfChannel(
          one,
          channels.find(({ id }) => String(id) === one.subject),
        )) ||
      (one.kind === 'token_expiring' && endOfToken(tokens.get(one.subject), lines, clock())) ||
      (one.kind === 'process_gone' && endOfProcess(one, clock())) ||
      (await endOfUntold({ store, lines }, one)) ||
      endOfLowered(one, lines, clock());
    if (ending) endings.set(one.id, ending);
  }
  return endings;
}

async function endOfLine(
  { store, lines }: Pick<EndingDeps, 'store' | 'lines'>,
  { line_id: id }: IncidentRow,
): Promise<string | null> {
  if (id === null) return null;
  const line = lines.byId(id);
  if (line) return line.isActive ? null : `${line.name} is switched off`;
  return (await store.lines.findRemoved(id)) && `Line ${id} was removed`;
}

function endOfDestination(
  { kind }: IncidentRow,
  row: DestinationRow | undefined,
  lines: EndingDeps['lines'],
  now: string,
): string | null {
  if (!row) return null;
  const place = placeOf(row, lines.byId(row.line_id));
  if (row.removed_at !== null) return `${place} was removed`;
  if (row.expires_at !== null && row.expires_at <= now) return `${place} has expired`;
  if (kind === 'destination_failing' && row.paused_at !== null) return `${place} is paused`;
  if (kind === 'destination_paused' && row.failing_since !== null)
    return `${place} is no longer paused, but isn't accepting events`;
  return null;
}

function endOfChannel({ since }: IncidentRow, channel: ChannelRow | undefined): string | null {
  if (!channel) return 'A channel that alerts did not reach was removed';
  if (channel.paused_at !== null) return `The channel ${channel.name} is paused`;
  const isReached = channel.last_told_at !== null && channel.last_told_at >= since;
  return isReached ? null : `The channel ${channel.name} was changed, and is tried anew`;
}

const endOfProcess = ({ subject, since }: IncidentRow, now: number): string | null =>
  now - Date.parse(since) < MISSED_FOR
    ? null
    : `The process ${subject} has been gone for a day, and is missed no longer`;

/** What expired long ago is watched no longer, though nothing has replaced it. */
function endOfToken(token: TokenRow | undefined, lines: EndingDeps['lines'], now: number): string | null {
  const line = token && lines.byId(token.line_id);
  if (!line || token.revoked_at !== null || token.expires_at === null) return null;
  const expiredFor = now - Date.parse(token.expires_at);
  if (expiredFor < EXPIRED_FOR) return null;
  return `${nameOf(line, token)} expired ${lengthOf(expiredFor)} ago, and is watched no longer`;
}

/** Of what the platform tells of a line: whether it tells it now, and how it ends where it does not. */
const OF_PLATFORM: Record<string, { isTold(line: Line): boolean; untold(name: string): string }> = {
  line_disconnected: {
    isTold: ({ upstream }) => connectionStateOf(upstream?.status ?? null) !== 'unknown',
    untold: (name) => `WhatsApp does not say at present whether ${name} is connected`,
  },
  line_restricted: {
    isTold: ({ upstream }) => connectionStateOf(upstream?.status ?? null) !== 'unknown',
    untold: (name) => `WhatsApp does not say at present whether ${name} is restricted`,
  },
  line_quality: {
    isTold: ({ upstream }) => qualityOf(upstream?.quality_rating) !== 'UNKNOWN',
    untold: (name) => `WhatsApp does not rate ${name} at present`,
  },
  line_limit: {
    isTold: (line) => limitOf(limitWord(line)) !== null,
    untold: (name) => `WhatsApp does not report the messaging limit of ${name} at present`,
  },
};

async function endOfUntold(
  { store, lines }: Pick<EndingDeps, 'store' | 'lines'>,
  { kind, since, subject }: IncidentRow,
): Promise<string | null> {
  const line = lines.byId(Number(subject));
  if (kind !== 'line_credentials') {
    const told = OF_PLATFORM[kind];
    return !line || !told || told.isTold(line) ? null : told.untold(line.name);
  }
  // In memory it may be older.
  const { status_checked_at: at = null } = (line && (await store.lines.upstreamStatus(line.id))) ?? {};
  if (!line || (at !== null && at >= since)) return null;
  return `${line.name} was given another access token, which is not tried yet`;
}

/** What stays lower for a week is what it is. */
function endOfLowered(
  { kind, severity, since, line_id: id }: IncidentRow,
  lines: EndingDeps['lines'],
  now: number,
): string | null {
  const isLowered = kind === 'line_limit' || (kind === 'line_quality' && severity === 'warning');
  if (!isLowered || now - Date.parse(since) <= LOWERED_FOR) return null;
  const what = kind === 'line_limit' ? 'messaging limit' : 'quality rating';
  return `The ${what} of ${lines.byId(id ?? 0)?.name ?? 'a line'} has been lower for a week, and counts as its usual one`;
}
