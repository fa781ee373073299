/**
 * Runs the tests with the given command, and runs each failing test file again alone. A file that then passes
 * counts as passed and is listed, because a busy machine is not a defect. More than three such files fail the
 * run. The last line of output is "N passed, N failed".
 */
const { spawnSync } = require('node:child_process');
const { existsSync, mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, relative } = require('node:path');

const MOST_ALONE = 3;

const [command, ...words] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'ci-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Returns the exit code, and jest's results by file; null if jest wrote none. */
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
/**
 * Counts failures of a file. A file that fails without a failed test, for example on loading, counts as one.
 */
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

// Failed tests explain exit code 1. Any other code is from the checks or a crash.
const isUnexplained = first.files === null || first.code > 1 || (first.code === 1 && failed.length === 0);
if (isUnexplained) console.log(`\nThe command ended with code ${first.code}, which no failed test explains.`);
if (onlyAlone.length > 0) console.log(['\nPassed only alone:', ...onlyAlone].join('\n  '));
const areTooMany = onlyAlone.length > MOST_ALONE;
if (areTooMany) console.log(`More than ${MOST_ALONE} files passed only alone.`);

const passed = sum(files.map((file) => count(file, 'passed')));
const failedCount = sum(files.map(failures)) + (isUnexplained ? 1 : 0) + (areTooMany ? 1 : 0);
console.log(`${passed} passed, ${failedCount} failed`);
process.exitCode = failedCount > 0 || passed === 0 ? 1 : 0;
