import { SEVERITIES, type Severity } from '../store/schema';
import {
  type ChannelRow,
  type IncidentChange,
  type IncidentRow,
  type MarkRow,
  type MuteRow,
  type NewIncident,
  type NoticeRow,
  type ToldRow,
} from '../store/tables/alerts';
import { type Line } from '../lines/line';
import { HOUR, isoTime, MINUTE, SECOND } from '../time';
import { type Condition } from './conditions/condition';
import { isConditionKind, KINDS } from './kinds';
import { isQuiet } from './quiet-hours';
import { type AlertFact } from '../wording/facts';
import { sayAlert } from '../wording/say';
import { type IncidentFacts } from './incident-text';
import { type Rules } from './conditions/kind';
import { lastsUntilTold } from './rules';

/**
 * Decides how incidents change, and which alerts to send. Pure: the same rows and time give the same plan, so a
 * process that crashes before the commit leaves nothing to repair.
 *
 * A channel gets an alert if its last one about a subject differs from the current state. An incident that starts and
 * ends unreported causes no alert, and a flapping one is limited to a number of alerts per subject and channel.
 */

/** Incidents that start within this time share one alert. */
export const GATHERED_FOR = 20 * SECOND;

/** The minimum waits between alerts of one kind within an hour. */
const SPACING = [0, 5 * MINUTE, 15 * MINUTE];

/** The most alerts about one subject to one channel within an hour. */
export const MOST_AN_HOUR = 3;

/**
 * An incident that ends this soon after a change of its rule ended because of the change, not because it recovered.
 */
const BY_RULE = MINUTE;

export interface Seen {
  conditions: Condition[];
  rules: Rules;
  now: number;
  /** The only process that can observe these conditions; null if every process finds them. */
  process: string | null;
  /** Kinds that cannot be checked yet. Their open incidents stay open. */
  unknown?: ReadonlySet<string>;
  /** The panel page for fixing a condition. */
  pathOf: PathOf;
}

/** The fields that determine the panel page. */
export type Linked = AlertFact & Pick<Condition, 'subject' | 'lineId'>;
export type PathOf = (alert: Linked) => string;

const keyOf = ({ kind, subject }: { kind: string; subject: string }): string => `${kind} ${subject}`;

/**
 * The distance from now in both directions: a time in the future comes from a wrong clock, and must not cause a wait.
 */
const distance = (at: string, now: number): number => Math.abs(now - Date.parse(at));

/** Whether a condition is an incident: its rule is on, and it has lasted long enough. */
const isIncident = ({ kind, since, isTold }: Condition, rules: Rules, now: number): boolean =>
  isTold && rules[kind].isOn && distance(since, now) >= lastsUntilTold(kind, rules);

export interface IncidentChanges {
  opened: NewIncident[];
  closed: number[];
  /** Facts that changed since the incident was opened, by id. */
  updated: Map<number, IncidentChange>;
}

/** @param open the open incidents, of any process */
export function incidentChanges(
  open: IncidentRow[],
  { conditions, rules, now, process, unknown, pathOf }: Seen,
): IncidentChanges {
  const known = new Map(open.map((one) => [keyOf(one), one]));
  const found = new Set(conditions.filter(({ kind, isTold }) => isTold && rules[kind].isOn).map(keyOf));
  const opened = conditions
    .filter((one) => isIncident(one, rules, now) && !known.has(keyOf(one)))
    .map((one) => ({
      ...toldOf(one, pathOf),
      kind: one.kind,
      subject: one.subject,
      process,
      waiting: one.waiting,
      since: one.since,
      opened_at: isoTime(now),
    }));
  const closed = open
    .filter((one) => one.process === process && !found.has(keyOf(one)) && !unknown?.has(one.kind))
    .map(({ id }) => id);
  const updated = new Map<number, IncidentChange>();
  for (const one of conditions) {
    const row = known.get(keyOf(one));
    if (!row || row.process !== process) continue;
    const next: IncidentChange = { ...toldOf(one, pathOf), waiting: one.waiting ?? row.waiting };
    const changed = Object.entries(next).filter(([name, value]) => row[name as keyof IncidentRow] !== value);
    if (changed.length) updated.set(row.id, Object.fromEntries(changed) as IncidentChange);
  }
  return { opened, closed, updated };
}

