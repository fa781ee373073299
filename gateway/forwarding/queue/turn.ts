/** Whose turn it is: what has something to do, each once, in the order in which it came. */
export class Turn<T> {
  readonly #waiting = new Set<T>();
  readonly #serve: (waiting: Set<T>) => void;
  #isAsked = false;

  /** @param serve takes out whatever it serves; what is added meanwhile comes last */
  constructor(serve: (waiting: Set<T>) => void) {
    this.#serve = serve;
  }

  add(one: T): void {
    this.#waiting.add(one);
    this.wake();
  }

  /** Has those that wait served, once whoever asks for it is done. */
  wake(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    queueMicrotask(() => {
      this.#isAsked = false;
      this.#serve(this.#waiting);
    });
  }
}
