import { type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { spellingsOf } from '../../cloud-api/phone-spellings';
import { isOpen, WINDOW_LENGTH } from '../../messages/customer-service-window';
import { MESSAGE_STATES, messageFailure, messageState } from '../../messages/message-record';
import { isOptedOut } from '../../messages/opt-outs';
import { type Store } from '../../store/store';
import { isoTime, isoTimeOrNull, MINUTE } from '../../time';
import { TimeOrNull } from '../http/answer-parts';
import { contactIn, invalidContact } from '../http/contact';
import { operation } from '../operation';

const LastSent = Type.Object({
  id: Type.String(),
  at: TimeOrNull,
  state: Type.Enum(MESSAGE_STATES),
  /** The platform's error code, such as 131026; null if the message did not fail. */
  code: Type.Unsafe<number | null>({ type: 'integer', nullable: true }),
});

/** Whether the platform allows free-form messages to the contact, regardless of the line's setting. */
const WindowAnswer = Type.Object({
  success: Type.Literal(true),
  /** Digits, or a user id. */
  contact: Type.String(),
  open: Type.Boolean(),
  /** Null for a contact that never wrote. */
  last_inbound_at: TimeOrNull,
  /** In the past if the window has closed. */
  expires_at: TimeOrNull,
  /** Whether the contact is on the line's opt-out list, so that messages are refused even in an open window. */
  opted_out: Type.Boolean(),
  /** The last message to the contact with its status; null if none is known. */
  last_sent: Type.Unsafe<Type.Static<typeof LastSent> | null>({ ...LastSent, nullable: true }),
});
type WindowAnswer = Type.Static<typeof WindowAnswer>;

export const getWindow = operation('get /{tid}/window/{contact}', {
  tag: 'Messages',
  id: 'getWindow',
  scope: 'read',
  rate: 'reads',
  summary: 'Ask whether a contact may be written to freely',
  description:
    'A contact may be written to freely for 24 hours after the last message from there. Outside that time, send a template. Who is on the opt-out list gets nothing. `last_sent` says whether the latest message reached the contact: the platform has no other way to ask whether a number is on WhatsApp.',
  answers: { 200: { description: 'The window of the contact.', schema: WindowAnswer } },
  refusals: () => [invalidContact('nobody')],
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
        last_sent: await lastSent(store, request.line.id, contact, windows.now()),
      };
    },
});

async function lastSent(
  store: Store,
  lineId: number,
  contact: string,
  now: number,
): Promise<Type.Static<typeof LastSent> | null> {
  const names = await store.windows.identitiesOf(lineId, [contact], spellingsOf);
  const [row] = await store.messageList.sent(lineId, names, isoTime(now + MINUTE), 1);
  return row
    ? {
        id: row.wamid,
        at: row.accepted_at,
        state: messageState(row),
        code: messageFailure(row)?.code ?? null,
      }
    : null;
}
