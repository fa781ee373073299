/**
 * Runs one task at a time. Visitors with waiting tasks take turns, so that no visitor waits for all tasks of another.
 * @param most waiting tasks; beyond it, the visitor with the most of them loses the last one
 */
export function fairTurns(most: number) {
  /** Waiting tasks by visitor, the most recently served visitor last. */
  const waiting = new Map<string, ((isTurn: boolean) => void)[]>();
  let isTaken = false;
  let count = 0;

  /** @returns whether one more task of this visitor fits */
  function makeRoom(visitor: string): boolean {
    if (count < most) return true;
    const own = waiting.get(visitor)?.length ?? 0;
    const [, longest] = [...waiting].reduce((one, other) => (other[1].length > one[1].length ? other : one));
    if (longest.length <= own + 1) return false;
    count--;
    longest.pop()?.(false);
    return true;
  }

  /** @returns whether the visitor got a turn */
  async function turnOf(visitor: string): Promise<boolean> {
    if (!isTaken) return (isTaken = true);
    if (!makeRoom(visitor)) return false;
    count++;
    return new Promise((resolve) => {
      const own = waiting.get(visitor);
      if (own) own.push(resolve);
      else waiting.set(visitor, [resolve]);
    });
  }

  function handOn(): void {
    const [first] = waiting;
    if (!first) return void (isTaken = false);
    const [visitor, own] = first;
    const next = own.shift();
    waiting.delete(visitor);
    if (own.length) waiting.set(visitor, own);
    count--;
    next?.(true);
  }

  /** @returns false, without running the work, if too many tasks wait */
  return async (visitor: string, work: () => Promise<void>): Promise<boolean> => {
    if (!(await turnOf(visitor))) return false;
    try {
      await work();
    } finally {
      handOn();
    }
    return true;
  };
}