/**
 * The content of an incident, which may change while it is open: facts, and English text for processes of the
 * previous version.
 */
const toldOf = (one: Condition, pathOf: PathOf) => ({
  line_id: one.lineId,
  waba_id: one.wabaId,
  severity: one.severity,
  ...sayAlert('en', one),
  facts: JSON.stringify({ values: one.values, customerId: one.customerId } satisfies IncidentFacts),
  path: pathOf(one),
});

/** Assigns incidents to the channels whose scope they are in, in time independent of the number of channels. */
export function byScope(
  open: IncidentRow[],
  /** Null if the line does not exist. */
  lineOf: (lineId: number) => Pick<Line, 'wabaId' | 'customerId'> | null,
): (channel: ChannelRow) => IncidentRow[] {
  const ofLine = Map.groupBy(open, ({ line_id: id }) => String(id));
  const ofAccount = Map.groupBy(open, ({ waba_id: id }) => id);
  const shared = open
    .filter(({ line_id: line }) => line === null)
    .map((row) => ({ row, customer: customerOf(row) }));
  const sharedBy = Map.groupBy(shared, ({ row }) => row.waba_id);
  const inScope = ({ scope, scope_id: id }: ChannelRow): IncidentRow[] => {
    if (scope === 'gateway') return open;
    if (scope === 'account') return (id !== null && ofAccount.get(id)) || [];
    const line = lineOf(Number(id));
    // A condition of an account concerns each of its lines, or those of one customer.
    const concerning = ((line && sharedBy.get(line.wabaId)) ?? [])
      .filter(({ customer }) => customer === undefined || customer === line?.customerId)
      .map(({ row }) => row);
    return [...(ofLine.get(String(id)) ?? []), ...concerning];
  };
  return (channel) =>
    inScope(channel).filter(
      ({ kind, subject }) => kind !== 'channel_failing' || subject !== String(channel.id),
    );
}

const customerOf = ({ facts }: IncidentRow): number | undefined =>
  facts ? (JSON.parse(facts) as IncidentFacts).customerId : undefined;

export interface ChannelView {
  channel: ChannelRow;
  /** Open incidents in the channel's scope; `isOpen`: whether any incident is open at all, by key. */
  open: IncidentRow[];
  isOpen(key: string): boolean;
  /** The channel's last alerts. */
  told: ToldRow[];
  mutes: MuteRow[];
  rules: Rules;
  /** When rules were changed. */
  ruleChanges: Pick<MarkRow, 'subject' | 'at'>[];
  /** The channel's alerts in the last hour, oldest first. */
  sent: Pick<NoticeRow, 'what' | 'kind' | 'created_at'>[];
  /** The channel's unsent alerts, by id. */
  waiting: ReadonlyMap<string, NoticeRow['what']>;
  newId(): string;
  now: number;
}

/** The alerts for one channel now. */
export interface PlannedNotice {
  id: string;
  what: Exclude<NoticeRow['what'], 'test'>;
  kind: string;
  /** The ids of the incidents in the alert. */
  ids: number[];
  /** The number of reported incidents of the kind that are still open. */
  stillOpen: number;
  /** For ended incidents: whether the channel was never notified of their start. */
  isNews: boolean;
}

export interface ChannelPlan {
  notices: PlannedNotice[];
  /** Unsent alerts that are no longer needed. */
  dropped: string[];
  /** The channel's new last alerts, and those to forget. */
  told: ToldRow[];
  forgotten: ToldRow[];
}

/** Whether the incident is muted, or the channel paused or quiet. */
export const isMuted = (
  mutes: MuteRow[],
  { kind, subject, line_id: lineId }: Pick<IncidentRow, 'kind' | 'subject' | 'line_id'>,
): boolean =>
  mutes.some(
    (mute) =>
      (mute.kind === null || mute.kind === kind) &&
      (mute.subject === null || mute.subject === subject) &&
      (mute.line_id === null || mute.line_id === lineId),
  );

type Ended = ReadonlyMap<number, Pick<IncidentRow, 'severity' | 'closed_at'>>;

/** The difference between the channel's last alerts and the current state. */
interface Differences {
  fresh: Began[];
  worse: Began[];
  over: ToldRow[];
  due: Began[];
}

/** With the time from which the alert was due. */
type Began = Pick<ToldRow, 'kind' | 'subject' | 'incident_id'> & { began: string };

