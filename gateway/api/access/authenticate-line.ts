import { type FastifyReply, type FastifyRequest } from 'fastify';
import { ADMIN_TOKENS, reachesLine, type AdminToken } from '../../admin-tokens/admin-token';
import { type AdminTokenRegistry } from '../../admin-tokens/admin-token-registry';
import { invalidToken, missingToken, mistypedToken, Refusal, scopeMissing } from '../../errors';
import { callerAddress } from '../../http/caller-address';
import { refuseLine, type Line } from '../../lines/line';
import { type LineRegistry } from '../../lines/line-registry';
import { LINE_TOKENS, type LineToken } from '../../lines/line-token';
import { hashOf } from '../../primitives/token-format';
import { type Scope } from '../../store/schema';
import { BY_TID, namedByObject, type Named } from './named-line';
import { type TokenFailures } from './token-failures';

/** A token that the operations of lines accept. */
export type ApiToken = LineToken | AdminToken;

declare module 'fastify' {
  interface FastifyRequest {
    /** The line of the token, or the one that the request names; set by `authenticateLine`, the first check. */
    line: Line;
    /** Set together with the line. */
    token: ApiToken;
  }
}

/** A check of a request before its body is read. @throws Refusal */
export type RequestCheck = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | void;

/** One hook of several checks: a hook costs more than most checks. */
export const inOrder =
  (checks: RequestCheck[]) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    for (const check of checks) {
      const checking = check(request, reply);
      if (checking) await checking;
    }
  };

/** Called for each request with a valid token. */
export type MarkUsed = (token: ApiToken, request: FastifyRequest) => void;

export interface AuthenticationDeps {
  lines: LineRegistry;
  adminTokens: AdminTokenRegistry;
  markUsed: MarkUsed;
  /** Counts requests without a valid token. */
  tokenFailures: TokenFailures;
}

/**
 * The first check of every operation: the token is valid and matches `tid`, and the line is active with its API
 * enabled.
 */
export const authenticateLine =
  (deps: AuthenticationDeps, named: Named = BY_TID) =>
  (request: FastifyRequest): Promise<void> | void => {
    const opened = openLine(deps, request, named);
    if (opened instanceof Refusal) return refuse(deps, request, opened);
    deps.markUsed(opened.token, request);
    // Set before the line is checked, because the token decides the form of error responses.
    request.token = opened.token;
    const refused = refuseLine(opened.line);
    if (refused) throw refused;
    request.line = opened.line;
  };

async function refuse(
  { tokenFailures }: AuthenticationDeps,
  request: FastifyRequest,
  refused: Refusal,
): Promise<void> {
  throw (refused.suspicion && (await tokenFailures.take(callerAddress(request)))) ?? refused;
}

/** The check after the rate limit: whether the token has the scope. `manage` includes `manage:read`. */
export const checkScope =
  (neededFor: (request: FastifyRequest) => Scope | Promise<Scope>) =>
  (request: FastifyRequest): Promise<void> | void => {
    const needed = neededFor(request);
    if (typeof needed !== 'string') return needed.then((scope) => refuseWithout(scope, request));
    refuseWithout(needed, request);
  };

function refuseWithout(needed: Scope, { token }: FastifyRequest): void {
  const { scopes, kind } = token;
  const has = scopes.includes(needed) || (needed === 'manage:read' && scopes.includes('manage'));
  if (!has) throw scopeMissing(needed, scopes, kind);
}

/**
 * The first check for a path that names an object instead of a line. The line is that of a line token; an object known
 * to belong to another line, such as a phone number or business account, is refused like another line's `tid`. With an
 * admin token, the object or `phone_number_id` in the query determines the line.
 * @param parameter the name of the path parameter; empty if the path names nothing
 */
export const authenticateObject = (deps: AuthenticationDeps, parameter: string) =>
  authenticateLine(deps, namedByObject(parameter));

function openLine(
  { lines, adminTokens }: AuthenticationDeps,
  request: FastifyRequest,
  named: Named,
): { line: Line; token: ApiToken } | Refusal {
  const token = tokenOf(request);
  if (token === null) return missingToken();
  const hash = hashOf(token);
  const opened = lines.openedBy(hash);
  if (opened) return named.isLine(lines, request, opened.line) ? opened : invalidToken();
  const admin = adminTokens.openedBy(hash);
  if (admin) {
    const line = named.find(lines, request, (one) => reachesLine(admin, one));
    return line instanceof Refusal ? line : { line, token: admin };
  }
  const isMistyped = LINE_TOKENS.isMistyped(token) || ADMIN_TOKENS.isMistyped(token);
  return isMistyped ? mistypedToken() : invalidToken();
}

/**
 * Reads `Authorization: Bearer`, or what the platform also accepts: `Authorization: OAuth`, as in examples of uploads,
 * and `access_token` in the query.
 */
function tokenOf(request: FastifyRequest): string | null {
  if (request.headers.authorization !== undefined) return tokenInHeader(request);
  const { access_token: inQuery } = request.query as { access_token?: unknown };
  return typeof inQuery === 'string' && inQuery !== '' ? inQuery : null;
}

/** The token of the header `Authorization`; null if there is none. */
export const tokenInHeader = ({ headers: { authorization = '' } }: FastifyRequest): string | null =>
  /^(?:Bearer|OAuth) +([^\s]+) *$/i.exec(authorization)?.[1] ?? null;
