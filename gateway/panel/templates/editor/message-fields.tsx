import { type VNode } from 'preact';
import { LENGTHS } from '../../../templates/rules/table';
import { t } from '../../languages/t';
import { variablesOf } from '../../send/template-samples';
import { CheckField, FileField, LongField, SelectField, Submit, TextField } from '../../ui/form';
import { headerWord } from '../../ui/words/template-words';
import { Part, useEdited, useNotes, valueOf } from './edited';
import { fieldWord } from './field-words';

/** A part that messages with a one-time code do not have. It stays visible if it has a text, which must be removed. */
export const ordinary = (isFilled: boolean): string =>
  isFilled ? 'editor-group' : 'editor-group editor-ordinary';
export const ofCode = (isFilled: boolean): string => (isFilled ? 'editor-group' : 'editor-group editor-code');

export function HeaderFields({ prefix, formats }: { prefix: string; formats: readonly string[] }): VNode {
  const { form } = useEdited().form;
  const name = `${prefix}header`;
  const format = valueOf(form, name);
  const choices = ['', ...formats, ...([''].concat(formats).includes(format) ? [] : [format])];
  return (
    <div class={`${ordinary(format !== '')} editor-header`}>
      <SelectField
        name={name}
        label={fieldWord(name)}
        choices={choices.map((value) => ({ value, label: headerWord(value) }))}
        hint={useNotes(name, t('Shown above the text.'))}
      />
      {(formats.includes('TEXT') || format === 'TEXT') && (
        <div class="editor-group editor-of-text">
          <TextField
            name={`${name}-text`}
            label={fieldWord(`${name}-text`)}
            placeholder={t('Your order {variable}', { variable: '{{1}}' })}
            hint={useNotes(`${name}-text`, t('Without formatting. At most one variable.'), LENGTHS.header)}
          />
          <Samples of={name} />
        </div>
      )}
      <div class="editor-group editor-of-file">
        <SampleFile prefix={prefix} />
      </div>
    </div>
  );
}

function SampleFile({ prefix }: { prefix: string }): VNode {
  const { form, files } = { form: useEdited().form.form, files: useEdited().files };
  const handle = valueOf(form, `${prefix}header-handle`);
  const hash = /"file":"(\w+)"/.exec(handle)?.[1] ?? '';
  const stored = files.get(hash)?.name ?? (handle === '' ? null : t('A sample from the platform'));
  return (
    <FileField
      name={`${prefix}header-file`}
      label={fieldWord('-header-file')}
      accept="image/jpeg,image/png,video/mp4,application/pdf"
      hint={useNotes(
        `${prefix}header-file`,
        <>
          {stored !== null && <strong>{t('Stored: {name}.', { name: stored })} </strong>}
          {t('An example for the review, up to 5 MB. Each message has its own file when you send it.')}
        </>,
      )}
    />
  );
}

/** The text of a message or of a card. */
export function BodyFields({ prefix, most }: { prefix: string; most: number }): VNode {
  const { form } = useEdited().form;
  const name = `${prefix}body`;
  return (
    <>
      <div class={ordinary(valueOf(form, name) !== '')}>
        <LongField
          name={name}
          label={fieldWord('-body')}
          rows={5}
          placeholder={t('Hello {variable}, your order is on its way.', { variable: '{{1}}' })}
          hint={useNotes(
            name,
            t('*bold*, _italic_, ~struck through~. Write {variable} where each message has its own value.', {
              variable: '{{1}}',
            }),
            most,
          )}
        />
        <button type="button" class="button plain small" hidden data-insert={`field-${name}`}>
          {t('Add variable')}
        </button>
        <Samples of={name} />
      </div>
      {most !== LENGTHS.cardBody && (
        <div class={ofCode(valueOf(form, `${name}-advice`) !== '')}>
          <p class="hint">{t('WhatsApp writes the text: the code, and what you choose here.')}</p>
          <CheckField name={`${name}-advice`} label={fieldWord('-body-advice')} />
        </div>
      )}
    </>
  );
}

/** A field for the sample of each variable of a text. @param of the field of the text: `l0-body` or `l0-header` */
export function Samples({ of }: { of: string }): VNode {
  const { form } = useEdited().form;
  const text = valueOf(form, of.endsWith('header') ? `${of}-text` : of);
  const variables = variablesOf(text);
  return (
    <Part id={`samples-${of}`}>
      {variables.length > 0 && (
        <fieldset class="editor-samples">
          <legend>{t('Samples')}</legend>
          <p class="hint">
            {t('Invented values that show the reviewers what you send. No real names or numbers.')}
          </p>
          {variables.map((variable) => (
            <Sample key={variable} name={`${of}-sample-${variable}`} variable={variable} />
          ))}
        </fieldset>
      )}
    </Part>
  );
}

const Sample = ({ name, variable }: { name: string; variable: string }): VNode => (
  <TextField
    // The live preview shows it outside the form.
    state={useEdited().state}
    name={name}
    label={t('Sample for {variable}', { variable: `{{${variable}}}` })}
    hint={useNotes(name)}
  />
);

/** Parts of an imported template that have no fields here. They are kept as they are. */
export function Others({ prefix }: { prefix: string }): VNode | null {
  const { form } = useEdited().form;
  const found: string[] = [];
  while (form.has(`${prefix}x${found.length}`)) found.push(valueOf(form, `${prefix}x${found.length}`));
  if (found.length === 0) return null;
  return (
    <fieldset class="editor-box">
      <legend>{t('Other parts')}</legend>
      <p class="hint">{t('This editor has no fields for these parts. They are submitted unchanged.')}</p>
      {found.map((json, index) => (
        <Other key={index} name={`${prefix}x${index}`} json={json} />
      ))}
    </fieldset>
  );
}

const Other = ({ name, json }: { name: string; json: string }): VNode => (
  <div class="field" id={`field-${name}`} tabIndex={-1}>
    <pre class="code" tabIndex={0}>
      {json}
    </pre>
    <OtherNotes name={name} />
    <Submit tone="quiet" name="do" value={`remove-other ${name}`}>
      {t('Remove')}
    </Submit>
  </div>
);

const OtherNotes = ({ name }: { name: string }): VNode | null => {
  const { findings, isChecked } = useEdited();
  const own = isChecked ? findings.filter(({ field }) => field === name) : [];
  return own.length > 0 ? <p class="fault">{own.map(({ sentence }) => sentence).join(' ')}</p> : null;
};
