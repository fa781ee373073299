import { replay } from '../../forwarding/replay';
import { type DeliveryFilter } from '../../store/deliveries';
import { eventIdBefore } from '../../store/event-id';
import { isoTime, MINUTE } from '../../time';
import { type Visit } from '../visit';
import { type PanelWorld } from '../world';

/** A replay that somebody asked for here. It goes on whether or not somebody looks at it. */
export interface Replay {
  who: string;
  /** What it means, in words. */
  what: string;
  /** So many are sent again by now. */
  count: number;
  begunAt: string;
  /** Null while it runs. */
  endedAt: string | null;
  /** False where it met its ceiling, or broke off. */
  isAll: boolean;
  /** It broke off: the log tells why. */
  isBroken: boolean;
}

/** Of this process. Another one's are told by the audit. */
const replays = new WeakMap<PanelWorld['store'], Replay[]>();

/** How long it is told what came of one. */
const TELL_FOR = 10 * MINUTE;

export const replaysOf = ({ store, clock }: PanelWorld): Replay[] =>
  (replays.get(store) ?? []).filter(
    ({ endedAt }) => endedAt === null || Date.parse(endedAt) + TELL_FOR > clock(),
  );

/**
 * Begins a replay of everything that the filter means and that has come in by now. Returns at once: 100,000 take their
 * time. The audit tells who began it, and what came of it.
 */
export async function beginReplay(
  visit: Visit,
  filter: DeliveryFilter,
  what: string,
  details: Record<string, unknown>,
): Promise<void> {
  const { world, user } = visit;
  const { store, clock, log } = world;
  await visit.change({ action: 'deliveries.replay_begun', details }, async () => {});
  const one: Replay = {
    who: user.name,
    what,
    count: 0,
    begunAt: isoTime(clock()),
    endedAt: null,
    isAll: false,
    isBroken: false,
  };
  replays.set(store, [one, ...replaysOf(world)]);
  void run().catch((error: unknown) => {
    log.error({ error }, 'replay broke off');
    one.isBroken = true;
    one.endedAt = isoTime(clock());
  });

  async function run(): Promise<void> {
    const to = eventIdBefore(clock() + 1);
    const { count, isAll } = await replay(world, { to, ...filter }, (soFar) => {
      one.count = soFar;
    });
    await visit.change({ action: 'deliveries.replayed', details: { ...details, count } }, async () => {});
    Object.assign(one, { count, isAll, endedAt: isoTime(clock()) });
  }
}
