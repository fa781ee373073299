import { type Said } from '../wording/facts';
import { saidOfPause } from './failures';
import { type DestinationRow } from '../store/tables/destinations';
import { type DestinationMode } from '../store/schema';
import { type Vault } from '../store/vault';

/**
 * The event kinds that a destination can subscribe to. `read` includes `played`; `echoes` are messages sent by the
 * business from its phone app; `account` covers every event that concerns no single message.
 */
export const EVENT_KINDS = ['messages', 'sent', 'delivered', 'read', 'failed', 'echoes', 'account'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** The kinds that a destination receives by default: echoes and account events are off. */
export const DEFAULT_EVENT_KINDS: readonly EventKind[] = ['messages', 'sent', 'delivered', 'read', 'failed'];

/** A URL that receives a line's events. */
export interface Destination {
  id: number;
  lineId: number;
  url: string;
  secret: string;
  /** Newest first. */
  previousSecrets: PreviousSecret[];
  /** Custom headers, sent with every event in addition to the gateway's own. */
  headers: Record<string, string>;
  origin: DestinationRow['origin'];
  /**
   * The line token that added the destination, or the first one of its chain of replacements. Null if another token or an
   * operator added it, or if unknown.
   */
  tokenId: number | null;
  /** The admin token that added it; null if none did. */
  adminTokenId: number | null;
  mode: DestinationMode;
  events: readonly EventKind[];
  /**
   * Seconds without a message from the contact before its messages are sent as one event; null: each is sent
   * immediately.
   */
  quietSeconds: number | null;
  createdAt: string;
  expiresAt: string | null;
  pausedAt: string | null;
  pausedBecause: Said | null;
  /**
   * Start of the current failure, its latest cause, and the last probe while the breaker was open; as of the last
   * registry read.
   */
  failingSince: string | null;
  lastFailure: string | null;
  lastTriedAt: string | null;
  /**
   * The part of the time since `failingSince` that counts toward the automatic pause; as of the last registry read.
   */
  failingSeconds: number;
  /** Time of the last "try now" request. */
  tryNowAt: string | null;
}

/** A replaced secret that also signs until an ISO time, so that the receiver has time to change. */
export interface PreviousSecret {
  secret: string;
  until: string;
}

/** The most previous secrets that sign at a time. The oldest one stops signing first. */
export const MOST_PREVIOUS_SECRETS = 5;

/** The previous secrets that still sign, newest first. */
export const stillSigning = (
  { previousSecrets }: Pick<Destination, 'previousSecrets'>,
  now: number,
): PreviousSecret[] => previousSecrets.filter(({ until }) => now < Date.parse(until));

export const destinationOf = (row: DestinationRow, vault: Vault): Destination => ({
  id: row.id,
  lineId: row.line_id,
  url: row.url,
  secret: vault.open('destinations.secret', row.secret_sealed),
  previousSecrets: previousSecretsOf(row, vault),
  headers:
    row.headers_sealed === null
      ? {}
      : (JSON.parse(vault.open('destinations.headers', row.headers_sealed)) as Record<string, string>),
  origin: row.origin,
  tokenId: row.token_id,
  adminTokenId: row.admin_token_id,
  mode: row.mode,
  events: JSON.parse(row.events) as EventKind[],
  quietSeconds: row.quiet_seconds,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  pausedAt: row.paused_at,
  pausedBecause: saidOfPause(row),
  failingSince: row.failing_since,
  lastFailure: row.last_failure,
  lastTriedAt: row.last_tried_at,
  failingSeconds: row.failing_seconds,
  tryNowAt: row.try_now_at,
});

function previousSecretsOf(
  { previous_secret_sealed: sealed, previous_secret_until: until }: DestinationRow,
  vault: Vault,
): PreviousSecret[] {
  if (sealed === null) return [];
  const text = vault.open('destinations.secret', sealed);
  return until === null ? (JSON.parse(text) as PreviousSecret[]) : [{ secret: text, until }];
}

/** An unknown status goes to every destination that receives any status, so that none misses it. */
const STATUS_KINDS: readonly EventKind[] = ['sent', 'delivered', 'read', 'failed'];

/**
 * Whether the destination subscribes to an event with this subject and kind (as named in
 * `cloud-api/notification.ts`).
 */
export function wants(
  { events }: Pick<Destination, 'events'>,
  { subject, kind }: { subject: 'message' | 'echo' | 'messageStatus' | 'account'; kind: string },
): boolean {
  if (subject === 'message') return events.includes('messages');
  if (subject === 'echo') return events.includes('echoes');
  if (subject === 'account') return events.includes('account');
  const asked = kind === 'played' ? 'read' : kind;
  return STATUS_KINDS.includes(asked as EventKind)
    ? events.includes(asked as EventKind)
    : events.some((wanted) => STATUS_KINDS.includes(wanted));
}

/** The longest `quietSeconds` of a destination. */
export const LONGEST_QUIET = 300;

/** Whether the destination groups this message until the contact pauses. */
export const waitsForPause = (
  { quietSeconds, mode }: Pick<Destination, 'quietSeconds' | 'mode'>,
  { subject, contact }: { subject: string; contact: string | null },
): boolean => quietSeconds !== null && mode === 'split' && subject === 'message' && contact !== null;

/** Whether a customer added the destination, with a line token. */
export const isOfCustomer = ({ origin }: Pick<Destination, 'origin'>): boolean =>
  origin === 'token' || origin === 'question';

/** Whether the destination delivers answers to questions, each to its own callback URL. */
export const isOfQuestions = ({ origin }: Pick<Destination, 'origin'>): boolean => origin === 'question';

/** Whether the destination is known not to accept events. Probes still try it, unless it is paused. */
export const isHeldBack = (one: Pick<DestinationRow, 'paused_at' | 'failing_since'>): boolean =>
  one.paused_at === null && one.failing_since !== null;
