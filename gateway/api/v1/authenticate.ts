import { type FastifyRequest } from 'fastify';
import { type AdminToken } from '../../admin-tokens/admin-token';
import { adminTokenInvalid, adminTokenMissing, permissionMissing, tokenSuspended } from '../../errors';
import { callerAddress } from '../../http/caller-address';
import { hashOf } from '../../primitives/token-format';
import { rightsOf } from '../../rights/grants';
import { type Permission } from '../../rights/roles';
import { tokenInHeader, type RequestCheck } from '../access/authenticate-line';
import { type TokenFailures } from '../access/token-failures';
import { type WholeAdminDeps } from './operation';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `authenticateAdmin`, the first check of the management API. */
    adminToken: AdminToken;
  }
}

/** Called for each request with a valid token. */
export type MarkAdminUsed = (token: AdminToken, request: FastifyRequest) => void;

/**
 * The first check: the token is valid.
 * @param failures counts requests without a valid token
 */
export const authenticateAdmin =
  ({ adminTokens }: WholeAdminDeps, markUsed: MarkAdminUsed, failures: TokenFailures): RequestCheck =>
  async (request) => {
    const text = tokenInHeader(request);
    const token = text === null ? null : adminTokens.openedBy(hashOf(text));
    if (!token) {
      const refused = text === null ? adminTokenMissing() : adminTokenInvalid();
      throw (await failures.take(callerAddress(request))) ?? refused;
    }
    markUsed(token, request);
    if (token.isSuspended) throw tokenSuspended();
    request.adminToken = token;
  };

/** The check after the rate limit: whether the token has the permission, in at least one customer or line. */
export const checkPermission =
  ({ lines }: WholeAdminDeps, permission: Permission | null): RequestCheck =>
  async ({ adminToken: { grants, permissions } }) => {
    if (permission === null || rightsOf(grants, lines.all).may(permission)) return;
    throw permissionMissing(permission, [...permissions]);
  };
