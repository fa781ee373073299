import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;
let files = 0;

/** Creates a file with a secret, for commands. It is deleted when the process exits. */
export function secretFile(secret: string): string {
  folder ??= ownFolder();
  const file = join(folder, String(++files));
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return file;
}

function ownFolder(): string {
  const made = mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), 'secrets-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  return made;
}
