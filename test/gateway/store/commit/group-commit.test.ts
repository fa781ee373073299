import { setImmediate } from 'node:timers/promises';
import { groupCommit } from '../../../../gateway/store/commit/group-commit';

/** A database that takes five turns of the event loop to commit, however long they last, and notes what one held. */
function slowDatabase(transactionsInFlight = 1) {
  const transactions: number[][] = [];
  const atOnce: number[] = [];
  let open = 0;
  let onBegun = () => {};
  const commits = groupCommit<number, string>({
    async commit(ops) {
      transactions.push(ops);
      atOnce.push(++open);
      onBegun();
      for (let turn = 0; turn < 5; turn++) await setImmediate();
      open--;
      if (ops.includes(Number.NaN)) throw new Error('data');
      if (ops.includes(Infinity)) throw new Error('disk');
      return ops.map((op) => `done ${op}`);
    },
    sizeOf: () => 10,
    rowsOf: () => 3,
    isFaultOfData: (error) => (error as Error).message === 'data',
    transactionsInFlight,
  });
  /** Resolves when the next transaction begins. */
  const begun = () => new Promise<void>((resolve) => (onBegun = resolve));
  return { ...commits, transactions, atOnce, begun };
}

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

describe('group commit', () => {
  test('commits what arrives together as one, and what arrives meanwhile as the next', async () => {
    const { write, transactions, begun } = slowDatabase();
    const first = numbers(10).map(write);
    await begun();
    const second = numbers(20).map(write);
    expect(await Promise.all(first)).toEqual(numbers(10).map((number) => `done ${number}`));
    await Promise.all(second);
    expect(transactions).toEqual([numbers(10), numbers(20)]);
  });

  test('commits what comes of the answers together with what came meanwhile', async () => {
    const { write, transactions, begun } = slowDatabase();
    const answered = async () => {
      await write(1);
      // As many steps as nobody counts, all of the same turn.
      for (let step = 0; step < 20; step++) await null;
      await write(3);
    };
    const all = answered();
    await begun();
    await Promise.all([all, write(2)]);
    expect(transactions).toEqual([[1], [2, 3]]);
  });

  test('keeps the order of arrival, however many there are', async () => {
    const { write, transactions } = slowDatabase();
    const answers = await Promise.all(numbers(1700).map(write));
    expect(answers).toEqual(numbers(1700).map((number) => `done ${number}`));
    expect(transactions.flat()).toEqual(numbers(1700));
    expect(transactions.every(({ length }) => length <= 500)).toBe(true);
  });

  test('takes at once only what fits into memory beside the rest, and at least one', async () => {
    const transactions: number[][] = [];
    const { write } = groupCommit<number, number>({
      async commit(ops) {
        transactions.push(ops);
        return ops;
      },
      sizeOf: (megabytes) => megabytes * 1024 * 1024,
      rowsOf: () => 1,
      isFaultOfData: () => false,
      transactionsInFlight: 1,
    });
    await Promise.all([3, 3, 3, 20, 1, 1].map(write));
    expect(transactions).toEqual([[3, 3], [3], [20], [1, 1]]);
  });

  test('has no more transactions in flight than it may, and uses them all', async () => {
    const { write, atOnce } = slowDatabase(2);
    await Promise.all(numbers(3000).map(write));
    expect(Math.max(...atOnce)).toBe(2);
  });

  test('begins another beside a large one only: what is small shares the next commit', async () => {
    const { write, transactions, atOnce, begun } = slowDatabase(2);
    const small = write(1);
    await begun();
    await Promise.all([small, write(2), write(3)]);
    expect({ transactions, atOnce }).toEqual({ transactions: [[1], [2, 3]], atOnce: [1, 1] });
    const large = Promise.all(numbers(200).map(write));
    await begun();
    await Promise.all([large, write(4)]);
    expect(atOnce.slice(2)).toEqual([1, 2]);
  });

  test('fails one whose data is at fault, alone and with few transactions', async () => {
    const { write, transactions } = slowDatabase();
    const settled = await Promise.allSettled([...numbers(255), Number.NaN, ...numbers(244)].map(write));
    expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(settled[255]).toMatchObject({ status: 'rejected', reason: { message: 'data' } });
    expect(settled[256]).toMatchObject({ value: 'done 0' });
    expect(transactions.length).toBeLessThan(25);
  });

  test('fails all of a transaction that fails for another reason, once', async () => {
    const { write, transactions } = slowDatabase();
    const settled = await Promise.allSettled([1, Infinity, 2].map(write));
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(transactions).toHaveLength(1);
    expect(await write(3)).toBe('done 3');
  });

  test('tells how much waits for its commit, failed ones left out', async () => {
    const { write, waiting } = slowDatabase();
    const all = [1, 2, Infinity].map(write);
    expect(waiting()).toEqual({ writes: 3, bytes: 30 });
    await Promise.allSettled(all);
    const more = [4, 5].map(write);
    expect(waiting()).toEqual({ writes: 2, bytes: 20 });
    await Promise.all(more);
    expect(waiting()).toEqual({ writes: 0, bytes: 0 });
  });

  test('is drained once all is committed or failed', async () => {
    const { write, drained } = slowDatabase();
    await drained();
    let settled = 0;
    for (const op of [...numbers(600), Number.NaN]) {
      write(op).then(
        () => settled++,
        () => settled++,
      );
    }
    await drained();
    expect(settled).toBe(601);
  });
});
