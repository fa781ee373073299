import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { chromium, type Browser } from 'playwright-core';

/** The compressed Chromium of an npm package, for Linux on x64. */
const PACKED = join(__dirname, '../../../node_modules/@sparticuz/chromium');

/** The last two save processes: each rendering process costs about 20 ms of processor time. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--renderer-process-limit=1',
  '--disable-site-isolation-trials',
];

/** Returns the Chromium named by `CHROMIUM`, the npm package's, or Debian's; null if there is none. */
export function chromiumPath(): string | null {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  if (process.platform === 'linux' && process.arch === 'x64') return unpacked();
  return existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : null;
}

/** Unpacks Chromium once (two seconds), atomically, so that several tests can start at once. */
function unpacked(): string {
  const { version } = JSON.parse(readFileSync(join(PACKED, 'package.json'), 'utf8')) as { version: string };
  const path = join(tmpdir(), `gateway-test-chromium-${version}`, 'chromium');
  if (existsSync(path)) return path;
  const own = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(own, brotliDecompressSync(readFileSync(join(PACKED, 'bin', 'chromium.br'))), { mode: 0o755 });
  renameSync(own, path);
  return path;
}

export async function openBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === null)
    throw new Error('There is no Chromium here. Install one, and name it in CHROMIUM.');
  return chromium.launch({ executablePath, args: ARGUMENTS });
}
