import { setTimeout as wait } from 'node:timers/promises';
import { type ReceivedGroup, type SentGroup, type UsageDay, type UsageDayRow } from '../store/tables/usage';
import { USAGE_COUNTS } from '../store/reports/usage';
import { type Store } from '../store/store';
import { DAY, isoTime, MINUTE, SECOND, type Clock } from '../time';
import { countryOf } from './country-of-number';
import { dateIn, datePlus, datesDuring, startOf } from './days';
import { isCharged, readPricing } from './pricing';

/**
 * Usage is rebuilt from messages and events, never counted up. So repeats, late statuses and crashes cannot miscount.
 * A status marks the day of its message in the transaction that records it. Sends mark nothing: the round finds the
 * lines that sent something. A day is rebuilt once more after its end.
 */
export interface RebuildDeps {
  store: Pick<Store, 'usage' | 'lines'>;
  clock: Clock;
  /** Asked before each day; false ends the work. */
  goesOn(): boolean;
}

/** How long a commit may be visible after the time in its rows. */
const LATE_COMMITS = 2 * MINUTE;
/** How long after its end a day is settled. */
const SETTLED_AFTER = 10 * MINUTE;
/** How long a round rebuilds; the next one continues, the latest days first. */
const A_ROUND = 30 * SECOND;
/** Each rebuild of the round is followed by a pause of this many times its duration. */
const REST = 4;

/** @returns marks and rebuilds the days that changed since the last round */
export function usageRounds(deps: RebuildDeps): () => Promise<void> {
  // After a restart, a day may have sends that no status has marked.
  let since = deps.clock() - DAY;
  return async () => {
    const began = deps.clock();
    await settle(deps);
    await markActive(deps, since - LATE_COMMITS);
    since = began;
    const ends = performance.now() + A_ROUND;
    await rebuildMarked({ ...deps, goesOn: () => deps.goesOn() && performance.now() < ends }, { rest: REST });
  };
}

/** Marks each day of all lines once more after its end; at first, all earlier days. */
async function settle({ store, clock, goesOn }: RebuildDeps): Promise<void> {
  const { settled } = await store.usage.progress();
  const last = dateIn('UTC', clock() - SETTLED_AFTER - DAY);
  // The clock was ahead.
  if (settled !== null && settled > last) return store.usage.settled(last);
  let day = settled === null ? ((await store.usage.firstDay()) ?? last) : datePlus(settled, 1);
  for (; day <= last && goesOn(); day = datePlus(day, 1)) {
    await store.usage.mark(day);
    await store.usage.settled(day);
  }
}

/** Rebuilds all marked days and freezes those that begin before this time, whose messages are about to be deleted. */
export async function freezeBefore(deps: RebuildDeps, at: number): Promise<void> {
  await settle(deps);
  for (let isMore = true; isMore && deps.goesOn();) ({ isMore } = await rebuildMarked(deps, { rest: REST }));
  if (deps.goesOn()) await deps.store.usage.freeze(isoTime(at));
}

/** Rebuilds what has changed on a line that is about to be removed. Its usage then stays as it is. */
export async function finishUsage(
  { store, clock }: Omit<RebuildDeps, 'goesOn'>,
  lineId: number,
): Promise<void> {
  await store.usage.markOf(lineId, [dateIn('UTC', clock() - DAY), dateIn('UTC', clock())]);
  await rebuildMarked({ store, goesOn: () => true }, { lineId });
}

async function markActive({ store, clock }: RebuildDeps, since: number): Promise<void> {
  const days = [...new Set([dateIn('UTC', since), dateIn('UTC', clock())])];
  for (const lineId of await store.usage.activeSince(since)) await store.usage.markOf(lineId, days);
}

/** Marks every day that is not frozen, and rebuilds it. @returns how many days of lines there were, and had changed */
export async function rebuildAll(deps: RebuildDeps): Promise<{ days: number; changed: number }> {
  const today = dateIn('UTC', deps.clock());
  let day = (await deps.store.usage.firstDay()) ?? today;
  for (; day <= today && deps.goesOn(); day = datePlus(day, 1)) await deps.store.usage.mark(day);
  let [days, changed] = [0, 0];
  for (let isMore = true; isMore && deps.goesOn();) {
    const part = await rebuildMarked(deps);
    [days, changed, isMore] = [days + part.days, changed + part.changed, part.isMore];
  }
  return { days, changed };
}

/**
 * Rebuilds the marked days, the latest first, and removes their marks.
 * @param rest as `REST`
 * @returns how many days of lines there were, how many had other rows before, and whether others are still marked
 */
export async function rebuildMarked(
  { store, goesOn }: Pick<RebuildDeps, 'store' | 'goesOn'>,
  { lineId, rest = 0 }: { lineId?: number; rest?: number } = {},
): Promise<{ days: number; changed: number; isMore: boolean }> {
  const { marked, isMore } = await store.usage.marked(lineId);
  const done = { days: 0, changed: 0, isMore };
  if (!marked.length) return done;
  const zones = new Map((await store.lines.all()).map((line) => [line.id, line.time_zone ?? 'UTC']));
  const { frozenBefore } = await store.usage.progress();
  const frozen = frozenBefore === null ? 0 : Date.parse(frozenBefore);
  for (const one of marked) {
    if (!goesOn()) break;
    const began = performance.now();
    const zone = zones.get(one.lineId);
    // What a removed line sent is gone: its days stay as they are.
    const { days, changed } =
      zone === undefined
        ? { days: 0, changed: [] }
        : await changedDays(store, one.lineId, one.day, zone, frozen);
    if (await store.usage.replace(one, changed)) {
      done.days += days;
      done.changed += changed.length;
    }
    if (rest) await wait(rest * (performance.now() - began), null, { ref: false });
  }
  return done;
}

