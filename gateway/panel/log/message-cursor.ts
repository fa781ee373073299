import { type MessageCursor } from '../../store/reports/message-list';

/** A place in a list of messages, as text for an address. */
export const messageCursorText = (cursor: MessageCursor | null): string =>
  cursor ? `${cursor.acceptedAt}~${cursor.wamid}` : '';

/** Null, which is the newest message, unless `messageCursorText` made the text. */
export function messageCursorOf(text: string | null): MessageCursor | null {
  const [, acceptedAt = '', wamid = ''] = /^([\d\-T:.Z]{10,30})~(.{1,500})$/s.exec(text ?? '') ?? [];
  return acceptedAt ? { acceptedAt, wamid } : null;
}
