import { type FastifyReply, type FastifyRequest } from 'fastify';
import { callerAddress, rateLimitKey } from '../http/caller-address';
import { type KnownBrowser } from '../users/known-browser';
import { type Session } from '../users/sessions';
import { inLanguage } from '../wording/language';
import { baseAddressOf, beneath, type BaseAddress } from './beneath-path';
import { pageSender, type PageVisitor } from './compressed';
import { type WholePanelDeps } from './dependencies';
import { formTokenOf, panelCookies, withMaskedToken, type PanelCookies } from './guard';
import { type PanelResponse, type PageResponse } from './outcome';
import { isLoggedIn, noticeText, pathIn, requestContext, type RequestContext } from './request-context';
import { framedErrorPage, renderErrorPage, type ErrorPage } from './ui/frame/error-page';
import { Layout } from './ui/frame/layout';
import { languageOf, lookText, readLook, type Look } from './ui/frame/look';
import { NO_TROUBLE, troubleOf } from './ui/frame/trouble';
import { renderParts } from './ui/live';

/** Sends the results of handlers: pages, redirects with a notice, files, and error pages. */
export class Replies {
  readonly cookies: PanelCookies;
  readonly base: BaseAddress;
  readonly #sendPage = pageSender();

  constructor(private readonly deps: WholePanelDeps) {
    this.cookies = panelCookies(deps.publicUrl);
    this.base = baseAddressOf(deps.publicUrl);
  }

  lookOf(request: FastifyRequest): Look {
    return readLook(this.cookies.look.read(request));
  }

  inItsLanguage<T>(request: FastifyRequest, action: () => T): T {
    return inLanguage(languageOf(this.lookOf(request), request.headers['accept-language']), action);
  }

  async send(reply: FastifyReply, context: RequestContext, outcome: PanelResponse): Promise<FastifyReply> {
    const { cookies, deps } = this;
    if (outcome.look !== undefined) reply.header('set-cookie', cookies.look.write(lookText(outcome.look)));
    if (outcome.known !== undefined) reply.header('set-cookie', cookies.known.write(outcome.known));
    if (outcome.attempt !== undefined) reply.header('set-cookie', cookies.attempt.write(outcome.attempt));
    if (outcome.kind === 'file')
      return reply
        .headers(outcome.headers ?? {})
        .type(outcome.type)
        .send(outcome.content);
    if (outcome.kind === 'page') return this.#sendPageOf(reply, context, outcome);
    if (outcome.cookie !== undefined) reply.header('set-cookie', cookies.session.write(outcome.cookie));
    if (outcome.notice !== null && context.session)
      await deps.store.sessions.update(context.session.row.hash, {
        notice: noticeText(outcome.notice, pathIn(outcome.path)),
      });
    return reply.redirect(outcome.path, 303);
  }

  async #sendPageOf(reply: FastifyReply, context: RequestContext, page: PageResponse): Promise<FastifyReply> {
    const { head, body, cookie } = page;
    const formToken = cookie === undefined ? context.formToken : formTokenOf(cookie);
    const trouble =
      head && !context.session?.needsApp ? await troubleOf(context.within('alerts.read', false)) : NO_TROUBLE;
    if (context.notice !== null && context.session)
      await this.deps.store.sessions.update(context.session.row.hash, { notice: null });
    if (page.retryAfter !== undefined) reply.header('retry-after', String(page.retryAfter));
    if (page.onward !== undefined) reply.header('refresh', `0; url=${page.onward}`);
    if (cookie !== undefined) reply.header('set-cookie', this.cookies.session.write(cookie));
    const visitor = visitorOf(context.session, context.from.known, reply.request);
    return this.#sendPage(reply, page.status, visitor, () => {
      const shown = head ? Layout({ context, head, body, trouble }) : body;
      const { html } = renderParts(shown, context.look, { ...context, formToken });
      return beneath(this.base.path, withMaskedToken(html, formToken));
    });
  }

  showError(reply: FastifyReply, page: () => ErrorPage): Promise<FastifyReply> {
    const { request } = reply;
    const { panelSession: session } = request;
    return this.inItsLanguage(request, () => {
      const error = page();
      if (![403, 404].includes(error.status) || !isLoggedIn(session) || session.needsApp)
        return this.#sendErrorPage(reply, error);
      // With the menu, so that the user can go on from here.
      const browser = { key: session.key, known: null, look: this.lookOf(request) };
      const context = requestContext(this.deps, request, browser, new FormData(), session, 'own');
      return this.send(reply, context, framedErrorPage(error));
    });
  }

  #sendErrorPage(reply: FastifyReply, page: ErrorPage): Promise<FastifyReply> {
    const { request } = reply;
    if (page.retryAfter !== undefined) reply.header('retry-after', String(page.retryAfter));
    const { panelSession: session } = request;
    const visitor = visitorOf(isLoggedIn(session) ? session : null, null, request);
    return this.#sendPage(reply, page.status, visitor, () =>
      beneath(this.base.path, renderParts(renderErrorPage(page), this.lookOf(request), null).html),
    );
  }
}

/** A known browser has its own turn, because many browsers can share one address behind a proxy. */
const visitorOf = (
  session: Session | null,
  known: KnownBrowser | null,
  request: FastifyRequest,
): PageVisitor =>
  session
    ? { isLoggedIn: true, key: String(session.user.id) }
    : { isLoggedIn: false, key: known?.id ?? rateLimitKey(callerAddress(request)) };
