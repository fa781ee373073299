/**
 * The bodies of upstream's callbacks: one message or one status in the envelope of a business account and a line.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages
 */
import { digitsOf, type SandboxLine } from './account';
import { type JsonObject } from './json';

/** Seconds since 1970, as text. */
export const seconds = (at: Date): string => String(Math.floor(at.getTime() / 1000));

const envelope = (line: SandboxLine, inside: JsonObject): JsonObject => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: line.wabaId,
      changes: [
        {
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: digitsOf(line), phone_number_id: line.phoneNumberId },
            ...inside,
          },
          field: 'messages',
        },
      ],
    },
  ],
});

/** A contact's message; `name` is the name in its profile. */
export const messageNotification = (
  line: SandboxLine,
  from: { contact: string; name: string },
  message: JsonObject,
): JsonObject =>
  envelope(line, {
    contacts: [{ profile: { name: from.name }, wa_id: from.contact }],
    messages: [message],
  });

/** What happened to a message that the line sent. */
export const statusNotification = (line: SandboxLine, report: JsonObject): JsonObject =>
  envelope(line, { statuses: [report] });
