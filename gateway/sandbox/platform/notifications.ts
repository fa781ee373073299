/**
 * Bodies of the platform's callbacks: messages and statuses in the envelope of a business account and a line,
 * and events of the account itself.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages
 */
import { digitsOf, type SandboxLine } from './account';
import { type JsonObject } from './json';

/** A notification of one business account. */
export interface AccountNotification {
  object: 'whatsapp_business_account';
  entry: [{ id: string; time?: number; changes: JsonObject[] }];
}

/** Seconds since 1970, as text. */
export const seconds = (at: Date): string => String(Math.floor(at.getTime() / 1000));

const envelope = (line: SandboxLine, insides: readonly JsonObject[]): AccountNotification => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: line.wabaId,
      changes: insides.map((inside) => ({
        value: {
          messaging_product: 'whatsapp',
          metadata: { display_phone_number: digitsOf(line), phone_number_id: line.phoneNumberId },
          ...inside,
        },
        field: 'messages',
      })),
    },
  ],
});

const messagesInside = (from: readonly JsonObject[], messages: readonly JsonObject[]): JsonObject => ({
  ...(from.length > 0 && { contacts: from }),
  messages,
});

/**
 * Messages from contacts.
 * @param from `contacts` entries of the senders; empty for a system message
 */
export const messagesNotification = (
  line: SandboxLine,
  from: readonly JsonObject[],
  messages: readonly JsonObject[],
): AccountNotification => envelope(line, [messagesInside(from, messages)]);

/**
 * Statuses of the line's messages.
 * @param to `contacts` entries of the recipients, if the platform sends them
 */
export const statusesNotification = (
  line: SandboxLine,
  reports: readonly JsonObject[],
  to: readonly JsonObject[] = [],
): AccountNotification => envelope(line, [{ ...(to.length > 0 && { contacts: to }), statuses: reports }]);

/** Messages and statuses in one notification; either can be empty. */
export const batchNotification = (
  line: SandboxLine,
  from: readonly JsonObject[],
  messages: readonly JsonObject[],
  reports: readonly JsonObject[],
): AccountNotification =>
  envelope(line, [
    ...(messages.length > 0 ? [messagesInside(from, messages)] : []),
    ...(reports.length > 0 ? [{ statuses: reports }] : []),
  ]);

/** An event of a business account, or of its lines or templates. */
export const accountNotification = (
  wabaId: string,
  at: Date,
  field: string,
  value: JsonObject,
): AccountNotification => ({
  object: 'whatsapp_business_account',
  entry: [{ id: wabaId, time: Math.floor(at.getTime() / 1000), changes: [{ value, field }] }],
});
