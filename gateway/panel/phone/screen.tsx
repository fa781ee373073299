import { type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { type Line } from '../../lines/line';
import { t } from '../languages/t';
import { Live } from '../ui/live';
import { LookContext } from '../ui/frame/look';
import { initialOf } from '../ui/avatar';
import { Hour, inZone, Notice, Time } from '../ui/parts';
import { useRequest } from '../ui/page-request';
import { contactText } from '../ui/contact';
import { bubblesOf, summaryOf, type Bubble } from './chat';
import { BubbleOf } from './bubble';
import { Composer } from './composer';
import { type PhoneConversation } from '../send/sandbox-client';

/** Props of a phone's screen: the chat, and what the contact can do. */
interface ScreenProps {
  line: Line;
  conversation: PhoneConversation;
  /** The contact's name; null if unknown. */
  name: string | null;
  /** The path that the forms submit to. */
  action: string;
  /** The next of the first steps, if they are not done. */
  guide?: ComponentChildren;
  /** Why the last form was refused, and the text in it. */
  refusal?: string | null;
  typed?: string;
  /** Shown in an empty chat. */
  help: ComponentChildren;
}

/** Messages shown at first; a link shows more. */
const SHOWN = 30;
const SHOWN_MOST = 2000;

export function Screen(props: ScreenProps): VNode {
  const { query, may } = useRequest();
  const { line, conversation, name, action, guide, refusal, help } = props;
  const bubbles = bubblesOf(conversation.messages);
  const asked = Number(query.get('shown')) || SHOWN;
  const shown = bubbles.slice(-Math.min(Math.max(asked, SHOWN), SHOWN_MOST));
  const hidden = bubbles.length - shown.length;
  const answered = bubbles.find(({ message }) => message.id === query.get('reply'));
  return (
    <section class="phone" aria-label={t('Phone of {name}', { name: name ?? conversation.contact })}>
      <div class="phone-status" aria-hidden="true">
        <Clock />
        <svg viewBox="0 0 52 12" width="52" height="12">
          <path d="M0 9h2v3H0zM4 7h2v5H4zM8 4h2v8H8zM12 1h2v11h-2zM30 2h17v8H30zM32 4v4h11V4zM49 4h2v4h-2z" />
        </svg>
      </div>
      <header class="phone-head">
        <span class="avatar" aria-hidden="true">
          {initialOf(line.name)}
        </span>
        <div class="phone-who">
          <h2 dir="auto">{line.name}</h2>
          <p class="number">{line.phoneNumber ? contactText(line.phoneNumber) : t('Business')}</p>
        </div>
        <a class="phone-others" href="#contacts">
          {t('Contacts')}
        </a>
      </header>
      <Live id="away">{null}</Live>
      <Live id="chat">
        <div class="chat" data-scroll="end" tabIndex={0} role="log" aria-label={t('Messages')}>
          {hidden > 0 && (
            <a class="chat-earlier" href={`${action}?shown=${shown.length + 200}`}>
              {t('{count, number} earlier', { count: hidden })}
            </a>
          )}
          {shown.length === 0 && help}
          {shown.map((bubble, index) => (
            <Dated key={bubble.message.id} bubble={bubble} before={shown[index - 1]}>
              <BubbleOf bubble={bubble} action={action} />
            </Dated>
          ))}
          <WindowState conversation={conversation} />
          {guide && conversation.messages.length > 0 && <p class="chat-guide">{guide}</p>}
        </div>
      </Live>
      <div class="phone-foot">
        {refusal && <Notice tone="bad">{refusal}</Notice>}
        {may('messages.send') ? (
          <>
            {answered && <Answered bubble={answered} action={action} />}
            <Composer {...props} answered={answered?.message.id ?? null} />
          </>
        ) : (
          <p class="quiet small">{t('You can see this phone. Your role does not allow writing on it.')}</p>
        )}
      </div>
    </section>
  );
}

/** The phone's clock, in the reader's time zone. */
const Clock = (): VNode => <Hour at={new Date().toISOString()} />;

/** A message, with a heading where a day begins. The script moves headings to the days of the reader's zone. */
function Dated({
  bubble,
  before,
  children,
}: {
  bubble: Bubble;
  before: Bubble | undefined;
  children: ComponentChildren;
}): VNode {
  const { zone = 'UTC' } = useContext(LookContext);
  const day = inZone(bubble.message.at, zone, 'day');
  if (before && inZone(before.message.at, zone, 'day') === day) return <>{children}</>;
  return (
    <>
      <p class="chat-day">
        <time dateTime={bubble.message.at}>{day}</time>
      </p>
      {children}
    </>
  );
}

function WindowState({
  conversation: { window, messages },
}: {
  conversation: PhoneConversation;
}): VNode | null {
  if (messages.length === 0) return null;
  return (
    <p class="chat-window" data-open={window.open ? '' : undefined}>
      {window.open && window.expires_at !== null
        ? t.rich('24-hour window open until {when}', { when: <Time at={window.expires_at} to="minute" /> })
        : t('24-hour window closed: only templates arrive until this contact writes')}
    </p>
  );
}

function Answered({ bubble, action }: { bubble: Bubble; action: string }): VNode {
  return (
    <div class="answered">
      <p class="quote" dir="auto">
        <span class="quote-who">{bubble.isOwn ? t('You') : t('Answer to')}</span>
        {summaryOf(bubble.message)}
      </p>
      <a class="button quiet small" href={action}>
        {t('Cancel')}
        <span class="sr-only"> {t('the answer')}</span>
      </a>
    </div>
  );
}
