import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { chromium, type Browser } from 'playwright-core';

/** Chromium as npm installs it, compressed: for Linux on x64. */
const PACKED = join(__dirname, '../../../node_modules/@sparticuz/chromium');

/** The last two: each process that renders costs some 20 ms of a processor, and one page after the other shares it. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--renderer-process-limit=1',
  '--disable-site-isolation-trials',
];

/** The one that `CHROMIUM` names, or npm's, or Debian's; null where there is none. */
export function chromiumPath(): string | null {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  if (process.platform === 'linux' && process.arch === 'x64') return unpacked();
  return existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : null;
}

/** Unpacked once (two seconds). It is there whole or not at all, however many tests begin at once. */
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
