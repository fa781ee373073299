/**
 * `npm test`: checks format, rules and types, and runs every test but those in a real n8n (`npm run test:n8n`), which
 * `--with-n8n` adds. `npm test -- test/gateway/store` and `npm test -- -t PostgreSQL` run the tests that are named, without
 * the checks. Other options go to jest, each as one word: `--json`, `--outputFile=results.json`.
 */
import { spawn, type ChildProcess } from 'node:child_process';

const WITH_N8N = '--with-n8n';
/** Not jest's 1, so that failed tests do not hide failed checks. */
const CHECKS_FAILED = 2;

async function main(words: string[]): Promise<void> {
  const isPart = words.some((word) => !word.startsWith('--'));
  const options = words.includes(WITH_N8N)
    ? words.filter((word) => word !== WITH_N8N)
    : [...words, '--ignoreProjects', 'n8n'];
  // Beside the tests, which leave some of the processors; what they find is told when those are over.
  const checks = isPart ? null : spawn('npm run --silent check 2>&1', { shell: true });
  const found = checks && textOf(checks);
  const jest = [require.resolve('jest/bin/jest'), ...options];
  const code = await codeOf(spawn(process.execPath, jest, { stdio: 'inherit' }));
  const checksCode = checks && (await codeOf(checks));
  process.stdout.write(found?.() ?? '');
  process.exitCode = checksCode ? CHECKS_FAILED : code;
}

/** What it has printed by now. */
function textOf({ stdout }: ChildProcess): () => string {
  let text = '';
  stdout?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return () => text;
}

const codeOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => {
    if (child.exitCode !== null) resolve(child.exitCode);
    else child.once('close', (code) => resolve(code ?? 1));
  });

void main(process.argv.slice(2));
