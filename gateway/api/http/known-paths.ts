import { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify';
import findMyWay from 'find-my-way';
import { UPSTREAM_VERSION } from '../../cloud-api/client';
import { methodNotAllowed, notFound, roleMissing } from '../../errors';
import { LruCache } from '../../primitives/lru-cache';
import { roleOfPath, type ProcessRoles } from '../../process-roles';
import { pathOf } from './error-answers';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The path of a route in metrics, the same for all its addresses. */
    operation?: string;
  }
}

interface KnownPath {
  operation: string;
  methods: string[];
}

/** The match of the router of known paths. */
interface Match {
  store: KnownPath;
  params: Record<string, string | undefined>;
}

/** Longer path segments do not match. */
export const ROUTER = { maxParamLength: 1024 };

/** Addresses of objects without a version. */
const UNVERSIONED = /^(?:\/api)?(?=\/(?:\d+(?:\/|$)|upload:|app\/uploads$|debug_token$))/;

/** Both addresses of an operation share one route: registering routes takes a tenth of the start. */
const BESIDE_API = /^\/api(?=\/v\d+\.\d+(?:\/|$))/;

/**
 * The path as registered. As on the platform, ids are accepted without a version, and with a trailing slash. Paths of
 * browser pages are not rewritten.
 */
export function routedAddress(url: string): string {
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  let routed = routedPaths.get(path);
  if (routed === undefined) {
    routed = routedPath(path);
    if (url.length <= LONGEST_KEPT) routedPaths.set(path, routed);
  }
  return query < 0 ? routed : routed + url.slice(query);
}

/** Nearly all requests use a few paths. */
const routedPaths = new LruCache<string>(1_000);
/** Characters of a whole address, because V8 keeps all of it for a part. */
const LONGEST_KEPT = 200;

function routedPath(path: string): string {
  if (/^\/(docs|panel)\//.test(path)) return path;
  return path
    .replace(/\/upload%3a/i, '/upload:')
    .replace(UNVERSIONED, `/${UPSTREAM_VERSION}`)
    .replace(BESIDE_API, '')
    .replace(/([^/])\/$/, '$1');
}

export interface KnownPaths {
  /**
   * Registers the handlers of one path; other methods on it get 405.
   * @param operation the path in metrics
   */
  add(scope: FastifyInstance, url: string, operation: string, routes: Omit<RouteOptions, 'url'>[]): void;
  /** The path of a request in metrics. */
  operationOf(request: FastifyRequest): string;
}

/**
 * Answers requests without a route before their body is read: 405 if the path is known, otherwise 404. Known paths
 * have their own router for all methods, made with the first such request: registering Node's forty methods on each
 * path would take a tenth of the start-up time.
 * @param roles of this process; the paths of other roles get 421 with the setting
 */
export function knownPaths(app: FastifyInstance, roles: ProcessRoles): KnownPaths {
  const known = new Map<string, KnownPath>();
  let router: ReturnType<typeof findMyWay> | null = null;
  const routerOfKnown = () => {
    const paths = findMyWay(ROUTER);
    known.forEach((path, url) => paths.on('GET', url, () => undefined, path));
    return paths;
  };
  const refusalOf = (request: FastifyRequest) => {
    const [path, role] = [pathOf(request), roleOfPath(request.url)];
    return role === null || roles.has(role) ? notFound(path) : roleMissing(path, role);
  };
  const find = ({ url }: FastifyRequest) => (router ??= routerOfKnown()).find('GET', url) as Match | null;

  app.addHook('onRequest', (request, reply: FastifyReply, done) => {
    if (!request.is404) return done();
    const match = find(request);
    if (!match) return done(refusalOf(request));
    const { methods } = match.store;
    if (match.params.version !== undefined) reply.header('x-gateway-version', UPSTREAM_VERSION);
    reply.header('allow', methods.join(', '));
    return done(methodNotAllowed(request.method, methods.join(' or ')));
  });

  return {
    add(scope, url, operation, routes) {
      const config = { operation: operation.replace(/\(\^.*?\$\)/g, '') };
      for (const route of routes) scope.route({ url, config, ...route });
      known.set(url, { ...config, methods: routes.flatMap(({ method }) => method) });
    },

    operationOf(request) {
      const { operation = 'none' } = request.is404
        ? (find(request)?.store ?? {})
        : request.routeOptions.config;
      return operation;
    },
  };
}
