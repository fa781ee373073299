import { type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { isOpen, WINDOW_LENGTH } from '../../messages/customer-service-window';
import { isOptedOut } from '../../messages/opt-outs';
import { isoTime, isoTimeOrNull } from '../../time';
import { TimeOrNull } from '../http/answer-parts';
import { contactIn, invalidContact } from '../http/contact';
import { operation } from '../operation';

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
  /** On the line's opt-out list: nothing is sent, however open the window is. */
  opted_out: Type.Boolean(),
});
type WindowAnswer = Type.Static<typeof WindowAnswer>;

export const getWindow = operation('get /{tid}/window/{contact}', {
  tag: 'Messages',
  id: 'getWindow',
  scope: 'read',
  rate: 'reads',
  summary: 'Ask whether a contact may be written to freely',
  description:
    'A contact may be written to freely for 24 hours after the last message from there. Outside that time, send a template. Who is on the opt-out list gets nothing.',
  answers: { 200: { description: 'The window of the contact.', schema: WindowAnswer } },
  refusals: [invalidContact('nobody')],
  handler:
    ({ store, windows }) =>
    async (request: FastifyRequest): Promise<WindowAnswer> => {
      const contact = contactIn(request);
      const at = await windows.exactLastInboundAt(request.line.id, contact);
      return {
        success: true,
        contact,
        open: isOpen(at, windows.now()),
        last_inbound_at: isoTimeOrNull(at),
        expires_at: at === null ? null : isoTime(at + WINDOW_LENGTH),
        opted_out: await isOptedOut({ store }, request.line, contact),
      };
    },
});
