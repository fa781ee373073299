import { type MessageCursor } from '../../store/reports/message-list';

/** A place in a list of messages, as an address has it. */
export const messageCursorText = (cursor: MessageCursor | null): string =>
  cursor ? `${cursor.acceptedAt}~${cursor.wamid}` : '';

/** Anything else than what `messageCursorText` made begins at the newest. */
export function messageCursorOf(text: string | null): MessageCursor | null {
  const [, acceptedAt = '', wamid = ''] = /^([\d\-T:.Z]{10,30})~(.{1,500})$/s.exec(text ?? '') ?? [];
  return acceptedAt ? { acceptedAt, wamid } : null;
}
