import { type FastifyReply, type FastifyRequest } from 'fastify';
import { invalidToken, missingToken, mistypedToken, Refusal, scopeMissing } from '../../errors';
import { callerAddress } from '../../http/caller-address';
import { refuseLine, type Line } from '../../lines/line';
import { type LineRegistry } from '../../lines/line-registry';
import { LINE_TOKENS, type LineToken } from '../../lines/line-token';
import { hashOf } from '../../primitives/token-format';
import { type Scope } from '../../store/schema';
import { type TokenFailures } from './token-failures';

declare module 'fastify' {
  interface FastifyRequest {
    /** The line of the token; set by `authenticateLine`, the first check. */
    line: Line;
    /** Set together with the line. */
    token: LineToken;
  }
}

/** A check of a request before its body is read. @throws Refusal */
export type RequestCheck = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Called for each request with a valid token. */
export type MarkUsed = (token: LineToken, request: FastifyRequest) => void;

/**
 * The first check of every operation: the token is valid and matches `tid`, and the line is active with its API
 * enabled.
 * @param failures counts requests without a valid token
 */
export const authenticateLine =
  (lines: LineRegistry, markUsed: MarkUsed, failures: TokenFailures, mayName: MayName = namesLine) =>
  async (request: FastifyRequest): Promise<void> => {
    const opened = openLine(lines, request, mayName);
    if (opened instanceof Refusal) throw (await failures.take(callerAddress(request))) ?? opened;
    markUsed(opened.token, request);
    // Set before the line is checked, because the token decides the form of error responses.
    request.token = opened.token;
    const refused = refuseLine(opened.line);
    if (refused) throw refused;
    request.line = opened.line;
  };

/** The check after the rate limit: whether the token has the scope. `manage` includes `manage:read`. */
export const checkScope =
  (neededFor: (request: FastifyRequest) => Scope | Promise<Scope>) =>
  async (request: FastifyRequest): Promise<void> => {
    const { scopes } = request.token;
    const needed = await neededFor(request);
    const has = scopes.includes(needed) || (needed === 'manage:read' && scopes.includes('manage'));
    if (!has) throw scopeMissing(needed, scopes);
  };

/**
 * The first check for a path that names an object instead of a line, so that only the token determines the line. An
 * object known to belong to another line, such as a phone number or business account, is refused like another line's
 * `tid`.
 * @param parameter the name of the path parameter
 */
export const authenticateObject = (
  lines: LineRegistry,
  markUsed: MarkUsed,
  failures: TokenFailures,
  parameter: string,
) => authenticateLine(lines, markUsed, failures, namesNoOther(parameter));

type PathParams = Record<string, string | undefined>;

/** Whether a token of this line may be used with these path parameters. */
type MayName = (lines: LineRegistry, line: Line, path: PathParams) => boolean;

const namesLine: MayName = (lines, line, { tid = '' }) => lines.byTid(tid)?.id === line.id;

const namesNoOther =
  (parameter: string): MayName =>
  (lines, line, { [parameter]: id = '' }) => {
    if (id === line.wabaId) return true;
    const named = lines.byTid(id);
    return named ? named.id === line.id : lines.ofBusinessAccount(id).length === 0;
  };

function openLine(
  lines: LineRegistry,
  request: FastifyRequest,
  mayName: MayName,
): { line: Line; token: LineToken } | Refusal {
  const token = tokenOf(request);
  if (token === null) return missingToken();
  const opened = lines.openedBy(hashOf(token));
  if (!opened && LINE_TOKENS.isMistyped(token)) return mistypedToken();
  return opened && mayName(lines, opened.line, request.params as PathParams) ? opened : invalidToken();
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
