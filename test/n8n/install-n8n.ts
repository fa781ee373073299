import { spawn, spawnSync } from 'node:child_process';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { NEWEST_N8N, releaseOf } from './n8n-versions';
import { withLock } from './install-lock';

/** An n8n on disk, ready to start. */
export interface InstalledN8n {
  version: string;
  directory: string;
  /** The Node that runs it; its native modules were built or chosen for this one. */
  nodeBinary: string;
  /** n8n's own program, to be run by `nodeBinary`. */
  bin: string;
}

/** A line for the person who waits. */
export type Tell = (line: string) => void;

const tellOnStderr: Tell = (line) => process.stderr.write(`${line}\n`);

/** The only packages whose install scripts run. Their binaries are what ties the installation to a Node. */
const NATIVE_MODULES = ['sqlite3', 'isolated-vm'];

const STAMP = 'installed.json';

/**
 * Where n8n is kept: outside the repository, so that it outlives a clone and is shared by all of them.
 * `MESSAGING_GATEWAY_CACHE` names another folder.
 */
export function cacheFolder(): string {
  const { MESSAGING_GATEWAY_CACHE, XDG_CACHE_HOME } = process.env;
  return MESSAGING_GATEWAY_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'messaging-gateway');
}

/**
 * Gives that n8n, installing it first if it is not there: a few minutes and 2 GB, once. It is built aside, tried, and
 * only then put in its place with a stamp, so that a broken-off installation is never taken for a whole one; of
 * two runs at the same time one installs and the other waits. It is installed anew when the pinned Node moves to
 * another binary interface.
 * Throws when the version is unknown, when this is not Node 24 or later, and when the installation fails: then the
 * message names the log.
 */
export async function installN8n(version = NEWEST_N8N, tell = tellOnStderr): Promise<InstalledN8n> {
  const release = releaseOf(version);
  if (Number(process.versions.node.split('.')[0]) < 24) {
    throw new Error(
      `n8n needs Node 24; this is ${process.version}. Run it through npm: npm run n8n, npm run test:n8n.`,
    );
  }
  const cache = cacheFolder();
  const directory = join(cache, `n8n-${version}`);
  const installed: InstalledN8n = {
    version,
    directory,
    nodeBinary: process.execPath,
    bin: join(directory, 'node_modules', 'n8n', 'bin', 'n8n'),
  };
  const stamp = JSON.stringify({
    version,
    nodeModulesAbi: process.versions.modules,
    overrides: release.overrides,
  });
  if (isStamped(directory, stamp)) return installed;

  mkdirSync(cache, { recursive: true });
  const waiting = (): void => tell(`Waiting for another run that is installing n8n ${version}…`);
  await withLock(join(cache, `n8n-${version}.lock`), waiting, async () => {
    if (isStamped(directory, stamp)) return;
    const started = Date.now();
    tell(`Installing n8n ${version} into ${directory} once (2 to 6 minutes, 2 GB)…`);
    const [pnpm, headers] = [installPnpm(cache), installHeaders(cache)];
    const workshop = join(cache, `installing-n8n-${version}`);
    rmSync(workshop, { recursive: true, force: true });
    mkdirSync(workshop);
    writeProject(workshop, version, release.overrides);
    await runPnpm({ pnpm, headers, folder: workshop, logFile: join(cache, `n8n-${version}.log`) }, tell);
    tryOut(workshop, version);
    writeFileSync(join(workshop, STAMP), stamp);
    rmSync(directory, { recursive: true, force: true });
    renameSync(workshop, directory);
    tell(`n8n ${version} is installed (${Math.round((Date.now() - started) / 1000)} s).`);
  });
  return installed;
}

