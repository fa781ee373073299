import { type VNode } from 'preact';
import { contactsOf } from '../../cloud-api/phone-spellings';
import { writtenText } from '../../cloud-api/written-text';
import { type ListedConversation } from '../../store/reports/conversation-list';
import { FormState } from '../form-state';
import { Submit, TextField } from '../ui/form';
import { chosenLine, LineField } from '../ui/line-field';
import { Live } from '../ui/live';
import { Card, Empty, NothingAmongLatest, PageHead, Pager, Time } from '../ui/parts';
import { conversationHref } from '../ui/thread';
import { viewerPage, page, type Outcome, type PanelRoute, type UserContext } from '../request-context';

/** Who wrote, and what last. */
export const conversationsPages: PanelRoute[] = [
  viewerPage('/conversations', showConversations, { live: true }),
];

const PAGE = 50;

async function showConversations(context: UserContext): Promise<Outcome> {
  const { deps, query } = context;
  const asked = {
    contact: (query.get('contact') ?? '').trim().slice(0, 200),
    line: (query.get('line') ?? '').trim().slice(0, 200),
  };
  const { line } = chosenLine(deps.lines.all(), asked.line);
  const after = /^evt_\w{1,60}$/.test(query.get('after') ?? '') ? query.get('after') : null;
  const { rows, next } =
    asked.line && !line
      ? { rows: [], next: null }
      : await deps.store.conversationList.page(
          {
            ...(line && { lineId: line.id }),
            ...(asked.contact && { contacts: contactsOf(asked.contact) }),
          },
          after,
          PAGE,
        );
  const addressAfter = (place: string | null) => {
    const given = Object.entries({ ...asked, after: place ?? '' }).filter(([, value]) => value);
    return `/panel/conversations?${new URLSearchParams(given)}`;
  };
  const nameOf = new Map(deps.lines.all().map(({ id, name }) => [id, name]));
  return page(
    'Conversations',
    <>
      <PageHead title="Conversations">Who wrote to your lines, the latest first.</PageHead>
      <form
        class="filter"
        method="get"
        action="/panel/conversations"
        role="search"
        aria-label="Conversations"
      >
        <TextField
          state={new FormState(asked)}
          name="contact"
          label="Contact"
          type="search"
          maxLength={200}
        />
        <LineField context={context} state={new FormState(asked)} />
        <Submit tone="plain">Filter</Submit>
      </form>
      <Live id="conversations">
        <Card flush>
          {rows.length ? (
            <ul class="chats">
              {rows.map((row) => (
                <Conversation
                  key={row.id}
                  row={row}
                  line={nameOf.get(row.line_id) ?? `Line ${row.line_id}`}
                />
              ))}
            </ul>
          ) : (
            <Nobody isFiltered={Object.values(asked).some(Boolean)} hasNext={next !== null} />
          )}
          <Pager first={after ? addressAfter(null) : null} next={next && addressAfter(next)} />
        </Card>
      </Live>
    </>,
  );
}

function Conversation({ row, line }: { row: ListedConversation; line: string }): VNode {
  const words = row.body === null ? null : writtenText(row.body);
  return (
    <li>
      <div>
        <a class="row-link" href={conversationHref(row.line_id, row.contact)}>
          {row.contact}
        </a>
        <span class="quiet small">{line}</span>
      </div>
      <p class="quiet">{words?.replace(/\s+/g, ' ').slice(0, 160) ?? `Type: ${row.kind}`}</p>
      <span class="quiet small">
        <Time at={row.received_at} to="minute" />
      </span>
    </li>
  );
}

function Nobody({ isFiltered, hasNext }: { isFiltered: boolean; hasNext: boolean }): VNode {
  if (hasNext) return <NothingAmongLatest />;
  return isFiltered ? (
    <Empty title="Nobody was found">
      <p>A contact is found by the whole number with country code, or by the user id.</p>
      <a href="/panel/conversations">Show all conversations</a>
    </Empty>
  ) : (
    <Empty title="Nobody has written yet">
      <p>As soon as somebody writes to a line, the conversation is here.</p>
    </Empty>
  );
}
