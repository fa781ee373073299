import { type VNode } from 'preact';
import { writerKey } from '../../messages/conversations';
import { messageState } from '../../messages/message-record';
import { type SentMessage } from '../../store/reports/message-list';
import { t } from '../languages/t';
import { type UserContext } from '../request-context';
import { sentWords } from '../../messages/sent-words';
import { marked, messageHref, sentSummary } from '../chat/thread';
import { contactText } from '../ui/contact';
import { messageWord } from '../ui/words/kind-words';
import { Pane } from '../ui/pane';
import { Pager } from '../ui/parts';
import { listOf } from './filter';
import { listed, toldOf } from './messages';

/**
 * The page of the list from which a message was opened. If that page doesn't contain the message, it comes
 * first.
 */
export async function messagePane(context: UserContext, message: SentMessage): Promise<VNode> {
  const isIt = ({ line_id: line, wamid }: SentMessage) => line === message.line_id && wamid === message.wamid;
  const { rows, newest, next } = await listed(context);
  const all = rows.some(isIt) ? rows : [message, ...rows];
  const { templates, writers } = await toldOf(context, all);
  const within = (list: string, of: SentMessage) => list.replace('/panel/messages', messageHref(of));
  const list = listOf(context.query);
  return (
    <Pane
      to="minute"
      list={{ href: list, label: t('Messages') }}
      rows={all.map((row) => {
        const { line_id, contact } = row;
        const name = contact === null ? t('Unknown contact') : writers.get(writerKey({ line_id, contact }));
        const hasFailed = messageState(row) === 'failed';
        return {
          key: `${line_id} ${row.wamid}`,
          href: within(list, row),
          isCurrent: isIt(row),
          ...(hasFailed && { tone: 'bad' as const }),
          title: name ?? contactText(contact ?? ''),
          at: row.accepted_at,
          about: (
            <>
              {hasFailed && (
                <>
                  <b>{messageWord('failed')}</b> ·{' '}
                </>
              )}
              <bdi>{marked(sentWords(row, templates)) ?? sentSummary(row)}</bdi>
            </>
          ),
        };
      })}
    >
      <Pager first={newest && within(newest, message)} next={next && within(next, message)} />
    </Pane>
  );
}
