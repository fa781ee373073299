import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from './postgres';

/** A folder of its own for one test. It goes with its test file's (`own-folder.ts`). */
export const temporaryFolder = (): string =>
  mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), 'gateway-test-'));

/** Both databases, for `describe.each(DATABASES)`: each call gives the address of an empty one. */
export const DATABASES = [
  { name: 'SQLite', createUrl: async () => `sqlite:${join(temporaryFolder(), 'gateway.db')}` },
  { name: 'PostgreSQL', createUrl: createDatabase },
];
