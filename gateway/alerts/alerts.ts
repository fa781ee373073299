import { isDatabaseUnavailable } from '../store/unavailable';
import { DAY, HOUR, isoTime, SECOND } from '../time';
import { databaseWatch } from './database-away';
import { lookOnce, type LookDeps } from './look';
import { outbox, type Outbox, type OutboxDeps } from './outbox';

export interface AlertDeps extends LookDeps, OutboxDeps {}

/** Notifies people of incidents. */
export interface Alerts extends Pick<Outbox, 'sendTest'> {
  /** Checks all conditions once, and sends due alerts. */
  look(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

/** With the time in which incidents are gathered: told within 30 seconds of what lasts long enough. */
const LOOK_INTERVAL = 10 * SECOND;
/** For what a look has found, tests that a command asks for, and what a process that ended has left. */
const SEND_INTERVAL = 2 * SECOND;
/** How long ended incidents are stored. */
const KEPT = 90 * DAY;

/**
 * Checks all conditions periodically and sends alerts. If several processes share a database, one of them checks
 * what all can see, and sends. Each process checks itself. No check waits for an alert that is being sent.
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
      // Any other error is an answer.
      if (isDatabaseUnavailable(error)) away.failed();
      else await away.answered();
      throw error;
    }
    await away.answered();
  }

  /** One look after the other. */
  function inOrder(work: () => Promise<void>): Promise<void> {
    const done = looking.then(work);
    looking = done.catch(() => undefined);
    return done;
  }

  /** Each time but where the last one has not ended yet. */
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
      // A file has only one process: leases from before a kill have no owner.
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
