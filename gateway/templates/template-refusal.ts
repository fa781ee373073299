import { invalidTemplate, issueOf, type Refusal, type ValidationIssue } from '../errors';
import { type Fact } from '../wording/facts';
import { type TemplateIssue } from './rules/report';

export const issueIn = ({ rule, path, values }: TemplateIssue): ValidationIssue => ({
  ...issueOf(path, rule, { word: `template.${rule}`, values } as Fact),
  code: 100,
});

/** Refuses a template that the platform would refuse; null if it has no such issue. */
export function templateRefusal(issues: readonly TemplateIssue[]): Refusal | null {
  const refused = issues.filter(({ level }) => level === 'refused');
  return refused[0] ? invalidTemplate(refused.map(issueIn), refused[0].subcode) : null;
}

/** What the platform probably refuses, as `error_data.warnings` of an accepted template. */
export const templateWarnings = (
  issues: readonly TemplateIssue[],
): Pick<ValidationIssue, 'path' | 'rule' | 'message'>[] =>
  issues
    .filter(({ level }) => level === 'likely')
    .map(issueIn)
    .map(({ path, rule, message }) => ({ path, rule, message }));
