/** Whose turn it is: what has something to do, each once, in the order in which it came. */
export class Turn<T> {
  readonly #waiting = new Set<T>();
  #changed = Promise.withResolvers<void>();

  add(one: T): void {
    this.#waiting.add(one);
    this.wake();
  }

  delete(one: T): void {
    this.#waiting.delete(one);
  }

  next(): T | undefined {
    const { value: first } = this.#waiting.values().next();
    if (first !== undefined) this.#waiting.delete(first);
    return first;
  }

  /** Resolves once something was added since this was last asked. */
  async changed(): Promise<void> {
    await this.#changed.promise;
    this.#changed = Promise.withResolvers();
  }

  /** Has whoever waits look again. */
  wake(): void {
    this.#changed.resolve();
  }
}
