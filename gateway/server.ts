import { randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import Fastify, {
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteHandlerMethod,
} from 'fastify';
import findMyWay from 'find-my-way';
import { authenticateLine, authenticateObject, checkScope, type MarkUsed } from './api/authenticate-line';
import { destinationRoutes } from './api/destinations';
import { deleteMedia, getMediaContent, getObject } from './api/graph-object';
import { getMessageTemplates } from './api/graph-templates';
import { getLineStatus } from './api/line-status';
import { getTemplates } from './api/list-templates';
import { getMessage } from './api/message';
import { answerInBytes, errorAnswers, pathOf, unreadableRequest } from './api/error-answers';
import { passOverRests, giveUpSlowBodies, leaveFormsUnread, readJsonBodies } from './api/read-bodies';
import { checkRate } from './api/check-rate';
import { checkQuality, postMessage } from './api/send-message';
import { type TokenFailures } from './api/token-failures';
import { type TokenRates } from './api/token-rates';
import { boundTransfers } from './api/transfers';
import { type PlatformReads } from './api/platform-reads';
import { postMedia } from './api/upload-media';
import { getWindow } from './api/window';
import { UPSTREAM_VERSION } from './cloud-api/client';
import { methodNotAllowed, notFound, overloaded } from './errors';
import { type DestinationRules } from './http/destination-address';
import { type Dispatcher } from './forwarding/dispatcher';
import { arrivingBodies } from './http/arriving-bodies';
import { strangeProxyWarning } from './http/strange-proxy';
import { traceOfRequest } from './http/trace-context';
import { type AccountEvents } from './inbound/account-events';
import { type Callback, platformWebhook } from './inbound/webhook';
import { type SendRates } from './messages/send-rates';
import { docsRoutes } from './openapi/docs';
import { healthRoutes } from './monitoring/health';
import { type Metrics } from './monitoring/metrics';
import { SHORTAGES, type Pressure, type PressureCause } from './monitoring/pressure';
import { suspicions } from './monitoring/suspicion';
import { panelRoutes } from './panel/routes';
import { type PanelWorld } from './panel/dependencies';
import { MINUTE, SECOND } from './time';

/** The world in which requests are answered: that of the panel, and what only the API and the callbacks need. */
export interface Services extends PanelWorld {
  customerRules: DestinationRules;
  dispatcher: Dispatcher;
  accountEvents: AccountEvents;
  metrics: Metrics;
  pressure: Pick<Pressure, 'cause'>;
  isServing: () => boolean;
  callback: Callback;
  eventId: () => string;
  markUsed: MarkUsed;
  tokenFailures: TokenFailures;
  sendRates: SendRates;
  tokenRates: TokenRates;
  platformReads: PlatformReads;
  trustedProxies: string[];
  metricsToken: string | null;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The path of a route in metrics: the same under each of its addresses. */
    operation?: string;
  }
}

const MEGABYTE = 1024 * 1024;
/** A customer's body. */
const BODY_LIMIT = MEGABYTE;
/** Of one notification, as upstream documents it. */
const NOTIFICATION_LIMIT = 3 * MEGABYTE;

/**
 * A request that has not arrived whole by then is given up: a body that drips would hold its memory for good. A file of
 * 100 MB arrives in this time at 1 Mbit/s; one that stops arriving is given up sooner (`api/form.ts`).
 */
const REQUEST_TIMEOUT = 15 * MINUTE;

/**
 * Clients are told to leave a connection that is idle for so long, so that none is left when it is closed at the end of
 * a process (`cli/end-server.ts`). Those who do not listen, as most balancers, may keep it beyond the minute after which
 * they close it themselves.
 */
const IDLE_TOLD = 5 * SECOND;
const IDLE = 72 * SECOND;

/** How long a sender is waited for, in milliseconds. */
export interface Patience {
  /** For the whole of a body that is no file. */
  body: number;
  /** For the rest of a body that was answered before its end: so long he gets to see the answer. */
  rest: number;
}

const PATIENCE: Patience = { body: 2 * MINUTE, rest: 10 * SECOND };

/** Upstream clients write their version into the path; each of these is served as v22.0. */
const VERSION = '/:version(^v(?:1[3-9]|2[0-6])\\.0$)';

/** Of upstream's objects: digits alone. */
const OBJECT = '/:id(^\\d{1,32}$)';

type Route = {
  handler: RouteHandlerMethod;
  onRequest?: ((request: FastifyRequest, reply: FastifyReply) => Promise<void>)[];
  bodyLimit?: number;
};
/** What the router has found for an address. */
interface KnownPath {
  store: { operation: string; methods: string[] };
  params: Record<string, string | undefined>;
}

const ROUTER = { maxParamLength: 1024 };

