/** Refused ones that try again when a place is free, each in its turn. */
const LOOK_AGAIN_AT_ONCE = 16;

/** Whose turn it is to send: each waits once, first come, first served. */
export class Turn<T> {
  readonly #waiting = new Set<T>();
  /** Those that found no place. */
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

  /** What kept those that wait from being served is over. */
  wake(): void {
    this.#woken.resolve();
  }

  /** @returns those that wait, as soon as there are any. The caller removes the ones it serves; new ones come last. */
  async next(): Promise<Set<T>> {
    await this.#woken.promise;
    this.#woken = Promise.withResolvers();
    return this.#waiting;
  }
}
