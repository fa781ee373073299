/**
 * Access control for the sandbox's control routes. They can send text into the customer's workflows, so a web
 * page that is open on the same machine must not be able to use them.
 * On a loopback address, no token is required, which keeps `curl` commands short. But the request must name a
 * loopback host (a foreign name could resolve to this machine) and must not come from a page (Origin or
 * Sec-Fetch-Site header). On any other address, an access token is required and gives access to its own
 * lines.
 */
import { type IncomingHttpHeaders } from 'node:http';
import { isIPv4 } from 'node:net';
import { bearerOf, linesOf } from '../platform/access-token';
import { type SandboxLine } from '../platform/account';
import { ControlRefusal } from './refusal';

/**
 * Returns the lines that a control request may use.
 * @param host the address that the sandbox listens on
 */
export function admitControl(
  headers: IncomingHttpHeaders,
  host: string,
  lines: readonly SandboxLine[],
): readonly SandboxLine[] {
  if (headers.origin !== undefined || !['none', undefined].includes(headers['sec-fetch-site'] as string)) {
    throw new ControlRefusal("The sandbox's control routes cannot be called from a web page.", 403);
  }
  if (!isLoopback(host)) {
    const own = linesOf(bearerOf(headers), lines);
    if (own.length > 0) return own;
    throw new ControlRefusal(
      'This sandbox is reachable from other machines: send the access token of a line as Authorization: Bearer.',
      401,
    );
  }
  if (isLoopback(hostNameOf(headers.host))) return lines;
  throw new ControlRefusal('The sandbox is to be addressed as 127.0.0.1 or localhost.', 403);
}

/** Whether a host name or address always means this machine. */
const isLoopback = (host: string): boolean =>
  host.toLowerCase() === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));

/** "127.0.0.1:8081" → "127.0.0.1"; "[::1]:8081" → "::1". */
function hostNameOf(host: string | undefined): string {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(host ?? '');
  return match?.[1] ?? match?.[2] ?? '';
}
