/**
 * Prepares a checkout: installs the packages of the lock file, then builds. `run COMMAND` afterwards runs
 * that command of the gateway, and skips everything that only development needs. Every npm script starts with
 * this file, because `ignore-scripts` also skips npm's pre-scripts. It is plain JavaScript for Node 20,
 * because nothing is installed yet.
 * Without changes since the last run, it takes about two seconds and no network: it compares the lock file's
 * hash, and the compiler rebuilds only changed files.
 */
const { spawn } = require('node:child_process');
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { join, resolve, sep } = require('node:path');

/** How often the parent process is checked, in milliseconds. */
const PARENT_GLANCE = 500;

const root = join(__dirname, '..');
const modules = join(root, 'node_modules');
const isWindows = process.platform === 'win32';
/** The Node that the lock file pins, as installed by npm. */
const pinned = join(modules, `node-${isWindows ? 'win' : process.platform}-${process.arch}`);
const stamp = join(modules, '.installed');
const BEGUN = 'begun';
/** Suffix of the stamp if development tools are not installed. */
const TO_RUN = ' to run';

const [word, ...words] = process.argv.slice(2);
const isToRun = word === 'run';

async function install() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
  // Keeps the development tools if they were installed before.
  const onlyToRun = isToRun && (installed === '' || installed.endsWith(TO_RUN));
  const wanted = onlyToRun ? lock + TO_RUN : lock;
  if (installed === wanted) return;
  const [what, time] = onlyToRun
    ? ['the Messaging Gateway needs', 'half a minute']
    : ['development needs', 'two minutes'];
  process.stderr.write(`Installing what ${what} (once, about ${time})…\n`);
  // An interrupted installation leaves incomplete packages, which npm would treat as complete.
  if (installed.startsWith(BEGUN)) rmSync(modules, { recursive: true });
  mkdirSync(modules, { recursive: true });
  writeFileSync(stamp, onlyToRun ? BEGUN + TO_RUN : BEGUN);
  // `npm ci` refuses a lock file without other platforms' optional packages, which some registries lack. `npm
  // install --no-save` installs the same versions and does not change the lock file.
  const chosen = onlyToRun ? ['--omit=dev', '--omit=peer'] : ['--include=dev'];
  await npm('install', '--no-save', '--include=optional', ...chosen);
  // Nothing here compiles against Node, and its headers take 65 MB.
  rmSync(join(pinned, 'include'), { recursive: true, force: true });
  writeFileSync(stamp, wanted);
}

/** Runs an npm command quietly. If it fails, prints its output and exits with its code. */
async function npm(...args) {
  const npmCli = process.env.npm_execpath;
  const [command, first] = npmCli ? [process.execPath, [npmCli]] : ['npm', []];
  const run = spawn(command, [...first, ...args], { cwd: root, shell: !npmCli });
  let said = '';
  for (const stream of [run.stdout, run.stderr])
    stream.setEncoding('utf8').on('data', (text) => (said += text));
  const code = await new Promise((resolve) => run.on('error', () => resolve(1)).on('close', resolve));
  if (code === 0) return;
  // The warning is about the machine's own Node, which runs npm but not the gateway.
  const lines = said.split('\n').filter((line) => !line.startsWith('npm warn EBADENGINE'));
  process.stderr.write(`${cacheSentence(said) ?? lines.join('\n')}\nnpm ${args.join(' ')} failed.\n`);
  process.exit(code || 1);
}

/**
 * Advises what to do if npm's cache is not writable. npm's own advice, `sudo chown`, does not always help.
 */
function cacheSentence(said) {
  const [, path] = /^npm error path (.*)$/m.exec(said) ?? [];
  if (path === undefined || !/^npm error code (EACCES|EPERM|EROFS|ENOTDIR)$/m.test(said)) return null;
  // npm sets this variable for its scripts. Otherwise, the folder is taken from npm's error.
  const { npm_config_cache: set } = process.env;
  const folder = set ? resolve(root, set) : /^(.*)[/\\]_cacache\b/.exec(path)?.[1];
  // If the folder cannot be created, npm names it or one of its parents.
  if (folder === undefined || !(isWithin(folder, path) || isWithin(path, folder))) return null;
  return `npm cannot write to its cache folder ${folder}. Set npm_config_cache to a folder of yours and repeat the command, for example: npm_config_cache=/tmp/npm-cache npm start`;
}

const isWithin = (folder, path) => `${path}${sep}`.startsWith(`${folder}${sep}`);

/**
 * Runs the gateway with the pinned Node and exits with its code. A `node` command in the npm script would not
 * work: the shell caches the path of the machine's own Node before the pinned one is installed.
 */
function run(words) {
  const gateway = spawn(pinnedNode(), [join(__dirname, 'dist', 'main.js'), ...words], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => gateway.kill(signal));
  // A shell that is terminated does not forward the signal, so the gateway stops when its parent process is
  // gone.
  const parent = process.ppid;
  const glance = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(glance);
    gateway.kill();
  }, PARENT_GLANCE);
  gateway.on('exit', (code) => process.exit(code ?? 1));
}

/** Returns the path of the pinned Node, or of the machine's own if none exists for this platform. */
function pinnedNode() {
  const file = join(pinned, 'bin', isWindows ? 'node.exe' : 'node');
  return existsSync(file) ? file : process.execPath;
}

/** Runs the builds in parallel; they are independent. */
async function build() {
  const scripts = isToRun ? ['build:gateway'] : ['build:nodes', 'build:compiled', 'build:gateway'];
  await Promise.all(scripts.map((script) => npm('run', '--silent', script)));
}

install()
  .then(build)
  .then(() => isToRun && run(words));
