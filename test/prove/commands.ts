import { execFileSync, spawnSync } from 'node:child_process';
import { CannotRun } from './proof';

/**
 * Runs a system command.
 * @returns its output
 * @throws Error with its error output
 */
export const command = (name: string, ...words: string[]): string =>
  execFileSync(name, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** @param names commands, each with its Debian package */
export function needs(names: Record<string, string>): void {
  const missing = Object.entries(names).filter(
    ([name]) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
  );
  if (!missing.length) return;
  const packages = [...new Set(missing.map(([, of]) => of))].join(' ');
  throw new CannotRun(
    `This machine lacks ${missing.map(([name]) => name).join(', ')}. On Debian: apt-get install ${packages}`,
  );
}

export function needsRoot(why: string): void {
  if (process.getuid?.() !== 0) throw new CannotRun(`Only root may ${why}. Run it as root, on Linux.`);
}
