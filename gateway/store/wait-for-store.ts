import { setTimeout as wait } from 'node:timers/promises';
import { throttledLog } from '../primitives/throttled-log';
import { MINUTE, SECOND } from '../time';
import { isServerAway } from './opening-refused';
import { openStore, type WholeStore } from './store';

const RETRY_INTERVAL = 2 * SECOND;

interface Log {
  info(message: string): void;
  warn(fields: object, message: string): void;
}

/**
 * Opens the database of a gateway. Waits for an unreachable PostgreSQL server, as a running gateway does, because the
 * server may start later after a power cut.
 * @param ends aborts the wait
 * @throws SettingError if waiting does not help, or the reason of `ends`
 */
export async function openStoreOnceThere(
  { url, session, processName, log }: { url: string; session: string; processName: string; log: Log },
  ends: AbortSignal | undefined,
): Promise<WholeStore> {
  const warn = throttledLog((fields, message) => log.warn(fields, message), MINUTE);
  for (let hasWaited = false; ; hasWaited = true) {
    try {
      const store = await openStore(url, 'gateway', Date.now, processName, session);
      if (hasWaited) log.info('the database is reachable');
      return store;
    } catch (error) {
      if (!isServerAway(url, error)) throw error;
      warn({ because: (error as Error).message }, 'the database is not reachable: waiting for it');
      await wait(RETRY_INTERVAL, null, { signal: ends });
    }
  }
}
