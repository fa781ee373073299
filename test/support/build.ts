import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ofThisRun = globalThis as { isBuilt?: boolean };

/**
 * Rebuilds what changed before the tests: they run the compiled gateway, and its bundle as a process. Every
 * project calls this; the first call builds.
 */
export default function build(): void {
  if (ofThisRun.isBuilt) return;
  const compiler = require.resolve('typescript/bin/tsc');
  const cwd = join(__dirname, '../..');
  for (const words of [[compiler, '-b', '.', 'gateway'], ['gateway/bundle.js']]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd, encoding: 'utf8' });
    if (status !== 0) throw new Error(`What the tests run cannot be built:\n${stdout}${stderr}`);
  }
  ofThisRun.isBuilt = true;
}