function isStamped(directory: string, stamp: string): boolean {
  const file = join(directory, STAMP);
  return existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

/** The project that pnpm installs: n8n alone, with the overrides of that release. */
function writeProject(folder: string, version: string, overrides: Record<string, string>): void {
  const manifest = {
    name: `n8n-${version}`,
    private: true,
    dependencies: { n8n: version },
    pnpm: { overrides, onlyBuiltDependencies: NATIVE_MODULES },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  writeFileSync(join(folder, '.npmrc'), 'auto-install-peers=true\nstrict-peer-dependencies=false\n');
}

/** pnpm's own program, installed into the cache by npm. npm itself needs half an hour to resolve n8n's tree. */
function installPnpm(cache: string): string {
  const folder = join(cache, 'pnpm');
  const program = join(folder, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');
  if (!existsSync(program)) npmInstall(cache, folder, 'pnpm@10');
  return program;
}

/**
 * The home of this Node with its headers, for the modules that are compiled. A checkout is installed without them, so
 * they come from the package that this Node came from.
 */
function installHeaders(cache: string): string {
  const home = dirname(dirname(process.execPath));
  if (existsSync(join(home, 'include', 'node', 'node.h'))) return home;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = join(cache, `headers-${process.version}`);
  const withHeaders = join(folder, 'node_modules', name);
  if (!existsSync(join(withHeaders, 'include', 'node', 'node.h')))
    npmInstall(cache, folder, `${name}@${process.versions.node}`);
  return withHeaders;
}

function npmInstall(cache: string, folder: string, wanted: string): void {
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', wanted];
  mkdirSync(folder, { recursive: true });
  const npm = process.env.npm_execpath;
  const options = { cwd: folder, env: installEnvironment(cache), encoding: 'utf8' } as const;
  const run = npm ? spawnSync(process.execPath, [npm, ...args], options) : spawnSync('npm', args, options);
  if (run.status === 0) return;
  throw new Error(
    `npm could not install ${wanted}, which n8n is installed with:\n${run.stdout ?? ''}${run.stderr ?? run.error}`,
  );
}

/**
 * The caller's environment (registry, proxy and certificates may stand in it) without what `npm run` adds about
 * this repository; the pinned Node first on the path.
 */
function installEnvironment(cache: string): NodeJS.ProcessEnv {
  const ofThisRun =
    /^npm_(package_|lifecycle_|command|config_(local_prefix|prefix|ignore_scripts|workspace))/;
  const callers = Object.entries(process.env).filter(([key]) => !ofThisRun.test(key));
  return {
    ...Object.fromEntries(callers),
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
    npm_config_ignore_scripts: 'false', // for the two native modules; pnpm runs no other package's scripts
    npm_config_store_dir: join(cache, 'pnpm-store'),
    npm_config_cache_dir: join(cache, 'pnpm-cache'),
  };
}

/** Runs `pnpm install`, its words to the log, a line on how far it is every 15 seconds. */
async function runPnpm(
  { pnpm, headers, folder, logFile }: { pnpm: string; headers: string; folder: string; logFile: string },
  tell: Tell,
): Promise<void> {
  const log = createWriteStream(logFile);
  const args = [pnpm, 'install', '--ignore-workspace', '--reporter=append-only'];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...installEnvironment(dirname(folder)), npm_config_nodedir: headers },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let tellAfter = Date.now() + 15_000;
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      log.write(`${line}\n`);
      last.push(line);
      if (last.length > 20) last.shift();
      const news = howFar(line);
      if (!news || Date.now() < tellAfter) return;
      tellAfter = Date.now() + 15_000;
      tell(`  … ${news}`);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  await new Promise((resolve) => log.end(resolve));
  if (code === 0) return;
  const compiler = last.some((line) => /gyp|sqlite3/.test(line))
    ? '\nCompiling sqlite3 needs Python 3, make and a C++ compiler (Debian: apt-get install python3 build-essential).'
    : '';
  throw new Error(`pnpm could not install n8n; all it said is in ${logFile}.\n${last.join('\n')}${compiler}`);
}

/** What a line of pnpm's says about its progress, in words; undefined when it says nothing about that. */
function howFar(line: string): string | undefined {
  const progress = /^Progress: resolved (\d+), reused (\d+), downloaded (\d+), added (\d+)/.exec(line);
  if (progress) {
    const [, resolved, reused, downloaded, added] = progress.map(Number);
    return `${resolved} packages found, ${reused + downloaded} fetched, ${added} in place`;
  }
  const module = NATIVE_MODULES.find((name) => line.includes(`node_modules/${name} `));
  return module && `building ${module}`;
}

/** Throws unless the installed n8n says its version and its native modules load in this Node. */
function tryOut(folder: string, version: string): void {
  const n8n = realpathSync(join(folder, 'node_modules', 'n8n'));
  const said = runNode([join(n8n, 'bin', 'n8n'), '--version']);
  if (said !== version) throw new Error(`The installed n8n calls itself ${said}, not ${version}.`);
  const manifest = JSON.parse(readFileSync(join(n8n, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const itsOwn = NATIVE_MODULES.filter((name) => name in manifest.dependencies);
  const requireFrom = `require('node:module').createRequire(${JSON.stringify(join(n8n, 'package.json'))})`;
  for (const name of itsOwn) runNode(['-e', `${requireFrom}('${name}')`]);
}

function runNode(args: string[]): string {
  const run = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (run.status === 0) return run.stdout.trim();
  throw new Error(`The installed n8n does not work: ${run.stderr || run.error}`);
}
