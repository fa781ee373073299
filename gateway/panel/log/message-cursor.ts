import { type MessageCursor } from '../../store/reports/message-list';

/** Formats a place in a list of messages for an address. */
export const messageCursorText = (cursor: MessageCursor | null): string =>
  cursor ? `${cursor.acceptedAt}~${cursor.wamid}` : '';

/** Parses a place in a list of messages; null, the newest message, for any other text. */
export function messageCursorOf(text: string | null): MessageCursor | null {
  const [, acceptedAt = '', wamid = ''] = /^([\d\-T:.Z]{10,30})~(.{1,500})$/s.exec(text ?? '') ?? [];
  return acceptedAt ? { acceptedAt, wamid } : null;
}
