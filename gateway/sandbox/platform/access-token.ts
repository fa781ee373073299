/**
 * What an access token opens: the lines that it belongs to and, through them, their business accounts. A token may
 * belong to several lines; two lines of one business account may have different tokens, and then each token sees
 * its own line only.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { type IncomingHttpHeaders } from 'node:http';
import { type SandboxLine } from './account';
import { tokenInvalid, tokenMissing } from './errors';
import { lastOf, type QueryParameters } from './read';

/**
 * The lines that a Graph request may use, at least one. The token is in the Authorization header or, as Graph
 * allows, in the query. Refuses a request without a token, and a token that belongs to no line.
 */
export function admitToken(
  headers: IncomingHttpHeaders,
  query: QueryParameters,
  lines: readonly SandboxLine[],
): SandboxLine[] {
  const given = bearerOf(headers) ?? lastOf(query.access_token);
  if (given === undefined) throw headers.authorization === undefined ? tokenMissing() : tokenInvalid();
  const own = linesOf(given, lines);
  if (own.length === 0) throw tokenInvalid();
  return own;
}

/**
 * The lines with this access token. All are compared in constant time, so that the duration reveals nothing.
 */
export function linesOf(token: string | undefined, lines: readonly SandboxLine[]): SandboxLine[] {
  if (token === undefined) return [];
  const given = digest(token);
  return lines.filter((line) => timingSafeEqual(given, digest(line.accessToken)));
}

export const bearerOf = (headers: IncomingHttpHeaders): string | undefined =>
  /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];

/** Of one length for any token, as the comparison requires. */
const digest = (token: string): Buffer => hash('sha256', token, 'buffer');
