import { readSetting } from '../config';

/** An address of the gateway. Only a running one knows where it listens; every command knows its public address, if set. */
export const linkTo = (env: NodeJS.ProcessEnv, path: string): string =>
  `${(readSetting('GATEWAY_PUBLIC_URL', env) ?? '').replace(/\/+$/, '')}${path}`;

/** Follows what `linkTo` is for, where it is a path only. */
export const withoutAddress = (env: NodeJS.ProcessEnv): string =>
  readSetting('GATEWAY_PUBLIC_URL', env) ? '' : ' (put the address of the gateway before it)';
