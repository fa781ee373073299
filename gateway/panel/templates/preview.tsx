import { type ComponentChildren, type VNode } from 'preact';
import { type TemplateRecord } from '../../templates/template-record';
import { formatted } from '../ui/formatted-text';

/** A template as the recipient sees it, with the places of its values marked. */
export function TemplatePreview({ template }: { template: TemplateRecord }): VNode {
  const { header, body, footer, buttons } = template;
  return (
    <div class="template-chat" role="group" aria-label={`Preview of ${template.name}`}>
      <div class="template-bubble">
        {header &&
          (header.text === null ? (
            <div class="template-media">{header.type}</div>
          ) : (
            <p class="template-header">{withValues(header.text)}</p>
          ))}
        {body ? <p>{formatted(body, withValues)}</p> : <p class="quiet">No text of its own.</p>}
        {footer && <p class="template-footer">{footer}</p>}
      </div>
      {buttons.length > 0 && (
        <ul class="template-buttons">
          {buttons.map(({ index, type, text, url, phone_number: phone }) => (
            <li key={index}>
              {text || type.replaceAll('_', ' ')}
              {(url ?? phone) && <div class="quiet small">{withValues(url ?? phone ?? '')}</div>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The same placeholders as `placeholdersOf` finds. */
const PLACEHOLDER = /(\{\{\s*[\w.-]+\s*\}\})/;

const withValues = (text: string): ComponentChildren[] =>
  text.split(PLACEHOLDER).map((part, index) =>
    index % 2 ? (
      <span key={index} class="template-value">
        {part}
      </span>
    ) : (
      part
    ),
  );
