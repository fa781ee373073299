import { setTimeout as wait } from 'node:timers/promises';
import { type CloudApi } from '../cloud-api/client';
import { spellingsOf } from '../cloud-api/phone-spellings';
import { type Config } from '../config';
import { clearOldEvents, clearRemovedDestinations } from '../forwarding/retention';
import { forgetOldKeys } from '../sending/idempotent-send';
import { audited, type AuditedDeps } from '../store/with-audit';
import { type Store } from '../store/store';
import { DAY, HOUR, isoTime } from '../time';

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
  /** Asked before each batch. */
  goesOn(): boolean;
}

/** Rows of one transaction: it holds up the writes beside it for milliseconds only. */
const A_BATCH = 200;

/** As long as a batch took, times this, the database belongs to all others. */
const REST = 2;

/** By so much the clock may be ahead of the time that confirms it. */
const MOST_AHEAD = DAY;

/**
 * Whether another clock confirms this one: PostgreSQL's, else the platform's. By a clock that is ahead, everything is too
 * old. Events cannot tell: their times are from the clock that is judged.
 */
export async function isClockConfirmed({
  store,
  clock,
  cloudApi,
}: Pick<HousekeepingDeps, 'clock'> & {
  store: Pick<Store, 'dialect' | 'clock'>;
  cloudApi: Pick<CloudApi, 'time'>;
}): Promise<boolean> {
  const told = store.dialect === 'postgres' ? store.clock() : await cloudApi.time();
  return told !== null && clock() - told <= MOST_AHEAD;
}

interface RoundDeps extends HousekeepingDeps {
  cloudApi: Pick<CloudApi, 'time'>;
  /** Of several processes on one database, one clears. */
  isFirst(): Promise<boolean>;
}

/**
 * One round an hour: it forgets idempotency keys, and once a day clears away what has been kept for long enough. Nothing
 * is removed by a clock that no other confirms.
 * @returns a round, which tells whether the clock was confirmed
 */
export function clearingRounds(deps: RoundDeps): () => Promise<boolean> {
  /** By `performance.now()`, which nobody sets. */
  let clearedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (!(await isClockConfirmed(deps))) return false;
    await forgetOldKeys(deps.store, deps.clock, deps.goesOn);
    // A little early, so that one a day does not move by an hour each time.
    if (performance.now() - clearedAt < DAY - HOUR / 2) return true;
    if (await deps.isFirst()) await clearWhatIsOld(deps);
    clearedAt = performance.now();
    return true;
  };
}

/** Clears away all that has been kept for long enough, and leaves nothing of it in a SQLite file. */
export async function clearWhatIsOld(deps: HousekeepingDeps): Promise<void> {
  const { store, clock, config, goesOn } = deps;
  const kept = { bodies: config.GATEWAY_KEEP_BODIES, events: config.GATEWAY_KEEP_EVENTS };
  await clearOldEvents({ store, clock, kept }, goesOn);
  await clearRemovedDestinations({ store, clock }, goesOn);
  await clearOldMessages(deps);
  await clearOldContacts(deps);
  await clearWhatIsNotToldAgain(deps);
  try {
    // It fails where an entry is not as it was written, which is no reason to leave the rest in the file.
    await clearOldAudit(deps);
  } finally {
    if (goesOn()) await store.scrub('log');
  }
}

/** By then the platform tells nothing again. */
const TOLD_AGAIN = 30 * DAY;

/** What is only kept to know again what is told again. */
async function clearWhatIsNotToldAgain({ store, clock }: HousekeepingDeps): Promise<void> {
  await store.optOuts.removeBackBefore(isoTime(clock() - TOLD_AGAIN));
  await store.automationPauses.removeEndedBefore(isoTime(clock() - TOLD_AGAIN));
  await store.gathering.removeDoneBefore(isoTime(clock() - TOLD_AGAIN));
}

/** What was sent, for as long as what was received is kept; and what became of it. */
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

/** Who wrote long ago, and then the names of those of whom nothing else is left. */
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

/** What the gateway does by itself, as the audit tells it. */
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
