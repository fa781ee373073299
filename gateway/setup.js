/**
 * Makes a checkout ready: installs what the lock file names, then builds. With `run` and a command it then runs that
 * command of the gateway, and neither installs nor builds what only development needs. It is the first step of every npm
 * script, because `ignore-scripts` also skips npm's pre-scripts. Plain JavaScript that runs on Node 20, before anything
 * is installed.
 *
 * When nothing has changed since the last time, it takes some two seconds and no network: the installation is
 * recognised by the lock file's hash, and the compiler rebuilds only what changed.
 */
const { spawn } = require('node:child_process');
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { join, resolve, sep } = require('node:path');

/** Milliseconds. */
const PARENT_GLANCE = 500;

const root = join(__dirname, '..');
const modules = join(root, 'node_modules');
const isWindows = process.platform === 'win32';
/** Where npm puts the Node that the lock file pins. */
const pinned = join(modules, `node-${isWindows ? 'win' : process.platform}-${process.arch}`);
const stamp = join(modules, '.installed');
const BEGUN = 'begun';
/** Ends the stamp where the tools of development are not installed. */
const TO_RUN = ' to run';

const [word, ...words] = process.argv.slice(2);
const isToRun = word === 'run';

async function install() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
  // A checkout that has once been developed in keeps what that needs.
  const onlyToRun = isToRun && (installed === '' || installed.endsWith(TO_RUN));
  const wanted = onlyToRun ? lock + TO_RUN : lock;
  if (installed === wanted) return;
  const [what, time] = onlyToRun
    ? ['the Messaging Gateway needs', 'half a minute']
    : ['development needs', 'two minutes'];
  process.stderr.write(`Installing what ${what} (once, about ${time})…\n`);
  // What was broken off leaves packages half unpacked, which npm would take for whole.
  if (installed.startsWith(BEGUN)) rmSync(modules, { recursive: true });
  mkdirSync(modules, { recursive: true });
  writeFileSync(stamp, onlyToRun ? BEGUN + TO_RUN : BEGUN);
  // Not `npm ci`: it refuses a lock file that lacks other platforms' optional packages, as it does where the registry
  // does not have them all. This installs the same versions and leaves the lock file as it is.
  const chosen = onlyToRun ? ['--omit=dev', '--omit=peer'] : ['--include=dev'];
  await npm('install', '--no-save', '--include=optional', ...chosen);
  // Nobody compiles against Node here, and its headers are 65 MB.
  rmSync(join(pinned, 'include'), { recursive: true, force: true });
  writeFileSync(stamp, wanted);
}

/** Runs an npm command quietly; on failure shows what it printed and ends with its exit code. */
async function npm(...args) {
  const npmCli = process.env.npm_execpath;
  const [command, first] = npmCli ? [process.execPath, [npmCli]] : ['npm', []];
  const run = spawn(command, [...first, ...args], { cwd: root, shell: !npmCli });
  let said = '';
  for (const stream of [run.stdout, run.stderr])
    stream.setEncoding('utf8').on('data', (text) => (said += text));
  const code = await new Promise((resolve) => run.on('error', () => resolve(1)).on('close', resolve));
  if (code === 0) return;
  // Of the machine's own Node, which runs npm and not the gateway.
  const lines = said.split('\n').filter((line) => !line.startsWith('npm warn EBADENGINE'));
  process.stderr.write(`${cacheSentence(said) ?? lines.join('\n')}\nnpm ${args.join(' ')} failed.\n`);
  process.exit(code || 1);
}

/** What to do if npm's cache cannot be written to; npm itself advises `sudo chown`, also where that is no help. */
function cacheSentence(said) {
  const [, path] = /^npm error path (.*)$/m.exec(said) ?? [];
  if (path === undefined || !/^npm error code (EACCES|EPERM|EROFS|ENOTDIR)$/m.test(said)) return null;
  // npm tells its scripts the folder. Without npm, only what npm writes in it is known.
  const { npm_config_cache: set } = process.env;
  const folder = set ? resolve(root, set) : /^(.*)[/\\]_cacache\b/.exec(path)?.[1];
  // Where the folder itself cannot be made, npm names it or a folder above it.
  if (folder === undefined || !(isWithin(folder, path) || isWithin(path, folder))) return null;
  return `npm cannot write to its cache folder ${folder}. Set npm_config_cache to a folder of yours and repeat the command, for example: npm_config_cache=/tmp/npm-cache npm start`;
}

const isWithin = (folder, path) => `${path}${sep}`.startsWith(`${folder}${sep}`);

/**
 * Runs the gateway on the pinned Node and ends as it ends. Not a second `node` in the npm script: the shell has by then
 * remembered where it found the first one, which is the machine's own where nothing was installed yet.
 */
function run(words) {
  const gateway = spawn(pinnedNode(), [join(__dirname, 'dist', 'main.js'), ...words], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => gateway.kill(signal));
  // A shell that is told to end does not tell us: whoever started this is gone with it.
  const parent = process.ppid;
  const glance = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(glance);
    gateway.kill();
  }, PARENT_GLANCE);
  gateway.on('exit', (code) => process.exit(code ?? 1));
}

/** The Node that the lock file pins; on a platform for which there is none, the machine's own. */
function pinnedNode() {
  const file = join(pinned, 'bin', isWindows ? 'node.exe' : 'node');
  return existsSync(file) ? file : process.execPath;
}

/** What is built from the same sources, side by side: none needs what another makes. */
async function build() {
  const scripts = isToRun ? ['build:gateway'] : ['build:nodes', 'build:compiled', 'build:gateway'];
  await Promise.all(scripts.map((script) => npm('run', '--silent', script)));
}

install()
  .then(build)
  .then(() => isToRun && run(words));
