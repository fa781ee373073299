import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TestEnvironment } from 'jest-environment-node';
import { DATA_ROOT } from './data-root';

type Options = ConstructorParameters<typeof TestEnvironment>;

/** Node's test environment, with a folder per test file that is deleted after the file. */
export default class OwnFolderEnvironment extends TestEnvironment {
  readonly #folder: string;

  constructor(...options: Options) {
    const folder = mkdtempSync(join(DATA_ROOT, 'gateway-test-'));
    // Set before `super`, which copies the environment variables for the tests.
    process.env.TEST_FOLDER = folder;
    super(...options);
    this.#folder = folder;
  }

  override async teardown(): Promise<void> {
    await super.teardown();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
