import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';

const ROOT = join(__dirname, '../..');

/**
 * Import rules of the gateway: a part may import the parts in lower rows only, and never a part of its own
 * row. Code that combines several subjects belongs to an edge (api, inbound) or the command line.
 */
const ROWS = [
  ['main'],
  ['cli'],
  ['start-gateway'],
  ['gateway'],
  ['files', 'housekeeping', 'log', 'sandbox', 'server', 'shutdown'],
  ['config', 'openapi'],
  ['api', 'inbound', 'monitoring', 'panel'],
  ['alerts'],
  ['admin-tokens', 'management', 'sending', 'within-rights'],
  ['lines', 'messages', 'questions', 'templates', 'forwarding', 'media', 'users'],
  ['customers'],
  ['usage'],
  ['store', 'cloud-api'],
  ['http'],
  ['primitives', 'rights'],
  ['errors', 'export-file', 'program-folder'],
  ['wording'],
  ['process-roles', 'time'],
];

/**
 * The same rules for the panel's folders. Folders in no row are pages, one per subject; they are above all
 * rows and do not import each other.
 */
const PANEL_ROWS = [['destination'], ['alert', 'log', 'send'], ['chat'], ['ui'], ['languages']];

/** The most TypeScript files directly in a folder. */
const MOST_FILES = 16;

/** Folders that may have more files. */
const CROWDED = new Set([
  // One file per schema change; none is ever edited.
  'gateway/store/migrations',
  // One file per table.
  'gateway/store/tables',
  // One file per message type.
  'nodes/MessagingGateway/actions/message/content',
]);

/** Parts or files that alone may import a library. */
const LIBRARIES: Record<string, string[]> = {
  fastify: [
    'server',
    'openapi',
    'api',
    'inbound',
    'monitoring',
    'panel',
    'sandbox',
    'gateway',
    'start-gateway',
    'housekeeping',
    'log',
  ],
  'find-my-way': ['api'],
  'intl-messageformat': ['panel/languages'],
  preact: ['panel'],
  'preact-render-to-string': ['panel'],
  uqr: ['panel'],
  '@node-rs/argon2': ['users'],
  'csv-parse': ['usage'],
  jose: ['users'],
  'openid-client': ['users'],
  nodemailer: ['alerts'],
  kysely: ['store'],
  pg: ['store'],
  'node:sqlite': ['store'],
  ajv: ['cloud-api'],
  '@fastify/busboy': ['api', 'sandbox'],
  axios: ['http'],
  undici: ['http', 'sandbox'],
  'ipaddr.js': ['http'],
  'prom-client': ['monitoring'],
  pino: ['log', 'sandbox'],
};

interface Import {
  /** Path of a repository file from the root, without extension: `gateway/store/lines`. */
  from: string;
  /** The same, or the name of a library. */
  to: string;
}

const STATEMENT = /^(?:import|export)\s[\w\s{},*$]*?\bfrom\s+'(?<target>[^']+)'/gm;
const EXPORTED_TYPE = /^export (?:declare )?(?:abstract )?(?:type|interface|class|enum) (?<name>\w+)/gm;
const CALL = /\b(?:import|require|require\.resolve)\(\s*'(?<target>[^']+)'/g;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const from = file.replace(/\.tsx?$/, '');
  return [...text.matchAll(STATEMENT), ...text.matchAll(CALL)].map(({ groups = {} }) => {
    const { target = '' } = groups;
    const isLocal = target.startsWith('.');
    const to = isLocal ? posix.join(dirname(from), target.replace(/\.js$/, '')) : libraryOf(target);
    return { from, to };
  });
}

const libraryOf = (target: string): string =>
  target.startsWith('node:')
    ? target
    : target
        .split('/')
        .slice(0, target.startsWith('@') ? 2 : 1)
        .join('/');

/** Whether a path is a build's output. */
const isMade = (path: string): boolean => /\/(build|dist)$/.test(path);

const filesUnder = (folder: string): string[] =>
  globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT, exclude: isMade }).map((file) =>
    relative(ROOT, join(ROOT, file)).replaceAll('\\', '/'),
  );

const importsUnder = (folder: string): Import[] => filesUnder(folder).flatMap(importsOf);

