import { type VNode } from 'preact';
import { contactNames, contactsWithName, contactsWithNumber, isOfNumber } from '../../messages/contact-names';
import { writerKey, writersOf } from '../../messages/conversations';
import {
  MESSAGE_STATES,
  messageFailure,
  messageState,
  type MessageState,
} from '../../messages/message-record';
import { sentTextSearch } from '../../messages/text-search';
import { type MessageCursor, type MessageSearch, type SentMessage } from '../../store/reports/message-list';
import { Said } from '../languages/said';
import { t } from '../languages/t';
import { CustomerField } from '../ui/customer-field';
import { useRequest } from '../ui/page-request';
import { FormState } from '../form-state';
import { SelectField } from '../ui/form';
import { chosenLine, LineField } from '../ui/line-field';
import { ListHead } from '../ui/frame/line-head';
import { Live } from '../ui/live';
import { messageCursorOf, messageCursorText } from '../log/message-cursor';
import { LogFilter, WordsField } from '../log/log-filter';
import { momentOf } from '../ui/moment-field';
import { timesOf } from '../log/times';
import { Card, Empty, NothingAmongLatest, Pager, Table, Time } from '../ui/parts';
import { page, type PanelResponse } from '../outcome';
import { pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { contactText } from '../ui/contact';
import { failureNames } from '../ui/words/failure-names';
import { MessageBadge } from '../chat/message-badge';
import { messageWord } from '../ui/words/kind-words';
import { sentWords, templatesOf, type Templates } from '../../messages/sent-words';
import { marked, messageHref, sentKind, sentSummary } from '../chat/thread';

/** The page of sent messages and their statuses. */
export const messagesPages: PanelRoute[] = [
  pageRoute('messages.read', '/messages', showMessages, { live: true }),
];

const PAGE = 50;

interface Asked {
  /** A phone number in any format, words of a message, or a message id. */
  q: string;
  state: MessageState | null;
  line: string;
  /** As in the context, which applies it. */
  customer: string;
  /** ISO times; empty if not set. */
  from: string;
  to: string;
}

function askedOf(query: URLSearchParams): Asked {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, 500);
  return {
    q: text('q'),
    state: MESSAGE_STATES.find((state) => state === text('state')) ?? null,
    line: text('line'),
    customer: text('customer'),
    from: momentOf(text('from')),
    to: momentOf(text('to')),
  };
}

/** The page of the list in an address, which may also be the address of a message opened from the list. */
export async function listed(context: UserContext) {
  const { deps, query } = context;
  const asked = askedOf(query);
  const { line } = chosenLine(deps.lines.all(), asked.line);
  const search: MessageSearch = {
    ...(asked.state && { state: asked.state }),
    ...(line && { lineId: line.id }),
    ...(asked.from && { from: asked.from }),
    ...(asked.to && { to: asked.to }),
  };
  const isNoLine = asked.line !== '' && !line;
  const { rows, next } = isNoLine
    ? NOTHING
    : await found(context, asked.q, search, messageCursorOf(query.get('after')));
  await context.looked('messages', rows);
  return {
    line,
    rows,
    newest: query.has('after') ? addressOf(asked) : null,
    next: next && addressOf(asked, next),
  };
}

/** The texts and recipients of messages. */
export const toldOf = async ({ deps }: UserContext, rows: SentMessage[]) => ({
  templates: await templatesOf(deps.store, rows),
  writers: await writersOf(deps.store, rows.filter(hasContact)),
});

async function showMessages(context: UserContext): Promise<PanelResponse> {
  const { deps, query } = context;
  const asked = askedOf(query);
  const nameOf = new Map(deps.lines.all().map(({ id, name }) => [id, name]));
  const { line, rows, newest, next } = await listed(context);
  const { templates, writers } = await toldOf(context, rows);
  const isFiltered = Object.values(asked).some(Boolean);
  return page(
    <ListHead line={line} here="messages" title={t('Messages')}>
      {t('Sent messages and their latest status.')}
    </ListHead>,
    <>
      <SearchForm asked={asked} />
      <Live id="messages">
        <Card flush>
          {rows.length ? (
            <MessageTable
              rows={rows}
              templates={templates}
              writers={writers}
              nameOf={line || nameOf.size < 2 ? null : nameOf}
            />
          ) : (
            <NothingThere isFiltered={isFiltered} hasNext={next !== null} />
          )}
          <Pager first={newest} next={next} />
        </Card>
      </Live>
    </>,
  );
}