/** The times of alerts about a subject within the last hour, per channel. */
const lately = (row: ToldRow | undefined, now: number): string[] =>
  row ? (JSON.parse(row.times) as string[]).filter((time) => isLately(time, now)) : [];

const isLately = (time: string, now: number): boolean => time > isoTime(now - HOUR) && time <= isoTime(now);

const keyed = <One extends { kind: string; subject: string }>(all: One[]): Map<string, One> =>
  new Map(all.map((one) => [keyOf(one), one]));

function differences(view: ChannelView, ended: Ended, isSilent: (row: ToldRow) => boolean): Differences {
  const { channel, told, mutes, now } = view;
  const quiet = isQuiet(channel, now);
  const mayTell = (severity: Severity) => !quiet || severity === 'critical';
  const mayHearOf = (row: ToldRow | undefined) => lately(row, now).length < MOST_AN_HOUR;
  const known = keyed(told);
  const own = keyed(view.open);
  const fresh = view.open.filter((one) => {
    const row = known.get(keyOf(one));
    return row?.state !== 'open' && mayTell(one.severity) && mayHearOf(row) && !isMuted(mutes, one);
  });
  const over = told.filter((row) => {
    const { severity = 'warning' } = ended.get(row.incident_id) ?? {};
    if (row.state !== 'open' || own.has(keyOf(row)) || isSilent(row)) return false;
    return !own.has(nextKeyOf(row)) && mayTell(severity) && mayHearOf(row);
  });
  const lasting = told.flatMap((row) => {
    const one = own.get(keyOf(row));
    return one && row.state === 'open' && !isMuted(mutes, one) ? [{ row, one }] : [];
  });
  const isWorse = ({ row, one }: (typeof lasting)[number]): boolean =>
    row.severity !== null &&
    SEVERITIES.indexOf(one.severity) < SEVERITIES.indexOf(row.severity) &&
    mayTell(one.severity) &&
    mayHearOf(row);
  const isDue = ({ row, one }: (typeof lasting)[number]): boolean =>
    one.severity !== 'info' &&
    channel.remind_hours !== null &&
    distance(row.told_at, now) >= channel.remind_hours * HOUR &&
    mayTell(one.severity);
  const asBegan = ({ row: { kind, subject, told_at: began }, one }: (typeof lasting)[number]): Began => ({
    ...{ kind, subject, began, incident_id: one.id },
  });
  return {
    over,
    fresh: fresh.map(({ id, kind, subject, opened_at: began }) => ({
      kind,
      subject,
      began,
      incident_id: id,
    })),
    worse: lasting.filter(isWorse).map(asBegan),
    due: lasting.filter((one) => !isWorse(one) && isDue(one)).map(asBegan),
  };
}

/**
 * Whether incidents that began at this time have been gathered, and enough time has passed since the last alert of
 * the kind.
 */
function isTime(
  { sent, now }: ChannelView,
  what: PlannedNotice['what'],
  kind: string,
  began: string[],
): boolean {
  const gathered = began.toSorted()[0];
  if (gathered === undefined || distance(gathered, now) < GATHERED_FOR) return false;
  const times = sent.filter((one) => one.what === what && one.kind === kind && isLately(one.created_at, now));
  const last = times.at(-1);
  const space = SPACING[Math.min(times.length, SPACING.length - 1)] ?? 0;
  return !last || now - Date.parse(last.created_at) >= space;
}

