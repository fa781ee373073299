import { type LineRegistry } from '../lines/line-registry';
import { type AlertTable, type ChannelRow, type IncidentRow, type NewNotice } from '../store/tables/alerts';
import { type Store } from '../store/store';
import { HOUR, isoTime, type Clock } from '../time';
import { type Fact } from '../wording/facts';
import { say } from '../wording/say';
import { endingsOf } from './endings';
import { findConditions } from './facts';
import { type IncidentFacts } from './incident-text';
import { newNoticeId, noticeOf } from './notice';
import {
  byScope,
  incidentChanges,
  planFor,
  type ChannelPlan,
  type IncidentChanges,
  type PathOf,
  type PlannedNotice,
  type Seen,
} from './plan';
import { type ProcessWatch } from './process-watch';
import { type Rules } from './conditions/kind';
import { rulesOf } from './rules';
import { waitingFor, waitingOf } from './waiting';

export interface LookDeps {
  store: Store;
  lines: LineRegistry;
  clock: Clock;
  watch: ProcessWatch;
  /** The id under which this process holds its leases. */
  processId(): string;
  /** The gateway's URL, without a trailing slash. */
  address(): string;
  /** Pages of the panel: for one condition, and for all. */
  pathOf: PathOf;
  alertsPath: string;
}

/** Open incidents on the page, whose waiting deliveries are counted now. */
export const MOST_SHOWN = 50;
/** The most incidents whose text one check updates; those that became more urgent come first. */
const MOST_UPDATED = 200;

/**
 * Checks all conditions, opens and closes incidents, and puts alerts into the outbox, in one transaction. If nothing
 * changed, it only reads.
 * @param known receives the current channels and rules
 * @param isPatient whether slowly changing values may be some seconds old
 * @returns whether this process checks for all
 */
export async function lookOnce(
  deps: LookDeps,
  known: (channels: ChannelRow[], rules: Rules) => void,
  isPatient: boolean,
): Promise<boolean> {
  const { store, clock, watch } = deps;
  const processes = await store.processes.all();
  const isFirst = processes[0]?.id === deps.processId();
  const found = isFirst ? await findConditions(deps, isPatient) : null;
  const rules = found?.rules ?? rulesOf(await store.alerts.rules());
  for (const mark of found?.marks ?? []) await store.alerts.storeMark(mark);
  // Looked up by id, because a second process with the same name gets another one.
  const process = processes.find(({ id }) => id === deps.processId())?.name ?? null;
  const own = process === null ? null : watch.seen(rules, process);
  const seen = [
    ...(own ? [{ ...own, process }] : []),
    ...(found ? [{ conditions: found.conditions, process: null }] : []),
  ];
  const look: Look = {
    ...{ deps, rules, isFirst, now: clock() },
    seen: (now) => seen.map((one) => ({ ...one, rules, now, pathOf: deps.pathOf })),
    alive: isFirst ? new Set(processes.map(({ name }) => name)) : null,
  };
  const draft = await judge(look, store.alerts);
  known(draft.channels, rules);
  const waiting = await waitingFor(store.backlog, counted(draft));
  if (isIdle(draft, waiting, isoTime(look.now))) return isFirst;
  const over = await endingsOf(deps, [...draft.closed.values()], draft.gone);
  const endings = new Map(Array.from(over, ([id, end]) => [id, endingOf(draft.closed.get(id), end)]));
  await store.alerts.inTurn(async (table) => {
    if (isFirst) await table.removeExpiredChannels(isoTime(look.now));
    // Another process checked meanwhile.
    const now = await judge(look, table);
    await change(look, table, now, waiting, endings);
  });
  return isFirst;
}

/** How an incident ended, from its row. */
type Ending = Pick<IncidentRow, 'over' | 'facts'>;

function endingOf(row: IncidentRow | undefined, over: Fact): Ending {
  const facts = row?.facts ? { ...(JSON.parse(row.facts) as IncidentFacts), over } : null;
  return { over: say('en', over), facts: facts && JSON.stringify(facts) };
}

interface Look {
  deps: LookDeps;
  rules: Rules;
  isFirst: boolean;
  now: number;
  seen(now: number): Seen[];
  /** The names of all running processes; null if processes are not checked. */
  alive: ReadonlySet<string | null> | null;
}

/** The changed incidents, in their new state. */
interface Judged extends Pick<IncidentChanges, 'opened' | 'updated'> {
  closed: Map<number, IncidentRow>;
  /** The ids of incidents whose process no longer runs. */
  gone: Set<number>;
  /** The incidents that remain open, in their new state. */
  open: IncidentRow[];
  channels: ChannelRow[];
  plans: Planned;
}

async function judge(look: Look, table: AlertTable): Promise<Judged> {
  const before = await table.open();
  const changes = look.seen(look.now).map((one) => incidentChanges(before, one));
  const gone = new Set(orphans(before, look.alive));
  const closedIds = new Set([...changes.flatMap((one) => one.closed), ...gone]);
  const updated = new Map(changes.flatMap((one) => [...one.updated]));
  const open = before
    .filter(({ id }) => !closedIds.has(id))
    .map((row) => ({ ...row, ...updated.get(row.id) }));
  const closed = new Map(before.filter(({ id }) => closedIds.has(id)).map((row) => [row.id, row]));
  const channels = await table.channels();
  const plans = await plan(look, table, channels, open, closed);
  return { opened: changes.flatMap((one) => one.opened), updated, closed, gone, open, channels, plans };
}

/** Open incidents of a process that vanished, which no other process can observe. */
const orphans = (open: IncidentRow[], alive: Look['alive']): number[] =>
  open.filter(({ process }) => process !== null && alive && !alive.has(process)).map(({ id }) => id);

