import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './support/packed';

const folder = mkdtempSync(join(tmpdir(), 'ci-tests-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PASSES = `it('holds', () => {});`;
const FAILS = `it('fails', () => { throw new Error('broken'); });`;
/** Fails in its first run, as a test does that a busy machine starves, and passes in its second. */
const failsOnce = (name: string) => `
  const { existsSync, writeFileSync } = require('node:fs');
  const ran = ${JSON.stringify(join(folder, `${name}.ran`))};
  it('fails once', () => {
    if (existsSync(ran)) return;
    writeFileSync(ran, '');
    throw new Error('starved');
  });`;

/**
 * What CI prints at the end for a project of these test files, and its exit code.
 * @param ending what the command does after its tests
 */
function ci(name: string, files: Record<string, string>, ending = '') {
  const project = mkdtempSync(join(folder, name));
  for (const [file, source] of Object.entries({ 'jest.config.js': '', ...files }))
    writeFileSync(join(project, file), source);
  const command = join(project, 'command.sh');
  writeFileSync(command, `${process.execPath} ${require.resolve('jest/bin/jest')} "$@" 2>&1\n${ending}`);
  const { stdout, status } = spawnSync(process.execPath, [join(ROOT, '.ci/tests.js'), 'sh', command], {
    cwd: project,
    encoding: 'utf8',
  });
  return { printed: stdout, last: stdout.trimEnd().split('\n').at(-1), status };
}

test('passes where every test passes, and fails where one always fails', () => {
  expect(ci('passing', { 'a.test.js': PASSES })).toMatchObject({ last: '1 passed, 0 failed', status: 0 });
  const failing = ci('failing', { 'a.test.js': PASSES, 'b.test.js': FAILS });
  expect(failing).toMatchObject({ last: '1 passed, 1 failed', status: 1 });
  expect(failing.printed).not.toContain('Passed only alone');
});

test('runs a failed file once more, alone, and lists it where it then passes', () => {
  const { printed, last, status } = ci('alone', { 'a.test.js': PASSES, 'b.test.js': failsOnce('b') });
  expect({ last, status }).toEqual({ last: '2 passed, 0 failed', status: 0 });
  expect(printed).toContain('Once more, alone: b.test.js');
  expect(printed).toContain('Passed only alone:\n  b.test.js\n');
});

test('fails where more than three files pass only alone', () => {
  const names = ['p', 'q', 'r', 's'];
  const { printed, last, status } = ci(
    'many',
    Object.fromEntries(names.map((name) => [`${name}.test.js`, failsOnce(name)])),
  );
  expect({ last, status }).toEqual({ last: '4 passed, 1 failed', status: 1 });
  expect(printed).toContain('More than 3 files passed only alone.');
});

test('fails where the checks beside the tests fail, whatever the tests do', () => {
  const files = { 'a.test.js': PASSES, 'b.test.js': failsOnce('beside') };
  const { printed, last, status } = ci('checks', files, 'exit 2');
  expect({ last, status }).toEqual({ last: '1 passed, 2 failed', status: 1 });
  expect(printed).toContain('code 2, which no failed test explains');
});

test('fails where a file does not load, and where no test ran', () => {
  expect(ci('loading', { 'a.test.js': PASSES, 'b.test.js': 'syntax error' })).toMatchObject({
    last: '1 passed, 1 failed',
    status: 1,
  });
  expect(ci('empty', {})).toMatchObject({ status: 1 });
});
