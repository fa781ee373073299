/**
 * Status paths that an accepted message can take, and the path set for each contact's messages. In memory
 * only.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/status
 */
import { ControlRefusal } from '../control/refusal';
import { type MessageStatus } from './conversations';
import { type DocumentedError } from '../platform/documented-errors';

/** Each path with its description for the user. */
export const STATUS_PATHS = {
  read: 'sent, delivered, read: what happens if nothing is said',
  delivered: 'sent, delivered: the contact has switched its read receipts off',
  sent: 'sent and never delivered: the phone is switched off',
  read_without_delivered: 'sent, read: the platform leaves "delivered" out, as it may',
  failed: 'sent, and then failed with "code"',
  repeated: 'each status comes twice',
  out_of_order: 'read comes first, then delivered, then sent',
  in_one_notification: 'sent, delivered and read come in one notification',
  before_the_answer: 'sent comes before the send itself is answered',
  played: 'sent, delivered, read, and a voice message or other audio is played',
  lost: 'delivered and read, but no status ever comes',
  late: 'sent, delivered, read; their statuses come together, much later, with the times when they happened',
} as const;

export type StatusPathName = keyof typeof STATUS_PATHS;

export interface StatusPath {
  name: StatusPathName;
  /** The error for the path "failed". */
  error?: DocumentedError;
}

/** Milliseconds from acceptance to each status. */
export interface StatusDelays {
  sent: number;
  delivered: number;
  read: number;
}

/** Statuses of a message that happen, and usually one notification that reports them. */
export interface Stop {
  /** Milliseconds from acceptance. */
  at: number;
  statuses: MessageStatus[];
  /** How often the notification is sent; default 1, and 0 if the statuses happen but are not reported. */
  times?: number;
}

/** Late statuses come after so many times the usual time. */
const LATE_TIMES = 10;

/** Returns the notifications of a path in the order in which they are sent. */
export function stopsOf(
  path: StatusPathName,
  isAudio: boolean,
  { sent, delivered, read }: StatusDelays,
): Stop[] {
  const isSent: Stop = { at: sent, statuses: ['sent'] };
  const isDelivered: Stop = { at: delivered, statuses: ['delivered'] };
  const isRead: Stop = { at: read, statuses: ['read'] };
  const usual = [isSent, isDelivered, isRead];
  const unreported = usual.map((stop) => ({ ...stop, times: 0 }));
  switch (path) {
    case 'read':
    case 'before_the_answer':
      return usual;
    case 'delivered':
      return [isSent, isDelivered];
    case 'sent':
      return [isSent];
    case 'read_without_delivered':
      return [isSent, isRead];
    case 'failed':
      return [isSent, { at: delivered, statuses: ['failed'] }];
    case 'repeated':
      return usual.map((stop) => ({ ...stop, times: 2 }));
    case 'out_of_order':
      return [{ ...isRead, at: sent }, isDelivered, { ...isSent, at: read }];
    case 'in_one_notification':
      return [{ at: read, statuses: ['sent', 'delivered', 'read'] }];
    case 'played':
      return isAudio ? [...usual, { at: 2 * read - delivered, statuses: ['played'] }] : usual;
    case 'lost':
      return unreported;
    case 'late':
      return [...unreported, { at: LATE_TIMES * read, statuses: ['sent', 'delivered', 'read'] }];
  }
}

/** The most contacts with a setting at the same time. */
const CONTACTS_MOST = 10_000;

/** Stores the status path for messages to each contact. */
export class PathSwitches {
  private readonly always = new Map<string, StatusPath>();
  private readonly next = new Map<string, { path: StatusPath; times: number }>();

  /** Sets a path for the next `times` messages, or for all messages without `times`. */
  set(contact: string, path: StatusPath, times?: number): void {
    if (
      this.always.size + this.next.size >= CONTACTS_MOST &&
      !this.always.has(contact) &&
      !this.next.has(contact)
    ) {
      throw new ControlRefusal(
        `There are ${CONTACTS_MOST} contacts with a path of their own already; reset some.`,
      );
    }
    if (times !== undefined) this.next.set(contact, { path, times });
    else if (path.name === 'read') this.always.delete(contact);
    else this.always.set(contact, path);
  }

  /** Returns the path for a message that is sent now, and counts it as used. */
  take(contact: string): StatusPath {
    const next = this.next.get(contact);
    if (!next) return this.always.get(contact) ?? { name: 'read' };
    next.times -= 1;
    if (next.times === 0) this.next.delete(contact);
    return next.path;
  }

  /** Returns the settings of a contact; fields are null if not set. */
  shown(contact: string) {
    const next = this.next.get(contact);
    return {
      path: shownPath(this.always.get(contact) ?? { name: 'read' }),
      next: next ? { ...shownPath(next.path), times: next.times } : null,
    };
  }

  /** Contacts with a setting. */
  contacts(): string[] {
    return [...new Set([...this.always.keys(), ...this.next.keys()])];
  }

  forget(contact?: string): void {
    for (const map of [this.always, this.next]) {
      if (contact === undefined) map.clear();
      else map.delete(contact);
    }
  }
}

const shownPath = ({ name, error }: StatusPath) => ({ path: name, ...(error && { code: error.code }) });
