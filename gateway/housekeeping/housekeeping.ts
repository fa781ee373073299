import { type FastifyBaseLogger } from 'fastify';
import { type TokenUses } from '../api/access/token-uses';
import { type CloudApi } from '../cloud-api/client';
import { type Config } from '../config';
import { type CustomerServiceWindows } from '../messages/customer-service-window';
import { forgetOldKeys } from '../messages/idempotent-send';
import { type AuditedDeps } from '../store/with-audit';
import { DAY, HOUR, MINUTE } from '../time';
import { clearWhatIsOld, clockDoubts } from './clear-old';
import { scheduleBackups } from './scheduled-backups';

export interface HousekeepingParts extends AuditedDeps {
  config: Config;
  log: FastifyBaseLogger;
  cloudApi: Pick<CloudApi, 'time'>;
  windows: Pick<CustomerServiceWindows, 'aliases'>;
  uses: TokenUses;
  /** Under which this process holds its leases. */
  processId: () => string;
  /** Told what came of each backup: null, or why there is none. */
  backedUp(failure: string | null): void;
}

/**
 * What a gateway does by the clock: it writes down who has used a token (each minute), forgets idempotency keys (each
 * hour), clears away what has been kept for long enough (a minute after its start, then each day), and makes backups.
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
        log.error({ error }, 'what is old was not cleared away: tried again with the next round'),
      );
  };

  /** Of several processes on one database, one does it. */
  async function clearIfFirst(): Promise<void> {
    // Those that another process has cleared away are written again once they are told again.
    windows.aliases.forget();
    if (await store.processes.isFirst(parts.processId())) await clearWhatIsOld({ ...parts, goesOn });
  }

  let mayClockBeAhead = async () => true;

  return {
    /** Before requests come: the clock is judged by what came before. */
    async prepare(): Promise<void> {
      mayClockBeAhead = await clockDoubts(parts);
    },

    start(): void {
      /** Nothing is too old by a clock that may be wrong. */
      let isClockDoubted = true;
      const clearFirst = async () => {
        isClockDoubted = await mayClockBeAhead();
        if (!isClockDoubted) return clearIfFirst();
        log.warn(
          'the clock is more than a week ahead of the newest event, and the platform does not confirm it: nothing is cleared away before tomorrow',
        );
      };
      const forgetKeys = async () => {
        if (!isClockDoubted) await forgetOldKeys(store, clock, goesOn);
      };
      const clearDaily = () => {
        isClockDoubted = false;
        return clearIfFirst();
      };
      timers.push(
        setInterval(() => void uses.writeOrTell(log), MINUTE),
        // Also of a process that never lives for a day, and not while it is still busy with its start.
        setTimeout(tidy(clearFirst), MINUTE),
        setInterval(tidy(forgetKeys), HOUR),
        setInterval(tidy(clearDaily), DAY),
      );
      timers.forEach((timer) => timer.unref());
      endBackups = scheduleBackups(parts.config, log, parts.backedUp);
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
