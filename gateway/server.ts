import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type RouteHandlerMethod,
} from 'fastify';
import { errorAnswers } from './api/http/error-answers';
import { knownPaths, routedAddress, ROUTER, type KnownPaths } from './api/http/known-paths';
import { answerOddRequests, answerUnreadable, boundPipelines } from './api/http/odd-requests';
import { leaveBodiesUnread, passOverRests, type Patience } from './api/http/read-bodies';
import { apiRoutes, type ApiRouteDeps } from './api/routes';
import { adminRoutes, type AdminRouteDeps } from './api/v1/routes';
import { overloaded } from './errors';
import { type AnyDispatcher } from './forwarding/dispatcher';
import { arrivingBodies } from './http/arriving-bodies';
import { strangeProxyWarning } from './http/strange-proxy';
import { randomHex } from './http/trace-context';
import { type AccountEvents } from './inbound/account-events';
import { type EventRates } from './inbound/event-rates';
import { type WebhookSecrets, platformWebhook } from './inbound/webhook';
import { healthRoutes } from './monitoring/health';
import { type Metrics } from './monitoring/metrics';
import { SHORTAGES, type Pressure, type PressureCause } from './monitoring/pressure';
import { suspicions } from './monitoring/suspicion';
import { docsRoutes } from './openapi/docs';
import { type WholePanelDeps } from './panel/dependencies';
import { type ProcessRoles } from './process-roles';
import { MINUTE, SECOND } from './time';

/** The dependencies of the panel, of the API, and of the callbacks. */
export interface Services extends WholePanelDeps, Omit<ApiRouteDeps, 'store'>, Omit<AdminRouteDeps, 'store'> {
  log: FastifyBaseLogger;
  /** What this process serves. It answers the paths of other roles with 421. */
  roles: ProcessRoles;
  dispatcher: AnyDispatcher;
  accountEvents: AccountEvents;
  metrics: Metrics;
  pressure: Pick<Pressure, 'cause'>;
  isServing: () => boolean;
  callback: WebhookSecrets;
  eventRates: EventRates;
  /** Called when the platform refuses the credentials of a line during a request. */
  credentialsRefused(lineId: number): void;
  eventId: () => string;
  trustedProxies: string[];
  metricsToken: string | null;
}

const MEGABYTE = 1024 * 1024;
/** Bytes of a request body, unless a route has its own limit. */
const BODY_LIMIT = MEGABYTE;
/** Bytes of one notification, as the platform documents it. */
const NOTIFICATION_LIMIT = 3 * MEGABYTE;

/**
 * Time to receive a whole request, so that a slow body cannot hold memory forever. 100 MB at 1 Mbit/s take
 * this long. A body that stalls is ended sooner (`api/http/form.ts`).
 */
const REQUEST_TIMEOUT = 15 * MINUTE;

/**
 * Clients are asked to close a connection after this idle time, so that none is open when a process ends
 * (`shutdown.ts`). Clients that ignore the request, like most load balancers, can keep it open for `IDLE`.
 */
const IDLE_TOLD = 5 * SECOND;
const IDLE = 72 * SECOND;

const PATIENCE: Patience = { body: 2 * MINUTE, rest: 10 * SECOND };

