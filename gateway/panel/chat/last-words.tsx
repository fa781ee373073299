import { type ComponentChildren } from 'preact';
import { groupOf, writerName, writtenText } from '../../cloud-api/written-text';
import { type Conversation } from '../../messages/conversations';
import { t } from '../languages/t';
import { writtenKind } from '../ui/words/kind-words';
import { sentWords, type Templates } from '../../messages/sent-words';
import { marked, sentSummary } from './thread';

/** The beginning of the last message, or its kind if the text is not stored. */
export function lastWords(conversation: Conversation, templates: Templates): ComponentChildren {
  const { isOurs, body, kind } = conversation;
  const text = isOurs ? sentWords(conversation, templates) : writtenText(body ?? '');
  const said = text && <bdi>{marked(text.replace(/\s+/g, ' ').slice(0, 160))}</bdi>;
  if (isOurs)
    return t.rich('You: {text}', {
      text: said || <em>{sentSummary({ ...conversation, type: kind }, 'in a sentence')}</em>,
    });
  const written = said || <em>{writtenKind({ kind: kind ?? 'unknown', body })}</em>;
  const writer = groupOf(body ?? '') === null ? null : writerName(body ?? '');
  if (writer === null) return written;
  return (
    <>
      <bdi>{writer}</bdi>: {written}
    </>
  );
}
