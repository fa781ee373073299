/**
 * The sandbox: a simulated platform (WhatsApp Cloud API, Graph v13.0–v26.0) that works without an account.
 * Clients call it over HTTP like the real platform. It does not depend on the gateway. Additional routes
 * under /sandbox let people and tests play the contacts.
 * The caller passes the lines and may change them at any time. State is in memory: a restart forgets
 * messages, outstanding statuses, templates and settings. With a `dataFile`, the clock and the time of each
 * contact's last message survive, because the customer service window depends on them.
 */
import { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { admitToken } from './platform/access-token';
import { PHONE_DEFAULT_FIELDS, type SandboxLine } from './platform/account';
import { CALLBACK_WAITS, type WebhookTarget, Callbacks, type Subscription } from './platform/callbacks';
import { NetworkConditions, type Listening } from './faults/network-conditions';
import { ContactStore } from './contacts/contact-store';
import { openContactsFile } from './contacts/contacts-file';
import { admitControl } from './control/access';
import { bodyOf } from './control/body';
import { ControlRefusal } from './control/refusal';
import { CONTROL_ROUTES, type ControlCall } from './control-routes';
import { Conversations } from './contacts/conversations';
import { refusalOf } from './platform/documented-errors';
import { FailureScripts } from './faults/failure-scripts';
import { bodyTooLarge, GraphRefusal, objectUnknown, pathUnknown, unexpectedFailure } from './platform/errors';
import { lastOf, page, type QueryParameters, selectFields } from './platform/read';
import { isObject, type JsonObject, parseJson } from './platform/json';
import { AccountStates, type PlatformScope } from './faults/account-states';
import { LineStates } from './faults/line-states';
import {
  accountFields,
  beginUpload,
  continueUpload,
  debugToken,
  readUpload,
  subscribe,
  subscribedApps,
} from './management/manage-account';
import { editLine, LINE_OPERATIONS, lineNode, type LineCall } from './management/manage-line';
import { ManagedState } from './management/managed-state';
import { createTemplate, deleteTemplates, editTemplate } from './templates/manage-templates';
import { listLibrary } from './templates/template-library';
import { deleteMedia, describeMedia, sendContent, uploadMedia } from './graph/media';
import { MediaFiles } from './platform/media-files';
import { Book } from './billing/book';
import { StatusTimelines, STATUS_DELAYS } from './contacts/status-timeline';
import { SandboxClock } from './clock';
import { type SandboxLog } from './platform/log';
import { acceptSend } from './graph/send';
import { STARTER_TEMPLATES, type Template } from './templates/starter-templates';
import { PathSwitches, type StatusDelays } from './contacts/status-paths';
import { TemplateReviews } from './templates/template-review';
import { TemplateStore } from './templates/template-store';
import { listTemplates, templateNode } from './templates/list-templates';
import { injectFault, TransportFault } from './faults/transport-fault';
import { type SandboxDeps } from './dependencies';

export interface SandboxOptions {
  host: string;
  /** 0 selects a free port. */
  port: number;
  /** Called for each request. */
  lines: () => readonly SandboxLine[];
  /** Initial templates of every business account; defaults to the starter templates. */
  templates?: readonly Template[];
  /** The initial callback; `subscribe` can replace it. */
  callback?: WebhookTarget;
  /** The file that keeps the clock and the times of contacts' last messages across restarts. */
  dataFile?: string;
  statusDelays?: StatusDelays;
  /** Milliseconds between tries of a callback; the last one repeats. */
  callbackWaits?: readonly number[];
  /** The base of the sandbox's clock; defaults to the machine's time. */
  now?: () => Date;
  log: SandboxLog;
}

export interface Sandbox {
  url: string;
  /** The time of the sandbox's clock, which users can move forward. */
  now(): Date;
  /** Performs the platform's handshake with the callback. Call it after the receiver listens. */
  subscribe(callback?: WebhookTarget): Promise<Subscription>;
  close(): Promise<void>;
}

/** Larger than the gateway's own limit, and enough for every message. */
const BODY_MOST = 2 * 1024 * 1024;
/** Larger, because a contact's file arrives in base64. */
const CONTROL_BODY_MOST = 24 * 1024 * 1024;

/** Milliseconds between tries to listen again after an outage. */
const LISTEN_AGAIN_AFTER = 100;

const VERSION = '/:version(^v(?:1[3-9]|2[0-6])\\.0$)';

/** As on the platform, the version may be missing before the ID of an object. */
const versioned = (url: string): string =>
  url.replace(/^(?=\/(?:\d+(?:[/?]|$)|upload:|debug_token\b))/, '/v22.0');

/** Request property with the lines that the token or the address allows. */
const LINES = Symbol('lines');

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { log } = options;
  const contactsFile = options.dataFile ? await openContactsFile(options.dataFile) : undefined;
  const { wrote = [], identities = [], clockAhead = 0 } = contactsFile?.kept ?? {};
  const clock = new SandboxClock(options.now ?? (() => new Date()), clockAhead);
  const { now } = clock;
  const contacts = new ContactStore();
  identities.forEach((identity) => contacts.identify(identity));
  const conversations = new Conversations();
  wrote.forEach((entry) => conversations.wrote(entry));
  const accountStates = new AccountStates();
  const managed = new ManagedState();
  const callbacks = new Callbacks(options.callback, options.callbackWaits ?? CALLBACK_WAITS, log, {
    isSubscribed: (wabaId) => accountStates.of(wabaId).is_subscribed,
    overrideOf: (line) => managed.of(line).callbackUrl,
  });
  const delays = options.statusDelays ?? STATUS_DELAYS;
  const book = new Book();
  const timelines = new StatusTimelines({
    book,
    conversations,
    callbacks,
    delays,
    now,
    isPayable: (wabaId) => accountStates.of(wabaId).primary_funding_id !== null,
  });
  const templates = new TemplateStore(options.templates ?? STARTER_TEMPLATES);
  const reviews = new TemplateReviews({ templates, callbacks, now });
  const silent = new Set<Socket>();
  const conditions = new NetworkConditions(
    {
      stop: () => listening.stop(),
      resume: (closed) => listening.resume(closed),
    },
    () => silent.forEach((socket) => socket.destroy()),
  );

  const app = createServer(options, silent, {
    templates,
    reviews,
    lineStates: new LineStates(),
    accountStates,
    managed,
    contacts,
    conversations,
    paths: new PathSwitches(),
    failures: new FailureScripts(),
    conditions,
    callbacks,
    timelines,
    book,
    media: new MediaFiles(now),
    clock,
    now,
    wrote: async (...entries) => {
      entries.forEach((entry) => conversations.wrote(entry));
      await contactsFile?.append(...entries);
    },
    keep: async (...happened) => contactsFile?.append(...happened),
  });
  const listening = listeningOf(app, options);
  const close = async () => {
    conditions.close();
    await app.close();
    timelines.close();
    reviews.close();
    await callbacks.close();
    await contactsFile?.close();
  };
  const url = await app.listen({ host: options.host, port: options.port }).catch(async (failure) => {
    await close();
    throw failure;
  });
  log.info({ url }, 'sandbox listening');

  return { url, now, subscribe: (callback) => callbacks.subscribe(callback), close };
}