/** @param ended the ended incidents among those that the channel was notified of, by id */
export function planFor(view: ChannelView, ended: Ended): ChannelPlan {
  const { channel, told, waiting, now } = view;
  const isSilent = silenceOf(view, ended);
  const { fresh, worse, over, due } = differences(view, ended, isSilent);
  const known = keyed(told);
  const own = keyed(view.open);
  // An unsent alert is outdated: one alert reports both start and end.
  const outdated = outdatedOf(told, over, waiting);
  const plan: ChannelPlan = { notices: [], dropped: [...outdated], told: [], forgotten: [] };

  const tell = (
    what: PlannedNotice['what'],
    kind: string,
    rows: Pick<ToldRow, 'subject' | 'incident_id'>[],
    isNews = false,
  ) => {
    const id = view.newId();
    const state = what === 'recovered' ? 'over' : 'open';
    const stillOpen = told.filter((row) => row.kind === kind && row.state === 'open').length - rows.length;
    plan.notices.push({
      ...{ id, what, kind, isNews },
      ids: rows.map((row) => row.incident_id),
      stillOpen: what === 'recovered' ? Math.max(0, stillOpen) : 0,
    });
    for (const { subject, incident_id } of rows) {
      const key = keyOf({ kind, subject });
      plan.told.push({
        ...{ channel_id: channel.id, kind, subject, incident_id, state },
        told_at: isoTime(now),
        times: JSON.stringify([...lately(known.get(key), now), isoTime(now)]),
        notice_id: id,
        severity: own.get(key)?.severity ?? null,
      });
    }
  };
  const began = (rows: Began[]) => rows.map((row) => row.began);

  for (const [kind, rows] of Map.groupBy(fresh, (one) => one.kind))
    if (isTime(view, 'opened', kind, began(rows))) tell('opened', kind, rows);
  for (const [kind, rows] of Map.groupBy(worse, (one) => one.kind))
    if (isTime(view, 'escalated', kind, began(rows))) tell('escalated', kind, rows);
  for (const [kind, all] of Map.groupBy(over, (one) => one.kind)) {
    const isNews = (row: ToldRow) =>
      outdated.has(row.notice_id ?? '') && waiting.get(row.notice_id ?? '') === 'opened';
    const news = all.filter(isNews);
    const rows = all.filter((row) => !isNews(row));
    const ends = rows.map((row) => ended.get(row.incident_id)?.closed_at ?? row.told_at);
    if (news.length) tell('recovered', kind, news, true);
    const isHurried = rows.some((row) => outdated.has(row.notice_id ?? ''));
    if (isHurried || isTime(view, 'recovered', kind, ends)) tell('recovered', kind, rows);
  }
  for (const [kind, rows] of Map.groupBy(due, (one) => one.kind)) tell('reminder', kind, rows);

  // An incident that starts again before its end is reported continues for the channel.
  const renewed = new Set(plan.told.map(keyOf));
  for (const row of told) {
    const incident = own.get(keyOf(row));
    if (row.state === 'open' && incident && incident.id !== row.incident_id && !renewed.has(keyOf(row)))
      plan.told.push({ ...row, incident_id: incident.id });
  }

  const knows = new Set(plan.told.filter(({ state }) => state === 'open').map(keyOf));
  const isToldAs = (key: string) => knows.has(key) || known.get(key)?.state === 'open';
  plan.forgotten = told.filter((row) => {
    if (renewed.has(keyOf(row))) return false;
    if (row.state === 'over') return row.told_at <= isoTime(now - HOUR);
    if (own.has(keyOf(row))) return false;
    return isSilent(row) || (own.has(nextKeyOf(row)) && isToldAs(nextKeyOf(row)));
  });
  return plan;
}

const nextKeyOf = ({ kind, subject }: ToldRow): string =>
  keyOf({ kind: (isConditionKind(kind) && KINDS[kind].turnsInto) || '', subject });

/**
 * For incidents that are no longer in the channel's list: whether to send nothing, because none of them recovered.
 */
function silenceOf({ rules, ruleChanges, isOpen }: ChannelView, ended: Ended): (row: ToldRow) => boolean {
  const changes = new Map(ruleChanges.map(({ subject, at }) => [subject, Date.parse(at)]));
  return (row) => {
    const { kind, incident_id: id } = row;
    // The rule is off, the incident is out of the channel's scope, or it is too old to be stored.
    if (!isConditionKind(kind) || !rules[kind].isOn || isOpen(keyOf(row))) return true;
    const end = ended.get(id)?.closed_at;
    if (!end) return true;
    const since = Date.parse(end) - (changes.get(kind) ?? Number.NEGATIVE_INFINITY);
    return since >= 0 && since <= BY_RULE;
  };
}

/** Unsent alerts whose incidents have all ended. */
function outdatedOf(told: ToldRow[], over: ToldRow[], waiting: ChannelView['waiting']): Set<string> {
  const ends = new Set(over.map(keyOf));
  const byNotice = Map.groupBy(
    told.filter(({ notice_id: id }) => waiting.has(id ?? '')),
    ({ notice_id: id }) => id ?? '',
  );
  return new Set(
    [...byNotice].filter(([, rows]) => rows.every((row) => ends.has(keyOf(row)))).map(([id]) => id),
  );
}
