import { PLACEHOLDER } from '../../cloud-api/template';
import { type Store } from '../../store/store';
import { templateRecord, type TemplateRecord } from '../../templates/template-record';
import { type FormState } from '../form-state';
import { t } from '../languages/t';

/** The form field for a value of a template. */
export interface TemplateField {
  name: string;
  label: string;
  /** The sentence that contains the value. */
  hint?: string;
}

const FILES = ['image', 'video', 'document'];

export const templateKey = ({ name, language }: Pick<TemplateRecord, 'name' | 'language'>): string =>
  `${name} ${language}`;

/** Templates that the platform can send. */
export async function sendableTemplates(
  { templates }: Pick<Store, 'templates'>,
  lineId: number,
): Promise<TemplateRecord[]> {
  return (await templates.ofLine(lineId))
    .map(templateRecord)
    .filter(({ status, platform_status: told }) => status === 'approved' && told !== null);
}

/** The values that a send needs, in reading order. */
export function fieldsOf(template: TemplateRecord): TemplateField[] {
  const { header, body, header_variables: inHeader, variable_names: inBody, buttons } = template;
  const isFile = header !== null && FILES.includes(header.type);
  const headerText = header?.text ?? '';
  return [
    ...(isFile
      ? [
          {
            name: nameOf('header', 'file'),
            label: t(
              '{type, select, image {Address of the image} video {Address of the video} other {Address of the document}}',
              { type: header.type },
            ),
          },
        ]
      : []),
    ...inHeader.map((name) => ({
      name: nameOf('header', name),
      label: t('Header: {name}', { name: `{{${name}}}` }),
      hint: sentenceAround(headerText, name),
    })),
    ...inBody.map((name) => ({
      name: nameOf('body', name),
      label: `{{${name}}}`,
      hint: sentenceAround(body, name),
    })),
    ...buttons
      .filter(({ variables }) => variables > 0)
      .map(({ index, text, type }) => ({
        name: nameOf('button', String(index)),
        label:
          type === 'url'
            ? t('Button “{text}”: end of its address', { text })
            : t('Button “{text}”: code', { text }),
      })),
  ];
}

/** Most characters on each side of a value. */
const MOST_AROUND = 40;

/**
 * The sentence that contains a value. The value is shown as its placeholder, and other values as dots.
 * @param text the text of the template
 */
function sentenceAround(text: string, name: string): string {
  const isHere = (part: string) => part.replace(/[{}\s]/g, '') === name;
  const parts = text.split(PLACEHOLDER);
  const here = parts.findIndex((part, index) => index % 2 === 1 && isHere(part));
  if (here < 0) return `{{${name}}}`;
  const said = (some: string[]) => some.map((part) => part.replace(PLACEHOLDER, '…')).join('');
  const before = said(parts.slice(0, here)).split(SENTENCE_END).at(-1) ?? '';
  const [after = ''] = said(parts.slice(here + 1)).split(SENTENCE_END);
  return `${endOf(before)}{{${name}}}${beginningOf(after)}`.trim().replace(/\u2026\.$/, '…');
}

const SENTENCE_END = /(?<=[.!?])\s+|\n/;

/** The last whole words within the limit. */
const endOf = (text: string): string =>
  text.length <= MOST_AROUND ? text : `… ${text.slice(-MOST_AROUND).replace(/^\S*\s+/, '')}`;
const beginningOf = (text: string): string =>
  text.length <= MOST_AROUND ? text : `${text.slice(0, MOST_AROUND).replace(/\s+\S*$/, '')} …`;

export const nameOf = (part: string, name: string): string => `value-${part}-${name}`;

/** The `template` object of a send, with the values of the form. */
export function templateBody(state: FormState, template: TemplateRecord): Record<string, unknown> {
  const { name, language, header, header_variables: inHeader, variable_names: inBody, buttons } = template;
  const value = (part: string, of: string, issue: string) => state.required(nameOf(part, of), issue);
  const text = (part: string) => (of: string) => ({
    type: 'text',
    ...(!/^\d+$/.test(of) && { parameter_name: of }),
    text: value(part, of, t('Give the value of {name}.', { name: `{{${of}}}` })),
  });
  const isFile = header !== null && FILES.includes(header.type);
  const above = isFile
    ? [
        {
          type: header.type,
          [header.type]: { link: value('header', 'file', t('Give the value of the file above the text.')) },
        },
      ]
    : inHeader.map(text('header'));
  const body = inBody.map(text('body'));
  const components = [
    ...(above.length ? [{ type: 'header', parameters: above }] : []),
    ...(body.length ? [{ type: 'body', parameters: body }] : []),
    ...buttons
      .filter(({ variables }) => variables > 0)
      .map(({ index, type, text: label }) => {
        const given = value('button', String(index), t('Give the value of the button “{label}”.', { label }));
        const isCode = type === 'copy_code';
        return {
          type: 'button',
          sub_type: isCode ? type : 'url',
          index: String(index),
          parameters: [isCode ? { type: 'coupon_code', coupon_code: given } : { type: 'text', text: given }],
        };
      }),
  ];
  return { name, language: { code: language }, ...(components.length > 0 && { components }) };
}
