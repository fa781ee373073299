/** Refused ones that try again when a place is free, each in its turn. */
const LOOK_AGAIN_AT_ONCE = 16;

/** Whose turn it is to send: each waits once, first come, first served. */
export class Turn<T> {
  readonly #waiting = new Set<T>();
  /** Destinations that got no place. */
  readonly #refused = new Set<T>();
  #woken = Promise.withResolvers<void>();

  add(one: T): void {
    this.#waiting.add(one);
    this.wake();
  }

  /** There is no place for it now. */
  refuse(one: T): void {
    this.#refused.add(one);
  }

  /** A place is free. */
  freed(): void {
    for (const one of [...this.#refused].slice(0, LOOK_AGAIN_AT_ONCE)) {
      this.#refused.delete(one);
      this.add(one);
    }
  }

  /** The waiting ones may be served again. */
  wake(): void {
    this.#woken.resolve();
  }

  /**
   * @returns the waiting destinations, as soon as there are any. The caller removes the ones that it serves;
   * new ones are added at the end.
   */
  async next(): Promise<Set<T>> {
    await this.#woken.promise;
    this.#woken = Promise.withResolvers();
    return this.#waiting;
  }
}
