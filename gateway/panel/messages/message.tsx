import { type VNode } from 'preact';
import { contactNames } from '../../messages/contact-names';
import { messageFailure, REACHED, type MessageState } from '../../messages/message-record';
import { eventIdBefore } from '../../store/event-id';
import { type MessageRow } from '../../store/tables/messages';
import { HOUR, isoTime } from '../../time';
import { Live } from '../ui/live';
import { Card, Facts, Notice, PageHead, Time } from '../ui/parts';
import { pageNotFound } from '../ui/error-page';
import { viewerPage, page, type Outcome, type PanelRoute, type UserContext } from '../request-context';
import {
  MessageBadge,
  sentEntry,
  Thread,
  writtenEntry,
  conversationHref,
  type ThreadEntry,
} from '../ui/thread';

/** One message: its way, and what was said around it. */
export const messagePages: PanelRoute[] = [viewerPage('/messages/:line/:wamid', showMessage, { live: true })];

async function showMessage(context: UserContext): Promise<Outcome> {
  const { deps, params } = context;
  const lineId = /^\d{1,9}$/.test(params.line ?? '') ? Number(params.line) : 0;
  const message = await deps.store.messages.find(lineId, params.wamid ?? '');
  if (!message) throw pageNotFound();
  const line = deps.lines.byId(lineId);
  return page(
    `Message to ${message.contact ?? 'an unknown contact'}`,
    <>
      <PageHead
        title={`Message to ${message.contact ?? 'an unknown contact'}`}
        back={{ href: '/panel/messages', label: 'Messages' }}
      />
      <Live id="message">
        <div class="stack">
          <Failure message={message} />
          <div class="columns">
            <Card title="Its way" actions={<MessageBadge message={message} />}>
              <Way message={message} />
            </Card>
            <Card title="About it">
              <Facts
                facts={[
                  ['Line', line ? <a href={`/panel/lines/${line.id}`}>{line.name}</a> : `Line ${lineId}`],
                  ['Type', message.type ?? 'Not known: it was not sent through the gateway'],
                  [
                    'Contact',
                    message.contact === null ? (
                      '–'
                    ) : (
                      <a href={`/panel/messages?contact=${encodeURIComponent(message.contact)}`}>
                        {message.contact}
                      </a>
                    ),
                  ],
                  ...(message.client_ref === null
                    ? []
                    : [['Your reference', message.client_ref] as [string, string]]),
                  ['Message id', <code>{message.wamid}</code>],
                ]}
              />
            </Card>
          </div>
        </div>
      </Live>
      <Live id="conversation">
        <Card
          title="The conversation around it"
          actions={
            message.contact !== null && (
              <a class="button plain small" href={conversationHref(lineId, message.contact)}>
                All of it
              </a>
            )
          }
        >
          <Conversation entries={await conversation(context, message)} message={message} />
        </Card>
      </Live>
    </>,
  );
}

function Failure({ message }: { message: MessageRow }): VNode | null {
  const failure = messageFailure(message);
  if (!failure) return null;
  const { code, reason, action, errors } = failure;
  return (
    <Notice tone="bad">
      <p>
        <strong>{reason}</strong>
        {code !== null && <span> (the platform’s code {code})</span>}
      </p>
      <p>What to do: {action}</p>
      {errors.length > 0 && (
        <details class="more">
          <summary>What the platform said</summary>
          <pre class="code" tabIndex={0} role="region" aria-label="What the platform said">
            <code>{JSON.stringify(errors, null, 2)}</code>
          </pre>
        </details>
      )}
    </Notice>
  );
}

const STEPS: Record<MessageState, { word: string; what: string }> = {
  accepted: { word: 'Accepted', what: 'WhatsApp took it from the gateway.' },
  sent: { word: 'Sent', what: 'It left for the contact.' },
  delivered: { word: 'Delivered', what: 'It reached the contact’s phone.' },
  read: { word: 'Read', what: 'The contact opened it.' },
  played: { word: 'Played', what: 'The contact listened to it.' },
  failed: { word: 'Failed', what: 'It could not be brought to the contact.' },
};

/**
 * By rank and not by clock: the platform tells whole seconds and the gateway milliseconds, so that what is accepted and
 * sent within one second seems to be sent first. Only a failure has no rank beside what came of the message later.
 */
function wayOf(message: MessageRow): { step: MessageState; at: string }[] {
  const way = REACHED.flatMap((step): { step: MessageState; at: string }[] => {
    const { [`${step}_at` as const]: at } = message;
    return at === null ? [] : [{ step, at }];
  });
  const { failed_at: failedAt } = message;
  if (failedAt === null) return way;
  const arrived = way.findIndex(({ step, at }) => !['accepted', 'sent'].includes(step) && at > failedAt);
  return way.toSpliced(arrived < 0 ? way.length : arrived, 0, { step: 'failed', at: failedAt });
}

function Way({ message }: { message: MessageRow }): VNode {
  return (
    <ol class="way">
      {wayOf(message).map(({ step, at }) => (
        <li key={step} data-tone={step === 'failed' ? 'bad' : 'good'}>
          <strong>{STEPS[step].word}</strong>
          <span class="quiet small">{STEPS[step].what}</span>
          <span class="small">
            <Time at={at} />
          </span>
        </li>
      ))}
    </ol>
  );
}

/** So many of either side. */
const AROUND = 30;
/** What came this long after the message still belongs to it, if there is no more than that. */
const AFTERWARDS = 24 * HOUR;

async function conversation({ deps }: UserContext, message: MessageRow): Promise<ThreadEntry[]> {
  if (message.contact === null) return [];
  const contacts = await contactNames(deps.store, message.contact);
  const at = message.accepted_at ?? message.sent_at ?? message.delivered_at ?? message.failed_at;
  const end = (at === null ? deps.clock() : Date.parse(at)) + AFTERWARDS;
  const [written, sent] = await Promise.all([
    deps.store.messageList.written(message.line_id, contacts, eventIdBefore(end), AROUND),
    deps.store.messageList.sent(message.line_id, contacts, isoTime(end), AROUND),
  ]);
  const ours = sent.some(({ wamid }) => wamid === message.wamid) ? sent : [message, ...sent];
  return [
    ...written.map((event) => writtenEntry(message.line_id, event)),
    ...ours.map((one) => sentEntry(one, at ?? '')),
  ];
}

function Conversation({ entries, message }: { entries: ThreadEntry[]; message: MessageRow }): VNode {
  if (message.contact === null) return <p>Nobody knows to whom this message went.</p>;
  return (
    <>
      <p class="hint">
        What {message.contact} wrote stands here as it came in; what was sent, where the line keeps it, and
        else its type and how far it came.
      </p>
      <Thread contact={message.contact} entries={entries} current={message.wamid} />
    </>
  );
}
