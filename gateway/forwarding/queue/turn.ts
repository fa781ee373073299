/** How many refused destinations try again when a place becomes free. */
const LOOK_AGAIN_AT_ONCE = 16;

/** The order in which destinations send: each is queued once, first come, first served. */
export class Turn<T> {
  readonly #waiting = new Set<T>();
  /** Destinations that got no place in flight. */
  readonly #refused = new Set<T>();
  #woken = Promise.withResolvers<void>();

  add(one: T): void {
    this.#waiting.add(one);
    this.wake();
  }

  /** Called when no place is free for this destination. */
  refuse(one: T): void {
    this.#refused.add(one);
  }

  /** Called when a place becomes free. */
  freed(): void {
    for (const one of [...this.#refused].slice(0, LOOK_AGAIN_AT_ONCE)) {
      this.#refused.delete(one);
      this.add(one);
    }
  }

  /** Lets `next` return waiting destinations again. */
  wake(): void {
    this.#woken.resolve();
  }

  /**
   * @returns the waiting destinations, as soon as there are any. The caller removes those it serves; new ones are
   * added at the end.
   */
  async next(): Promise<Set<T>> {
    await this.#woken.promise;
    this.#woken = Promise.withResolvers();
    return this.#waiting;
  }
}
