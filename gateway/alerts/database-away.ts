import { type AlertTable, type ChannelRow } from '../store/alerts';
import { HOUR, isoTime, type Clock } from '../time';
import { type Notice } from './notice';
import { tell, type OutboxDeps } from './outbox';
import { MOST_AN_HOUR } from './plan';
import { lastsUntilTold, type Rules } from './rules';

interface Deps extends OutboxDeps {
  address(): string;
  clock: Clock;
}

/** Since when the database was away when a channel was told so, and when it was told anything of it. */
interface Told {
  began: number | null;
  times: number[];
}

/**
 * The one alert that cannot be a row first: that the database does not answer. It goes from memory to the channels that
 * were known last, once to each, and so does that it is over; each process tells it, as they cannot agree. Of a database
 * that comes and goes a channel is told three times an hour, and in the end as it is.
 */
export function databaseWatch(deps: Deps) {
  const { store, clock } = deps;
  let channels: ChannelRow[] = [];
  let rules: Rules | null = null;
  let since: number | null = null;
  const toldTo = new Map<number, Told>();
  const underWay = new Map<number, Promise<void>>();

  const toldOf = (id: number): Told => toldTo.get(id) ?? { began: null, times: [] };
  const mayHear = (id: number, now: number): boolean =>
    toldOf(id).times.filter((at) => at > now - HOUR).length < MOST_AN_HOUR;
  const note = (id: number, began: number | null, now: number): void => {
    const times = toldOf(id).times.filter((at) => at > now - HOUR);
    toldTo.set(id, { began, times: [...times, now] });
  };
  const isLong = (began: number, now: number): boolean =>
    rules !== null && rules.database_away.isOn && now - began >= lastsUntilTold('database_away', rules);

  const noticeOf = (what: Notice['what'], began: number, now: number): Notice => {
    const isOver = what === 'recovered';
    return {
      id: `alrt_database-${began}-${what}`,
      what,
      condition: 'database_away',
      severity: 'critical',
      title: isOver ? 'The database answers again' : 'The database does not answer',
      text: isOver ? '' : `${store.processName} cannot use it, and refuses what it would have to store.`,
      action: isOver ? '' : 'See whether the database runs, has room, and is reached from this machine.',
      url: isOver ? `${deps.address()}/panel/overview` : null,
      since: isoTime(began),
      ended: isOver ? isoTime(now) : null,
      waiting: null,
      count: 1,
      incidents: [],
      gateway: deps.address(),
    };
  };

  async function tellAway(channel: ChannelRow, began: number, now: number): Promise<void> {
    if ((await tell(deps, channel, noticeOf('opened', began, now))) === null) note(channel.id, began, now);
  }

  return {
    /** What is told where, as long as it can be read. */
    know(known: ChannelRow[], knownRules: Rules): void {
      channels = known.filter(({ scope, paused_at: pausedAt }) => scope === 'gateway' && pausedAt === null);
      rules = knownRules;
    },

    /** A look failed, because the database does not answer. No look waits for what is told of that. */
    failed(): void {
      const now = clock();
      since ??= now;
      if (!isLong(since, now)) return;
      for (const channel of channels) {
        const { id } = channel;
        if (toldOf(id).began !== null || underWay.has(id) || !mayHear(id, now)) continue;
        underWay.set(
          id,
          tellAway(channel, since, now).finally(() => underWay.delete(id)),
        );
      }
    },

    /** The database answers. Where that cannot be stored, it is told the next time. */
    async answered(): Promise<void> {
      const now = clock();
      const began = since;
      const toTell = channels.filter(({ id }) => toldOf(id).began !== null && mayHear(id, now));
      if (began === null && !toTell.length) return;
      const notices = toTell.map(({ id: channel_id }) => {
        const notice = noticeOf('recovered', toldOf(channel_id).began ?? now, now);
        const id = `${notice.id}-${channel_id}`;
        return {
          ...{ id, channel_id, what: notice.what, kind: notice.condition },
          body: JSON.stringify({ ...notice, id }),
          created_at: isoTime(now),
        };
      });
      const isIncident = began !== null && isLong(began, now);
      if (isIncident || notices.length)
        await store.alerts.inTurn(async (table) => {
          await table.insertNotices(notices);
          if (isIncident) await recordOutage(table, store.processName, began, now);
        });
      since = null;
      for (const { id } of toTell) note(id, null, now);
    },

    /** Waits for what is under way. */
    stop: async (): Promise<void> => void (await Promise.allSettled(underWay.values())),
  };
}

/** So that the history has it, with its length. */
async function recordOutage(table: AlertTable, process: string, began: number, now: number): Promise<void> {
  const [incident] = await table.openIncidents([
    {
      ...{ kind: 'database_away', subject: process, line_id: null, waba_id: null, process, waiting: null },
      ...{
        severity: 'critical',
        title: 'The database does not answer',
        text: `${process} could not use it.`,
      },
      ...{ over: 'The database answers again', action: '', path: '/panel/overview' },
      ...{ since: isoTime(began), opened_at: isoTime(now) },
    },
  ]);
  if (incident) await table.closeIncidents([incident.id], isoTime(now));
}
