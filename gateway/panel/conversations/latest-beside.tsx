import { type VNode } from 'preact';
import { conversationPage, type Conversation } from '../../messages/conversations';
import { type Line } from '../../lines/line';
import { t } from '../languages/t';
import { lastWords } from '../chat/last-words';
import { templatesOf, type Templates } from '../../messages/sent-words';
import { conversationHref, conversationsHref, type ListOfConversations } from '../chat/thread';
import { Avatar } from '../ui/avatar';
import { partnerOf } from '../ui/contact';
import { messageWord } from '../ui/words/kind-words';
import { Waits } from '../chat/waits';
import { Pane, type PaneRow } from '../ui/pane';
import { type UserContext } from '../request-context';

const LATEST = 25;
const NEWEST = { written: null, sent: null };

/** The open conversation, with all names of its contact. */
interface Read {
  line: Line;
  names: string[];
  /** The list from which the conversation was opened. */
  of: ListOfConversations;
}

/**
 * The latest conversations of the list, shown beside the open one. If the list doesn't contain the open one,
 * it comes last.
 */
export async function latestBeside(context: UserContext, { line, names, of }: Read): Promise<VNode> {
  const { deps } = context;
  const isRead = (row: Conversation) => row.line_id === line.id && names.includes(row.contact);
  const { isOfLine } = of;
  const search = { ...(isOfLine && { lineId: line.id }), waits: of.waits };
  const latest = await conversationPage(deps.store, search, NEWEST, LATEST);
  const ofThis = { lineId: line.id, contacts: names };
  const older = latest.rows.some(isRead) ? null : await conversationPage(deps.store, ofThis, NEWEST, 1);
  const rows = [...latest.rows, ...(older?.rows ?? [])];
  await context.looked('conversations', rows);
  const templates = await templatesOf(
    deps.store,
    rows.filter(({ isOurs }) => isOurs),
  );
  const lines = new Map(deps.lines.all().map(({ id, name }) => [id, name]));
  const lineOf = ({ line_id: id }: Conversation) =>
    isOfLine || lines.size < 2 ? null : (lines.get(id) ?? t('Line {id}', { id }));
  return (
    <Pane
      list={{ href: conversationsHref(line.id, of), label: t('Conversations') }}
      head={<Find line={line} of={of} />}
      rows={rows.map((row) => ({
        ...shown(row, lineOf(row), templates),
        href: `${conversationHref(row.line_id, row.contact, of)}#latest`,
        isCurrent: isRead(row),
      }))}
    />
  );
}

/** A search within the same list. */
const Find = ({ line, of }: Pick<Read, 'line' | 'of'>): VNode => (
  <form method="get" action="/panel/conversations" role="search" aria-label={t('Conversations')}>
    {of.isOfLine && <input type="hidden" name="line" value={line.id} />}
    {of.waits && <input type="hidden" name="waits" value="yes" />}
    {of.customer && <input type="hidden" name="customer" value={of.customer} />}
    <input
      type="search"
      name="contact"
      maxLength={200}
      placeholder={t('Name or number')}
      aria-label={t('Name or number')}
      autocomplete="off"
      spellcheck={false}
      autocapitalize="none"
    />
  </form>
);

function shown(
  row: Conversation,
  line: string | null,
  templates: Templates,
): Omit<PaneRow, 'href' | 'isCurrent'> {
  const { name, number, isGroup } = partnerOf(row.contact, row.written);
  const hasFailed = 'has_failed' in row && Boolean(row.has_failed);
  return {
    key: `${row.line_id} ${row.contact}`,
    sign: <Avatar name={isGroup ? number : name} of={row.contact} />,
    title: (
      <>
        <bdi>{name ?? number}</bdi> {line !== null && <bdi class="quiet">{line}</bdi>}
      </>
    ),
    at: row.at,
    about: (
      <>
        {hasFailed && `${messageWord('failed')} · `}
        {lastWords(row, templates)}
        {row.waits && <Waits />}
      </>
    ),
    waits: row.waits,
    ...(hasFailed && { tone: 'bad' }),
  };
}
