import { type Store } from '../../store/store';
import { isoTime, type Clock } from '../../time';
import { type Destination } from '../destination';

export interface RemovedDestinationsDeps {
  store: Store;
  clock: Clock;
  /** Removes an expired destination. Changes the registry. */
  expire(destination: Pick<Destination, 'id'>): Promise<void>;
  log: { error(fields: object, message: string): void };
}

/** Removes expired destinations, and cancels the deliveries of removed ones. */
export class RemovedDestinations {
  readonly #deps: RemovedDestinationsDeps;
  /** Running cancelations, by destination. */
  readonly #canceling = new Map<number, Promise<void>>();
  #isStopping = false;

  constructor(deps: RemovedDestinationsDeps) {
    this.#deps = deps;
  }

  /** Ends running cancelations early and waits for them. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#canceling.values());
  }

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

  /** Cancels a destination's deliveries in the background. */
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
