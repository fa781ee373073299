import { type ComponentChildren, type VNode } from 'preact';
import { t } from '../languages/t';
import { CheckField, FileField, LongField, SelectField, TextField, useFormState } from '../ui/form';
import { BUTTONS, HEADER_TYPES, type MediaType } from './message-body';

const mediaWords = (): Record<MediaType, string> => ({
  image: t('Picture'),
  video: t('Video'),
  audio: t('Sound'),
  document: t('Document'),
  sticker: t('Sticker'),
});

/** Kinds that have a text above buttons or rows. */
export const WITH_QUESTION = 'buttons list link flow';
export const WITH_FILE_ABOVE = 'buttons link flow';

interface FileFieldsProps {
  /** The prefix of the field names. */
  of: string;
  types: readonly MediaType[];
}

/** A file to upload, or a public URL. */
export const FileFields = ({ of, types }: FileFieldsProps): VNode => (
  <>
    <FileField name={`${of}file`} label={t('File')} hint={t('Up to 16 MB.')} />
    <TextField
      name={`${of}link`}
      label={t('Or its URL')}
      type="url"
      hint={t('A public URL.')}
      placeholder="https://www.example.com/cake.jpg"
    />
    <SelectField
      name={of ? `${of}type` : 'media_type'}
      label={t('File type at this URL')}
      choices={types.map((value) => ({ value, label: mediaWords()[value] }))}
    />
  </>
);

export const formats = (): string => t('*bold*, _italic_, ~struck through~.');

export const Of = ({ kind, children }: { kind: string; children: ComponentChildren }): VNode => (
  <div class="of-kind" data-kind={kind}>
    {children}
  </div>
);

/** The fields of an interactive message, including its header: a line of text or a file. */
export function InteractiveFields(): VNode {
  const state = useFormState();
  return (
    <>
      <Of kind={WITH_QUESTION}>
        <TextField name="header" label={t('Header')} optional maxLength={60} />
        <LongField name="question" label={t('Text')} rows={3} maxLength={1024} hint={formats()} />
      </Of>
      <Of kind="buttons">
        <div class="field">
          <span class="label" id="buttons-label">
            {t('Buttons')}
          </span>
          <div class="compose-buttons" role="group" aria-labelledby="buttons-label">
            {BUTTONS.map((name, index) => (
              <TextField
                key={name}
                name={name}
                label={t('Button {number}', { number: index + 1 })}
                optional={index > 0}
                maxLength={20}
              />
            ))}
          </div>
        </div>
      </Of>
      <Of kind="list">
        <TextField name="list_label" label={t('Button that opens the list')} maxLength={20} />
        <LongField
          name="rows"
          label={t('Choices')}
          rows={4}
          hint={t('Up to ten, one per line. Add a description after |: Morning | 9 to 12')}
        />
      </Of>
      <Of kind="link">
        <TextField name="link_label" label={t('Button text')} maxLength={20} />
        <TextField
          name="link_url"
          label={t('URL that it opens')}
          type="url"
          placeholder="https://www.example.com/orders"
        />
      </Of>
      <Of kind="flow">
        <TextField
          name="flow"
          label={t('ID or name of the flow')}
          hint={t("A form that you created at the platform, in the line's business account.")}
        />
        <TextField name="flow_label" label={t('Button text')} maxLength={30} />
        <TextField name="flow_screen" label={t('First screen')} optional />
        <CheckField name="flow_draft" label={t('It is a draft, not published yet')} />
      </Of>
      <Of kind={WITH_QUESTION}>
        <TextField name="footer" label={t('Footer')} optional maxLength={60} />
      </Of>
      <Of kind={WITH_FILE_ABOVE}>
        <details
          class="more"
          open={Boolean(state.text('header_link')) || state.issueOf('header_file') !== null}
        >
          <summary>{t('Picture, video or document above the text')}</summary>
          <div class="stack">
            <FileFields of="header_" types={HEADER_TYPES} />
          </div>
        </details>
      </Of>
    </>
  );
}