/** Incidents whose waiting deliveries are counted: new ones, reported ones, and those on the page. */
function counted({ opened, open, plans }: Judged) {
  const told = new Set(plans.flatMap(({ plan: { notices } }) => notices.flatMap(({ ids }) => ids)));
  return [...opened, ...open.filter(({ id }, place) => place < MOST_SHOWN || told.has(id))];
}

const isIdle = (
  { opened, updated, closed, open, plans, channels }: Judged,
  waiting: Map<string, number>,
  now: string,
): boolean =>
  !opened.length &&
  !channels.some(({ expires_at: at }) => at !== null && at <= now) &&
  !updated.size &&
  !closed.size &&
  open.every((one) => (waitingOf(waiting, one) ?? one.waiting) === one.waiting) &&
  plans.every(
    ({ plan: one }) => !(one.notices.length + one.dropped.length + one.told.length + one.forgotten.length),
  );

type Planned = { channel: ChannelRow; plan: ChannelPlan; ended: Map<number, IncidentRow> }[];

/** The alerts for every channel. @param closed incidents that end now */
async function plan(
  { deps, rules, isFirst, now }: Look,
  table: AlertTable,
  channels: ChannelRow[],
  open: IncidentRow[],
  closed: Map<number, IncidentRow>,
): Promise<Planned> {
  if (!isFirst || !channels.length) return [];
  const told = Map.groupBy(await table.told(), (row) => row.channel_id);
  if (!told.size && !open.length) return [];
  const [mutes, allSent, ruleChanges, allWaiting] = await Promise.all([
    table.mutes(isoTime(now)),
    table.noticesSince(
      isoTime(now - HOUR),
      channels.map(({ id }) => id),
    ),
    table.ruleChanges(),
    table.waitingNotices(isoTime(now)),
  ]);
  const sent = Map.groupBy(allSent, (row) => row.channel_id);
  const waiting = new Map(allWaiting.map(({ id, what }) => [id, what]));
  const openIds = new Set(open.map(({ id }) => id));
  const openKeys = new Set(open.map(({ kind, subject }) => `${kind} ${subject}`));
  const ids = [...told.values()].flat().map((row) => row.incident_id);
  const endedIds = [...new Set(ids)].filter((id) => !openIds.has(id) && !closed.has(id));
  const ended = new Map((await table.incidents(endedIds)).map((one) => [one.id, one]));
  for (const [id, row] of closed) ended.set(id, { ...row, closed_at: isoTime(now) });
  const scope = byScope(open, deps.lines.byId);
  return channels
    .filter((channel) => channel.paused_at === null)
    .map((channel) => ({ channel, own: scope(channel), told: told.get(channel.id) ?? [] }))
    .filter((one) => one.own.length || one.told.length)
    .map(({ channel, own, told: knows }) => ({
      ...{ channel, ended },
      plan: planFor(
        {
          ...{ channel, mutes, rules, ruleChanges, waiting, now, open: own, told: knows },
          isOpen: (key) => openKeys.has(key),
          sent: sent.get(channel.id) ?? [],
          newId: newNoticeId,
        },
        ended,
      ),
    }));
}

async function change(
  { deps, now }: Look,
  table: AlertTable,
  { opened, updated, closed, open, plans }: Judged,
  waiting: Map<string, number>,
  endings: Map<number, Ending>,
): Promise<void> {
  const rows = new Map(
    open.map((row) => [row.id, { ...row, waiting: waitingOf(waiting, row) ?? row.waiting }]),
  );
  for (const row of open) {
    const count = rows.get(row.id)?.waiting ?? null;
    if (count !== row.waiting) updated.set(row.id, { ...updated.get(row.id), waiting: count });
  }
  const urgent = [...updated].toSorted(
    ([, one], [, other]) => Number('severity' in other) - Number('severity' in one),
  );
  for (const [id, what] of urgent.slice(0, MOST_UPDATED)) await table.updateIncident(id, what);
  await table.closeIncidents([...closed.keys()], isoTime(now), endings);
  await table.openIncidents(
    opened.map((one) => ({ ...one, waiting: waitingOf(waiting, one) ?? one.waiting })),
  );
  const notices = plans.flatMap(({ channel, plan: own, ended }) => {
    const incidentOf = (id: number): IncidentRow | undefined => {
      const row = rows.get(id) ?? ended.get(id);
      const ending = closed.has(id) ? endings.get(id) : undefined;
      return row && ending ? { ...row, ...ending } : row;
    };
    return own.notices.map((one) => newNotice(deps, channel, one, incidentOf, now));
  });
  await table.insertNotices(notices);
  await table.storeTold(plans.flatMap((one) => one.plan.told));
  await table.forgetTold(plans.flatMap((one) => one.plan.forgotten));
  const dropped = plans.flatMap((one) => one.plan.dropped);
  await table.dropNotices(dropped, isoTime(now), 'The incident ended before the alert was sent.');
}

function newNotice(
  deps: LookDeps,
  channel: ChannelRow,
  { id, what, kind, ids, stillOpen, isNews }: PlannedNotice,
  incidentOf: (id: number) => IncidentRow | undefined,
  now: number,
): NewNotice {
  const notice = noticeOf({
    ...{ id, what, stillOpen, isNews },
    incidents: ids.flatMap((one) => incidentOf(one) ?? []),
    lineOf: (lineId) => {
      const line = deps.lines.byId(lineId);
      return line && { id: line.id, name: line.name, phone_number_id: line.phoneNumberId };
    },
    gateway: deps.address(),
    alertsPath: deps.alertsPath,
    isForCustomer: channel.origin === 'token',
  });
  return {
    ...{ id, what, kind },
    channel_id: channel.id,
    body: JSON.stringify(notice),
    created_at: isoTime(now),
  };
}
