import { setTimeout as wait } from 'node:timers/promises';
import { type CloudApi } from '../cloud-api/client';
import { spellingsOf } from '../cloud-api/phone-spellings';
import { type Config } from '../config';
import { clearOldEvents, clearRemovedDestinations } from '../forwarding/retention';
import { forgetOldKeys } from '../sending/idempotent-send';
import { audited, type AuditedDeps } from '../store/with-audit';
import { DAY, HOUR, isoTime } from '../time';
import { comparedSince } from '../usage/compare';
import { freezeBefore } from '../usage/rebuild';

type Kept = Pick<
  Config,
  | 'GATEWAY_KEEP_BODIES'
  | 'GATEWAY_KEEP_EVENTS'
  | 'GATEWAY_KEEP_MESSAGES'
  | 'GATEWAY_KEEP_CONTACTS'
  | 'GATEWAY_KEEP_AUDIT'
>;

export interface HousekeepingDeps extends AuditedDeps {
  config: Kept;
  /** Asked before each batch; false ends the work. */
  goesOn(): boolean;
}

/** Rows per transaction, so that other writes are delayed only for milliseconds. */
const A_BATCH = 200;

/** Each batch is followed by a pause of this many times its duration. */
const REST = 2;

/** How far the clock may be ahead of the platform's. */
const MOST_AHEAD = DAY;

export interface ClockDeps extends Pick<HousekeepingDeps, 'clock'> {
  cloudApi: Pick<CloudApi, 'time'>;
}

/**
 * Whether the platform's clock confirms the gateway's, which is that of PostgreSQL or of this machine. By a clock set
 * ahead, all data would be too old. Events cannot confirm it, because their times come from the same clock.
 */
export async function isClockConfirmed({ clock, cloudApi }: ClockDeps): Promise<boolean> {
  const told = await cloudApi.time();
  return told !== null && clock() - told <= MOST_AHEAD;
}

interface RoundDeps extends HousekeepingDeps, ClockDeps {
  /** Whether this process is the leader, which alone deletes old data. */
  isFirst(): Promise<boolean>;
}

/**
 * The hourly round: deletes expired Idempotency-Keys and, once a day, everything beyond its retention. Nothing is
 * deleted if no other clock confirms the local one.
 * @returns runs a round; resolves with whether the clock was confirmed
 */
export function clearingRounds(deps: RoundDeps): () => Promise<boolean> {
  /** By `performance.now()`, which is monotonic. */
  let clearedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (!(await isClockConfirmed(deps))) return false;
    await forgetOldKeys(deps.store, deps.clock, deps.goesOn);
    await deps.store.adminRequests.removeBefore(isoTime(deps.clock() - DAY));
    // Slightly early, so that the daily round does not shift by an hour each time.
    if (performance.now() - clearedAt < DAY - HOUR / 2) return true;
    if (await deps.isFirst()) await clearWhatIsOld(deps);
    clearedAt = performance.now();
    return true;
  };
}

/** Deletes everything beyond its retention, and removes its remains from a SQLite file. */
export async function clearWhatIsOld(deps: HousekeepingDeps): Promise<void> {
  const { store, clock, config, goesOn } = deps;
  // One time for these, however long they take: what is deleted is of days that are frozen.
  const began = clock();
  const atOnce = { ...deps, clock: () => began };
  await freezeUsage(atOnce);
  const kept = { bodies: config.GATEWAY_KEEP_BODIES, events: config.GATEWAY_KEEP_EVENTS };
  await clearOldEvents({ ...atOnce, kept }, goesOn);
  await clearOldMessages(atOnce);
  await clearRemovedDestinations({ store, clock }, goesOn);
  await clearOldContacts(deps);
  await clearWhatIsNotToldAgain(deps);
  await store.platformUsage.removeBefore(comparedSince(clock()));
  try {
    // Fails if an audit entry was manipulated. The rest must still be scrubbed from the file.
    await clearOldAudit(deps);
  } finally {
    if (goesOn()) await store.scrub('log');
  }
}

/** From now on, the usage of days whose messages or events are deleted stays as it is. */
async function freezeUsage(deps: HousekeepingDeps): Promise<void> {
  const { GATEWAY_KEEP_MESSAGES: messages, GATEWAY_KEEP_EVENTS: events } = deps.config;
  const kept = Math.min(messages ?? Number.POSITIVE_INFINITY, events ?? Number.POSITIVE_INFINITY);
  if (Number.isFinite(kept)) await freezeBefore(deps, deps.clock() - kept);
}

/** After this long the platform no longer repeats events. */
const TOLD_AGAIN = 30 * DAY;

/** Deletes rows that only serve to recognise repeats. */
async function clearWhatIsNotToldAgain({ store, clock }: HousekeepingDeps): Promise<void> {
  await store.optOuts.removeBackBefore(isoTime(clock() - TOLD_AGAIN));
  await store.automationPauses.removeEndedBefore(isoTime(clock() - TOLD_AGAIN));
  await store.gathering.removeDoneBefore(isoTime(clock() - TOLD_AGAIN));
}

/** Deletes sent messages and their statuses, with the same retention as received ones. */
async function clearOldMessages({ store, clock, config, goesOn }: HousekeepingDeps): Promise<void> {
  for (const [keptFor, remove] of [
    [config.GATEWAY_KEEP_BODIES, store.messages.removeBodiesBefore],
    [config.GATEWAY_KEEP_MESSAGES, store.messages.removeBefore],
    [config.GATEWAY_KEEP_MESSAGES, store.questions.removeBefore],
  ] as const) {
    if (keptFor === null) continue;
    const before = isoTime(clock() - keptFor);
    for (let removed = 1; removed > 0 && goesOn();) removed = await unhurried(() => remove(before, A_BATCH));
  }
}

/** Deletes contacts that wrote long ago, then the aliases of contacts with nothing else left. */
async function clearOldContacts({ store, clock, config, goesOn }: HousekeepingDeps): Promise<void> {
  const { GATEWAY_KEEP_CONTACTS: keptFor } = config;
  if (keptFor === null) return;
  const before = isoTime(clock() - keptFor);
  const first = { line_id: 0, contact: '', identity: '' };
  type Last = { line_id: number; contact: string } | null;
  for (let after: Last = first; after && goesOn();)
    after = await unhurried<Last>(() => store.windows.removeBefore(before, after ?? first, A_BATCH));
  for (let after: typeof first | null = first; after && goesOn();)
    after = await unhurried(() => store.windows.removeLooseAliases(after ?? first, A_BATCH, spellingsOf));
}

/** The actor in audit entries for the gateway's own actions. */
const BY_ITSELF = { who: 'messaging gateway', through: 'gateway', address: null } as const;

async function clearOldAudit(deps: HousekeepingDeps): Promise<void> {
  const { vault, clock, config, goesOn } = deps;
  const { GATEWAY_KEEP_AUDIT: keptFor } = config;
  if (keptFor === null) return;
  const before = isoTime(clock() - keptFor);
  for (let last: number | null = 0; last !== null && goesOn();)
    last = await audited<number | null>(
      deps,
      BY_ITSELF,
      (cleared) =>
        cleared === null ? null : { action: 'audit.cleared', details: { up_to: cleared, before } },
      ({ store }) => store.audit.clearBefore(vault, before),
    );
}

async function unhurried<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const done = await work();
  await wait(REST * (performance.now() - began), null, { ref: false });
  return done;
}
