import { setTimeout as wait } from 'node:timers/promises';
import { subjectOf, textOf } from '../alerts/incident-text';
import { isConditionKind } from '../alerts/kinds';
import { mute, unmute } from '../alerts/use-cases/mute';
import { testChannel } from '../alerts/use-cases/test-channel';
import { SettingError } from '../errors';
import { type IncidentRow } from '../store/tables/alerts';
import { isoTime, SECOND } from '../time';
import { kitOf } from '../wording/kit';
import { commandActor, lineByTid, offline, type Offline } from './offline';
import { optionsOf, wordsAndOptions } from './options';
import { print } from './print';

const MOST_SHOWN = 100;

/** Lists open incidents (or ended ones with --over) and the alert channels. */
export async function alertList(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const values = optionsOf(args, { flags: ['json', 'over'] });
  await offline(env, async ({ store, clock }) => {
    const rows = values.over ? await store.alerts.closed(MOST_SHOWN) : await store.alerts.open();
    for (const row of rows) print(values.json ? JSON.stringify(row) : shown(row, clock()));
    if (!rows.length && !values.json) print(values.over ? 'Nothing was wrong.' : 'Nothing is wrong.');
    if (values.json || values.over) return;
    for (const mute of await store.alerts.mutes(isoTime(clock())))
      print(`muted ${mute.id}\t${mute.what}\tuntil ${mute.until} by ${mute.who}`);
    for (const {
      id,
      kind,
      name,
      failing_since: since,
      last_failure: failure,
    } of await store.alerts.channels())
      print(`channel ${id}\t${kind}\t${name}\t${since === null ? 'ok' : `fails since ${since}: ${failure}`}`);
  });
}

const shown = (row: IncidentRow, now: number): string => {
  const { severity, since, closed_at: closed } = row;
  return [
    severity,
    textOf('en', subjectOf(row)).title,
    `since ${since}`,
    closed === null
      ? `for ${kitOf('en').duration(now - Date.parse(since))}`
      : `lasted ${kitOf('en').duration(Date.parse(closed) - Date.parse(since))}`,
  ].join('\t');
};

/** How long to wait for a running gateway to send the test alert. */
const LONGEST_WAIT = 25 * SECOND;

/** Sends a test alert to a channel, and prints the result. */
export async function alertTest(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const [wanted, ...more] = wordsAndOptions(args).words;
  await offline(env, async (deps) => {
    const channels = await deps.store.alerts.channels();
    const channel = channels.find(({ id }) => String(id) === wanted);
    if (!channel || more.length) throw new SettingError('Which channel? Give its id from "alert list".');
    const id = await testChannel(deps, commandActor(), null, channel, null);
    const failure = await outcome(deps, id);
    if (failure !== null) throw new SettingError(failure);
    print(`Channel ${channel.id} "${channel.name}" accepted the test alert.`);
  });
}

/** @returns the reason why the alert did not arrive; null if it arrived */
async function outcome({ store }: Offline, id: string): Promise<string | null> {
  for (const end = performance.now() + LONGEST_WAIT; performance.now() < end; await wait(SECOND / 4)) {
    const notice = await store.alerts.notice(id);
    if (notice?.told_at) return null;
    if (notice?.last_failure) return `It did not arrive: ${notice.last_failure}`;
  }
  await store.alerts.updateNotice(id, { next_try_at: null });
  return 'No gateway has sent it. Is one running on this database?';
}

/** Mutes alerts, or ends a mute. */
export async function alertMute(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const {
    hours,
    until,
    line: tid,
    condition,
    end,
  } = optionsOf(args, { text: ['hours', 'until', 'line', 'condition', 'end'] });
  await offline(env, async (deps) => {
    if (end !== undefined) {
      if (!(await unmute(deps, commandActor(), null, Number(end) || 0)))
        throw new SettingError(`There is no mute ${end}. "alert list" shows them.`);
      return print('Notifications for this incident are on again.');
    }
    if (condition !== undefined && !isConditionKind(condition))
      throw new SettingError(`There is no condition ${condition}. docs/alerts.md lists them.`);
    if (hours === undefined && until === undefined)
      throw new SettingError('Until when? Give --hours 8, or --until 2026-01-31T00:00:00Z.');
    const line = tid === undefined ? null : await lineByTid(deps.store, [tid]);
    const muted = { kind: condition ?? null, subject: null, lineId: line?.id ?? null, facts: null };
    const made = await mute(deps, commandActor(), null, muted, { hours, until });
    print(`${made.what}: muted until ${made.until}. To end it: alert mute --end ${made.id}`);
  });
}
