import { type VNode } from 'preact';
import { t } from '../languages/t';
import { Form } from '../ui/form';
import { Hour } from '../ui/parts';
import { failureOf, isReadByLine, summaryOf, tickOf, type Bubble, type Tick } from './chat';
import { Content } from './content';
import { inside, textOf } from '../../cloud-api/json/json-value';
import { Replies } from './replies';
import { formatted } from '../ui/formatted-text';
import { Ticks } from '../chat/ticks';
import { useRequest } from '../ui/page-request';

interface BubbleProps {
  bubble: Bubble;
  action: string;
}

function Said({ bubble: { message, isTakenBack, edited } }: Pick<BubbleProps, 'bubble'>): VNode {
  if (isTakenBack) return <p class="chat-kind">{t('Deleted by this contact')}</p>;
  if (edited !== null) return <Content message={{ ...message, type: 'text', text: { body: edited } }} />;
  if (message.type !== 'reaction') return <Content message={message} />;
  return (
    <p class="chat-kind">
      {t('Reacted {emoji} to an older message', { emoji: textOf(inside(message, 'reaction').emoji) })}
    </p>
  );
}

/** One message on its side of the chat, with its status below. */
export function BubbleOf({ bubble, action }: BubbleProps): VNode {
  const { may } = useRequest();
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
      aria-label={isOwn ? t('From this contact') : t('From the line')}
    >
      <div class="phone-bubble" data-kind={message.type} data-lost={failure ? '' : undefined}>
        {quoted && (
          <p class="quote" dir="auto">
            {formatted(summaryOf(quoted), (text) => [text])}
          </p>
        )}
        <Said bubble={bubble} />
        <p class="bubble-foot">
          {bubble.edited !== null && <span>{t('edited')}</span>}
          <Hour at={message.at} />
          {isOwn &&
            (isReadByLine(message) ? (
              <Ticks of="read" words={t('marked as read by the line')} />
            ) : (
              <Ticks of="delivered" words={t('arrived at the line')} />
            ))}
        </p>
        {reactions.length > 0 && (
          <p class="reactions">
            {reactions.map(({ emoji, isOwn: isFromHere }) => (
              <span key={isFromHere ? 'own' : 'line'}>
                <span class="sr-only">{isFromHere ? t('This contact reacted') : t('The line reacted')} </span>
                {emoji.slice(0, 40)}
              </span>
            ))}
          </p>
        )}
        {may('messages.send') && !failure && !bubble.isTakenBack && (
          <BubbleActions bubble={bubble} action={action} />
        )}
      </div>
      {!failure && <Replies message={message} action={action} />}
      {!isOwn && !failure && <p class="told">{told()[tickOf(message)]}</p>}
      {failure && (
        <p class="told" data-failed="">
          <strong>{t('Not on this phone.')}</strong>{' '}
          {failure.code === undefined
            ? t.of('message', 'Failed')
            : t('Failed with {code}', { code: failure.code })}
          {failure.title && <>: {failure.title}</>}
        </p>
      )}
    </article>
  );
}

/** The labels of statuses. A phone shows them only for its own messages. */
const told = (): Record<Tick, string> => ({
  waiting: t('On its way'),
  sent: t('Sent, not delivered'),
  delivered: t.of('message', 'Delivered'),
  read: t.of('message', 'Read'),
  played: t.of('message', 'Played'),
  failed: t.of('message', 'Failed'),
});

const emojis = (): [string, string][] => [
  ['👍', t('Thumbs up')],
  ['❤️', t('Heart')],
  ['😂', t('Tears of joy')],
  ['😮', t('Surprise')],
  ['😢', t('Tear')],
  ['🙏', t('Folded hands')],
];

/** The actions that a long press offers on a real phone. */
function BubbleActions({ bubble, action }: BubbleProps): VNode {
  const { message, isOwn, reactions } = bubble;
  return (
    <details class="doings" name="doings">
      <summary>
        <span aria-hidden="true">•••</span>
        <span class="sr-only">
          {t('Answer, react or delete: {message}', { message: summaryOf(message) })}
        </span>
      </summary>
      <Form action={action} class="doings-list" fields={{ message: message.id }}>
        <a class="button quiet small" href={`${action}?reply=${encodeURIComponent(message.id)}`}>
          {t('Reply')}
        </a>
        {!isOwn &&
          emojis().map(([emoji, label]) => (
            <button key={emoji} class="emoji" name="reaction" value={emoji} aria-label={label} title={label}>
              {emoji}
            </button>
          ))}
        {reactions.some((one) => one.isOwn) && (
          <button class="button quiet small" name="reaction" value="">
            {t('Undo')}
          </button>
        )}
        {isOwn && (
          <button class="button quiet small" name="delete" value="yes">
            {t('Delete')}
          </button>
        )}
      </Form>
    </details>
  );
}
