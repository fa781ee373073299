import { type TemplateIssue } from '../../../templates/rules/report';
import { type Fact } from '../../../wording/facts';
import { said } from '../../languages/said';
import { t } from '../../languages/t';
import { type DraftForm } from './draft-form';

/** What the platform refuses, or its review probably refuses, about a field of the form. */
export interface Finding {
  /** The index of the language. */
  language: number;
  /** The name of the field; empty for the whole template. */
  field: string;
  level: TemplateIssue['level'];
  sentence: string;
}

/** @param issues of each language of the draft, as `draftIssues` finds them */
export function findingsOf(issues: readonly TemplateIssue[][], { fields }: DraftForm): Finding[] {
  const found = issues.flatMap((some, language) =>
    some.map((issue) => ({
      language,
      field: fieldAt(issue, fields[language] ?? new Map<string, string>()),
      level: issue.level,
      sentence: sentenceOf(issue),
    })),
  );
  // The name and the category are those of every language.
  const byField = Map.groupBy(found, ({ field, sentence }) => `${field} ${sentence}`);
  return [...byField.values()].flatMap((same) => same.slice(0, 1));
}

/** The field at the path of an issue, or at the nearest path above it. */
export function fieldAt(
  { rule, path }: Pick<TemplateIssue, 'rule' | 'path'>,
  fields: Map<string, string>,
): string {
  // Its path is that of all components, whose field is the body.
  if (rule === 'name.taken') return fields.get('language') ?? '';
  if (rule === 'authentication.button') return fields.get('components')?.replace(/body$/, 'buttons') ?? '';
  for (let at = path; at !== ''; at = at.replace(/(?:^|\.)[^.[\]]+$|\[\d+\]$/, '')) {
    const field = fields.get(at);
    if (field !== undefined) return field;
  }
  return '';
}

/** People fill in fields of a form, and do not know the names of the JSON. */
function sentenceOf({ rule, values }: TemplateIssue): string {
  if (rule === 'field.missing') return t('Fill in this field.');
  if (rule === 'component.missing')
    return values.component === 'BODY'
      ? t('Write the text of the message.')
      : t('Choose a picture or a video.');
  // A draft is checked without an account.
  if (rule === 'name.taken') return t('The draft has this language already. Choose another one.');
  if (rule === 'authentication.button')
    return t('Add the button for the one-time code, and no other button.');
  if (rule === 'carousel.beside') return t('Usually, a carousel has only a text above it.');
  return said({ word: `template.${rule}`, values } as Fact);
}
