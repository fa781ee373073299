import { type FastifyBaseLogger } from 'fastify';
import { type TokenUses } from '../api/access/token-uses';
import { type CloudApi } from '../cloud-api/client';
import { type Config } from '../config';
import { type CustomerServiceWindows } from '../messages/customer-service-window';
import { LONGEST_WAIT } from '../forwarding/retry-schedule';
import { expireQuestions } from '../questions/question';
import { type AuditedDeps } from '../store/with-audit';
import { HOUR, isoTime, MINUTE, SECOND } from '../time';
import { compareBudgets } from '../usage/budgets';
import { usageRounds } from '../usage/rebuild';
import { clearingRounds } from './clear-old';
import { divideEvents } from './divide-events';
import { type ScheduledBackups } from './scheduled-backups';

export interface HousekeepingParts extends AuditedDeps {
  config: Config;
  log: FastifyBaseLogger;
  cloudApi: Pick<CloudApi, 'time'>;
  windows: Pick<CustomerServiceWindows, 'aliases'>;
  uses: TokenUses;
  /** The id under which this process holds its leases. */
  processId: () => string;
  /** Stores which answers to questions were delivered, and releases those that were given up. */
  settleAnswers(goesOn: () => boolean): Promise<void>;
  backups: ScheduledBackups | null;
}

/** After the start, when the first requests have been answered. */
const SOON = 10 * SECOND;

/**
 * The gateway's scheduled work. Each minute: stores when tokens were used, corrects retries planned too late, ends
 * expired questions, rebuilds the usage of days that changed, compares budgets with it. Each hour: deletes
 * Idempotency-Keys, divides the tables of events. A minute after the start, then each day: deletes data beyond its
 * retention. Also makes backups.
 */
export function housekeeping(parts: HousekeepingParts) {
  const { store, clock, log, windows, uses } = parts;
  const timers: NodeJS.Timeout[] = [];
  let isStopping = false;
  const goesOn = () => !isStopping;
  let endBackups = async (): Promise<void> => {};
  const failed = (error: unknown) =>
    log.error({ error }, 'housekeeping failed: tried again with the next round');
  /** Resolves after the last task; tasks run one after the other. */
  let tidied = Promise.resolve();
  const tidy = (work: () => Promise<void>) => () => {
    tidied = tidied.then(work).catch(failed);
  };

  const rebuildUsage = usageRounds({ store, clock, goesOn });
  /** Null between rounds. Apart from the other tasks, because a round can take half a minute. */
  let rebuilding: Promise<void> | null = null;
  async function countUsage(): Promise<void> {
    if (!(await store.processes.isFirst(parts.processId()))) return;
    await rebuildUsage();
    await compareBudgets(parts);
  }
  const usageRound = () => {
    rebuilding ??= countUsage()
      .catch(failed)
      .finally(() => (rebuilding = null));
  };

  const clear = clearingRounds({
    ...parts,
    goesOn,
    isFirst: async () => {
      // Aliases that another process deleted must be written again when they reappear.
      windows.aliases.forget();
      return store.processes.isFirst(parts.processId());
    },
  });

  /** Not awaited at the end: checking a large table takes minutes, and closing the store ends it. */
  const divide = () =>
    void divideEvents(parts, parts.processId()).catch((error: unknown) => {
      if (!isStopping) failed(error);
    });

  async function clearByTheClock(): Promise<void> {
    if (!(await clear()))
      log.warn(
        'the clock is more than a day ahead of the platform, or the platform cannot be asked: nothing is cleared away, tried again in an hour',
      );
  }

  /** Makes retries due earlier that were planned while the clock was ahead. */
  const bringForward = tidy(() =>
    store.deliveries.bringForward(isoTime(clock()), isoTime(clock() + LONGEST_WAIT)),
  );

  const endQuestions = tidy(async () => {
    await expireQuestions({ store, clock }, goesOn);
    await parts.settleAnswers(goesOn);
  });

  return {
    start(): void {
      bringForward();
      endQuestions();
      timers.push(
        setInterval(() => void uses.writeOrTell(log), MINUTE),
        setInterval(bringForward, MINUTE),
        setInterval(endQuestions, MINUTE),
        setTimeout(usageRound, SOON),
        setInterval(usageRound, MINUTE),
        // Also in a process that never runs for an hour, but not during the start.
        setTimeout(tidy(clearByTheClock), MINUTE),
        setInterval(tidy(clearByTheClock), HOUR),
        setTimeout(divide, MINUTE),
        setInterval(divide, HOUR),
      );
      timers.forEach((timer) => timer.unref());
      endBackups = parts.backups?.start() ?? endBackups;
    },

    /** Starts no more tasks. */
    stop(): void {
      isStopping = true;
      timers.forEach((timer) => clearTimeout(timer));
    },

    /** Resolves when running tasks have ended. */
    ended: () => Promise.all([tidied, rebuilding, endBackups()]),
  };
}
