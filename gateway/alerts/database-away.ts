import { type ChannelRow } from '../store/alerts';
import { isoTime, type Clock } from '../time';
import { type Notice } from './notice';
import { tell, type OutboxDeps } from './outbox';
import { lastsUntilTold, type Rules } from './rules';

interface Deps extends OutboxDeps {
  processId(): string;
  address(): string;
  clock: Clock;
}

/**
 * The one alert that cannot be a row first: that the database does not answer. It goes from memory to the channels that
 * were known last, once to each, and so does that it is over; each process tells it, as they cannot agree.
 */
export function databaseWatch(deps: Deps) {
  const { store, clock } = deps;
  let channels: ChannelRow[] = [];
  let rules: Rules | null = null;
  let since: number | null = null;
  const told = new Set<number>();

  const noticeOf = (what: Notice['what'], began: number, now: number): Notice => {
    const isOver = what === 'recovered';
    return {
      id: `alrt_database-${began}-${what}`,
      what,
      condition: 'database_away',
      severity: 'critical',
      title: isOver ? 'The database answers again' : 'The database does not answer',
      text: isOver ? '' : `${store.processName} cannot reach it, and refuses what it would have to store.`,
      action: isOver ? '' : 'See whether the database runs, and whether this machine reaches it.',
      url: isOver ? `${deps.address()}/panel/overview` : null,
      since: isoTime(began),
      ended: isOver ? isoTime(now) : null,
      waiting: null,
      count: 1,
      incidents: [],
      gateway: deps.address(),
    };
  };

  return {
    /** What is told where, as long as it can be read. */
    know(known: ChannelRow[], knownRules: Rules): void {
      channels = known.filter(({ scope, paused_at: pausedAt }) => scope === 'gateway' && pausedAt === null);
      rules = knownRules;
    },

    /** A look failed. */
    async failed(): Promise<void> {
      const now = clock();
      since ??= now;
      if (!rules?.database_away.isOn || now - since < lastsUntilTold('database_away', rules)) return;
      for (const channel of channels.filter(({ id }) => !told.has(id)))
        if ((await tell(deps, channel, noticeOf('opened', since, now))) === null) told.add(channel.id);
    },

    /** A look succeeded. */
    async answered(): Promise<void> {
      if (since === null) return;
      const [began, now] = [since, clock()];
      since = null;
      const toTell = channels.filter(({ id }) => told.has(id));
      told.clear();
      if (!toTell.length) return;
      const notices = toTell.map((channel) => ({ channel, notice: noticeOf('recovered', began, now) }));
      await store.alerts.inTurn(async (table) => {
        const [incident] = await table.openIncidents([
          {
            kind: 'database_away',
            subject: store.processName,
            line_id: null,
            waba_id: null,
            process: store.processName,
            severity: 'critical',
            title: 'The database does not answer',
            text: `${store.processName} could not reach it.`,
            over: 'The database answers again',
            action: '',
            path: '/panel/overview',
            waiting: null,
            since: isoTime(began),
            opened_at: isoTime(now),
          },
        ]);
        if (incident) await table.closeIncidents([incident.id], isoTime(now));
        await table.insertNotices(
          notices.map(({ channel, notice }) => {
            const id = `${notice.id}-${channel.id}`;
            const body = JSON.stringify({ ...notice, id });
            return {
              id,
              channel_id: channel.id,
              what: 'recovered',
              kind: 'database_away',
              body,
              created_at: isoTime(now),
            };
          }),
        );
      });
    },
  };
}
