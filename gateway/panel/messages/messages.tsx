import { type VNode } from 'preact';
import { sentText } from '../../cloud-api/sent-text';
import { contactNames } from '../../messages/contact-names';
import {
  MESSAGE_STATES,
  messageFailure,
  messageState,
  type MessageState,
} from '../../messages/message-record';
import { type MessageCursor, type MessageSearch, type SentMessage } from '../../store/reports/message-list';
import { Told } from '../languages/told';
import { t } from '../languages/t';
import { useRequest } from '../ui/page-request';
import { FormState } from '../form-state';
import { SelectField, TextField } from '../ui/form';
import { chosenLine, LineField } from '../ui/line-field';
import { ListHead } from '../ui/frame/line-head';
import { Live } from '../ui/live';
import { messageCursorOf, messageCursorText } from '../ui/message-cursor';
import { LogFilter } from '../ui/log-filter';
import { momentOf } from '../ui/moment-field';
import { Card, Empty, NothingAmongLatest, Pager, Table, Time } from '../ui/parts';
import { page, type Outcome } from '../outcome';
import { viewerPage, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { contactText } from '../ui/contact';
import { messageKind } from '../ui/kind-words';
import { MessageBadge, messageWord } from '../ui/message-badge';
import { messageHref } from '../ui/chat/thread';

/** What was sent, and what became of it. */
export const messagesPages: PanelRoute[] = [viewerPage('/messages', showMessages, { live: true })];

const PAGE = 50;

interface Asked {
  contact: string;
  id: string;
  state: MessageState | null;
  line: string;
  /** ISO times, or nothing. */
  from: string;
  to: string;
}

function askedOf(query: URLSearchParams): Asked {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, 500);
  return {
    contact: text('contact'),
    id: text('id'),
    state: MESSAGE_STATES.find((state) => state === text('state')) ?? null,
    line: text('line'),
    from: momentOf(text('from')),
    to: momentOf(text('to')),
  };
}

async function showMessages(context: UserContext): Promise<Outcome> {
  const { deps, query } = context;
  const asked = askedOf(query);
  const lines = deps.lines.all();
  const nameOf = new Map(lines.map(({ id, name }) => [id, name]));
  const { line } = chosenLine(lines, asked.line);
  const contacts = asked.contact ? await contactNames(deps.store, asked.contact) : undefined;
  const search: MessageSearch = {
    ...(contacts && { contacts }),
    ...(asked.state && { state: asked.state }),
    ...(line && { lineId: line.id }),
    ...(asked.from && { from: asked.from }),
    ...(asked.to && { to: asked.to }),
  };
  const { rows, next } = await found();
  const isFiltered = Object.values(asked).some(Boolean);
  async function found() {
    if (asked.line && !line) return { rows: [], next: null };
    if (asked.id) return { rows: await byId(context, asked, search), next: null };
    return deps.store.messageList.page(search, messageCursorOf(query.get('after')), PAGE);
  }
  return page(
    <ListHead line={line} here="messages" title={t('Messages')}>
      {t('What was sent through the gateway, and how far each message came.')}
    </ListHead>,
    <>
      <SearchForm asked={asked} />
      <Live id="messages">
        <Card flush>
          {rows.length ? (
            <MessageTable rows={rows} nameOf={line || nameOf.size < 2 ? null : nameOf} />
          ) : (
            <NothingThere isFiltered={isFiltered} hasNext={next !== null} />
          )}
          <Pager first={query.has('after') ? addressOf(asked) : null} next={next && addressOf(asked, next)} />
        </Card>
      </Live>
    </>,
  );
}

async function byId(
  { deps }: UserContext,
  { id, state, from, to }: Asked,
  { lineId, contacts }: MessageSearch,
): Promise<SentMessage[]> {
  const lineIds = deps.lines.all().map((one) => one.id);
  if (!lineIds.length) return [];
  const rows = await deps.store.messageList.byId(lineIds, id);
  return rows
    .filter((row) => lineId === undefined || row.line_id === lineId)
    .filter((row) => !state || messageState(row) === state)
    .filter(({ accepted_at: at }) => (!from || (at ?? '') >= from) && (!to || (at ?? '') < to))
    .filter((row) => !contacts || contacts.includes(row.contact ?? ''));
}

