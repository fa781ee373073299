/**
 * Reports the statuses of an accepted message, one after the other. As on the platform, a free-form message
 * outside the 24-hour window is accepted and then fails with 131047, so senders must read statuses.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/status
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SandboxLine } from '../platform/account';
import { type Callbacks } from '../platform/callbacks';
import { type Contact, contactEntry } from './contact-store';
import { isUserId } from '../platform/contact-ids';
import {
  type ConversationMessage,
  type Conversations,
  CUSTOMER_SERVICE_WINDOW,
  defaultName,
  type MessageStatus,
} from './conversations';
import { documentedError, type DocumentedError, statusErrors } from '../platform/documented-errors';
import { type JsonObject } from '../platform/json';
import { type AcceptedMessage } from './accepted-message';
import { seconds, statusesNotification } from '../platform/notifications';
import { type Book } from '../billing/book';
import { countryOf } from '../../usage/country-of-number';
import { type StatusDelays, type StatusPath, type Stop, stopsOf } from './status-paths';

/** Fast enough to wait for, slow enough to see each status. */
export const STATUS_DELAYS: StatusDelays = { sent: 100, delivered: 300, read: 600 };

/** How long an answer waits for a status that must precede it, in milliseconds. */
const AHEAD_OF_ANSWER_WITHIN = 5000;

const SECOND = 1000;

interface TimelineDeps {
  conversations: Conversations;
  callbacks: Callbacks;
  delays: StatusDelays;
  now: () => Date;
  book: Book;
  /** Whether a business account has a payment method. */
  isPayable: (wabaId: string) => boolean;
}

/** A message whose statuses are being reported. */
interface Timeline {
  line: SandboxLine;
  message: ConversationMessage;
  accepted: AcceptedMessage;
  contact: Contact;
  /** The timestamp of each status; unless set before, the time when it first happens. */
  happened: Partial<Record<MessageStatus, Date>>;
  /** Other fields of each status. */
  details: Partial<Record<MessageStatus, JsonObject>>;
  /** The error, if the message fails. */
  error?: DocumentedError;
}

/** The error code for a message outside the window. */
const CLOSED_WINDOW = 131047;
const NO_PAYMENT_METHOD = 131042;

export class StatusTimelines {
  private readonly timers = new Map<NodeJS.Timeout, Timeline>();

  constructor(private readonly deps: TimelineDeps) {}

  /** Resolves when the send can be answered: immediately, unless a status must precede the answer. */
  async start(
    line: SandboxLine,
    message: ConversationMessage,
    accepted: AcceptedMessage,
    contact: Contact,
    path: StatusPath,
  ): Promise<void> {
    const { delays, conversations, now } = this.deps;
    const windowEnds = conversations.windowEnds(line.phoneNumberId, contact.id, now());
    const needsWindow = accepted.category === 'service' && !accepted.isGroup;
    const { conversation, pricing, expires } = charge(line, accepted, windowEnds, now());
    this.deps.book.accept(message.id, {
      line,
      category: pricing.category,
      type: pricing.type,
      country: countryOf(contact.id),
      isBillable: pricing.billable,
      acceptedAt: message.at,
    });
    const isUnpaid = pricing.billable && !this.deps.isPayable(line.wabaId);
    const codes = [needsWindow && !windowEnds && CLOSED_WINDOW, isUnpaid && NO_PAYMENT_METHOD];
    const refusedWith = path.name === 'failed' ? undefined : codes.find((code) => code !== false);
    const isRefused = refusedWith !== undefined;
    const stops: Stop[] = isRefused
      ? [{ at: delays.sent, statuses: ['failed'] }]
      : stopsOf(path.name, accepted.type === 'audio', delays);
    const error = isRefused ? documentedError(refusedWith) : path.error;
    const timeline: Timeline = {
      error,
      line,
      message,
      accepted,
      contact,
      happened: path.name === 'out_of_order' ? oneAfterTheOther(now()) : {},
      details: {
        sent: {
          conversation: { id: conversation.id, expiration_timestamp: expires, origin: conversation.origin },
          pricing,
        },
        delivered: { conversation, pricing },
        played: { conversation, pricing },
        ...(error && { failed: statusErrors(error) }),
      },
    };
    const [sent, ...rest] = stops;
    if (path.name === 'before_the_answer' && sent && !isRefused) {
      const timeUp = new AbortController();
      await Promise.race([
        this.report(timeline, sent),
        sleep(AHEAD_OF_ANSWER_WITHIN, undefined, { signal: timeUp.signal }).catch(() => undefined),
      ]);
      timeUp.abort();
      this.travel(timeline, rest, sent.at);
      return;
    }
    this.travel(timeline, stops, 0);
  }

