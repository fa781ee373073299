/**
 * The sandbox: a simulated upstream (WhatsApp Cloud API, Graph v13.0–v26.0) for trying everything without an account.
 * It is reached over HTTP as the real one is, knows nothing of the gateway, and has a second set of routes under
 * /sandbox by which a person or a test plays the contacts.
 *
 * Its lines are the caller's, who may add and remove some while it runs; its own state is in memory. A restart
 * forgets messages, and with them statuses that were still to come; it does not forget, given a `dataFile`, who wrote
 * when, because the customer service window hangs on it. Nothing that the sandbox's callbacks were told 200 for is
 * needed again.
 */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { admitToken } from './access-token';
import { PHONE_DEFAULT_FIELDS, phoneNode, type SandboxLine } from './account';
import { CALLBACK_WAITS, type Callback, Callbacks, type Subscription } from './callbacks';
import { openContactsFile } from './contacts-file';
import { admitControl } from './control-access';
import { ControlRefusal } from './control-refusal';
import { Conversations } from './conversations';
import { bodyTooLarge, GraphRefusal, objectUnknown, pathUnknown, unexpectedFailure } from './graph-errors';
import { lastOf, page, type Query, selectFields } from './graph-read';
import { parseJson } from './json';
import { deleteMedia, describeMedia, MediaFiles, sendContent, uploadMedia } from './media';
import { MessageJourneys, STATUS_DELAYS, type StatusDelays } from './message-journeys';
import { contactWrites, showConversation, showSandbox } from './phone';
import { type SandboxLog } from './sandbox-log';
import { acceptSend } from './send';
import { STARTER_TEMPLATES, type Template } from './starter-templates';
import { listTemplates } from './templates';
import { type World } from './world';

export interface SandboxOptions {
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** Asked anew at each request. */
  lines: () => readonly SandboxLine[];
  /** What every business account has to send; without it the starter templates. */
  templates?: readonly Template[];
  /** Where callbacks go from the start; `subscribe` may set another. */
  callback?: Callback;
  /** The file that remembers over a restart who wrote when. */
  dataFile?: string;
  statusDelays?: StatusDelays;
  /** Milliseconds from one try of a callback to the next; the last is repeated. */
  callbackWaits?: readonly number[];
  now?: () => Date;
  log: SandboxLog;
}

export interface Sandbox {
  url: string;
  /** Performs upstream's handshake with the callback, to be called once it listens. */
  subscribe(callback?: Callback): Promise<Subscription>;
  close(): Promise<void>;
}

/** More than the gateway takes from its customers, and enough for every message. */
const BODY_MOST = 2 * 1024 * 1024;

const VERSION = '/:version(^v(?:1[3-9]|2[0-6])\\.0$)';

/** Where a request carries the lines that its token, or its address, admits it to. */
const LINES = Symbol('lines');

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const now = options.now ?? (() => new Date());
  const conversations = new Conversations();
  const callbacks = new Callbacks(options.callback, options.callbackWaits ?? CALLBACK_WAITS, options.log);
  const delays = options.statusDelays ?? STATUS_DELAYS;
  const journeys = new MessageJourneys({ conversations, callbacks, delays, now });
  const contactsFile = options.dataFile ? await openContactsFile(options.dataFile) : undefined;
  contactsFile?.known.forEach((entry) => conversations.wrote(entry));

  const app = createServer(options, {
    templates: options.templates ?? STARTER_TEMPLATES,
    conversations,
    callbacks,
    journeys,
    media: new MediaFiles(now),
    now,
    wrote: async (entry) => {
      conversations.wrote(entry);
      await contactsFile?.append(entry);
    },
  });
  const close = async () => {
    await app.close();
    journeys.close();
    await callbacks.close();
    await contactsFile?.close();
  };
  const url = await app.listen({ host: options.host, port: options.port }).catch(async (failure) => {
    await close();
    throw failure;
  });
  options.log.info({ url }, 'sandbox listening');

  return { url, subscribe: (callback) => callbacks.subscribe(callback), close };
}

