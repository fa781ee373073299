/**
 * Group commit: collects the writes that arrive during a transaction and commits them together. Each caller waits for
 * the commit of its write, so that nothing is acknowledged before it is durable.
 */
export interface GroupCommit<Op, Result> {
  write(op: Op): Promise<Result>;
  /** Uncommitted ops, and the sum of their `sizeOf`. */
  waiting(): { writes: number; bytes: number };
  /** Resolves when all ops so far are committed or have failed. */
  drained(): Promise<void>;
}

interface Waiting<Op, Result> {
  op: Op;
  bytes: number;
  rows: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface GroupCommitOptions<Op, Result> {
  /** Commits all ops in one transaction. @returns one result for each, in order */
  commit(ops: Op[]): Promise<Result[]>;
  /** Bytes that an op holds in memory. */
  sizeOf(op: Op): number;
  /** Rows that an op writes. */
  rowsOf(op: Op): number;
  /** Whether an error is caused by the data of one op. If so, the other ops are committed without it. */
  isFaultOfData(error: unknown): boolean;
  /**
   * The most transactions at a time. A second one begins only beside a large one, so that small ops still share a
   * commit.
   */
  transactionsInFlight: number;
}

/** A transaction with this many rows is large: small writes do not wait for it. */
const LARGE = 300;

/**
 * The most rows in a transaction, unless its first op has more. This many take some 25 ms, which delays later writes.
 */
const MOST_ROWS_IN_A_TRANSACTION = 1_500;
/**
 * The most bytes in a transaction, unless its first op has more: the data derived from an op is in memory until the
 * commit.
 */
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
        // Halving finds the invalid write in few transactions, each of which waits for the disk.
        const half = batch.length >> 1;
        await settle(batch.slice(0, half));
        return settle(batch.slice(half));
      }
      batch.forEach(({ reject }) => reject(error));
    }
  }

  function count(bytes: number, change: 1 | -1): void {
    open.writes += change;
    open.bytes += change * bytes;
  }

  /**
   * Takes the ops for the next transaction, at least one.
   * @returns the ops and their number of rows
   */
  function takeBatch(): { batch: Waiting<Op, Result>[]; rows: number } {
    let [taken, bytes, rows] = [0, 0, 0];
    for (const one of waiting) {
      const [moreBytes, moreRows] = [bytes + one.bytes, rows + one.rows];
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
        batch.forEach(({ bytes }) => count(bytes, -1));
        // Waits a turn, so that writes caused by these results share the next commit.
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
        const one = { op, bytes: sizeOf(op), rows: rowsOf(op), resolve, reject };
        count(one.bytes, 1);
        waiting.push(one);
        // Waits a turn, so that all writes of this turn share the commit.
        if (waiting.length === 1 && mayBegin()) setImmediate(next);
      }),
    waiting: () => ({ ...open }),
    drained: () =>
      waiting.length || inFlight.length
        ? new Promise((resolve) => onDrained.push(resolve))
        : Promise.resolve(),
  };
}
