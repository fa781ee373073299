import { createInterface } from 'node:readline/promises';
import { SettingError } from '../errors';

/**
 * Asks for confirmation at the terminal before an action that cannot be undone.
 * @param given whether `--yes` was passed
 * @throws SettingError if the user declines or there is no terminal
 */
export async function confirmed(given: boolean | undefined, what: string): Promise<void> {
  if (given) return;
  if (!process.stdin.isTTY) throw new SettingError(`${what} Nothing was done yet: confirm with --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${what} Type yes to continue: `).finally(() => terminal.close());
  if (answer.trim().toLowerCase() !== 'yes') throw new SettingError('Nothing is done.');
}
