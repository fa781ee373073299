import { readSetting } from '../config';

/**
 * Returns a link to the gateway, or only its path if no public URL is set: commands do not know where a
 * running gateway listens.
 */
export const linkTo = (env: NodeJS.ProcessEnv, path: string): string =>
  `${(readSetting('GATEWAY_PUBLIC_URL', env) ?? '').replace(/\/+$/, '')}${path}`;

/** Returns the note that follows a link without an address. */
export const withoutAddress = (env: NodeJS.ProcessEnv): string =>
  readSetting('GATEWAY_PUBLIC_URL', env) ? '' : ' (put the address of the gateway before it)';
