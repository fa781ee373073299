import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { throttledLog } from '../primitives/throttled-log';
import { MINUTE, SECOND } from '../time';
import { destinationLeases, type DestinationLeases, type LeaseDeps } from './destination-leases';
import { type AnyDispatcher } from './dispatcher';

/** The time between checks for processes that are gone; the second value is that of the thorough ones. */
const CHECK_INTERVAL = 5 * SECOND;
const SELDOM = MINUTE;

/**
 * Stands in for the dispatcher in a process without the role `deliver`. It owns no destination and sends nothing: the
 * store wakes the owner of each delivery that this process records (`arrivals`), and any other process with the role
 * if there is no owner. It sends heartbeats, so that this process can lead and is missed, and ends the leases of
 * processes that are gone.
 */
export class Bystander implements AnyDispatcher {
  readonly processId = randomUUID();
  readonly #leases: DestinationLeases;
  readonly #log: LeaseDeps['log'];
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> = Promise.resolve();
  #soughtSeldomAt = Number.NEGATIVE_INFINITY;
  #isStopping = false;

  constructor(deps: Omit<LeaseDeps, 'processId'>) {
    const { log } = deps;
    this.#log = {
      warn: (...told) => log.warn(...told),
      error: throttledLog((...told) => log.error(...told)),
    };
    this.#leases = destinationLeases({ ...deps, processId: this.processId, log: this.#log });
  }

  settle = async (): Promise<void> => undefined;
  offer = (): void => undefined;
  inFlightTo = (): number => 0;

  /** After a write with an unknown outcome: the scans of the processes that deliver find what was recorded. */
  lookAgain = (): void => undefined;

  async start(): Promise<void> {
    await this.#leases.start();
    this.#checkIn(CHECK_INTERVAL);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    await this.#checking;
    await this.#leases
      .leave()
      .catch((error: unknown) => this.#log.error({ error }, 'not deregistered: ends without a heartbeat'));
  }

  #checkIn(wait: number): void {
    if (this.#isStopping) return;
    this.#timer = setTimeout(() => {
      this.#checking = this.#check()
        .catch((error: unknown) =>
          this.#log.error({ error }, 'processes that are gone not looked for: tried again in 5 seconds'),
        )
        .finally(() => this.#checkIn(CHECK_INTERVAL));
    }, wait).unref();
  }

  async #check(): Promise<void> {
    const isSeldom = performance.now() - this.#soughtSeldomAt >= SELDOM;
    await this.#leases.refresh(isSeldom);
    if (isSeldom) this.#soughtSeldomAt = performance.now();
  }
}
