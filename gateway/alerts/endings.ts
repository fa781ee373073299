import { type LineRegistry } from '../lines/line-registry';
import { type IncidentRow } from '../store/alerts';
import { type Store } from '../store/store';
import { type DestinationRow } from '../store/tables/destinations';
import { isoTime, type Clock } from '../time';
import { LOWERED_FOR } from './conditions/lines';
import { placeOf } from './conditions/destinations';

export interface EndingDeps {
  store: Store;
  lines: Pick<LineRegistry, 'byId'>;
  clock: Clock;
}

const OF_DESTINATIONS = [
  'destination_failing',
  'destination_paused',
  'deliveries_ending',
  'deliveries_given_up',
];

/**
 * What really ended incidents, by id, where it is not that all is well: their line or destination was removed or switched
 * off, their process runs no more. Of the others what was foreseen is told (`Condition.over`).
 * @param gone the ids of those whose process runs no more
 */
export async function endingsOf(
  { store, lines, clock }: EndingDeps,
  closed: IncidentRow[],
  gone: ReadonlySet<number>,
): Promise<Map<number, string>> {
  const ofDestinations = closed.filter(({ kind }) => OF_DESTINATIONS.includes(kind));
  const rows = await store.destinations.some([
    ...new Set(ofDestinations.map(({ subject }) => Number(subject))),
  ]);
  const destinations = new Map(rows.map((row) => [row.id, row]));
  const channels = closed.some(({ kind }) => kind === 'channel_failing') ? await store.alerts.channels() : [];
  const endings = new Map<number, string>();
  for (const one of closed) {
    const ending =
      (gone.has(one.id) && `${one.process} has ended: what it saw is watched no longer`) ||
      (await endOfLine({ store, lines }, one)) ||
      (OF_DESTINATIONS.includes(one.kind) &&
        endOfDestination(one, destinations.get(Number(one.subject)), lines, isoTime(clock()))) ||
      (one.kind === 'channel_failing' &&
        endOfChannel(channels.find(({ id }) => String(id) === one.subject))) ||
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
  const removed = await store.lines.findRemoved(id);
  return removed && `${removed.name} was removed`;
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
    return `${place} is paused no longer, and accepts no events`;
  return null;
}

const endOfChannel = (channel: { name: string; paused_at: string | null } | undefined): string | null => {
  if (!channel) return 'A channel that alerts did not reach was removed';
  return channel.paused_at === null ? null : `The channel ${channel.name} is paused`;
};

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
