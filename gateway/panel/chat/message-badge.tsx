import { type VNode } from 'preact';
import { messageState, type MessageState } from '../../messages/message-record';
import { type MessageRow } from '../../store/tables/messages';
import { Ticks } from './ticks';
import { Badge, type Tone } from '../ui/parts';
import { messageWord } from '../ui/words/kind-words';

const MESSAGE_TONES: Record<MessageState, Tone> = {
  accepted: 'info',
  sent: 'info',
  delivered: 'good',
  read: 'good',
  played: 'good',
  failed: 'bad',
};

const TICKS = {
  accepted: 'sent',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  played: 'read',
} as const;

/** Ticks as in a chat app, or a badge if the message failed. */
export function MessageTicks({ message }: { message: MessageRow }): VNode {
  const state = messageState(message);
  if (state === 'failed') return <MessageBadge message={message} />;
  return <Ticks of={TICKS[state]} words={messageWord(state)} />;
}

export function MessageBadge({ message }: { message: MessageRow }): VNode {
  const state = messageState(message);
  return <Badge tone={MESSAGE_TONES[state]}>{messageWord(state)}</Badge>;
}
