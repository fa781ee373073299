import { type VNode } from 'preact';
import { Form } from '../ui/form';
import { Hour } from '../ui/parts';
import { type UserContext } from '../request-context';
import { failureOf, isReadByLine, summaryOf, tickOf, type Bubble, type Tick } from './chat';
import { Content } from './content';
import { inside, textOf } from './sandbox-client';
import { Replies } from './replies';
import { formatted } from '../ui/formatted-text';

interface BubbleProps {
  context: UserContext;
  bubble: Bubble;
  action: string;
}

function Said({ bubble: { message, isTakenBack, edited } }: Pick<BubbleProps, 'bubble'>): VNode {
  if (isTakenBack) return <p class="chat-kind">Deleted by this contact</p>;
  if (edited !== null) return <Content message={{ ...message, type: 'text', text: { body: edited } }} />;
  if (message.type !== 'reaction') return <Content message={message} />;
  return <p class="chat-kind">Reacted {textOf(inside(message, 'reaction').emoji)} to an older message</p>;
}

/** One message: what it says at its side of the chat, and beneath it how far it came. */
export function BubbleOf({ context, bubble, action }: BubbleProps): VNode {
  const { message, isOwn, reactions, quoted } = bubble;
  if (message.type === 'system')
    return (
      <p class="chat-day" dir="auto">
        {textOf(inside(message, 'system').body)}
      </p>
    );
  const failure = isOwn ? null : failureOf(message);
  return (
    <article
      class="bubble-row"
      data-side={isOwn ? 'own' : 'line'}
      aria-label={isOwn ? 'From this contact' : 'From the line'}
    >
      <div class="phone-bubble" data-kind={message.type} data-lost={failure ? '' : undefined}>
        {quoted && (
          <p class="quote" dir="auto">
            {formatted(summaryOf(quoted), (text) => [text])}
          </p>
        )}
        <Said bubble={bubble} />
        <p class="bubble-foot">
          {bubble.edited !== null && <span>edited</span>}
          <Hour at={message.at} />
          {isOwn && <Ticks tick={isReadByLine(message) ? 'read' : 'delivered'} />}
          {!isOwn && !failure && (
            <span class="told" data-tick={tickOf(message)}>
              <TickLine tick={tickOf(message)} />
            </span>
          )}
        </p>
        {reactions.length > 0 && (
          <p class="reactions">
            {reactions.map(({ emoji, isOwn: isFromHere }) => (
              <span key={isFromHere ? 'own' : 'line'}>
                <span class="sr-only">{isFromHere ? 'This contact reacted' : 'The line reacted'} </span>
                {emoji.slice(0, 40)}
              </span>
            ))}
          </p>
        )}
      </div>
      {!failure && <Replies context={context} message={message} action={action} />}
      <div class="bubble-below">
        {failure && (
          <p class="told" data-tick="failed">
            <strong>Not on this phone.</strong> Failed
            {failure.code !== undefined && ` with ${failure.code}`}
            {failure.title && <>: {failure.title}</>}
          </p>
        )}
        {context.mayChange && !failure && !bubble.isTakenBack && (
          <BubbleActions context={context} bubble={bubble} action={action} />
        )}
      </div>
    </article>
  );
}

const TOLD: Record<Tick, string> = {
  waiting: 'On its way',
  sent: 'Sent, not delivered',
  delivered: 'Delivered',
  read: 'Read',
  played: 'Played',
  failed: 'Failed',
};

/** What the sender was told of it. */
function TickLine({ tick }: { tick: Tick }): VNode {
  return (
    <>
      {tick !== 'waiting' && <TickSign tick={tick} />} {TOLD[tick]}
    </>
  );
}

function Ticks({ tick }: { tick: Tick }): VNode {
  return (
    <span class="ticks" data-tick={tick}>
      <TickSign tick={tick} />
      <span class="sr-only">{tick === 'read' ? 'marked as read by the line' : 'arrived at the line'}</span>
    </span>
  );
}

function TickSign({ tick }: { tick: Tick }): VNode {
  return (
    <svg class="tick" data-tick={tick} viewBox="0 0 22 14" width="20" height="13" aria-hidden="true">
      <path d={tick === 'sent' ? 'M6 7l4 4 8-9' : 'M2 7l4 4 8-9M10 10.5l.8.8 8-9.3'} />
    </svg>
  );
}

const EMOJIS: [string, string][] = [
  ['👍', 'Thumbs up'],
  ['❤️', 'Heart'],
  ['😂', 'Tears of joy'],
  ['😮', 'Surprise'],
  ['😢', 'Tear'],
  ['🙏', 'Folded hands'],
];

/** What a long press offers on a phone. */
function BubbleActions({ context, bubble, action }: BubbleProps): VNode {
  const { message, isOwn, reactions } = bubble;
  return (
    <details class="doings">
      <summary>
        <span aria-hidden="true">•••</span>
        <span class="sr-only">Answer, react or delete: {summaryOf(message)}</span>
      </summary>
      <Form context={context} action={action} class="doings-list">
        <input type="hidden" name="message" value={message.id} />
        <a class="button quiet small" href={`${action}?reply=${encodeURIComponent(message.id)}`}>
          Reply
        </a>
        {!isOwn &&
          EMOJIS.map(([emoji, label]) => (
            <button key={emoji} class="emoji" name="reaction" value={emoji} aria-label={label} title={label}>
              {emoji}
            </button>
          ))}
        {reactions.some((one) => one.isOwn) && (
          <button class="button quiet small" name="reaction" value="">
            Take back
          </button>
        )}
        {isOwn && (
          <button class="button quiet small" name="delete" value="yes">
            Delete
          </button>
        )}
      </Form>
    </details>
  );
}
