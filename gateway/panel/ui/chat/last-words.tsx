import { type ComponentChildren } from 'preact';
import { writtenText } from '../../../cloud-api/written-text';
import { type Conversation } from '../../../messages/conversations';
import { t } from '../../languages/t';
import { inSentence, messageKind } from '../words/kind-words';
import { sentWords, type Templates } from './sent-templates';
import { marked, sentSummary } from './thread';

/** The beginning of what was said last; where no words of it are kept, what it was. */
export function lastWords(conversation: Conversation, templates: Templates): ComponentChildren {
  const { isOurs, body, kind } = conversation;
  const text = isOurs ? sentWords(conversation, templates) : writtenText(body ?? '');
  const said = marked(text && text.replace(/\s+/g, ' ').slice(0, 160));
  if (!isOurs) return said ?? <em>{messageKind(kind ?? 'unknown')}</em>;
  const summary = <em>{inSentence(sentSummary({ type: kind, body }))}</em>;
  return t.rich('You: {text}', { text: said ? <>{said}</> : summary });
}
