import { readSetting } from '../config';

/** An address of the gateway. Only a running one knows where it listens; every command knows its public address, if set. */
export const linkTo = (env: NodeJS.ProcessEnv, path: string): string =>
  `${(readSetting('GATEWAY_PUBLIC_URL', env) ?? '').replace(/\/+$/, '')}${path}`;

/** The words after a link that is only a path. */
export const withoutAddress = (env: NodeJS.ProcessEnv): string =>
  readSetting('GATEWAY_PUBLIC_URL', env) ? '' : ' (put the address of the gateway before it)';
