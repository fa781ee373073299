import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TestEnvironment } from 'jest-environment-node';
import { DATA_ROOT } from './data-root';

type Options = ConstructorParameters<typeof TestEnvironment>;

/** Node, and a folder for each test file, which goes with all that is in it once everything of the file is over. */
export default class OwnFolderEnvironment extends TestEnvironment {
  readonly #folder: string;

  constructor(...options: Options) {
    const folder = mkdtempSync(join(DATA_ROOT, 'gateway-test-'));
    // Tests are given a copy of the variables as they are now.
    process.env.TEST_FOLDER = folder;
    super(...options);
    this.#folder = folder;
  }

  override async teardown(): Promise<void> {
    await super.teardown();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
