import { type VNode } from 'preact';
import { type Line } from '../../../lines/line';
import { randomText } from '../../../users/secret-text';
import { type UserContext } from '../../request-context';
import { Form, Submit } from '../form';

/** A text to one contact, and the way to all that can be written. */
export function QuickCompose({
  context,
  line,
  to,
}: {
  context: UserContext;
  line: Pick<Line, 'id' | 'name'>;
  to: string;
}): VNode {
  const more = (kind: string) => `/panel/lines/${line.id}/send?${new URLSearchParams({ to, kind })}`;
  return (
    <Form context={context} action={`/panel/lines/${line.id}/send`} class="form close">
      <input type="hidden" name="once" value={randomText()} />
      <input type="hidden" name="kind" value="text" />
      <input type="hidden" name="to" value={to} />
      <div class="field">
        <label for="write-text">Text</label>
        <textarea id="write-text" name="text" rows={2} maxLength={4096} />
      </div>
      <div class="actions">
        <Submit>Send</Submit>
      </div>
      <p class="small">
        Or <a href={more('template')}>a template</a>, <a href={more('buttons')}>buttons</a>,{' '}
        <a href={more('list')}>a list</a>, <a href={more('media')}>a picture or file</a>.
      </p>
    </Form>
  );
}
