import { type VNode } from 'preact';
import { type Line } from '../../lines/line';
import { randomText } from '../../users/secret-text';
import { Attach } from '../chat/attach';
import { SendButton } from '../chat/send-button';
import { Form } from '../ui/form';
import { t } from '../languages/t';

/** A field to send a text, and a menu of other kinds of messages. */
export function QuickCompose({
  line,
  to,
  isGroup = false,
  from,
}: {
  line: Pick<Line, 'id' | 'name'>;
  to: string;
  isGroup?: boolean;
  /** The page after sending: `phone`, or a filter of conversations from `wordOf`. */
  from: string;
}): VNode {
  const recipient = { to, ...(isGroup && { group: 'yes' }) };
  const more = (kind: string) =>
    `/panel/lines/${line.id}/send?${new URLSearchParams({ ...recipient, kind, from })}`;
  return (
    <div class="composer">
      <Attach label={t('Send something else')}>
        <ul class="attach-sheet">
          {[
            ['template', t('Template')],
            ['buttons', t('Buttons')],
            ['list', t('List')],
            ['media', t('Picture or file')],
          ].map(([kind = '', label]) => (
            <li key={kind}>
              <a href={more(kind)}>{label}</a>
            </li>
          ))}
        </ul>
      </Attach>
      <Form action={`/panel/lines/${line.id}/send`} class="write">
        <input type="hidden" name="once" value={randomText()} />
        <input type="hidden" name="kind" value="text" />
        {Object.entries(recipient).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <input type="hidden" name="from" value={from} />
        <label class="sr-only" for="write-text">
          {t('Text')}
        </label>
        <textarea
          id="write-text"
          name="text"
          rows={1}
          maxLength={4096}
          placeholder={t('Write a message')}
          dir="auto"
          enterkeyhint="send"
          data-type-here={from === 'phone' ? undefined : ''}
        />
        <SendButton />
      </Form>
    </div>
  );
}
