import { type PanelResponse } from './outcome';
import { type Needed, type RequestContext, type UserContext } from './request-context';

export interface PanelRoute {
  method: 'GET' | 'POST';
  /** The path below `/panel`. */
  url: string;
  permission: Needed;
  /** Completes "…, confirm your password", if the action needs a recent password; null if not. */
  confirmed: ((context: UserContext) => string | Promise<string>) | null;
  /** Whether the permission for some customers is not enough, because the page is about the whole gateway. */
  isGatewayWide: boolean;
  /** Whether it is open to users who must set up an authenticator app first. */
  isWithoutApp: boolean;
  /** Whether the `<Live>` parts are sent again when they change. */
  live: boolean;
  /** Largest body in bytes. */
  limit: number;
  handler(context: RequestContext): Promise<PanelResponse> | PanelResponse;
}

type Handler = (context: UserContext) => Promise<PanelResponse> | PanelResponse;
type Options = Partial<Pick<PanelRoute, 'confirmed' | 'isGatewayWide' | 'isWithoutApp' | 'live' | 'limit'>>;

const FORM_LIMIT = 256 * 1024;
/** In bytes; enough for a name, a password and a code. */
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
  isGatewayWide: false,
  isWithoutApp: false,
  live: false,
  limit: FORM_LIMIT,
  ...options,
  handler,
});

const loggedIn = (handler: Handler): PanelRoute['handler'] => handler as PanelRoute['handler'];

/** A GET route of a page. */
export const pageRoute = (
  needed: Exclude<Needed, 'anyone'>,
  url: string,
  handler: Handler,
  options?: Options,
): PanelRoute => route('GET', needed, url, loggedIn(handler), options);

/** A POST route of an action. */
export const actionRoute = (
  needed: Exclude<Needed, 'anyone'>,
  url: string,
  handler: Handler,
  options?: Options,
): PanelRoute => route('POST', needed, url, loggedIn(handler), options);

/** A route without log-in. */
export const publicRoute = (
  method: PanelRoute['method'],
  url: string,
  handler: PanelRoute['handler'],
): PanelRoute => route(method, 'anyone', url, handler, { limit: OPEN_FORM_LIMIT });
