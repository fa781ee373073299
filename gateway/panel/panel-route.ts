import { type Permission } from '../rights/roles';
import { type PanelResponse } from './outcome';
import { type RequestContext, type UserContext } from './request-context';

export interface PanelRoute {
  method: 'GET' | 'POST';
  /** Beneath `/panel`. */
  url: string;
  /** What a visitor needs: `own` a session, `anyone` nothing. */
  permission: Permission | 'own' | 'anyone';
  /** The purpose of the action, if it requires the password again after ten minutes. */
  confirmed: ((context: UserContext) => string | Promise<string>) | null;
  /** Its `<Live>` parts are sent again whenever they change. */
  live: boolean;
  /** Most bytes of the body. */
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
  permission: PanelRoute['permission'],
  url: string,
  handler: PanelRoute['handler'],
  options: Options = {},
): PanelRoute => ({
  method,
  permission,
  url,
  confirmed: null,
  live: false,
  limit: FORM_LIMIT,
  ...options,
  handler,
});

const loggedIn = (handler: Handler): PanelRoute['handler'] => handler as PanelRoute['handler'];

type Needed = Permission | 'own';

/** GET of a page. */
export const pageRoute = (needed: Needed, url: string, handler: Handler, options?: Options): PanelRoute =>
  route('GET', needed, url, loggedIn(handler), options);

/** POST that changes something. */
export const actionRoute = (needed: Needed, url: string, handler: Handler, options?: Options): PanelRoute =>
  route('POST', needed, url, loggedIn(handler), options);

/** For people who are not logged in, and for anybody else. */
export const publicRoute = (
  method: PanelRoute['method'],
  url: string,
  handler: PanelRoute['handler'],
): PanelRoute => route(method, 'anyone', url, handler, { limit: OPEN_FORM_LIMIT });
