import { type FastifyRequest } from 'fastify';
import { callerAddress } from '../http/caller-address';
import { type Actor, type AuditEntry } from '../store/tables/audit';
import { audited, type Transaction } from '../store/with-audit';
import { type UserRow } from '../store/tables/users';
import { type KnownBrowser } from '../users/known-browser';
import { type EndedSession, type RequestOrigin, type Session } from '../users/sessions';
import { linesWithin, type Lines } from '../lines/line-registry';
import { recordLook, type LookedAt, type Shown } from '../messages/looks';
import { rightsOf, type Rights } from '../rights/grants';
import { reaching, type Reach } from '../rights/reach';
import { type Permission } from '../rights/roles';
import { withinRights } from '../within-rights';
import { type PanelDeps, type WholePanelDeps } from './dependencies';
import { formTokenOf } from './guard';
import { type Told } from './outcome';
import { type Look } from './ui/frame/look';

/** What a route needs of its visitor. `own`: any logged-in user; `anyone`: no log-in. */
export type Needed = Permission | 'own' | 'anyone';

/** Whose lines some are. Null: lines of no customer. */
export type CustomerSeen = { id: number; name: string } | null;

/** A request for a page, with or without a log-in. */
export interface RequestContext {
  /** Narrowed to the lines for which the visitor has the route's permission. */
  deps: PanelDeps;
  /** The same, narrowed by another permission. @param isFiltered whether `customer` applies */
  within(permission: Permission, isFiltered?: boolean): PanelDeps;
  /** The customers of all lines for which the visitor has the route's permission, by name. */
  customers(): CustomerSeen[];
  /**
   * The filter by customer, from the address: an id, `none` for lines without a customer, or empty. It narrows `deps`, so
   * that every list, count and chart of the page follows it.
   */
  customer: string;
  method: 'GET' | 'POST';
  /** With `/panel`, without the query. */
  path: string;
  /** The path with its query, for the way back. */
  address: string;
  /** The parameters of the route, such as `:id`. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** The submitted form of a POST. */
  form: FormData;
  /** The token for every form, which the panel checks. */
  formToken: string;
  from: RequestOrigin;
  /** The public URL of the gateway, or the URL of this request. Without a trailing slash. */
  gatewayUrl: string;
  /** The logged-in user; null before the log-in. */
  user: UserRow | null;
  session: Session | null;
  /**
   * Whether the user has a permission. Pages omit controls and links that the user may not use.
   * @param lineId for this line; null: for what belongs to no line, such as the settings of the gateway; without it: for
   * anything
   */
  may(permission: Permission, lineId?: number | null): boolean;
  /** The browser's expired session; null if none. */
  ended: EndedSession | null;
  /** The sealed log-in of this browser that is under way at a provider. */
  attempt: string | undefined;
  /** A notice to show once, usually the result of the last form. */
  notice: Told | null;
  /** The appearance chosen in this browser. */
  look: Look;
}

/** A request from a logged-in user with the route's permission. */
export interface UserContext extends RequestContext {
  user: UserRow;
  session: Session;
  actor: Actor;
  /** Makes a change and its audit entry in one transaction; see `store/with-audit.ts`. */
  audited<T>(
    entry: AuditEntry | ((changed: T) => AuditEntry | null),
    action: (transaction: Transaction) => Promise<T>,
  ): Promise<T>;
  /** Records in the audit that the user looks at messages. Every page that shows some calls it (`messages/looks.ts`). */
  looked(page: LookedAt, shown: readonly Shown[]): Promise<void>;
}

/** Adds the logged-in user to a request's context. */
export function userContext(whole: WholePanelDeps, open: RequestContext, session: Session): UserContext {
  const actor: Actor = { who: session.user.name, through: 'panel', address: open.from.address };
  return {
    ...open,
    user: session.user,
    session,
    actor,
    audited: (entry, change) => audited(whole, actor, entry, change),
    looked: (page, shown) =>
      recordLook(whole, actor, { id: session.user.id, grants: session.grants }, page, shown),
  };
}

/** What the cookies of a browser say. */
interface Browser {
  /** The session or visitor key, which the page's forms are bound to. */
  key: string;
  known: KnownBrowser | null;
  look: Look;
  attempt?: string | undefined;
}

/**
 * @param needed the permission of the route
 */