/**
 * Controls the port for outages: closes it after current requests are answered, and later opens the same port
 * again.
 */
function listeningOf(app: FastifyInstance, { host, log }: SandboxOptions): Listening {
  const { server } = app;
  let port: number | undefined;
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, () => {
        server.removeListener('error', reject);
        resolve();
      });
    });
  return {
    stop() {
      if (!server.listening) return;
      port = (server.address() as AddressInfo).port;
      server.close();
    },
    async resume(closed) {
      while (!server.listening && !closed.aborted) {
        await listen().catch(async (failure: unknown) => {
          log.warn({ err: failure }, 'sandbox cannot listen again yet');
          await sleep(LISTEN_AGAIN_AFTER);
        });
      }
      if (closed.aborted) server.close();
    },
  };
}

function createServer(options: SandboxOptions, silent: Set<Socket>, deps: SandboxDeps): FastifyInstance {
  const answer = answerRefusal.bind(undefined, options.log, silent);
  const app = Fastify({
    bodyLimit: BODY_MOST,
    forceCloseConnections: true,
    frameworkErrors: answer,
    rewriteUrl: ({ url = '/' }) => versioned(url),
    routerOptions: { ignoreTrailingSlash: true },
  });
  app.setErrorHandler(answer);
  app.setNotFoundHandler(refusePath);
  dateAnswers(app, deps.clock);
  readBodiesAsText(app);
  app.decorateRequest(LINES);

  app.register(async (graph) => {
    graph.addHook('onRequest', async (request) => {
      await deps.conditions.pass();
      const all = admitToken(request.headers, request.query as QueryParameters, options.lines());
      const lines = deps.accountStates.admit(all, scopeOf(request), deps.now());
      request.setDecorator(LINES, lines);
      const failure = deps.failures.next('everything', concernedBy(request.params, lines));
      if (failure?.as === 'fault') throw new TransportFault(failure.fault);
      if (failure) throw refusalOf(failure.error.code);
    });

    graph.post<OfObject>(`${VERSION}/:id/messages`, (request) =>
      acceptSend(deps, lineOf(request), parseJson(request.body)),
    );
    graph.get<OfObject>(`${VERSION}/:id/message_templates`, (request) =>
      listTemplates(deps.templates.of(accountOf(request)), request.query, addressOf(request)),
    );
    graph.post<OfObject>(`${VERSION}/:id/message_templates`, (request) =>
      createTemplate(deps, accountOf(request), parseJson(request.body)),
    );
    graph.delete<OfObject>(`${VERSION}/:id/message_templates`, (request) =>
      deleteTemplates(deps, accountOf(request), request.query),
    );
    graph.get<OfObject>(`${VERSION}/:id/phone_numbers`, (request) => {
      const nodes = linesOfAccount(request)
        .filter((line) => deps.lineStates.of(line).is_in_account)
        .map((line) => phoneFields(lineNode(deps, line), request.query));
      return page(nodes, request.query, addressOf(request));
    });
    graph.get<OfObject>(`${VERSION}/:id`, (request) => {
      const { id } = request.params;
      const found = templateOf(deps, request);
      if (admitted(request).some(({ wabaId }) => wabaId === id))
        return accountFields(deps, id, request.query);
      return found
        ? templateNode(found.template, request.query)
        : (describeMedia(deps.media, admitted(request), id, request.query, serverOf(request)) ??
            phoneFields(lineNode(deps, lineOf(request)), request.query));
    });
    graph.post<OfObject>(`${VERSION}/:id`, (request) => {
      const found = templateOf(deps, request);
      if (found) return editTemplate(deps, found.wabaId, found.template, parseJson(request.body));
      return editLine(deps, lineCall(request));
    });
    managementRoutes(graph, deps, options.lines);
    graph.delete<OfObject>(`${VERSION}/:id`, (request) =>
      deleteMedia(deps.media, admitted(request), request.params.id, request.query),
    );
    graph.get('/whatsapp_business/attachments/', (request, reply) =>
      sendContent(deps.media, admitted(request), request, reply),
    );
    graph.register(async (uploads) => {
      uploads.removeAllContentTypeParsers();
      uploads.addContentTypeParser('*', async () => undefined);
      uploads.post<OfObject>(`${VERSION}/:id/media`, (request) =>
        uploadMedia(deps.media, lineOf(request), request.query, request.raw),
      );
      uploads.post<OfObject>(`${VERSION}/upload:::code`, (request) =>
        continueUpload(deps, `upload:${request.params.code}`, request.raw),
      );
    });
  });

  app.register(async (control) => {
    control.addHook('onRequest', async (request) =>
      request.setDecorator(LINES, admitControl(request.headers, options.host, options.lines())),
    );
    for (const { method, path, example = {}, isForAll, handle } of CONTROL_ROUTES) {
      control.route<OfControl>({
        method,
        url: path,
        bodyLimit: CONTROL_BODY_MOST,
        handler: async (request) => {
          const lines = admitted(request);
          if (isForAll && lines.length < options.lines().length) {
            throw new ControlRefusal(
              'This concerns every line, and the access token does not open them all.',
              403,
            );
          }
          const { params, query } = request;
          return handle(deps, { lines, params, query, body: bodyOf(request.body, example) });
        },
      });
    }
  });
  return app;
}

