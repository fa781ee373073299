import { type ComponentChildren, type VNode } from 'preact';
import { type Line } from '../../lines/line';
import { type TemplateRecord } from '../../templates/template-record';
import { type FormState } from '../form-state';
import { TemplatePreview } from '../ui/send/template-preview';
import { FileField, Form, LongField, SelectField, Shown, Submit, TextField } from '../ui/form';
import { type UserContext } from '../request-context';
import { BUTTONS, kindOf, MEDIA_TYPES, type Kind, type MediaType } from './message-body';
import { fieldsOf, templateKey } from '../ui/send/template-form';

interface ComposeFormProps {
  context: UserContext;
  line: Pick<Line, 'id'>;
  state: FormState;
  /** Those that the platform would send. */
  templates: TemplateRecord[];
  chosen: TemplateRecord | null;
}

const KIND_WORDS: Record<Kind, string> = {
  text: 'Text',
  template: 'Template',
  buttons: 'Buttons',
  list: 'List',
  media: 'Picture or file',
};

const MEDIA_WORDS: Record<MediaType, string> = {
  image: 'Picture',
  video: 'Video',
  audio: 'Sound',
  document: 'Document',
  sticker: 'Sticker',
};

/**
 * One form for every kind: the fields of the one that is chosen are shown, by the stylesheet. What it says is shown
 * beside it as it is typed, where there is script, else on "Preview".
 */
export function ComposeForm(props: ComposeFormProps): VNode {
  const { context, line, state, templates } = props;
  return (
    <Form context={context} action={`/panel/lines/${line.id}/send`} class="form compose" state={state} files>
      <input type="hidden" name="once" value={state.text('once')} />
      <div class="compose-fields">
        <TextField
          state={state}
          name="to"
          label="To"
          type="tel"
          hint="A number with its country code."
          placeholder="+55 11 98765-4321"
        />
        <Kinds state={state} hasTemplates={templates.length > 0} />
        <Of kind="text">
          <LongField state={state} name="text" label="Text" rows={4} maxLength={4096} hint={FORMATS} />
        </Of>
        <Of kind="template">
          <TemplateFields {...props} />
        </Of>
        <Of kind="buttons list">
          <LongField
            state={state}
            name="question"
            label="Text"
            rows={3}
            maxLength={1024}
            hint="What stands above the choices."
          />
        </Of>
        <Of kind="buttons">
          <div class="field">
            <span class="label" id="buttons-label">
              Buttons
            </span>
            <div class="compose-buttons" role="group" aria-labelledby="buttons-label">
              {BUTTONS.map((name, index) => (
                <TextField
                  key={name}
                  state={state}
                  name={name}
                  label={`Button ${index + 1}`}
                  optional={index > 0}
                  maxLength={20}
                />
              ))}
            </div>
          </div>
        </Of>
        <Of kind="list">
          <TextField state={state} name="list_label" label="Button that opens the list" maxLength={20} />
          <LongField
            state={state}
            name="rows"
            label="Choices"
            rows={4}
            hint="Up to ten, each in a line of its own. Behind a bar, what is said of it: Morning | 9 to 12"
          />
        </Of>
        <Of kind="buttons list">
          <TextField state={state} name="footer" label="Small print beneath" optional maxLength={60} />
        </Of>
        <Of kind="media">
          <FileField state={state} name="file" label="File" hint="Up to 16 MB." />
          <TextField
            state={state}
            name="link"
            label="Or its address on the web"
            type="url"
            hint="One that everybody may open."
            placeholder="https://www.example.com/cake.jpg"
          />
          <SelectField
            state={state}
            name="media_type"
            label="What is at that address"
            choices={MEDIA_TYPES.map((value) => ({ value, label: MEDIA_WORDS[value] }))}
          />
          <TextField state={state} name="caption" label="Caption" optional maxLength={1024} />
        </Of>
      </div>
      <div class="compose-preview">
        <p class="label">Preview</p>
        <Preview {...props} />
      </div>
      <div class="actions">
        <Submit>Send</Submit>
        <Submit tone="plain" name="do" value="preview">
          Preview
        </Submit>
      </div>
    </Form>
  );
}

const FORMATS = '*bold*, _italic_, ~struck through~.';

const Of = ({ kind, children }: { kind: string; children: ComponentChildren }): VNode => (
  <div class="of-kind" data-kind={kind}>
    {children}
  </div>
);

function Kinds({ state, hasTemplates }: { state: FormState; hasTemplates: boolean }): VNode {
  const chosen = kindOf(state);
  return (
    <fieldset class="segments">
      <legend class="sr-only">What to send</legend>
      {(Object.keys(KIND_WORDS) as Kind[]).map((kind) => (
        <label key={kind}>
          <input
            type="radio"
            name="kind"
            value={kind}
            checked={kind === chosen}
            disabled={kind === 'template' && !hasTemplates}
          />
          <span>{KIND_WORDS[kind]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function TemplateFields({ state, templates, chosen }: ComposeFormProps): VNode | null {
  if (!chosen) return null;
  return (
    <>
      <div class="with-button" data-reload="">
        <SelectField
          state={state}
          name="template"
          label="Template"
          choices={templates.map((one) => ({
            value: templateKey(one),
            label: `${one.name} · ${one.language}`,
          }))}
        />
        <Submit tone="plain" name="do" value="preview">
          Show its fields
        </Submit>
      </div>
      {fieldsOf(chosen).map(({ name, label }) => (
        <TextField key={name} state={state} name={name} label={label} />
      ))}
    </>
  );
}

function Preview({ state, chosen }: ComposeFormProps): VNode {
  const bubble = (kind: string, name: string, footer = false) => (
    <div class="template-chat of-kind" data-kind={kind}>
      <div class="template-bubble">
        <p>
          <Shown state={state} name={name} empty="…" isMarked />
        </p>
        {footer && (
          <p class="template-footer">
            <Shown state={state} name="footer" empty="" />
          </p>
        )}
      </div>
      {kind === 'buttons' && (
        <ul class="template-buttons">
          {BUTTONS.map((one) => (
            <li key={one} class="of-value">
              <Shown state={state} name={one} empty="" />
            </li>
          ))}
        </ul>
      )}
      {kind === 'list' && (
        <ul class="template-buttons">
          <li>
            ☰ <Shown state={state} name="list_label" empty="Choose" />
          </li>
        </ul>
      )}
    </div>
  );
  return (
    <>
      {bubble('text', 'text')}
      {bubble('buttons', 'question', true)}
      {bubble('list', 'question', true)}
      <div class="template-chat of-kind" data-kind="media">
        <div class="template-bubble">
          <div class="template-media">file</div>
          <p>
            <Shown state={state} name="caption" empty="" isMarked />
          </p>
        </div>
      </div>
      {chosen && (
        <div class="of-kind" data-kind="template">
          <TemplatePreview template={chosen} values={state} />
        </div>
      )}
    </>
  );
}
