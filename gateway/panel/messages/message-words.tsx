import { type VNode } from 'preact';
import { spellingsOf } from '../../cloud-api/phone-spellings';
import { messageState, type MessageState } from '../../messages/message-record';
import { type MessageRow } from '../../store/tables/messages';
import { Badge, type Tone } from '../ui/parts';

export const MESSAGE_WORDS: Record<MessageState, { word: string; tone: Tone }> = {
  accepted: { word: 'Accepted', tone: 'info' },
  sent: { word: 'Sent', tone: 'info' },
  delivered: { word: 'Delivered', tone: 'good' },
  read: { word: 'Read', tone: 'good' },
  played: { word: 'Played', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
};

export function MessageBadge({ message }: { message: MessageRow }): VNode {
  const { word, tone } = MESSAGE_WORDS[messageState(message)];
  return <Badge tone={tone}>{word}</Badge>;
}

export const messageHref = ({ line_id: line, wamid }: Pick<MessageRow, 'line_id' | 'wamid'>): string =>
  `/panel/messages/${line}/${encodeURIComponent(wamid)}`;

/** In every way in which it may be written down: `+1 (202) 555-0147` is 12025550147. A user id stays as it is. */
export function contactsOf(text: string): string[] {
  const digits = text.replace(/[\s()+.\-/]/g, '');
  return [...new Set(/^\d+$/.test(digits) ? [digits, ...spellingsOf(digits)] : [text])];
}