/** Routes of what clients manage at the platform. */
function managementRoutes(graph: FastifyInstance, deps: SandboxDeps, lines: SandboxOptions['lines']): void {
  for (const [route, operate] of Object.entries(LINE_OPERATIONS)) {
    const [method = '', path] = route.split(' ');
    graph.route<OfObject>({
      method,
      url: `${VERSION}/:id/${path}`,
      handler: async (request) => operate(deps, lineCall(request)),
    });
  }
  graph.get<{ Querystring: QueryParameters }>(`${VERSION}/message_template_library`, (request) =>
    listLibrary(request.query, addressOf(request)),
  );
  graph.get<OfTemplate>(`${VERSION}/:id/message_templates/:template`, (request) =>
    templateNode(templateIn(deps, request), request.query),
  );
  graph.post<OfTemplate>(`${VERSION}/:id/message_templates/:template`, (request) =>
    editTemplate(deps, accountOf(request), templateIn(deps, request), parseJson(request.body)),
  );
  graph.get<OfObject>(`${VERSION}/:id/subscribed_apps`, (request) =>
    subscribedApps(deps, accountOf(request)),
  );
  for (const method of ['POST', 'DELETE'])
    graph.route<OfObject>({
      method,
      url: `${VERSION}/:id/subscribed_apps`,
      handler: async (request) => subscribe(deps, accountOf(request), method === 'POST'),
    });
  graph.post<OfObject>(`${VERSION}/:id/uploads`, (request) => beginUpload(deps, givenIn(request)));
  graph.get<OfObject>(`${VERSION}/upload:::code`, (request) =>
    readUpload(deps, `upload:${request.params.code}`),
  );
  graph.get<OfObject>(`${VERSION}/debug_token`, (request) => debugToken(deps, request.query, lines()));
}