const hasContact = (row: SentMessage): row is SentMessage & { contact: string } => row.contact !== null;

const NOTHING = { rows: [], next: null };

/** An error code, to find messages that failed with it. */
const CODE = /^[1-9]\d{2,6}$/;

/** Decides what `q` is, and finds the messages. */
async function found(
  { deps }: UserContext,
  q: string,
  search: MessageSearch,
  after: MessageCursor | null,
): Promise<{ rows: SentMessage[]; next: MessageCursor | null }> {
  const { messageList } = deps.store;
  const ofContacts = (contacts: string[]) => messageList.page({ ...search, contacts }, after, PAGE);
  const withText = async (words: string) => {
    const texts = await messageList.withText({ ...search, text: sentTextSearch(words) }, after, PAGE);
    if (texts.rows.length || texts.next) return texts;
    // The words are in no text, so they may be a contact's name.
    const named = await contactsWithName(deps.store, words);
    return named.length ? ofContacts(named) : texts;
  };
  if (!q) return messageList.page(search, after, PAGE);
  const lines = deps.lines.all();
  if (CODE.test(q) && (search.state ?? 'failed') === 'failed') {
    const ofCode: MessageSearch = { ...search, state: 'failed', code: Number(q) };
    const { rows } = await messageList.page(ofCode, null, 1);
    if (rows.length) return messageList.page(ofCode, after, PAGE);
  }
  if (isOfNumber(q)) {
    const contacts = await contactsWithNumber(deps.store, lines, q);
    return contacts.length ? ofContacts(contacts) : withText(q);
  }
  if (/[\s"]/.test(q)) return withText(q);
  const lineIds = lines.map(({ id }) => id);
  const known = lineIds.length ? await messageList.byId(lineIds, q) : [];
  if (known.length || q.startsWith('wamid.'))
    return { rows: known.filter((row) => isWithin(row, search)), next: null };
  const names = await contactNames(deps.store, q);
  const isContact =
    names.length > 1 || (await messageList.page({ contacts: names }, null, 1)).rows.length > 0;
  return isContact ? ofContacts(names) : withText(q);
}

const isWithin = (row: SentMessage, { lineId, state, from, to }: MessageSearch): boolean =>
  (lineId === undefined || row.line_id === lineId) &&
  (state === undefined || messageState(row) === state) &&
  (from === undefined || (row.accepted_at ?? '') >= from) &&
  (to === undefined || (row.accepted_at ?? '') < to);

/** The query of the current list, which the addresses of its messages repeat. */
export const listOf = (query: URLSearchParams): string =>
  addressOf(askedOf(query), messageCursorOf(query.get('after')));

function addressOf(asked: Partial<Asked>, after: MessageCursor | null = null): string {
  const given = Object.entries(asked).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  const query = new URLSearchParams(given);
  if (after) query.set('after', messageCursorText(after));
  return `/panel/messages${query.size ? `?${query}` : ''}`;
}

const any = (label: string) => ({ value: '', label });

function SearchForm({ asked }: { asked: Asked }): VNode {
  const context = useRequest();
  const lines = context.deps.lines.all();
  const state = new FormState({
    q: asked.q,
    state: asked.state ?? '',
    line: asked.line,
  });
  const presetOf = (label: string, only: Asked['state']) => ({
    label,
    href: addressOf({ ...asked, state: only }),
    isOn: asked.state === only,
  });
  // Opens the line field, so that an unknown line can be corrected.
  const isLineUnknown = asked.line !== '' && !chosenLine(lines, asked.line).line;
  return (
    <LogFilter
      action="/panel/messages"
      first={<WordsField state={state} />}
      presets={[presetOf(t.of('messages', 'All'), null), presetOf(t.of('messages', 'Failed'), 'failed')]}
      times={timesOf(context, asked, addressOf)}
      isMoreSet={asked.state !== null || asked.customer !== ''}
      isShown={isLineUnknown}
      from={asked.from}
      to={asked.to}
      more={
        <>
          <CustomerField />
          <LineField state={state} />
          <SelectField
            state={state}
            name="state"
            label={t('State')}
            choices={[
              any(t.of('states', 'All')),
              ...MESSAGE_STATES.map((value) => ({ value, label: messageWord(value) })),
            ]}
          />
        </>
      }
    />
  );
}

interface MessageTableProps {
  rows: SentMessage[];
  templates: Templates;
  /** Profile names of contacts, by `writerKey`. */
  writers: Map<string, string>;
  /** Names of lines; null if all messages are of one line. */
  nameOf: Map<number, string> | null;
}

function MessageTable({ rows, templates, writers, nameOf }: MessageTableProps): VNode {
  const { search } = new URL(listOf(useRequest().query), 'http://panel');
  return (
    <Table
      caption={t('Messages, the newest first')}
      brief="bare"
      rows={rows}
      rowKey={({ line_id: line, wamid }) => `${line} ${wamid}`}
      columns={[
        {
          label: t('To'),
          heading: true,
          cell: (row) => {
            const number = row.contact === null ? t('Unknown contact') : contactText(row.contact);
            const name = hasContact(row) && writers.get(writerKey(row));
            return (
              <>
                <a class="row-link" href={`${messageHref(row)}${search}`} dir="auto">
                  {name || number}
                </a>{' '}
                {name && <span class="quiet small number">{number}</span>}
              </>
            );
          },
        },
        {
          label: t('Message'),
          cell: (row) => {
            const { type, sent_from: from } = row;
            const text = sentWords(row, templates);
            const about = [
              text !== null && type !== 'text' && type !== null && sentKind(row),
              from === 'app' && t('Sent from the phone app'),
            ].filter(Boolean);
            return (
              <>
                {text === null ? (
                  <span class="unkept">{sentSummary(row)}</span>
                ) : (
                  <div class="reason" dir="auto">
                    {marked(text)}
                  </div>
                )}
                {about.length > 0 && <span class="quiet small">{about.join(' · ')}</span>}
              </>
            );
          },
        },
        ...(nameOf
          ? [
              {
                label: t('Line'),
                cell: ({ line_id: id }: SentMessage) => (
                  <span class="line-name">{nameOf.get(id) ?? t('Line {id}', { id })}</span>
                ),
              },
            ]
          : []),
        {
          label: t.of('message', 'Accepted'),
          cell: (row) => <Time at={row.accepted_at} never={t('not through the gateway')} />,
        },
        {
          label: t('State'),
          cell: (row) => (
            <>
              <MessageBadge message={row} /> {messageState(row) === 'failed' && <Why message={row} />}
            </>
          ),
        },
      ]}
    />
  );
}

/** The failure in a few words. The message's page has the details. */
function Why({ message }: { message: SentMessage }): VNode | null {
  const failure = messageFailure(message);
  if (!failure) return null;
  const { code, reason } = failure;
  return (
    <span class="quiet small why-failed">
      {code !== null && `${code} · `}
      {failureNames()[code ?? -1] ?? <Said>{reason}</Said>}
    </span>
  );
}

function NothingThere({ isFiltered, hasNext }: { isFiltered: boolean; hasNext: boolean }): VNode {
  const { deps, query, may } = useRequest();
  const q = askedOf(query).q;
  const hasSteps = may('events.read', null);
  if (hasNext) return <NothingAmongLatest />;
  if (isFiltered && !q)
    return (
      <Empty title={t('Nothing matches this filter')}>
        <a href="/panel/messages">{t('Show all messages')}</a>
      </Empty>
    );
  if (isFiltered)
    return (
      <Empty title={t('Nothing found')}>
        <p>
          {t(
            'Search by at least four digits of a number, a user ID, a full message ID, an error code, or words of stored messages (for a template: its name and values).',
          )}
        </p>
        <a class="long" href={`/panel/search?${new URLSearchParams({ q })}`}>
          {t('Search everywhere for “{q}”', { q })}
        </a>
        <a href="/panel/messages">{t('Show all messages')}</a>
      </Empty>
    );
  return (
    <Empty title={t('No messages sent yet')}>
      <p>
        {hasSteps
          ? t(
              'Your first message appears here with its latest status. To send one, copy the command from First steps.',
            )
          : t('Your first message appears here with its latest status.')}
      </p>
      <div class="actions">
        {hasSteps && (
          <a class="button plain" href="/panel/start">
            {t('First steps')}
          </a>
        )}
        {deps.sandboxUrl !== null && (
          <a class="button plain" href="/panel/phone">
            {t('Sandbox phone')}
          </a>
        )}
      </div>
    </Empty>
  );
}