type Methods = Partial<Record<'GET' | 'POST' | 'DELETE', Route>>;

export function createServer(services: Services, patience = PATIENCE): FastifyInstance {
  const { log } = services;
  const warnOfProxy = strangeProxyWarning(log);
  const suspected = suspicions(services);
  const answerError = errorAnswers(services.clock, (request, suspicion) => {
    suspected(request, suspicion);
    warnOfProxy(request);
  });
  const app = Fastify({
    // Warnings and errors: what is worth a line beyond them is logged where it happens.
    loggerInstance: log.child({}, { level: 'warn' }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    childLoggerFactory: (logger, bindings, options, raw) =>
      logger.child({ ...bindings, traceId: traceOfRequest(raw).id }, options),
    trustProxy: services.trustedProxies,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: IDLE_TOLD,
    // What is still read while it stops is answered as ever: the rest of the gateway ends after it.
    return503OnClosing: false,
    // Node would refuse it itself, without a body.
    http: { requireHostHeader: false },
    routerOptions: ROUTER,
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
    // A request that is no HTTP never reaches a route; it is told so in the same shape.
    // Its socket is closed from this side: whoever sends such a thing may never close his.
    clientErrorHandler: (error, socket) => {
      if (error.code !== 'ECONNRESET' && socket.writable) socket.write(unreadableRequest(error.code));
      socket.destroySoon();
    },
  });
  // At a path that is known each of them is answered 405, as any other that the path does not have.
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  app.server.keepAliveTimeoutBuffer = IDLE - IDLE_TOLD;
  app.setErrorHandler(answerError);
  // An expectation that nobody knows is no reason not to answer; Node would, with a 417 that has no body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // Nobody is connected through to elsewhere; Node would hang up without a word.
  app.server.on('connect', (request, socket) => {
    socket.on('error', () => undefined);
    const refused = methodNotAllowed(request.method ?? 'CONNECT', 'GET, POST or DELETE');
    socket.end(answerInBytes(refused, '405 Method Not Allowed'), () => socket.destroy());
  });
  // Before a body is read: at a path that is unknown it does not matter what was sent.
  // Of all methods together: a route of its own for each of Node's forty, at each path, would be a tenth of a start.
  const paths = findMyWay(ROUTER);
  const knownPath = ({ url }: FastifyRequest) => paths.find('GET', url) as KnownPath | null;
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const known = knownPath(request);
    if (!known) return done(notFound(pathOf(request)));
    const { methods } = known.store;
    if (known.params.version !== undefined) reply.header('x-gateway-version', UPSTREAM_VERSION);
    reply.header('allow', methods.join(', '));
    return done(methodNotAllowed(request.method, methods.join(' or ')));
  });
  /** The handlers of one path; any other method there is answered 405. */
  const routes = (scope: FastifyInstance, url: string, methods: Methods): void => {
    const config = { operation: operationOf(url) };
    for (const [method, route] of Object.entries(methods)) scope.route({ method, url, config, ...route });
    paths.on('GET', url, () => undefined, { ...config, methods: Object.keys(methods) });
  };
  const passOver = passOverRests();
  app.addHook('onResponse', (request, reply, done) => {
    const { operation = 'none' } = request.is404
      ? (knownPath(request)?.store ?? {})
      : request.routeOptions.config;
    services.metrics.answered(request.method, operation, reply.statusCode);
    passOver(request.raw, patience.rest);
    done();
  });
  // Nobody sends another request on a connection that is about to be closed.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!services.isServing()) reply.header('connection', 'close');
    done(null, payload);
  });
  app.decorateRequest('line');
  app.decorateRequest('token');

  const { lines, markUsed, tokenFailures, sendRates, tokenRates } = services;
  const authenticated = authenticateLine(lines, markUsed, tokenFailures);
  const ofObject = authenticateObject(lines, markUsed, tokenFailures);
  const sends = checkRate((lineId) => sendRates.takeLine(lineId));
  const reads = checkRate((lineId) => tokenRates.takeRead(lineId));
  const changes = checkRate((lineId) => tokenRates.takeChange(lineId));
  const maySend = checkScope('send');
  const mayRead = checkScope('read');
  const mayManage = checkScope('destinations');
  const transfers = boundTransfers();
  const destinations = destinationRoutes(services);

  const { pressure } = services;
  const bodies = arrivingBodies(log);

  app.register(async (uploads) => {
    refuseUnderPressure(uploads, pressure);
    leaveFormsUnread(uploads);
    tellVersion(uploads);
    for (const prefix of [`/api${VERSION}`, VERSION]) {
      routes(uploads, `${prefix}/:tid/media`, {
        POST: { onRequest: [authenticated, reads, maySend, transfers], handler: postMedia(services) },
      });
    }
  });

  app.register(async (api) => {
    refuseUnderPressure(api, pressure);
    readJsonBodies(api, bodies.known);
    giveUpSlowBodies(api, patience.body);
    tellVersion(api);
    for (const prefix of [`/api${VERSION}`, VERSION]) {
      routes(api, `${prefix}/:tid/messages`, {
        POST: {
          onRequest: [authenticated, sends, maySend, checkQuality],
          handler: postMessage(services),
        },
      });
      routes(api, `${prefix}/:tid/messages/:id(^.+$)`, {
        GET: { onRequest: [authenticated, reads, mayRead], handler: getMessage(services) },
      });
      routes(api, `${prefix}/:tid/window/:contact(^.+$)`, {
        GET: { onRequest: [authenticated, reads, mayRead], handler: getWindow(services) },
      });
      routes(api, `${prefix}/:tid/templates`, {
        GET: {
          onRequest: [authenticated, reads, mayRead],
          handler: getTemplates(services) as RouteHandlerMethod,
        },
      });
      routes(api, `${prefix}/:tid/status`, {
        GET: {
          onRequest: [authenticated, reads, mayRead],
          handler: getLineStatus(services) as RouteHandlerMethod,
        },
      });
      routes(api, `${prefix}/:tid/destinations`, {
        GET: { onRequest: [authenticated, reads, mayManage], handler: destinations.list },
        POST: { onRequest: [authenticated, changes, mayManage], handler: destinations.add },
      });
      routes(api, `${prefix}/:tid/destinations/:id`, {
        DELETE: { onRequest: [authenticated, changes, mayManage], handler: destinations.remove },
      });
      routes(api, `${prefix}${OBJECT}`, {
        GET: { onRequest: [ofObject, reads, mayRead], handler: getObject(services) },
        DELETE: { onRequest: [ofObject, changes, maySend], handler: deleteMedia(services) },
      });
      routes(api, `${prefix}${OBJECT}/content`, {
        GET: { onRequest: [ofObject, reads, mayRead, transfers], handler: getMediaContent(services) },
      });
      routes(api, `${prefix}${OBJECT}/message_templates`, {
        GET: { onRequest: [ofObject, reads, mayRead], handler: getMessageTemplates(services) },
      });
    }
  });

  app.register(async (open) => {
    const health = healthRoutes(services);
    routes(open, '/healthz', { GET: { handler: health.alive } });
    routes(open, '/readyz', { GET: { handler: health.ready } });
    routes(open, '/metrics', { GET: { handler: health.metrics } });
    const docs = docsRoutes(services.publicUrl);
    routes(open, '/openapi.json', { GET: { handler: docs.document } });
    routes(open, '/docs', { GET: { handler: docs.page } });
    routes(open, '/docs/:file', { GET: { handler: docs.file } });
  });

  app.register(async (panel) => {
    giveUpSlowBodies(panel, patience.body);
    panelRoutes(panel, services, bodies, warnOfProxy);
    // Whoever looks what is wrong may look at any time.
    refuseUnderPressure(panel, pressure, () => true);
  });

  app.register(async (inbound) => {
    refuseUnderPressure(inbound, pressure);
    inbound.removeAllContentTypeParsers();
    // As bytes, whatever their type is said to be: a signature is over them.
    inbound.addContentTypeParser('*', bodies.stranger);
    giveUpSlowBodies(inbound, patience.body);
    const { verify, isKnown, receive } = platformWebhook(services, services.callback);
    for (const path of ['/webhooks/platform', '/webhooks/platform/:tid']) {
      routes(inbound, path, {
        GET: { handler: verify as RouteHandlerMethod },
        POST: {
          onRequest: [isKnown],
          bodyLimit: NOTIFICATION_LIMIT,
          handler: receive as RouteHandlerMethod,
        },
      });
    }
  });

  return app;
}

/** @param mayRead whether what only reads goes on: as a rule, while something else than time is short */
function refuseUnderPressure(
  app: FastifyInstance,
  pressure: Services['pressure'],
  mayRead = (cause: PressureCause): boolean => cause !== 'event_loop',
): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const cause = pressure.cause();
    const onlyReads = request.method === 'GET' || request.method === 'HEAD';
    done(cause === null || (onlyReads && mayRead(cause)) ? undefined : overloaded(SHORTAGES[cause]));
  });
}

function tellVersion(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('x-gateway-version', UPSTREAM_VERSION);
    done(null, payload);
  });
}

/** One name for an operation under all of its addresses. */
const operationOf = (url: string): string =>
  url.replace(/^(\/api)?\/:version\([^/]*\)/, '').replace(/\(\^.*?\$\)/g, '');
