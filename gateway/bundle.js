/**
 * Builds what is shipped into `dist`: the program (`program.js`, which `main.js` starts) and its worker thread, each one file with the libraries that it needs.
 * Of a thousand files Node would look for each, read it and compile it: a start takes half the time so. Beside them go the
 * panel's stylesheet and script, the libraries' licences, and what the page at /docs serves of Swagger UI, so that whoever
 * installs the gateway does not install that package's other 10 MB. Tests run the same sources compiled one by one (`build`).
 *
 * Names stay as they are, so that stack traces can be read; with `node --enable-source-maps` they name the sources' lines.
 */
const { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { build } = require('esbuild');

const DIST = join(__dirname, 'dist');

/** The worker keeps its path, by which it is found at run time (`program-folder.ts`). */
const PROGRAMS = { program: 'main.ts', 'store/sqlite/worker': 'store/sqlite/worker.ts' };

/**
 * What is started. Where its folder may be written to, Node keeps there what it has compiled, and reads it at the next
 * start instead of the 3 MB of source: 40 ms less.
 */
const MAIN = `#!/usr/bin/env node
'use strict';
require('node:module').enableCompileCache?.(require('node:path').join(__dirname, 'compiled'));
require('./program.js');
`;

/** Machine code, and what `pg` asks for where somebody has installed it. */
const NOT_IN_IT = ['@node-rs/argon2', 'pg-native'];

/**
 * Parts of libraries that nothing here can reach, by who asks for them: requests go through an adapter of our own, never
 * one of axios', and have no forms; nothing speaks HTTP/2; Fastify is given no schema, and injects no request.
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

/** What /docs serves of it (`openapi/docs-page.ts`), and its licences. */
const SWAGGER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];
const SWAGGER_LICENCES = ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'];

const PANEL_ASSETS = ['panel.css', 'panel-chat.css', 'panel-phone.css', 'icon.svg', 'icon-bad.svg'];

/** What is there instead may be asked for what it makes, as Fastify does, and fails only where that is used. */
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
    onLoad({ filter: /axios[\\/]lib[\\/]utils\.js$/ }, ({ path }) => ({
      contents: withoutForms(readFileSync(path, 'utf8')),
    }));
  },
};

/** axios looks for the global FormData when it is loaded, for which Node loads its own fetch: 8 MB and a twentieth of a start. */
function withoutForms(code) {
  const look = "typeof G.FormData !== 'undefined' ? G.FormData : undefined";
  if (!code.includes(look)) throw new Error('axios does not look for FormData any more as it did');
  return code.replace(look, 'undefined');
}

async function bundle() {
  const { metafile } = await build({
    entryPoints: PROGRAMS,
    outdir: DIST,
    absWorkingDir: __dirname,
    bundle: true,
    platform: 'node',
    target: 'node24',
    // Of a library that has both, the modules: what nobody imports of them is left out.
    mainFields: ['module', 'main'],
    // Without comments: one letter that is not ASCII makes V8 hold the whole program in twice the memory.
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
  // What an earlier version has left, compiled too.
  const made = new Set(Object.keys(metafile.outputs).map((file) => join(__dirname, file)));
  for (const entry of readdirSync(DIST, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !made.has(file)) rmSync(file);
  }
  writeFileSync(join(DIST, 'main.js'), MAIN, { mode: 0o755 });
  writeFileSync(join(DIST, 'licences.txt'), licencesOf(Object.keys(metafile.inputs)));
  for (const folder of [DIST, join(__dirname, 'build')]) {
    copySwaggerUi(join(folder, 'openapi', 'swagger-ui'));
    await bundlePanelAssets(join(folder, 'panel', 'assets'));
    mergeLanguages(join(folder, 'panel', 'languages'));
  }
}

/** What the panel's pages ask for (`panel/assets.ts`): the stylesheets of their parts, the script, the icon. */
function bundlePanelAssets(to) {
  return build({
    entryPoints: [
      ...PANEL_ASSETS.map((file) => ({ in: join('panel', 'assets', file), out: file.replace(/\.\w+$/, '') })),
      { in: join('panel', 'script', 'main.ts'), out: 'panel' },
    ],
    outdir: to,
    absWorkingDir: __dirname,
    bundle: true,
    minify: true,
    // Without a function around it: a page has no other script.
    format: 'esm',
    loader: { '.svg': 'copy' },
    logLevel: 'warning',
  });
}

/** One file for each language (`panel/languages/texts.ts`). */
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

/** The licence of each package of which something is in the bundle. */
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
