import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package that runs with the gateway, or of which files are in it. */
export interface RunTimePackage {
  name: string;
  version: string;
  /** As the package calls it, in SPDX's words. */
  licence: string;
  /** Whether it would run something while it is installed. */
  hasScript: boolean;
}

interface Locked {
  version?: string;
  license?: string;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** What the build copies files of into the gateway (`gateway/bundle.js`). */
const COPIED = ['swagger-ui-dist'];

/** All that `gateway/package.json` needs at run time, directly or through others, and what it carries, as the lock file has it. */
export function runTimePackages(): RunTimePackage[] {
  const read = readFileSync(join(__dirname, '../package-lock.json'), 'utf8');
  const { packages } = JSON.parse(read) as { packages: Record<string, Locked> };
  const found = new Map<string, Locked>();
  const waiting = [['gateway', packages.gateway]] as [string, Locked | undefined][];
  for (const [place, { dependencies = {}, optionalDependencies = {} } = {}] of waiting)
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const path = placeOf(packages, place, name);
      const locked = path === null ? undefined : packages[path];
      if (path === null || !locked || found.has(path)) continue;
      found.set(path, locked);
      waiting.push([path, locked]);
    }
  for (const name of COPIED) found.set(`node_modules/${name}`, packages[`node_modules/${name}`] ?? {});
  return [...found]
    .map(([path, { version = '', license = '', hasInstallScript = false }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      licence: license,
      hasScript: hasInstallScript,
    }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

/** Where a package finds another: in its own folder, or in one around it. */
function placeOf(packages: Record<string, Locked>, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = `${folder ? `${folder}/` : ''}node_modules/${name}`;
    if (packages[path]) return path;
    if (!folder) return null;
  }
}

/**
 * The same as a bill of materials in CycloneDX's form. Not npm's own: `npm sbom --omit dev` leaves out what tests need as
 * well, such as `pg`.
 */
export function billOfMaterials(): object {
  const { name, version } = JSON.parse(readFileSync(join(__dirname, '../gateway/package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  const identified = (of: { name: string; version: string }) => {
    const purl = `pkg:npm/${of.name.replace('@', '%40')}@${of.version}`;
    return { 'bom-ref': purl, name: of.name, version: of.version, purl };
  };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', ...identified({ name, version }) } },
    // One that lies in two places is one component.
    components: [...new Map(runTimePackages().map((one) => [identified(one).purl, one])).values()].map(
      (one) => ({
        type: 'library',
        ...identified(one),
        licenses: [{ expression: one.licence }],
      }),
    ),
  };
}

if (require.main === module)
  process.stdout.write(
    process.argv.includes('--cyclonedx')
      ? `${JSON.stringify(billOfMaterials(), null, 2)}\n`
      : runTimePackages()
          .map(({ name, version, licence }) => `${name}\t${version}\t${licence}\n`)
          .join(''),
  );
