import { type AlertTable, type ChannelRow, type NewIncident } from '../store/tables/alerts';
import { HOUR, isoTime, type Clock } from '../time';
import { type AlertFact } from '../wording/facts';
import { sayAlert } from '../wording/say';
import { type Subject } from './incident-text';
import { inEnglish, type Notice, type StoredNotice } from './notice';
import { tell, type OutboxDeps } from './outbox';
import { MOST_AN_HOUR, type PathOf } from './plan';
import { type Rules } from './conditions/kind';
import { lastsUntilTold } from './rules';

interface Deps extends OutboxDeps {
  address(): string;
  pathOf: PathOf;
  clock: Clock;
}

const KIND = 'database_away';

/** By channel: since when the database was unavailable according to the last alert, and the times of its alerts. */
interface Told {
  began: number | null;
  times: number[];
}

/**
 * The alert that the database does not respond. It cannot be stored at first, so each process sends it from memory to
 * the channels it last knew: once at the start and once at the end. If the database comes and goes, a channel gets
 * three alerts an hour, and finally the current state.
 */
export function databaseWatch(deps: Deps) {
  const { store, clock } = deps;
  let channels: ChannelRow[] = [];
  let rules: Rules | null = null;
  let since: number | null = null;
  const toldTo = new Map<number, Told>();
  const underWay = new Map<number, Promise<void>>();

  const alert: AlertFact<typeof KIND> = { kind: KIND, values: { process: store.processName } };
  const subjectHere = (): Subject => ({ kind: KIND, facts: alert, prose: sayAlert('en', alert) });
  const pathHere = () => deps.pathOf({ ...alert, subject: store.processName, lineId: null });

  const toldOf = (id: number): Told => toldTo.get(id) ?? { began: null, times: [] };
  const mayHear = (id: number, now: number): boolean =>
    toldOf(id).times.filter((at) => at > now - HOUR).length < MOST_AN_HOUR;
  const note = (id: number, began: number | null, now: number): void => {
    const times = toldOf(id).times.filter((at) => at > now - HOUR);
    toldTo.set(id, { began, times: [...times, now] });
  };
  const isLong = (began: number, now: number): boolean =>
    rules !== null && rules.database_away.isOn && now - began >= lastsUntilTold('database_away', rules);

  const noticeOf = (what: Notice['what'], began: number, now: number): StoredNotice => {
    const isOver = what === 'recovered';
    const notice: Notice = {
      id: `alrt_database-${began}-${what}`,
      what,
      condition: KIND,
      severity: 'critical',
      ...{ title: '', text: '', action: '' },
      fact: { word: KIND, values: alert.values },
      url: isOver ? `${deps.address()}${pathHere()}` : null,
      since: isoTime(began),
      ended: isOver ? isoTime(now) : null,
      waiting: null,
      count: 1,
      incidents: [],
      gateway: deps.address(),
    };
    return inEnglish(notice, { subjects: [subjectHere()], stillOpen: 0, isNews: false });
  };

  function outageOf(began: number, now: number): NewIncident {
    const { prose, facts } = subjectHere();
    const process = store.processName;
    return {
      ...{ kind: KIND, subject: process, line_id: null, waba_id: null, process, waiting: null },
      ...{ severity: 'critical', ...prose, facts: JSON.stringify(facts), path: pathHere() },
      ...{ since: isoTime(began), opened_at: isoTime(now) },
    };
  }

  async function tellAway(channel: ChannelRow, began: number, now: number): Promise<void> {
    if ((await tell(deps, channel, noticeOf('opened', began, now))) === null) note(channel.id, began, now);
  }

  return {
    /** Keeps the channels and rules of the last successful check. */
    know(known: ChannelRow[], knownRules: Rules): void {
      channels = known.filter(({ scope, paused_at: pausedAt }) => scope === 'gateway' && pausedAt === null);
      rules = knownRules;
    },

    /**
     * Called when a check failed because the database does not respond. The next check does not wait for the alert.
     */
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

    /** Called when the database responds again. If storing the outage fails, it is reported the next time. */
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
          if (isIncident) await recordOutage(table, outageOf(began, now), now);
        });
      since = null;
      for (const { id } of toTell) note(id, null, now);
    },

    /** Waits for alerts that are being sent. */
    stop: async (): Promise<void> => void (await Promise.allSettled(underWay.values())),
  };
}

/** Adds the outage to the incident history, with its duration. */
async function recordOutage(table: AlertTable, outage: NewIncident, now: number): Promise<void> {
  const [incident] = await table.openIncidents([outage]);
  if (incident) await table.closeIncidents([incident.id], isoTime(now));
}
