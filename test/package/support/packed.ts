import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';

export const ROOT = join(__dirname, '..', '..', '..');

/** The package as npm publishes it, unpacked where n8n would unpack it. */
export interface Packed {
  directory: string;
  /** Every file in it, with forward slashes, sorted. */
  files: string[];
  remove(): void;
}

/** What n8n takes out of a community package's manifest before it installs it. */
const NOT_FOR_RUN_TIME = ['devDependencies', 'peerDependencies', 'optionalDependencies'];

/**
 * Packs what is built in dist/ and unpacks it into node_modules/<name> of an empty folder, beside the one package
 * that n8n provides.
 */
export function pack(): Packed {
  const workshop = mkdtempSync(join(tmpdir(), 'packed-'));
  const tarball = packTo(workshop, ROOT);
  const modules = join(workshop, 'node_modules');
  const directory = join(modules, 'n8n-nodes-messaging-gateway');
  mkdirSync(directory, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', directory, '--strip-components=1']);
  symlinkSync(join(ROOT, 'node_modules', 'n8n-workflow'), join(modules, 'n8n-workflow'), 'dir');
  return {
    directory,
    files: filesIn(directory),
    remove: () => rmSync(workshop, { recursive: true, force: true }),
  };
}

/** @returns the path of the tarball of a package whose dist/ is built */
export function packTo(folder: string, source: string): string {
  const said = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], source);
  const [{ filename }] = JSON.parse(said) as Array<{ filename: string }>;
  return join(folder, filename);
}

/** @returns what it printed */
export function npm(args: string[], cwd: string): string {
  const cli = process.env.npm_execpath;
  const [command, first] = cli ? [process.execPath, [cli]] : ['npm', []];
  return execFileSync(command, [...first, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Leaves in package.json what n8n leaves there. */
export function stripAsN8nDoes(directory: string): void {
  const path = join(directory, 'package.json');
  const kept = Object.entries(JSON.parse(readFileSync(path, 'utf8')) as object).filter(
    ([key]) => !NOT_FOR_RUN_TIME.includes(key),
  );
  writeFileSync(path, JSON.stringify(Object.fromEntries(kept), null, 2));
}

export function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** The environment without jest's mark in it: n8n-core and its lint rules behave otherwise in a test. */
export function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { ...process.env, NODE_ENV: undefined, ...more };
}