interface OfObject {
  Params: { version: string; id: string; code?: string };
  Querystring: QueryParameters;
}

interface OfTemplate extends OfObject {
  Params: OfObject['Params'] & { template: string };
}

type RequestFailure = Error & { statusCode?: number };

interface OfControl {
  Params: ControlCall['params'];
  Querystring: QueryParameters;
}

/** Makes the `Date` header of answers wrong if the sandbox is told to. */
function dateAnswers(app: FastifyInstance, clock: SandboxClock): void {
  app.addHook('onSend', async (_request, reply) => {
    if (clock.headerAhead) reply.header('date', new Date(Date.now() + clock.headerAhead).toUTCString());
  });
}

/** Reads bodies as text. Graph treats an unparsable body as empty, so parsing must not refuse it first. */
function readBodiesAsText(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
}

/** Answers Graph errors in Graph's format and refusals of control routes as a sentence, always as JSON. */
function answerRefusal(
  log: SandboxLog,
  silent: Set<Socket>,
  failure: RequestFailure,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (failure instanceof TransportFault) return injectFault(failure, silent, request, reply);
  if (failure instanceof ControlRefusal) {
    return reply.code(failure.httpStatus).send({ error: { message: failure.message } });
  }
  const refusal = failure instanceof GraphRefusal ? failure : refusalFor(failure, request, log);
  if (refusal.httpStatus === 401) {
    reply.header('www-authenticate', `OAuth "Facebook Platform" "invalid_token" "${refusal.message}"`);
  }
  return reply.code(refusal.httpStatus).send({ error: refusal.error });
}

function refusePath(request: FastifyRequest): never {
  if (!/^\/sandbox(?:[/?]|$)/.test(request.url)) throw pathUnknown(request.url.replace(/\?.*$/s, ''));
  throw new ControlRefusal('There is no such control route; GET /sandbox lists them.', 404);
}

