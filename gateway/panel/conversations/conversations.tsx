import { type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { contactNames, contactsWithName, contactsWithNumber } from '../../messages/contact-names';
import { conversationPage, type Conversation, type ConversationPlace } from '../../messages/conversations';
import { t } from '../languages/t';
import { FormState } from '../form-state';
import { Avatar } from '../ui/avatar';
import { partnerOf } from '../ui/contact';
import { Submit, TextField } from '../ui/form';
import { chosenLine, LineField } from '../ui/line-field';
import { CustomerField, hasCustomers } from '../ui/customer-field';
import { useRequest } from '../ui/page-request';
import { LookContext } from '../ui/frame/look';
import { Live } from '../ui/live';
import { Badge, Card, Empty, inZone, NothingAmongLatest, PageHead, Pager } from '../ui/parts';
import { messageWord } from '../ui/words/kind-words';
import { Waits } from '../chat/waits';
import { lastWords } from '../chat/last-words';
import { templatesOf, type Templates } from '../../messages/sent-words';
import { conversationHref, type ListOfConversations } from '../chat/thread';
import { messageCursorOf, messageCursorText } from '../log/message-cursor';
import { page, type PanelResponse } from '../outcome';
import { pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';

/** The conversations, each with its last message. */
export const conversationsPages: PanelRoute[] = [
  pageRoute('messages.read', '/conversations', showConversations, { live: true }),
];

const PAGE = 50;

async function showConversations(context: UserContext): Promise<PanelResponse> {
  const { deps, query } = context;
  const asked = {
    contact: (query.get('contact') ?? '').trim().slice(0, 200),
    line: (query.get('line') ?? '').trim().slice(0, 200),
    customer: context.customer,
    waits: query.has('waits') ? 'yes' : '',
  };
  const { line } = chosenLine(deps.lines.all(), asked.line);
  const after = placeOf(query);
  const { rows, next } =
    asked.line && !line
      ? { rows: [], next: null }
      : await conversationPage(
          deps.store,
          {
            ...(line && { lineId: line.id }),
            waits: asked.waits !== '',
            ...(asked.contact && { contacts: await contactsMeant(deps, asked.contact) }),
          },
          after,
          PAGE,
        );
  await context.looked('conversations', rows);
  const templates = await templatesOf(
    deps.store,
    rows.filter(({ isOurs }) => isOurs),
  );
  const addressOf = (more: Record<string, string>) => {
    const given = Object.entries({ ...asked, ...more }).filter(([, value]) => value);
    return `/panel/conversations?${new URLSearchParams(given)}`;
  };
  const isLater = after.written !== null || after.sent !== null;
  const nameOf = new Map(deps.lines.all().map(({ id, name }) => [id, name]));
  return page(
    <PageHead title={t('Conversations')}>
      {t('Contacts who wrote to your lines, or to whom you wrote, latest first.')}
    </PageHead>,
    <>
      <Filter asked={asked} addressOf={addressOf} />
      <Live id="conversations">
        <Card flush>
          {rows.length ? (
            <ul class="chats">
              {rows.map((row) => (
                <Row
                  key={`${row.line_id} ${row.contact}`}
                  conversation={row}
                  of={{ isOfLine: Boolean(line), waits: asked.waits !== '', customer: asked.customer }}
                  templates={templates}
                  line={nameOf.get(row.line_id) ?? t('Line {id}', { id: row.line_id })}
                />
              ))}
            </ul>
          ) : (
            <Nobody asked={asked} hasNext={next !== null} />
          )}
          <Pager first={isLater ? addressOf({}) : null} next={next && addressOf(textsOf(next))} />
        </Card>
      </Live>
    </>,
  );
}

/** Finds contacts by part of the number, by name, or by user id. */
async function contactsMeant({ store, lines }: UserContext['deps'], text: string): Promise<string[]> {
  const found = await Promise.all([
    contactNames(store, text),
    contactsWithNumber(store, lines.all(), text),
    contactsWithName(store, text),
  ]);
  return [...new Set(found.flat())];
}

/** Parses the places in the lists of received and sent messages. */
function placeOf(query: URLSearchParams): ConversationPlace {
  const written = query.get('after') ?? '';
  const sent = query.get('sent') ?? '';
  return {
    written: /^(evt_\w{1,60}|end)$/.test(written) ? written : null,
    sent: sent === 'end' ? sent : messageCursorOf(sent),
  };
}

const textsOf = ({ written, sent }: ConversationPlace): Record<string, string> => ({
  after: written ?? '',
  sent: typeof sent === 'string' ? sent : messageCursorText(sent),
});

interface RowProps {
  conversation: Conversation;
  /** The list that contains the row. */
  of: ListOfConversations;
  templates: Templates;
  line: string;
}

function Row({ conversation, of, templates, line }: RowProps): VNode {
  const { at, isOurs, waits, line_id: lineId } = conversation;
  const { zone = 'UTC' } = useContext(LookContext);
  const { name, number, isGroup } = partnerOf(conversation.contact, conversation.written);
  return (
    <li data-waits={waits ? '' : undefined}>
      <Avatar name={isGroup ? number : name} of={conversation.contact} />
      <div>
        <a class="row-link" href={`${conversationHref(lineId, conversation.contact, of)}#latest`} dir="auto">
          {name ?? number}
        </a>
        <span class="quiet small" title={line}>
          {name !== null && (
            <>
              <span class="number">{number}</span> ·{' '}
            </>
          )}
          {line}
        </span>
      </div>
      <p class={isOurs ? 'quiet' : undefined}>
        {'has_failed' in conversation && Boolean(conversation.has_failed) && (
          <Badge tone="bad">{messageWord('failed')}</Badge>
        )}{' '}
        {lastWords(conversation, templates)}
        {waits && <Waits />}
      </p>
      <time class="quiet small" dateTime={at} data-local="chat">
        {inZone(at, zone, 'minute')}
      </time>
    </li>
  );
}

interface Asked {
  contact: string;
  line: string;
  customer: string;
  waits: string;
}

interface FilterProps {
  asked: Asked;
  /** The address of the list with other parameters. */
  addressOf(more: Record<string, string>): string;
}

const Filter = ({ asked, addressOf }: FilterProps): VNode => (
  <form
    class="filter chats-filter"
    method="get"
    action="/panel/conversations"
    role="search"
    aria-label={t('Conversations')}
  >
    <TextField
      state={new FormState({ ...asked })}
      name="contact"
      label={t('Contact')}
      placeholder={t('Name or number')}
      type="search"
      maxLength={200}
    />
    {hasCustomers(useRequest()) && (
      <div class="with-button" data-reload="">
        <CustomerField />
      </div>
    )}
    <div class="with-button" data-reload="">
      <LineField state={new FormState({ ...asked })} none={t('All lines')} />
      <Submit tone="plain">{t('Filter')}</Submit>
    </div>
    {asked.waits && <input type="hidden" name="waits" value="yes" />}
    <nav class="switch" aria-label={t('Which conversations')}>
      {[
        { label: t.of('conversations', 'All'), waits: '' },
        { label: t('Waiting for a reply'), waits: 'yes' },
      ].map(({ label, waits }) => (
        <a key={label} href={addressOf({ waits })} aria-current={waits === asked.waits ? 'true' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  </form>
);

function Nobody({ asked, hasNext }: { asked: Asked; hasNext: boolean }): VNode {
  const { contact, waits } = asked;
  const line = asked.line || asked.customer;
  if (hasNext) return <NothingAmongLatest />;
  if (waits && !contact && !line)
    return (
      <Empty title={t('No one is waiting for a reply')}>
        <a href="/panel/conversations">{t('Show all conversations')}</a>
      </Empty>
    );
  return contact || line || waits ? (
    <Empty title={t('No conversations found')}>
      <p>{t('Search by name, by a number or part of it, or by the full user ID.')}</p>
      <a href="/panel/conversations">{t('Show all conversations')}</a>
    </Empty>
  ) : (
    <Empty title={t('No conversations yet')}>
      <p>{t('A conversation appears here when a contact writes or you send a message.')}</p>
    </Empty>
  );
}