function createServer(options: SandboxOptions, world: World): FastifyInstance {
  const answer = answerRefusal.bind(undefined, options.log);
  const app = Fastify({ bodyLimit: BODY_MOST, forceCloseConnections: true, frameworkErrors: answer });
  app.setErrorHandler(answer);
  app.setNotFoundHandler(refusePath);
  readBodiesAsText(app);
  app.decorateRequest(LINES);

  app.register(async (graph) => {
    graph.addHook('onRequest', async (request) =>
      request.setDecorator(LINES, admitToken(request.headers, request.query as Query, options.lines())),
    );

    graph.post<OfObject>(`${VERSION}/:id/messages`, (request) =>
      acceptSend(world, lineOf(request), parseJson(request.body)),
    );
    graph.get<OfObject>(`${VERSION}/:id/message_templates`, (request) => {
      linesOfAccount(request); // for its refusal: every business account has the same templates
      return listTemplates(world.templates, request.query, addressOf(request));
    });
    graph.get<OfObject>(`${VERSION}/:id/phone_numbers`, (request) => {
      const nodes = linesOfAccount(request).map((line) => phoneFields(phoneNode(line), request.query));
      return page(nodes, request.query, addressOf(request));
    });
    graph.get<OfObject>(
      `${VERSION}/:id`,
      (request) =>
        describeMedia(world.media, admitted(request), request.params.id, request.query, serverOf(request)) ??
        phoneFields(phoneNode(lineOf(request)), request.query),
    );
    graph.delete<OfObject>(`${VERSION}/:id`, (request) =>
      deleteMedia(world.media, admitted(request), request.params.id, request.query),
    );
    graph.get('/whatsapp_business/attachments/', (request, reply) =>
      sendContent(world.media, admitted(request), request, reply),
    );
    graph.register(async (uploads) => {
      uploads.removeAllContentTypeParsers();
      uploads.addContentTypeParser('*', async () => undefined);
      uploads.post<OfObject>(`${VERSION}/:id/media`, (request) =>
        uploadMedia(world.media, lineOf(request), request.raw),
      );
    });
  });

  app.register(async (control) => {
    control.addHook('onRequest', async (request) =>
      request.setDecorator(LINES, admitControl(request.headers, options.host, options.lines())),
    );

    control.get('/sandbox', (request) => showSandbox(admitted(request)));
    control.get<OfContact>('/sandbox/contacts/:contact/messages', (request) =>
      showConversation(world, admitted(request), request.params.contact, lastOf(request.query.line)),
    );
    control.post<OfContact>('/sandbox/contacts/:contact/messages', (request) =>
      contactWrites(world, admitted(request), request.params.contact, parseJson(request.body)),
    );
  });
  return app;
}

interface OfObject {
  Params: { version: string; id: string };
  Querystring: Query;
}

type RequestFailure = Error & { statusCode?: number };

interface OfContact {
  Params: { contact: string };
  Querystring: Query;
}

/** Graph takes what it cannot read for an empty request, so no body is refused before it is judged. */
function readBodiesAsText(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
}

/** Of Graph in Graph's shape, of the control routes as a sentence; never anything but JSON. */
function answerRefusal(
  log: SandboxLog,
  failure: RequestFailure,
  request: FastifyRequest,
  reply: FastifyReply,
) {
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
  if (!/^\/sandbox(?:[/?]|$)/.test(request.url)) throw pathUnknown(request.url.split('?')[0]);
  throw new ControlRefusal('There is no such control route; GET /sandbox lists those that there are.', 404);
}

/** What Fastify itself refuses: too large a body, a request that is broken; the rest is our fault. */
function refusalFor(failure: RequestFailure, request: FastifyRequest, log: SandboxLog): GraphRefusal {
  if (failure.statusCode === 413) return bodyTooLarge();
  if (failure.statusCode !== undefined && failure.statusCode < 500) {
    return new GraphRefusal(failure.statusCode, { message: `(#100) ${failure.message}`, code: 100 });
  }
  log.error({ err: failure, route: request.routeOptions.url }, 'sandbox request failed');
  return unexpectedFailure();
}

/** The lines that the request was admitted to. */
const admitted = (request: FastifyRequest) => request.getDecorator<readonly SandboxLine[]>(LINES);

function lineOf(request: FastifyRequest<OfObject>): SandboxLine {
  const line = admitted(request).find((each) => each.phoneNumberId === request.params.id);
  if (!line) throw objectUnknown(request.method, request.params.id);
  return line;
}

/** At least one: a business account of none of the request's lines is refused. */
function linesOfAccount(request: FastifyRequest<OfObject>): SandboxLine[] {
  const lines = admitted(request).filter((each) => each.wabaId === request.params.id);
  if (lines.length === 0) throw objectUnknown(request.method, request.params.id);
  return lines;
}

const phoneFields = (node: Record<string, unknown>, query: Query) =>
  selectFields(node, lastOf(query.fields), PHONE_DEFAULT_FIELDS, 'WhatsAppBusinessPhoneNumber');

const serverOf = (request: FastifyRequest): string => `${request.protocol}://${request.host}`;

const addressOf = (request: FastifyRequest): string => `${serverOf(request)}${request.url.split('?')[0]}`;
