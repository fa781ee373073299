/**
 * `npm test`: checks format, rules and types, then runs every test but those in a real n8n (`npm run test:n8n`).
 * `npm test -- test/gateway/store` and `npm test -- -t PostgreSQL` run the tests that are named, without the checks.
 * Other options go to jest, each as one word: `--json`, `--outputFile=results.json`.
 */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';

const words = process.argv.slice(2);
const isPart = words.some((word) => !word.startsWith('--'));
const jest = [require.resolve('jest/bin/jest'), ...words, '--ignoreProjects', 'n8n'];

if (!isPart) endIfFailed(spawnSync('npm run --silent check', { shell: true, stdio: 'inherit' }));
endIfFailed(spawnSync(process.execPath, jest, { stdio: 'inherit' }));

function endIfFailed({ status }: SpawnSyncReturns<Buffer>): void {
  if (status !== 0) process.exit(status ?? 1);
}
