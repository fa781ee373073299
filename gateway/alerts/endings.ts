import { connectionStateOf, qualityOf } from '../cloud-api/phone-number';
import { storedChecks } from '../lines/checks/line-checks';
import { type Line } from '../lines/line';
import { type LineRegistry } from '../lines/line-registry';
import { type ChannelRow, type IncidentRow } from '../store/tables/alerts';
import { type Store } from '../store/store';
import { type DestinationRow } from '../store/tables/destinations';
import { type TokenRow } from '../store/tables/tokens';
import { isoTime, type Clock } from '../time';
import { fact, type Fact } from '../wording/facts';
import { placeOf } from './conditions/destinations';
import { essentialChecks, limitOf, limitWord, LOWERED_FOR } from './conditions/lines';
import { NEW_CATEGORY_FOR } from './conditions/templates';
import { EXPIRED_FOR, named } from './conditions/tokens';
import { MISSED_FOR } from './conditions/processes';
import { isOfDestination } from './kinds';

export interface EndingDeps {
  store: Store;
  lines: Pick<LineRegistry, 'byId'>;
  clock: Clock;
}

/**
 * Why incidents ended, by id, for those that did not recover: their line or destination was removed or switched off,
 * their process stopped, or the platform no longer reports the state. All others end with the `over` text of their
 * condition (`wording/`).
 * @param gone ids of incidents whose process stopped
 */
export async function endingsOf(
  { store, lines, clock }: EndingDeps,
  closed: IncidentRow[],
  gone: ReadonlySet<number>,
): Promise<Map<number, Fact>> {
  const ofDestinations = closed.filter(({ kind }) => isOfDestination(kind));
  const rows = await store.destinations.some([
    ...new Set(ofDestinations.map(({ subject }) => Number(subject))),
  ]);
  const destinations = new Map(rows.map((row) => [row.id, row]));
  const ofTokens = closed.filter(({ kind }) => kind === 'token_expiring');
  const tokenRows = await store.tokens.some(ofTokens.map(({ subject }) => Number(subject)));
  const tokens = new Map(tokenRows.map((row) => [String(row.id), row]));
  const channels = closed.some(({ kind }) => kind === 'channel_failing') ? await store.alerts.channels() : [];
  const endings = new Map<number, Fact>();
  for (const one of closed) {
    const ending =
      (gone.has(one.id) && fact('over.process_ended', { process: one.process ?? '' })) ||
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
      (await endOfUntold({ store, lines, clock }, one)) ||
      endOfLowered(one, lines, clock());
    if (ending) endings.set(one.id, ending);
  }
  return endings;
}

async function endOfLine(
  { store, lines }: Pick<EndingDeps, 'store' | 'lines'>,
  { line_id: id }: IncidentRow,
): Promise<Fact | null> {
  if (id === null) return null;
  const line = lines.byId(id);
  if (line) return line.isActive ? null : fact('over.line_deactivated', { name: line.name });
  return (await store.lines.findRemoved(id)) && fact('over.line_removed', { id });
}

function endOfDestination(
  { kind }: IncidentRow,
  row: DestinationRow | undefined,
  lines: EndingDeps['lines'],
  now: string,
): Fact | null {
  if (!row) return null;
  const place = placeOf(row, lines.byId(row.line_id));
  if (row.removed_at !== null) return fact('over.destination_removed', { place });
  if (row.expires_at !== null && row.expires_at <= now) return fact('over.destination_expired', { place });
  if (kind === 'destination_failing' && row.paused_at !== null)
    return fact('over.destination_paused', { place });
  if (kind === 'destination_paused' && row.failing_since !== null)
    return fact('over.resumed_failing', { place });
  return null;
}

function endOfChannel({ since }: IncidentRow, channel: ChannelRow | undefined): Fact | null {
  if (!channel) return fact('over.channel_removed', {});
  if (channel.paused_at !== null) return fact('over.channel_paused', { channel: channel.name });
  const isReached = channel.last_told_at !== null && channel.last_told_at >= since;
  return isReached ? null : fact('over.channel_changed', { channel: channel.name });
}