  /** Cancels outstanding statuses of messages to one contact, or to all contacts. */
  forget(contact?: string): void {
    for (const [timer, { message }] of this.timers) {
      if (contact !== undefined && message.contact !== contact) continue;
      clearTimeout(timer);
      this.timers.delete(timer);
    }
  }

  close(): void {
    for (const timer of this.timers.keys()) clearTimeout(timer);
  }

  /** Uses one timer at a time, so that notifications are never sent out of order. */
  private travel(journey: Timeline, [stop, ...rest]: Stop[], passed: number): void {
    if (!stop) return;
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        void this.report(journey, stop);
        this.travel(journey, rest, stop.at);
      },
      Math.max(stop.at - passed, 0),
    );
    this.timers.set(timer, journey);
  }

  private async report(journey: Timeline, { statuses, times = 1 }: Stop): Promise<void> {
    const { line, message, accepted, contact, happened, details, error } = journey;
    const reports = statuses.map((messageStatus) => {
      const at = (happened[messageStatus] ??= this.deps.now());
      this.deps.book.happened(message.id, messageStatus, at);
      if (!message.statuses.some((each) => each.messageStatus === messageStatus))
        message.statuses.push({ messageStatus, at, ...(messageStatus === 'failed' && { error }) });
      return {
        id: message.id,
        status: messageStatus,
        timestamp: seconds(at),
        ...recipient(contact, accepted.address, messageStatus),
        ...(accepted.isGroup && { recipient_type: 'group' }),
        ...(accepted.callbackData !== undefined && { biz_opaque_callback_data: accepted.callbackData }),
        ...details[messageStatus],
      };
    });
    const isToldWho = contact.userId !== undefined && !statuses.includes('failed');
    const name =
      this.deps.conversations.lastWrote(line.phoneNumberId, contact.id)?.name ?? defaultName(contact.id);
    const notification = statusesNotification(line, reports, isToldWho ? [contactEntry(contact, name)] : []);
    await Promise.all(
      Array.from({ length: times }, () => this.deps.callbacks.send(line.phoneNumberId, notification)),
    );
  }
}

/** Returns the recipient's IDs. The user ID is omitted for a failed message to a phone number. */
function recipient(contact: Contact, address: string, messageStatus: MessageStatus): JsonObject {
  const isUserIdTold = contact.userId !== undefined && (messageStatus !== 'failed' || isUserId(address));
  return {
    ...(contact.waId !== undefined && { recipient_id: contact.waId }),
    ...(isUserIdTold && { recipient_user_id: contact.userId }),
  };
}

/** Timestamps in true order, for statuses that are reported out of order. */
const oneAfterTheOther = (accepted: Date): Timeline['happened'] => ({
  sent: accepted,
  delivered: new Date(accepted.getTime() + SECOND),
  read: new Date(accepted.getTime() + 2 * SECOND),
});

/** Since then the platform charges for every message inside the window. */
const WINDOW_CHARGED_FROM = new Date('2026-10-01T00:00:00Z');

/**
 * Returns conversation and pricing of a message in the per-message model. Replies and utility templates inside the
 * window were free until they, too, were charged.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/pricing
 */
function charge(line: SandboxLine, accepted: AcceptedMessage, windowEnds: Date | undefined, now: Date) {
  const category = accepted.category.toLowerCase();
  const isFree =
    now < WINDOW_CHARGED_FROM &&
    windowEnds !== undefined &&
    (category === 'service' || category === 'utility');
  const expires = seconds(windowEnds ?? new Date(now.getTime() + CUSTOMER_SERVICE_WINDOW));
  const id = createHash('sha256')
    .update([line.phoneNumberId, accepted.address, category, windowEnds ? expires : seconds(now)].join())
    .digest('hex')
    .slice(0, 32);
  return {
    conversation: { id, origin: { type: category } },
    pricing: {
      billable: !isFree,
      pricing_model: 'PMP',
      type: isFree ? 'free_customer_service' : 'regular',
      category,
    },
    expires,
  };
}
