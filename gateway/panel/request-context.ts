import { type Actor, type AuditEntry } from '../store/tables/audit';
import { audited, type Transaction } from '../store/with-audit';
import { type UserRow } from '../store/tables/users';
import { type EndedSession, type Origin, type Session } from '../users/sessions';
import { type PanelDeps } from './dependencies';
import { type Told } from './outcome';
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
