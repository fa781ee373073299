import { type FastifyRequest } from 'fastify';
import { type AdminToken } from '../../admin-tokens/admin-token';
import { type InvitationMail } from '../../alerts/channels/invitation-mail';
import { type AdminTokenRegistry } from '../../admin-tokens/admin-token-registry';
import { type Alerts } from '../../alerts/alerts';
import { type DestinationRules } from '../../http/destination-address';
import { type SubmitDeps } from '../../management/drafts/submit-draft';
import { type By, type Rights } from '../../rights/grants';
import { type Permission } from '../../rights/roles';
import { type Tables } from '../../store/store';
import { type Actor } from '../../store/tables/audit';
import { type SeenParts, type WholeParts } from '../../within-rights';
import { type ApiDeps, type OperationDescription } from '../operation';
import { type FieldNames } from './refused';

/** The dependencies of operations: the part of store, lines and destinations that the token may see. */
export interface AdminDeps extends Omit<ApiDeps, keyof WholeParts>, SeenParts {
  /** For URLs that operators enter. */
  rules: DestinationRules;
  invitationMail: InvitationMail;
  /** Null: the real platform. */
  sandboxUrl: string | null;
  adminTokens: AdminTokenRegistry;
  /** Sends a test alert immediately. */
  alerts: Pick<Alerts, 'sendTest'>;
  /** For changes of templates at the platform. Pass only lines that the token may see. */
  templateChanges: SubmitDeps;
}

export type WholeAdminDeps = Omit<AdminDeps, keyof WholeParts> & WholeParts;

/** A request with a valid admin token that has the permission of the operation. */
export interface AdminContext {
  request: FastifyRequest;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string | undefined>>;
  token: AdminToken;
  /** The grants of the token, for use cases. */
  by: Exclude<By, null>;
  rights: Rights;
  actor: Actor;
  /**
   * Narrowed to what the token may see with the permission of the operation. With `dry_run`, changes are rolled back;
   * with `If-Match`, they are refused if the object has changed.
   */
  deps: AdminDeps;
  /** The gateway's address for links in the answer, without a trailing slash. */
  address: string;
  /** For changes beyond the database, which cannot be rolled back: whether to check only. */
  isDryRun: boolean;
}

/** The result of an operation. */
export interface AdminAnswer {
  status: 200 | 201 | 204;
  /** The object as GET shows it, or a page of a list. */
  body?: object;
  /** Fields that only the answer to this request has. */
  secrets?: object;
  /** The path of the object that was made, after `/v1`. */
  location?: string;
}

export const found = (body: object): AdminAnswer => ({ status: 200, body });

/** @param location the path after `/v1` @param secrets fields that are never shown again */
export const made = (location: string, body: object, secrets?: object): AdminAnswer => ({
  status: 201,
  body,
  location,
  ...(secrets && { secrets }),
});

export const done: AdminAnswer = { status: 204 };

/** An operation of the management API, for programs of those who run the gateway. */
export interface AdminOperation extends OperationDescription {
  rate: 'reads' | 'changes';
  /** Null: any valid token. */
  permission: Permission | null;
  /** The fields that use cases call otherwise. */
  fields?: FieldNames;
  /**
   * The object in the path, as GET shows it, for `If-Match`; null if PUT makes it.
   * @param store of the transaction that changes it
   * @throws Refusal if the token does not see it
   */
  object?: (context: AdminContext, store: Tables) => Promise<object | null>;
  handler: (context: AdminContext) => Promise<AdminAnswer>;
}
