import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { command } from './commands';
import { CannotRun, type Stage } from './proof';

const ROOT = join(__dirname, '..', '..');

/**
 * Compiles the gateway from before the newest file was added to a folder, with the same libraries.
 * @returns its main file and its commit
 * @throws CannotRun without a checkout with history
 */
export function versionBefore(
  { folder, tell }: Pick<Stage, 'folder' | 'tell'>,
  changed: string,
): { main: string; commit: string } {
  const git = (...words: string[]) => command('git', '-C', ROOT, ...words).trim();
  let commit: string;
  try {
    commit = git(
      'rev-parse',
      '--short',
      `${git('log', '-1', '--diff-filter=A', '--format=%H', '--', changed)}^`,
    );
  } catch {
    throw new CannotRun('This needs a checkout with its history: git clone without --depth');
  }
  tell(`the version before is built, of ${commit}`);
  const root = join(folder, 'before');
  mkdirSync(root);
  const archive = execFileSync('git', ['-C', ROOT, 'archive', commit], { maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['-x', '-C', root], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  symlinkSync(join(ROOT, 'gateway/node_modules'), join(root, 'gateway/node_modules'));
  const build = join(root, 'gateway/build');
  const words = ['-p', join(root, 'gateway'), '--noCheck', '--outDir', build];
  command(process.execPath, require.resolve('typescript/bin/tsc'), ...words);
  return { main: join(build, 'main.js'), commit };
}
