import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

import { environment, pack, ROOT, type Packed } from './support/packed';

interface Verdict {
  passed: boolean;
  message?: string;
  details?: string;
}

/** n8n's own scanner, in a process of its own because it is an ES module. */
function scan(directory: string, patterns: string): Verdict {
  const program = `
    import { analyzePackage, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';
    const [directory, patterns] = process.argv.slice(1);
    const given = patterns === 'SOURCE' ? SOURCE_FILE_PATTERNS : JSON.parse(patterns);
    process.stdout.write(JSON.stringify(await analyzePackage(directory, given)));
  `;
  const args = ['--input-type=module', '--eval', program, directory, patterns];
  const options = { cwd: ROOT, encoding: 'utf8', env: environment() } as const;
  return JSON.parse(execFileSync(process.execPath, args, options)) as Verdict;
}

/** What the scanner reads of a published package. */
const TARBALL = JSON.stringify(['**/*.js', 'package.json']);

let packed: Packed;
beforeAll(() => {
  packed = pack();
});
afterAll(() => packed.remove());

test('n8n accepts the sources', () => {
  expect(scan(ROOT, 'SOURCE')).toEqual({ passed: true });
});

test('n8n accepts the packed package', () => {
  expect(scan(packed.directory, TARBALL)).toEqual({ passed: true });
});

test('n8n would find what it forbids, whatever a comment says', () => {
  const file = join(packed.directory, 'dist/nodes/MessagingGateway/transport.js');
  appendFileSync(file, "\n/* eslint-disable */\nconsole.log(process.env, require('fs'));\n");
  const { passed, details } = scan(packed.directory, TARBALL);
  expect(passed).toBe(false);
  expect(details).toContain('no-console');
  expect(details).toContain('no-restricted-globals');
  expect(details).toContain('no-restricted-imports');
});
