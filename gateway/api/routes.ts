import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { UPSTREAM_VERSION } from '../cloud-api/client';
import { invalidQuery } from '../errors';
import { type ReadBody } from '../http/arriving-bodies';
import { sendsIn } from '../sending/send-rates';
import {
  authenticateLine,
  authenticateObject,
  checkScope,
  inOrder,
  type AuthenticationDeps,
  type RequestCheck,
} from './access/authenticate-line';
import { charge, checkRate } from './access/check-rate';
import { type KnownPaths } from './http/known-paths';
import { readsJson } from './http/read-bodies';
import { type TokenRates } from './access/token-rates';
import { LARGE_BODIES, LISTS, slotsOfLines, TRANSFERS } from './http/line-slots';
import { MESSAGE_LIMIT, type ApiDeps, type Operation } from './operation';
import { OPERATIONS } from './operations';
import { parameterNames, routedPath } from './path-parameters';

/**
 * Clients of the platform include their version in the path; each of these is served as v22.0. `/api` before it is
 * optional (`routedAddress`).
 */
const VERSION = '/:version(^v(?:1[3-9]|2[0-6])\\.0$)';

export interface ApiRouteDeps extends ApiDeps, AuthenticationDeps {
  tokenRates: TokenRates;
}

/**
 * Registers every operation.
 * @param readBody reads the body of an authenticated request
 */
export function apiRoutes(
  app: FastifyInstance,
  paths: KnownPaths,
  deps: ApiRouteDeps,
  readBody: ReadBody,
): void {
  const checksOf = operationChecks(deps);
  /** Paths with a form, which the operation reads itself, as fast as the platform accepts the file. */
  const unread = new Set(OPERATIONS.filter(({ body }) => body?.contentType).map(({ path }) => path));
  const [forms = [], others = []] = [true, false].map((isUnread) =>
    OPERATIONS.filter(({ path }) => unread.has(path) === isUnread),
  );
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('x-gateway-version', UPSTREAM_VERSION);
    done(null, payload);
  });
  const bodyChecksOf = bodyChecks(deps, readBody);
  const register = (operations: Operation[]): void => {
    for (const [path, ofPath] of Map.groupBy(operations, (one) => routedPath(one.path)))
      paths.add(
        app,
        VERSION + path,
        path,
        ofPath.map((one) => ({
          method: one.method.toUpperCase(),
          onRequest: inOrder(checksOf(one)),
          ...(operations !== forms && bodyChecksOf(one)),
          handler: one.handler(deps),
        })),
      );
  };
  register(forms);
  register(others);
}

/** The checks before a body is read, in order: token, rate limit, scope. */
function operationChecks(deps: ApiRouteDeps): (operation: Operation) => RequestCheck[] {
  const { sendRates, tokenRates } = deps;
  const authenticated = authenticateLine(deps);
  const rates = {
    sends: checkRate(({ line }) => sendRates.takeLine(line.id)),
    reads: checkRate(({ line }) => tokenRates.takeRead(line.id)),
    changes: checkRate(({ line }) => tokenRates.takeChange(line.id)),
  };
  const transfers = slotsOfLines(TRANSFERS);
  const lists = slotsOfLines(LISTS);
  const largeBodies = ofLargeBodies(slotsOfLines(LARGE_BODIES));
  return ({ path, rate, scope, scopeOf, isTransfer, isList, bodyLimit, check }) => {
    const [first = ''] = parameterNames(path);
    return [
      first === 'tid' ? authenticated : authenticateObject(deps, first),
      rates[rate],
      checkScope(scopeOf?.(deps) ?? (() => scope)),
      refuseNul,
      ...(isTransfer ? [transfers] : []),
      ...(isList ? [lists] : []),
      ...(check ? [check] : []),
      ...(bodyLimit === undefined ? [] : [largeBodies]),
    ];
  };
}

/**
 * Refuses a NUL character, which no id or text contains and PostgreSQL cannot store. In a path it matches nothing.
 */
export function refuseNul({ url }: FastifyRequest): void {
  if (/\?.*%00/.test(url)) throw invalidQuery('The query contains the character NUL (%00). Remove it.');
}

/** For bodies that may be larger than a message. A body without a declared length may be large. */
const ofLargeBodies =
  (slots: RequestCheck): RequestCheck =>
  (request, reply) => {
    if (!(Number(request.headers['content-length']) <= MESSAGE_LIMIT)) return slots(request, reply);
  };

/** Bytes of a response: a read counts once more for each multiple. */
const BYTES_OF_A_READ = 64 * 1024;

/** Bytes of a response. A list sent in slices has a known length; a file counts as one read, whatever its length. */
function bytesOf(payload: unknown, isList: boolean, reply: FastifyReply): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return Buffer.byteLength(payload);
  return isList ? Number(reply.getHeader('content-length') ?? 0) : 0;
}

/** Counts by size: the body of a send before it is parsed, the response of a read before it is sent. */
function bodyChecks({ sendRates, tokenRates }: ApiRouteDeps, readBody: ReadBody) {
  return ({ rate, body, isList = false, bodyLimit = MESSAGE_LIMIT }: Operation) => ({
    bodyLimit,
    preValidation: readsJson(
      readBody,
      ({ line }, reply, bytes) => {
        const more = sendsIn(bytes) - 1;
        if (more > 0 && rate === 'sends') return charge(sendRates.takeLine, line.id, reply, more);
      },
      body !== undefined && !body.isOptional,
    ),
    ...(rate === 'reads' && {
      onSend: async ({ line }: FastifyRequest, reply: FastifyReply, payload: unknown) => {
        const more = Math.ceil(bytesOf(payload, isList, reply) / BYTES_OF_A_READ) - 1;
        if (more > 0 && reply.statusCode < 300) await charge(tokenRates.takeRead, line.id, reply, more);
        return payload;
      },
    }),
  });
}
