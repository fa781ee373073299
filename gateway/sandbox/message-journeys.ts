/**
 * What happens to a message after upstream accepted it.
 *
 * A message that may be sent is *sent*, then *delivered*, then *read*, each some time after the last, each reported
 * by a status. A free-form message to a contact who did not write within 24 hours is accepted all the same and then
 * *failed* with 131047; so upstream does it, which is why a sender has to listen. Nothing follows read or failed.
 *
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/status
 */
import { createHash } from 'node:crypto';
import { type SandboxLine } from './account';
import { type Callbacks } from './callbacks';
import {
  type ConversationMessage,
  type Conversations,
  CUSTOMER_SERVICE_WINDOW,
  type MessageStatus,
} from './conversations';
import { type JsonObject } from './json';
import { type AcceptedMessage } from './judge-message';
import { seconds, statusNotification } from './notifications';

/** Milliseconds from the acceptance of a message to each status. */
export interface StatusDelays {
  sent: number;
  delivered: number;
  read: number;
}

/** Quick enough to watch, slow enough to see one after the other. */
export const STATUS_DELAYS: StatusDelays = { sent: 100, delivered: 300, read: 600 };

interface JourneyDeps {
  conversations: Conversations;
  callbacks: Callbacks;
  delays: StatusDelays;
  now: () => Date;
}

/** `at` counts from the acceptance, in milliseconds. */
type Step = { messageStatus: MessageStatus; at: number; details: JsonObject };

const RE_ENGAGEMENT = {
  errors: [
    {
      code: 131047,
      title: 'Re-engagement message',
      message: 'Re-engagement message',
      error_data: {
        details:
          'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
      },
      href: 'https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes',
    },
  ],
};

export class MessageJourneys {
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(private readonly deps: JourneyDeps) {}

  start(line: SandboxLine, message: ConversationMessage, accepted: AcceptedMessage): void {
    this.travel(line, message, accepted.callbackData, this.steps(line, accepted), 0);
  }

  close(): void {
    this.timers.forEach((timer) => clearTimeout(timer));
  }

  private steps(line: SandboxLine, accepted: AcceptedMessage): Step[] {
    const { delays, conversations, now } = this.deps;
    const windowEnds = conversations.windowEnds(line.phoneNumberId, accepted.contact, now());
    if (accepted.category === 'service' && !windowEnds) {
      return [{ messageStatus: 'failed', at: delays.sent, details: RE_ENGAGEMENT }];
    }
    const { conversation, pricing, expires } = charge(line, accepted, windowEnds, now());
    return [
      {
        messageStatus: 'sent',
        at: delays.sent,
        details: {
          conversation: { id: conversation.id, expiration_timestamp: expires, origin: conversation.origin },
          pricing,
        },
      },
      { messageStatus: 'delivered', at: delays.delivered, details: { conversation, pricing } },
      { messageStatus: 'read', at: delays.read, details: {} },
    ];
  }

  /** One timer at a time: a status is never reported before the one that precedes it. */
  private travel(
    line: SandboxLine,
    message: ConversationMessage,
    callbackData: string | undefined,
    [step, ...rest]: Step[],
    passed: number,
  ): void {
    if (!step) return;
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        this.report(line, message, callbackData, step);
        this.travel(line, message, callbackData, rest, step.at);
      },
      Math.max(step.at - passed, 0),
    );
    this.timers.add(timer);
  }

  private report(
    line: SandboxLine,
    message: ConversationMessage,
    callbackData: string | undefined,
    step: Step,
  ): void {
    const at = this.deps.now();
    message.statuses.push({ messageStatus: step.messageStatus, at });
    const report = {
      id: message.id,
      status: step.messageStatus,
      timestamp: seconds(at),
      recipient_id: message.contact,
      ...(callbackData !== undefined && { biz_opaque_callback_data: callbackData }),
      ...step.details,
    };
    this.deps.callbacks.send(line.phoneNumberId, statusNotification(line, report));
  }
}

/**
 * What the message belongs to and costs, in the per-message model: answers and utility templates within the window
 * are free. https://developers.facebook.com/documentation/business-messaging/whatsapp/pricing
 */
function charge(line: SandboxLine, accepted: AcceptedMessage, windowEnds: Date | undefined, now: Date) {
  const category = accepted.category.toLowerCase();
  const isFree = windowEnds !== undefined && (category === 'service' || category === 'utility');
  const expires = seconds(windowEnds ?? new Date(now.getTime() + CUSTOMER_SERVICE_WINDOW));
  const id = createHash('sha256')
    .update([line.phoneNumberId, accepted.contact, category, windowEnds ? expires : seconds(now)].join())
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
