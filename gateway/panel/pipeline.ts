import { Fragment, h } from 'preact';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { notPermitted, Refusal } from '../errors';
import { type arrivingBodies } from '../http/arriving-bodies';
import { logOf } from '../http/trace-context';
import { openKnownBrowser } from '../users/known-browser';
import { SECOND } from '../time';
import { randomText } from '../users/secret-text';
import {
  findEndedSession,
  findSession,
  isConfirmed,
  markSeen,
  type EndedSession,
  type Session,
} from '../users/sessions';
import { confirmPassword } from './account/confirm-password';
import { MOST_KEPT } from './account/kept-form';
import { logInAgain } from './account/log-in';
import { assetAt } from './assets';
import { serveBackChannel } from './back-channel';
import { beneath, within, type BaseAddress } from './beneath-path';
import { encodingFor } from './compressed';
import { type WholePanelDeps } from './dependencies';
import { isFormToken, isOwnOrigin, SAFE_HEADERS, withMaskedToken, withPartHeaders } from './guard';
import { liveStreams } from './live-stream';
import { type PanelRoute } from './panel-route';
import { Replies } from './replies';
import {
  isLoggedIn,
  pathOf,
  requestContext,
  rightsIn,
  seenBy,
  userContext,
  type UserContext,
} from './request-context';
import { ERROR_PAGES, errorPageOf } from './ui/frame/error-page';
import { forgetTrouble } from './ui/frame/trouble';
import { renderParts } from './ui/live';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of the request's cookie; null if none is valid. */
    panelSession: Session | null;
    /** The session of the request's cookie if it expired; else null. */
    panelEnded: EndedSession | null;
  }
}

/**
 * Serves `/panel` and redirects `/` to it. Each request passes in order: session, permission, POST origin,
 * body, form token, password confirmation, handler.
 */
