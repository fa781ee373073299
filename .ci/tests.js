/**
 * Runs the tests with the command given, and every test file that fails once more, alone. A file that passes alone counts
 * as passed and is listed, because a busy machine is not a defect; more than three such files fail the run.
 * Prints "N passed, N failed" as its last line.
 */
const { spawnSync } = require('node:child_process');
const { existsSync, mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, relative } = require('node:path');

const MOST_ALONE = 3;

const [command, ...words] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'ci-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** The exit code, and jest's results by file; null if jest wrote none. */
function run(...more) {
  const outputFile = join(folder, 'results.json');
  rmSync(outputFile, { force: true });
  const { status } = spawnSync(command, [...words, '--json', `--outputFile=${outputFile}`, ...more], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return {
    code: status ?? 1,
    files: existsSync(outputFile) ? JSON.parse(readFileSync(outputFile, 'utf8')).testResults : null,
  };
}

const count = (file, status) => file.assertionResults.filter((test) => test.status === status).length;
/** A file that fails without a failed test, such as one that does not load, counts as one failure. */
const failures = (file) => (file.status === 'failed' ? Math.max(1, count(file, 'failed')) : 0);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

const first = run();
const failed = (first.files ?? []).filter((file) => file.status === 'failed');
const onlyAlone = [];
const files = (first.files ?? []).map((file) => {
  if (!failed.includes(file)) return file;
  const name = relative(process.cwd(), file.name);
  console.log(`\nOnce more, alone: ${name}`);
  const again = run('--runTestsByPath', name);
  const result = again.files?.find(({ name }) => name === file.name);
  if (again.code !== 0 || result?.status !== 'passed') return file;
  onlyAlone.push(name);
  return result;
});

// The tests explain exit code 1. Any other code comes from the checks, or from a crash.
const isUnexplained = first.files === null || first.code > 1 || (first.code === 1 && failed.length === 0);
if (isUnexplained) console.log(`\nThe command ended with code ${first.code}, which no failed test explains.`);
if (onlyAlone.length > 0) console.log(['\nPassed only alone:', ...onlyAlone].join('\n  '));
const areTooMany = onlyAlone.length > MOST_ALONE;
if (areTooMany) console.log(`More than ${MOST_ALONE} files passed only alone.`);

const passed = sum(files.map((file) => count(file, 'passed')));
const failedCount = sum(files.map(failures)) + (isUnexplained ? 1 : 0) + (areTooMany ? 1 : 0);
console.log(`${passed} passed, ${failedCount} failed`);
process.exitCode = failedCount > 0 || passed === 0 ? 1 : 0;
