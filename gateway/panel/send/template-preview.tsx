import { type ComponentChildren, type VNode } from 'preact';
import { type TemplateRecord } from '../../templates/template-record';
import { PLACEHOLDER } from '../../cloud-api/template';
import { nameOf } from './template-form';
import { type FormState } from '../form-state';
import { formatted } from '../ui/formatted-text';
import { Shown } from '../ui/form';
import { t } from '../languages/t';
import { messageKind } from '../ui/words/kind-words';

interface TemplatePreviewProps {
  template: TemplateRecord;
  /** The form with the values; the preview then shows typed values. */
  values?: FormState;
}

/** A template as the recipient sees it, with marked values. */
export function TemplatePreview({ template, values }: TemplatePreviewProps): VNode {
  const { header, body, footer, buttons } = template;
  const withValues = (part: string) => (text: string) => filled(text, (name) => nameOf(part, name), values);
  return (
    <div class="template-chat" role="group" aria-label={t('Preview of {name}', { name: template.name })}>
      <div class="template-bubble">
        {header &&
          (header.text === null ? (
            <div class="template-media">{messageKind(header.type)}</div>
          ) : (
            <p class="template-header">{withValues('header')(header.text)}</p>
          ))}
        {body ? <p>{formatted(body, withValues('body'))}</p> : <p class="quiet">{t('No text.')}</p>}
        {footer && <p class="quiet small">{footer}</p>}
      </div>
      {buttons.length > 0 && (
        <ul class="template-buttons">
          {buttons.map(({ index, type, text, url, phone_number: phone }) => (
            <li key={index} data-type={type}>
              {text || type.replaceAll('_', ' ')}
              {(url ?? phone) && (
                <div class="quiet small">
                  {filled(url ?? phone ?? '', () => nameOf('button', String(index)), values)}
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** @param nameOfField form field name by value name */
const filled = (
  text: string,
  nameOfField: (name: string) => string,
  values: FormState | undefined,
): ComponentChildren[] =>
  text.split(PLACEHOLDER).map((part, index) =>
    index % 2 ? (
      <span key={index} class="template-value">
        {values ? (
          <Shown state={values} name={nameOfField(part.replace(/[{}\s]/g, ''))} empty={part} />
        ) : (
          part
        )}
      </span>
    ) : (
      part
    ),
  );
