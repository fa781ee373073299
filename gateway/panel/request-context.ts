import { type Readable } from 'node:stream';
import { type VNode } from 'preact';
import { type Actor, type AuditEntry } from '../store/tables/audit';
import { audited, type Transaction } from '../store/with-audit';
import { type UserRow } from '../store/tables/users';
import { type EndedSession, type Origin, type Session } from '../users/sessions';
import { type PanelDeps } from './dependencies';
import { type Look } from './ui/frame/look';

/** One request for a page, by anybody. */
export interface RequestContext {
  deps: PanelDeps;
  method: 'GET' | 'POST';
  /** With `/panel`, without query. */
  path: string;
  /** The path with its query, to come back to. */
  address: string;
  /** The parts of the path that the route names, as `:id`. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** What was sent, of a POST. */
  form: FormData;
  /** In every form; the panel checks it. */
  formToken: string;
  from: Origin;
  /** Where the gateway is reached: its public address, or that of this very request. No slash at its end. */
  gatewayUrl: string;
  /** Whoever is logged in; null where nobody is. */
  user: UserRow | null;
  session: Session | null;
  /** The session in which the browser was, where that has ended by itself. */
  ended: EndedSession | null;
  /** What came of the last form, to be told once. */
  notice: Told | null;
  /** As this browser is to show pages. */
  look: Look;
}

/** One request for a page, by somebody who is logged in and may ask for it. */
export interface UserContext extends RequestContext {
  user: UserRow;
  session: Session;
  /** False for a viewer: buttons and forms that change something are left out. */
  mayChange: boolean;
  actor: Actor;
  /** Makes a change together with its entry in the audit; see `store/with-audit.ts`. */
  audited<T>(
    entry: AuditEntry | ((changed: T) => AuditEntry | null),
    action: (transaction: Transaction) => Promise<T>,
  ): Promise<T>;
}

/** A sentence above the next page: `idle` where nothing was done. */
export interface Told {
  tone: 'good' | 'idle';
  sentence: string;
}

/** What a page's handler comes to. */
export type Outcome = (
  | {
      kind: 'page';
      title: string;
      body: VNode;
      /** 200 where it is not given; 422 for a form that has to be corrected. */
      status: number;
      /** Seconds. */
      retryAfter?: number;
      /** The session from now on; what the page's forms are bound to. */
      cookie?: string;
    }
  /** Another page, with what is to be told there. */
  | { kind: 'elsewhere'; path: string; notice: Told | null; cookie?: string | null }
  /** Anything else, as a picture. */
  | { kind: 'file'; type: string; content: Buffer | string | Readable; headers?: Record<string, string> }
) & {
  /** What the browser keeps from now on, as one in which somebody has logged in. */
  known?: string;
  /** How the browser is to show pages from now on. */
  look?: Look;
};

export type Page = Extract<Outcome, { kind: 'page' }>;

export const page = (title: string, body: VNode, status = 200, retryAfter?: number): Page => ({
  kind: 'page',
  title,
  body,
  status,
  retryAfter,
});

/** After a form that was taken: the browser asks for that page, and a reload of it repeats nothing. */
export const seeOther = (
  path: string,
  sentence: string | null = null,
  tone: Told['tone'] = 'good',
): Outcome => ({
  kind: 'elsewhere',
  path,
  notice: sentence === null ? null : { tone, sentence },
});

/** The same with another session: `null` ends the one there is. */
export const seeOtherAs = (cookie: string | null, path: string): Outcome => ({
  kind: 'elsewhere',
  path,
  notice: null,
  cookie,
});

export interface PanelRoute {
  method: 'GET' | 'POST';
  /** Beneath `/panel`. */
  url: string;
  who: 'anyone' | 'viewer' | 'operator';
  /** The password is asked for again where it was not given within ten minutes: what for. */
  confirmed: ((context: UserContext) => string | Promise<string>) | null;
  /** Its `<Live>` parts are sent again whenever they change. */
  live: boolean;
  /** Most bytes of what is sent. */
  limit: number;
  handler(context: RequestContext): Promise<Outcome> | Outcome;
}

type Handler = (context: UserContext) => Promise<Outcome> | Outcome;
type Options = Partial<Pick<PanelRoute, 'confirmed' | 'live' | 'limit'>>;

const FORM_LIMIT = 256 * 1024;
/** A name, a password, a code. */
const OPEN_FORM_LIMIT = 16 * 1024;

const route = (
  method: PanelRoute['method'],
  who: PanelRoute['who'],
  url: string,
  handler: PanelRoute['handler'],
  options: Options = {},
): PanelRoute => ({
  method,
  who,
  url,
  confirmed: null,
  live: false,
  limit: FORM_LIMIT,
  ...options,
  handler,
});

const loggedIn = (handler: Handler): PanelRoute['handler'] => handler as PanelRoute['handler'];

/** GET of a page that everybody who is logged in may see. */
export const viewerPage = (url: string, handler: Handler, options?: Options): PanelRoute =>
  route('GET', 'viewer', url, loggedIn(handler), options);

/** GET of a page that is of use to operators only, as a form. */
export const operatorPage = (url: string, handler: Handler, options?: Options): PanelRoute =>
  route('GET', 'operator', url, loggedIn(handler), options);

/** POST that changes something. */
export const operatorAction = (url: string, handler: Handler, options?: Options): PanelRoute =>
  route('POST', 'operator', url, loggedIn(handler), options);

/** POST that changes something of the user's own, as the password. */
export const viewerAction = (url: string, handler: Handler, options?: Options): PanelRoute =>
  route('POST', 'viewer', url, loggedIn(handler), options);

/** For people who are not logged in, and for anybody else. */
export const publicRoute = (
  method: PanelRoute['method'],
  url: string,
  handler: PanelRoute['handler'],
): PanelRoute => route(method, 'anyone', url, handler, { limit: OPEN_FORM_LIMIT });

/** Of an open visit, once it is known who comes. */
export function userContext(open: RequestContext, session: Session): UserContext {
  const { deps } = open;
  const actor: Actor = { who: session.user.name, through: 'panel', address: open.from.address };
  return {
    ...open,
    user: session.user,
    session,
    mayChange: session.user.role === 'operator',
    actor,
    audited: (entry, change) => audited(deps, actor, entry, change),
  };
}
