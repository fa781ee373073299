import { randomUUID } from 'node:crypto';
import { beginReplay } from '../../forwarding/replay';
import { type DeliveryFilter } from '../../store/tables/deliveries';
import { type ReplayRow } from '../../store/tables/replays';
import { isoTime, MINUTE, SECOND } from '../../time';
import { type UserContext } from '../request-context';

/** Prefix of a stored replay's key; the filter of the list follows. */
export const FILTERED = 'The filtered ones again';

/** How long a replay's result is shown. Shorter if everything was resent. */
const TELL_FOR = 10 * MINUTE;
const TELL_DONE_FOR = 3 * MINUTE;
/** How often a process stores the progress of a replay. */
const TELLS = SECOND;
/** A replay without progress for this long was interrupted, because its process ended. */
const SILENT = MINUTE;

/** The recent replays of all processes; for users of some customers, only their own. */
export async function replaysOf({ deps, user, may }: UserContext): Promise<ReplayRow[]> {
  const now = deps.clock();
  const who = may('deliveries.replay', null) ? null : user.name;
  const rows = await deps.store.replays.since(isoTime(now - TELL_FOR), who);
  return rows.flatMap((row) => {
    const silent = now - Date.parse(row.told_at);
    if (row.came_to === 'all' && silent > TELL_DONE_FOR) return [];
    return row.came_to === null && silent > SILENT ? { ...row, came_to: 'broken' as const } : row;
  });
}

/**
 * Starts to resend every matching delivery in the background, because 100,000 take a while. The audit records
 * the user and the result.
 */
export async function replayBeside(
  context: UserContext,
  filter: DeliveryFilter,
  what: string,
  details: Record<string, unknown>,
): Promise<void> {
  const { deps, user, actor, session } = context;
  const { store, clock, log } = deps;
  const id = randomUUID();
  const at = isoTime(clock());
  const replay = await beginReplay(deps, actor, session.grants, filter, details, ({ store: inside }) =>
    inside.replays.begin(
      { id, who: user.name, what, count: 0, begun_at: at, told_at: at, came_to: null },
      isoTime(clock() - TELL_FOR),
    ),
  );
  void run().catch((error: unknown) => {
    log.error({ error }, 'replay broke off');
    // If storing this fails too, the missing progress reveals it.
    tell({ came_to: 'broken' }).catch(() => undefined);
  });

  const tell = (change: Partial<Pick<ReplayRow, 'count' | 'came_to'>>) =>
    store.replays.tell(id, { ...change, told_at: isoTime(clock()) });

  async function run(): Promise<void> {
    let toldAt = Number.NEGATIVE_INFINITY;
    await replay(
      async (soFar) => {
        if (performance.now() - toldAt < TELLS) return;
        toldAt = performance.now();
        await tell({ count: soFar });
      },
      ({ store: inside }, { count, isAll }) =>
        inside.replays.tell(id, { count, came_to: isAll ? 'all' : 'ceiling', told_at: isoTime(clock()) }),
    );
  }
}