export function requestContext(
  whole: WholePanelDeps,
  request: FastifyRequest,
  { key, known, look, attempt }: Browser,
  form: FormData,
  session: Session | null,
  needed: Needed,
): RequestContext {
  const { searchParams: query } = new URL(request.url, 'http://panel');
  return {
    ...seenBy(whole, session, needed, query),
    method: request.method === 'POST' ? 'POST' : 'GET',
    path: pathOf(request),
    address: request.url,
    params: request.params as Record<string, string>,
    query,
    form,
    formToken: formTokenOf(key),
    from: {
      address: callerAddress(request),
      browser: String(request.headers['user-agent'] ?? ''),
      known,
      route: request.routeOptions.url ?? '',
    },
    gatewayUrl: whole.publicUrl ?? `http://${request.headers.host ?? 'localhost'}`,
    user: session?.user ?? null,
    session,
    ended: request.panelEnded,
    attempt,
    notice: noticeIn(session?.row.notice ?? null, pathOf(request)),
    look,
  };
}

/** The rights of a visitor; none before the log-in. */
export const rightsIn = (whole: WholePanelDeps, session: Session | null): Rights =>
  rightsOf(session?.grants ?? [], whole.lines.all);

/** What a visitor may see, with the rights of now. */
export function seenBy(
  whole: WholePanelDeps,
  session: Session | null,
  needed: Needed,
  query: URLSearchParams,
): Pick<RequestContext, 'deps' | 'may' | 'within' | 'customer' | 'customers'> {
  const rights = rightsIn(whole, session);
  const customer = customerIn(query);
  const may: RequestContext['may'] = (permission, lineId) => {
    if (lineId === undefined) return rights.may(permission);
    if (lineId === null) return rights.customers(permission) === 'all';
    const line = whole.lines.byId(lineId);
    return line !== null && rights.may(permission, line);
  };
  const within: RequestContext['within'] = (permission, isFiltered = true) => {
    const reach = rights.reach(permission);
    const lines = isFiltered && customer ? linesOf(whole.lines, reach, customer) : reach;
    return withinRights(whole, rights, permission, lines);
  };
  // Every role may read events, so pages without a permission of their own show the names of these lines.
  const permission = needed === 'own' || needed === 'anyone' ? 'events.read' : needed;
  const customers = () => customersOf(linesWithin(whole.lines, rights.reach(permission)));
  return { deps: within(permission), within, may, customer, customers };
}

/** An invalid filter matches no line, so that an action can't affect more than was chosen. */
function customerIn(query: URLSearchParams): string {
  const text = query.get('customer') ?? '';
  return /^(|none|[1-9]\d{0,8})$/.test(text) ? text : 'unknown';
}

function linesOf(lines: Lines, reach: Reach, customer: string): Reach {
  const reaches = reaching(reach);
  return lines
    .all()
    .filter(({ id, customerId }) => String(customerId ?? 'none') === customer && reaches(id))
    .map(({ id }) => id);
}

function customersOf(lines: Lines): CustomerSeen[] {
  const byId = new Map(
    lines
      .all()
      .map(({ customerId: id, customerName: name }): [number | null, CustomerSeen] => [
        id,
        id === null ? null : { id, name: name ?? String(id) },
      ]),
  );
  return [...byId.values()].toSorted((one, other) =>
    one && other ? one.name.localeCompare(other.name) : Number(one === null) - Number(other === null),
  );
}

/** The stored form of a notice: its tone, the path of the page to show it on, and the sentence. */
export const noticeText = ({ tone, sentence }: Told, path: string): string => `${tone} ${path} ${sentence}`;

/** Null on other pages, because the user may have several windows open. */
function noticeIn(stored: string | null, path: string): Told | null {
  const [, tone, where, sentence = ''] = /^(good|idle|warn|bad) (\S+) (.*)$/s.exec(stored ?? '') ?? [];
  return tone && where === path ? { tone: tone as Told['tone'], sentence } : null;
}

/** Whether the log-in is complete, including the code if one is required. */
export const isLoggedIn = (session: Session | null): session is Session =>
  session !== null && !session.row.awaits_code;

/** An address without its query. */
export const pathIn = (address: string): string => address.split(/[?#]/)[0] ?? '';
export const pathOf = ({ url }: FastifyRequest): string => pathIn(url);