/** `gateway/store/lines` → `store`; `gateway/server` → `server`. */
const partOf = (path: string): string => path.split('/')[1] ?? '';
const rowOf = (path: string): number => ROWS.findIndex((row) => row.includes(partOf(path)));
const isGateway = (path: string): boolean => path.startsWith('gateway/');
/** `gateway/panel/lines/tokens` → `lines`; empty for a file directly in the panel. */
const panelFolder = (path: string): string => /^gateway\/panel\/(\w+)\//.exec(path)?.[1] ?? '';
/** The row of a folder; -1 for a page. */
const panelRowOf = (folder: string): number => PANEL_ROWS.findIndex((row) => row.includes(folder));
const told = ({ from, to }: Import): string => `${from} imports ${to}`;

const gateway = importsUnder('gateway');

describe('the parts of the gateway', () => {
  test('are all named in the rows above', () => {
    const unnamed = gateway.map(({ from }) => partOf(from)).filter((part) => !ROWS.flat().includes(part));
    expect(new Set(unnamed)).toEqual(new Set());
    expect(gateway.length).toBeGreaterThan(200);
  });

  test('import only what is below them', () => {
    const upwards = gateway
      .filter(({ from, to }) => isGateway(to) && partOf(from) !== partOf(to))
      .filter(({ from, to }) => rowOf(to) <= rowOf(from));
    expect(upwards.map(told)).toEqual([]);
  });

  test('do not import what is none of theirs: the sandbox stands alone, and only what puts the gateway together starts it', () => {
    // It refuses what the platform documents, by the same rules and sentences as the gateway, and counts by the same days.
    const days = ['country-of-number', 'days', 'time-zones'].map((file) => `gateway/usage/${file}`);
    const shared = ['gateway/templates/rules/', 'gateway/wording/', ...days];
    const outwards = gateway.filter(
      ({ from, to }) =>
        isGateway(to) &&
        partOf(from) === 'sandbox' &&
        partOf(to) !== 'sandbox' &&
        !shared.some((part) => to.startsWith(part)),
    );
    const inwards = gateway.filter(
      ({ from, to }) =>
        partOf(from) !== 'sandbox' &&
        to.startsWith('gateway/sandbox/') &&
        !['cli', 'gateway'].includes(partOf(from)),
    );
    expect([...outwards, ...inwards].map(told)).toEqual([]);
  });

  test('load the panel only in a process that serves it: before, its types and the paths of alerts are enough', () => {
    const loaded =
      /^import (?!type\b)(?!\{(?:\s*type \w+,?)+\s*\} from)[^;]*? from '[^']*\/panel\/(?<path>[^']+)'/gm;
    const outside = filesUnder('gateway').filter((file) => !file.startsWith('gateway/panel/'));
    const valuesIn = (file: string) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(loaded)].map(({ groups = {} }) => groups.path);
    expect(outside.flatMap(valuesIn)).toEqual(['alert/alert-path']);
    expect(readFileSync(join(ROOT, 'gateway/panel/alert/alert-path.ts'), 'utf8')).not.toMatch(
      /^import (?!\{ type )/m,
    );
  });

  test('keep the rules of templates pure: they know only themselves, times, and the types of sentences', () => {
    const rules = importsUnder('gateway/templates/rules').filter(
      ({ to }) => !to.startsWith('gateway/templates/rules/'),
    );
    expect(new Set(rules.map(({ to }) => to))).toEqual(
      new Set(['gateway/time', 'gateway/wording/template-issues']),
    );
  });

  test('import within the panel only what is below them: a page imports no other page', () => {
    const upwards = gateway
      .map(({ from, to }) => ({ from, to, own: panelFolder(from), other: panelFolder(to) }))
      .filter(({ own, other }) => own !== '' && other !== '' && own !== other)
      .filter(({ own, other }) => panelRowOf(other) <= panelRowOf(own));
    expect(upwards.map(told)).toEqual([]);
    const folders = new Set(gateway.map(({ from }) => panelFolder(from)));
    expect(PANEL_ROWS.flat().filter((one) => !folders.has(one))).toEqual([]);
  });

  test('give pages only what their visitor may see: the whole store and all lines stay in the pipeline', () => {
    const whole = filesUnder('gateway/panel').filter((file) =>
      /\b(?:WholePanelDeps|WholeStore|LineRegistry|DestinationRegistry)\b/.test(
        readFileSync(join(ROOT, file), 'utf8'),
      ),
    );
    expect(whole.toSorted()).toEqual(
      ['dependencies', 'pipeline', 'replies', 'request-context'].map((name) => `gateway/panel/${name}.ts`),
    );
  });

  test('leave the settings to what puts the gateway together: everything else is given what it needs', () => {
    const readers = gateway.filter(({ to }) => to === 'gateway/config').map(({ from }) => partOf(from));
    expect(new Set(readers)).toEqual(
      new Set(['cli', 'files', 'gateway', 'housekeeping', 'log', 'start-gateway']),
    );
    const environment = globSync('gateway/**/*.ts', { cwd: ROOT, exclude: isMade })
      .filter((file) => /\bprocess\.env\b/.test(readFileSync(join(ROOT, file), 'utf8')))
      .map((file) => file.replaceAll('\\', '/'));
    // The second only sets SQLite's folder for temporary files, which SQLite reads from the environment.
    expect(environment).toEqual(['gateway/main.ts', 'gateway/store/sqlite/open.ts']);
  });

  test.each(Object.entries(LIBRARIES))('know %s only in %j', (library, places) => {
    const elsewhere = gateway
      .filter(({ to }) => to === library)
      .filter(({ from }) => !places.some((place) => `${from}/`.startsWith(`gateway/${place}/`)));
    expect(elsewhere.map(told)).toEqual([]);
  });

  test('have no circle among their files, types included', () => {
    const below = Map.groupBy(
      gateway.filter(({ to }) => isGateway(to)),
      ({ from }) => from,
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (path.includes(file) || done.has(file)) return;
      (below.get(file) ?? []).forEach(({ to }) => visit(to, [...path, file]));
      done.add(file);
    };
    [...below.keys()].forEach((file) => visit(file, []));
    expect(circles).toEqual([]);
  });

  test('export no two types of one name: a name has one meaning in the gateway', () => {
    const declared = filesUnder('gateway').flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(EXPORTED_TYPE)].map(({ groups = {} }) => ({
        name: groups.name ?? '',
        file,
      })),
    );
    const twice = [...Map.groupBy(declared, ({ name }) => name)]
      .filter(([, places]) => places.length > 1)
      .map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(', ')}`);
    expect(twice).toEqual([]);
    expect(declared.length).toBeGreaterThan(400);
  });

  test('have folders of a size that can be taken in', () => {
    const files = ['gateway', 'nodes'].flatMap(filesUnder);
    const crowded = [...Map.groupBy(files, (file) => dirname(file))]
      .filter(([folder, within]) => within.length > MOST_FILES && !CROWDED.has(folder))
      .map(([folder, within]) => `${folder}: ${within.length} files`);
    expect(crowded).toEqual([]);
  });
});

describe('the nodes and the gateway', () => {
  test('share no code, not even types', () => {
    const nodes = [...importsUnder('nodes'), ...importsUnder('credentials')];
    const towardsGateway = nodes.filter(({ to }) => isGateway(to) || to.startsWith('@messaging-gateway/'));
    const towardsNodes = gateway.filter(({ to }) => /^(nodes|credentials|n8n-)/.test(to));
    expect([...towardsGateway, ...towardsNodes].map(told)).toEqual([]);
    expect(nodes.length).toBeGreaterThan(20);
  });

  test('need nothing at run time that their package.json does not name', () => {
    const read = (file: string) =>
      JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Record<
        string,
        Record<string, string> | undefined
      >;
    const named = Object.keys(read('gateway/package.json').dependencies ?? {});
    const used = gateway.map(({ to }) => to).filter((to) => !isGateway(to) && !to.startsWith('node:'));
    expect(new Set(used)).toEqual(new Set(named));
    expect(read('package.json').dependencies).toBeUndefined();
  });
});

test('proofs and benches ask the compiled gateway only for files that there are', () => {
  const asked = globSync('test/**/*.ts', { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bshipped\(\s*'\.\/(?<path>[^']+)'/g)].map(
      ({ groups = {} }) => `gateway/${groups.path}.ts`,
    ),
  );
  expect(asked.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(asked.length).toBeGreaterThan(5);
});

test('CONTRIBUTING.md names only files and folders that there are', () => {
  const named =
    readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').match(/(?<=`)[\w/.-]+\/[\w/.-]*(?=`)/g) ?? [];
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(named.length).toBeGreaterThan(20);
});
