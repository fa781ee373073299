import { type FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { isRecipient, normalizedRecipient } from '../cloud-api/message-request';
import { invalidQuery, quoted } from '../errors';
import { isOpen, WINDOW_LENGTH, type CustomerServiceWindows } from '../messages/customer-service-window';
import { isoTime, isoTimeOrNull } from '../time';
import { TimeOrNull } from './nullable';

/** Whether a contact may be written to freely, whatever the line itself demands. */
export const WindowAnswer = Type.Object({
  success: Type.Literal(true),
  /** Digits, or a user id. */
  contact: Type.String(),
  open: Type.Boolean(),
  /** Null for a contact that never wrote. */
  last_inbound_at: TimeOrNull,
  /** In the past where the window has closed. */
  expires_at: TimeOrNull,
});
export type WindowAnswer = Static<typeof WindowAnswer>;

/** GET …/{tid}/window/{contact}: the customer service window of a contact, who may be written as in `to`. */
export const getWindow =
  ({ windows }: { windows: CustomerServiceWindows }) =>
  async (request: FastifyRequest): Promise<WindowAnswer> => {
    const { contact: given } = request.params as { contact: string };
    if (!isRecipient(given)) throw invalidContact(given);
    const contact = normalizedRecipient(given);
    const at = await windows.exactLastInboundAt(request.line.id, contact);
    return {
      success: true,
      contact,
      open: isOpen(at, windows.now()),
      last_inbound_at: isoTimeOrNull(at),
      expires_at: at === null ? null : isoTime(at + WINDOW_LENGTH),
    };
  };

const invalidContact = (given: string) =>
  invalidQuery(
    `The contact is ${quoted(given)}; it takes a phone number with country code, such as 5511987654321, or a user id, such as US.13491208655302741918.`,
  );
