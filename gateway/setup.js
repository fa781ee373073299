/**
 * Makes a checkout ready to run: installs what the lock file names, then builds. It is the first step of every
 * command, because `ignore-scripts` also skips npm's pre-scripts. Plain JavaScript that runs on Node 20, before
 * anything is installed; every later `node` in the same npm script is the one that npm has pinned.
 *
 * When nothing has changed since the last time, it takes a second or two: the installation is recognised by the
 * lock file's hash, and the compiler rebuilds only what changed.
 */
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const stamp = join(root, 'node_modules', '.installed');

/** Runs an npm command quietly; on failure shows what it printed and ends with its exit code. */
function npm(...args) {
  const npmCli = process.env.npm_execpath;
  const [command, first] = npmCli ? [process.execPath, [npmCli]] : ['npm', []];
  const run = spawnSync(command, [...first, ...args], { cwd: root, encoding: 'utf8', shell: !npmCli });
  if (run.status === 0) return;
  process.stderr.write(`${run.stdout ?? ''}${run.stderr ?? ''}\nnpm ${args.join(' ')} failed.\n`);
  process.exit(run.status || 1);
}

const lock = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  process.stderr.write('Installing what the Messaging Gateway needs (once, about two minutes)…\n');
  // Not `npm ci`: it refuses a lock file that lacks other platforms' optional packages, as it does where the registry
  // does not have them all. This installs the same versions and leaves the lock file as it is.
  npm('install', '--no-save', '--include=dev', '--include=optional');
  writeFileSync(stamp, lock);
}
npm('run', '--silent', 'build');
