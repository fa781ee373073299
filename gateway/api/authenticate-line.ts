import { type FastifyRequest } from 'fastify';
import { apiDisabled, invalidToken, lineInactive, missingToken, mistypedToken, Refusal } from '../errors';
import { type Line } from '../lines/line';
import { type LineRegistry } from '../lines/line-registry';
import { hashOf, isWellFormed } from '../lines/line-token';
import { type TokenFailures } from './token-failures';

declare module 'fastify' {
  interface FastifyRequest {
    /** The line that the token opens; set by `authenticateLine` before anything else happens. */
    line: Line;
  }
}

/**
 * The first check of every operation: the token and the `tid` match, the line is active, its API is on.
 * @param markUsed told the id of the token
 * @param failures counts the requests that have no token which opens the line
 */
export const authenticateLine =
  (lines: LineRegistry, markUsed: (tokenId: number) => void, failures: TokenFailures) =>
  async (request: FastifyRequest): Promise<void> => {
    const opened = openLine(lines, request);
    if (opened instanceof Refusal) throw failures.take(request.socket.remoteAddress ?? '') ?? opened;
    markUsed(opened.tokenId);
    const refused = refuseLine(opened.line);
    if (refused) throw refused;
    request.line = opened.line;
  };

function openLine(lines: LineRegistry, request: FastifyRequest): { line: Line; tokenId: number } | Refusal {
  const token = tokenOf(request);
  if (token === null) return missingToken();
  if (!isWellFormed(token)) return token.startsWith('gwl_') ? mistypedToken() : invalidToken();
  const opened = lines.openedBy(hashOf(token));
  const { tid = '' } = request.params as { tid?: string };
  return opened && lines.byTid(tid)?.id === opened.line.id ? opened : invalidToken();
}

function refuseLine(line: Line): Refusal | null {
  if (!line.isActive) return lineInactive();
  return line.apiEnabled ? null : apiDisabled();
}

/** From `Authorization: Bearer`, or from `access_token` in the query, which is the upstream's own habit. */
function tokenOf(request: FastifyRequest): string | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) return /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? null;
  const { access_token: inQuery } = request.query as { access_token?: unknown };
  return typeof inQuery === 'string' && inQuery !== '' ? inQuery : null;
}
