import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, ROOT } from './support/packed';

/** What has to be there to install from. */
const FILES = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'gateway/setup.js',
  'gateway/package.json',
  'gateway/toolchain/package.json',
];

test('a cache that npm cannot write to is told in a sentence that says what to set', () => {
  const folder = mkdtempSync(join(tmpdir(), 'setup-'));
  for (const file of FILES) cpSync(join(ROOT, file), join(folder, file));
  const file = join(folder, 'no-folder');
  writeFileSync(file, '');
  const cache = join(file, 'cache');
  const { status, stderr } = spawnSync(process.execPath, ['gateway/setup.js', 'run', 'help'], {
    cwd: folder,
    encoding: 'utf8',
    env: environment({ npm_config_cache: cache }),
  });
  rmSync(folder, { recursive: true });
  expect(status).not.toBe(0);
  expect(stderr).toContain(
    `npm cannot write to its cache folder ${cache}. Set npm_config_cache to a folder of yours`,
  );
  expect(stderr).not.toContain('EBADENGINE');
});