export function servePanel(
  app: FastifyInstance,
  routes: PanelRoute[],
  deps: WholePanelDeps,
  bodies: ReturnType<typeof arrivingBodies>,
  warnOfProxy: (request: FastifyRequest) => void,
): void {
  const replies = new Replies(deps);
  const pipeline = new Pipeline(deps, replies, warnOfProxy);

  app.addHook('preValidation', (request, reply) =>
    bodies[isLoggedIn(request.panelSession) ? 'known' : 'stranger'](request, reply),
  );
  app.decorateRequest('panelSession', null);
  app.decorateRequest('panelEnded', null);
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ ...SAFE_HEADERS, 'cache-control': 'no-store' });
  });
  app.addHook('onSend', async (_request, reply) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string' && location.startsWith('/'))
      reply.header('location', replies.base.path + location);
  });
  app.addHook('preClose', async () => pipeline.streams.endAll());
  app.setErrorHandler((error, request, reply) => {
    if (errorPageOf(error).status >= 500 && !(error instanceof Refusal))
      logOf(request).error(
        { error, method: request.method, route: request.routeOptions.url },
        'request failed',
      );
    return replies.showError(reply, () => errorPageOf(error));
  });

  app.get('/', (_request, reply) => reply.redirect('/panel', 302));
  app.get('/panel/', (_request, reply) => reply.redirect('/panel', 302));
  app.get('/panel/assets/:file', (request, reply) => {
    const asset = assetAt(pathOf(request));
    if (!asset) return replies.showError(reply, ERROR_PAGES.notFound);
    withPartHeaders(reply).headers({
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    // Only images (SVG) can run scripts when opened as a page, so other assets need no policy.
    if (!asset.type.startsWith('image/')) reply.removeHeader('content-security-policy');
    const encoding = encodingFor(request);
    if (encoding) reply.header('content-encoding', encoding);
    return reply.type(asset.type).send(encoding ? asset.compressed[encoding] : asset.plain);
  });

  serveBackChannel(app, deps);

  for (const route of routes)
    app.route({
      method: route.method,
      url: `/panel${route.url}`,
      bodyLimit: route.limit,
      // Checked before the body is read, so that strangers cannot fill the memory.
      onRequest: async (request, reply) => {
        await pipeline.findSessions(request);
        return pipeline.refusalOf(route, request)?.(reply);
      },
      handler: (request, reply) =>
        replies.inItsLanguage(request, () => pipeline.answer(route, request, reply)),
    });

  // Unknown addresses.
  app.route({
    method: app.supportedMethods.filter((method) => method !== 'HEAD'),
    url: '/panel/*',
    onRequest: async (request, reply) => {
      await pipeline.findSessions(request);
      return replies.showError(reply, ERROR_PAGES.notFound);
    },
    handler: () => undefined,
  });
}

/** Half of the second within which a lost right must take effect. */
const RIGHTS_CHECKED_EVERY = SECOND / 2;

type Refuse = (reply: FastifyReply) => FastifyReply | Promise<FastifyReply>;

/** The stages before a handler. */
class Pipeline {
  readonly streams = liveStreams();

  constructor(
    private readonly deps: WholePanelDeps,
    private readonly replies: Replies,
    private readonly warnOfProxy: (request: FastifyRequest) => void,
  ) {}

  async findSessions(request: FastifyRequest): Promise<void> {
    const key = this.replies.cookies.session.read(request);
    request.panelSession = await findSession(this.deps, key);
    request.panelEnded = request.panelSession ? null : await findEndedSession(this.deps, key);
  }

  /** @returns the answer to a refused request; null if the request is allowed */
  refusalOf(route: PanelRoute, request: FastifyRequest): Refuse | null {
    const { panelSession: session } = request;
    // 204 stops an EventSource.
    if (isForStream(request) && (!route.live || !isLoggedIn(session) || needsApp(route, session)))
      return (reply) => reply.code(204).send();
    const isOut = route.permission !== 'anyone' && !isLoggedIn(session);
    if (isOut && !mayBeKept(route, request)) return (reply) => reply.redirect(logInAddress(request), 303);
    if (route.method === 'POST' && !isOwnOrigin(request, this.deps.publicUrl))
      return (reply) => this.replies.showError(reply, ERROR_PAGES.foreign);
    if (isOut) return null;
    if (needsApp(route, session)) return (reply) => reply.redirect(APP_PAGE, 303);
    return this.#mayOpen(route, session)
      ? null
      : (reply) => this.replies.showError(reply, ERROR_PAGES.notPermitted);
  }

  #mayOpen({ permission, isGatewayWide }: PanelRoute, session: Session | null): boolean {
    if (permission === 'anyone') return true;
    if (session === null || permission === 'own') return session !== null;
    const rights = rightsIn(this.deps, session);
    return isGatewayWide ? rights.customers(permission) === 'all' : rights.may(permission);
  }

  async answer(
    route: PanelRoute,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | void> {
    const { deps, replies } = this;
    const { cookies, base } = replies;
    const key = cookies.session.read(request);
    // While the form arrived, the session may have ended or the user may have lost a role.
    if (route.method === 'POST') await this.findSessions(request);
    const refuse = this.refusalOf(route, request);
    if (refuse) return refuse(reply);
    const { panelSession: session } = request;

    // Before the log-in, forms are bound to this key.
    const visitorKey = key !== undefined && /^[\w-]{43}$/.test(key) ? key : randomText();
    const form = await formOf(request);
    if (holdsNul(request, form)) return replies.showError(reply, ERROR_PAGES.unreadable);
    if (route.method === 'POST') {
      if (!isFormToken(key, form.get('form_token'))) return replies.showError(reply, ERROR_PAGES.oldForm);
    } else if (visitorKey !== key) reply.header('set-cookie', cookies.session.write(visitorKey));
    form.delete('form_token');

    if (route.method === 'POST') this.warnOfProxy(request);
    const known = openKnownBrowser(deps.vault, cookies.known.read(request));
    const attempt = cookies.attempt.read(request);
    const browser = { key: visitorKey, known, look: replies.lookOf(request), attempt };
    const user = isLoggedIn(session) ? session : null;
    const { permission } = route;
    const context = requestContext(deps, request, browser, form, user, permission);
    if (user) return this.#answerUser(route, reply, userContext(deps, context, user));
    const outcome =
      route.permission === 'anyone'
        ? route.handler({ ...context, session })
        : logInAgain(context, refererOf(request, base));
    return replies.send(reply, context, await outcome);
  }

  async #answerUser(
    route: PanelRoute,
    reply: FastifyReply,
    context: UserContext,
  ): Promise<FastifyReply | void> {
    const { deps, replies } = this;
    const { session } = context;
    if (isForStream(reply.request)) return this.#stream(route, reply, context);
    await markSeen(deps, session);
    if (route.confirmed && !isConfirmed(session, deps.clock())) {
      const asked = await confirmPassword(context, route.confirmed);
      if (asked) return replies.send(reply, context, asked);
    }
    const outcome = await route.handler(context);
    if (route.method === 'POST') forgetTrouble(deps);
    if (outcome.kind === 'file' && outcome.content instanceof Readable)
      outcome.content = Readable.from(this.#whilePermitted(session, outcome.content));
    return replies.send(reply, context, outcome);
  }

  /** A long download, which breaks off if the session ends or the user's roles change. */
  async *#whilePermitted(session: Session, content: Readable): AsyncGenerator<unknown> {
    let checkedAt = performance.now();
    for await (const chunk of content) {
      if (performance.now() - checkedAt > RIGHTS_CHECKED_EVERY) {
        const still = await findSession(this.deps, session.key);
        if (!still || still.needsApp || !isDeepStrictEqual(still.grants, session.grants))
          throw notPermitted();
        checkedAt = performance.now();
      }
      yield chunk;
    }
  }

  #stream(route: PanelRoute, reply: FastifyReply, context: UserContext): void {
    const { deps, replies } = this;
    const { session, look, formToken } = context;
    const render = async () => {
      const still = await findSession(deps, session.key);
      if (!still || needsApp(route, still) || !this.#mayOpen(route, still)) return null;
      const seen = seenBy(deps, still, route.permission, context.query);
      const now = userContext(deps, { ...context, ...seen }, still);
      const outcome = await route.handler(now);
      if (outcome.kind !== 'page') return null;
      const { head, body } = outcome;
      return renderParts(h(Fragment, null, head, body), look, now).parts;
    };
    this.streams.begin(withPartHeaders(reply), session.user.id, render, (html) =>
      beneath(replies.base.path, withMaskedToken(html, formToken)),
    );
  }
}

