import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OPERATIONS } from '../../gateway/api/operations';
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

test.each(OPERATIONS)('docs/api.md names the operation $method $path', ({ method, path }) => {
  const asked = `/v22.0${withoutNames(path)}`;
  const told = withoutNames(textOf('docs/api.md'))
    .split('\n')
    .filter((line) => [`${asked}\``, `${asked}?`].some((end) => line.includes(end)));
  expect(told).toContainEqual(expect.stringContaining(`\`${method.toUpperCase()}`));
});

test('the page of the schema is what the source says', () => {
  expect(readFileSync(SCHEMA_PAGE, 'utf8')).toBe(schemaPage());
});

test('the README has at most 180 lines', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(181);
});
