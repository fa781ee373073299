import { type FastifyBaseLogger } from 'fastify';
import { type TokenUses } from '../api/access/token-uses';
import { type CloudApi } from '../cloud-api/client';
import { type Config } from '../config';
import { type CustomerServiceWindows } from '../messages/customer-service-window';
import { LONGEST_WAIT } from '../forwarding/retry-schedule';
import { type AuditedDeps } from '../store/with-audit';
import { HOUR, isoTime, MINUTE } from '../time';
import { clearingRounds } from './clear-old';
import { type ScheduledBackups } from './scheduled-backups';

export interface HousekeepingParts extends AuditedDeps {
  config: Config;
  log: FastifyBaseLogger;
  cloudApi: Pick<CloudApi, 'time'>;
  windows: Pick<CustomerServiceWindows, 'aliases'>;
  uses: TokenUses;
  /** Under which this process holds its leases. */
  processId: () => string;
  backups: ScheduledBackups | null;
}

/**
 * What a gateway does by the clock: it writes down who has used a token (each minute), forgets idempotency keys (each
 * hour), clears away what has been kept for long enough (a minute after its start, then each day), brings forward what is
 * due too late (each minute), and makes backups.
 */
export function housekeeping(parts: HousekeepingParts) {
  const { store, clock, log, windows, uses } = parts;
  const timers: NodeJS.Timeout[] = [];
  let isStopping = false;
  const goesOn = () => !isStopping;
  let endBackups = async (): Promise<void> => {};
  /** One after the other. */
  let tidied = Promise.resolve();
  const tidy = (work: () => Promise<void>) => () => {
    tidied = tidied
      .then(work)
      .catch((error: unknown) =>
        log.error({ error }, 'housekeeping failed: tried again with the next round'),
      );
  };

  const clear = clearingRounds({
    ...parts,
    goesOn,
    isFirst: async () => {
      // Those that another process has cleared away are written again once they are told again.
      windows.aliases.forget();
      return store.processes.isFirst(parts.processId());
    },
  });

  async function clearByTheClock(): Promise<void> {
    if (!(await clear()))
      log.warn(
        'the clock is more than a day ahead of the platform, or the platform cannot be asked: nothing is cleared away, tried again in an hour',
      );
  }

  /** Retries that were planned while the clock was ahead. */
  const bringForward = tidy(() =>
    store.deliveries.bringForward(isoTime(clock()), isoTime(clock() + LONGEST_WAIT)),
  );

  return {
    start(): void {
      bringForward();
      timers.push(
        setInterval(() => void uses.writeOrTell(log), MINUTE),
        setInterval(bringForward, MINUTE),
        // Also of a process that never lives for an hour, and not while it is still busy with its start.
        setTimeout(tidy(clearByTheClock), MINUTE),
        setInterval(tidy(clearByTheClock), HOUR),
      );
      timers.forEach((timer) => timer.unref());
      endBackups = parts.backups?.start() ?? endBackups;
    },

    /** Begins nothing any more. */
    stop(): void {
      isStopping = true;
      timers.forEach((timer) => clearTimeout(timer));
    },

    /** Resolves once what had begun has ended. */
    ended: () => Promise.all([tidied, endBackups()]),
  };
}
