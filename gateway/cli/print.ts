/** Prints what a command found; standard output holds nothing else. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);
