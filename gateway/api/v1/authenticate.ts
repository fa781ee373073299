import { ADMIN_TOKENS, type AdminToken } from '../../admin-tokens/admin-token';
import {
  adminTokenInvalid,
  adminTokenMissing,
  mistypedToken,
  permissionMissing,
  type Refusal,
  tokenSuspended,
} from '../../errors';
import { callerAddress } from '../../http/caller-address';
import { hashOf } from '../../primitives/token-format';
import { rightsOf } from '../../rights/grants';
import { type Permission } from '../../rights/roles';
import { tokenInHeader, type MarkUsed, type RequestCheck } from '../access/authenticate-line';
import { type TokenFailures } from '../access/token-failures';
import { type WholeAdminDeps } from './operation';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `authenticateAdmin`, the first check of the management API. */
    adminToken: AdminToken;
  }
}

/**
 * The first check: the token is valid.
 * @param failures counts requests without a valid token
 */
export const authenticateAdmin =
  ({ adminTokens }: WholeAdminDeps, markUsed: MarkUsed, failures: TokenFailures): RequestCheck =>
  async (request) => {
    const text = tokenInHeader(request);
    const token = text === null ? null : adminTokens.openedBy(hashOf(text));
    if (!token) {
      const refused = refusalOf(text);
      throw (await failures.take(callerAddress(request))) ?? refused;
    }
    markUsed(token, request);
    if (token.isSuspended) throw tokenSuspended();
    request.adminToken = token;
  };

function refusalOf(token: string | null): Refusal {
  if (token === null) return adminTokenMissing();
  return ADMIN_TOKENS.isMistyped(token) ? mistypedToken() : adminTokenInvalid();
}

/** The check after the rate limit: whether the token has the permission, in at least one customer or line. */
export const checkPermission =
  ({ lines }: WholeAdminDeps, permission: Permission | null): RequestCheck =>
  ({ adminToken: { grants, permissions } }) => {
    if (permission === null || rightsOf(grants, lines.all).may(permission)) return;
    throw permissionMissing(permission, [...permissions]);
  };