/** The days of a line that a UTC day is part of and that have changed, as they must be stored. */
async function changedDays(
  store: RebuildDeps['store'],
  lineId: number,
  utcDay: string,
  zone: string,
  frozen: number,
): Promise<{ days: number; changed: UsageDay[] }> {
  const changed: UsageDay[] = [];
  /** Both clocks have the same days on a line in UTC. */
  const read = new Map<string, Counted[]>();
  let days = 0;
  for (const [clock, inZone, dates] of [
    ['utc', 'UTC', [utcDay]],
    ['line', zone, datesDuring(zone, utcDay)],
  ] as const)
    for (const day of dates) {
      const [from, to] = [startOf(inZone, day), startOf(inZone, datePlus(day, 1))];
      if (from < frozen) continue;
      days++;
      const stored = sorted(await store.usage.day(lineId, { clock, day }));
      const groups = read.get(`${from} ${to}`) ?? (await groupsOf(store, lineId, from, to, stored));
      read.set(`${from} ${to}`, groups);
      const rows = rowsOf({ line_id: lineId, clock, day }, groups);
      if (!isSame(rows, stored)) changed.push({ clock, day, rows });
    }
  return { days, changed };
}

/** Messages that one statement counts, which takes some 20 ms: lists of the panel wait meanwhile. */
const AT_ONCE = 20_000;

/** Reads a day in as many parts as its stored rows suggest. */
async function groupsOf(
  store: RebuildDeps['store'],
  lineId: number,
  from: number,
  to: number,
  stored: UsageDayRow[],
): Promise<Counted[]> {
  const expected = stored.reduce((sum, row) => sum + row.sent + row.received, 0);
  const step = Math.ceil((to - from) / Math.max(1, Math.ceil(expected / AT_ONCE)));
  const groups: Counted[] = [];
  for (let start = from; start < to; start += step) {
    const end = Math.min(start + step, to);
    groups.push(...(await store.usage.sent(lineId, start, end)).map(sentRow));
    groups.push(...(await store.usage.received(lineId, start, end)).map(receivedRow));
  }
  return groups;
}

type Dimension = 'direction' | 'kind' | 'template' | 'category' | 'type' | 'country';

const KEY = ['direction', 'kind', 'template', 'category', 'type', 'country'] as const;
const NOTHING = { sent: 0, delivered: 0, read: 0, failed: 0, received: 0, charged: 0 };

/** Longest texts of a row, so that its key fits into an index of PostgreSQL (2,704 bytes). */
const LONGEST = { kind: 64, template: 512 };

const keyOf = (row: Pick<UsageDayRow, Dimension>): string => KEY.map((column) => row[column]).join('\n');

const sorted = (rows: UsageDayRow[]): UsageDayRow[] =>
  rows
    .map((row) => [keyOf(row), row] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, row]) => row);

const isSame = (some: UsageDayRow[], others: UsageDayRow[]): boolean =>
  some.length === others.length &&
  some.every((row, index) =>
    [...KEY, ...USAGE_COUNTS].every((column) => row[column] === others[index]?.[column]),
  );

/** The rows of a day, in the order of their key. */
function rowsOf(of: Pick<UsageDayRow, 'line_id' | 'clock' | 'day'>, groups: Counted[]): UsageDayRow[] {
  const rows = new Map<string, UsageDayRow>();
  for (const group of groups) {
    const key = keyOf(group);
    const row = rows.get(key) ?? { ...of, ...group, ...NOTHING };
    for (const column of USAGE_COUNTS) row[column] += group[column];
    rows.set(key, row);
  }
  return sorted([...rows.values()]);
}

type Counted = Omit<UsageDayRow, 'line_id' | 'clock' | 'day'>;

function sentRow(group: SentGroup): Counted {
  const pricing = readPricing(group.pricing);
  const { sent, delivered, read, failed } = group;
  return {
    direction: group.sent_from === 'app' ? 'app' : 'out',
    kind: (group.type ?? '').slice(0, LONGEST.kind),
    template: (group.template_name ?? '').slice(0, LONGEST.template),
    category: pricing.category ?? '',
    type: pricing.type ?? '',
    country: countryFrom(group.number),
    ...{ ...NOTHING, sent, delivered, read, failed },
    charged: isCharged(pricing) ? delivered : 0,
  };
}

const receivedRow = ({ kind, number, received }: ReceivedGroup): Counted => ({
  direction: 'in',
  kind: kind.slice(0, LONGEST.kind),
  ...{ template: '', category: '', type: '' },
  country: countryFrom(number),
  ...{ ...NOTHING, received },
});

/** A stored country has two letters, and no contact has only two characters. */
const countryFrom = (number: string | null): string =>
  number !== null && /^[A-Z?]{2}$/.test(number) ? number : countryOf(number);
