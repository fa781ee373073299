import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The tests run the compiled gateway: whatever changed since it was built is built again, before any of them. */
export default function build(): void {
  const compiler = require.resolve('typescript/bin/tsc');
  const words = ['-b', '.', 'gateway'];
  const cwd = join(__dirname, '../..');
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...words], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`What the tests run does not compile:\n${stdout}`);
}
