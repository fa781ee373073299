import { Fragment, h } from 'preact';
import { type IncomingMessage } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Refusal } from '../errors';
import { type arrivingBodies } from '../http/arriving-bodies';
import { callerAddress, rateLimitKey } from '../http/caller-address';
import { DAY, SECOND } from '../time';
import { openKnownBrowser, type KnownBrowser } from '../users/known-browser';
import { randomText } from '../users/secret-text';
import {
  findEndedSession,
  findSession,
  isConfirmed,
  markSeen,
  type EndedSession,
  type Session,
} from '../users/sessions';
import { assetAt } from './assets';
import { confirmPassword } from './account/confirm-password';
import { beneath, baseAddressOf, within, type BaseAddress } from './beneath-path';
import {
  cookieOf,
  formTokenOf,
  isFormToken,
  isOwnOrigin,
  SAFE_HEADERS,
  withMaskedToken,
  withPartHeaders,
} from './guard';
import { liveStreams } from './live-stream';
import { renderParts } from './ui/live';
import { inLanguage } from '../wording/language';
import { languageOf, lookText, readLook, type Look } from './ui/frame/look';
import { forgetTrouble, NO_TROUBLE, troubleOf } from './ui/frame/trouble';
import { Layout } from './ui/frame/layout';
import {
  renderErrorPage,
  errorPageOf,
  ERROR_PAGES,
  framedErrorPage,
  type ErrorPage,
} from './ui/frame/error-page';
import { encodingFor, pageSender, type PageVisitor } from './compressed';
import { alertPages } from './alerts/alerts';
import { alertChannelPages } from './alerts/channels';
import { alertRulePages } from './alerts/rules';
import { auditPages } from './account/audit';
import { composePages } from './compose/compose';
import { tryNowPages } from './destination/try-now';
import { eventPages } from './events/event';
import { eventsPages } from './events/events';
import { firstStepPages } from './overview/first-steps';
import { destinationPages } from './destination/destinations';
import { editLinePages } from './lines/edit-line';
import { linePages } from './lines/line';
import { linesPages } from './lines/lines';
import { newLinePages } from './lines/new-line';
import { optOutPages } from './lines/opt-outs';
import { switchLinePages } from './lines/switch-line';
import { logInAgain, logInPages, MOST_KEPT } from './account/log-in';
import { messagePages } from './messages/message';
import { messagesPages } from './messages/messages';
import { overviewPages } from './overview/overview';
import { phonePages, sandboxPages } from './phone/phone';
import { profilePages } from './account/profile';
import { backupPages } from './backups/backups';
import { contactActionPages } from './conversations/contact-actions';
import { conversationPages } from './conversations/conversation';
import { conversationsPages } from './conversations/conversations';
import { searchPages } from './search/search';
import { setUpPages } from './account/set-up';
import { templatePages } from './templates/templates';
import { tokenPages } from './lines/tokens';
import { userPages } from './account/users';
import { type Outcome, type Told } from './outcome';
import { type PanelRoute } from './panel-route';
import { userContext, type RequestContext } from './request-context';
import { type PanelDeps } from './dependencies';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the cookie that came with it. */
    panelSession: Session | null;
    /** The one in which it was, where that has ended by itself. */
    panelEnded: EndedSession | null;
  }
}

/** Every page, by the file that makes it. */
const PAGES: PanelRoute[] = [
  ...setUpPages,
  ...logInPages,
  ...firstStepPages,
  ...overviewPages,
  ...linesPages,
  ...switchLinePages,
  ...newLinePages,
  ...linePages,
  ...editLinePages,
  ...optOutPages,
  ...composePages,
  ...destinationPages,
  ...tryNowPages,
  ...tokenPages,
  ...templatePages,
  ...messagesPages,
  ...messagePages,
  ...eventsPages,
  ...eventPages,
  ...conversationsPages,
  ...conversationPages,
  ...contactActionPages,
  ...backupPages,
  ...searchPages,
  ...alertPages,
  ...alertChannelPages,
  ...alertRulePages,
  ...phonePages,
  ...profilePages,
  ...userPages,
  ...auditPages,
];

/** Those that a gateway has: what is written on a phone takes more memory than all other forms, and needs a sandbox. */
export const pagesOf = ({ sandboxUrl }: Pick<PanelDeps, 'sandboxUrl'>): PanelRoute[] =>
  sandboxUrl === null ? PAGES : [...PAGES, ...sandboxPages];

