import { type VNode } from 'preact';
import { writerKey, writersOf } from '../../messages/conversations';
import { exportMessages } from '../../messages/export-messages';
import { MESSAGE_STATES, messageFailure, messageState } from '../../messages/message-record';
import { type SentMessage } from '../../store/reports/message-list';
import { Said } from '../languages/said';
import { t } from '../languages/t';
import { CustomerField, ofCustomer } from '../ui/customer-field';
import { useRequest } from '../ui/page-request';
import { FormState } from '../form-state';
import { SelectField } from '../ui/form';
import { chosenLine, LineField } from '../ui/line-field';
import { pageNotFound } from '../ui/frame/error-page';
import { ListHead } from '../ui/frame/line-head';
import { Live } from '../ui/live';
import { auditedFilter, exportedFile, formatIn, lookedAtExport } from '../log/exported-file';
import { messageCursorOf } from '../log/message-cursor';
import { LogFilter, WordsField } from '../log/log-filter';
import { SaveAll } from '../log/save-all';
import { timesOf } from '../log/times';
import { Card, Empty, NothingAmongLatest, Pager, Table, Time } from '../ui/parts';
import { page, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { contactText } from '../ui/contact';
import { failureNames } from '../ui/words/failure-names';
import { MessageBadge } from '../chat/message-badge';
import { messageWord } from '../ui/words/kind-words';
import { sentWords, templatesOf, type Templates } from '../../messages/sent-words';
import { marked, messageHref, sentKind, sentSummary } from '../chat/thread';
import { addressOf, filterOf, isFiltered, listOf, pagesOf, queryOf, type MessageFilter } from './filter';

/** The page of sent messages and their statuses. */
export const messagesPages: PanelRoute[] = [
  pageRoute('messages.read', '/messages', showMessages, { live: true }),
  actionRoute('messages.read', '/messages/export', writeAll),
];

const PAGE = 50;

/** The page of the list in an address, which may also be the address of a message opened from the list. */
export async function listed(context: UserContext) {
  const { deps, query } = context;
  const filter = filterOf(query);
  const { line } = chosenLine(deps.lines.all(), filter.line);
  const pages = pagesOf(deps, filter);
  const { rows, next } = pages
    ? await pages(messageCursorOf(query.get('after')), PAGE)
    : { rows: [], next: null };
  await context.looked('messages', rows);
  return {
    line,
    rows,
    newest: query.has('after') ? addressOf(filter) : null,
    next: next && addressOf(filter, next),
  };
}

/** The texts and recipients of messages. */
export const toldOf = async ({ deps }: UserContext, rows: SentMessage[]) => ({
  templates: await templatesOf(deps.store, rows),
  writers: await writersOf(deps.store, rows.filter(hasContact)),
});

async function showMessages(context: UserContext): Promise<PanelResponse> {
  const { deps, query } = context;
  const filter = filterOf(query);
  const nameOf = new Map(deps.lines.all().map(({ id, name }) => [id, name]));
  const { line, rows, newest, next } = await listed(context);
  const { templates, writers } = await toldOf(context, rows);
  return page(
    <ListHead line={line} here="messages" title={t('Messages')}>
      {t('Sent messages and their latest status.')}
    </ListHead>,
    <>
      <SearchForm filter={filter} />
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
            <NothingThere filter={filter} hasNext={next !== null} />
          )}
          <Pager first={newest} next={next} />
        </Card>
      </Live>
      {rows.length > 0 && (
        <SaveAll
          action={ofCustomer(context, '/panel/messages/export')}
          fields={Object.fromEntries(queryOf(filter))}
          isFiltered={isFiltered(filter)}
        />
      )}
    </>,
  );
}

const hasContact = (row: SentMessage): row is SentMessage & { contact: string } => row.contact !== null;

const any = (label: string) => ({ value: '', label });

function SearchForm({ filter }: { filter: MessageFilter }): VNode {
  const context = useRequest();
  const lines = context.deps.lines.all();
  const state = new FormState({
    q: filter.q,
    state: filter.state ?? '',
    line: filter.line,
  });
  const presetOf = (label: string, only: MessageFilter['state']) => ({
    label,
    href: addressOf({ ...filter, state: only }),
    isOn: filter.state === only,
  });
  // Opens the line field, so that an unknown line can be corrected.
  const isLineUnknown = filter.line !== '' && !chosenLine(lines, filter.line).line;
  return (
    <LogFilter
      action="/panel/messages"
      first={<WordsField state={state} />}
      presets={[presetOf(t.of('messages', 'All'), null), presetOf(t.of('messages', 'Failed'), 'failed')]}
      times={timesOf(context, filter, addressOf)}
      isMoreSet={filter.state !== null || filter.customer !== ''}
      isShown={isLineUnknown}
      from={filter.from}
      to={filter.to}
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

function NothingThere({ filter, hasNext }: { filter: MessageFilter; hasNext: boolean }): VNode {
  const { deps, may } = useRequest();
  const { q } = filter;
  const hasSteps = may('events.read', null);
  if (hasNext) return <NothingAmongLatest />;
  if (isFiltered(filter) && !q)
    return (
      <Empty title={t('Nothing matches this filter')}>
        <a href="/panel/messages">{t('Show all messages')}</a>
      </Empty>
    );
  if (q)
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

async function writeAll(context: UserContext): Promise<PanelResponse> {
  const { deps, actor, form } = context;
  const format = formatIn(form);
  const filter = filterOf(form);
  const pages = pagesOf(deps, filter);
  if (!pages) throw pageNotFound();
  await lookedAtExport(context, filter.line);
  const written = await exportMessages(deps, actor, pages, format, auditedFilter(queryOf(filter)));
  return exportedFile(deps, 'messages', format, written);
}
