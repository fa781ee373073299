import { type Readable } from 'node:stream';
import { type FastifyBaseLogger } from 'fastify';
import { type Alerts } from '../alerts/alerts';
import { type InvitationMail } from '../alerts/channels/invitation-mail';
import { type DestinationRegistry, type Destinations } from '../forwarding/destination-registry';
import { type Dispatcher } from '../forwarding/dispatcher';
import { type DestinationRules } from '../http/destination-address';
import { type HttpClient } from '../http/http-client';
import { type ChangeAtPlatform } from '../management/change-at-platform';
import { type LineRegistry, type Lines } from '../lines/line-registry';
import { type SubmitDeps } from '../management/drafts/submit-draft';
import { type WholeStore } from '../store/store';
import { type FollowedRegistry } from '../store/follow-registry';
import { type Vault } from '../store/vault';
import { type SendDeps } from '../sending/send';
import { type RateLimit } from '../primitives/rate-limit';
import { type LogInLimits, type PasswordLogIn } from '../users/log-in';
import { type LogInWatch } from '../users/log-in-watch';
import { type Provider } from '../users/oidc/provider-input';

/** A stored copy of the database. */
export interface Backup {
  /** The file name. */
  name: string;
  /** ISO time. */
  at: string;
  bytes: number;
}

/** The periodic backups of the gateway. */
export interface Backups {
  folder: string;
  /** Latest first. */
  list(): Backup[];
  /** ISO time of the next daily backup. */
  nextAt(): string;
  isRunning(): boolean;
  /** Why the last backup failed; null if it succeeded. */
  failure(): string | null;
  /** Makes a backup now. Resolves when the backup is complete or has failed. */
  make(): Promise<void>;
  /** @returns the content; null if the backup doesn't exist */
  open(name: string): Readable | null;
}

/** The dependencies of all pages. Store, lines and destinations are the parts that the visitor may see. */
export interface PanelDeps extends SendDeps {
  vault: Vault;
  registry: FollowedRegistry;
  changeAtPlatform: ChangeAtPlatform;
  lines: Lines;
  destinations: Destinations;
  rules: DestinationRules;
  dispatcher: Pick<Dispatcher, 'inFlightTo'>;
  /** For calls to destinations. */
  http: HttpClient;
  /** The callback for all lines, as configured on the platform. */
  callback: { appSecret: string | null; verifyToken: string | null };
  /** Sends a test alert immediately. */
  alerts: Pick<Alerts, 'sendTest'>;
  logInLimits: LogInLimits;
  invitationMail: InvitationMail;
  /** Whether every user must set up an authenticator app. */
  requiresApp: boolean;
  logInWatch: LogInWatch;
  passwordLogIn: PasswordLogIn;
  /** Log-in with OpenID Connect (`users/oidc/oidc.ts`). */
  providerHttp: HttpClient;
  providersOfSettings: readonly Provider[];
  oidcLimit: RateLimit | null;
  /** The public URL, from the settings; null if not set. */
  publicUrl: string | null;
  /** The URL of the embedded sandbox; null if the platform is real. */
  sandboxUrl: string | null;
  /** The token of the demo line of `npm start`; null without one. */
  demoToken: string | null;
  /** Null if no backup folder is set, or the database is PostgreSQL. */
  backups: Backups | null;
  /**
   * For changes of templates at the platform, which concern all lines of a business account. Pass only lines that the
   * visitor may see.
   */
  templateChanges: SubmitDeps;
  log: FastifyBaseLogger;
}

/** The dependencies of the panel, before they are narrowed to a visitor. */
export interface WholePanelDeps extends PanelDeps {
  store: WholeStore;
  lines: LineRegistry;
  destinations: DestinationRegistry;
}
