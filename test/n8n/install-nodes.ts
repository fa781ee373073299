import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What we read of a package.json. */
interface Manifest {
  name: string;
  version: string;
  n8n?: { nodes?: string[]; credentials?: string[] };
}

/** What n8n takes out of a community package's manifest before it installs it. */
const NOT_FOR_RUN_TIME = ['devDependencies', 'peerDependencies', 'optionalDependencies'];

/**
 * Packs the package in `packageFolder` as npm would publish it and puts it where n8n's editor puts a community
 * package: unpacked, stripped of what is not for run time, and named in the manifest of the nodes' folder.
 * What an earlier run put there is replaced. n8n loads it at its next start. Returns the package's name and version.
 * Throws when the tarball lacks a file that its `n8n` block names.
 */
export function installNodes(packageFolder: string, userFolder: string): { name: string; version: string } {
  const workshop = mkdtempSync(join(tmpdir(), 'packed-nodes-'));
  try {
    const tarball = pack(packageFolder, workshop);
    run('tar', ['-xzf', tarball, '-C', workshop], workshop);
    const unpacked = join(workshop, 'package');
    const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as Manifest;
    const missing = [...(manifest.n8n?.nodes ?? []), ...(manifest.n8n?.credentials ?? [])].filter(
      (file) => !existsSync(join(unpacked, file)),
    );
    if (missing.length > 0) {
      throw new Error(`The packed ${manifest.name} lacks ${missing.join(', ')}: run npm run build first.`);
    }
    const kept = Object.entries(manifest).filter(([key]) => !NOT_FOR_RUN_TIME.includes(key));
    writeFileSync(join(unpacked, 'package.json'), JSON.stringify(Object.fromEntries(kept), null, 2));
    place(unpacked, userFolder, manifest);
    return { name: manifest.name, version: manifest.version };
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

function place(unpacked: string, userFolder: string, { name, version }: Manifest): void {
  const folder = join(userFolder, '.n8n', 'nodes');
  const target = join(folder, 'node_modules', name);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  cpSync(unpacked, target, { recursive: true });
  const installed = { name: 'installed-nodes', private: true, dependencies: { [name]: version } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(installed, null, 2));
}

function pack(packageFolder: string, into: string): string {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', into];
  const npm = process.env.npm_execpath;
  const said = npm ? run(process.execPath, [npm, ...args], packageFolder) : run('npm', args, packageFolder);
  const [packed] = JSON.parse(said) as { filename: string }[];
  return join(into, packed.filename);
}

function run(command: string, args: string[], cwd: string): string {
  const done = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (done.status === 0) return done.stdout;
  throw new Error(`${command} ${args.join(' ')} failed:\n${done.stderr || done.error}`);
}
