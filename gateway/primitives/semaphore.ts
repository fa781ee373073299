/** A semaphore: runs a number of tasks at once, the others in turn. */
export function semaphore(most: number) {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    /** How many pieces of work wait. */
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
