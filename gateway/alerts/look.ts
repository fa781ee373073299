import { type LineRegistry } from '../lines/line-registry';
import {
  type AlertTable,
  type ChannelRow,
  type IncidentRow,
  type NewNotice,
  type ToldRow,
} from '../store/alerts';
import { type Store } from '../store/store';
import { HOUR, isoTime, type Clock } from '../time';
import { findConditions } from './facts';
import { newNoticeId, noticeOf, type Notice } from './notice';
import { incidentChanges, planFor, type ChannelPlan } from './plan';
import { type ProcessWatch } from './process-watch';
import { rulesOf, type Rules } from './rules';

export interface LookDeps {
  store: Store;
  lines: LineRegistry;
  clock: Clock;
  watch: ProcessWatch;
  /** Under which this process holds its leases; empty before it has any. */
  processId(): string;
  /** The address of the gateway, without a slash at its end. */
  address(): string;
}

/**
 * Looks at all conditions, opens and closes incidents, and puts what is to be told into the outbox, in one transaction.
 * @param known told the channels and the rules as they are
 * @param isPatient whether what changes slowly may be some seconds old
 * @returns whether this process looks for all of them
 */
export async function lookOnce(
  deps: LookDeps,
  known: (channels: ChannelRow[], rules: Rules) => void,
  isPatient: boolean,
): Promise<boolean> {
  const { store, clock, watch } = deps;
  const isFirst = await store.processes.isFirst(deps.processId());
  const found = isFirst ? await findConditions(deps, isPatient) : null;
  const rules = found?.rules ?? rulesOf(await store.alerts.rules());
  const local = watch.conditions(rules);
  for (const mark of found?.marks ?? []) await store.alerts.storeMark(mark);
  const alive = isFirst ? [store.processName, ...(await store.processes.names())] : null;
  await store.alerts.inTurn(async (table) => {
    const now = clock();
    const open = await table.open();
    const changes = [
      incidentChanges(open, { conditions: local, rules, now, process: store.processName }),
      ...(found ? [incidentChanges(open, { conditions: found.conditions, rules, now, process: null })] : []),
    ];
    const closed = new Set([...changes.flatMap((one) => one.closed), ...orphans(open, alive)]);
    await table.closeIncidents([...closed], isoTime(now));
    const opened = await table.openIncidents(changes.flatMap((one) => one.opened));
    if (isFirst) await table.removeExpiredChannels(isoTime(now));
    const channels = await table.channels();
    known(channels, rules);
    if (isFirst && channels.length)
      await plan(deps, table, channels, [...open.filter(({ id }) => !closed.has(id)), ...opened], rules, now);
  });
  return isFirst;
}

/** What a process saw that is gone is seen by nobody. @param alive the names of all that run; null where that is not judged */
const orphans = (open: IncidentRow[], alive: (string | null)[] | null): number[] =>
  open
    .filter(({ process }) => process !== null && alive && !alive.some((name) => name?.startsWith(process)))
    .map(({ id }) => id);

/** Puts what every channel is to be told into the outbox. */
async function plan(
  deps: LookDeps,
  table: AlertTable,
  channels: ChannelRow[],
  open: IncidentRow[],
  rules: Rules,
  now: number,
): Promise<void> {
  const [told, mutes, sent] = await Promise.all([
    table.told(),
    table.mutes(isoTime(now)),
    table.noticesSince(isoTime(now - HOUR)),
  ]);
  const known = new Map(open.map((one) => [one.id, one]));
  const endedIds = told.filter((row) => !known.has(row.incident_id)).map((row) => row.incident_id);
  const ended = new Map((await table.incidents([...new Set(endedIds)])).map((one) => [one.id, one]));
  const plans = channels
    .filter((channel) => channel.paused_at === null)
    .map((channel) => {
      const own = { told: told.filter((row) => row.channel_id === channel.id), open, mutes, rules, now };
      const before = sent.filter((row) => row.channel_id === channel.id);
      return { channel, plan: planFor({ channel, sent: before, ...own }, ended) };
    });
  await table.insertNotices(
    plans.flatMap((one) => noticesIn(deps, one, (id) => known.get(id) ?? ended.get(id), now)),
  );
  await table.storeTold(plans.flatMap((one): ToldRow[] => one.plan.told));
  await table.forgetTold(plans.flatMap((one) => one.plan.forgotten));
}

const noticesIn = (
  deps: LookDeps,
  { channel, plan }: { channel: ChannelRow; plan: ChannelPlan },
  incidentOf: (id: number) => IncidentRow | undefined,
  now: number,
): NewNotice[] =>
  plan.notices.map(({ what, kind, ids, stillOpen }) => {
    const id = newNoticeId();
    const notice: Notice = noticeOf({
      ...{ id, what, stillOpen },
      incidents: ids.flatMap((one) => incidentOf(one) ?? []),
      lineOf: (lineId) => {
        const line = deps.lines.byId(lineId);
        return line && { id: line.id, name: line.name, phone_number_id: line.phoneNumberId };
      },
      gateway: deps.address(),
      isForCustomer: channel.origin === 'token',
    });
    return {
      id,
      channel_id: channel.id,
      what,
      kind,
      body: JSON.stringify(notice),
      created_at: isoTime(now),
    };
  });