export function createServer(services: Services, patience = PATIENCE): FastifyInstance {
  const { log, pressure, roles } = services;
  const warnOfProxy = strangeProxyWarning(log);
  const suspected = suspicions(services);
  const answerError = errorAnswers(
    services.clock,
    (request, suspicion) => {
      suspected(request, suspicion);
      warnOfProxy(request);
    },
    services.credentialsRefused,
  );
  const app = Fastify({
    // Other code logs its own info entries, so Fastify logs only warnings and errors.
    loggerInstance: log.child({}, { level: 'warn' }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomHex(16),
    // `logOf` adds the ids of a request.
    childLoggerFactory: (logger) => logger,
    trustProxy: services.trustedProxies,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: IDLE_TOLD,
    // Requests that arrive during shutdown are still served: the other parts stop later.
    return503OnClosing: false,
    // Node would refuse a request without Host itself, without an error body.
    http: { requireHostHeader: false },
    rewriteUrl: ({ url = '/' }) => routedAddress(url),
    routerOptions: ROUTER,
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
    clientErrorHandler: answerUnreadable,
  });
  app.server.keepAliveTimeoutBuffer = IDLE - IDLE_TOLD;
  app.setErrorHandler(answerError);
  answerOddRequests(app);
  leaveBodiesUnread(app);
  boundPipelines(app);
  const paths = knownPaths(app, roles);
  const passOver = passOverRests(patience);
  app.addHook('onResponse', (request, reply, done) => {
    services.metrics.answered(request.method, paths.operationOf(request), reply.statusCode);
    passOver(request.raw);
    done();
  });
  // Clients must not reuse a connection that is about to close.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!services.isServing()) reply.header('connection', 'close');
    done(null, payload);
  });
  app.decorateRequest('line');
  app.decorateRequest('token');
  app.decorateRequest('adminToken');
  const bodies = arrivingBodies(log, patience.body);

  if (roles.has('api')) serveApi(app, paths, services, bodies);
  app.register(async (open) => {
    const health = healthRoutes(services);
    for (const [url, handler] of [
      ['/healthz', health.alive],
      ['/readyz', health.ready],
      ['/metrics', health.metrics],
    ] as [string, RouteHandlerMethod][])
      paths.add(open, url, url, [{ method: 'GET', handler }]);
  });
  if (roles.has('panel'))
    app.register(async (panel) => {
      // Loaded on demand, because processes without this role have no panel.
      const [{ servePanel }, { pagesOf }] = await Promise.all([
        import('./panel/pipeline.js'),
        import('./panel/routes.js'),
      ]);
      servePanel(panel, pagesOf(services), services, bodies, warnOfProxy);
      // The panel's pages stay readable under any pressure, so that operators can find the cause.
      refuseUnderPressure(panel, pressure, () => true);
    });
  if (roles.has('inbound')) serveInbound(app, paths, services, bodies);

  return app;
}

type Bodies = ReturnType<typeof arrivingBodies>;

/** Both APIs and their documents. */
function serveApi(app: FastifyInstance, paths: KnownPaths, services: Services, bodies: Bodies): void {
  app.register(async (api) => {
    refuseUnderPressure(api, services.pressure);
    apiRoutes(api, paths, services, bodies.known);
  });

  app.register(async (admin) => {
    refuseUnderPressure(admin, services.pressure);
    adminRoutes(admin, paths, services, bodies.known);
  });

  app.register(async (open) => {
    const docs = docsRoutes(services.publicUrl);
    for (const [url, handler] of [
      ['/openapi.json', docs.document('line')],
      ['/docs', docs.page('line')],
      ['/v1/openapi.json', docs.document('admin')],
      ['/v1/docs', docs.page('admin')],
      ['/docs/:file', docs.file],
    ] as [string, RouteHandlerMethod][])
      paths.add(open, url, url, [{ method: 'GET', handler }]);
  });
}

/** The callbacks of the platform. */
function serveInbound(app: FastifyInstance, paths: KnownPaths, services: Services, bodies: Bodies): void {
  app.register(async (inbound) => {
    refuseUnderPressure(inbound, services.pressure);
    // Signatures cover the bytes, so the body is never parsed, whatever its content type.
    inbound.addHook('preValidation', bodies.stranger);
    const { verify, isKnown, receive } = platformWebhook(services, services.callback);
    for (const url of ['/webhooks/platform', '/webhooks/platform/:tid'])
      paths.add(inbound, url, url, [
        { method: 'GET', handler: verify as RouteHandlerMethod },
        {
          method: 'POST',
          onRequest: [isKnown],
          bodyLimit: NOTIFICATION_LIMIT,
          handler: receive as RouteHandlerMethod,
        },
      ]);
  });
}

/** @param mayRead whether GET requests are served under this pressure; by default unless CPU time is short */
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
