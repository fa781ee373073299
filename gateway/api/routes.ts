import { type FastifyInstance } from 'fastify';
import { UPSTREAM_VERSION } from '../cloud-api/client';
import { type ReadBody } from '../http/arriving-bodies';
import { SCOPES } from '../store/schema';
import {
  authenticateLine,
  authenticateObject,
  checkScope,
  type MarkUsed,
  type RequestCheck,
} from './access/authenticate-line';
import { checkRate } from './access/check-rate';
import { type KnownPaths } from './http/known-paths';
import { giveUpSlowBodies, leaveFormsUnread, readJsonBodies } from './http/read-bodies';
import { type TokenFailures } from './access/token-failures';
import { type TokenRates } from './access/token-rates';
import { boundTransfers } from './http/transfers';
import { type ApiDeps, type Operation } from './operation';
import { OPERATIONS } from './operations';
import { parameterNames, routedPath } from './path-parameters';

/** Clients of the platform write their version into the path; each of these is served as v22.0. */
const VERSION = '/:version(^v(?:1[3-9]|2[0-6])\\.0$)';
const PREFIXES = [`/api${VERSION}`, VERSION];

export interface ApiRouteDeps extends ApiDeps {
  markUsed: MarkUsed;
  tokenFailures: TokenFailures;
  tokenRates: TokenRates;
}

/**
 * Registers every operation under both its addresses.
 * @param readBody reads the body of a request whose token is right
 * @param slowBody milliseconds for the whole of a body that is no file
 */
export function apiRoutes(
  app: FastifyInstance,
  paths: KnownPaths,
  deps: ApiRouteDeps,
  readBody: ReadBody,
  slowBody: number,
): void {
  const checksOf = operationChecks(deps);
  const [forms = [], others = []] = [true, false].map((isForm) =>
    OPERATIONS.filter(({ body }) => (body?.contentType !== undefined) === isForm),
  );
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('x-gateway-version', UPSTREAM_VERSION);
    done(null, payload);
  });
  const register = (scope: FastifyInstance, operations: Operation[]): void => {
    for (const prefix of PREFIXES)
      for (const [path, ofPath] of Map.groupBy(operations, (one) => routedPath(one.path)))
        paths.add(
          scope,
          prefix + path,
          path,
          ofPath.map((one) => ({
            method: one.method.toUpperCase(),
            onRequest: checksOf(one),
            handler: one.handler(deps),
            ...(one.bodyLimit !== undefined && { bodyLimit: one.bodyLimit }),
          })),
        );
  };
  app.register(async (scope) => {
    leaveFormsUnread(scope);
    register(scope, forms);
  });
  app.register(async (scope) => {
    readJsonBodies(scope, readBody);
    giveUpSlowBodies(scope, slowBody);
    register(scope, others);
  });
}

/** The checks before a body is read, in their order: the token, how much its line may do, what the token may do. */
function operationChecks(deps: ApiRouteDeps): (operation: Operation) => RequestCheck[] {
  const { lines, markUsed, tokenFailures, sendRates, tokenRates } = deps;
  const authenticated = authenticateLine(lines, markUsed, tokenFailures);
  const scopes = new Map(SCOPES.map((scope) => [scope, checkScope(scope)]));
  const rates = {
    sends: checkRate((lineId) => sendRates.takeLine(lineId)),
    reads: checkRate((lineId) => tokenRates.takeRead(lineId)),
    changes: checkRate((lineId) => tokenRates.takeChange(lineId)),
  };
  const transfers = boundTransfers();
  return ({ path, rate, scope, isTransfer, check }) => {
    const [first = ''] = parameterNames(path);
    return [
      first === 'tid' ? authenticated : authenticateObject(lines, markUsed, tokenFailures, first),
      rates[rate],
      scopes.get(scope) ?? checkScope(scope),
      ...(isTransfer ? [transfers] : []),
      ...(check ? [check] : []),
    ];
  };
}