/**
 * Converts Fastify's own refusals, such as a body that is too large. Anything else is a bug of the sandbox.
 */
function refusalFor(failure: RequestFailure, request: FastifyRequest, log: SandboxLog): GraphRefusal {
  if (failure.statusCode === 413) return bodyTooLarge();
  if (failure.statusCode !== undefined && failure.statusCode < 500) {
    return new GraphRefusal(failure.statusCode, { message: `(#100) ${failure.message}`, code: 100 });
  }
  log.error({ err: failure, route: request.routeOptions.url }, 'sandbox request failed');
  return unexpectedFailure();
}

/** Returns the permission that a request of Graph needs; undefined for one that a token asks about itself. */
function scopeOf({ routeOptions: { url = '' } }: FastifyRequest): PlatformScope | undefined {
  if (url.endsWith('/debug_token')) return undefined;
  return /\/(?:messages|media|attachments\/?)$/.test(url)
    ? 'whatsapp_business_messaging'
    : 'whatsapp_business_management';
}

/** Lines that the request may use. */
const admitted = (request: FastifyRequest) => request.getDecorator<readonly SandboxLine[]>(LINES);

function lineOf(request: FastifyRequest<OfObject>): SandboxLine {
  const line = admitted(request).find((each) => each.phoneNumberId === request.params.id);
  if (!line) throw objectUnknown(request.method, request.params.id);
  return line;
}

/** The fields of a request: those of its query, and those of its body. */
function givenIn(request: FastifyRequest<OfObject>): JsonObject {
  const body = parseJson(request.body);
  const query = Object.entries(request.query).map(([name, value]) => [name, lastOf(value)]);
  return { ...Object.fromEntries(query), ...(isObject(body) && body) };
}

const lineCall = (request: FastifyRequest<OfObject>): LineCall => ({
  line: lineOf(request),
  query: request.query,
  given: givenIn(request),
  code: request.params.code ?? '',
  method: request.method,
  address: addressOf(request),
});

/**
 * Returns the lines whose scripted failures apply to a request: the lines of the ID in its path, or all lines
 * if the path names no line or account.
 */
function concernedBy(params: unknown, lines: readonly SandboxLine[]): string[] {
  const { id } = params as Partial<OfObject['Params']>;
  const named = lines.filter(({ phoneNumberId, wabaId }) => id === phoneNumberId || id === wabaId);
  return (named.length ? named : lines).map(({ phoneNumberId }) => phoneNumberId);
}

/** Returns the business account in the path; refuses one without any of the request's lines. */
function accountOf(request: FastifyRequest<OfObject>): string {
  linesOfAccount(request);
  return request.params.id;
}

const templateOf = (deps: SandboxDeps, request: FastifyRequest<OfObject>) =>
  deps.templates.find(
    admitted(request).map((line) => line.wabaId),
    request.params.id,
  );

/** Returns the template that the path names below its business account. */
function templateIn(deps: SandboxDeps, request: FastifyRequest<OfTemplate>): Template {
  const { template: id } = request.params;
  const found = deps.templates.find([accountOf(request)], id);
  if (!found) throw objectUnknown(request.method, id);
  return found.template;
}

/** Returns the request's lines in the business account; refuses an account with none. */
function linesOfAccount(request: FastifyRequest<OfObject>): SandboxLine[] {
  const lines = admitted(request).filter((each) => each.wabaId === request.params.id);
  if (lines.length === 0) throw objectUnknown(request.method, request.params.id);
  return lines;
}

/** Like the platform, defaults to the usual fields that have a value. */
const phoneFields = (node: Record<string, unknown>, query: QueryParameters) =>
  selectFields(
    node,
    lastOf(query.fields),
    PHONE_DEFAULT_FIELDS.filter((field) => Object.hasOwn(node, field)),
    'WhatsAppBusinessPhoneNumber',
  );

const serverOf = (request: FastifyRequest): string => `${request.protocol}://${request.host}`;

const addressOf = (request: FastifyRequest): string => `${serverOf(request)}${request.url.split('?')[0]}`;