const endOfProcess = ({ subject, since }: IncidentRow, now: number): Fact | null =>
  now - Date.parse(since) < MISSED_FOR ? null : fact('over.process_missed', { process: subject });

/** A token that expired long ago is no longer checked, even without a replacement. */
function endOfToken(token: TokenRow | undefined, lines: EndingDeps['lines'], now: number): Fact | null {
  const line = token && lines.byId(token.line_id);
  if (!line || token.revoked_at !== null || token.expires_at === null) return null;
  const expiredFor = now - Date.parse(token.expires_at);
  if (expiredFor < EXPIRED_FOR) return null;
  return fact('over.token_expired', { token: named(line, token), milliseconds: expiredFor });
}

type Unreported = Fact<'over.unreported'>['values']['what'];

/** The platform's data behind a condition, and whether it is present now. */
const OF_PLATFORM: Record<string, { what: Unreported; isReported(line: Line): boolean }> = {
  line_disconnected: {
    what: 'connection',
    isReported: ({ upstream }) => connectionStateOf(upstream?.status ?? null) !== 'unknown',
  },
  line_restricted: {
    what: 'restriction',
    isReported: ({ upstream }) => connectionStateOf(upstream?.status ?? null) !== 'unknown',
  },
  line_quality: {
    what: 'rating',
    isReported: ({ upstream }) => qualityOf(upstream?.quality_rating) !== 'UNKNOWN',
  },
  line_limit: { what: 'limit', isReported: (line) => limitOf(limitWord(line)) !== null },
};

async function endOfUntold(
  { store, lines, clock }: EndingDeps,
  { kind, since, subject }: IncidentRow,
): Promise<Fact | null> {
  const line = lines.byId(Number(subject));
  if (line && isOfChecks(kind)) return endOfUnchecked(store, line, kind, clock());
  if (kind !== 'line_credentials') {
    const of = OF_PLATFORM[kind];
    if (!line || !of || of.isReported(line)) return null;
    return fact('over.unreported', { what: of.what, name: line.name });
  }
  // The copy in memory may be older.
  const { status_checked_at: at = null } = (line && (await store.lines.upstreamStatus(line.id))) ?? {};
  if (!line || (at !== null && at >= since)) return null;
  return fact('over.token_replaced', { name: line.name });
}

const isOfChecks = (kind: string): boolean => kind === 'line_setup' || kind === 'access_token_expiring';

/** With another access token or number, nothing is known until the checks were read. */
async function endOfUnchecked(store: Store, line: Line, kind: string, now: number): Promise<Fact | null> {
  const row = await store.lines.find(line.id);
  const checks = row && storedChecks(row);
  if (kind === 'access_token_expiring')
    return checks ? null : fact('over.token_replaced', { name: line.name });
  const results = essentialChecks(line, checks, now);
  const isUnknown = results.some(({ state }) => state === 'unknown');
  return isUnknown ? fact('over.unreported', { what: 'setup', name: line.name }) : null;
}

/** A value that stays lower for a week becomes the new normal, and a changed category too. */
function endOfLowered(
  { kind, severity, since, line_id: id }: IncidentRow,
  lines: EndingDeps['lines'],
  now: number,
): Fact | null {
  if (kind === 'template_category') {
    const isUsual = now - Date.parse(since) > NEW_CATEGORY_FOR;
    return isUsual ? fact('over.usual', { what: 'category', name: null }) : null;
  }
  const isLowered = kind === 'line_limit' || (kind === 'line_quality' && severity === 'warning');
  if (!isLowered || now - Date.parse(since) <= LOWERED_FOR) return null;
  const what = kind === 'line_limit' ? 'limit' : 'rating';
  return fact('over.usual', { what, name: lines.byId(id ?? 0)?.name ?? null });
}
