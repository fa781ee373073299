import { setTimeout as wait } from 'node:timers/promises';
import { type CloudApi } from '../cloud-api/client';
import { spellingsOf } from '../cloud-api/phone-spellings';
import { type Config } from '../config';
import { clearOldEvents, clearRemovedDestinations } from '../forwarding/retention';
import { audited, type AuditedDeps } from '../store/with-audit';
import { eventTime } from '../store/event-id';
import { DAY, isoTime } from '../time';

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

/** A machine that starts with a wrong time has been told the right one long before that. */
const SURE_BY_THEN = 7 * DAY;

/**
 * Remembers the newest event before any comes: those that come have their time from the clock that is judged.
 * @returns whether the clock is so far ahead of that event that it may be wrong: then everything would be too old. Where
 *   nothing came for so long, the platform's own clock is asked.
 */
export async function clockDoubts({
  store,
  clock,
  cloudApi,
}: Pick<HousekeepingDeps, 'store' | 'clock'> & {
  cloudApi: Pick<CloudApi, 'time'>;
}): Promise<() => Promise<boolean>> {
  const newest = await store.events.newest();
  return async () => {
    if (newest === null || clock() - eventTime(newest) <= SURE_BY_THEN) return false;
    const told = await cloudApi.time();
    return told === null || clock() - told > DAY;
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
  await store.gathering.removeDoneBefore(isoTime(clock() - TOLD_AGAIN));
}

/** What was sent, for as long as what was received is kept; and what became of it. */
async function clearOldMessages({ store, clock, config, goesOn }: HousekeepingDeps): Promise<void> {
  for (const [keptFor, remove] of [
    [config.GATEWAY_KEEP_BODIES, store.messages.removeBodiesBefore],
    [config.GATEWAY_KEEP_MESSAGES, store.messages.removeBefore],
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
