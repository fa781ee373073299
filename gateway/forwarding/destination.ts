import { type Said } from '../wording/facts';
import { saidOfPause } from './failures';
import { type DestinationRow } from '../store/tables/destinations';
import { type DestinationMode } from '../store/schema';
import { type Vault } from '../store/vault';

/**
 * What a destination may ask for. `read` includes `played`; `echoes` are messages that the business sent from its phone
 * app; `account` is everything that concerns no single message.
 */
export const EVENT_KINDS = ['messages', 'sent', 'delivered', 'read', 'failed', 'echoes', 'account'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** What a destination receives that does not say: echoes and account events are off. */
export const DEFAULT_EVENT_KINDS: readonly EventKind[] = ['messages', 'sent', 'delivered', 'read', 'failed'];

/** Where a line's events go. */
export interface Destination {
  id: number;
  lineId: number;
  url: string;
  secret: string;
  /** Those before it, the newest first. */
  previousSecrets: PreviousSecret[];
  /** Sent with every event, beside the gateway's own. */
  headers: Record<string, string>;
  origin: DestinationRow['origin'];
  /** The token that added it, or the first of those that it replaced; null where an operator did, or nobody knows. */
  tokenId: number | null;
  mode: DestinationMode;
  events: readonly EventKind[];
  /** For so long a contact has to be silent before its messages go there, all as one event; null: at once. */
  quietSeconds: number | null;
  createdAt: string;
  expiresAt: string | null;
  pausedAt: string | null;
  pausedBecause: Said | null;
  /** Since when nothing but failures came of it, the latest of them, and its last try while it is left alone; as known when the registry was read. */
  failingSince: string | null;
  lastFailure: string | null;
  lastTriedAt: string | null;
  /** When somebody last asked for what waits to be tried at once. */
  tryNowAt: string | null;
}

/** Signs as well until then (ISO time), so that the receiver can take its time. */
export interface PreviousSecret {
  secret: string;
  until: string;
}

/** How many previous secrets sign at most. Where there would be more, those that were replaced first sign no longer. */
export const MOST_PREVIOUS_SECRETS = 5;

/** The previous secrets whose time has not ended, the newest first. */
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

/**
 * Statuses that the platform may add one day go to whoever asks for any status, so that nobody misses them in silence.
 */
const STATUS_KINDS: readonly EventKind[] = ['sent', 'delivered', 'read', 'failed'];

/** Whether the destination asks for an event of this subject and kind (as `cloud-api/notification.ts` names them). */
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

/** The longest pause that a destination may wait for, in seconds. */
export const LONGEST_QUIET = 300;

/** @returns for how many seconds, as a person writes it: null for none, undefined for what is no such number */
export function quietSecondsIn(text: string): number | null | undefined {
  const seconds = /^\d{0,3}$/.test(text) ? Number(text) : LONGEST_QUIET + 1;
  return seconds > LONGEST_QUIET ? undefined : seconds || null;
}

/** Whether a message waits there until its contact pauses. */
export const waitsForPause = (
  { quietSeconds, mode }: Pick<Destination, 'quietSeconds' | 'mode'>,
  { subject, contact }: { subject: string; contact: string | null },
): boolean => quietSeconds !== null && mode === 'split' && subject === 'message' && contact !== null;

/** Whether a customer has named it, with a token of the line. */
export const isOfCustomer = ({ origin }: Pick<Destination, 'origin'>): boolean =>
  origin === 'token' || origin === 'question';

/** Whether answers to questions are delivered through it, each to its own callback URL. */
export const isOfQuestions = ({ origin }: Pick<Destination, 'origin'>): boolean => origin === 'question';

/** Whether it is known not to accept events. Probes still try it, unless it is paused. */
export const isHeldBack = (one: Pick<DestinationRow, 'paused_at' | 'failing_since'>): boolean =>
  one.paused_at === null && one.failing_since !== null;
