/**
 * Prints one result to standard output; several cells form a table row, separated by tabs. Nothing else may
 * write to standard output.
 */
export const print = (...cells: (string | number)[]): void =>
  void process.stdout.write(`${cells.join('\t')}\n`);

/** Text of the platform on one line and without control characters. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