/** The control panel: everything beneath `/panel`, and `/`, which leads there. */
// eslint-disable-next-line max-lines-per-function -- hooks in the order in which they run
export function panelRoutes(
  app: FastifyInstance,
  deps: PanelDeps,
  bodies: ReturnType<typeof arrivingBodies>,
  warnOfProxy: (request: FastifyRequest) => void,
): void {
  const cookie = cookieOf('panel', deps.publicUrl);
  const knownCookie = cookieOf('panel-known', deps.publicUrl, (400 * DAY) / SECOND);
  const lookCookie = cookieOf('panel-look', deps.publicUrl, (400 * DAY) / SECOND);
  const base = baseAddressOf(deps.publicUrl);
  const streams = liveStreams();
  const sendPage = pageSender();
  const lookOf = (request: FastifyRequest) => readLook(lookCookie.read(request));
  const inItsLanguage = <T>(request: FastifyRequest, action: () => T): T =>
    inLanguage(languageOf(lookOf(request), request.headers['accept-language']), action);
  const showError = (reply: FastifyReply, page: () => ErrorPage) =>
    inItsLanguage(reply.request, () => {
      const { request } = reply;
      const { panelSession: session } = request;
      const error = page();
      if (![403, 404].includes(error.status) || !isIn(session)) return sendErrorPage(reply, error);
      // Who is logged in goes on from there.
      const browser = { key: session.key, known: null, look: lookOf(request) };
      const context = requestContext(deps, request, browser, new FormData(), session);
      return send(reply, context, framedErrorPage(error));
    });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
    bodies[isIn(request.panelSession) ? 'known' : 'stranger'](request, payload),
  );
  app.decorateRequest('panelSession', null);
  app.decorateRequest('panelEnded', null);
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ ...SAFE_HEADERS, 'cache-control': 'no-store' });
  });
  app.addHook('onSend', async (_request, reply) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string' && location.startsWith('/'))
      reply.header('location', base.path + location);
  });
  app.addHook('preClose', async () => streams.endAll());
  app.setErrorHandler((error, request, reply) => {
    if (errorPageOf(error).status >= 500 && !(error instanceof Refusal))
      request.log.error({ error, method: request.method, route: request.routeOptions.url }, 'request failed');
    return showError(reply, () => errorPageOf(error));
  });

  app.get('/', (_request, reply) => reply.redirect('/panel', 302));
  app.get('/panel/', (_request, reply) => reply.redirect('/panel', 302));
  app.get('/panel/assets/:file', (request, reply) => {
    const asset = assetAt(pathOf(request));
    if (!asset) return showError(reply, ERROR_PAGES.notFound);
    withPartHeaders(reply).headers({
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    const encoding = encodingFor(request);
    if (encoding) reply.header('content-encoding', encoding);
    return reply.type(asset.type).send(encoding ? asset.compressed[encoding] : asset.plain);
  });

  for (const route of pagesOf(deps))
    app.route({
      method: route.method,
      url: `/panel${route.url}`,
      bodyLimit: route.limit,
      // Before a body is read: whoever may not ask for a page sends nothing that is held.
      onRequest: async (request, reply) => {
        await findSessions(request);
        return refusalOf(route, request)?.(reply);
      },
      handler: (request, reply) => inItsLanguage(request, () => answer(route, request, reply)),
    });

  // Whatever else there is asked for.
  app.route({
    method: app.supportedMethods.filter((method) => method !== 'HEAD'),
    url: '/panel/*',
    onRequest: async (request, reply) => {
      await findSessions(request);
      return showError(reply, ERROR_PAGES.notFound);
    },
    handler: () => undefined,
  });

  async function findSessions(request: FastifyRequest): Promise<void> {
    const key = cookie.read(request);
    request.panelSession = await findSession(deps, key);
    request.panelEnded = request.panelSession ? null : await findEndedSession(deps, key);
  }

  /** @returns what is answered to whoever may not ask for this; null where he may */
  function refusalOf(
    route: PanelRoute,
    request: FastifyRequest,
  ): ((reply: FastifyReply) => FastifyReply | Promise<FastifyReply>) | null {
    const { panelSession: session } = request;
    // Told to stop asking.
    if (isForStream(request) && (!route.live || !isIn(session))) return (reply) => reply.code(204).send();
    const isOut = route.who !== 'anyone' && !isIn(session);
    if (isOut && !mayBeKept(route, request)) return (reply) => reply.redirect(logInAddress(request), 303);
    if (route.method === 'POST' && !isOwnOrigin(request, deps.publicUrl))
      return (reply) => showError(reply, ERROR_PAGES.foreign);
    if (isOut) return null;
    if (route.who === 'operator' && session?.user.role !== 'operator')
      return (reply) => showError(reply, ERROR_PAGES.forOperators);
    return null;
  }

  async function answer(
    route: PanelRoute,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | void> {
    const key = cookie.read(request);
    // It may have ended, or lost its role, while a form arrived.
    if (route.method === 'POST') await findSessions(request);
    const refused = refusalOf(route, request);
    if (refused) return refused(reply);
    const { panelSession: session } = request;

    // The key that forms are bound to, before somebody is logged in.
    const visitorKey = key !== undefined && /^[\w-]{43}$/.test(key) ? key : randomText();
    const form = await formOf(request);
    if (holdsNul(request, form)) return showError(reply, ERROR_PAGES.unreadable);
    if (route.method === 'POST') {
      if (!isFormToken(key, form.get('form_token'))) return showError(reply, ERROR_PAGES.oldForm);
    } else if (visitorKey !== key) reply.header('set-cookie', cookie.write(visitorKey));
    form.delete('form_token');

    if (route.method === 'POST') warnOfProxy(request);
    const known = openKnownBrowser(deps.vault, knownCookie.read(request));
    const context = requestContext(
      deps,
      request,
      { key: visitorKey, known, look: lookOf(request) },
      form,
      isIn(session) ? session : null,
    );
    if (!isIn(session)) {
      const outcome =
        route.who === 'anyone'
          ? route.handler({ ...context, session })
          : logInAgain(context, refererOf(request, base));
      return send(reply, context, await outcome);
    }
    const full = userContext(context, session);
    if (isForStream(request)) {
      const render = async () => {
        const still = await findSession(deps, session.key);
        if (!still) return null;
        const now = userContext(context, still);
        const outcome = await route.handler(now);
        if (outcome.kind !== 'page') return null;
        const { head, body } = outcome;
        return renderParts(h(Fragment, null, head, body), context.look, now).parts;
      };
      return streams.begin(withPartHeaders(reply), session.user.id, render, (html) =>
        beneath(base.path, withMaskedToken(html, context.formToken)),
      );
    }
    await markSeen(deps, session);
    if (route.confirmed && !isConfirmed(session, deps.clock())) {
      const asked = await confirmPassword(full, route.confirmed);
      if (asked) return send(reply, full, asked);
    }
    const outcome = await route.handler(full);
    if (route.method === 'POST') forgetTrouble(deps);
    return send(reply, full, outcome);
  }

  async function send(reply: FastifyReply, context: RequestContext, outcome: Outcome): Promise<FastifyReply> {
    if (outcome.look !== undefined) reply.header('set-cookie', lookCookie.write(lookText(outcome.look)));
    if (outcome.known !== undefined) reply.header('set-cookie', knownCookie.write(outcome.known));
    if (outcome.kind === 'file')
      return reply
        .headers(outcome.headers ?? {})
        .type(outcome.type)
        .send(outcome.content);
    if (outcome.kind === 'elsewhere') {
      if (outcome.cookie !== undefined) reply.header('set-cookie', cookie.write(outcome.cookie));
      if (outcome.notice !== null && context.session)
        await deps.store.sessions.update(context.session.row.hash, {
          notice: `${outcome.notice.tone} ${pathIn(outcome.path)} ${outcome.notice.sentence}`,
        });
      return reply.redirect(outcome.path, 303);
    }
    const { head, body, cookie: begun } = outcome;
    const formToken = begun === undefined ? context.formToken : formTokenOf(begun);
    const trouble = head ? await troubleOf(deps) : NO_TROUBLE;
    if (context.notice !== null && context.session)
      await deps.store.sessions.update(context.session.row.hash, { notice: null });
    if (outcome.retryAfter !== undefined) reply.header('retry-after', String(outcome.retryAfter));
    if (begun !== undefined) reply.header('set-cookie', cookie.write(begun));
    const visitor = visitorOf(context.session, context.from.known, reply.request);
    return sendPage(reply, outcome.status, visitor, () => {
      const shown = head ? Layout({ context, head, body, trouble }) : body;
      const { html } = renderParts(shown, context.look, { ...context, formToken });
      return beneath(base.path, withMaskedToken(html, formToken));
    });
  }

  function sendErrorPage(reply: FastifyReply, page: ErrorPage): Promise<FastifyReply> {
    const { request } = reply;
    if (page.retryAfter !== undefined) reply.header('retry-after', String(page.retryAfter));
    const { panelSession: session } = request;
    const visitor = visitorOf(isIn(session) ? session : null, null, request);
    return sendPage(reply, page.status, visitor, () =>
      beneath(base.path, renderParts(renderErrorPage(page), lookOf(request), null).html),
    );
  }
}

/** As a session holds it: its tone, the page that tells it, and the sentence. Other windows are on other pages. */
function toldIn(stored: string | null, path: string): Told | null {
  const [, tone, where, sentence = ''] = /^(good|idle|warn|bad) (\S+) (.*)$/s.exec(stored ?? '') ?? [];
  return tone && where === path ? { tone: tone as Told['tone'], sentence } : null;
}

/** The password was right, and the code too where one is asked for. */
const isIn = (session: Session | null): session is Session => session !== null && !session.row.awaits_code;

/** A browser that has logged in before stands for itself: many may come by one address, as through a proxy. */
const visitorOf = (
  session: Session | null,
  known: KnownBrowser | null,
  request: FastifyRequest,
): PageVisitor =>
  session
    ? { isLoggedIn: true, key: String(session.user.id) }
    : { isLoggedIn: false, key: known?.id ?? rateLimitKey(callerAddress(request)) };

/** The live parts of a page, which come as they change. */
const isForStream = ({ headers }: FastifyRequest): boolean =>
  String(headers.accept ?? '').startsWith('text/event-stream');

const pathIn = (address: string): string => address.split(/[?#]/)[0] ?? '';
const pathOf = ({ url }: FastifyRequest): string => pathIn(url);

/** Whether what is sent in a session that has ended is read, so that its form need not be filled in again. */
const mayBeKept = (route: PanelRoute, { panelEnded, headers }: FastifyRequest): boolean =>
  route.method === 'POST' && panelEnded !== null && Number(headers['content-length']) <= MOST_KEPT;

/** The page of this panel from which a form was sent, with its query; empty where the browser does not tell. */
function refererOf({ headers }: FastifyRequest, base: BaseAddress): string {
  const from = URL.parse(headers.referer ?? '');
  if (!from || ![headers.host, base.host].includes(from.host)) return '';
  return within(base.path, from.pathname + from.search);
}

/** Where to go on after it. */
function logInAddress(request: FastifyRequest): string {
  if (request.method !== 'GET' || pathOf(request) === '/panel') return '/panel/log-in';
  return `/panel/log-in?next=${encodeURIComponent(request.url)}`;
}

/** Nobody types it, and a database need not take it. */
const holdsNul = ({ url }: FastifyRequest, form: FormData): boolean =>
  /%00/.test(url) ||
  [...form].some(([name, value]) =>
    `${name}${typeof value === 'string' ? value : value.name}`.includes('\0'),
  );

/** What was sent, in either of the two forms that browsers have for it. */
async function formOf(request: FastifyRequest): Promise<FormData> {
  if (!Buffer.isBuffer(request.body)) return new FormData();
  const type = request.headers['content-type'] ?? '';
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type)) return new FormData();
  const body = new Uint8Array(request.body);
  return new Response(body, { headers: { 'content-type': type } }).formData().catch(() => new FormData());
}

function requestContext(
  deps: PanelDeps,
  request: FastifyRequest,
  { key, known, look }: { key: string; known: KnownBrowser | null; look: Look },
  form: FormData,
  session: Session | null,
): RequestContext {
  return {
    deps,
    method: request.method === 'POST' ? 'POST' : 'GET',
    path: pathOf(request),
    address: request.url,
    params: request.params as Record<string, string>,
    query: new URL(request.url, 'http://panel').searchParams,
    form,
    formToken: formTokenOf(key),
    from: {
      address: callerAddress(request),
      browser: String(request.headers['user-agent'] ?? ''),
      known,
      route: request.routeOptions.url ?? '',
    },
    gatewayUrl: deps.publicUrl ?? `http://${request.headers.host ?? 'localhost'}`,
    user: session?.user ?? null,
    session,
    ended: request.panelEnded,
    notice: toldIn(session?.row.notice ?? null, pathOf(request)),
    look,
  };
}
