/**
 * Access tokens give access to lines and their business accounts. A token can belong to several lines. Lines
 * of one business account can have different tokens, and then each token sees only its own line.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { type IncomingHttpHeaders } from 'node:http';
import { type SandboxLine } from './account';
import { tokenInvalid, tokenMissing } from './errors';
import { lastOf, type QueryParameters } from './read';

/**
 * Returns the lines that a Graph request may use, at least one. Reads the token from the Authorization header
 * or, as Graph allows, from the query. Refuses a missing or unknown token.
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
 * Returns the lines with this access token. Compares all tokens in constant time, so that the duration
 * reveals nothing.
 */
export function linesOf(token: string | undefined, lines: readonly SandboxLine[]): SandboxLine[] {
  if (token === undefined) return [];
  const given = digest(token);
  return lines.filter((line) => timingSafeEqual(given, digest(line.accessToken)));
}

export const bearerOf = (headers: IncomingHttpHeaders): string | undefined =>
  /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];

/** Digests have equal length, as the constant-time comparison requires. */
const digest = (token: string): Buffer => hash('sha256', token, 'buffer');
