import { type Severity } from '../store/schema';
import {
  type ChannelRow,
  type IncidentRow,
  type MuteRow,
  type NewIncident,
  type NoticeRow,
  type ToldRow,
} from '../store/alerts';
import { HOUR, isoTime, MINUTE, SECOND } from '../time';
import { type Condition } from './conditions/condition';
import { isConditionKind } from './kinds';
import { isQuiet } from './quiet-hours';
import { lastsUntilTold, type Rules } from './rules';

/**
 * What becomes of incidents, and who is told what. Pure: the same rows and the same time give the same plan, so that a
 * process that dies before its plan is committed leaves nothing to repair.
 *
 * A channel is told where what it knows of a subject differs from what is so. So what came and went while it was told
 * nothing is not told at all, and what flaps is told no more often than a channel may be told of one subject.
 */

/** What fails for one cause fails within this time, and is told as one. */
export const GATHERED_FOR = 20 * SECOND;

/** Of one kind, after the first notice: how long until the next of the same hour. */
const SPACING = [0, 5 * MINUTE, 15 * MINUTE];

/** Notices of one subject to one channel within an hour. */
const MOST_AN_HOUR = 3;

export interface Seen {
  conditions: Condition[];
  rules: Rules;
  now: number;
  /** Null where the conditions are those that every process finds; else the process that alone sees them. */
  process: string | null;
}

const keyOf = ({ kind, subject }: { kind: string; subject: string }): string => `${kind} ${subject}`;

/** Whether a condition is an incident: it is to be told, and has lasted for long enough. */
const isIncident = ({ kind, since, isTold }: Condition, rules: Rules, now: number): boolean =>
  isTold && rules[kind].isOn && now - Date.parse(since) >= lastsUntilTold(kind, rules);

/** @param open the incidents that are open, of any process */
export function incidentChanges(
  open: IncidentRow[],
  { conditions, rules, now, process }: Seen,
): { opened: NewIncident[]; closed: number[] } {
  const known = new Set(open.map(keyOf));
  const found = new Set(conditions.filter(({ kind, isTold }) => isTold && rules[kind].isOn).map(keyOf));
  const opened = conditions
    .filter((one) => isIncident(one, rules, now) && !known.has(keyOf(one)))
    .map((one) => ({
      kind: one.kind,
      subject: one.subject,
      line_id: one.lineId,
      waba_id: one.wabaId,
      process,
      severity: one.severity,
      title: one.title,
      text: one.text,
      over: one.over,
      action: one.action,
      path: one.path,
      waiting: one.waiting,
      since: one.since,
      opened_at: isoTime(now),
    }));
  const closed = open.filter((one) => one.process === process && !found.has(keyOf(one))).map(({ id }) => id);
  return { opened, closed };
}

export interface ChannelView {
  channel: ChannelRow;
  open: IncidentRow[];
  /** What it was told. */
  told: ToldRow[];
  mutes: MuteRow[];
  rules: Rules;
  /** What it was sent in the last hour, the oldest first. */
  sent: Pick<NoticeRow, 'what' | 'kind' | 'created_at'>[];
  now: number;
}

/** What one channel is to be told now. */
export interface PlannedNotice {
  what: 'opened' | 'reminder' | 'recovered';
  kind: string;
  /** Of incidents. */
  ids: number[];
  /** Of the kind, how many it knows of that are still open. */
  stillOpen: number;
}

export interface ChannelPlan {
  notices: PlannedNotice[];
  /** What it knows after that, and what it need not know any longer. */
  told: ToldRow[];
  forgotten: ToldRow[];
}

/** Whether an incident is the channel's business. */
export function isFor(
  channel: ChannelRow,
  incident: Pick<IncidentRow, 'kind' | 'subject' | 'line_id' | 'waba_id'>,
): boolean {
  if (incident.kind === 'channel_failing' && incident.subject === String(channel.id)) return false;
  if (channel.scope === 'line') return String(incident.line_id) === channel.scope_id;
  if (channel.scope === 'account') return incident.waba_id === channel.scope_id;
  return true;
}

/** Whether nobody wants to be told of it now. */
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

