import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startPeer } from '../support/http-peer';
import { environment, ROOT } from './support/packed';

/** What has to be there to install from. */
const FILES = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'gateway/setup.js',
  'gateway/package.json',
  'gateway/toolchain/package.json',
  'test/generated-client/package.json',
];

const folder = mkdtempSync(join(tmpdir(), 'setup-'));
const file = join(folder, 'no-folder');
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['written to', join(file, 'cache')],
  ['made', '/sys/npm-cache'],
  ['made, nor the folder above it', '/sys/npm/cache'],
])('a cache that cannot be %s is told in a sentence that says what to set', async (_, cache) => {
  for (const name of FILES) cpSync(join(ROOT, name), join(folder, name));
  writeFileSync(file, '');
  const registry = await startPeer();
  const setup = spawn(process.execPath, ['gateway/setup.js', 'run', 'help'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environment({ npm_config_cache: cache, npm_config_registry: registry.url }),
  });
  const [said, [status]] = await Promise.all([text(setup.stderr), once(setup, 'close')]);
  await registry.close();
  expect(status).not.toBe(0);
  expect(said).toContain(
    `npm cannot write to its cache folder ${cache}. Set npm_config_cache to a folder of yours`,
  );
  expect(said).not.toContain('EBADENGINE');
});
