import { isDatabaseUnavailable } from '../store/unavailable';
import { DAY, HOUR, isoTime, SECOND } from '../time';
import { databaseWatch } from './database-away';
import { lookOnce, type LookDeps } from './look';
import { outbox, type Outbox, type OutboxDeps } from './outbox';

export interface AlertDeps extends LookDeps, OutboxDeps {}

/** Notifies users of incidents. */
export interface Alerts extends Pick<Outbox, 'sendTest'> {
  /** Checks all conditions once, and sends due alerts. */
  look(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

/** Together with the gathering time, alerts are sent within 30 seconds after a condition lasts long enough. */
const LOOK_INTERVAL = 10 * SECOND;
/** For alerts of the last check, tests requested by a command, and alerts left by a process that ended. */
const SEND_INTERVAL = 2 * SECOND;
/** How long ended incidents are stored. */
const KEPT = 90 * DAY;

/**
 * Checks all conditions periodically and sends alerts. If several processes share a database, one of them checks the
 * shared conditions and sends; each process checks itself. Checks never wait for an alert that is being sent.
 */
export function alerting(deps: AlertDeps): Alerts {
  const { store, clock, log } = deps;
  const timers: NodeJS.Timeout[] = [];
  const away = databaseWatch(deps);
  const box = outbox(deps);
  let isStopping = false;
  let cleared = 0;
  let looking: Promise<void> = Promise.resolve();

  async function look(isPatient: boolean): Promise<void> {
    const isFirst = await lookOnce(deps, away.know, isPatient);
    if (!isFirst || clock() - cleared < HOUR) return;
    cleared = clock();
    await store.alerts.removeBefore(isoTime(cleared - KEPT));
  }

  async function watch(): Promise<void> {
    try {
      await look(true);
    } catch (error) {
      // Any other error shows that the database responds.
      if (isDatabaseUnavailable(error)) away.failed();
      else await away.answered();
      throw error;
    }
    await away.answered();
  }

  /** Runs checks one after the other. */
  function inOrder(work: () => Promise<void>): Promise<void> {
    const done = looking.then(work);
    looking = done.catch(() => undefined);
    return done;
  }

  /** Runs the work periodically, skipping a run while the previous one lasts. */
  function repeated(work: () => Promise<void>, message: string): () => void {
    let isBusy = false;
    return () => {
      if (isBusy || isStopping) return;
      isBusy = true;
      void work()
        .catch((error: unknown) => log.error({ error }, message))
        .finally(() => (isBusy = false));
    };
  }

  const sendIfFirst = async (): Promise<void> => {
    if (await store.processes.isFirst(deps.processId())) await box.takeDue();
  };

  return {
    async look() {
      await inOrder(() => look(false));
      await box.sendDue();
    },
    sendTest: box.sendTest,
    start() {
      // SQLite has only one process, so leases from before a crash have no owner.
      const begun = store.dialect === 'sqlite' ? store.alerts.releaseClaims() : Promise.resolve();
      begun.catch((error: unknown) => log.error({ error }, 'alerts that were under way wait'));
      timers.push(
        setInterval(
          repeated(() => inOrder(watch), 'conditions not looked at: tried again soon'),
          LOOK_INTERVAL,
        ),
        setInterval(repeated(sendIfFirst, 'alerts not sent: tried again soon'), SEND_INTERVAL),
      );
      timers.forEach((timer) => timer.unref());
    },
    async stop() {
      isStopping = true;
      timers.forEach((timer) => clearInterval(timer));
      await Promise.all([looking, box.stop(), away.stop()]);
    },
  };
}
