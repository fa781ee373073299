import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where `main.js` lies, and beneath it all that is read from a file: the same bundled and compiled file by file. */
export const PROGRAM_FOLDER = __dirname;

/** Whether this is a checkout. The published package has no setup.js. */
export const isCheckout = (): boolean => existsSync(join(PROGRAM_FOLDER, '..', 'setup.js'));

/** How a user runs a command of the gateway: followed by its name. */
export const commandPrefix = (): string => (isCheckout() ? 'npm run gateway --' : 'messaging-gateway');
