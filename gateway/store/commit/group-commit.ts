/**
 * Group commit: writes that arrive while a transaction runs are collected and committed together. Each caller waits for the
 * commit of its write, so that nothing is acknowledged before it is durable.
 */
export interface GroupCommit<Op, Result> {
  write(op: Op): Promise<Result>;
  /** Ops that are not committed yet, and the sum of their `sizeOf`. */
  waiting(): { writes: number; bytes: number };
  /** Resolves once all ops so far are committed or have failed. */
  drained(): Promise<void>;
}

interface Waiting<Op, Result> {
  op: Op;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface GroupCommitOptions<Op, Result> {
  /** Commits all ops in one transaction. @returns a result for each */
  commit(ops: Op[]): Promise<Result[]>;
  /** Bytes that an op holds in memory. */
  sizeOf(op: Op): number;
  /** Rows that it writes. */
  rowsOf(op: Op): number;
  /** Whether an error is the fault of one op's data. If so, the others are committed without it. */
  isFaultOfData(error: unknown): boolean;
  /** The limit. A further transaction begins only beside large ones, so that small ops still share a commit. */
  transactionsInFlight: number;
}

/** A transaction with this many rows is large: small writes do not wait for it. */
const LARGE = 300;

/** Rows that one transaction writes, be it in its first op: some 25 ms, for which those wait that come after it. */
const MOST_ROWS_IN_A_TRANSACTION = 1_500;
/** Bytes that one takes, be it in its first op: what an op makes of them is in memory until it is done. */
const MOST_BYTES_IN_A_TRANSACTION = 8 * 1024 * 1024;

export function groupCommit<Op, Result>(options: GroupCommitOptions<Op, Result>): GroupCommit<Op, Result> {
  const { commit, sizeOf, rowsOf, isFaultOfData, transactionsInFlight } = options;
  const waiting: Waiting<Op, Result>[] = [];
  /** Rows of each transaction in flight. */
  const inFlight: number[] = [];
  /** The number and bytes of uncommitted writes. */
  const open = { writes: 0, bytes: 0 };
  let onDrained: (() => void)[] = [];

  async function settle(batch: Waiting<Op, Result>[]): Promise<void> {
    try {
      const results = await commit(batch.map(({ op }) => op));
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (batch.length > 1 && isFaultOfData(error)) {
        // Halving finds the invalid write in few transactions. Each of them waits for the disk.
        const half = batch.length >> 1;
        await settle(batch.slice(0, half));
        return settle(batch.slice(half));
      }
      batch.forEach(({ reject }) => reject(error));
    }
  }

  function count(op: Op, change: 1 | -1): void {
    open.writes += change;
    open.bytes += change * sizeOf(op);
  }

  /**
   * Takes the waiting writes of one transaction, at least one.
   * @returns them, and their number of rows
   */
  function takeBatch(): { batch: Waiting<Op, Result>[]; rows: number } {
    let [taken, bytes, rows] = [0, 0, 0];
    for (const { op } of waiting) {
      const [moreBytes, moreRows] = [bytes + sizeOf(op), rows + rowsOf(op)];
      if (taken && (moreBytes > MOST_BYTES_IN_A_TRANSACTION || moreRows > MOST_ROWS_IN_A_TRANSACTION)) break;
      [taken, bytes, rows] = [taken + 1, moreBytes, moreRows];
    }
    return { batch: waiting.splice(0, taken), rows };
  }

  const mayBegin = (): boolean =>
    inFlight.length < transactionsInFlight && inFlight.every((rows) => rows >= LARGE);

  function next(): void {
    while (waiting.length && mayBegin()) {
      const { batch, rows } = takeBatch();
      inFlight.push(rows);
      void settle(batch).then(() => {
        inFlight.splice(inFlight.indexOf(rows), 1);
        batch.forEach(({ op }) => count(op, -1));
        // In the next turn, so that what its answers bring about shares the next commit.
        setImmediate(next);
      });
    }
    if (inFlight.length) return;
    onDrained.forEach((resolve) => resolve());
    onDrained = [];
  }

  return {
    write: (op) =>
      new Promise((resolve, reject) => {
        count(op, 1);
        waiting.push({ op, resolve, reject });
        // In the next turn, so that everything which arrives in this one shares the commit.
        if (waiting.length === 1 && mayBegin()) setImmediate(next);
      }),
    waiting: () => ({ ...open }),
    drained: () =>
      waiting.length || inFlight.length
        ? new Promise((resolve) => onDrained.push(resolve))
        : Promise.resolve(),
  };
}
