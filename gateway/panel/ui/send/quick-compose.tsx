import { type VNode } from 'preact';
import { type Line } from '../../../lines/line';
import { randomText } from '../../../users/secret-text';
import { Form, Submit } from '../form';
import { t } from '../../languages/t';

/** A text to one contact, and the way to all that can be written. */
export function QuickCompose({
  line,
  to,
  from,
}: {
  line: Pick<Line, 'id' | 'name'>;
  to: string;
  /** Where it leads back to, once it is sent: the conversation, with those of all lines beside it or of its line. */
  from?: 'conversation' | 'line';
}): VNode {
  const more = (kind: string) =>
    `/panel/lines/${line.id}/send?${new URLSearchParams({ to, kind, ...(from && { from }) })}`;
  return (
    <Form action={`/panel/lines/${line.id}/send`} class="form close">
      <input type="hidden" name="once" value={randomText()} />
      <input type="hidden" name="kind" value="text" />
      <input type="hidden" name="to" value={to} />
      {from && <input type="hidden" name="from" value={from} />}
      <div class="field">
        <label for="write-text">{t('Text')}</label>
        <textarea
          id="write-text"
          name="text"
          rows={2}
          maxLength={4096}
          placeholder={t('Write a message')}
          enterkeyhint="send"
          data-type-here={from && ''}
        />
      </div>
      <div class="actions">
        <Submit>{t('Send')}</Submit>
      </div>
      <p class="small more-kinds">
        {t.rich(
          'Or <template>a template</template>, <buttons>buttons</buttons>, <list>a list</list>, <media>a picture or file</media>.',
          {
            template: (parts) => <a href={more('template')}>{parts}</a>,
            buttons: (parts) => <a href={more('buttons')}>{parts}</a>,
            list: (parts) => <a href={more('list')}>{parts}</a>,
            media: (parts) => <a href={more('media')}>{parts}</a>,
          },
        )}
      </p>
    </Form>
  );
}
