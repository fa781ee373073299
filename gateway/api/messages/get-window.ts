import { type FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { isRecipient, normalizedRecipient } from '../../cloud-api/validate/message-request';
import { invalidQuery, notFound, quoted } from '../../errors';
import { isOpen, WINDOW_LENGTH } from '../../messages/customer-service-window';
import { isoTime, isoTimeOrNull } from '../../time';
import { TimeOrNull } from '../http/answer-parts';
import { type Operation } from '../operation';

/** Whether a contact may be written to freely, whatever the line itself demands. */
const WindowAnswer = Type.Object({
  success: Type.Literal(true),
  /** Digits, or a user id. */
  contact: Type.String(),
  open: Type.Boolean(),
  /** Null for a contact that never wrote. */
  last_inbound_at: TimeOrNull,
  /** In the past where the window has closed. */
  expires_at: TimeOrNull,
});
type WindowAnswer = Static<typeof WindowAnswer>;

export const getWindow: Operation = {
  method: 'get',
  path: '/{tid}/window/{contact}',
  tag: 'Messages',
  id: 'getWindow',
  scope: 'read',
  rate: 'reads',
  summary: 'Ask whether a contact may be written to freely',
  description:
    'A contact may be written to freely for 24 hours after the last message from there. Outside that time, send a template.',
  answers: { 200: { description: 'The window of the contact.', schema: WindowAnswer } },
  refusals: [
    invalidQuery('The contact is "nobody"; it takes a phone number with country code.'),
    notFound('/v22.0/109351478203615/window/'),
  ],
  handler:
    ({ windows }) =>
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
    },
};

const invalidContact = (given: string) =>
  invalidQuery(
    `The contact is ${quoted(given)}; it takes a phone number with country code, such as 5511987654321, or a user id, such as US.13491208655302741918.`,
  );
