/** Of those for which there was no place, so many look again when one is free: each does in its turn. */
const LOOK_AGAIN_AT_ONCE = 16;

/** Whose turn it is: what has something to do, each once, in the order in which it came. */
export class Turn<T> {
  readonly #waiting = new Set<T>();
  /** Those for which there was no place. */
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

  /** Those that wait may be served now, if they could not be before. */
  wake(): void {
    this.#woken.resolve();
  }

  /** @returns those that wait, once there may be any: whoever serves one takes it out; what is added meanwhile comes last */
  async next(): Promise<Set<T>> {
    await this.#woken.promise;
    this.#woken = Promise.withResolvers();
    return this.#waiting;
  }
}
