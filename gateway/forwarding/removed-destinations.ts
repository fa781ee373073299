import { type Store } from '../store/store';
import { isoTime, type Clock } from '../time';
import { type Destination } from './destination';

export interface RemovedDestinationsDeps {
  store: Store;
  clock: Clock;
  /** Removes an expired destination: a change of the registry. */
  expire(destination: Pick<Destination, 'id'>): Promise<void>;
  log: { error(fields: object, message: string): void };
}

/** Destinations whose time is over, and what they are still owed: that is canceled. */
export class RemovedDestinations {
  readonly #deps: RemovedDestinationsDeps;
  /** What is canceled just now, by destination. */
  readonly #canceling = new Map<number, Promise<void>>();
  #isStopping = false;

  constructor(deps: RemovedDestinationsDeps) {
    this.#deps = deps;
  }

  /** Waits for what is being canceled, which ends early. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#canceling.values());
  }

  /** Removes those that have expired. */
  async removeExpired(now: number): Promise<void> {
    const { store, expire, log } = this.#deps;
    for (const destination of await store.destinations.expired(isoTime(now)))
      await expire(destination).catch((error: unknown) =>
        log.error(
          { error, destination: destination.id },
          'expired destination not removed yet: tried again in 5 seconds',
        ),
      );
  }

  /** However much that is, nothing else waits for it. */
  cancel(destinationId: number): void {
    if (this.#canceling.has(destinationId)) return;
    const { store, clock, log } = this.#deps;
    const work = store.deliveries
      .cancelOfRemoved(destinationId, isoTime(clock()), () => this.#isStopping)
      .catch((error: unknown) =>
        log.error(
          { error, destination: destinationId },
          'what a removed destination was owed is not canceled yet: tried again within 5 seconds',
        ),
      )
      .finally(() => this.#canceling.delete(destinationId));
    this.#canceling.set(destinationId, work);
  }
}
