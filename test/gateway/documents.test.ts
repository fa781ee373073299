import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CONDITION_KINDS } from '../../gateway/alerts/kinds';
import { OPERATIONS } from '../../gateway/api/operations';
import { ADMIN_OPERATIONS } from '../../gateway/api/v1/operations';
import { COMMANDS } from '../../gateway/cli/commands';
import { SCHEMA_PAGE, schemaPage } from '../support/schema-page';

const ROOT = join(__dirname, '../..');
const DOCUMENTS = [...globSync('*.md', { cwd: ROOT }), ...globSync('docs/**/*.md', { cwd: ROOT })];
const textOf = (document: string): string => readFileSync(join(ROOT, document), 'utf8');

/** `## A gateway: set up` → `a-gateway-set-up`, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
const anchorsIn = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

test.each(DOCUMENTS)('every link in %s leads to a file or a heading that is there', (document) => {
  for (const [, target = ''] of textOf(document).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? document : join(dirname(document), path);
    expect([target, existsSync(join(ROOT, file))]).toEqual([target, true]);
    if (anchor !== undefined)
      expect([target, anchorsIn(textOf(file))]).toEqual([target, expect.arrayContaining([anchor])]);
  }
});

/** From the root or from `gateway/`; of a test its last words may be left out. */
const isThere = (file: string): boolean =>
  ['', 'gateway'].some((folder) =>
    ['', '.ts', '.test.ts'].some((end) => existsSync(join(ROOT, folder, file + end))),
  );

test.each(DOCUMENTS)('every npm script, program and file that %s names is there', (document) => {
  const text = textOf(document);
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const [, script] of text.matchAll(/npm run (?:--silent )?([\w:-]+)/g))
    expect(Object.keys(scripts)).toContain(script);
  for (const [, file = ''] of text.matchAll(
    /`((?:gateway|nodes|credentials|test|docs)\/[\w./-]+|[\w./-]+\/[\w.-]+\.tsx?)`/g,
  ))
    expect([file, isThere(file)]).toEqual([file, true]);
  for (const [, file = ''] of text.matchAll(/npx tsx ([\w./-]+)/g))
    expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
});

test.each(DOCUMENTS)('every command of the gateway that %s names is one', (document) => {
  const written = textOf(document).matchAll(
    /(?:npm run (?:--silent )?gateway --|messaging-gateway) ([a-z][a-z -]*)/g,
  );
  for (const [, words = ''] of written) expect([words, isCommand(words)]).toEqual([words, true]);
});

/** Its first words are those of a command; more may follow. */
const isCommand = (words: string): boolean =>
  [...COMMANDS.map(({ name }) => name), 'help'].some((name) => `${words} `.startsWith(`${name} `));

/** `{media_id}` and `{media id}` are the same. */
const withoutNames = (text: string): string => text.replaceAll(/\{[\w ]+\}/g, '{}');

test.each([
  ...OPERATIONS.map(({ method, path }) => ({ method, path: `/v22.0${path}`, document: 'docs/api.md' })),
  ...ADMIN_OPERATIONS.map(({ method, path }) => ({
    method,
    path: `/v1${path}`,
    document: 'docs/management-api.md',
  })),
])('$document names the operation $method $path', ({ method, path, document }) => {
  const asked = withoutNames(path);
  const told = withoutNames(textOf(document))
    .split('\n')
    .filter((line) => [`${asked}\``, `${asked}?`].some((end) => line.includes(end)));
  expect(told).toContainEqual(expect.stringContaining(`\`${method.toUpperCase()}`));
});

test('the page of the schema is what the source says', () => {
  expect(readFileSync(SCHEMA_PAGE, 'utf8')).toBe(schemaPage());
});

const codeSpansIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** What the gateway and the nodes say, in the words of their sources. */
const SOURCES = globSync(['gateway/**/*.{ts,js}', 'nodes/**/*.ts'], {
  cwd: ROOT,
  exclude: (path) => /(^|\/)(node_modules|dist|build)$/.test(path),
})
  .map((file) => textOf(file))
  .join('\n');

test('every error text of the troubleshooting page is one that the program says', () => {
  const rows = textOf('docs/troubleshooting.md').matchAll(/^\| (`.*?) +\|/gm);
  const texts = [...rows].flatMap(([, cell = '']) => codeSpansIn(cell));
  expect(texts.length).toBeGreaterThan(20);
  for (const text of texts)
    for (const part of text
      .split('…')
      .map((one) => one.trim())
      .filter((one) => one.length > 2))
      expect([text, SOURCES.includes(part)]).toEqual([text, true]);
});

test('every kind of alert has its row', () => {
  const text = textOf('docs/alerts.md');
  expect(CONDITION_KINDS.filter((kind) => !new RegExp(`^\\|.*\`${kind}\`.*\\|`, 'm').test(text))).toEqual([]);
});

test('every document can be found from the index, and the alerts from the README', () => {
  const index = textOf('docs/README.md');
  for (const name of globSync('*.md', { cwd: join(ROOT, 'docs') }))
    if (name !== 'README.md') expect([name, index]).toEqual([name, expect.stringContaining(`](${name}`)]);
  expect(textOf('README.md')).toContain('(docs/alerts.md)');
});

test('commands are written in one way, which is explained once', () => {
  for (const name of globSync('docs/**/*.md', { cwd: ROOT }))
    if (name !== 'docs/operations.md')
      expect([name, textOf(name)]).not.toEqual([
        name,
        expect.stringMatching(/npm run (--silent )?gateway --/),
      ]);
});

test.each(DOCUMENTS)('every inline code of %s can be copied whole: none breaks over lines', (document) => {
  const lines = textOf(document)
    .replaceAll(/^ *```[^]*?^ *```/gm, '')
    .split('\n');
  expect(lines.filter((line) => line.split('`').length % 2 === 0)).toEqual([]);
});

test('what a document says to install is of this version, and made from the checkout', () => {
  const { version } = JSON.parse(textOf('package.json'));
  for (const document of [...DOCUMENTS, ...globSync('gateway/deploy/*', { cwd: ROOT })]) {
    const packages = textOf(document).matchAll(/messaging-gateway-(\d[\d.]*\d)\.tgz/g);
    for (const [, named] of packages) expect([document, named]).toEqual([document, version]);
    expect([document, textOf(document)]).not.toEqual([
      document,
      expect.stringMatching(/npm install .*messaging-gateway(@latest)?$/m),
    ]);
  }
});

test('the README has at most 180 lines', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(181);
});