function addressOf(asked: Partial<Asked>, after: MessageCursor | null = null): string {
  const given = Object.entries(asked).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  const query = new URLSearchParams(given);
  if (after) query.set('after', messageCursorText(after));
  return `/panel/messages${query.size ? `?${query}` : ''}`;
}

const any = (label: string) => ({ value: '', label });

function SearchForm({ asked }: { asked: Asked }): VNode {
  const lines = useRequest().deps.lines.all();
  const state = new FormState({
    contact: asked.contact,
    id: asked.id,
    state: asked.state ?? '',
    line: asked.line,
  });
  const presetOf = (label: string, only: Partial<Asked>) => {
    const href = addressOf({ ...only, line: asked.line });
    return { label, href, isOn: href === addressOf(asked) };
  };
  // One that was found stands above the list.
  const isLineUnknown = asked.line !== '' && !chosenLine(lines, asked.line).line;
  return (
    <LogFilter
      action="/panel/messages"
      first={
        <>
          <TextField state={state} name="contact" label={t('Contact')} type="search" maxLength={200} />
          <TextField state={state} name="id" label={t('Message id')} type="search" maxLength={500} />
        </>
      }
      presets={[
        presetOf(t.of('messages', 'All'), {}),
        presetOf(t.of('messages', 'Failed'), { state: 'failed' }),
      ]}
      isMoreSet={Boolean(asked.state ?? isLineUnknown)}
      from={asked.from}
      to={asked.to}
      more={
        <>
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
  /** The lines' names; null where all are of one line. */
  nameOf: Map<number, string> | null;
}

function MessageTable({ rows, nameOf }: MessageTableProps): VNode {
  return (
    <Table
      caption={t('Messages, the newest first')}
      isBrief
      rows={rows}
      rowKey={({ line_id: line, wamid }) => `${line} ${wamid}`}
      columns={[
        {
          label: t('To'),
          heading: true,
          cell: (row) => (
            <a class="row-link" href={messageHref(row)}>
              {row.contact === null ? t('Unknown contact') : contactText(row.contact)}
            </a>
          ),
        },
        {
          label: t('Message'),
          cell: ({ type, body }) => {
            const text = sentText(body ?? '');
            const kind = type === null ? '–' : messageKind(type);
            if (text === null) return kind;
            return (
              <>
                <div class="reason">{text}</div>
                <span class="quiet small">{kind}</span>
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
              <MessageBadge message={row} />
              {messageState(row) === 'failed' && (
                <div class="quiet small reason">
                  <Told>{messageFailure(row)?.reason}</Told>
                </div>
              )}
            </>
          ),
        },
      ]}
    />
  );
}

function NothingThere({ isFiltered, hasNext }: { isFiltered: boolean; hasNext: boolean }): VNode {
  const { deps, query } = useRequest();
  if (hasNext) return <NothingAmongLatest />;
  if (isFiltered && !query.get('contact') && !query.get('id'))
    return (
      <Empty title={t('Nothing matches this filter')}>
        <a href="/panel/messages">{t('Show all messages')}</a>
      </Empty>
    );
  if (isFiltered)
    return (
      <Empty title={t('Nothing was found')}>
        <p>
          {t(
            'A contact is found by its whole number with country code, as +1 202 555 0147, or by its user id; a message by the whole id that the answer to the send gave.',
          )}
        </p>
        <a href="/panel/messages">{t('Show all messages')}</a>
      </Empty>
    );
  return (
    <Empty title={t('Nothing was sent yet')}>
      <p>
        {t(
          'The first message will appear here, with everything that becomes of it. The first steps have a command to copy that sends one.',
        )}
      </p>
      <div class="actions">
        <a class="button plain" href="/panel/start">
          {t('First steps')}
        </a>
        {deps.sandboxUrl !== null && (
          <a class="button plain" href="/panel/phone">
            {t('Sandbox phone')}
          </a>
        )}
      </div>
    </Empty>
  );
}
