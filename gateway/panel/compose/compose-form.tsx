import { type ComponentChildren, type VNode } from 'preact';
import { type Line } from '../../lines/line';
import { type TemplateRecord } from '../../templates/template-record';
import { t } from '../languages/t';
import { type FormState } from '../form-state';
import { TemplatePreview } from '../send/template-preview';
import { Form, LongField, SelectField, Shown, Submit, TextField } from '../ui/form';
import { BUTTONS, kindOf, KINDS, MEDIA_TYPES, type ComposeKind } from './message-body';
import {
  FileFields,
  formats,
  InteractiveFields,
  Of,
  WITH_FILE_ABOVE,
  WITH_QUESTION,
} from './interactive-fields';
import { fieldsOf, templateKey } from '../send/template-form';

interface ComposeFormProps {
  line: Pick<Line, 'id'>;
  state: FormState;
  /** Templates that the platform can send. */
  templates: TemplateRecord[];
  chosen: TemplateRecord | null;
  /** Below the number: whether the contact's 24-hour window is open. */
  standing: ComponentChildren;
}

const kindWords = (): Record<ComposeKind, string> => ({
  text: t('Text'),
  template: t('Template'),
  buttons: t('Buttons'),
  list: t('List'),
  link: t('Link'),
  flow: t('Flow'),
  media: t('Media'),
  json: 'JSON',
});

/**
 * One form for every kind of message. CSS shows the fields of the chosen kind. The preview updates while
 * typing or, without script, on "Preview".
 */
export function ComposeForm(props: ComposeFormProps): VNode {
  const { line, state, templates, standing } = props;
  return (
    <Form action={`/panel/lines/${line.id}/send`} class="form compose" state={state} files>
      <input type="hidden" name="once" value={state.text('once')} />
      {['from', 'group'].map(
        (name) => state.has(name) && <input key={name} type="hidden" name={name} value={state.text(name)} />,
      )}
      <div class="compose-fields">
        <TextField
          name="to"
          label={t('To')}
          type="tel"
          hint={t('A number with its country code.')}
          placeholder="+55 11 98765-4321"
        />
        <p class="hint" id="window" role="status">
          {standing}
        </p>
        <Kinds state={state} hasTemplates={templates.length > 0} />
        <Of kind="text">
          <LongField name="text" label={t('Text')} rows={4} maxLength={4096} hint={formats()} />
        </Of>
        <Of kind="template">
          <TemplateFields {...props} />
        </Of>
        <InteractiveFields />
        <Of kind="media">
          <FileFields of="" types={MEDIA_TYPES} />
          <TextField name="caption" label={t('Caption')} optional maxLength={1024} />
        </Of>
        <Of kind="json">
          <LongField
            name="json"
            label={t('Message')}
            rows={10}
            maxLength={60_000}
            hint={t.rich(
              'For messages without fields here, such as a carousel, products, a location, a contact card or a reaction. See the <link>API reference</link>.',
              { link: (parts) => <a href="/docs#/Messages/sendMessage">{parts}</a> },
            )}
          />
        </Of>
      </div>
      <div class="compose-preview">
        <p class="label">{t('Preview')}</p>
        <Preview {...props} />
      </div>
      <div class="actions">
        <Submit>{t('Send')}</Submit>
        <Submit tone="plain" name="do" value="preview">
          {t('Preview')}
        </Submit>
      </div>
    </Form>
  );
}

function Kinds({ state, hasTemplates }: { state: FormState; hasTemplates: boolean }): VNode {
  const chosen = kindOf(state);
  return (
    <fieldset class="segments">
      <legend class="sr-only">{t('What to send')}</legend>
      {KINDS.map((kind) => (
        <label key={kind}>
          <input
            type="radio"
            name="kind"
            value={kind}
            checked={kind === chosen}
            disabled={kind === 'template' && !hasTemplates}
          />
          <span>{kindWords()[kind]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function TemplateFields({ templates, chosen }: ComposeFormProps): VNode | null {
  if (!chosen) return null;
  return (
    <>
      <div class="with-button" data-reload="">
        <SelectField
          name="template"
          label={t('Template')}
          choices={templates.map((one) => ({
            value: templateKey(one),
            label: `${one.name} · ${one.language}`,
          }))}
        />
        <Submit tone="plain" name="do" value="preview">
          {t('Show its fields')}
        </Submit>
      </div>
      {fieldsOf(chosen).map(({ name, label, hint }) => (
        <TextField key={name} name={name} label={label} hint={hint} />
      ))}
    </>
  );
}

function Preview({ state, chosen }: ComposeFormProps): VNode {
  return (
    <>
      <Bubble kind="text">
        <Words name="text" />
      </Bubble>
      <Bubble kind={WITH_QUESTION} under={<Tappable />}>
        <div class="template-media long of-kind of-value" data-kind={WITH_FILE_ABOVE}>
          <Shown name="header_link" empty="" />
        </div>
        <p class="template-header">
          <Shown name="header" empty="" />
        </p>
        <Words name="question" />
        <p class="quiet small">
          <Shown name="footer" empty="" />
        </p>
      </Bubble>
      <Bubble kind="media">
        <div class="template-media">{t('file')}</div>
        <Words name="caption" empty="" />
      </Bubble>
      <Of kind="json">
        <p class="quiet">{t('The JSON is sent unchanged. Errors of the API are shown here.')}</p>
      </Of>
      {chosen && (
        <Of kind="template">
          <TemplatePreview template={chosen} values={state} />
        </Of>
      )}
    </>
  );
}

interface BubbleProps {
  kind: string;
  children: ComponentChildren;
  /** The buttons or rows. */
  under?: VNode;
}

const Bubble = ({ kind, children, under }: BubbleProps): VNode => (
  <div class="template-chat of-kind" data-kind={kind}>
    <div class="template-bubble">{children}</div>
    {under}
  </div>
);

const Words = ({ name, empty = '…' }: { name: string; empty?: string }): VNode => (
  <p>
    <Shown name={name} empty={empty} isMarked />
  </p>
);

/** Kinds with a single button: its icon, field and placeholder. */
const ONE_BUTTON = [
  { kind: 'list', sign: '☰', name: 'list_label', empty: () => t('Choose') },
  { kind: 'link', sign: '↗', name: 'link_label', empty: () => '…' },
  { kind: 'flow', sign: '▤', name: 'flow_label', empty: () => '…' },
];

const Tappable = (): VNode => (
  <>
    <ul class="template-buttons of-kind" data-kind="buttons">
      {BUTTONS.map((one) => (
        <li key={one} class="of-value">
          <Shown name={one} empty="" />
        </li>
      ))}
    </ul>
    {ONE_BUTTON.map(({ kind, sign, name, empty }) => (
      <ul key={kind} class="template-buttons of-kind" data-kind={kind}>
        <li>
          {sign} <Shown name={name} empty={empty()} />
        </li>
      </ul>
    ))}
  </>
);
