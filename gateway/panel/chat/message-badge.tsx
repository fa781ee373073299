import { type VNode } from 'preact';
import { messageState, type MessageState } from '../../messages/message-record';
import { type MessageRow } from '../../store/tables/messages';
import { t } from '../languages/t';
import { Ticks } from './ticks';
import { Badge, type Tone } from '../ui/parts';

const MESSAGE_TONES: Record<MessageState, Tone> = {
  accepted: 'info',
  sent: 'info',
  delivered: 'good',
  read: 'good',
  played: 'good',
  failed: 'bad',
};

export const messageWord = (state: MessageState): string =>
  ({
    accepted: t.of('message', 'Accepted'),
    sent: t.of('message', 'Sent'),
    delivered: t.of('message', 'Delivered'),
    read: t.of('message', 'Read'),
    played: t.of('message', 'Played'),
    failed: t.of('message', 'Failed'),
  })[state];

const TICKS = {
  accepted: 'sent',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  played: 'read',
} as const;

/** In a chat: a word where it failed alone. */
export function MessageTicks({ message }: { message: MessageRow }): VNode {
  const state = messageState(message);
  if (state === 'failed') return <MessageBadge message={message} />;
  return <Ticks of={TICKS[state]} words={messageWord(state)} />;
}

export function MessageBadge({ message }: { message: MessageRow }): VNode {
  const state = messageState(message);
  return <Badge tone={MESSAGE_TONES[state]}>{messageWord(state)}</Badge>;
}
