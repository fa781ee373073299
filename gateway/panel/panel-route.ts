import { type PanelResponse } from './outcome';
import { type RequestContext, type UserContext } from './request-context';

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
  handler(context: RequestContext): Promise<PanelResponse> | PanelResponse;
}

type Handler = (context: UserContext) => Promise<PanelResponse> | PanelResponse;
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
