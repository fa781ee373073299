import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type TObject } from 'typebox';
import { invalidQuery, quoted, Refusal } from '../../errors';
import { type ReadBody } from '../../http/arriving-bodies';
import { callerAddress } from '../../http/caller-address';
import { rightsOf } from '../../rights/grants';
import { type Tables } from '../../store/store';
import { withinRights } from '../../within-rights';
import { whoOfAdminToken } from '../access/actor';
import { inOrder, type MarkUsed, type RequestCheck } from '../access/authenticate-line';
import { checkRate } from '../access/check-rate';
import { type TokenFailures } from '../access/token-failures';
import { type TokenRates } from '../access/token-rates';
import { apiAddress } from '../http/graph-read';
import { type KnownPaths } from '../http/known-paths';
import { readFlag } from '../http/query';
import { readsJson } from '../http/read-bodies';
import { MESSAGE_LIMIT } from '../operation';
import { routedPath } from '../path-parameters';
import { refuseNul } from '../routes';
import { authenticateAdmin, checkPermission } from './authenticate';
import { refuseChanged, storeForChanges, tagOf } from './changes';
import { once } from './once';
import { type AdminContext, type AdminOperation, type WholeAdminDeps } from './operation';
import { ADMIN_OPERATIONS } from './operations';
import { refusedHere } from './refused';

export type AdminRouteDeps = WholeAdminDeps & {
  markUsed: MarkUsed;
  tokenFailures: TokenFailures;
  adminTokenRates: TokenRates;
};

export const ADMIN_PREFIX = '/v1';

/**
 * Registers the operations of the management API.
 * @param readBody reads the body of an authenticated request
 */
export function adminRoutes(
  app: FastifyInstance,
  paths: KnownPaths,
  deps: AdminRouteDeps,
  readBody: ReadBody,
): void {
  const authenticated = authenticateAdmin(deps, deps.markUsed, deps.tokenFailures);
  const rates = {
    reads: checkRate(({ adminToken: { id } }) => deps.adminTokenRates.takeRead(id)),
    changes: checkRate(({ adminToken: { id } }) => deps.adminTokenRates.takeChange(id)),
  };
  for (const [path, operations] of Map.groupBy(
    ADMIN_OPERATIONS,
    (one) => ADMIN_PREFIX + routedPath(one.path),
  ))
    paths.add(
      app,
      path,
      path,
      operations.map((operation) => ({
        method: operation.method.toUpperCase(),
        bodyLimit: operation.bodyLimit ?? MESSAGE_LIMIT,
        onRequest: inOrder([
          authenticated,
          rates[operation.rate],
          checkPermission(deps, operation.permission),
          refuseNul,
          checkQuery(operation),
        ]),
        preValidation: readsJson(
          readBody,
          () => {},
          operation.body !== undefined && !operation.body.isOptional,
        ),
        handler: (request, reply) => respond(operation, deps, request, reply),
      })),
    );
}

/** Refuses unknown parameters, such as a mistyped `dry_run`, and repeated ones. */
function checkQuery({ query }: AdminOperation): RequestCheck {
  const known = Object.keys((query as TObject | undefined)?.properties ?? {});
  return (request) => {
    for (const [name, value] of Object.entries(request.query as object)) {
      if (!known.includes(name))
        throw invalidQuery(
          `${quoted(name)} is not known here. Leave it out, or look whether its name is mistyped.`,
        );
      if (Array.isArray(value)) throw invalidQuery(`${name} is given more than once. Give it once.`);
    }
  };
}

async function respond(
  operation: AdminOperation,
  deps: AdminRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const ifMatch = operation.headers?.['If-Match'] && request.headers['if-match'];
  const context = contextOf(operation, deps, request, ifMatch);
  const process = async () => {
    // Also before the transaction, which a dry run or a request without changes may not begin.
    if (ifMatch !== undefined && operation.object)
      refuseChanged(ifMatch, await operation.object(context, context.deps.store));
    return operation.handler(context).catch((error: unknown) => {
      throw error instanceof Refusal ? refusedHere(error, operation.fields) : error;
    });
  };
  const { outcome, isReplayed } =
    operation.method === 'post' && !context.isDryRun
      ? await once(deps, request, process)
      : { outcome: await process(), isReplayed: false };
  const { body, secrets, location } = outcome;
  if (isReplayed) reply.header('idempotency-replayed', 'true');
  if (operation.object && body) reply.header('etag', tagOf(body));
  if (context.isDryRun) return reply.code(body ? 200 : 204).send(body);
  if (location !== undefined) reply.header('location', (deps.publicUrl ?? '') + ADMIN_PREFIX + location);
  return reply.code(outcome.status).send(secrets ? { ...body, ...secrets } : body);
}

function contextOf(
  { permission, object, method }: AdminOperation,
  deps: AdminRouteDeps,
  request: FastifyRequest,
  ifMatch: string | undefined,
): AdminContext {
  const { adminToken: token } = request;
  const rights = rightsOf(token.grants, deps.lines.all);
  const query = request.query as AdminContext['query'];
  const isDryRun = method !== 'get' && readFlag('dry_run', query.dry_run);
  // Every token may see what is in its reach; the permission decides what it may see of it.
  const seen = withinRights(deps, rights, permission ?? 'events.read');
  const read = object && ((tables: Tables) => object(context, tables));
  const context: AdminContext = {
    request,
    params: request.params as AdminContext['params'],
    query,
    token,
    by: token.grants,
    rights,
    actor: {
      who: whoOfAdminToken(token),
      through: 'api',
      address: callerAddress(request),
    },
    deps: { ...seen, store: storeForChanges(seen.store, ifMatch, read, isDryRun) },
    address: apiAddress(request, deps.publicUrl),
    isDryRun,
  };
  return context;
}