/** What a channel knows that is over, with how urgent it was. @param severities of the incidents that it was told of, by id */
export function planFor(
  { channel, open, told, mutes, rules, sent, now }: ChannelView,
  ended: ReadonlyMap<number, Pick<IncidentRow, 'severity' | 'closed_at'>>,
): ChannelPlan {
  const at = isoTime(now);
  const hourAgo = isoTime(now - HOUR);
  const quiet = isQuiet(channel, now);
  const mayTell = (severity: Severity) => !quiet || severity === 'critical';
  const known = new Map(told.map((row) => [keyOf(row), row]));
  const own = new Map(open.filter((one) => isFor(channel, one)).map((one) => [keyOf(one), one]));
  const lately = (row: ToldRow | undefined): string[] =>
    row ? (JSON.parse(row.times) as string[]).filter((time) => time > hourAgo) : [];
  const mayHearOf = (row: ToldRow | undefined) => lately(row).length < MOST_AN_HOUR;

  const fresh = [...own.values()].filter((one) => {
    const row = known.get(keyOf(one));
    return row?.state !== 'open' && mayTell(one.severity) && mayHearOf(row) && !isMuted(mutes, one);
  });
  const isOff = ({ kind }: ToldRow) => !isConditionKind(kind) || !rules[kind].isOn;
  const over = told.filter((row) => {
    const { severity = 'warning' } = ended.get(row.incident_id) ?? {};
    return row.state === 'open' && !own.has(keyOf(row)) && !isOff(row) && mayTell(severity) && mayHearOf(row);
  });
  const due = told.filter((row) => {
    const incident = own.get(keyOf(row));
    if (row.state !== 'open' || !incident || channel.remind_hours === null) return false;
    const isLong = now - Date.parse(row.told_at) >= channel.remind_hours * HOUR;
    return isLong && mayTell(incident.severity) && !isMuted(mutes, incident);
  });

  const plan: ChannelPlan = { notices: [], told: [], forgotten: [] };
  const tell = (
    what: PlannedNotice['what'],
    kind: string,
    rows: Pick<ToldRow, 'subject' | 'incident_id'>[],
  ) => {
    const state = what === 'recovered' ? 'over' : 'open';
    const stillOpen = told.filter((row) => row.kind === kind && row.state === 'open').length - rows.length;
    plan.notices.push({
      what,
      kind,
      ids: rows.map((row) => row.incident_id),
      stillOpen: what === 'recovered' ? Math.max(0, stillOpen) : 0,
    });
    for (const { subject, incident_id } of rows)
      plan.told.push({
        channel_id: channel.id,
        kind,
        subject,
        incident_id,
        state,
        told_at: at,
        times: JSON.stringify([...lately(known.get(keyOf({ kind, subject }))), at]),
      });
  };
  const isTime = (what: PlannedNotice['what'], kind: string, began: string[]): boolean => {
    const gathered = began.toSorted()[0];
    if (gathered === undefined || now - Date.parse(gathered) < GATHERED_FOR) return false;
    const times = sent.filter((one) => one.what === what && one.kind === kind && one.created_at > hourAgo);
    const last = times.at(-1);
    const space = SPACING[Math.min(times.length, SPACING.length - 1)] ?? 0;
    return !last || now - Date.parse(last.created_at) >= space;
  };

  for (const [kind, rows] of Map.groupBy(fresh, (one) => one.kind))
    if (
      isTime(
        'opened',
        kind,
        rows.map((one) => one.opened_at),
      )
    )
      tell(
        'opened',
        kind,
        rows.map(({ id, subject }) => ({ subject, incident_id: id })),
      );
  for (const [kind, rows] of Map.groupBy(over, (one) => one.kind))
    if (
      isTime(
        'recovered',
        kind,
        rows.map((row) => ended.get(row.incident_id)?.closed_at ?? row.told_at),
      )
    )
      tell('recovered', kind, rows);
  for (const [kind, rows] of Map.groupBy(due, (one) => one.kind))
    tell(
      'reminder',
      kind,
      rows.map((row) => ({ subject: row.subject, incident_id: own.get(keyOf(row))?.id ?? row.incident_id })),
    );

  // What began anew while nothing was told of its end goes on, as far as the channel knows.
  const renewed = new Set(plan.told.map(keyOf));
  for (const row of told) {
    const incident = own.get(keyOf(row));
    if (row.state === 'open' && incident && incident.id !== row.incident_id && !renewed.has(keyOf(row)))
      plan.told.push({ ...row, incident_id: incident.id });
  }

  plan.forgotten = told.filter(
    (row) => (row.state === 'over' && row.told_at <= hourAgo) || (isOff(row) && !own.has(keyOf(row))),
  );
  return plan;
}
