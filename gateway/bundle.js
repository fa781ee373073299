/**
 * Builds the shipped files into `dist`: the program (`program.js`, started by `main.js`, which is `launcher.js`) and its worker
 * thread, each as one file with its libraries. Loading one file instead of a thousand halves the start-up
 * time. Also copies the panel's stylesheet and script, the licences of libraries, and the parts of Swagger UI
 * that /docs serves, so that users need not install its other 10 MB. Tests run the same sources, compiled one
 * by one (`build`).
 * Names are not minified, so that stack traces stay readable. With `node --enable-source-maps`, they show
 * source lines.
 */
const {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { dirname, join } = require('node:path');
const { build } = require('esbuild');

const DIST = join(__dirname, 'dist');

/** The worker keeps its path, because it is located at run time (`program-folder.ts`). */
const PROGRAMS = { program: 'main.ts', 'store/sqlite/worker': 'store/sqlite/worker.ts' };

/** Native code, and an optional dependency of `pg` that users may install. */
const NOT_IN_IT = ['@node-rs/argon2', 'pg-native'];

/**
 * Parts of libraries that the gateway never uses, by importing file: requests use our own adapter instead of
 * axios' and contain no forms; nothing uses HTTP/2; Fastify gets no schemas and injects no requests.
 */
const LEFT_OUT = [
  [/axios\/lib\/adapters\/adapters\.js$/, /^\.\/(http|xhr|fetch)\.js$/],
  [/axios\/lib\//, /^form-data$/],
  [/undici\/lib\/dispatcher\/client\.js$/, /^\.\/client-h2\.js$/],
  [/undici\/lib\/dispatcher\/parser-h1\.js$/, /^\.\.\/milo\//],
  [
    /fastify\//,
    /^(light-my-request|node:http2|@fastify\/ajv-compiler|@fastify\/fast-json-stringify-compiler)$/,
  ],
];

/** Files that /docs serves (`openapi/docs-page.ts`), and their licences. */
const SWAGGER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];
const SWAGGER_LICENCES = ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'];

const PANEL_ASSETS = [
  'panel.css',
  'panel-lines.css',
  'panel-chat.css',
  'panel-templates.css',
  'panel-editor.css',
  'panel-phone.css',
  'icon.svg',
  'icon-bad.svg',
];

/** Parts of libraries that are replaced, because they make a start slower. */
const REPLACED = [
  {
    // A look for the global FormData makes Node load its fetch: 8 MB and a twentieth of the start-up time.
    file: /axios[\\/]lib[\\/]utils\.js$/,
    code: "typeof G.FormData !== 'undefined' ? G.FormData : undefined",
    instead: 'undefined',
  },
  {
    // Compiles a function for each piece of a path: a third of what it takes to register the routes.
    file: /find-my-way[\\/]lib[\\/]node\.js$/,
    code: "new Function('path', 'i', `'use strict'\\nreturn ${lines.join(' && ')}`)",
    instead: '(path, i) => path.startsWith(prefix, i)',
  },
];

/**
 * Replaces an omitted part. It can be called once, as Fastify does at start-up, and throws only when it is
 * used.
 */
const LEFT = `module.exports = () => () => { throw new Error('This part of a library is not bundled') }`;

const leaner = {
  name: 'leaner',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: join(__dirname, 'bundle-undici.js') }));
    onResolve({ filter: /./ }, ({ path, importer }) => {
      const from = importer.replaceAll('\\', '/');
      const isLeftOut = LEFT_OUT.some(([who, what]) => who.test(from) && what.test(path));
      return isLeftOut ? { path, namespace: 'left out' } : null;
    });
    onLoad({ filter: /./, namespace: 'left out' }, () => ({ contents: LEFT }));
    for (const { file, code, instead } of REPLACED)
      onLoad({ filter: file }, ({ path }) => {
        const whole = readFileSync(path, 'utf8');
        if (!whole.includes(code)) throw new Error(`${path} does not contain any more: ${code}`);
        return { contents: whole.replace(code, () => instead) };
      });
  },
};

