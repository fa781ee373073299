import { lineNotConfigured } from '../../errors';
import { type Line } from '../../lines/line';

/** With which the platform is asked for a line. @throws Refusal where there is none */
export function accessTokenOf({ accessToken }: Line): string {
  if (accessToken === null) throw lineNotConfigured();
  return accessToken;
}
