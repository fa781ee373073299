/** Prints what a command found, in one line or, of several cells, a row of a table; standard output holds nothing else. */
export const print = (...cells: (string | number)[]): void =>
  void process.stdout.write(`${cells.join('\t')}\n`);