/** The page to set up an authenticator app, the only one for users who must have one and have none. */
const APP_PAGE = '/panel/profile/app';

const needsApp = ({ permission, isWithoutApp }: PanelRoute, session: Session | null): boolean =>
  permission !== 'anyone' && !isWithoutApp && session !== null && session.needsApp;

/** Whether the request is for the live parts of a page. */
const isForStream = ({ headers }: FastifyRequest): boolean =>
  String(headers.accept ?? '').startsWith('text/event-stream');

/** Whether the form of an expired session is read and kept until the user has logged in again. */
const mayBeKept = (route: PanelRoute, { panelEnded, headers }: FastifyRequest): boolean =>
  route.method === 'POST' && panelEnded !== null && Number(headers['content-length']) <= MOST_KEPT;

/** The panel page from which a form was submitted, with its query; empty if the browser doesn't send it. */
function refererOf({ headers }: FastifyRequest, base: BaseAddress): string {
  const from = URL.parse(headers.referer ?? '');
  if (!from || ![headers.host, base.host].includes(from.host)) return '';
  return within(base.path, from.pathname + from.search);
}

/** The log-in page, which redirects to the requested page afterwards. */
function logInAddress(request: FastifyRequest): string {
  if (request.method !== 'GET' || pathOf(request) === '/panel') return '/panel/log-in';
  return `/panel/log-in?next=${encodeURIComponent(request.url)}`;
}

/** Users don't type NUL characters, and PostgreSQL cannot store them. */
const holdsNul = ({ url }: FastifyRequest, form: FormData): boolean =>
  /%00/.test(url) ||
  [...form].some(([name, value]) =>
    `${name}${typeof value === 'string' ? value : value.name}`.includes('\0'),
  );

/** Parses a form, in either content type that browsers send. */
async function formOf(request: FastifyRequest): Promise<FormData> {
  if (!Buffer.isBuffer(request.body)) return new FormData();
  const type = request.headers['content-type'] ?? '';
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type)) return new FormData();
  const body = new Uint8Array(request.body);
  return new Response(body, { headers: { 'content-type': type } }).formData().catch(() => new FormData());
}