async function bundle() {
  const { metafile } = await build({
    entryPoints: PROGRAMS,
    outdir: DIST,
    absWorkingDir: __dirname,
    bundle: true,
    platform: 'node',
    target: 'node24',
    // The launcher's script has no loader of modules.
    supported: { 'dynamic-import': false },
    // Prefers ES modules, so that unused exports are removed.
    mainFields: ['module', 'main'],
    // Removes comments, because a single non-ASCII character makes V8 store the whole program in twice the
    // memory.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    lineLimit: 120,
    sourcemap: true,
    sourcesContent: false,
    external: NOT_IN_IT,
    plugins: [leaner],
    logLevel: 'warning',
    metafile: true,
  });
  if (readFileSync(join(DIST, 'program.js')).some((byte) => byte > 0x7f))
    throw new Error(
      'The program holds a letter that is not ASCII, in a regular expression perhaps: write \\uXXXX',
    );
  // Removes files of earlier versions, including compiled ones.
  const made = new Set(Object.keys(metafile.outputs).map((file) => join(__dirname, file)));
  for (const entry of readdirSync(DIST, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !made.has(file)) rmSync(file);
  }
  copyFileSync(join(__dirname, 'launcher.js'), join(DIST, 'main.js'));
  chmodSync(join(DIST, 'main.js'), 0o755);
  writeFileSync(join(DIST, 'licences.txt'), licencesOf(Object.keys(metafile.inputs)));
  for (const folder of [DIST, join(__dirname, 'build')]) {
    copySwaggerUi(join(folder, 'openapi', 'swagger-ui'));
    await bundlePanelAssets(join(folder, 'panel', 'assets'));
    mergeLanguages(join(folder, 'panel', 'languages'));
  }
}

/** Builds the files that the panel's pages load (`panel/assets.ts`): stylesheets, script and icons. */
function bundlePanelAssets(to) {
  return build({
    entryPoints: [
      ...PANEL_ASSETS.map((file) => ({ in: join('panel', 'assets', file), out: file.replace(/\.\w+$/, '') })),
      { in: join('panel', 'script', 'main.ts'), out: 'panel' },
      { in: join('panel', 'script', 'editor', 'main.ts'), out: 'panel-editor' },
    ],
    outdir: to,
    absWorkingDir: __dirname,
    bundle: true,
    minify: true,
    // Needs no wrapping function, because a page has no other script.
    format: 'esm',
    loader: { '.svg': 'copy' },
    logLevel: 'warning',
  });
}

/** Merges the texts into one file per language (`panel/languages/texts.ts`). */
function mergeLanguages(to) {
  const from = join(__dirname, 'panel', 'languages');
  mkdirSync(to, { recursive: true });
  for (const { name } of readdirSync(from, { withFileTypes: true }).filter((one) => one.isDirectory())) {
    const files = readdirSync(join(from, name)).map((file) => readFileSync(join(from, name, file), 'utf8'));
    writeFileSync(
      join(to, `${name}.json`),
      JSON.stringify(Object.assign({}, ...files.map((file) => JSON.parse(file)))),
    );
  }
}

function copySwaggerUi(to) {
  const from = dirname(require.resolve('swagger-ui-dist/package.json'));
  mkdirSync(to, { recursive: true });
  for (const file of [...SWAGGER_FILES, ...SWAGGER_LICENCES]) copyFileSync(join(from, file), join(to, file));
}

/** Returns the licence of every package in the bundle. */
function licencesOf(files) {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)]
    .map((folder) => join(__dirname, folder))
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
      return [
        `${name} ${version} (${license})`,
        ...texts.map((file) => readFileSync(join(folder, file), 'utf8').trim()),
      ].join('\n\n');
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`);
}

void bundle();
