/** A semaphore: runs up to `most` tasks at a time, the others in order. */
export function semaphore(most: number) {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    /** The number of waiting tasks. */
    waiting: (): number => waiting.length,

    async run<T>(work: () => Promise<T>): Promise<T> {
      if (taken >= most) await new Promise<void>((go) => waiting.push(go));
      else taken++;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else taken--;
      }
    },
  };
}
