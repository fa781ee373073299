import { DAY, HOUR, isoTime, SECOND } from '../time';
import { databaseWatch } from './database-away';
import { lookOnce, type LookDeps } from './look';
import { sendDue, type OutboxDeps } from './outbox';

export interface AlertDeps extends LookDeps, OutboxDeps {
  log: OutboxDeps['log'] & { error(fields: object, message: string): void };
}

/** Tells people what needs them. */
export interface Alerts {
  /** Looks once at everything, and sends what is due. */
  look(): Promise<void>;
  /** Sends what is due, as a test that somebody waits for. */
  sendDue(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

/** With the time in which incidents are gathered: told within 30 seconds of what lasts long enough. */
const LOOK_INTERVAL = 10 * SECOND;
/** For tests that a command asks for, and what a process that ended has left. */
const SEND_INTERVAL = 2 * SECOND;
/** Incidents that are over are kept for so long. */
const KEPT = 90 * DAY;

/**
 * Looks at all conditions from time to time, and sends what has to be told. Of several processes on one database one
 * looks at what all of them see, and sends; each looks at itself.
 */
export function alerting(deps: AlertDeps): Alerts {
  const { store, clock, log } = deps;
  const timers: NodeJS.Timeout[] = [];
  const away = databaseWatch(deps);
  let isStopping = false;
  let cleared = 0;
  let working: Promise<void> = Promise.resolve();

  /** One after the other. */
  function inOrder(work: () => Promise<void>): Promise<void> {
    const done = working.then(work);
    working = done.catch(() => undefined);
    return done;
  }

  async function look(isPatient: boolean): Promise<void> {
    const isFirst = await lookOnce(deps, away.know, isPatient);
    if (!isFirst || clock() - cleared < HOUR) return;
    cleared = clock();
    await store.alerts.removeBefore(isoTime(cleared - KEPT));
  }

  const send = () => sendDue(deps, () => !isStopping);

  async function watch(): Promise<void> {
    try {
      await look(true);
    } catch (error) {
      await away.failed();
      throw error;
    }
    await away.answered();
  }

  const sendIfFirst = async (): Promise<void> => {
    if (await store.processes.isFirst(deps.processId())) await send();
  };

  const attempt = (work: () => Promise<void>, message: string) => (): void => {
    const attempted = inOrder(async () => {
      if (!isStopping) await work();
    });
    attempted.catch((error: unknown) => log.error({ error }, message));
  };

  return {
    look: () =>
      inOrder(async () => {
        await look(false);
        await send();
      }),
    sendDue: () => inOrder(send),
    start() {
      // A file serves one process: what it had taken when it was killed is nobody's.
      if (store.dialect === 'sqlite')
        attempt(store.alerts.releaseClaims, 'alerts that were under way wait')();
      timers.push(
        setInterval(attempt(watch, 'conditions not looked at: tried again soon'), LOOK_INTERVAL),
        setInterval(attempt(sendIfFirst, 'alerts not sent: tried again soon'), SEND_INTERVAL),
      );
      timers.forEach((timer) => timer.unref());
    },
    async stop() {
      isStopping = true;
      timers.forEach((timer) => clearInterval(timer));
      await working;
    },
  };
}
